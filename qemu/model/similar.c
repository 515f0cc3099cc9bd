/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/similar.h"

#include "qemu/model/exact.h"
#include "qemu/support/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define LAYERS (MODEL_PHASES_MAX + 1)
#define HALVINGS 64 /* as many as a long double has bits */

struct trial {
    const struct model_input *input;
    unsigned phases;
    unsigned rounds;
    long double startup_ps[LAYERS];
    long double transfer_ps[LAYERS];
    long double volume[LAYERS];
    long double start_ps[LAYERS];
    long double makespan_ps;
    long double part[MODEL_ROUNDS_MAX];
};

static void set_costs(struct trial *trial, const struct model_input *input)
{
    trial->input = input;
    for (unsigned j = 1; j <= input->phases_max; ++j) {
        uint32_t stages = input->stages[j - 1];
        long double times = stages == 0 ? 1 : stages;

        trial->startup_ps[j] = times * (long double)input->startup_ps[j - 1];
        trial->transfer_ps[j] = times * (long double)input->transfer_ps;
    }
}

/* Volumes in all rounds if the first one's part is so large; false if the last
   one is negative. */
static bool set_volumes(struct trial *trial, long double first)
{
    long double compute_ps = (long double)trial->input->compute_ps;
    long double volume = (long double)trial->input->load_units;

    trial->makespan_ps = volume * compute_ps;
    for (unsigned j = 1; j <= trial->phases; ++j) {
        long double moved_ps = first * trial->transfer_ps[j];

        volume = (volume * compute_ps - trial->startup_ps[j]) /
                 (5 * compute_ps + moved_ps);
        trial->volume[j] = volume;
        trial->start_ps[j] =
            trial->start_ps[j - 1] + trial->startup_ps[j] + moved_ps * volume;
        trial->makespan_ps -= 4 * volume * compute_ps;
    }
    return volume >= 0;
}

/* The largest part that comes in time on every layer, where `done` is given
   out and the last phase ended at *end_ps, which moves on. */
static long double next_part(const struct trial *trial, long double done,
                             long double *end_ps)
{
    long double part = 1 - done;
    long double ahead_ps = 0;
    long double transfer_ps = 0;

    for (unsigned j = 1; j <= trial->phases; ++j) {
        long double start_ps = trial->start_ps[j];
        long double left_ps;

        ahead_ps += trial->startup_ps[j];
        transfer_ps += trial->transfer_ps[j] * trial->volume[j];
        left_ps = start_ps + done * (trial->makespan_ps - start_ps) - *end_ps -
                  ahead_ps;
        if (left_ps < part * transfer_ps) {
            part = left_ps / transfer_ps;
        }
    }
    *end_ps += ahead_ps + part * transfer_ps;
    return part;
}

/* Whether the rounds suffice if the first one's part is so large. */
static bool suffices(struct trial *trial, long double first)
{
    long double done = first;
    long double end_ps;

    if (!set_volumes(trial, first)) {
        return false;
    }
    end_ps = trial->start_ps[trial->phases];
    trial->part[0] = first;
    for (unsigned r = 1; r < trial->rounds && done < 1; ++r) {
        trial->part[r] = next_part(trial, done, &end_ps);
        if (trial->part[r] <= 0) {
            return false;
        }
        done += trial->part[r];
    }
    return done >= 1;
}

/* Bisection; false if one round, or fewer, are all that is feasible. */
static bool solve(struct trial *trial)
{
    long double low = 0;
    long double high = 1;

    if (trial->rounds == 1 || trial->phases == 0) {
        return trial->rounds == 1 && suffices(trial, 1);
    }
    for (unsigned i = 0; i < HALVINGS; ++i) {
        long double middle = (low + high) / 2;

        if (suffices(trial, middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return suffices(trial, high) && high < 1 &&
           trial->part[trial->rounds - 1] > 0;
}

static void keep(struct model_similar *similar, const struct trial *trial)
{
    similar->phases = (uint8_t)trial->phases;
    similar->rounds = (uint8_t)trial->rounds;
    similar->makespan_ps = (uint64_t)(trial->makespan_ps + 0.5L);
    for (unsigned r = 0; r < trial->rounds; ++r) {
        similar->part[r] = (double)trial->part[r];
    }
}

void model_similar(struct model_similar *similar,
                   const struct model_input *input, unsigned rounds)
{
    unsigned first = input->phases_fixed ? input->phases_want : 0;
    unsigned last = input->phases_fixed ? first : input->phases_max;
    unsigned least = rounds == 0 ? 1 : rounds;
    unsigned most = rounds == 0 ? MODEL_ROUNDS_AUTO_MAX : rounds;
    struct trial trial = {.start_ps = {0}};
    long double best_ps = 0;

    *similar = (struct model_similar){.rounds = 0};
    set_costs(&trial, input);
    for (unsigned n = first; n <= last && n <= input->phases_max; ++n) {
        trial.phases = n;
        for (unsigned r = least; r <= most; ++r) {
            trial.rounds = r;
            for (unsigned i = 0; i < r; ++i) {
                trial.part[i] = 0;
            }
            if (solve(&trial) &&
                (similar->rounds == 0 || trial.makespan_ps < best_ps)) {
                best_ps = trial.makespan_ps;
                keep(similar, &trial);
            }
        }
    }
}

/* ---- the plan ---- */

static uint64_t to_u64(long double value)
{
    return value < (long double)UINT64_MAX ? (uint64_t)value : UINT64_MAX;
}

/* Volumes and shares of a round as integers that a node can always hand out:
   rounding errors may have put a volume on the other side of an integer than
   the sum of its parts. Returns what the originator sends, at least. */
static uint64_t set_floors(struct model_part part[], unsigned phases)
{
    uint64_t children = 0;
    uint64_t parts = 0;

    for (unsigned j = phases; j >= 1; --j) {
        uint64_t least = (uint64_t)part[j].share_units + children;
        uint64_t volume = (uint64_t)part[j].volume_units;

        volume = volume < least ? least : volume;
        volume = volume > least + parts ? least + parts : volume;
        part[j].share_floor = (uint64_t)part[j].share_units;
        part[j].volume_floor = volume;
        children += 4 * volume;
        parts += 4;
    }
    part[0].volume_floor = children;
    return children;
}

/* One round; `*end_ps` is the end of the one before, and moves on. */
static uint64_t set_round(struct model_part part[], const struct trial *trial,
                          long double times, long double *end_ps)
{
    long double below = 0;

    for (unsigned j = trial->phases; j >= 1; --j) {
        long double volume = times * trial->volume[j];

        part[j].nodes = model_layer_nodes(j);
        part[j].volume_units = (double)volume;
        part[j].share_units = (double)fmaxl(volume - below, 0);
        below += 4 * volume;
    }
    for (unsigned j = 1; j <= trial->phases; ++j) {
        *end_ps += trial->startup_ps[j] +
                   times * trial->transfer_ps[j] * trial->volume[j];
        part[j].end_ps = to_u64(*end_ps + 0.5L);
    }
    part[0].nodes = 1;
    part[0].volume_units = (double)below;
    return set_floors(part, trial->phases);
}

/* All rounds; the originator's share is a part of the first. */
static void set_rounds(struct model_part part[], const struct trial *trial,
                       const struct model_similar *similar)
{
    long double own =
        trial->makespan_ps / (long double)trial->input->compute_ps;
    uint64_t left = trial->input->load_units;
    long double end_ps = 0;

    for (unsigned r = 0; r < similar->rounds; ++r) {
        left -= set_round(&part[r * (trial->phases + 1)], trial,
                          (long double)similar->part[r], &end_ps);
    }
    part[0].share_units = (double)own;
    part[0].share_floor = to_u64(own) < left ? to_u64(own) : left;
}

int model_plan_similar(struct model_plan *plan, struct model_detail *detail,
                       const struct model_input *input,
                       const struct model_similar *similar)
{
    struct trial trial = {.phases = similar->phases};
    unsigned layers = similar->phases + 1u;
    long double load = (long double)input->load_units;

    set_costs(&trial, input);
    set_volumes(&trial, (long double)similar->part[0]);
    if (trial.makespan_ps > (long double)MODEL_TIME_MAX_PS) {
        return ERR_RANGE;
    }
    *detail = (struct model_detail){.count = similar->rounds * layers,
                                    .order = MODEL_BY_ROUND};
    detail->part = memory_or_exit(calloc(detail->count, sizeof *detail->part));
    set_rounds(detail->part, &trial, similar);
    *plan = (struct model_plan){
        .phases = similar->phases,
        .phases_feasible = similar->phases,
        .rounds = similar->rounds,
        .makespan_ps = similar->makespan_ps,
        .speedup = (double)(load * (long double)input->compute_ps /
                            trial.makespan_ps)};
    model_exact_add_parts(plan, detail->part);
    plan->volume_units[0] = (double)load;
    return ERR_OK;
}
