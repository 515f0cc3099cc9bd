/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/options/plan.h"

#include "qemu/options/guess.h"
#include "qemu/options/profile.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/parse.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

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
    {"layer-compute", PLAN_LAYER_COMPUTE, "T0,T1,...", 0,
     "In place of --compute: the time of a node of each layer, 0 to the "
     "torus's last",
     2},
    {"node-compute", PLAN_NODE_COMPUTE, "FILE", 0,
     "Nodes with a time of their own, as lines `X Y T'; the others take "
     "--compute (sides up to 625)",
     2},
    {"compute-power", PLAN_COMPUTE_POWER, "P", 0,
     "X units take --compute times X^P, such as 2 or 3/2 (default 1)", 2},
    {"unit", PLAN_UNIT, "BYTES", 0,
     "Bytes of a unit; --load may then be given in bytes, such as 1000000B", 2},
    {"hop-delay", PLAN_HOP_DELAY, "T", 0,
     "Extra startup for each hop of a circuit (default 0)", 2},
    {"profile", PLAN_PROFILE, "NAME|FILE", 0,
     "What a circuit costs, as with `run': t3d, lvds, uart, emulated, or a "
     "file, in place of --startup, --transfer (that of --unit bytes, or of "
     "one) and --hop-delay; any of these that is given overrules it",
     2},
    {"phases", PLAN_PHASES, "N", 0,
     "Use N phases (default: as many as give the smallest makespan)", 2},
    {"rounds", PLAN_ROUNDS, "R|auto", 0,
     "Send the load in R rounds, 1 (default) to 64; auto: as many as give the "
     "smallest makespan, up to 16, with --results the earliest results. Also "
     "prints similar rounds, R parts of one plan, and takes them where they "
     "end earlier",
     2},
    {"ports", PLAN_PORTS, "P", 0,
     "Ports that a node uses at once: 1, 2 or 4 (default); with --rounds, 1 or "
     "2 on sides up to 625. The table has means of a layer's shares and "
     "volumes, and its first receipt",
     2},
    {"results", PLAN_RESULTS, "P/Q", 0,
     "Results of P/Q units for each unit return to the originator (default: "
     "none; 0/1: results that take a startup, but no transfer). In one round "
     "while others compute; in several while later rounds are computed, or "
     "when all is, whichever is earlier. The makespan is when all is "
     "computed, `results' when all are back",
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
    "us, ns or ps. --transfer and --compute are times per unit."
    "\n\nExamples:\n"
    "  quincunx plan --torus 25 --load 1M --startup 4.85us \\\n"
    "      --transfer 3.3ns --compute 1us\n"
    "  quincunx plan --torus 25 --load 1M --profile t3d --compute 1us";

/* Options that are not modelled together. */
static const enum plan_key excluded[][2] = {
    {PLAN_ROUNDS, PLAN_LAYER_COMPUTE},
    {PLAN_ROUNDS, PLAN_COMPUTE_POWER},
    {PLAN_PORTS, PLAN_RESULTS},
    {PLAN_PORTS, PLAN_LAYER_COMPUTE},
    {PLAN_PORTS, PLAN_NODE_COMPUTE},
    {PLAN_PORTS, PLAN_COMPUTE_POWER},
    {PLAN_COMPUTE, PLAN_LAYER_COMPUTE},
    {PLAN_LAYER_COMPUTE, PLAN_NODE_COMPUTE},
    {PLAN_LAYER_COMPUTE, PLAN_COMPUTE_POWER},
    {PLAN_NODE_COMPUTE, PLAN_COMPUTE_POWER},
    {PLAN_NODE_COMPUTE, PLAN_RESULTS},
};

/* The option with this key. */
static const struct argp_option *option_of(enum plan_key key)
{
    const struct argp_option *option = descriptions;

    while (option->key != (int)key) {
        option += 1;
    }
    return option;
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

/* What the profile says, where no option does. */
static int apply_profile(struct plan_options *options)
{
    const struct profile *profile = &options->profile;
    uint64_t bytes = plan_given(options, PLAN_UNIT) ? options->unit_bytes : 1;

    if (!plan_given(options, PLAN_STARTUP)) {
        options->startup_ps = profile->startup_ps;
    }
    if (!plan_given(options, PLAN_HOP_DELAY)) {
        options->hop_delay_ps = profile->hop_delay_ps;
    }
    if (!plan_given(options, PLAN_TRANSFER) &&
        __builtin_mul_overflow(profile->transfer_ps, bytes,
                               &options->transfer_ps)) {
        fprintf(stderr,
                "quincunx: --unit '%s' and --profile '%s': a unit's transfer "
                "must be below 2^64 ps (213 days)\n",
                plan_text(options, PLAN_UNIT),
                plan_text(options, PLAN_PROFILE));
        return EINVAL;
    }
    return 0;
}

/* Whether another option stands for a required one. */
static bool is_replaced(const struct plan_options *options, enum plan_key key)
{
    switch (key) {
    case PLAN_COMPUTE:
        return plan_given(options, PLAN_LAYER_COMPUTE);
    case PLAN_STARTUP:
    case PLAN_TRANSFER:
        return plan_given(options, PLAN_PROFILE);
    default:
        return false;
    }
}

/* Prints each required option that is missing. Result: whether none is. */
static bool check_required(const struct plan_options *options)
{
    bool all = true;

    for (enum plan_key key = PLAN_TORUS; key <= PLAN_COMPUTE; ++key) {
        if (!plan_given(options, key) && !is_replaced(options, key)) {
            const struct argp_option *option = option_of(key);

            fprintf(stderr, "quincunx: plan needs --%s %s%s\n", option->name,
                    option->arg,
                    key == PLAN_STARTUP || key == PLAN_TRANSFER
                        ? ", or a --profile"
                        : "");
            all = false;
        }
    }
    return all;
}

/* "--name", or "--name 'value'". */
static void print_option(const struct plan_options *options, enum plan_key key)
{
    fputs("--", stderr);
    fputs(option_of(key)->name, stderr);
    if (option_of(key)->arg != NULL) {
        fprintf(stderr, " '%s'", plan_text(options, key));
    }
}

static bool check_compatible(const struct plan_options *options)
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

/* Whether the side is at most `most`, the limit if option `key` is given; else
   after a message. */
static bool side_fits(const struct plan_options *options, enum plan_key key,
                      unsigned most)
{
    if (!plan_given(options, key) || options->side <= most) {
        return true;
    }
    fprintf(stderr, "quincunx: --torus '%s': must be 1 to %u with --%s\n",
            plan_text(options, PLAN_TORUS), most, option_of(key)->name);
    return false;
}

/* Several rounds with fewer ports are planned for each kind of node. */
static bool members_fit(const struct plan_options *options)
{
    if (!plan_changes(options, PLAN_ROUNDS) ||
        !plan_changes(options, PLAN_PORTS) ||
        options->side <= PLAN_SIDE_NODE_COMPUTE_MAX) {
        return true;
    }
    fprintf(stderr,
            "quincunx: --torus '%s': must be 1 to %u with --rounds and "
            "--ports\n",
            plan_text(options, PLAN_TORUS), PLAN_SIDE_NODE_COMPUTE_MAX);
    return false;
}

static bool layers_fit(const struct plan_options *options)
{
    unsigned layers = options->phases_max + 1u;

    if (!plan_given(options, PLAN_LAYER_COMPUTE) ||
        options->layer_computes == layers) {
        return true;
    }
    fprintf(stderr,
            "quincunx: --layer-compute '%s': must be %u times, one for each "
            "layer of this torus, not %u\n",
            plan_text(options, PLAN_LAYER_COMPUTE), layers,
            options->layer_computes);
    return false;
}

/* Checks the options of `plan` together. */
static int check_plan(struct plan_options *options)
{
    if (!check_compatible(options)) {
        return EINVAL;
    }
    if (parse_report("--load", plan_text(options, PLAN_LOAD),
                     plan_value_load(options)) != 0) {
        return EINVAL;
    }
    return side_fits(options, PLAN_PER_NODE, TORUS_SIDE_MAX) &&
                   side_fits(options, PLAN_NODE_COMPUTE,
                             PLAN_SIDE_NODE_COMPUTE_MAX) &&
                   members_fit(options) && layers_fit(options)
               ? 0
               : EINVAL;
}

static error_t check_end(struct plan_options *options)
{
    if (!check_required(options) ||
        (plan_given(options, PLAN_PROFILE) && apply_profile(options) != 0) ||
        check_plan(options) != 0) {
        return EINVAL;
    }
    if (options->x >= options->side || options->y >= options->side) {
        fprintf(stderr, "quincunx: --originator '%s': must be 0,0 to %ju,%ju\n",
                plan_text(options, PLAN_ORIGINATOR),
                (uintmax_t)options->side - 1, (uintmax_t)options->side - 1);
        return EINVAL;
    }
    return 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct plan_options *options = state->input;
    char words[48];

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
    if (key == PLAN_PROFILE) {
        return profile_option_load(&options->profile, "--profile", text);
    }
    snprintf(words, sizeof words, "--%s", option_of((enum plan_key)key)->name);
    return parse_report(words, text,
                        plan_value_parse(options, (enum plan_key)key, text));
}

int plan_options_parse(struct plan_options *options, int argc, char **argv)
{
    static const struct argp argp = {
        .options = descriptions, .parser = parse_option, .doc = description};

    *options = (struct plan_options){.rounds = 1, .ports = TORUS_PORTS};
    return guess_parse(&argp, 0, argc, argv, options) == 0 ? 0 : EXIT_USAGE;
}
