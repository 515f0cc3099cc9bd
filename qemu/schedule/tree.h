/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scatters as trees, for any torus: who sends to whom, in which phase, over
 * which path. A tree is an array in preorder: a node, then the subtrees of its
 * children, so that every subtree is a contiguous piece of it. Children are
 * listed by rising phase, within a phase by port: the order in which a node
 * sends to them, and in which a job carries them (scatter/plan/tree.h).
 *
 * Trees are made on the host only: these functions take memory with
 * memory_or_exit(), and give it back before they return. They keep no state.
 */
#ifndef QEMU_SCHEDULE_TREE_H
#define QEMU_SCHEDULE_TREE_H

#include "hal/nodiscard.h"
#include "torus/torus.h"

#include <stdbool.h>

/* Nodes of the largest tree. */
#define SCHEDULE_NODES_MAX 15625u

/* The longest side of a torus that has one. */
#define SCHEDULE_SIDE_MAX 125u

struct schedule_branch {
    struct torus_coord at;
    uint16_t nodes;         /* of this subtree, itself included */
    uint16_t phase;         /* that activates it, from 1; 0: the root */
    struct torus_path path; /* from its parent; all 0 for the root */
};

/* The circuit that reaches a node. */
struct schedule_circuit {
    uint32_t from;  /* index of the sender */
    uint16_t phase; /* from 1; 0: nobody reaches it */
    struct torus_path path;
};

/* Ports that lead to another node. */
static inline uint32_t schedule_ports(struct torus_size size)
{
    return (size.width > 1 ? 2u : 0u) + (size.height > 1 ? 2u : 0u);
}

/* The child after child `index` of the same parent, or the parent's end. */
static inline uint32_t schedule_tree_next(const struct schedule_branch tree[],
                                          uint32_t index)
{
    return index + tree[index].nodes;
}

/*
 * The circuits as a tree. circuits[i] says how the node i (row-major) places
 * from the originator is reached; circuits[0] is not read. A node is reached
 * from one of an earlier phase, or is not in the tree. tree[width * height] is
 * the caller's; tree[0].nodes of it are filled in. Result: the last phase.
 * Cost: O(nodes * log(nodes)).
 */
NODISCARD int schedule_tree_order(struct schedule_branch tree[],
                                  struct torus_size size,
                                  struct torus_coord originator,
                                  const struct schedule_circuit circuits[]);

/* Sets circuits[1 .. width * height - 1], all 0 before; false if there are none
   for this torus. */
typedef bool schedule_fill(struct schedule_circuit circuits[],
                           struct torus_size size);

/*
 * The tree of the circuits that fill() sets. Result: the last phase; -1 if
 * fill() fails, or if the torus is empty or has more than SCHEDULE_NODES_MAX
 * nodes.
 */
NODISCARD int schedule_tree_grow(struct schedule_branch tree[],
                                 struct torus_size size,
                                 struct torus_coord originator,
                                 schedule_fill *fill);

/* ---- schedules ---- */

/*
 * The scatter of this project. On 5^k x 5^k, up to 125x125, it is that of
 * torus/pattern.h. On any other torus of 1x1 to 125x125 every phase's circuits
 * are link-disjoint too, and the tree is found by a search: the same for every
 * originator but for the shift. Cost: milliseconds; below 0.2 s on 31x31, up to
 * 6 s on 124x125.
 */
schedule_fill schedule_scatter;

/*
 * The binomial tree of message-passing libraries: with 2^b the least power
 * that is not below the number of nodes, in phase i every node whose rank is a
 * multiple of 2^(b-i+1) sends to rank + 2^(b-i), if there is one. A rank is
 * the row-major place from the originator. Shortest paths, x first; half way
 * around goes east or north. Circuits of a phase may share links. O(nodes).
 */
schedule_fill schedule_binomial;

/*
 * Scattering to the nearest idle nodes: in phase i those i hops away from the
 * originator are activated by neighbours, over one link each, which are
 * different ones. Parents are chosen from the outside in, so that no other
 * choice for one node alone would leave its parent with fewer descendants.
 * A few times O(nodes * (width + height)).
 */
schedule_fill schedule_nearest;

/*
 * A star: the originator sends to every node itself, nearest first, each over
 * the port with the shorter queue of those out of which a shortest path with
 * one turn leads. A phase is a place in a port's queue. Circuits of a phase may
 * share links. O(nodes * (width + height)).
 */
schedule_fill schedule_star;

/* The tree along which a farm's jobs are announced: the scatter's, or where
   there is none that of the nearest nodes. Chunks go over a star's circuits. */
schedule_fill schedule_farm;

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

/* The shortest path to a node that lies `away`, with one turn at most, out of
   the port with the least queued[]; without hops to the start itself. */
struct torus_path schedule_shorter_queue(struct torus_size size,
                                         struct torus_coord away,
                                         const uint32_t queued[TORUS_PORTS]);

/*
 * Writes into each stored branch (scatter/plan/tree.h), tree[i] being branch i,
 * who serves its node, and over which path, in a farm of two levels: some nodes
 * are masters, which serve those behind them in the tree. Up to which phase
 * nodes are masters is chosen so that the largest number of workers that any
 * node serves is the least: on 25x25 the originator serves 24 masters with 24
 * workers each, and of the nodes around itself four masters with four workers
 * each, and four workers. A tree that has no masters becomes a farm of one
 * level.
 */
void schedule_farm_masters(uint8_t *stored, const struct schedule_branch tree[],
                           struct torus_size size);

#endif
