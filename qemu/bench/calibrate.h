/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fits the times of circuits, and each node's clock, to probes
 * (qemu/job/probe.h). A probe is a message with an answer; its four times are
 *
 *   t1  probe ready           originator's clock
 *   t2  probe received        node's clock
 *   t3  answer ready          node's clock
 *   t4  answer received       originator's clock
 *
 * A probe of B bytes and its answer of A bytes, over d links each way, take
 *
 *   2 startup + 2 d hop_delay + (A + B) transfer,
 *
 * to which startup, hop delay and transfer time of a byte are fitted. The
 * node's clock less the originator's is then
 *
 *   ((t2 - t1) - (t4 - t3) - (B - A) transfer) / 2
 *
 * at the originator's time (t1 + t4 + (B - A) transfer) / 2, in the middle
 * between both receipts. A line through these points gives the clock's offset
 * and drift.
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
    bool drifts;            /* true: `drift` could be fitted */
};

struct calibration {
    const char *on;
    const char *board;
    uint32_t row_count;
    struct probe_row *row;
    uint32_t circuit_rows; /* number of first rows that tell circuits; 0: all */
    uint32_t clock_rows;   /* number of first rows that tell clocks; 0: all */
    /* How much longer repeats of a probe took than its shortest one: median and
       95 % quantile. */
    double late_half_ps;
    double late_most_ps;
    struct fit_value startup_ps;
    struct fit_value hop_ps;
    struct fit_value transfer_ps; /* per byte */
    double rms_ps;
    uint64_t zero_ps; /* least t1_ps of all rows */
    uint32_t clock_count;
    struct calibrate_clock *clock; /* sorted by node index */
};

/*
 * Sorts row[] so that slow repeats of a probe do not spoil what is fitted on
 * real boards: a few repeats take much longer than the others (a circuit
 * refused, a frame sent again, an interrupt). First comes, for each node and
 * size, the row with the shortest round trip; circuits are fitted to these.
 * Then come the other rows of the faster half, for clocks, which need times far
 * apart. The rest comes last. Sets circuit_rows, clock_rows, late_half_ps and
 * late_most_ps.
 *
 * The shortest is the best, because a disturbance only adds time. Simulated
 * with 24 nodes, four sizes, 8 repeats, jitter of 20 us and a retry of 2 ms in
 * one of ten: the startup (300 us) is wrong by 6 us with the shortest repeats,
 * by 22 us with medians, by 128 us with all rows. The hop delay (60 us) is
 * wrong by 0.4, 2.6 and 15 us. On emulated boards, results from two halves of
 * the repeats agree three times better than with medians. RFC 5905, clause 10,
 * also takes an exchange with a short delay for the more symmetric one.
 */
void calibrate_set_aside(struct calibration *calibration);

/* Fits times of circuits and clocks to row[]. Returns false if the rows do not
   determine them: two distances, two sizes and four rows are needed. */
bool calibrate_fit(struct calibration *calibration, struct torus_size size);

/* Starts a mesh, or uses the boards behind a port; runs the probes, and fits.
   Of the request only members that describe the mesh are used. Boards with
   serial ports get one more probe each, which is not in the result, and
   calibrate_set_aside() sorts their rows. Returns 0 and *calibration, which the
   caller frees by calibrate_free(). On failure returns an exit status after a
   message; then there is nothing to free. */
NODISCARD int calibrate_mesh(struct calibration *calibration,
                             const struct request *request,
                             const struct probe probes[], uint32_t count);

void calibrate_free(struct calibration *calibration);

#endif
