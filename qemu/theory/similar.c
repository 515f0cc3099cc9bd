/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/similar.h"

#include "qemu/theory/flow.h"
#include "qemu/theory/parts.h"
#include "qemu/theory/root.h"
#include "qemu/base/memory.h"

#include <stdlib.h>

#define NEAR 0x1p-60L /* parts of the load count as equal within this */
/* most steps of Newton's method for one part; few are usual */
#define PIECES 64

struct receipt {
    long double startup_ps;  /* startup of the circuit to the member */
    long double transfer_ps; /* transfer time of all that the member gets */
    long double start_ps; /* time of the member's receipt in the first round */
    long double last_ps;  /* time of the member's receipt in the round before */
    /* Receipt in the current round, which carries the part `part` of the load:
       constant_ps + part * slope_ps. */
    long double constant_ps;
    long double slope_ps;
    /* last member of the lane; set in the lane's first member */
    uint32_t lane_end;
};

struct trial {
    const struct theory_members *members;
    struct theory_flow flow;
    struct receipt *receipt;
    unsigned rounds;
    bool enough;         /* true: more rounds than this would end no earlier */
    long double best_ps; /* best makespan of all trials so far; 0: none */
    long double makespan_ps;
    long double part[THEORY_ROUNDS_MAX];
};

static void set_lanes(struct trial *trial)
{
    const struct theory_member *member = trial->members->member;

    for (uint32_t i = trial->flow.count; i-- > 1;) {
        trial->receipt[i].startup_ps = (long double)member[i].startup_ps;
        trial->receipt[i].lane_end = i;
    }
    for (uint32_t i = trial->flow.count; i-- > 1;) {
        if (!member[i].first) {
            trial->receipt[member[i].before].lane_end =
                trial->receipt[i].lane_end;
        }
    }
}

/* Plans one round whose transfers carry only the part `first` of each volume.
   Its makespan is stream[0].left. Returns false if a node receives negative
   units. */
static bool plan_volumes(struct theory_flow *flow, quad first)
{
    const struct theory_stream *root = flow->stream;
    quad load = (quad)flow->members->input->load_units;
    quad least_ps;

    theory_flow_set(flow, flow->phases, first);
    least_ps = theory_flow_round(flow, true);
    theory_flow_turn(flow, (load + root->less) / root->takes);
    return root->left >= least_ps - least_ps * QUAD_NEAR;
}

/* Sets each member's volume in all rounds, and its first receipt, if the first
   round carries the part `first` of the load. Returns false if a node receives
   negative units. */
static bool set_volumes(struct trial *trial, long double first)
{
    const struct theory_flow *flow = &trial->flow;
    bool feasible = plan_volumes(&trial->flow, first);

    trial->makespan_ps = (long double)flow->stream[0].left;
    for (uint32_t i = 0; feasible && i < flow->count; ++i) {
        struct receipt *receipt = &trial->receipt[i];

        receipt->transfer_ps =
            (long double)(trial->members->member[i].transfer_ps *
                          theory_flow_takes(flow, i));
        receipt->start_ps =
            (long double)(flow->stream[0].left - flow->stream[i].left);
        receipt->last_ps = receipt->start_ps;
    }
    return feasible;
}

/* Sets when the send to member `index` can begin: a straight line in the
   round's part of the load, valid near `part`. */
static void set_ready(struct trial *trial, uint32_t index, long double part)
{
    const struct theory_member *member = &trial->members->member[index];
    struct receipt *receipt = &trial->receipt[index];
    const struct receipt *before = &trial->receipt[member->before];
    long double free_ps;

    receipt->constant_ps = before->constant_ps;
    receipt->slope_ps = before->slope_ps;
    if (!member->first) {
        return;
    }
    free_ps = trial->receipt[receipt->lane_end].last_ps;
    if (member->parent == 0 ||
        free_ps > receipt->constant_ps + part * receipt->slope_ps) {
        receipt->constant_ps = free_ps;
        receipt->slope_ps = 0;
    }
}

/* Computes all receipts of a round that carries `part` of the load. Each must
   come before its member has computed the part `done`, which earlier rounds
   brought. Returns `part`, or less if a receipt is late. */
static long double receive(struct trial *trial, long double part,
                           long double done)
{
    long double fits = part;

    for (uint32_t i = 1; i < trial->flow.count; ++i) {
        struct receipt *receipt = &trial->receipt[i];
        long double dry_ps =
            receipt->start_ps + done * (trial->makespan_ps - receipt->start_ps);
        long double left_ps;

        set_ready(trial, i, part);
        receipt->constant_ps += receipt->startup_ps;
        receipt->slope_ps += receipt->transfer_ps;
        left_ps = dry_ps - receipt->constant_ps;
        if (left_ps < 0) {
            fits = 0;
        } else if (left_ps < fits * receipt->slope_ps) {
            fits = left_ps / receipt->slope_ps;
        }
    }
    return fits;
}

/* Returns the largest part of the load, up to 1, that a next round can bring in
   time, after rounds that brought the part `done`. */
static long double next_part(struct trial *trial, long double done)
{
    long double part = 1;

    for (unsigned i = 0; i < PIECES && part > 0; ++i) {
        long double fits = receive(trial, part, done);

        if (fits >= part) {
            break;
        }
        part = fits;
    }
    for (uint32_t i = 1; i < trial->flow.count; ++i) {
        struct receipt *receipt = &trial->receipt[i];

        receipt->last_ps = receipt->constant_ps + part * receipt->slope_ps;
    }
    return part;
}

/* Returns the sum of all rounds' parts less 1, if the first round carries the
   part `first`. It is below 0 if the rounds do not carry the load. Rounds that
   are not needed get part 0. */
static long double beyond(struct trial *trial, long double first)
{
    long double done = first;

    if (!set_volumes(trial, first)) {
        return -1;
    }
    trial->part[0] = first;
    for (unsigned r = 1; r < trial->rounds; ++r) {
        bool more = done < 1 && trial->part[r - 1] > 0;

        trial->part[r] = more ? next_part(trial, done) : 0;
        done += trial->part[r];
    }
    return done - 1;
}

/* Finds the least part for the first round with which trial->rounds rounds
   carry the load. Returns false if fewer rounds are enough, if only one round
   is feasible, or if a plan found before ends earlier. */
static bool solve(struct trial *trial)
{
    long double *last = &trial->part[trial->rounds - 1];
    struct root root = {.high = 1, .below = -1, .near = NEAR};
    long double more = -1;

    if (trial->rounds == 1 || trial->flow.phases == 0) {
        return trial->rounds == 1 && beyond(trial, 1) >= 0;
    }
    for (unsigned i = 0; (more < 0 || more > NEAR) && root_open(&root, i);
         ++i) {
        quad at = root_next(&root, i);

        more = beyond(trial, (long double)at);
        if (more < 0 && trial->best_ps > 0 &&
            trial->makespan_ps >= trial->best_ps) {
            return false;
        }
        root_set(&root, at, more);
        if (more >= 0) {
            root.high_known = *last > 0;
        }
    }
    more = beyond(trial, (long double)root.high);
    trial->enough = root.high < 1 && *last <= 0;
    *last -= more;
    return more >= 0 && root.high < 1 && *last > 0;
}

static void keep(struct theory_similar *similar, struct trial *trial)
{
    trial->best_ps = trial->makespan_ps;
    similar->phases = (uint8_t)trial->flow.phases;
    similar->rounds = (uint8_t)trial->rounds;
    similar->makespan_ps = (uint64_t)(trial->makespan_ps + 0.5L);
    for (unsigned r = 0; r < trial->rounds; ++r) {
        similar->part[r] = (double)trial->part[r];
    }
}

static void try_phases(struct theory_similar *similar, struct trial *trial,
                       unsigned phases, unsigned rounds)
{
    unsigned least = rounds == 0 ? 1 : rounds;
    unsigned most = rounds == 0 ? THEORY_ROUNDS_AUTO_MAX : rounds;

    trial->flow.phases = phases;
    trial->flow.count = trial->members->end[phases];
    set_lanes(trial);
    trial->enough = false;
    for (unsigned r = least; r <= most && !trial->enough; ++r) {
        trial->rounds = r;
        if (solve(trial) &&
            (similar->rounds == 0 || trial->makespan_ps < trial->best_ps)) {
            keep(similar, trial);
        }
    }
}

void theory_similar(struct theory_similar *similar,
                    const struct theory_members *members, unsigned rounds)
{
    const struct theory_input *input = members->input;
    unsigned first = input->phases_fixed ? input->phases_want : 0;
    unsigned last = input->phases_fixed ? first : input->phases_max;
    struct trial trial = {.members = members};

    *similar = (struct theory_similar){.rounds = 0};
    trial.receipt = memory_or_exit(
        calloc(members->end[members->phases], sizeof *trial.receipt));
    theory_flow_make(&trial.flow, members);
    for (unsigned n = first; n <= last && n <= input->phases_max; ++n) {
        try_phases(similar, &trial, n, rounds);
    }
    theory_flow_free(&trial.flow);
    free(trial.receipt);
}

int theory_plan_similar(struct theory_plan *plan, struct theory_detail *detail,
                        const struct theory_members *members,
                        const struct theory_similar *similar)
{
    quad near = (quad)members->input->load_units * QUAD_NEAR;
    quad turn_ps[THEORY_PHASES_MAX + 1] = {0};
    struct theory_flow flow;
    int error;

    *plan = (struct theory_plan){.phases = similar->phases,
                                 .phases_feasible = similar->phases,
                                 .rounds = similar->rounds};
    theory_detail_make(detail, false, 1, plan);
    theory_flow_make(&flow, members);
    flow.phases = similar->phases;
    plan_volumes(&flow, similar->part[0]);
    for (unsigned r = 0; r < similar->rounds; ++r) {
        theory_parts_round(&detail->part[r * detail->stride], turn_ps, &flow,
                           similar->part[r], near);
        turn_ps[0] = turn_ps[similar->phases];
    }
    error = theory_parts_finish(plan, detail, &flow, flow.stream[0].left, near);
    plan->makespan_ps = similar->makespan_ps;
    theory_flow_free(&flow);
    if (error != ERR_OK) {
        theory_detail_free(detail);
    }
    return error;
}
