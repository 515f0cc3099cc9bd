/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/model_options.h"

#include "qemu/base/option.h"
#include "qemu/theory/installments.h"
#include "qemu/theory/number.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/parse.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define OF_STAR (1u << MODEL_STAR)
#define OF_RESULTS (1u << MODEL_RESULTS)
#define OF_FARM (1u << MODEL_FARM)
#define OF_MASTERS (1u << MODEL_MASTERS)

static const char *const kinds[MODEL_PLATFORMS] = {
    [MODEL_STAR] = "model star",
    [MODEL_RESULTS] = "model results",
    [MODEL_FARM] = "model farm",
    [MODEL_MASTERS] = "model masters"};

/* ---- single options; each returns 0 or EXIT_USAGE after a message ---- */

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
               number <= THEORY_ROUNDS_MAX;
        *rounds = (unsigned)number;
    }
    return parse_report(option, text,
                        fine ? NULL : "must be 1 to 64, umr or periodic");
}

/* Takes the platform, then FILE. */
static int take_word(void *own, const char *text)
{
    struct model_options *options = own;
    unsigned i = 0;

    if (options->path != NULL) {
        return parse_report("argument", text, "model takes one FILE");
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

/* ---- the rows ---- */

static unsigned kind_of(const void *options)
{
    return 1u << ((const struct model_options *)options)->platform;
}

/* In the order of enum model_key. */
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

static const struct option_command command = {
    .name = "model",
    .words = "star|results|farm|masters FILE",
    .heading = {[1] = "star, results and farm:",
                [2] = "star, a line `g w [G [W]]' a worker:",
                [3] = "results, a line `C E' a worker (more than 5: of all "
                      "pairs of orders the best one found):",
                [4] = "farm, a line `t' a worker:",
                [5] = "masters, a line `x' (units held) a node:",
                [6] = "Of all:"},
    .part = {{&table, 0}},
    .word = take_word,
    .words_least = 2,
    .missing = "star, results, farm or masters, and FILE",
    .text =
        "Plan a load on the platforms of the literature: a star of workers, "
        "a star whose results come back, a farm that hands out chunks, "
        "several masters. FILE has a line of numbers for each "
        "worker; empty lines and what follows a # do not count.\vNumbers "
        "are decimal, or fractions such as 7/4. Times and units are of any "
        "kind, the same throughout."
        "\n\nExample:\n"
        "  quincunx model star star.txt --load 40 --master 2"};

int model_options_parse(struct model_options *options, int argc, char **argv)
{
    *options = (struct model_options){.platform = MODEL_PLATFORMS, .rounds = 1};
    options->number[MODEL_SCALE] = 1;
    return option_parse(&command, argc, argv, options);
}
