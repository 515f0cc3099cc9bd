/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fits the costs of circuits and the offsets and drifts of the nodes' clocks to
 * the times of probes (qemu/job/probe.h).
 *
 * A probe of B bytes and its answer of A take, over d links there and back,
 * 2 startup + 2 d hop_delay + (A + B) transfer. Startup, hop delay and transfer
 * time are fitted to that. A node's clock less the originator's is then
 * ((t2 - t1) - (t4 - t3) - (B - A) transfer) / 2, halfway between the probe's
 * receipt and the answer: at (t1 + t4 + (B - A) transfer) / 2 of the
 * originator. A line over those times has offset and drift.
 */
#ifndef QEMU_BENCH_CALIBRATE_H
#define QEMU_BENCH_CALIBRATE_H

#include "hal/nodiscard.h"
#include "qemu/bench/calibrate_fit.h"
#include "qemu/job/probe.h"
#include "qemu/job/request.h"

/* Most probes in a calibration. */
#define CALIBRATE_ROWS_MAX 1000000u

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

/*
 * Sorts row[] so that repeats of a probe do not spoil the fits on boards whose
 * time is the world's: most repeats take about as long, a few much longer (a
 * set-up that was refused or lost, a frame that was sent again, an interrupt).
 * Of the rows with the same node and size, the one with the shortest round trip
 * comes first, for the fit of circuits; of the others those that were among the
 * faster half come next, for the clocks, which need times that lie apart; the
 * rest come last. Sets circuit_rows, clock_rows, late_half_ps, late_most_ps.
 *
 * Why the shortest: what delays a circuit only ever adds. Made-up rows of 24
 * nodes, four sizes, 8 repeats, jitter of 20 us and one retry of some 2 ms in
 * ten: the startup (300 us) misses by 6 us with the shortest, 22 us with the
 * median, 128 us with all; a hop (60 us) by 0.4, 2.6 and 15 us. Of emulated
 * boards, halves of the repeats agree three times better than by medians. Why
 * the faster half: RFC 5905, clause 10, takes an exchange with a short delay to
 * be the more symmetric one, too.
 */
void calibrate_set_aside(struct calibration *calibration);

/* Fits calibration->row[]. Result: false if the rows do not determine the
   costs: two distances, two sizes and four rows are needed. */
bool calibrate_fit(struct calibration *calibration, struct torus_size size);

/*
 * Starts a mesh, or takes the one behind a port, carries the probes out, and
 * fits. Only those fields of the request matter that describe a mesh. On boards
 * with serial ports each node is probed once before, which is not counted, and
 * of the repeats of a probe the shortest count
 * (calibrate_set_aside()). Result: 0 and *calibration, to be freed
 * with calibrate_free(); else an exit status, with the reason said, and nothing
 * to be freed.
 */
NODISCARD int calibrate_mesh(struct calibration *calibration,
                             const struct request *request,
                             const struct probe probes[], uint32_t count);

void calibrate_free(struct calibration *calibration);

#endif
