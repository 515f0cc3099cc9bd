/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/plan_options.h"

#include "qemu/parse.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* In the order of enum plan_key, after a heading: option_of(). */
static const struct argp_option descriptions[] = {
    {NULL, 0, NULL, 0, "Required:", 1},
    {"torus", PLAN_TORUS, "SIDE", 0, "Side of the torus: 5^k, 1 to 9765625", 1},
    {"load", PLAN_LOAD, "UNITS", 0, "Units of the load, such as 1000000 or 10M",
     1},
    {"startup", PLAN_STARTUP, "T", 0,
     "Time to set a circuit up, such as 4.85us", 1},
    {"transfer", PLAN_TRANSFER, "T", 0, "Time to move one unit over a circuit",
     1},
    {"compute", PLAN_COMPUTE, "T", 0, "Time for one node to process one unit",
     1},
    {"hop-delay", PLAN_HOP_DELAY, "T", 0,
     "Extra startup for each hop of a circuit (default 0)", 2},
    {"phases", PLAN_PHASES, "N", 0,
     "Use N phases (default: as many as give the smallest makespan)", 2},
    {"rounds", PLAN_ROUNDS, "R|auto", 0,
     "Send the load in R rounds, 1 (default) to 64; auto: as many as give the "
     "smallest makespan, up to 16",
     2},
    {"ports", PLAN_PORTS, "P", 0,
     "Ports that a node uses at once: 1, 2 or 4 (default)", 2},
    {"results", PLAN_RESULTS, "P/Q", 0,
     "Results of P/Q units for each unit return to the originator (default: "
     "none; 0/1: results whose startup alone takes time)",
     2},
    {"switching", PLAN_SWITCHING, "HOW", 0,
     "circuit (default) or store-and-forward", 2},
    {"originator", PLAN_ORIGINATOR, "X,Y", 0,
     "Node that holds the load (default 0,0)", 2},
    {"per-node", PLAN_PER_NODE, NULL, 0,
     "Also print every node's share (sides up to 3125)", 2},
    {"json", PLAN_JSON, NULL, 0, "Print one JSON object and nothing else", 2},
    {NULL, 0, NULL, 0, "Optional:", 2},
    {0},
};

static const char description[] =
    "Plan how a divisible load is scattered over a torus of boards: the share "
    "of every layer, and the makespan, exactly.\vTimes take a suffix: s, ms, "
    "us, ns or ps. --transfer and --compute are times per unit.";

/* Options that are not modelled together. */
static const enum plan_key excluded[][2] = {
    {PLAN_ROUNDS, PLAN_RESULTS},
    {PLAN_ROUNDS, PLAN_PORTS},
    {PLAN_PORTS, PLAN_RESULTS},
};

static const struct argp_option *option_of(enum plan_key key)
{
    return &descriptions[key - PLAN_TORUS + 1];
}

static const char *text_of(const struct plan_options *options,
                           enum plan_key key)
{
    return options->text[key - PLAN_TORUS];
}

bool plan_given(const struct plan_options *options, enum plan_key key)
{
    return text_of(options, key) != NULL;
}

/* Whether the option asks for something else than its default. */
static bool plan_changes(const struct plan_options *options, enum plan_key key)
{
    switch (key) {
    case PLAN_ROUNDS:
        return options->rounds != 1;
    case PLAN_PORTS:
        return options->ports != TORUS_PORTS;
    default:
        return plan_given(options, key);
    }
}

static const char *parse_load(struct plan_options *options, const char *text)
{
    const char *allowed = parse_size(text, &options->load_units);

    if (allowed == NULL &&
        (options->load_units == 0 || options->load_units > INT64_MAX)) {
        allowed = "must be 1 to 9223372036854775807 units";
    }
    return allowed;
}

static const char *parse_compute(struct plan_options *options, const char *text)
{
    const char *allowed = parse_time_ps(text, &options->compute_ps);

    if (allowed == NULL && options->compute_ps == 0) {
        allowed = "must be 1ps or more";
    }
    return allowed;
}

static const char *parse_rounds(struct plan_options *options, const char *text)
{
    uint64_t rounds = 0;

    if (strcmp(text, "auto") != 0 &&
        (parse_count(text, &rounds) != NULL || rounds == 0 ||
         rounds > MODEL_ROUNDS_MAX)) {
        return "must be 1 to 64, or auto";
    }
    options->rounds = rounds;
    return NULL;
}

static const char *parse_ports(struct plan_options *options, const char *text)
{
    bool number = parse_count(text, &options->ports) == NULL;

    return number && (options->ports == 1 || options->ports == 2 ||
                      options->ports == TORUS_PORTS)
               ? NULL
               : "must be 1, 2 or 4";
}

static const char *parse_switching(struct plan_options *options,
                                   const char *text)
{
    options->store_and_forward = strcmp(text, "store-and-forward") == 0;
    return options->store_and_forward || strcmp(text, "circuit") == 0
               ? NULL
               : "must be circuit or store-and-forward";
}

static const char *parse_torus(struct plan_options *options, const char *text)
{
    uint64_t side = 1;

    if (parse_count(text, &options->side) == NULL) {
        options->phases_max = 0;
        for (; side < options->side && side < PLAN_SIDE_MAX; side *= 5) {
            options->phases_max = (uint8_t)(options->phases_max + 2);
        }
        if (side == options->side) {
            return NULL;
        }
    }
    return "must be a power of five, 1, 5, 25 ... 9765625";
}

static const char *parse_value(struct plan_options *options, enum plan_key key,
                               const char *text)
{
    switch (key) {
    case PLAN_TORUS:
        return parse_torus(options, text);
    case PLAN_LOAD:
        return parse_load(options, text);
    case PLAN_STARTUP:
        return parse_time_ps(text, &options->startup_ps);
    case PLAN_TRANSFER:
        return parse_time_ps(text, &options->transfer_ps);
    case PLAN_COMPUTE:
        return parse_compute(options, text);
    case PLAN_HOP_DELAY:
        return parse_time_ps(text, &options->hop_delay_ps);
    case PLAN_PHASES:
        return parse_count(text, &options->phases);
    case PLAN_ROUNDS:
        return parse_rounds(options, text);
    case PLAN_PORTS:
        return parse_ports(options, text);
    case PLAN_RESULTS:
        return parse_ratio(text, &options->results_numerator,
                           &options->results_denominator);
    case PLAN_SWITCHING:
        return parse_switching(options, text);
    case PLAN_ORIGINATOR:
        return parse_point(text, &options->x, &options->y);
    default:
        return NULL; /* a flag */
    }
}

/* Complains of each option that is missing. */
static bool complete(const struct plan_options *options)
{
    bool all = true;

    for (enum plan_key key = PLAN_TORUS; key <= PLAN_COMPUTE; ++key) {
        if (!plan_given(options, key)) {
            fprintf(stderr, "quincunx: plan needs --%s %s\n",
                    option_of(key)->name, option_of(key)->arg);
            all = false;
        }
    }
    return all;
}

/* "--name", or "--name 'value'". */
static void print_option(const struct plan_options *options, enum plan_key key)
{
    fprintf(stderr, "--%s", option_of(key)->name);
    if (option_of(key)->arg != NULL) {
        fprintf(stderr, " '%s'", text_of(options, key));
    }
}

static bool compatible(const struct plan_options *options)
{
    for (size_t i = 0; i < sizeof excluded / sizeof *excluded; ++i) {
        if (plan_changes(options, excluded[i][0]) &&
            plan_changes(options, excluded[i][1])) {
            fputs("quincunx: ", stderr);
            print_option(options, excluded[i][0]);
            fputs(" and ", stderr);
            print_option(options, excluded[i][1]);
            fputs(" are not modelled together\n", stderr);
            return false;
        }
    }
    return true;
}

static error_t check_end(const struct plan_options *options)
{
    if (!complete(options) || !compatible(options)) {
        return EINVAL;
    }
    if (options->x >= options->side || options->y >= options->side) {
        fprintf(stderr, "quincunx: --originator '%s': must be 0,0 to %ju,%ju\n",
                text_of(options, PLAN_ORIGINATOR), (uintmax_t)options->side - 1,
                (uintmax_t)options->side - 1);
        return EINVAL;
    }
    if (plan_given(options, PLAN_PER_NODE) && options->side > TORUS_SIDE_MAX) {
        fprintf(stderr,
                "quincunx: --torus '%s': must be 1 to 3125 with --per-node\n",
                text_of(options, PLAN_TORUS));
        return EINVAL;
    }
    return 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct plan_options *options = state->input;
    char name[32];

    if (key == ARGP_KEY_ARG) {
        return parse_report("argument", text, "plan takes only options");
    }
    if (key == ARGP_KEY_END) {
        return check_end(options);
    }
    if (key < PLAN_TORUS || key >= PLAN_KEYS) {
        return ARGP_ERR_UNKNOWN;
    }
    options->text[key - PLAN_TORUS] = text == NULL ? "" : text;
    snprintf(name, sizeof name, "--%s", option_of((enum plan_key)key)->name);
    return parse_report(name, text,
                        parse_value(options, (enum plan_key)key, text));
}

int plan_options_parse(struct plan_options *options, int argc, char **argv)
{
    struct argp argp = {descriptions, parse_option, NULL, description,
                        NULL,         NULL,         NULL};

    *options = (struct plan_options){.rounds = 1, .ports = TORUS_PORTS};
    argp_err_exit_status = 2;
    return argp_parse(&argp, argc, argv, 0, NULL, options) == 0 ? 0 : 2;
}

/* What phase `phase` costs; false if its startup leaves 64 bits. */
static bool set_phase(struct model_input *input,
                      const struct plan_options *options, unsigned phase)
{
    uint64_t hops = options->side;
    uint64_t stages;
    uint64_t delay_ps;

    for (unsigned step = 0; step < (phase + 1) / 2; ++step) {
        hops /= 5;
    }
    hops *= phase % 2 == 1 ? 3 : 1;
    /* A stage is a circuit of one hop, or the whole path. */
    stages = options->store_and_forward ? hops : 1;
    input->stages[phase - 1] = (uint32_t)stages;
    return !__builtin_mul_overflow(options->hop_delay_ps, hops / stages,
                                   &delay_ps) &&
           !__builtin_add_overflow(options->startup_ps, delay_ps,
                                   &input->startup_ps[phase - 1]);
}

int plan_options_input(struct model_input *input,
                       const struct plan_options *options)
{
    *input = (struct model_input){
        .load_units = options->load_units,
        .compute_ps = options->compute_ps,
        .transfer_ps = options->transfer_ps,
        .results_numerator = options->results_numerator,
        .results_denominator = options->results_denominator,
        .phases_max = options->phases_max,
        .phases_fixed = plan_given(options, PLAN_PHASES),
        .phases_want = options->phases > MODEL_PHASES_MAX
                           ? MODEL_PHASES_MAX + 1
                           : (uint8_t)options->phases,
    };
    for (unsigned phase = 1; phase <= input->phases_max; ++phase) {
        if (!set_phase(input, options, phase)) {
            fprintf(stderr,
                    "quincunx: --startup '%s' and --hop-delay '%s': the "
                    "startup of phase %u must be below 2^64 ps (213 days)\n",
                    text_of(options, PLAN_STARTUP),
                    text_of(options, PLAN_HOP_DELAY), phase);
            return 2;
        }
    }
    return 0;
}
