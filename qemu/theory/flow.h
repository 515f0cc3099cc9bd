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
#ifndef QEMU_THEORY_FLOW_H
#define QEMU_THEORY_FLOW_H

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

/*
 * One round of a scatter along members. With the time s that member
 * i has left from its turn to its next one, or in the last round to the end,
 * its subtree takes W(s) = takes s - less units. A child c that is served when
 * its parent's lane has l left has
 *
 *   s_c = l - startup_c - m_c      m_c = transfer_c W(s_c), its transfer
 *
 * left, which is also what the lane has left for the next child. In a round
 * before the last one, a child turns as much later than its parent as the
 * circuits ahead of it take now, and has its next turn as much later as they
 * take then: startups cancel, and startup_c becomes -m'_c, the transfer in the
 * round after. So `takes` is the same in every round. (scatter/plan/
 * tree_rounds.h, in integers, adds the boards' software.)
 *
 * Each time left is right to some 2^-108 of the originator's. Time and cost:
 * O(members).
 */
/* A member's times, in ps, and units in one round. */
struct theory_stream {
    quad takes; /* units a ps */
    quad less;  /* units */
    quad scale; /* s_c = scale l - behind */
    quad behind;
    quad next_takes; /* of the sends behind it in its lane, by s_c */
    quad next_less;
    quad reach; /* of the originator's s, in s_c */
    quad left;  /* s_c */
    quad moved; /* m_c; until theory_flow_turn() m'_c */
    quad ahead; /* its lane's sends up to it, in the round after */
};

struct theory_flow {
    const struct theory_members *members; /* outlives it */
    unsigned phases;
    uint32_t count;               /* of members that these activate */
    quad factor;                  /* of the transfer times */
    struct theory_stream *stream; /* of each member */
};

/* theory_flow_free(). */
void theory_flow_make(struct theory_flow *flow,
                      const struct theory_members *members);
void theory_flow_free(struct theory_flow *flow);

/* For so many phases, and transfer times `factor` times as long. */
void theory_flow_set(struct theory_flow *flow, unsigned phases, quad factor);

/*
 * The last round, or the one before that which theory_flow_turn() was called
 * for last. Result: the least s of the originator for which nobody has less
 * than no time left (nor receives less than nothing then), and, before the last
 * round, each lane has sent all when its member has its next turn.
 */
quad theory_flow_round(struct theory_flow *flow, bool last);

/* Everybody's s and m in that round, for this s of the originator. */
void theory_flow_turn(struct theory_flow *flow, quad left_ps);

/* Units that a member's subtree takes in that round. */
static inline quad theory_flow_takes(const struct theory_flow *flow,
                                     uint32_t member)
{
    const struct theory_stream *stream = &flow->stream[member];

    return stream->takes * stream->left - stream->less;
}

#endif
