/* SPDX-License-Identifier: Apache-2.0 */
/* The measured times of a calibration and the costs and clocks fitted to
   them. */
#ifndef QEMU_BENCH_CALIBRATION_H
#define QEMU_BENCH_CALIBRATION_H

#include "qemu/bench/calibrate_fit.h"
#include "qemu/job/probe.h"

struct calibrate_clock {
    struct torus_coord at;
    uint32_t rows;
    struct fit_value offset_ps; /* at zero_ps */
    struct fit_value drift;     /* seconds a second */
    bool drifts;                /* there are enough rows for `drift` */
};

struct calibration {
    const char *on;
    const char *board;
    uint32_t row_count;
    struct probe_row *row;
    uint32_t
        circuit_rows;    /* first rows, to which circuits are fitted; 0: all */
    uint32_t clock_rows; /* first rows, to which clocks are fitted; 0: all */
    double late_half_ps; /* 50 % of the repeats that do not count took at */
    double late_most_ps; /* most late_half_ps longer, 95 % late_most_ps */
    struct fit_value startup_ps;
    struct fit_value hop_ps;
    struct fit_value transfer_ps; /* per byte */
    double rms_ps;                /* of the residuals */
    uint64_t zero_ps;             /* earliest t1 */
    uint32_t clock_count;
    struct calibrate_clock *clock; /* by the nodes' indices */
};

#endif
