/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scatters that others use, as trees, to compare with. Any torus of up to
 * SCHEDULE_NODES_MAX nodes. Each function fills tree[width * height], which is
 * the caller's, and returns the number of phases, or -1 if the torus is empty
 * or too large.
 */
#ifndef QEMU_SCHEDULE_BASELINES_H
#define QEMU_SCHEDULE_BASELINES_H

#include "hal/nodiscard.h"
#include "qemu/schedule/tree.h"

/*
 * The binomial tree of message-passing libraries: with 2^b the least power
 * that is not below the number of nodes, in phase i every node whose rank is a
 * multiple of 2^(b-i+1) sends to rank + 2^(b-i), if there is one. A rank is
 * the row-major place from the originator. Shortest paths, x first; half way
 * around goes east or north. Circuits of a phase may share links. O(nodes).
 */
NODISCARD int schedule_binomial(struct schedule_branch tree[],
                                struct torus_size size,
                                struct torus_coord originator);

/*
 * Scattering to the nearest idle nodes: in phase i those i hops away from the
 * originator are activated by neighbours, over one link each, which are
 * different ones. Parents are chosen from the outside in, so that no other
 * choice for one node alone would leave its parent with fewer descendants.
 * A few times O(nodes * (width + height)).
 */
NODISCARD int schedule_nearest(struct schedule_branch tree[],
                               struct torus_size size,
                               struct torus_coord originator);

/*
 * A star: the originator sends to every node itself, nearest first, each over
 * the port with the shorter queue of those out of which a shortest path with
 * one turn leads. A phase is a place in a port's queue. Circuits of a phase may
 * share links. O(nodes * (width + height)).
 */
NODISCARD int schedule_star(struct schedule_branch tree[],
                            struct torus_size size,
                            struct torus_coord originator);

/* The star's circuits: circuits[i] leads to the node i places, row-major, from
   the originator. Result: true. */
schedule_fill schedule_star_fill;

/*
 * A star to the nodes with member[i], row-major: those that serve one of
 * several originators. member[] is not read for the originator. The nodes lie
 * anywhere, so the port with the shorter queue at the moment is not good
 * enough: the queues of the ports become as equal as shortest paths with one
 * turn allow. The torus has 1 to SCHEDULE_NODES_MAX nodes. Result: the last
 * phase; the first tree[0].nodes branches are filled in.
 * O(nodes * (width + height)), and as much as nodes * members for nodes that
 * change their port.
 */
NODISCARD int schedule_group_star(struct schedule_branch tree[],
                                  struct torus_size size,
                                  struct torus_coord originator,
                                  const bool member[]);

#endif
