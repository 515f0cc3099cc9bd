/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/flow.h"

#include "qemu/base/memory.h"

#include <stdlib.h>

/* ---- members ---- */

void theory_costs(quad *startup_ps, quad *transfer_ps,
                  const struct theory_input *input, unsigned phase,
                  bool results)
{
    uint32_t stages = input->stages[phase - 1];
    quad times = stages == 0 ? 1 : stages;

    *startup_ps = times * (quad)input->startup_ps[phase - 1];
    *transfer_ps = times * (quad)input->transfer_ps;
    if (results && input->results_denominator != 0) {
        *startup_ps *= 2;
        *transfer_ps += *transfer_ps * input->results_numerator /
                        input->results_denominator;
    }
}

static void set_costs(struct theory_member *member,
                      const struct theory_input *input)
{
    theory_costs(&member->startup_ps, &member->transfer_ps, input,
                 member->phase, true);
}

static uint32_t child_of(const struct theory_members *members, uint32_t parent,
                         unsigned phase, unsigned batch)
{
    return members->end[phase - 1] + members->batches * parent + batch;
}

/* Returns the member to which the parent's lane (flow.h) sends just before this
   batch. Returns the parent itself if the batch is the lane's first send. */
static uint32_t before_of(const struct theory_members *members, uint32_t parent,
                          unsigned phase, unsigned batch)
{
    if (batch >= members->lanes) {
        return child_of(members, parent, phase, batch - members->lanes);
    }
    if (phase == members->member[parent].phase + 1u) {
        return parent;
    }
    return child_of(members, parent, phase - 1,
                    batch + members->batches - members->lanes);
}

static void add_child(struct theory_members *members, uint32_t parent,
                      unsigned phase, unsigned batch)
{
    uint32_t child = child_of(members, parent, phase, batch);
    uint32_t before = before_of(members, parent, phase, batch);

    members->member[child] = (struct theory_member){
        .parent = parent,
        .before = before,
        .phase = (uint8_t)phase,
        .first = before == parent,
        .nodes = members->member[parent].nodes * members->times,
        .unit_ps = members->member[0].unit_ps,
    };
    set_costs(&members->member[child], members->input);
}

static void place(struct theory_members *members,
                  const struct theory_torus *torus)
{
    struct theory_member *member = members->member;

    member[0].node = torus_index(torus->size, torus->originator);
    member[0].unit_ps = (quad)torus->compute_ps[member[0].node];
    for (uint32_t i = 1; i < members->end[members->phases]; ++i) {
        unsigned phase = member[i].phase;
        enum torus_port port =
            (enum torus_port)((i - members->end[phase - 1]) % TORUS_PORTS);
        struct torus_coord from =
            torus_coord_of(torus->size, member[member[i].parent].node);

        member[i].node = torus_index(
            torus->size,
            torus_path_end(torus->size, from,
                           torus_phase_path(torus->size, phase, port)));
        member[i].unit_ps = (quad)torus->compute_ps[member[i].node];
    }
}

void theory_members_layers(struct theory_members *members,
                           const struct theory_input *input,
                           const uint64_t compute_ps[], unsigned ports)
{
    *members = (struct theory_members){
        .input = input,
        .layers = true,
        .ports = ports,
        .phases = input->phases_max,
        .batches = TORUS_PORTS / ports,
        .lanes = 1,
        .times = ports,
        .sends = TORUS_PORTS / ports,
        .member = memory_or_exit(
            calloc(input->phases_max + 1u, sizeof *members->member)),
    };
    for (unsigned i = 0; i <= members->phases; ++i) {
        struct theory_member *member = &members->member[i];

        members->end[i] = i + 1;
        *member = (struct theory_member){
            .parent = i == 0 ? 0 : i - 1,
            .before = i == 0 ? 0 : i - 1,
            .phase = (uint8_t)i,
            .first = i == 1,
            .nodes = theory_layer_nodes(i),
            .unit_ps =
                (quad)(compute_ps == NULL ? input->compute_ps : compute_ps[i]),
        };
        if (i > 0) {
            set_costs(member, input);
        }
    }
}

void theory_members_make(struct theory_members *members,
                         const struct theory_input *input,
                         const struct theory_torus *torus, unsigned ports)
{
    bool alike = torus == NULL;

    *members = (struct theory_members){
        .input = input,
        .torus = torus,
        .ports = ports,
        .phases = input->phases_max,
        .batches = alike ? TORUS_PORTS / ports : TORUS_PORTS,
        .lanes = alike ? 1 : ports,
        .times = alike ? ports : 1,
        .sends = 1,
        .end = {1},
    };
    for (unsigned phase = 1; phase <= members->phases; ++phase) {
        members->end[phase] = members->end[phase - 1] * (1 + members->batches);
    }
    members->member = memory_or_exit(
        calloc(members->end[members->phases], sizeof *members->member));
    members->member[0] =
        (struct theory_member){.nodes = 1, .unit_ps = (quad)input->compute_ps};
    for (unsigned phase = 1; phase <= members->phases; ++phase) {
        for (uint32_t parent = 0; parent < members->end[phase - 1]; ++parent) {
            for (unsigned batch = 0; batch < members->batches; ++batch) {
                add_child(members, parent, phase, batch);
            }
        }
    }
    if (!alike) {
        place(members, torus);
    }
}

void theory_members_free(struct theory_members *members)
{
    free(members->member);
    *members = (struct theory_members){.phases = 0};
}

/* ---- one round ---- */

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

/* Returns the number `less` for the rest of a lane, from a member on: these
   members' subtrees take `lane_takes s - lane_less` units if the lane has s
   picoseconds left. */
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

/* Sets `less` and `behind` of every member's stream, from the leaves up. Both
   are constants of straight lines in time (flow.h). */
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
