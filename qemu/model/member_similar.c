/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/member_similar.h"

#include "qemu/model/flow.h"
#include "qemu/support/memory.h"

#include <stdlib.h>

#define HALVINGS 64 /* as many as a long double has bits */
#define PIECES 64   /* of a receipt: more than were ever passed */

/* Of a member; times in ps. */
struct receipt {
    long double volume;   /* in all rounds */
    long double start_ps; /* its first receipt */
    long double last_ps;  /* that of the round before */
    /* That of the round at hand: constant_ps + part * slope_ps. */
    long double constant_ps;
    long double slope_ps;
    uint32_t lane_end; /* its lane's last member; only of the lane's first */
};

struct trial {
    const struct model_members *members;
    struct model_flow flow;
    struct receipt *receipt;
    unsigned rounds;
    long double best_ps; /* what ends later is of no use; 0: nothing yet */
    long double makespan_ps;
    long double part[MODEL_ROUNDS_MAX];
};

/* The last member of each lane that the phases at hand use. */
static void set_lanes(struct trial *trial)
{
    const struct model_member *member = trial->members->member;

    for (uint32_t i = trial->flow.count; i-- > 1;) {
        trial->receipt[i].lane_end = i;
    }
    for (uint32_t i = trial->flow.count; i-- > 1;) {
        if (!member[i].first) {
            trial->receipt[member[i].before].lane_end =
                trial->receipt[i].lane_end;
        }
    }
}

/* The plan of one round if the first one's part is so large; false if somebody
   receives less than nothing. */
static bool set_volumes(struct trial *trial, long double first)
{
    struct model_flow *flow = &trial->flow;
    const struct model_stream *root = flow->stream;
    quad least_ps;
    quad makespan_ps;

    model_flow_set(flow, flow->phases, first);
    least_ps = model_flow_round(flow, true);
    makespan_ps =
        ((quad)trial->members->input->load_units + root->less) / root->takes;
    trial->makespan_ps = (long double)makespan_ps;
    if (makespan_ps < least_ps) {
        return false;
    }
    model_flow_turn(flow, makespan_ps);
    for (uint32_t i = 0; i < flow->count; ++i) {
        struct receipt *receipt = &trial->receipt[i];

        receipt->volume = (long double)model_flow_takes(flow, i);
        receipt->start_ps = (long double)(makespan_ps - flow->stream[i].left);
        receipt->last_ps = receipt->start_ps;
    }
    return true;
}

/* What a send waits for, as a piece of a straight line at `part`. */
static void set_ready(struct trial *trial, uint32_t index, long double part)
{
    const struct model_member *member = &trial->members->member[index];
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

/* All receipts of a round of this part, which must come when `done` has been
   computed. Result: a smaller part if one comes later. */
static long double receive(struct trial *trial, long double part,
                           long double done)
{
    const struct model_members *members = trial->members;
    long double fits = part;

    for (uint32_t i = 1; i < trial->flow.count; ++i) {
        struct receipt *receipt = &trial->receipt[i];
        long double dry_ps =
            receipt->start_ps + done * (trial->makespan_ps - receipt->start_ps);
        long double left_ps;

        set_ready(trial, i, part);
        receipt->constant_ps += (long double)members->member[i].startup_ps;
        receipt->slope_ps +=
            (long double)members->member[i].transfer_ps * receipt->volume;
        left_ps = dry_ps - receipt->constant_ps;
        if (left_ps < fits * receipt->slope_ps) {
            fits = left_ps / receipt->slope_ps;
        } else if (left_ps < 0) {
            fits = 0;
        }
    }
    return fits;
}

/* The largest part that comes in time, where `done` is given out. */
static long double next_part(struct trial *trial, long double done)
{
    long double part = 1 - done;

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

/* Whether the rounds suffice if the first one's part is so large. */
static bool suffices(struct trial *trial, long double first)
{
    long double done = first;

    if (!set_volumes(trial, first)) {
        return false;
    }
    trial->part[0] = first;
    for (unsigned r = 1; r < trial->rounds && done < 1; ++r) {
        trial->part[r] = next_part(trial, done);
        if (trial->part[r] <= 0) {
            return false;
        }
        done += trial->part[r];
    }
    return done >= 1;
}

/* Bisection; false if one round, or fewer, are all that is feasible, or if
   others have ended earlier. */
static bool solve(struct trial *trial)
{
    long double low = 0;
    long double high = 1;

    if (trial->rounds == 1 || trial->flow.phases == 0) {
        return trial->rounds == 1 && suffices(trial, 1);
    }
    for (unsigned i = 0; i < HALVINGS; ++i) {
        long double middle = (low + high) / 2;

        if (suffices(trial, middle)) {
            high = middle;
        } else if (trial->best_ps > 0 && trial->makespan_ps >= trial->best_ps) {
            return false;
        } else {
            low = middle;
        }
    }
    return suffices(trial, high) && high < 1 &&
           trial->part[trial->rounds - 1] > 0;
}

static void keep(struct model_similar *similar, struct trial *trial)
{
    trial->best_ps = trial->makespan_ps;
    similar->phases = (uint8_t)trial->flow.phases;
    similar->rounds = (uint8_t)trial->rounds;
    similar->makespan_ps = (uint64_t)(trial->makespan_ps + 0.5L);
    for (unsigned r = 0; r < trial->rounds; ++r) {
        similar->part[r] = (double)trial->part[r];
    }
}

/* Tries the numbers of rounds of one number of phases. */
static void try_phases(struct model_similar *similar, struct trial *trial,
                       unsigned phases, unsigned rounds)
{
    unsigned least = rounds == 0 ? 1 : rounds;
    unsigned most = rounds == 0 ? MODEL_ROUNDS_AUTO_MAX : rounds;

    trial->flow.phases = phases;
    trial->flow.count = trial->members->end[phases];
    set_lanes(trial);
    for (unsigned r = least; r <= most; ++r) {
        trial->rounds = r;
        for (unsigned i = 0; i < r; ++i) {
            trial->part[i] = 0;
        }
        if (solve(trial) &&
            (similar->rounds == 0 || trial->makespan_ps < trial->best_ps)) {
            keep(similar, trial);
        }
    }
}

void model_similar_members(struct model_similar *similar,
                           const struct model_members *members, unsigned rounds)
{
    const struct model_input *input = members->input;
    unsigned first = input->phases_fixed ? input->phases_want : 0;
    unsigned last = input->phases_fixed ? first : input->phases_max;
    struct trial trial = {.members = members};

    *similar = (struct model_similar){.rounds = 0};
    trial.receipt = memory_or_exit(
        calloc(members->end[members->phases], sizeof *trial.receipt));
    model_flow_make(&trial.flow, members);
    for (unsigned n = first; n <= last && n <= input->phases_max; ++n) {
        try_phases(similar, &trial, n, rounds);
    }
    model_flow_free(&trial.flow);
    free(trial.receipt);
}
