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
#include "qemu/bench/calibration.h"
#include "qemu/job/request.h"

/* Most probes in a calibration. */
#define CALIBRATE_ROWS_MAX 1000000u

/* Fits calibration->row[]. Result: false if the rows do not determine the
   costs: two distances, two sizes and four rows are needed. */
bool calibrate_fit(struct calibration *calibration, struct torus_size size);

/*
 * Starts a mesh, or takes the one behind a port, carries the probes out, and
 * fits. Only those fields of the request matter that describe a mesh. On boards
 * with serial ports each node is probed once before, which is not counted, and
 * of the repeats of a probe the shortest count
 * (qemu/bench/calibrate_repeats.h). Result: 0 and *calibration, to be freed
 * with calibrate_free(); else an exit status, with the reason said, and nothing
 * to be freed.
 */
NODISCARD int calibrate_mesh(struct calibration *calibration,
                             const struct request *request,
                             const struct probe probes[], uint32_t count);

void calibrate_free(struct calibration *calibration);

#endif
