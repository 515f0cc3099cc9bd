/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scatter's nodes as senders and receivers, one by one where they differ.
 * A member stands for one node, or for several that are treated alike. Each
 * member has 1, 2 or 4 lanes; a lane serves one child after the other. Members
 * are sorted by phase: the first end[N] of them are all that N phases activate,
 * parents come before children, and of one lane the earlier send comes first.
 *
 * With B batches a phase, children of member m in phase i are members end[i-1]
 * + B m to end[i-1] + B m + B - 1 (model_member_of()).
 *
 *   nodes alike, P ports   B = 4 / P   one lane, of which each member has P
 *                                      that do the same: 5^N nodes are (1 +
 *                                      B)^N members
 *   node by node           B = 4       4 lanes, one a port
 */
#ifndef QEMU_MODEL_MEMBERS_H
#define QEMU_MODEL_MEMBERS_H

#include "qemu/model/model.h"

#include <stdbool.h>

struct model_member {
    uint32_t parent;     /* 0 for member 0, the originator */
    uint32_t before;     /* in the parent's lane; the parent for the first */
    uint32_t node;       /* row-major index, if node by node */
    uint8_t phase;       /* that activates it; 0: the originator */
    bool first;          /* in its lane */
    long double nodes;   /* that it stands for */
    long double unit_ps; /* its compute time */
};

struct model_members {
    const struct model_input *input; /* input and torus outlive this */
    const struct model_torus *torus; /* NULL: nodes are alike */
    unsigned ports;                  /* that a node uses at once */
    unsigned phases;                 /* of the torus */
    unsigned batches;
    unsigned lanes;
    unsigned times; /* nodes of a child's kind for each of the parent's */
    uint32_t end[TORUS_PHASES_MAX + 1];
    struct model_member *member; /* end[phases] */
    /* Index: phase. Of a circuit, and of a unit over it. */
    long double startup_ps[TORUS_PHASES_MAX + 1];
    long double transfer_ps[TORUS_PHASES_MAX + 1];
};

/*
 * The members of a torus of up to TORUS_PHASES_MAX phases, node by node if
 * `torus` is not NULL, and else alike. `ports`: 1, 2 or 4. The memory is
 * model_members_free()'s. Cost: O(members), 64 bytes each.
 */
void model_members_make(struct model_members *members,
                        const struct model_input *input,
                        const struct model_torus *torus, unsigned ports);
void model_members_free(struct model_members *members);

#endif
