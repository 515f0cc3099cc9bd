/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repeats of one probe on boards whose time is the world's: most take about as
 * long, a few much longer (a set-up that was refused or lost, a frame that was
 * sent again, an interrupt). What a fit needs is the circuit without these.
 */
#ifndef QEMU_CALIBRATE_REPEATS_H
#define QEMU_CALIBRATE_REPEATS_H

#include "qemu/calibrate.h"

/* What the two circuits of an exchange took. */
double calibrate_round_trip_ps(const struct probe_row *row);

/*
 * Of the rows with the same node and size, keeps the one with the shortest
 * round trip for the fit and sets the others aside: rows change their order.
 * Fills late_half_ps and late_most_ps.
 */
void calibrate_set_aside(struct calibration *calibration);

#endif
