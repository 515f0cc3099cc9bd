/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fits the times of circuits, and offset and drift of each node's clock, to
 * measured probes (qemu/job/probe.h). By the originator's clock a probe is
 * ready at t1 and its answer received at t4. By the node's clock the probe is
 * received at t2 and the answer ready at t3.
 *
 * A probe of B bytes and its answer of A bytes, over d links each way, take
 *
 *   2 startup + 2 d hop_delay + (A + B) transfer,
 *
 * to which startup, hop delay and transfer time are fitted. A node's clock
 * minus the originator's is then
 *
 *   ((t2 - t1) - (t4 - t3) - (B - A) transfer) / 2
 *
 * at the originator's time (t1 + t4 + (B - A) transfer) / 2, halfway between
 * receipt of the probe and answer. A line through these points gives offset and
 * drift.
 */
#ifndef QEMU_BENCH_CALIBRATE_H
#define QEMU_BENCH_CALIBRATE_H

#include "hal/nodiscard.h"
#include "qemu/bench/calibrate_fit.h"
#include "qemu/job/probe.h"
#include "qemu/job/request.h"

#define CALIBRATE_ROWS_MAX 1000000u

struct calibrate_clock {
    struct torus_coord at;
    uint32_t rows;
    struct fit_value offset_ps;
    struct fit_value drift; /* seconds per second */
    bool drifts;            /* `drift` could be fitted */
};

struct calibration {
    const char *on;
    const char *board;
    uint32_t row_count;
    struct probe_row *row;
    uint32_t circuit_rows; /* circuits are fitted to these first rows; 0: all */
    uint32_t clock_rows;   /* clocks are fitted to these first rows; 0: all */
    /* How much longer other repeats of a probe took than the shortest one:
       median and 95 % quantile. */
    double late_half_ps;
    double late_most_ps;
    struct fit_value startup_ps;
    struct fit_value hop_ps;
    struct fit_value transfer_ps; /* per byte */
    double rms_ps;
    uint64_t zero_ps; /* earliest t1_ps of row[] */
    uint32_t clock_count;
    struct calibrate_clock *clock; /* in the order of node indices */
};

/*
 * Sorts row[] so that slow repeats of a probe do not spoil the fits on real
 * boards: a few repeats take much longer than the rest (a refused set-up, a
 * resent frame, an interrupt). For each node and size, the row with the
 * shortest round trip comes first, for the fit of circuits. Other rows of the
 * faster half come next, for the fit of clocks, which needs times far apart.
 * The rest come last. Sets circuit_rows, clock_rows, late_half_ps,
 * late_most_ps.
 *
 * The shortest is best since a disturbance only adds time. Simulated with 24
 * nodes, four sizes, 8 repeats, jitter of 20 us and a retry of 2 ms in one of
 * ten: the startup (300 us) is wrong by 6 us with the shortest repeats, 22 us
 * with medians, 128 us with all rows. The hop delay (60 us) is wrong by 0.4,
 * 2.6 and 15 us. On emulated boards, fits to two halves of the repeats agree
 * three times better than with medians. RFC 5905, clause 10, also takes an
 * exchange with a short delay to be the more symmetric one.
 */
void calibrate_set_aside(struct calibration *calibration);

/* Fits times of circuits and clocks to row[]. Returns false if the rows do not
   determine the times: two distances, two sizes and four rows are needed. */
bool calibrate_fit(struct calibration *calibration, struct torus_size size);

/* Starts a mesh, or uses the boards behind a port; runs the probes, and fits.
   Reads only the fields of the request that describe a mesh. Each board with
   serial ports first gets one more probe, which is not in the result. Its slow
   repeats are set aside (calibrate_set_aside()). Returns 0 and *calibration, to
   be freed with calibrate_free(); or an exit status after a message, and
   nothing to free. */
NODISCARD int calibrate_mesh(struct calibration *calibration,
                             const struct request *request,
                             const struct probe probes[], uint32_t count);

void calibrate_free(struct calibration *calibration);

#endif
