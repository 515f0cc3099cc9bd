/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scatter's nodes as senders and receivers. A member stands for one node,
 * or for several nodes with the same times. Each member has lanes; a lane
 * serves one child after the other. Members are sorted by phase: N phases
 * activate the first end[N] of them. Parents come before children, and of one
 * lane the earlier send comes first.
 *
 *   layers          one member a layer. A node of layer j sends phases j + 1 ..
 *                   N as each node before it does, so member j is the first in
 *                   member j - 1's lanes, and follows it in its parent's
 *   P ports alike   B = 4 / P batches a phase; a member has P lanes that do the
 *                   same: 5^N nodes are (1 + B)^N members
 *   node by node    B = 4, 4 lanes, one a port
 *
 * In the last two, children of member m in phase i are members end[i-1] + B m
 * to end[i-1] + B m + B - 1.
 */
#ifndef QEMU_THEORY_MEMBERS_H
#define QEMU_THEORY_MEMBERS_H

#include "qemu/theory/model.h"
#include "qemu/base/quad.h"

#include <stdbool.h>

struct theory_member {
    uint32_t parent;  /* 0 for member 0, the originator */
    uint32_t before;  /* in the parent's lane; the parent for the first */
    uint32_t node;    /* row-major index, if node by node */
    uint8_t phase;    /* of its receipt; 0: the originator */
    bool first;       /* in its lane */
    uint64_t nodes;   /* that it stands for */
    quad unit_ps;     /* compute time of a unit */
    quad startup_ps;  /* of the circuit to it */
    quad transfer_ps; /* of a unit over that circuit */
};

struct theory_members {
    const struct theory_input *input; /* input and torus outlive this */
    const struct theory_torus *torus; /* NULL: nodes are alike */
    bool layers;                      /* one member a layer */
    unsigned ports;                   /* that a node uses at once */
    unsigned phases;                  /* of the torus */
    unsigned batches;
    unsigned lanes;
    unsigned times; /* lanes that do the same */
    unsigned sends; /* of a lane to each child, one after the other */
    uint32_t end[THEORY_PHASES_MAX + 1];
    struct theory_member *member; /* end[phases] */
};

/* Times in ps of phase i's circuit and of a unit over it, each over all hops
   where nodes store and forward; with `results` those of its return, too. */
void theory_costs(quad *startup_ps, quad *transfer_ps,
                  const struct theory_input *input, unsigned phase,
                  bool results);

/*
 * Members of a torus, one a layer; compute_ps[0 .. phases_max]: of each layer,
 * or NULL for the input's. `ports`: 1, 2 or 4. With fewer than 4 a lane sends 4
 * / ports times in each phase. Nodes of a layer differ then, a member's time
 * left is that of the nodes reached last, and only one round can be planned.
 * Costs include the input's results. phases_max: up to THEORY_PHASES_MAX. The
 * caller calls theory_members_free().
 */
void theory_members_layers(struct theory_members *members,
                           const struct theory_input *input,
                           const uint64_t compute_ps[], unsigned ports);

/*
 * Members of a torus of up to TORUS_PHASES_MAX phases, node by node if `torus`
 * is not NULL, and else alike. `ports`: 1, 2 or 4. The memory is
 * theory_members_free()'s. Cost: O(members), 80 bytes each.
 */
void theory_members_make(struct theory_members *members,
                         const struct theory_input *input,
                         const struct theory_torus *torus, unsigned ports);
void theory_members_free(struct theory_members *members);

#endif
