/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One round of a scatter along members (members.h). With the time s that member
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
#ifndef QEMU_THEORY_FLOW_H
#define QEMU_THEORY_FLOW_H

#include "qemu/theory/members.h"

/* Of a member; times in ps. */
struct model_stream {
    quad takes; /* units a ps */
    quad less;  /* units */
    quad scale; /* s_c = scale l - behind */
    quad behind;
    quad next_takes; /* of the sends behind it in its lane, by s_c */
    quad next_less;
    quad reach; /* of the originator's s, in s_c */
    quad left;  /* s_c */
    quad moved; /* m_c; until model_flow_turn() m'_c */
    quad ahead; /* its lane's sends up to it, in the round after */
};

struct model_flow {
    const struct model_members *members; /* outlives it */
    unsigned phases;
    uint32_t count;              /* of members that these activate */
    quad factor;                 /* of the transfer times */
    struct model_stream *stream; /* of each member */
};

/* model_flow_free(). */
void model_flow_make(struct model_flow *flow,
                     const struct model_members *members);
void model_flow_free(struct model_flow *flow);

/* For so many phases, and transfer times `factor` times as long. */
void model_flow_set(struct model_flow *flow, unsigned phases, quad factor);

/*
 * The last round, or the one before that which model_flow_turn() was called for
 * last. Result: the least s of the originator for which nobody has less than
 * no time left (nor receives less than nothing then), and, before the last
 * round, each lane has sent all when its member has its next turn.
 */
quad model_flow_round(struct model_flow *flow, bool last);

/* Everybody's s and m in that round, for this s of the originator. */
void model_flow_turn(struct model_flow *flow, quad left_ps);

/* What a member's subtree takes in that round. */
static inline quad model_flow_takes(const struct model_flow *flow,
                                    uint32_t member)
{
    const struct model_stream *stream = &flow->stream[member];

    return stream->takes * stream->left - stream->less;
}

#endif
