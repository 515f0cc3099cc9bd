/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/options/simulate.h"

#include "qemu/options/plan_values.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/parse.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct argp_option descriptions[] = {
    {NULL, 0, NULL, 0, "Required:", 1},
    {"torus", PLAN_TORUS, "SIDE", 0, "Side of the torus: 5^k, 1 to 3125", 1},
    {"load", PLAN_LOAD, "UNITS", 0,
     "Units of the load, such as 1000000 or 10M, below 2^32", 1},
    {"startup", PLAN_STARTUP, "T", 0,
     "Time to set a circuit up, such as 4.85us", 1},
    {"transfer", PLAN_TRANSFER, "T", 0, "Time to move one unit over a circuit",
     1},
    {"compute", PLAN_COMPUTE, "T", 0, "Time for one node to process one unit",
     1},
    {NULL, 0, NULL, 0, "Optional:", 2},
    {"hop-delay", PLAN_HOP_DELAY, "T", 0,
     "Extra startup for each hop of a circuit (default 0)", 2},
    {"profile", PLAN_PROFILE, "NAME|FILE", 0,
     "What a circuit costs, as with `run': t3d, lvds, uart, emulated, or a "
     "file, in place of --startup, --transfer (that of one byte) and "
     "--hop-delay; any of these that is given overrules it",
     2},
    {"phases", PLAN_PHASES, "N", 0,
     "Use N phases (default: as many as are feasible, which is best but for "
     "the rounding to whole units: with parts of few units fewer phases may "
     "end earlier)",
     2},
    {"rounds", PLAN_ROUNDS, "R", 0,
     "Send the load in R rounds; this release simulates 1", 2},
    {"originator", PLAN_ORIGINATOR, "X,Y", 0,
     "Node that holds the load (default 0,0)", 2},
    {"per-node", PLAN_PER_NODE, NULL, 0,
     "Also print what every node received, computed, and when", 2},
    {"json", PLAN_JSON, NULL, 0, "Print one JSON object and nothing else", 2},
    {0},
};

static const char description[] =
    "Simulate how a divisible load is scattered over a torus of boards, node "
    "by node, in whole units: every circuit is set up over its links, every "
    "node splits what it received as the firmware does. Checks that each node "
    "is reached once, that nothing is lost, that the circuits of a phase share "
    "no link, and that the last node ends when the model says.\vTimes take a "
    "suffix: s, ms, us, ns or ps. --transfer and --compute are times per unit. "
    "Exit status: 0, or 1 if a check failed."
    "\n\nExample:\n"
    "  quincunx simulate --torus 3125 --load 4G --startup 4.85us \\\n"
    "      --transfer 3.3ns --compute 1us";

/* A time per unit of at least `least_ps`. */
static const char *parse_unit_time(uint64_t *time_ps, const char *text,
                                   uint64_t least_ps)
{
    const char *allowed = parse_time_ps(text, time_ps);

    if (allowed == NULL &&
        (*time_ps < least_ps || *time_ps > PLANNER_TIME_MAX_PS)) {
        allowed = least_ps == 0 ? "must be 0 to 1099511627776ps (1.1 s)"
                                : "must be 1ps to 1099511627776ps (1.1 s)";
    }
    return allowed;
}

static const char *parse_torus(struct plan_options *options, const char *text)
{
    struct torus_size size;
    const char *allowed = parse_side(text, &size);

    return allowed == NULL ? plan_value_parse(options, PLAN_TORUS, text)
                           : allowed;
}

static const char *parse_load(struct plan_options *options, const char *text)
{
    const char *allowed = parse_size(text, &options->load_units);

    return allowed == NULL && (options->load_units == 0 ||
                               options->load_units > PLANNER_UNITS_MAX)
               ? "must be 1 to 4294967295 units"
               : allowed;
}

/* Plan's values, but for what the firmware's planner does not take. */
static const char *parse_value(struct plan_options *options, enum plan_key key,
                               const char *text)
{
    switch (key) {
    case PLAN_TORUS:
        return parse_torus(options, text);
    case PLAN_LOAD:
        return parse_load(options, text);
    case PLAN_TRANSFER:
        return parse_unit_time(&options->transfer_ps, text, 0);
    case PLAN_COMPUTE:
        return parse_unit_time(&options->compute_ps, text, 1);
    case PLAN_ROUNDS:
        return strcmp(text, "1") == 0
                   ? NULL
                   : "must be 1: this release simulates one round";
    default:
        return plan_value_parse(options, key, text);
    }
}

int simulate_options_parse(struct plan_options *options, int argc, char **argv)
{
    static const struct plan_syntax syntax = {.command = "simulate",
                                              .description = description,
                                              .options = descriptions,
                                              .parse = parse_value,
                                              .long_running = true};

    return plan_options_parse_as(options, &syntax, argc, argv);
}

static int refuse_startup(const struct plan_options *options, unsigned phase)
{
    fprintf(stderr,
            "quincunx: --startup '%" PRIu64 "ps' and --hop-delay '%" PRIu64
            "ps': the startup of phase %u must be at most 2^50 ps (18 "
            "minutes)\n",
            options->startup_ps, options->hop_delay_ps, phase);
    return EXIT_USAGE;
}

int simulate_options_inputs(struct planner_input *planner,
                            struct model_input *model,
                            const struct plan_options *options)
{
    int status = plan_options_input(model, options);

    *planner = (struct planner_input){
        .load_units = (uint32_t)options->load_units,
        .compute_ps = options->compute_ps,
        .transfer_ps = options->transfer_ps,
        .phases_max = options->phases_max,
    };
    for (unsigned i = 0; status == 0 && i < options->phases_max; ++i) {
        planner->startup_ps[i] = model->startup_ps[i];
        if (model->startup_ps[i] > PLANNER_STARTUP_MAX_PS) {
            status = refuse_startup(options, i + 1);
        }
    }
    return status;
}
