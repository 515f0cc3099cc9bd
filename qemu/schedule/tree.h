/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules are trees of circuits, which scatter an originator's load to all
 * nodes of a torus. A circuit has a sender, a receiver, a phase and a path.
 *
 * A tree is an array in preorder: a node, then the subtrees of its children. So
 * every subtree is contiguous. Children are sorted by phase, then by port; a
 * node sends to its children in this order (scatter/plan/tree.h).
 *
 * Only the host makes trees. The functions take memory by memory_or_exit() and
 * free it before they return. They have no state.
 */
#ifndef QEMU_SCHEDULE_TREE_H
#define QEMU_SCHEDULE_TREE_H

#include "hal/nodiscard.h"
#include "qemu/schedule/holes.h"
#include "torus/torus.h"

#include <stdbool.h>

/* Longest side of a torus that has a schedule, nodes. */
#define SCHEDULE_SIDE_MAX 125u

struct schedule_branch {
    struct torus_coord at;
    uint16_t nodes; /* number of nodes in this subtree, with its root */
    uint16_t phase; /* phase in which the node receives, from 1; 0: the root */
    struct torus_path path; /* path from the parent; zeros for the root */
};

struct schedule_circuit {
    uint32_t from;  /* index of the sending node */
    uint16_t phase; /* phase of the circuit, from 1; 0: no circuit */
    struct torus_path path;
};

/* Returns how many of a node's ports lead to another node. */
static inline uint32_t schedule_ports(struct torus_size size)
{
    return (size.width > 1 ? 2u : 0u) + (size.height > 1 ? 2u : 0u);
}

/* Returns the index of the sibling after `index`. For the last sibling returns
   the index after the parent's subtree. */
static inline uint32_t schedule_tree_next(const struct schedule_branch tree[],
                                          uint32_t index)
{
    return index + tree[index].nodes;
}

/*
 * Makes the tree of one circuit for each node. circuits[i] leads to the node
 * with row-major index i, counted from the originator; circuits[0] does not
 * matter. A node must receive in an earlier phase than it sends. Nodes without
 * a circuit are left out.
 *
 * The caller provides tree[width * height], of which the first tree[0].nodes
 * entries are set. Returns the last phase. Cost: O(nodes * log(nodes)).
 */
NODISCARD int schedule_tree_order(struct schedule_branch tree[],
                                  struct torus_size size,
                                  struct torus_coord originator,
                                  const struct schedule_circuit circuits[]);

/* Sets circuits[1 .. width * height - 1], which are zeros before. Returns false
   if this torus does not have the schedule. */
typedef bool schedule_fill(struct schedule_circuit circuits[],
                           struct torus_size size);

/* ---- schedules ---- */

/* The default schedule. A torus of 5^k x 5^k, up to 125x125, has the pattern of
   torus/pattern.h. Any other torus up to 125x125 has a tree that a search
   finds. Circuits of one phase never share a link. Cost of the search: below
   0.2 s for 31x31, up to 6 s for 124x125. */
schedule_fill schedule_scatter;

/* The tree that schedule_scatter() searches, around holes: the originator is
   node 0. It reaches every node that can be reached (qemu/schedule/holes.h);
   circuits[] of the others stay 0. Returns false if the originator is dead, if
   there are more than TREE_PHASES_MAX phases, or beyond 125x125. Cost: up to
   eight times that of schedule_scatter(), as holes cost phases or crossings. */
bool schedule_scatter_around(struct schedule_circuit circuits[],
                             const struct schedule_holes *holes);

/* The binomial tree of message-passing libraries. A node's rank is its
   row-major index, counted from the originator. If 2^b is the least power of
   two that is not below the number of nodes, then in phase i each rank that is
   a multiple of 2^(b-i+1) sends to rank + 2^(b-i), if there is such a rank.
   Paths are shortest, x first; a node half way around is reached eastward or
   northward. Circuits of one phase may share links. Cost: O(nodes). */
schedule_fill schedule_binomial;

/* A scatter in waves: in phase i, nodes at i hops from the originator receive,
   each from a neighbour over one link. Parents are chosen from the outermost
   wave inwards, so that subtrees have similar sizes. Cost: a few times O(nodes
   * (width + height)). */
schedule_fill schedule_nearest;

/* A star: the originator itself sends to every node, the nearest first. Each
   circuit leaves through the port with the shortest queue, of those with a
   shortest path that turns at most once. Its phase is its place in this queue.
   Circuits of one phase may share links. Cost: O(nodes * (width + height)). */
schedule_fill schedule_star;

/* The tree that announces a farm's jobs: schedule_scatter, or schedule_nearest
   on a torus that has no scatter. Chunks travel over the circuits of a star. */
schedule_fill schedule_farm;

/*
 * Sets the circuits of a star to the nodes with member[i] set (row-major),
 * which serve one of several originators. The originator's own entry is
 * ignored. The ports' queues become as equal as shortest paths with one turn
 * allow. Cost: O(nodes * (width + height)), plus up to nodes * members for
 * nodes that change their port.
 */
void schedule_group_star(struct schedule_circuit circuits[],
                         struct torus_size size, struct torus_coord originator,
                         const bool member[]);

/* A star around holes, from node 0. Circuits are shortest open paths;
   circuits[] of nodes to which none leads stay 0. */
void schedule_star_around(struct schedule_circuit circuits[],
                          struct torus_size size,
                          const struct schedule_holes *holes);

/* Returns a shortest path from `from` to `to` that turns at most once and is
   open; holes: NULL, or counted as the coordinates are. Of two such paths,
   takes the one through the port with the smaller queued[]. Without such a
   path, or if `to` is `from`, it has 0 hops. */
struct torus_path schedule_shorter_queue(struct torus_size size,
                                         struct torus_coord from,
                                         struct torus_coord to,
                                         const uint32_t queued[TORUS_PORTS],
                                         const struct schedule_holes *holes);

/*
 * Makes a farm of two levels from a stored tree (scatter/plan/tree.h): some
 * nodes become masters, which give chunks to the workers behind them in the
 * tree. Each branch i, of tree[i], gets its server (the originator or a master)
 * and the path from it.
 *
 * The masters are the nodes up to a certain phase, chosen so that the server
 * with most clients has as few as possible. On 25x25 the originator serves 24
 * masters with 24 workers each, 4 masters with 4 workers each, and 4 workers. A
 * tree without masters becomes a farm of one level. The originator also serves
 * nodes to which holes leave their master no path; it has one to every node.
 */
void schedule_farm_masters(uint8_t *stored, const struct schedule_branch tree[],
                           struct torus_size size,
                           const struct schedule_holes *holes);

#endif
