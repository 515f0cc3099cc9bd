/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules: trees of circuits that scatter data from an originator to all
 * nodes of a torus. Each circuit has a sender, a receiver, a phase and a path.
 *
 * A tree is an array in preorder: a node, then the subtrees of its children.
 * Every subtree is therefore contiguous. Children are sorted by phase, then by
 * port. A node sends to its children in this order (scatter/plan/tree.h).
 *
 * Only the host builds trees. The functions below take temporary memory with
 * memory_or_exit() and free it before they return. They keep no state.
 */
#ifndef QEMU_SCHEDULE_TREE_H
#define QEMU_SCHEDULE_TREE_H

#include "hal/nodiscard.h"
#include "torus/torus.h"

#include <stdbool.h>

/* Longest side of a torus that has a schedule, nodes. */
#define SCHEDULE_SIDE_MAX 125u

struct schedule_branch {
    struct torus_coord at;
    uint16_t nodes; /* number of nodes in this subtree, root included */
    uint16_t phase; /* phase (from 1) in which the node receives; 0: root */
    struct torus_path path; /* path from the parent; all 0 for the root */
};

struct schedule_circuit {
    uint32_t from;  /* index of the sending node */
    uint16_t phase; /* phase of the circuit, from 1; 0: no circuit */
    struct torus_path path;
};

/* Returns the number of a node's ports that lead to another node. */
static inline uint32_t schedule_ports(struct torus_size size)
{
    return (size.width > 1 ? 2u : 0u) + (size.height > 1 ? 2u : 0u);
}

/* Returns the index of the next sibling of `index`. After the last sibling,
   returns the index behind the parent's subtree. */
static inline uint32_t schedule_tree_next(const struct schedule_branch tree[],
                                          uint32_t index)
{
    return index + tree[index].nodes;
}

/*
 * Builds the tree from one circuit per node. circuits[i] reaches the node at
 * row-major index i, counted from the originator; circuits[0] is ignored. Each
 * sender must receive in an earlier phase than it sends. Nodes without a
 * circuit are left out.
 *
 * The caller provides tree[width * height]; the first tree[0].nodes entries are
 * filled in. Returns the last phase. Cost: O(nodes * log(nodes)).
 */
NODISCARD int schedule_tree_order(struct schedule_branch tree[],
                                  struct torus_size size,
                                  struct torus_coord originator,
                                  const struct schedule_circuit circuits[]);

/* Sets circuits[1 .. width * height - 1], which the caller has zeroed. Returns
   false if the schedule does not exist for this torus. */
typedef bool schedule_fill(struct schedule_circuit circuits[],
                           struct torus_size size);

/* ---- schedules ---- */

/* The default scatter. A torus of 5^k x 5^k, up to 125x125, uses the pattern of
   torus/pattern.h. Any other torus up to 125x125 uses a tree found by a search.
   Circuits of one phase never share a link. Cost of the search: below 0.2 s on
   31x31, up to 6 s on 124x125. */
schedule_fill schedule_scatter;

/*
 * The binomial tree of message-passing libraries. A node's rank is its
 * row-major index from the originator. Let 2^b be the least power of two that
 * is not below the number of nodes. In phase i, each rank that is a multiple of
 * 2^(b-i+1) sends to rank + 2^(b-i), if that rank exists. Paths are shortest, x
 * first; a node half way around is reached eastward or northward. Circuits of
 * one phase may share links. Cost: O(nodes).
 */
schedule_fill schedule_binomial;

/* Scatter in waves: in phase i, neighbours send over one link each to the nodes
   i hops from the originator. Parents are chosen from the outermost wave
   inwards, so that subtrees have similar sizes. Cost: a few times O(nodes *
   (width + height)). */
schedule_fill schedule_nearest;

/*
 * A star: the originator sends to every node itself, the nearest first. Each
 * circuit leaves through the port with the shortest queue among those with a
 * shortest path of one turn at most. The phase is the position in this port's
 * queue. Circuits of one phase may share links. Cost: O(nodes * (width +
 * height)).
 */
schedule_fill schedule_star;

/* The tree that announces the jobs of a farm: schedule_scatter, or
   schedule_nearest where no scatter exists. The chunks of work travel over the
   circuits of a star. */
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

/* Returns a shortest path with one turn at most to the node at offset `away`,
   through the possible port with the least queued[]. The path has 0 hops if
   `away` is 0. */
struct torus_path schedule_shorter_queue(struct torus_size size,
                                         struct torus_coord away,
                                         const uint32_t queued[TORUS_PORTS]);

/*
 * Turns a stored tree (scatter/plan/tree.h) into a farm of two levels: some
 * nodes become masters, which hand out work to the workers behind them in the
 * tree. Each branch i, at tree[i], gets its server and the path from the
 * server.
 *
 * The masters are the nodes up to a certain phase. This phase is chosen so that
 * the busiest server has as few clients as possible. On 25x25 the originator
 * serves 24 masters with 24 workers each, 4 masters with 4 workers each, and 4
 * workers. A tree without masters becomes a farm of one level.
 */
void schedule_farm_masters(uint8_t *stored, const struct schedule_branch tree[],
                           struct torus_size size);

#endif
