/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/options/model.h"

#include "qemu/options/guess.h"
#include "qemu/papers/installments.h"
#include "qemu/papers/number.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/parse.h"
#include "qemu/support/quote.h"

#include <argp.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const platforms[] = {"star", "results", "farm", "masters"};

static const struct argp_option descriptions[] = {
    {NULL, 0, NULL, 0, "star, results and farm:", 1},
    {"load", MODEL_LOAD, "V", 0,
     "Units of the load; of a farm without those that calibration computed "
     "(required)",
     1},
    {NULL, 0, NULL, 0, "star, a line `g w [G [W]]' a worker:", 2},
    {"master", MODEL_MASTER, "W0", 0,
     "The master computes too, W0 a unit (default: it does not)", 2},
    {"installments", MODEL_INSTALLMENTS, "M|umr|periodic", 0,
     "Chunks for each worker: 1 (default) to 64; umr: as many uniform rounds "
     "as end first, for equal workers; periodic: equal periods, for long jobs",
     2},
    {NULL, 0, NULL, 0, "results, a line `C E' a worker:", 3},
    {"ratio", MODEL_RATIO, "D", 0,
     "Units of results for a unit of the load (required)", 3},
    {NULL, 0, NULL, 0, "farm, a line `t' a worker:", 4},
    {"factor", MODEL_FACTOR, "K|auto", 0,
     "A worker gets its part of the K-th part of what is left, its first chunk "
     "of the K-th part of the whole load; 1 or more; auto (default): ln(V)^CV, "
     "CV the times' coefficient of variation",
     4},
    {NULL, 0, NULL, 0, "masters, a line `x' (units held) a node:", 5},
    {"startup", MODEL_STARTUP, "A", 0, "Startup of a transfer (required)", 5},
    {"transfer", MODEL_TRANSFER, "B", 0, "Time to transfer a unit (required)",
     5},
    {"compute", MODEL_COMPUTE, "C", 0, "Time to compute a unit (required)", 5},
    {"scale", MODEL_SCALE, "S", 0, "All x are S times as many (default 1)", 5},
    {NULL, 0, NULL, 0, "Of all:", 6},
    {"json", MODEL_JSON, NULL, 0, "Print one JSON object and nothing else", 6},
    {0},
};

/* Which platforms have an option, and which need it: bits. */
#define OF(platform) (1u << (platform))
static const struct {
    unsigned of, needed;
} use[MODEL_KEYS - MODEL_LOAD] = {
    {OF(MODEL_STAR) | OF(MODEL_RESULTS) | OF(MODEL_FARM),
     OF(MODEL_STAR) | OF(MODEL_RESULTS) | OF(MODEL_FARM)},
    {OF(MODEL_STAR), 0},
    {OF(MODEL_STAR), 0},
    {OF(MODEL_RESULTS), OF(MODEL_RESULTS)},
    {OF(MODEL_FARM), 0},
    {OF(MODEL_MASTERS), OF(MODEL_MASTERS)},
    {OF(MODEL_MASTERS), OF(MODEL_MASTERS)},
    {OF(MODEL_MASTERS), OF(MODEL_MASTERS)},
    {OF(MODEL_MASTERS), 0},
    {~0u, 0},
};

static const char description[] =
    "Plan a load on the platforms of the literature, exactly: a star of "
    "workers, a star whose results come back, a farm that hands out chunks, "
    "several masters. FILE has a line of numbers for each worker; empty lines "
    "and what follows a # do not count.\vNumbers are decimal, or fractions "
    "such as 7/4. Times and units are of any kind, the same throughout."
    "\n\nExample:\n"
    "  quincunx model star star.txt --load 40 --master 2";

static const struct argp_option *option_of(enum model_key key)
{
    const struct argp_option *option = descriptions;

    while (option->key != (int)key) {
        option += 1;
    }
    return option;
}

mpq_srcptr model_number(const struct model_options *options, enum model_key key)
{
    return options->number[key - MODEL_LOAD];
}

const char *model_text(const struct model_options *options, enum model_key key)
{
    return options->text[key - MODEL_LOAD];
}

static const char *parse_installments(struct model_options *options,
                                      const char *text)
{
    uint64_t rounds;

    if (strcmp(text, "umr") == 0) {
        options->rounds = MODEL_UMR;
    } else if (strcmp(text, "periodic") == 0) {
        options->rounds = MODEL_PERIODIC;
    } else if (parse_count(text, &rounds) != NULL || rounds < 1 ||
               rounds > PAPERS_ROUNDS_MAX) {
        return "must be 1 to 64, umr or periodic";
    } else {
        options->rounds = (unsigned)rounds;
    }
    return NULL;
}

static const char *parse_factor(mpq_t value, const char *text)
{
    if (strcmp(text, "auto") == 0) {
        return NULL;
    }
    return papers_number_parse(value, text) != NULL ||
                   mpq_cmp_ui(value, 1, 1) < 0
               ? "must be a number of 1 or more, or auto"
               : NULL;
}

/* Result: NULL, or what is allowed. */
static const char *parse_value(struct model_options *options,
                               enum model_key key, const char *text)
{
    mpq_ptr value = options->number[key - MODEL_LOAD];

    switch (key) {
    case MODEL_JSON:
        return NULL;
    case MODEL_INSTALLMENTS:
        return parse_installments(options, text);
    case MODEL_FACTOR:
        return parse_factor(value, text);
    case MODEL_RATIO:
        return papers_number_natural(value, text);
    default:
        return papers_number_positive(value, text);
    }
}

static int parse_argument(struct model_options *options, const char *text,
                          unsigned place)
{
    unsigned i = 0;

    if (place == 1) {
        options->path = text;
        return 0;
    }
    if (place > 1) {
        return parse_report("argument", text, "model takes one FILE");
    }
    while (i < MODEL_PLATFORMS && strcmp(text, platforms[i]) != 0) {
        i += 1;
    }
    options->platform = (enum model_platform)i;
    return i < MODEL_PLATFORMS
               ? 0
               : parse_report("model", text,
                              "must be star, results, farm or masters");
}

/* Prints each option that is missing or of another platform. Result: whether
   there is none. */
static bool check_use(const struct model_options *options)
{
    const char *name = platforms[options->platform];
    bool good = true;

    for (unsigned i = 0; i < MODEL_KEYS - MODEL_LOAD; ++i) {
        const struct argp_option *option =
            option_of((enum model_key)(MODEL_LOAD + i));
        bool given = options->text[i] != NULL;

        if (given && (use[i].of & OF(options->platform)) == 0) {
            fprintf(stderr, "quincunx: --%s '%s': not of model %s\n",
                    option->name, quote_shown(options->text[i]), name);
            good = false;
        }
        if (!given && (use[i].needed & OF(options->platform)) != 0) {
            fprintf(stderr, "quincunx: model %s needs --%s %s\n", name,
                    option->name, option->arg);
            good = false;
        }
    }
    return good;
}

static error_t check_end(const struct model_options *options)
{
    if (options->path == NULL) {
        fputs("quincunx: model needs star, results, farm or masters, and "
              "FILE\n",
              stderr);
        return EINVAL;
    }
    return check_use(options) ? 0 : EINVAL;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct model_options *options = state->input;
    char name[32];

    if (key == ARGP_KEY_ARG) {
        return parse_argument(options, text, state->arg_num);
    }
    if (key == ARGP_KEY_END) {
        return check_end(options);
    }
    if (key < MODEL_LOAD || key >= MODEL_KEYS) {
        return ARGP_ERR_UNKNOWN;
    }
    options->text[key - MODEL_LOAD] = text == NULL ? "" : text;
    snprintf(name, sizeof name, "--%s", option_of((enum model_key)key)->name);
    return parse_report(name, text,
                        parse_value(options, (enum model_key)key, text));
}

int model_options_parse(struct model_options *options, int argc, char **argv)
{
    static const struct argp argp = {.options = descriptions,
                                     .parser = parse_option,
                                     .args_doc =
                                         "star|results|farm|masters FILE",
                                     .doc = description};

    *options = (struct model_options){.rounds = 1};
    for (unsigned i = 0; i < MODEL_KEYS - MODEL_LOAD; ++i) {
        mpq_init(options->number[i]);
    }
    mpq_set_ui(options->number[MODEL_SCALE - MODEL_LOAD], 1, 1);
    return guess_parse(&argp, 0, argc, argv, options) == 0 ? 0 : EXIT_USAGE;
}

void model_options_free(struct model_options *options)
{
    for (unsigned i = 0; i < MODEL_KEYS - MODEL_LOAD; ++i) {
        mpq_clear(options->number[i]);
    }
}
