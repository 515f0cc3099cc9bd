/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for the scatter of a torus that is not 5^k x 5^k. Phase by phase,
 * every port of every active node gets a circuit whose links no other circuit
 * of the phase holds:
 *
 *   first phases  circuits' ends and active nodes push each other away, so that
 *                 they spread evenly; a few times, each circuit in turn is laid
 *                 anew to where it is pushed least
 *   last phases   (no more nodes are left than there are ports) each node that
 *                 is left is routed to; a circuit may push others aside, which
 *                 are then routed again, and links that were fought over become
 *                 expensive
 *
 * Both prefer short circuits, and circuits that cross only such of earlier
 * phases as are over whatever the timing: delivered to the sender or to an
 * ancestor of it, or sent earlier out of the same port of one of them. A strict
 * search lays no other circuits in first phases.
 *
 * Sources: spreading by repulsion is Thomson's problem (1904); routing with a
 * history of each link is PathFinder's (McMurchie and Ebeling 1995).
 */
#ifndef QEMU_SCHEDULE_SPREAD_H
#define QEMU_SCHEDULE_SPREAD_H

#include "hal/nodiscard.h"
#include "qemu/schedule/tree.h"

/*
 * Fills circuits[1 .. width * height - 1] for a torus of 1x1 to
 * SCHEDULE_SIDE_MAX x SCHEDULE_SIDE_MAX; the originator is node 0. Tries
 * a few weights and keeps the least number of phases, then of unordered
 * crossings, then the least waiting for transfers. HxW gets the mirror image of
 * WxH. Result: 0, or -1 without memory (by malloc, 200 bytes a node). Cost:
 * below 0.1 s for 31x31, 1 s for 125x25, 6 s for 124x125.
 */
NODISCARD int schedule_spread(struct schedule_circuit circuits[],
                              struct torus_size size);

#endif
