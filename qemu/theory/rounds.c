/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/flow.h"
#include "qemu/theory/parts.h"
#include "qemu/theory/root.h"
#include "qemu/base/memory.h"

#include <stdlib.h>

#define TIE                                                                    \
    ((quad)1 - 0x1p-90L) /* a makespan below TIE times another is shorter */

struct trial {
    const struct theory_input *input;
    struct theory_flow flow;
    /* originator's time from the last round's begin to the makespan */
    quad last_ps;
    /* originator's time from the first round's begin: the makespan */
    quad all_ps;
};

struct choice {
    unsigned phases;
    unsigned rounds; /* 0: none yet */
    quad last_ps;
    quad all_ps;
};

static quad near_units(const struct trial *trial)
{
    return ((quad)trial->input->load_units + trial->flow.stream[0].less) *
           QUAD_NEAR;
}

/* Plans the flow's round before the current one. Returns the originator's time
   in it, ps: the least feasible time, or last_ps in the last round. */
static quad go_back(struct theory_flow *flow, bool last, quad last_ps)
{
    quad left_ps = theory_flow_round(flow, last);

    left_ps = last ? last_ps : left_ps;
    theory_flow_turn(flow, left_ps);
    return left_ps;
}

/* Returns by how many units all rounds exceed the load, if the originator has
   last_ps in the last round. Sets the makespan. */
static quad beyond(struct trial *trial, unsigned rounds, quad last_ps)
{
    struct theory_flow *flow = &trial->flow;
    quad units = -(quad)trial->input->load_units;

    trial->last_ps = last_ps;
    trial->all_ps = 0;
    for (unsigned r = rounds; r-- > 0;) {
        trial->all_ps += go_back(flow, r + 1 == rounds, last_ps);
        units += theory_flow_takes(flow, 0);
    }
    return units;
}

/* Finds the originator's time in the last round with which all rounds take
   exactly the load. The rounds' sum is piecewise linear in this time, and
   root.h finds where it is the load. Returns false if the rounds always take
   more. */
static bool solve(struct trial *trial, unsigned rounds)
{
    struct root root = {.low = theory_flow_round(&trial->flow, true),
                        .near = QUAD_NEAR};
    quad at_ps;
    quad more;

    root.below = beyond(trial, rounds, root.low);
    if (root.below >= 0) {
        return root.below <= near_units(trial);
    }
    at_ps = root.low - root.below / trial->flow.stream[0].takes;
    more = beyond(trial, rounds, at_ps);
    for (unsigned i = 0; more > near_units(trial) || -more > near_units(trial);
         ++i) {
        root_set(&root, at_ps, more);
        if (!root_open(&root, i)) {
            beyond(trial, rounds, root.high);
            break;
        }
        at_ps = root_next(&root, i);
        more = beyond(trial, rounds, at_ps);
    }
    return true;
}

/* Makes the trial the choice if its makespan is smaller. Of equal makespans,
   fewer rounds win, then more phases. */
static void choose(struct choice *choice, const struct trial *trial,
                   unsigned rounds)
{
    bool better = choice->rounds == 0 || trial->all_ps < choice->all_ps * TIE;
    bool tie = !better && trial->all_ps * TIE < choice->all_ps;

    if (better || (tie && rounds <= choice->rounds)) {
        choice->phases = trial->flow.phases;
        choice->rounds = rounds;
        choice->last_ps = trial->last_ps;
        choice->all_ps = trial->all_ps;
    }
}

/* Tries all allowed numbers of phases with `least` to `most` rounds. Several
   rounds need at least one phase. Returns the largest number of rounds that is
   feasible. */
static unsigned search(struct trial *trial, struct choice *choice,
                       unsigned least, unsigned most)
{
    const struct theory_input *input = trial->input;
    unsigned first = input->phases_fixed ? input->phases_want : 0;
    unsigned last = input->phases_fixed ? first : input->phases_max;
    unsigned largest = 0;

    for (unsigned phases = first; phases <= last && phases <= input->phases_max;
         ++phases) {
        theory_flow_set(&trial->flow, phases, 1);
        for (unsigned rounds = least; rounds <= (phases == 0 ? 1 : most);
             ++rounds) {
            if (!solve(trial, rounds)) {
                break; /* more rounds take even more units */
            }
            choose(choice, trial, rounds);
            largest = rounds > largest ? rounds : largest;
        }
    }
    return largest;
}

static unsigned largest_phases(struct trial *trial, unsigned rounds)
{
    unsigned phases = trial->input->phases_max;

    for (; phases > 0; --phases) {
        theory_flow_set(&trial->flow, phases, 1);
        if (solve(trial, rounds)) {
            break;
        }
    }
    return phases;
}

/* ---- the parts of rounds ---- */

void theory_parts_round(struct theory_part part[], quad turn_ps[],
                        const struct theory_flow *flow, quad times, quad near)
{
    const struct theory_member *members = flow->members->member;

    part[0] =
        theory_part_make(1,
                         times * (theory_flow_takes(flow, 0) -
                                  flow->stream[0].left / members->unit_ps),
                         0, near, 0);
    for (uint32_t i = 1; i < flow->count; ++i) {
        const struct theory_member *member = &members[i];
        quad volume = times * theory_flow_takes(flow, i);
        quad startup_ps;
        quad transfer_ps;

        theory_costs(&startup_ps, &transfer_ps, flow->members->input,
                     member->phase, false);
        turn_ps[i] =
            turn_ps[member->before] + startup_ps + transfer_ps * volume;
        part[i] = theory_part_make(
            member->nodes, volume,
            times * flow->stream[i].left / member->unit_ps, near, turn_ps[i]);
    }
}

static void set_averages(struct theory_detail *detail,
                         const struct theory_flow *flow, unsigned rounds)
{
    const struct theory_member *members = flow->members->member;
    unsigned layers = flow->phases + 1;

    if (!detail->by_member) {
        return;
    }
    detail->average = memory_or_exit(
        calloc((size_t)rounds * layers, sizeof *detail->average));
    for (uint32_t at = 0; at < rounds * flow->count; ++at) {
        const struct theory_part *part = &detail->part[at];
        unsigned phase = members[at % flow->count].phase;
        struct theory_part *layer =
            &detail->average[at / flow->count * layers + phase];
        double nodes = (double)part->nodes / (double)theory_layer_nodes(phase);

        if (layer->nodes == 0 || part->end_ps < layer->end_ps) {
            layer->end_ps = part->end_ps;
        }
        layer->nodes += part->nodes;
        layer->volume_units += nodes * part->volume_units;
        layer->share_units += nodes * part->share_units;
    }
}

int theory_parts_finish(struct theory_plan *plan, struct theory_detail *detail,
                        const struct theory_flow *flow, quad all_ps, quad near)
{
    uint64_t load_units = flow->members->input->load_units;
    quad unit_ps = flow->members->member[0].unit_ps;

    detail->part[0].share_units = (double)(all_ps / unit_ps);
    detail->part[0].share_floor = quad_floor(all_ps / unit_ps, near);
    set_averages(detail, flow, plan->rounds);
    theory_parts_add(plan, detail);
    plan->layer[0].volume_units = (double)load_units;
    theory_parts_floors(detail, plan, load_units);
    return theory_makespan(plan, all_ps, (quad)load_units * unit_ps);
}

/* ---- one round of equal nodes with fewer ports ---- */

/* Nodes that have equal time left after a phase: those that the phase reached
   last, and their parents. */
struct holders {
    quad left_ps;
    uint64_t nodes;
};

/* Returns the time, ps, that a node reached in phase i has left at its receipt,
   if its parent's lane has `left_ps` when the circuit begins. */
static quad after(const struct theory_flow *flow, unsigned i, quad left_ps)
{
    return flow->stream[i].scale * left_ps - flow->stream[i].behind;
}

static struct theory_part part_of(const struct theory_flow *flow, unsigned i,
                                  quad left_ps, quad near)
{
    const struct theory_stream *stream = &flow->stream[i];

    return theory_part_make(1, stream->takes * left_ps - stream->less,
                            left_ps / flow->members->member[i].unit_ps, near,
                            flow->stream[0].left - left_ps);
}

static void set_layers(struct theory_plan *plan, const struct theory_flow *flow,
                       quad near)
{
    unsigned batches = flow->members->batches;
    quad average_ps = flow->stream[0].left;
    quad first_ps = average_ps;

    plan->layer[0] = part_of(flow, 0, average_ps, near);
    for (unsigned i = 1; i <= plan->phases; ++i) {
        quad children_ps = 0;

        first_ps = after(flow, i, first_ps);
        for (unsigned batch = 0; batch < batches; ++batch) {
            average_ps = after(flow, i, average_ps);
            children_ps += average_ps;
        }
        children_ps /= batches;
        plan->layer[i] = part_of(flow, i, children_ps, near);
        plan->layer[i].end_ps = part_of(flow, i, first_ps, near).end_ps;
        average_ps = (average_ps + 4 * children_ps) / 5;
    }
}

/* Sets the groups of layer i. A group's nodes have equal parts: one batch of
   the phase reaches them, from parents with equal time left. Groups are set one
   after the other. */
static void set_groups(struct theory_detail *detail, struct holders holders[],
                       const struct theory_flow *flow, unsigned i, quad near)
{
    unsigned batches = detail->batches;
    uint32_t first = detail->first[i];

    for (uint32_t at = first; at < detail->first[i + 1]; ++at) {
        unsigned batch = (at - first) % batches;
        const struct holders *parents =
            &holders[detail->first[i - 1] + (at - first) / batches];
        uint64_t nodes = parents->nodes * flow->members->ports;
        quad left_ps = batch > 0 ? holders[at - 1].left_ps : parents->left_ps;

        left_ps = after(flow, i, left_ps);
        detail->part[at] = part_of(flow, i, left_ps, near);
        detail->part[at].nodes = nodes;
        nodes += batch + 1 == batches ? parents->nodes : 0;
        holders[at] = (struct holders){left_ps, nodes};
    }
}

static void set_all_groups(struct theory_plan *plan,
                           struct theory_detail *detail,
                           const struct theory_flow *flow, quad near)
{
    unsigned batches = flow->members->batches;
    uint64_t groups = 1;
    struct holders *holders;

    set_layers(plan, flow, near);
    for (unsigned i = 0; i < plan->phases; ++i) {
        groups = groups * batches + 1;
    }
    if (groups > THEORY_GROUPS_MAX) {
        return;
    }
    theory_detail_make(detail, false, batches, plan);
    holders = memory_or_exit(calloc(groups, sizeof *holders));
    holders[0] = (struct holders){flow->stream[0].left, 1};
    detail->part[0] = part_of(flow, 0, holders[0].left_ps, near);
    for (unsigned i = 1; i <= plan->phases; ++i) {
        set_groups(detail, holders, flow, i, near);
    }
    free(holders);
}

/* ---- the plan ---- */

static void set_detail(struct theory_detail *detail, struct trial *trial,
                       const struct theory_plan *plan)
{
    struct theory_flow *flow = &trial->flow;
    quad *turn_ps = memory_or_exit(calloc(flow->count, sizeof *turn_ps));

    theory_detail_make(detail, !flow->members->layers, flow->members->batches,
                       plan);
    turn_ps[0] = trial->all_ps;
    for (unsigned r = plan->rounds; r-- > 0;) {
        turn_ps[0] -= go_back(flow, r + 1u == plan->rounds, trial->last_ps);
        theory_parts_round(&detail->part[r * flow->count], turn_ps, flow, 1,
                           near_units(trial));
    }
    free(turn_ps);
}

/* Plans one round for nodes that use fewer than four ports at once. Each group
   of nodes that receive at equal times has a part. */
static int single_round(struct theory_plan *plan, struct theory_detail *detail,
                        const struct theory_members *members, unsigned phases)
{
    struct theory_input single = *members->input;
    struct theory_members layers;
    int error;

    single.phases_fixed = 1;
    single.phases_want = (uint8_t)phases;
    theory_members_layers(&layers, &single, NULL, members->ports);
    error = theory_plan_members(plan, detail, &layers, 1);
    theory_members_free(&layers);
    return error;
}

static int find_plan(struct theory_plan *plan, struct theory_detail *detail,
                     struct trial *trial, unsigned rounds)
{
    const struct theory_members *members = trial->flow.members;
    struct choice choice = {.rounds = 0};
    quad alone_ps = (quad)trial->input->load_units * members->member[0].unit_ps;

    search(trial, &choice, rounds == 0 ? 1 : rounds,
           rounds == 0 ? THEORY_ROUNDS_AUTO_MAX : rounds);
    if (choice.rounds == 0) {
        if (rounds > 1) {
            plan->rounds_feasible =
                (uint8_t)search(trial, &choice, 1, THEORY_ROUNDS_MAX);
        }
        plan->phases_feasible = (uint8_t)largest_phases(trial, 1);
        return ERR_PHASES;
    }
    if (choice.rounds == 1 && members->torus == NULL && !members->layers) {
        return single_round(plan, detail, members, choice.phases);
    }
    plan->phases_feasible = (uint8_t)largest_phases(trial, choice.rounds);
    plan->phases = (uint8_t)choice.phases;
    plan->rounds = (uint8_t)choice.rounds;
    theory_flow_set(&trial->flow, choice.phases, 1);
    beyond(trial, choice.rounds, choice.last_ps);
    if (members->sends == 1) {
        set_detail(detail, trial, plan);
        return theory_parts_finish(plan, detail, &trial->flow, trial->all_ps,
                                   near_units(trial));
    }
    set_all_groups(plan, detail, &trial->flow, near_units(trial));
    if (detail->part != NULL) {
        theory_parts_floors(detail, plan, trial->input->load_units);
    }
    return theory_makespan(plan, choice.all_ps, alone_ps);
}

int theory_plan_members(struct theory_plan *plan, struct theory_detail *detail,
                        const struct theory_members *members, unsigned rounds)
{
    struct trial trial = {.input = members->input};
    int error = theory_check(plan, members->input);

    *detail = (struct theory_detail){.part = NULL};
    if (error != ERR_OK) {
        return error;
    }
    theory_flow_make(&trial.flow, members);
    error = find_plan(plan, detail, &trial, rounds);
    theory_flow_free(&trial.flow);
    if (error != ERR_OK) {
        theory_detail_free(detail);
    }
    return error;
}

int theory_plan(struct theory_plan *plan, const struct theory_input *input)
{
    struct theory_members members;
    struct theory_detail detail;
    int error = theory_check(plan, input);

    if (error != ERR_OK) {
        return error;
    }
    theory_members_layers(&members, input, NULL, TORUS_PORTS);
    error = theory_plan_members(plan, &detail, &members, 1);
    theory_detail_free(&detail);
    theory_members_free(&members);
    return error;
}
