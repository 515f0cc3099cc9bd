/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/member_rounds.h"

#include "qemu/model/exact.h"
#include "qemu/support/memory.h"

#include <stdlib.h>
#include <string.h>

#define TRIALS 200          /* of the last round's s; some ten are enough */
#define FLOOR_NEAR 0x1p-30L /* unit; so much below an integer counts as it */
#define TIE (1 - 0x1p-90L)  /* a plan ends earlier if it does by this part */

/* Plans of one number of phases. */
struct trial {
    const struct model_input *input;
    struct model_flow flow;
    quad last_ps; /* the originator's s in the last round */
    quad all_ps;  /* in all rounds: the makespan */
};

/* The best that was found so far. */
struct choice {
    unsigned phases;
    unsigned rounds; /* 0: nothing yet */
    quad last_ps;
    quad all_ps;
};

static quad load_of(const struct trial *trial)
{
    return (quad)trial->input->load_units;
}

/* Units that only rounding makes. */
static quad near_of(const struct trial *trial)
{
    return (load_of(trial) + trial->flow.stream[0].less) * QUAD_NEAR;
}

/* What so many rounds take, and how long, for this s of the originator in the
   last one. */
static quad taken(struct trial *trial, unsigned rounds, quad last_ps)
{
    struct model_flow *flow = &trial->flow;
    quad units = 0;

    trial->last_ps = last_ps;
    trial->all_ps = 0;
    for (unsigned r = rounds; r-- > 0;) {
        bool last = r + 1 == rounds;
        quad left_ps = model_flow_round(flow, last);

        left_ps = last ? last_ps : left_ps;
        model_flow_turn(flow, left_ps);
        units += model_flow_takes(flow, 0);
        trial->all_ps += left_ps;
    }
    return units;
}

/*
 * Looks for the s of the last round with which all rounds take the load: the
 * sum is piecewise linear, so the secant between two ends arrives, and halves
 * see to it that both ends move. False if the rounds take more at least.
 */
static bool solve(struct trial *trial, unsigned rounds)
{
    quad low_ps = model_flow_round(&trial->flow, true);
    quad low = taken(trial, rounds, low_ps) - load_of(trial);
    quad high_ps;
    quad high;

    if (low >= 0) {
        return low <= near_of(trial);
    }
    high_ps = low_ps - low / trial->flow.stream[0].takes;
    high = taken(trial, rounds, high_ps) - load_of(trial);
    for (unsigned i = 0; i < TRIALS && high_ps - low_ps > high_ps * QUAD_NEAR;
         ++i) {
        quad part = i % 3 == 2 ? 0.5L : low / (low - high);
        quad at_ps = low_ps + part * (high_ps - low_ps);
        quad more = taken(trial, rounds, at_ps) - load_of(trial);

        if (more <= near_of(trial) && -more <= near_of(trial)) {
            return true;
        }
        if (more < 0) {
            low_ps = at_ps;
            low = more;
        } else {
            high_ps = at_ps;
            high = more;
        }
    }
    taken(trial, rounds, high_ps);
    return true;
}

/* Ties go to fewer rounds, then to more phases. */
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

/* All numbers of phases that are allowed, with range[0] to range[1] rounds.
   Several rounds need a phase. Result: the largest feasible of rounds. */
static unsigned search(struct trial *trial, struct choice *choice,
                       const unsigned range[2])
{
    const struct model_input *input = trial->input;
    unsigned first = input->phases_fixed ? input->phases_want : 0;
    unsigned last = input->phases_fixed ? first : input->phases_max;
    unsigned largest = 0;

    for (unsigned phases = first; phases <= last && phases <= input->phases_max;
         ++phases) {
        unsigned most = phases == 0 ? 1 : range[1];

        model_flow_set(&trial->flow, phases, 1);
        for (unsigned rounds = range[0]; rounds <= most; ++rounds) {
            if (!solve(trial, rounds)) {
                break; /* one round more takes more still */
            }
            choose(choice, trial, rounds);
            largest = rounds > largest ? rounds : largest;
        }
    }
    return largest;
}

/* The largest number of phases that is feasible with so many rounds. */
static unsigned largest_phases(struct trial *trial, unsigned rounds)
{
    unsigned phases = trial->input->phases_max;

    for (; phases > 0; --phases) {
        model_flow_set(&trial->flow, phases, 1);
        if (solve(trial, rounds)) {
            break;
        }
    }
    return phases;
}

/*
 * Integers that a node can always hand out: rounding errors may have put a
 * volume on the other side of an integer than the sum of its parts.
 */
static void find_floors(struct model_part part[], const struct trial *trial)
{
    const struct model_members *members = trial->flow.members;

    /* volume_floor is the sum of the children's until a member's turn. */
    for (uint32_t i = trial->flow.count; i-- > 1;) {
        const struct model_member *member = &members->member[i];
        uint64_t volume =
            quad_floor(model_flow_takes(&trial->flow, i), FLOOR_NEAR);
        uint64_t least = part[i].volume_floor + part[i].share_floor;
        uint64_t most =
            least + TORUS_PORTS * (trial->flow.phases - member->phase);

        volume = volume < least ? least : volume > most ? most : volume;
        part[i].volume_floor = volume;
        part[member->parent].volume_floor += members->times * volume;
    }
}

/* Everybody's part in the round that the flow is at; left_ps[]: the time left
   until the end, at the turn of the round after, and then of this one. The
   originator's share is that of all rounds, and told elsewhere. */
static void set_round(struct model_part part[], const struct trial *trial,
                      quad left_ps[])
{
    const struct model_flow *flow = &trial->flow;
    const struct model_member *members = flow->members->member;

    for (uint32_t i = 0; i < flow->count; ++i) {
        quad share = flow->stream[i].left / members[i].unit_ps;
        quad volume = model_flow_takes(flow, i);

        left_ps[i] += flow->stream[i].left;
        part[i] = (struct model_part){
            .nodes = members[i].nodes,
            .volume_units = (double)quad_max(0, volume),
            .share_units = (double)quad_max(0, share),
            .share_floor = quad_floor(share, FLOOR_NEAR),
            .end_ps = quad_round(trial->all_ps - left_ps[i]),
        };
    }
    part[0].volume_units -= part[0].share_units;
    part[0].share_units = 0;
    part[0].share_floor = 0;
    part[0].end_ps = 0;
    find_floors(part, trial);
}

/* The average of each layer, and its first receipt. */
static void set_averages(struct model_part average[],
                         const struct model_part part[],
                         const struct trial *trial)
{
    const struct model_members *members = trial->flow.members;

    for (uint32_t i = 0; i < trial->flow.count; ++i) {
        struct model_part *layer = &average[members->member[i].phase];
        double nodes = (double)members->member[i].nodes /
                       (double)model_layer_nodes(members->member[i].phase);

        if (layer->nodes == 0 || part[i].end_ps < layer->end_ps) {
            layer->end_ps = part[i].end_ps;
        }
        layer->nodes += part[i].nodes;
        layer->volume_units += nodes * part[i].volume_units;
        layer->share_units += nodes * part[i].share_units;
    }
}

/* The originator's share, of all rounds; whole units are left for the rest. */
static void set_own(struct model_detail *detail, const struct trial *trial,
                    unsigned rounds)
{
    quad own = trial->all_ps / trial->flow.members->member[0].unit_ps;
    uint64_t left = trial->input->load_units;

    for (unsigned r = 0; r < rounds; ++r) {
        left -= detail->part[r * trial->flow.count].volume_floor;
    }
    detail->part[0].share_units = (double)own;
    detail->part[0].share_floor =
        quad_floor(own, FLOOR_NEAR) < left ? quad_floor(own, FLOOR_NEAR) : left;
}

static void set_detail(struct model_detail *detail, struct trial *trial,
                       const struct choice *choice)
{
    struct model_flow *flow = &trial->flow;
    unsigned layers = choice->phases + 1;
    quad *left_ps;

    model_flow_set(flow, choice->phases, 1);
    detail->order = MODEL_BY_MEMBER;
    detail->batches = flow->members->batches;
    detail->count = choice->rounds * flow->count;
    detail->part = memory_or_exit(calloc(detail->count, sizeof *detail->part));
    detail->average = memory_or_exit(
        calloc((size_t)choice->rounds * layers, sizeof *detail->average));
    left_ps = memory_or_exit(calloc(flow->count, sizeof *left_ps));
    trial->all_ps = choice->all_ps;
    for (unsigned r = choice->rounds; r-- > 0;) {
        bool last = r + 1 == choice->rounds;
        quad least_ps = model_flow_round(flow, last);

        model_flow_turn(flow, last ? choice->last_ps : least_ps);
        set_round(&detail->part[r * flow->count], trial, left_ps);
    }
    free(left_ps);
    set_own(detail, trial, choice->rounds);
    for (unsigned r = 0; r < choice->rounds; ++r) {
        set_averages(&detail->average[r * layers],
                     &detail->part[r * flow->count], trial);
    }
}

/* The plan of the choice, whose detail is set. Result: 0 or ERR_RANGE. */
static int set_plan(struct model_plan *plan, const struct model_detail *detail,
                    const struct trial *trial, const struct choice *choice)
{
    unsigned layers = choice->phases + 1;
    quad alone_ps = load_of(trial) * trial->flow.members->member[0].unit_ps;

    if (choice->all_ps > (quad)MODEL_TIME_MAX_PS) {
        return ERR_RANGE;
    }
    plan->phases = (uint8_t)choice->phases;
    plan->rounds = (uint8_t)choice->rounds;
    plan->makespan_ps = quad_round(choice->all_ps);
    plan->speedup = (double)(alone_ps / choice->all_ps);
    for (unsigned j = 0; j < layers; ++j) {
        for (unsigned r = 0; r < choice->rounds; ++r) {
            const struct model_part *part = &detail->average[r * layers + j];

            plan->volume_units[j] += part->volume_units;
            plan->share_units[j] += part->share_units;
        }
        plan->end_ps[j] = detail->average[j].end_ps;
    }
    plan->volume_units[0] = (double)trial->input->load_units;
    return ERR_OK;
}

/* One round: another solver has all there is to say, exactly. */
static int single_round(struct model_plan *plan, struct model_detail *detail,
                        const struct model_members *members, unsigned phases)
{
    struct model_input single = *members->input;

    single.phases_fixed = 1;
    single.phases_want = (uint8_t)phases;
    return members->torus == NULL
               ? model_plan_ports(plan, detail, &single, members->ports)
               : model_plan_nodes(plan, detail, &single, members->torus);
}

static int find_plan(struct model_plan *plan, struct model_detail *detail,
                     struct trial *trial, unsigned rounds)
{
    const unsigned every[2] = {1, MODEL_ROUNDS_MAX};
    const unsigned wanted[2] = {rounds == 0 ? 1 : rounds,
                                rounds == 0 ? MODEL_ROUNDS_AUTO_MAX : rounds};
    struct choice choice = {.rounds = 0};
    int error;

    search(trial, &choice, wanted);
    if (choice.rounds == 0) {
        plan->rounds_feasible = (uint8_t)search(trial, &choice, every);
        plan->phases_feasible = (uint8_t)largest_phases(trial, 1);
        return ERR_PHASES;
    }
    if (choice.rounds == 1) {
        return single_round(plan, detail, trial->flow.members, choice.phases);
    }
    plan->phases_feasible = (uint8_t)largest_phases(trial, choice.rounds);
    set_detail(detail, trial, &choice);
    error = set_plan(plan, detail, trial, &choice);
    if (error != ERR_OK) {
        model_detail_free(detail);
    }
    return error;
}

int model_plan_member_rounds(struct model_plan *plan,
                             struct model_detail *detail,
                             const struct model_members *members,
                             unsigned rounds)
{
    struct trial trial = {.input = members->input};
    int error = model_exact_check(plan, members->input);

    *detail = (struct model_detail){.part = NULL};
    if (error != ERR_OK) {
        return error;
    }
    model_flow_make(&trial.flow, members);
    error = find_plan(plan, detail, &trial, rounds);
    model_flow_free(&trial.flow);
    return error;
}
