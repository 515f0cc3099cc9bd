/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/farm.h"

#include "qemu/base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Rounding may leave a whole number of units below itself: a value that is at
   most NEAR below an integer counts as that integer. Values are below 2^33. */
#define NEAR 1e-20L

struct asker {
    quad time;    /* time of a unit */
    quad fitness; /* F_i / k (farm.h) */
    uint64_t units;
    quad free;
    bool done; /* true: the worker asks for no more chunks */
};

struct hand_out {
    struct theory_farm *farm;
    uint64_t left;
    struct asker asker[THEORY_WORKERS_MAX];
};

static void set_askers(struct hand_out *out,
                       const struct theory_workers *workers, uint64_t load,
                       quad factor)
{
    quad rate = 0;

    for (size_t i = 0; i < workers->count; ++i) {
        out->asker[i].time = workers->numbers[i][0];
        rate += 1 / out->asker[i].time;
    }
    for (size_t i = 0; i < workers->count; ++i) {
        out->asker[i].fitness = 1 / (out->asker[i].time * rate * factor);
    }
    out->farm->bound = (quad)load / rate;
}

/* Returns how many units worker `other` would complete before `worker`
   completes its next unit at time `end`. If both complete a unit at the same
   time, the worker with the lower index counts as earlier. */
static uint64_t units_before(const struct hand_out *out, size_t worker,
                             size_t other, quad end)
{
    const struct asker *of = &out->asker[other];
    quad units = (end - of->free) / of->time;

    /* A unit of a later worker that ends exactly at `end` does not count. */
    return quad_floor(units, other < worker ? NEAR : -2 * NEAR);
}

/* Returns whether a worker would complete its next unit before the other
   workers complete the `left` units that remain. */
static bool is_early(const struct hand_out *out, size_t worker)
{
    const struct asker *of = &out->asker[worker];
    uint64_t before = 0;

    for (size_t i = 0; i < out->farm->workers && before < out->left; ++i) {
        if (i != worker && !out->asker[i].done) {
            before += units_before(out, worker, i, of->free + of->time);
        }
    }
    return before < out->left;
}

static bool give(struct hand_out *out, size_t worker, uint64_t units)
{
    struct theory_farm *farm = out->farm;
    struct asker *to = &out->asker[worker];

    if (farm->chunks == THEORY_CHUNKS_MAX) {
        return false;
    }
    farm->worker[farm->chunks] = worker;
    farm->units[farm->chunks] = units;
    farm->chunks += 1;
    out->left -= units;
    to->units += units;
    to->free = to->time * (quad)to->units;
    return true;
}

static size_t next_worker(const struct hand_out *out)
{
    size_t workers = out->farm->workers;
    size_t first = workers;

    for (size_t i = 0; i < workers; ++i) {
        if (!out->asker[i].done &&
            (first == workers ||
             theory_number_compare(out->asker[i].free, out->asker[first].free) <
                 0)) {
            first = i;
        }
    }
    return first;
}

/* Gives the asking worker a chunk by the rule of farm.h, which takes `units` as
   the units that remain. The chunk is at most what is really left. */
static bool serve(struct hand_out *out, size_t worker, uint64_t units)
{
    struct asker *asker = &out->asker[worker];
    uint64_t chunk = quad_floor((quad)units * asker->fitness + 0.5L, NEAR);

    if (chunk > out->left) {
        chunk = out->left;
    }
    if (chunk == 0 && out->left > 0 && is_early(out, worker)) {
        chunk = 1;
    }
    asker->done = chunk == 0;
    return asker->done || give(out, worker, chunk);
}

struct theory_farm *theory_farm(const struct theory_workers *workers,
                                uint64_t load, quad factor)
{
    struct theory_farm *farm = memory_or_exit(calloc(1, sizeof *farm));
    struct hand_out out = {.farm = farm, .left = load};
    bool good = true;

    farm->workers = workers->count;
    set_askers(&out, workers, load, factor);
    for (size_t i = 0; i < farm->workers; ++i) {
        good = good && serve(&out, i, load);
    }
    while (good && out.left > 0) {
        good = serve(&out, next_worker(&out), out.left);
    }
    for (size_t i = 0; i < farm->workers; ++i) {
        farm->ends[i] = out.asker[i].free;
        farm->makespan = quad_max(farm->makespan, farm->ends[i]);
    }
    if (!good) {
        free(farm);
        return NULL;
    }
    return farm;
}

quad theory_farm_factor(const struct theory_workers *workers, uint64_t load)
{
    double count = (double)workers->count;
    double mean = 0;
    double squares = 0;
    double k;

    for (size_t i = 0; i < workers->count; ++i) {
        mean += (double)workers->numbers[i][0] / count;
    }
    for (size_t i = 0; i < workers->count; ++i) {
        double off = (double)workers->numbers[i][0] - mean;

        squares += off * off / count;
    }
    k = pow(log((double)load), sqrt(squares) / mean);
    return k > 1 ? k : 1;
}
