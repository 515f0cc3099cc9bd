/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scatter's nodes as senders and receivers. A member stands for one node,
 * or for several nodes with equal times. A member sends in lanes, which work at
 * once; a lane serves one child after the other. Members are sorted by phase: N
 * phases activate the first end[N] members. Parents come before children, and
 * earlier sends of a lane before later ones.
 *
 *   layers          one member a layer. All nodes of layers 0 .. j - 1 serve
 *                   layer j alike, so member j is the first in the lanes of
 *                   member j - 1 and follows it in those of its parent
 *   P ports alike   B = 4 / P batches a phase, and P equal lanes a member;
 *                   5^N nodes are (1 + B)^N members
 *   node by node    one member a node; B = 4, and a lane for each port
 *
 * In the last two cases, the children of member m in phase i are members
 * end[i-1] + B m to end[i-1] + B m + B - 1.
 */
#ifndef QEMU_THEORY_FLOW_H
#define QEMU_THEORY_FLOW_H

#include "qemu/theory/model.h"
#include "qemu/base/quad.h"

#include <stdbool.h>

struct theory_member {
    uint32_t parent;  /* 0 for member 0, the originator */
    uint32_t before;  /* earlier member of the lane, or the parent */
    uint32_t node;    /* row-major index, if node by node */
    uint8_t phase;    /* phase that reaches the member; 0: originator */
    bool first;       /* the first child that its parent's lane serves */
    uint64_t nodes;   /* number of nodes that the member stands for */
    quad unit_ps;     /* compute time of a unit */
    quad startup_ps;  /* startup of the circuit to the member */
    quad transfer_ps; /* transfer of a unit over that circuit */
};

struct theory_members {
    const struct theory_input *input; /* input and torus outlive the members */
    const struct theory_torus *torus; /* NULL: all nodes are alike */
    bool layers;                      /* one member a layer */
    unsigned ports;                   /* ports that a node uses at once */
    unsigned phases;                  /* phases of the torus */
    unsigned batches;
    unsigned lanes;
    unsigned times; /* number of equal lanes */
    unsigned sends; /* consecutive sends of a lane to each child */
    uint32_t end[THEORY_PHASES_MAX + 1];
    struct theory_member *member; /* end[phases] members */
};

/* Sets the startup and a unit's transfer time, in ps, for a circuit of a phase.
   Both are multiplied by the hops where nodes store and forward. `results` adds
   the result's return. */
void theory_costs(quad *startup_ps, quad *transfer_ps,
                  const struct theory_input *input, unsigned phase,
                  bool results);

/*
 * Makes a torus's members, one a layer. compute_ps[0 .. phases_max] holds each
 * layer's time for a unit; NULL: the input's. `ports` is 1, 2 or 4. With fewer
 * than 4, a lane sends 4 / ports times in each phase. Nodes of a layer then
 * differ, a member's time left until the end is that of the nodes reached last,
 * and only one round can be planned. Costs include the input's results. The
 * caller calls theory_members_free().
 */
void theory_members_layers(struct theory_members *members,
                           const struct theory_input *input,
                           const uint64_t compute_ps[], unsigned ports);

/*
 * Makes the members of a torus of up to TORUS_PHASES_MAX phases: node by node,
 * or with equal nodes if `torus` is NULL. `ports` is 1, 2 or 4. The caller
 * calls theory_members_free(). Cost: O(members), 80 bytes each.
 */
void theory_members_make(struct theory_members *members,
                         const struct theory_input *input,
                         const struct theory_torus *torus, unsigned ports);
void theory_members_free(struct theory_members *members);

/*
 * Plans one round of a scatter along members. Member i has time s left from the
 * moment at which it gets the round's load until its next one, or in the last
 * round until the end. Its subtree takes W(s) = takes s - less units. If the
 * parent's lane has time l left when it begins to serve child c, the child has
 *
 *   s_c = l - startup_c - m_c      m_c = transfer_c W(s_c), its transfer
 *
 * left, and so has the lane for the next child. In a round before the last one,
 * circuits ahead of a child delay both of its receipts, this round's and the
 * next one's. Startups thus cancel: -m'_c, with the next round's transfer m'_c,
 * replaces startup_c. So `takes` is equal in all rounds.
 * (scatter/plan/tree_rounds.h, in integers, adds the boards' software.)
 *
 * Each time left has an error of some 2^-108 of the originator's. Time and
 * cost: O(members).
 */
/* A member's times, in ps, and units in one round. s_c is the time from its
   receipt to the next one, or to the end. */
struct theory_stream {
    quad takes; /* its subtree gets takes s_c - less units */
    quad less;
    quad scale; /* s_c is scale times the lane's time left, less behind */
    quad behind;
    quad next_takes; /* members after it in its lane: units a ps of s_c */
    quad next_less;
    quad reach; /* s_c grows by this for each ps of the originator's s */
    quad left;  /* s_c */
    quad moved; /* its transfer; the next round's until theory_flow_turn() */
    quad ahead; /* next round: time of the lane's sends up to the member's */
};

struct theory_flow {
    const struct theory_members *members; /* outlives the flow */
    unsigned phases;
    uint32_t count;               /* members that the phases activate */
    quad factor;                  /* factor of the transfer times */
    struct theory_stream *stream; /* one stream for each member */
};

void theory_flow_make(struct theory_flow *flow,
                      const struct theory_members *members);
void theory_flow_free(struct theory_flow *flow);

void theory_flow_set(struct theory_flow *flow, unsigned phases, quad factor);

/*
 * Computes the last round, or the round before the one of the last
 * theory_flow_turn(). Returns the originator's least time until the next round
 * or the end with which no member has negative time or gets negative units, and
 * each lane has sent all when its member begins the next round, if any.
 */
quad theory_flow_round(struct theory_flow *flow, bool last);

/* Sets `left` and `moved` of all members' streams in the computed round, if the
   originator has left_ps until the next round. */
void theory_flow_turn(struct theory_flow *flow, quad left_ps);

/* Returns the units that a member's subtree takes in the computed round. */
static inline quad theory_flow_takes(const struct theory_flow *flow,
                                     uint32_t member)
{
    const struct theory_stream *stream = &flow->stream[member];

    return stream->takes * stream->left - stream->less;
}

#endif
