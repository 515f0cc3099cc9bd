/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for the scatter of a torus that is not 5^k x 5^k. Phase by phase,
 * every port of every active node gets a circuit whose links no other circuit
 * of the phase holds:
 *
 *   first phases  the circuits' ends repel each other and all active nodes, so
 *                 that active nodes are spread evenly; a circuit after the
 *                 other is laid anew where its end is worst off least
 *   last phases   (as many ports as nodes are left) every node that is left is
 *                 routed to; a circuit may push others aside, which are then
 *                 routed again, over links that are fought over less and less
 *
 * Both prefer short circuits, and such as cross those of earlier phases only
 * if these are over whatever the timing: then they have been delivered to the
 * sender or an ancestor of it, or left the same port of one of them before.
 *
 * The idea of repulsion is that of points on a sphere (Thomson), the idea of
 * routing by history that of PathFinder (McMurchie and Ebeling 1995).
 */
#ifndef TORUS_SPREAD_H
#define TORUS_SPREAD_H

#include "torus/tree.h"

/*
 * Fills circuits[1 .. width * height - 1] for a torus of 1x1 to
 * TORUS_TREE_SIDE_MAX x TORUS_TREE_SIDE_MAX; the originator is node 0. Tries
 * a few weights and keeps the least number of phases, then of unordered
 * crossings. HxW gets the mirror image of WxH. Result: 0, or -1 without memory
 * (about 300 KiB by malloc). Cost: at most 0.1 s or so, on 31x31.
 */
int torus_spread(struct torus_circuit circuits[], struct torus_size size);

#endif
