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

/* What a member's subtree takes in that round. */
static inline quad theory_flow_takes(const struct theory_flow *flow,
                                     uint32_t member)
{
    const struct theory_stream *stream = &flow->stream[member];

    return stream->takes * stream->left - stream->less;
}

#endif
