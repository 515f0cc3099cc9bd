/* SPDX-License-Identifier: Apache-2.0 */
/* The measured times of a calibration and the costs and clocks fitted to
   them. */
#ifndef QEMU_CALIBRATE_CALIBRATION_H
#define QEMU_CALIBRATE_CALIBRATION_H

#include "qemu/calibrate/fit.h"
#include "qemu/job/probe.h"

struct calibrate_clock {
    struct torus_coord at;
    uint32_t rows;
    struct fit_value offset_ps; /* at zero_ps */
    struct fit_value drift;     /* seconds a second */
    bool drifts;                /* whether there were rows enough to know */
};

struct calibration {
    const char *on;
    const char *board;
    uint32_t row_count;
    struct probe_row *row;
    uint32_t circuit_rows; /* the first so many tell of circuits, .. */
    uint32_t clock_rows;   /* .. so many of clocks; 0: all do */
    double late_half_ps;   /* half of the repeats that do not count took at */
    double late_most_ps;   /* most so much longer, and 95 % so much */
    struct fit_value startup_ps;
    struct fit_value hop_ps;
    struct fit_value transfer_ps; /* per byte */
    double rms_ps;                /* of the residuals */
    uint64_t zero_ps;             /* the first t1 */
    uint32_t clock_count;
    struct calibrate_clock *clock; /* in order of the nodes' indices */
};

#endif
