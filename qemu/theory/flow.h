/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scatter's nodes as a tree of senders and receivers. A member stands for
 * one node, or for several nodes with equal times. A lane is a port of a
 * member, or several ports that work alike: it serves one child after the
 * other, and a member's lanes work at once. A batch is the send of one lane in
 * one phase.
 *
 * Members are sorted by phase: the first end[N] members are those that N phases
 * activate. Parents come before children, and earlier sends of a lane before
 * later ones. There are three ways to make members, with B batches a phase and
 * P ports that a node uses at once:
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
    /* index of the member that sends to this one; 0 for member 0 */
    uint32_t parent;
    /* member that the same lane serves just before; else the parent */
    uint32_t before;
    /* row-major index of the node, if members are made node by node */
    uint32_t node;
    /* phase that reaches the member; 0: member 0, the originator */
    uint8_t phase;
    bool first; /* true: the member is the first child that its lane serves */
    uint64_t nodes;   /* number of nodes that the member stands for */
    quad unit_ps;     /* compute time of a unit */
    quad startup_ps;  /* startup of the circuit to the member */
    quad transfer_ps; /* transfer time of a unit over that circuit */
};

struct theory_members {
    /* both pointers must outlive this struct */
    const struct theory_input *input;
    const struct theory_torus *torus;
    bool layers;     /* true: one member a layer */
    unsigned ports;  /* ports that a node uses at once */
    unsigned phases; /* phases of the torus */
    unsigned batches;
    unsigned lanes;
    unsigned times; /* number of a member's lanes that work alike */
    /* number of sends of a lane to each child, one after the other */
    unsigned sends;
    uint32_t end[THEORY_PHASES_MAX + 1];
    struct theory_member *member; /* end[phases] members */
};

/* Sets the startup, ps, and a unit's transfer time, ps, of a circuit of a
   phase. Both are multiplied by the number of hops if nodes store and forward.
   `results` is true to add the cost of a result's return. */
void theory_costs(quad *startup_ps, quad *transfer_ps,
                  const struct theory_input *input, unsigned phase,
                  bool results);

/* Makes the members of a torus, one member a layer. compute_ps[i] is layer i's
   compute time of a unit, up to layer phases_max; NULL: the input's compute
   time. A node uses 1, 2 or 4 `ports` at once. With fewer than 4, a lane sends
   4 / ports times in each phase, and nodes of a layer receive at different
   times. A member then stands for the nodes that are reached last, and only one
   round can be planned. Costs include the input's results. The caller calls
   theory_members_free(). */
void theory_members_layers(struct theory_members *members,
                           const struct theory_input *input,
                           const uint64_t compute_ps[], unsigned ports);

/* Makes the members of a torus of up to TORUS_PHASES_MAX phases: one member a
   node, or if `torus` is NULL one member for all nodes with equal plans. A node
   uses 1, 2 or 4 `ports` at once. The caller calls theory_members_free(). Cost:
   O(members), 80 bytes each. */
void theory_members_make(struct theory_members *members,
                         const struct theory_input *input,
                         const struct theory_torus *torus, unsigned ports);
void theory_members_free(struct theory_members *members);

/*
 * Plans one round of a scatter along members. Symbols:
 *   s_c       time from member c's receipt of this round's volume until its
 *             next receipt, or in the last round until the makespan
 *   W_c(s_c)  units that c and all members below it take in the round; a
 *             straight line: takes s_c - less
 *   m_c       transfer time of these units; m'_c: in the next round
 *
 * If the parent's lane has time l left when it begins to serve child c, then
 *
 *   s_c = l - startup_c - m_c      m_c = transfer_c W_c(s_c)
 *
 * is the child's time left, and also the lane's for its next child. In a round
 * before the last one, circuits that the lane serves before child c delay both
 * of the child's receipts, this round's and the next one's. Startups thus
 * cancel: -m'_c replaces startup_c. So `takes` is equal in all rounds.
 * (scatter/plan/tree_rounds.h, in integers, adds the time of the boards'
 * software.)
 *
 * Each s_c has an error of some 2^-108 of the originator's. Time and cost:
 * O(members).
 */
/* Times, ps, and units of one member c in one round. s is the time from c's
   receipt to its next receipt, or in the last round to the makespan. */
struct theory_stream {
    quad takes; /* c and the members below it get takes s - less units */
    quad less;
    /* s is scale l - behind if the lane has l left before the send */
    quad scale;
    quad behind;
    /* members after c in its lane get next_takes s - next_less */
    quad next_takes;
    quad next_less;
    quad reach; /* growth of s for each ps more of the originator's s */
    quad left;  /* s, the time left, in the planned round */
    /* transfer time of the units that c gets in the next round; after
       theory_flow_turn(), in this round */
    quad moved;
    quad ahead; /* duration of the lane's sends up to c's, in the next round */
};

struct theory_flow {
    const struct theory_members *members;
    unsigned phases;
    uint32_t count; /* number of members that the plan's phases activate */
    quad factor;    /* all transfer times are multiplied by this */
    struct theory_stream *stream;
};

void theory_flow_make(struct theory_flow *flow,
                      const struct theory_members *members);
void theory_flow_free(struct theory_flow *flow);

void theory_flow_set(struct theory_flow *flow, unsigned phases, quad factor);

/* Plans the last round, or the round before the one of the last call of
   theory_flow_turn(). Returns the least time from this round to the next, or to
   the makespan, that the originator can have. With it no member has negative
   time or negative units, and each lane ends its sends before its member begins
   the next round. */
quad theory_flow_round(struct theory_flow *flow, bool last);

/* Sets `left` and `moved` of all members' streams for the planned round, if the
   originator has left_ps until the next round. */
void theory_flow_turn(struct theory_flow *flow, quad left_ps);

/* Returns the units that a member and all members below it take in the planned
   round. */
static inline quad theory_flow_takes(const struct theory_flow *flow,
                                     uint32_t member)
{
    const struct theory_stream *stream = &flow->stream[member];

    return stream->takes * stream->left - stream->less;
}

#endif
