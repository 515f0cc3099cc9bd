/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/flow.h"

#include "qemu/base/memory.h"

#include <stdlib.h>

void theory_flow_make(struct theory_flow *flow,
                      const struct theory_members *members)
{
    *flow = (struct theory_flow){
        .members = members,
        .stream = memory_or_exit(
            calloc(members->end[members->phases], sizeof *flow->stream)),
    };
}

void theory_flow_free(struct theory_flow *flow)
{
    free(flow->stream);
    flow->stream = NULL;
}

void theory_flow_set(struct theory_flow *flow, unsigned phases, quad factor)
{
    const struct theory_members *members = flow->members;

    flow->phases = phases;
    flow->count = members->end[phases];
    flow->factor = factor;
    for (uint32_t i = 0; i < flow->count; ++i) {
        flow->stream[i].takes = 1 / members->member[i].unit_ps;
        flow->stream[i].next_takes = 0;
        flow->stream[i].reach = 1;
    }
    for (uint32_t i = flow->count; i-- > 1;) {
        const struct theory_member *member = &members->member[i];
        struct theory_stream *stream = &flow->stream[i];
        struct theory_stream *before = &flow->stream[member->before];
        quad own = members->times * stream->takes;
        quad takes = stream->next_takes;

        stream->scale = 1 / (1 + factor * member->transfer_ps * stream->takes);
        for (unsigned send = 0; send < members->sends; ++send) {
            takes = stream->scale * (own + takes);
        }
        if (member->first || members->layers) {
            before->takes += takes;
        }
        if (!member->first) {
            before->next_takes += takes;
        }
    }
    for (uint32_t i = 1; i < flow->count; ++i) {
        struct theory_stream *stream = &flow->stream[i];

        stream->reach = flow->stream[members->member[i].before].reach;
        for (unsigned send = 0; send < members->sends; ++send) {
            stream->reach *= stream->scale;
        }
    }
}

/* Units that the sends to a member, and those behind them in the lane, take
   less of the time that the lane has left before them. */
static quad lane_less(const struct theory_stream *stream,
                      const struct theory_members *members)
{
    quad takes = members->times * stream->takes;
    quad less = members->times * stream->less;
    quad lane_takes = stream->next_takes;
    quad lane_less = stream->next_less;

    for (unsigned send = 0; send < members->sends; ++send) {
        lane_less += (takes + lane_takes) * stream->behind + less;
        if (send + 1 < members->sends) {
            lane_takes = stream->scale * (takes + lane_takes);
        }
    }
    return lane_less;
}

/* From the leaves up. */
static void set_less(struct theory_flow *flow, bool last)
{
    const struct theory_members *members = flow->members;

    for (uint32_t i = 0; i < flow->count; ++i) {
        flow->stream[i].less = 0;
        flow->stream[i].next_less = 0;
    }
    for (uint32_t i = flow->count; i-- > 1;) {
        const struct theory_member *member = &members->member[i];
        struct theory_stream *stream = &flow->stream[i];
        struct theory_stream *before = &flow->stream[member->before];
        quad start_ps = last ? member->startup_ps : -stream->moved;
        quad less;

        stream->behind =
            (start_ps - flow->factor * member->transfer_ps * stream->less) *
            stream->scale;
        less = lane_less(stream, members);
        if (member->first || members->layers) {
            before->less += less;
        }
        if (!member->first) {
            before->next_less += less;
        }
    }
}

quad theory_flow_round(struct theory_flow *flow, bool last)
{
    const struct theory_member *members = flow->members->member;
    quad least_ps = 0;

    set_less(flow, last);
    flow->stream[0].left = 0;
    for (uint32_t i = 1; i < flow->count; ++i) {
        struct theory_stream *stream = &flow->stream[i];
        const struct theory_stream *before = &flow->stream[members[i].before];
        quad want_ps = 0;

        stream->left = before->left;
        for (unsigned send = 0; send < flow->members->sends; ++send) {
            stream->left = stream->scale * stream->left - stream->behind;
        }
        if (!last) {
            stream->ahead = members[i].startup_ps + stream->moved +
                            (members[i].first ? 0 : before->ahead);
            want_ps = quad_max(0, stream->ahead);
        }
        want_ps -= stream->left;
        if (want_ps > least_ps * stream->reach) {
            least_ps = want_ps / stream->reach;
        }
    }
    return least_ps;
}

void theory_flow_turn(struct theory_flow *flow, quad left_ps)
{
    const struct theory_member *members = flow->members->member;

    flow->stream[0].left = left_ps;
    for (uint32_t i = 1; i < flow->count; ++i) {
        struct theory_stream *stream = &flow->stream[i];

        stream->left += stream->reach * left_ps;
        stream->moved =
            flow->factor * members[i].transfer_ps * theory_flow_takes(flow, i);
    }
}
