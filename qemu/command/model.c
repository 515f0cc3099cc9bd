/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/command/model_print.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/option.h"
#include "qemu/base/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum model_platform {
    MODEL_STAR,
    MODEL_RESULTS,
    MODEL_FARM,
    MODEL_MASTERS,
    MODEL_PLATFORMS,
};

/* Index of each option in the rows below. */
enum model_key {
    MODEL_LOAD,
    MODEL_MASTER,
    MODEL_INSTALLMENTS,
    MODEL_RATIO,
    MODEL_FACTOR,
    MODEL_STARTUP,
    MODEL_TRANSFER,
    MODEL_COMPUTE,
    MODEL_SCALE,
    MODEL_JSON,
    MODEL_KEYS,
};

/* Values of .rounds for two words of --installments: umr and periodic. */
#define MODEL_UMR 0
#define MODEL_PERIODIC (~0u)

struct model_options {
    enum model_platform platform;
    const char *path;        /* value of the word FILE */
    quad number[MODEL_KEYS]; /* value of each option; 0: not given, or a word */
    unsigned rounds;         /* value of --installments */
    bool json;
    /* each option's value as given; NULL: not given */
    const char *text[MODEL_KEYS];
};

static const char *const kinds[MODEL_PLATFORMS] = {
    [MODEL_STAR] = "model star",
    [MODEL_RESULTS] = "model results",
    [MODEL_FARM] = "model farm",
    [MODEL_MASTERS] = "model masters"};

/* ---- setters: 0, or EXIT_USAGE after a message ---- */

static int set_positive(void *number, const char *option, const char *text)
{
    return parse_report(option, text, theory_number_positive(number, text));
}

static int set_natural(void *number, const char *option, const char *text)
{
    return parse_report(option, text, theory_number_natural(number, text));
}

static int set_factor(void *own, const char *option, const char *text)
{
    quad *number = own;
    bool fine = strcmp(text, "auto") == 0 ||
                (theory_number_parse(number, text) == NULL && *number >= 1);

    return parse_report(option, text,
                        fine ? NULL : "must be a number of 1 or more, or auto");
}

static int set_installments(void *own, const char *option, const char *text)
{
    unsigned *rounds = own;
    uint64_t number = 0;
    bool fine = true;

    if (strcmp(text, "umr") == 0) {
        *rounds = MODEL_UMR;
    } else if (strcmp(text, "periodic") == 0) {
        *rounds = MODEL_PERIODIC;
    } else {
        fine = parse_count(text, &number) == NULL && number >= 1 &&
               number <= THEORY_INSTALLMENTS_MAX;
        *rounds = (unsigned)number;
    }
    return parse_report(option, text,
                        fine ? NULL : "must be 1 to 64, umr or periodic");
}

/* Stores the next word of the command line: first the platform's name, then
   FILE. */
static int take_word(void *own, const char *option, const char *text)
{
    struct model_options *options = own;
    unsigned i = 0;

    if (options->path != NULL) {
        return parse_report(option, text, "model takes one FILE");
    }
    if (options->platform < MODEL_PLATFORMS) {
        options->path = text;
        return 0;
    }
    while (i < MODEL_PLATFORMS &&
           strcmp(text, kinds[i] + strlen("model ")) != 0) {
        i += 1;
    }
    options->platform = (enum model_platform)i;
    return parse_report(
        "model", text,
        i < MODEL_PLATFORMS ? NULL : "must be star, results, farm or masters");
}

/* ---- star ---- */

static int check_equal(const struct theory_star *star)
{
    const struct theory_workers *workers = star->workers;

    for (size_t i = 1; i < workers->count; ++i) {
        for (unsigned column = 0; column < THEORY_COLUMNS_MAX; ++column) {
            if (theory_number_compare(workers->numbers[i][column],
                                      workers->numbers[0][column]) != 0) {
                return usage_error("%s:%u: --installments 'umr': must be a "
                                   "worker equal to that of line %u",
                                   workers->path, workers->line[i],
                                   workers->line[0]);
            }
        }
    }
    return 0;
}

static unsigned largest_feasible(const struct theory_star *star,
                                 unsigned rounds)
{
    for (rounds -= 1; rounds > 1; --rounds) {
        struct theory_star_plan plan;
        bool good = theory_star_installments(&plan, star, rounds);

        theory_star_plan_free(&plan);
        if (good) {
            break;
        }
    }
    return rounds;
}

static int plan_rounds(struct theory_star_plan *plan,
                       const struct theory_star *star, unsigned rounds)
{
    size_t workers = star->workers->count;

    if (workers * rounds > THEORY_SENDS_MAX) {
        return usage_error(
            "--installments '%u': must be 1 to %zu with %zu workers", rounds,
            THEORY_SENDS_MAX / workers, workers);
    }
    if (!theory_star_installments(plan, star, rounds)) {
        theory_star_plan_free(plan);
        return usage_error(
            "--installments '%u': infeasible: a chunk would be less than "
            "nothing; the largest feasible M below is %u",
            rounds, largest_feasible(star, rounds));
    }
    return 0;
}

/* Plans a star. `rounds` is a number of rounds, MODEL_UMR or MODEL_PERIODIC.
   Returns an exit status. After success the caller frees the plan. */
static int plan_star(struct theory_star_plan *plan,
                     const struct theory_star *star, unsigned rounds)
{
    if (rounds == MODEL_UMR) {
        if (check_equal(star) != 0) {
            return EXIT_USAGE;
        }
        theory_star_umr(plan, star);
    } else if (rounds == MODEL_PERIODIC) {
        theory_star_periodic(plan, star);
    } else if (rounds == 1) {
        theory_star_one_round(plan, star);
    } else {
        return plan_rounds(plan, star, rounds);
    }
    return 0;
}

static int run_star(const struct model_options *options,
                    const struct theory_workers *workers)
{
    quad master = options->number[MODEL_MASTER];
    struct theory_star star = {.workers = workers,
                               .load = options->number[MODEL_LOAD],
                               .master_rate = master > 0 ? 1 / master : 0};
    struct theory_star_plan plan;
    int status = plan_star(&plan, &star, options->rounds);

    if (status == 0) {
        model_print_star(&plan, &star, options->json);
        theory_star_plan_free(&plan);
    }
    return status;
}

/* ---- the other platforms ---- */

static int run_results(const struct model_options *options,
                       const struct theory_workers *workers)
{
    quad load = options->number[MODEL_LOAD];
    struct theory_results *results =
        theory_results(workers, load, options->number[MODEL_RATIO]);

    model_print_results(results, workers->count, load, options->json);
    free(results);
    return 0;
}

static int run_farm(const struct model_options *options,
                    const struct theory_workers *workers)
{
    quad load = options->number[MODEL_LOAD];
    uint64_t units = quad_floor(load, 0);
    quad factor = options->number[MODEL_FACTOR];
    bool given = factor > 0;
    struct theory_farm *farm;

    if (load != (quad)units || units > UINT32_MAX) {
        return parse_report("--load", options->text[MODEL_LOAD],
                            "must be a whole number of 1 to 4294967295");
    }
    if (!given) {
        factor = theory_farm_factor(workers, units);
    }
    farm = theory_farm(workers, units, factor);
    if (farm == NULL) {
        return usage_error("--load '%s': more than %u chunks: must be less, or "
                           "a smaller --factor",
                           options->text[MODEL_LOAD], THEORY_CHUNKS_MAX);
    }
    model_print_farm(farm, load, factor, given, options->json);
    free(farm);
    return 0;
}

static int run_masters(const struct model_options *options,
                       const struct theory_workers *workers)
{
    struct theory_network network = {.startup = options->number[MODEL_STARTUP],
                                     .transfer =
                                         options->number[MODEL_TRANSFER],
                                     .compute = options->number[MODEL_COMPUTE],
                                     .scale = options->number[MODEL_SCALE]};
    struct theory_masters *masters;
    quad held = 0;

    for (size_t i = 0; i < workers->count; ++i) {
        held += workers->numbers[i][0];
    }
    if (held <= 0) {
        return usage_error("%s: all x are 0: one must be more", workers->path);
    }
    masters = theory_masters(workers, &network);
    if (masters == NULL) {
        return usage_error("--startup '%s': more than %u rounds: must be more, "
                           "or --scale less",
                           options->text[MODEL_STARTUP],
                           THEORY_MASTERS_ROUNDS_MAX);
    }
    model_print_masters(masters, options->json);
    free(masters);
    return 0;
}

/* ---- the rows ---- */

#define OF_STAR (1u << MODEL_STAR)
#define OF_RESULTS (1u << MODEL_RESULTS)
#define OF_FARM (1u << MODEL_FARM)
#define OF_MASTERS (1u << MODEL_MASTERS)

static unsigned kind_of(const void *options)
{
    return 1u << ((const struct model_options *)options)->platform;
}

/* One row for each enum model_key, in its order. */
static const struct option_row rows[MODEL_KEYS] = {
    {"load", "V", 1, OPTION_SET,
     OPTION_AT(struct model_options, number[MODEL_LOAD]),
     .help = "Units of the load; of a farm without those that calibration "
             "computed (required)",
     .of = OF_STAR | OF_RESULTS | OF_FARM, .required = true,
     .set = set_positive},
    {"master", "W0", 2, OPTION_SET,
     OPTION_AT(struct model_options, number[MODEL_MASTER]),
     .help = "The master computes too, W0 a unit (default: it does not)",
     .of = OF_STAR, .set = set_positive},
    {"installments", "M|umr|periodic", 2, OPTION_SET,
     OPTION_AT(struct model_options, rounds),
     .help = "Chunks for each worker: 1 (default) to 64; umr: as many uniform "
             "rounds as end first, for equal workers; periodic: equal periods, "
             "for long jobs",
     .of = OF_STAR, .set = set_installments},
    {"ratio", "D", 3, OPTION_SET,
     OPTION_AT(struct model_options, number[MODEL_RATIO]),
     .help = "Units of results for a unit of the load (required)",
     .of = OF_RESULTS, .required = true, .set = set_natural},
    {"factor", "K|auto", 4, OPTION_SET,
     OPTION_AT(struct model_options, number[MODEL_FACTOR]),
     .help = "A worker gets its part of the K-th part of what is left, its "
             "first chunk of the K-th part of the whole load; 1 or more; auto "
             "(default): ln(V)^CV, CV the times' coefficient of variation",
     .of = OF_FARM, .set = set_factor},
    {"startup", "A", 5, OPTION_SET,
     OPTION_AT(struct model_options, number[MODEL_STARTUP]),
     .help = "Startup of a transfer (required)", .of = OF_MASTERS,
     .required = true, .set = set_positive},
    {"transfer", "B", 5, OPTION_SET,
     OPTION_AT(struct model_options, number[MODEL_TRANSFER]),
     .help = "Time to transfer a unit (required)", .of = OF_MASTERS,
     .required = true, .set = set_positive},
    {"compute", "C", 5, OPTION_SET,
     OPTION_AT(struct model_options, number[MODEL_COMPUTE]),
     .help = "Time to compute a unit (required)", .of = OF_MASTERS,
     .required = true, .set = set_positive},
    {"scale", "S", 5, OPTION_SET,
     OPTION_AT(struct model_options, number[MODEL_SCALE]),
     .help = "All x are S times as many (default 1)", .of = OF_MASTERS,
     .set = set_positive},
    {"json", NULL, 6, OPTION_FLAG, OPTION_AT(struct model_options, json),
     .help = "Print one JSON object and nothing else"},
};

static const struct option_table table = {
    OPTION_ROWS(rows), .texts = offsetof(struct model_options, text),
    .kinds = kinds, .has = kind_of};

/* ---- the command ---- */

static const struct {
    struct theory_form form; /* columns of FILE */
    /* Plans, and prints the plan. Returns the exit status. */
    int (*run)(const struct model_options *options,
               const struct theory_workers *workers);
} platform[MODEL_PLATFORMS] = {
    [MODEL_STAR] = {{.words = "g w [G [W]]",
                     .column = {"g", "w", "G", "W"},
                     .positive = {true, true},
                     .least = 2,
                     .most = 4},
                    run_star},
    [MODEL_RESULTS] = {{.words = "C E",
                        .column = {"C", "E"},
                        .positive = {true, true},
                        .least = 2,
                        .most = 2},
                       run_results},
    [MODEL_FARM] = {{.words = "t",
                     .column = {"t"},
                     .positive = {true},
                     .least = 1,
                     .most = 1},
                    run_farm},
    [MODEL_MASTERS] = {{.words = "x", .column = {"x"}, .least = 1, .most = 1},
                       run_masters}};

static int run(void *own)
{
    const struct model_options *options = own;
    struct theory_workers workers;
    int status = theory_workers_read(&workers, options->path,
                                     &platform[options->platform].form);

    if (status == 0) {
        status = platform[options->platform].run(options, &workers);
    }
    return status;
}

const struct option_command model_command = {
    .name = "model",
    .summary = "stars, farms, several masters: the platforms of the literature",
    .words = "star|results|farm|masters FILE",
    .heading = {[1] = "star, results and farm:",
                [2] = "star, a line `g w [G [W]]' a worker:",
                [3] = "results, a line `C E' a worker (more than 5: of all "
                      "pairs of orders the best one found):",
                [4] = "farm, a line `t' a worker:",
                [5] = "masters, a line `x' (units held) a node:",
                [6] = "Of all:"},
    .part = {{&table, 0}},
    .word =
        &(const struct option_row){
            "argument", .type = OPTION_SET, OPTION_ALL, .set = take_word,
            .least = 2, .help = "star, results, farm or masters, and FILE"},
    .text =
        "Plan a load on the platforms of the literature: a star of workers, "
        "a star whose results come back, a farm that hands out chunks, "
        "several masters. FILE has a line of numbers for each "
        "worker; empty lines and what follows a # do not count.\vNumbers "
        "are decimal, or fractions such as 7/4. Times and units are of any "
        "kind, the same throughout."
        "\n\nExample:\n"
        "  quincunx model star star.txt --load 40 --master 2",
    .bytes = sizeof(struct model_options),
    .usual = &(const struct model_options){.platform = MODEL_PLATFORMS,
                                           .rounds = 1,
                                           .number[MODEL_SCALE] = 1},
    .run = run};
