/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/command/model_print.h"
#include "qemu/command/model_options.h"
#include "qemu/theory/installments.h"
#include "qemu/theory/order.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/parse.h"

#include <stdio.h>

#define WORKERS_MAX 1000

/* ---- star ---- */

/* Whether all workers are equal; else after a message. */
static bool check_equal(const struct theory_star *star)
{
    const struct theory_workers *workers = star->workers;

    for (size_t i = 1; i < workers->count; ++i) {
        for (unsigned column = 0; column < THEORY_COLUMNS_MAX; ++column) {
            if (theory_number_compare(workers->numbers[i][column],
                                      workers->numbers[0][column]) != 0) {
                fprintf(stderr,
                        "quincunx: %s:%u: --installments 'umr': must be a "
                        "worker equal to that of line %u\n",
                        workers->path, workers->line[i], workers->line[0]);
                return false;
            }
        }
    }
    return true;
}

/* The most rounds below `rounds` that are possible, 1 at least. */
static unsigned largest_feasible(const struct theory_star *star,
                                 unsigned rounds)
{
    for (rounds -= 1; rounds > 1; --rounds) {
        struct theory_star_plan plan;
        bool good = theory_installments(&plan, star, rounds);

        theory_star_plan_free(&plan);
        if (good) {
            break;
        }
    }
    return rounds;
}

/* Plans a given number of rounds. Result: an exit status. */
static int plan_rounds(struct theory_star_plan *plan,
                       const struct theory_star *star, unsigned rounds)
{
    size_t workers = star->workers->count;

    if (workers * rounds > THEORY_SENDS_MAX) {
        theory_star_plan_init(plan, 0);
        return usage_error(
            "--installments '%u': must be 1 to %zu with %zu workers", rounds,
            THEORY_SENDS_MAX / workers, workers);
    }
    if (!theory_installments(plan, star, rounds)) {
        return usage_error(
            "--installments '%u': infeasible: a chunk would be less than "
            "nothing; the largest feasible M below is %u",
            rounds, largest_feasible(star, rounds));
    }
    return 0;
}

/* Result: an exit status. The plan is to be freed after success. */
static int plan_star(struct theory_star_plan *plan,
                     const struct theory_star *star, unsigned rounds)
{
    int status = 0;

    switch (rounds) {
    case MODEL_UMR:
        if (!check_equal(star)) {
            return EXIT_USAGE;
        }
        theory_umr(plan, star);
        break;
    case MODEL_PERIODIC:
        theory_periodic(plan, star);
        break;
    case 1:
        theory_order_best(plan, star);
        break;
    default:
        status = plan_rounds(plan, star, rounds);
        if (status != 0) {
            theory_star_plan_free(plan);
        }
    }
    return status;
}

static int run_star(const struct model_options *options)
{
    static const struct theory_line line = {.words = "g w [G [W]]",
                                            .least = 2,
                                            .most = 4,
                                            .positive = {true, true},
                                            .workers_max = WORKERS_MAX};
    struct theory_workers workers;
    quad master = options->number[MODEL_MASTER];
    struct theory_star star = {.workers = &workers,
                               .load = options->number[MODEL_LOAD],
                               .master_rate = master > 0 ? 1 / master : 0};
    struct theory_star_plan plan;
    int status = theory_workers_read(&workers, options->path, &line);

    if (status == 0) {
        status = plan_star(&plan, &star, options->rounds);
        if (status == 0) {
            model_print_star(&plan, &star, options->json);
            theory_star_plan_free(&plan);
        }
    }
    theory_workers_free(&workers);
    return status;
}

/* ---- results ---- */

static int run_results(const struct model_options *options)
{
    static const struct theory_line line = {.words = "C E",
                                            .least = 2,
                                            .most = 2,
                                            .positive = {true, true},
                                            .workers_max = WORKERS_MAX};
    quad load = options->number[MODEL_LOAD];
    struct theory_workers workers;
    struct theory_results results;
    int status = theory_workers_read(&workers, options->path, &line);

    if (status == 0) {
        theory_results(&results, &workers, load, options->number[MODEL_RATIO]);
        model_print_results(&results, workers.count, load, options->json);
        theory_results_free(&results);
    }
    theory_workers_free(&workers);
    return status;
}

/* ---- farm ---- */

/* Reads --load. Result: whether it is a whole number below 2^32; else after a
   message. */
static bool read_units(uint64_t *units, const struct model_options *options)
{
    quad load = options->number[MODEL_LOAD];

    *units = quad_floor(load, 0);
    return parse_report("--load", options->text[MODEL_LOAD],
                        load != (quad)*units || *units > UINT32_MAX
                            ? "must be a whole number of 1 to 4294967295"
                            : NULL) == 0;
}

/* Carries the farm out and prints it. Result: an exit status. */
static int print_farm(const struct model_options *options,
                      const struct theory_workers *workers, uint64_t units)
{
    quad factor = options->number[MODEL_FACTOR];
    bool given = factor > 0;
    struct theory_farm farm;
    bool good;

    if (!given) {
        factor = theory_farm_factor(workers, units);
    }
    good = theory_farm(&farm, workers, units, factor);
    if (good) {
        model_print_farm(&farm, (quad)units, factor, given, options->json);
    } else {
        fprintf(stderr,
                "quincunx: --load '%s': more than %u chunks: must be less, or "
                "a smaller --factor\n",
                options->text[MODEL_LOAD], THEORY_CHUNKS_MAX);
    }
    theory_farm_free(&farm);
    return good ? 0 : EXIT_USAGE;
}

static int run_farm(const struct model_options *options)
{
    static const struct theory_line line = {.words = "t",
                                            .least = 1,
                                            .most = 1,
                                            .positive = {true},
                                            .workers_max = WORKERS_MAX};
    struct theory_workers workers;
    uint64_t units;
    int status = read_units(&units, options) ? 0 : EXIT_USAGE;

    if (status != 0) {
        return status;
    }
    status = theory_workers_read(&workers, options->path, &line);
    if (status == 0) {
        status = print_farm(options, &workers, units);
    }
    theory_workers_free(&workers);
    return status;
}

/* ---- masters ---- */

/* Whether somebody holds something; else after a message. */
static bool check_held(const struct theory_workers *workers)
{
    for (size_t i = 0; i < workers->count; ++i) {
        if (workers->numbers[i][0] > 0) {
            return true;
        }
    }
    fprintf(stderr, "quincunx: %s: all x are 0: one must be more\n",
            workers->path);
    return false;
}

/* Plans and prints. Result: an exit status. */
static int print_masters(const struct model_options *options,
                         const struct theory_workers *workers)
{
    struct theory_network network = {.startup = options->number[MODEL_STARTUP],
                                     .transfer =
                                         options->number[MODEL_TRANSFER],
                                     .compute = options->number[MODEL_COMPUTE],
                                     .scale = options->number[MODEL_SCALE]};
    struct theory_masters masters;
    bool good = theory_masters(&masters, workers, &network);

    if (good) {
        model_print_masters(&masters, options->json);
    } else {
        fprintf(stderr,
                "quincunx: --startup '%s': more than %u rounds: must be more, "
                "or --scale less\n",
                options->text[MODEL_STARTUP], THEORY_MASTERS_ROUNDS_MAX);
    }
    theory_masters_free(&masters);
    return good ? 0 : EXIT_USAGE;
}

static int run_masters(const struct model_options *options)
{
    static const struct theory_line line = {
        .words = "x", .least = 1, .most = 1, .workers_max = WORKERS_MAX};
    struct theory_workers workers;
    int status = theory_workers_read(&workers, options->path, &line);

    if (status == 0 && !check_held(&workers)) {
        status = EXIT_USAGE;
    }
    if (status == 0) {
        status = print_masters(options, &workers);
    }
    theory_workers_free(&workers);
    return status;
}

int model_command(int argc, char **argv)
{
    static int (*const run[])(const struct model_options *options) = {
        [MODEL_STAR] = run_star,
        [MODEL_RESULTS] = run_results,
        [MODEL_FARM] = run_farm,
        [MODEL_MASTERS] = run_masters};
    struct model_options options;
    int status = model_options_parse(&options, argc, argv);

    if (status == 0) {
        status = run[options.platform](&options);
    }
    return status;
}
