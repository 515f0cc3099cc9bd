/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/flow.h"

#include "qemu/support/memory.h"

#include <math.h>
#include <stdlib.h>

void model_flow_make(struct model_flow *flow,
                     const struct model_members *members)
{
    *flow = (struct model_flow){
        .members = members,
        .stream = memory_or_exit(
            calloc(members->end[members->phases], sizeof *flow->stream)),
    };
}

void model_flow_free(struct model_flow *flow)
{
    free(flow->stream);
    flow->stream = NULL;
}

static long double transfer_ps(const struct model_flow *flow, uint32_t member)
{
    const struct model_members *members = flow->members;

    return flow->factor * members->transfer_ps[members->member[member].phase];
}

void model_flow_set(struct model_flow *flow, unsigned phases,
                    long double factor)
{
    const struct model_members *members = flow->members;

    flow->phases = phases;
    flow->count = members->end[phases];
    flow->factor = factor;
    for (uint32_t i = 0; i < flow->count; ++i) {
        flow->stream[i].takes = 1 / members->member[i].unit_ps;
        flow->stream[i].next_takes = 0;
    }
    flow->stream[0].reach = 1;
    for (uint32_t i = flow->count; i-- > 1;) {
        const struct model_member *member = &members->member[i];
        struct model_stream *stream = &flow->stream[i];
        struct model_stream *before = &flow->stream[member->before];
        long double takes;

        stream->scale = 1 / (1 + transfer_ps(flow, i) * stream->takes);
        takes = stream->scale *
                (members->times * stream->takes + stream->next_takes);
        if (member->first) {
            before->takes += takes;
        } else {
            before->next_takes += takes;
        }
    }
    for (uint32_t i = 1; i < flow->count; ++i) {
        flow->stream[i].reach = flow->stream[members->member[i].before].reach *
                                flow->stream[i].scale;
    }
}

static long double startup_ps(const struct model_flow *flow, uint32_t member)
{
    const struct model_members *members = flow->members;

    return members->startup_ps[members->member[member].phase];
}

/* From the leaves up. */
static void set_less(struct model_flow *flow, bool last)
{
    for (uint32_t i = 0; i < flow->count; ++i) {
        flow->stream[i].less = 0;
        flow->stream[i].next_less = 0;
    }
    for (uint32_t i = flow->count; i-- > 1;) {
        const struct model_member *member = &flow->members->member[i];
        struct model_stream *stream = &flow->stream[i];
        struct model_stream *before = &flow->stream[member->before];
        long double times = flow->members->times;
        long double start_ps = last ? startup_ps(flow, i) : -stream->moved;
        long double less;

        stream->behind =
            (start_ps - transfer_ps(flow, i) * stream->less) * stream->scale;
        less = (times * stream->takes + stream->next_takes) * stream->behind +
               times * stream->less + stream->next_less;
        if (member->first) {
            before->less += less;
        } else {
            before->next_less += less;
        }
    }
}

long double model_flow_round(struct model_flow *flow, bool last)
{
    const struct model_member *members = flow->members->member;
    long double least_ps = 0;

    set_less(flow, last);
    flow->stream[0].left = 0;
    for (uint32_t i = 1; i < flow->count; ++i) {
        struct model_stream *stream = &flow->stream[i];
        const struct model_stream *before = &flow->stream[members[i].before];
        long double want_ps = 0;

        stream->left = stream->scale * before->left - stream->behind;
        if (!last) {
            stream->ahead = startup_ps(flow, i) + stream->moved +
                            (members[i].first ? 0 : before->ahead);
            want_ps = fmaxl(0, stream->ahead);
        }
        least_ps = fmaxl(least_ps, (want_ps - stream->left) / stream->reach);
    }
    return least_ps;
}

void model_flow_turn(struct model_flow *flow, long double left_ps)
{
    flow->stream[0].left = left_ps;
    for (uint32_t i = 1; i < flow->count; ++i) {
        struct model_stream *stream = &flow->stream[i];

        stream->left += stream->reach * left_ps;
        stream->moved = transfer_ps(flow, i) * model_flow_takes(flow, i);
    }
}
