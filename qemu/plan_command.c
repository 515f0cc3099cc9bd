/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/plan_command.h"

#include "qemu/model.h"
#include "qemu/parse.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum key {
    KEY_TORUS = 256,
    KEY_LOAD,
    KEY_STARTUP,
    KEY_TRANSFER,
    KEY_COMPUTE,
    KEY_HOP_DELAY,
    KEY_PHASES,
    KEY_ROUNDS,
    KEY_PORTS,
    KEY_RESULTS,
    KEY_SWITCHING,
    KEY_PER_NODE,
    KEY_ORIGINATOR,
    KEY_JSON,
    KEYS
};

struct options {
    bool given[KEYS - KEY_TORUS];
    struct torus_size size;
    uint64_t load_units;
    uint64_t startup_ps;
    uint64_t transfer_ps;
    uint64_t compute_ps;
    uint64_t hop_delay_ps;
    uint64_t phases;
    uint32_t results_numerator;
    uint32_t results_denominator;
    bool store_and_forward;
    bool per_node;
    bool json;
    struct torus_coord originator;
};

/* The required ones first, in the order of enum key: check_end(). */
static const struct argp_option descriptions[] = {
    {NULL, 0, NULL, 0, "Required:", 1},
    {"torus", KEY_TORUS, "SIDE", 0, "Side of the torus: 5^k, 1 to 3125", 1},
    {"load", KEY_LOAD, "UNITS", 0, "Units of the load, such as 1000000 or 10M",
     1},
    {"startup", KEY_STARTUP, "T", 0, "Time to set a circuit up, such as 4.85us",
     1},
    {"transfer", KEY_TRANSFER, "T", 0, "Time to move one unit over a circuit",
     1},
    {"compute", KEY_COMPUTE, "T", 0, "Time for one node to process one unit",
     1},
    {NULL, 0, NULL, 0, "Optional:", 2},
    {"hop-delay", KEY_HOP_DELAY, "T", 0,
     "Extra startup for each hop of a circuit (default 0)", 2},
    {"phases", KEY_PHASES, "N", 0,
     "Use N phases (default: as many as are feasible, which is best)", 2},
    {"rounds", KEY_ROUNDS, "R|auto", 0,
     "Send the load in R rounds; this release plans 1", 2},
    {"ports", KEY_PORTS, "P", 0,
     "Ports that a node uses at once; this release plans 4", 2},
    {"results", KEY_RESULTS, "P/Q", 0,
     "Results of P/Q units for each unit return to the originator (default: "
     "none; 0/1: results whose startup alone takes time)",
     2},
    {"switching", KEY_SWITCHING, "HOW", 0,
     "circuit (default) or store-and-forward", 2},
    {"originator", KEY_ORIGINATOR, "X,Y", 0,
     "Node that holds the load (default 0,0)", 2},
    {"per-node", KEY_PER_NODE, NULL, 0, "Also print every node's share", 2},
    {"json", KEY_JSON, NULL, 0, "Print one JSON object and nothing else", 2},
    {0},
};

static const char description[] =
    "Plan how a divisible load is scattered over a torus of boards: the share "
    "of every layer, and the makespan, exactly.\vTimes take a suffix: s, ms, "
    "us, ns or ps. --transfer and --compute are times per unit.";

/* Options. */

static int parse_load(struct options *options, const char *text)
{
    const char *allowed = parse_size(text, &options->load_units);

    if (allowed == NULL &&
        (options->load_units == 0 || options->load_units > INT64_MAX)) {
        allowed = "must be 1 to 9223372036854775807 units";
    }
    return parse_report("--load", text, allowed);
}

static int parse_compute(struct options *options, const char *text)
{
    const char *allowed = parse_time_ps(text, &options->compute_ps);

    if (allowed == NULL && options->compute_ps == 0) {
        allowed = "must be 1ps or more";
    }
    return parse_report("--compute", text, allowed);
}

static int parse_rounds(const char *text)
{
    bool allowed = strcmp(text, "1") == 0 || strcmp(text, "auto") == 0;

    return parse_report("--rounds", text,
                        allowed ? NULL
                                : "must be 1 or auto (which is 1): this "
                                  "release plans one round");
}

static int parse_ports(const char *text)
{
    return parse_report("--ports", text,
                        strcmp(text, "4") == 0
                            ? NULL
                            : "must be 4: this release plans four ports that "
                              "work at once");
}

static int parse_switching(struct options *options, const char *text)
{
    options->store_and_forward = strcmp(text, "store-and-forward") == 0;
    return parse_report("--switching", text,
                        options->store_and_forward ||
                                strcmp(text, "circuit") == 0
                            ? NULL
                            : "must be circuit or store-and-forward");
}

static int check_end(const struct options *options)
{
    bool complete = true;

    for (int key = KEY_TORUS; key <= KEY_COMPUTE; ++key) {
        const struct argp_option *option = &descriptions[key - KEY_TORUS + 1];

        if (!options->given[key - KEY_TORUS]) {
            fprintf(stderr, "quincunx: plan needs --%s %s\n", option->name,
                    option->arg);
            complete = false;
        }
    }
    if (!complete) {
        return EINVAL;
    }
    return parse_report_outside("--originator", options->originator,
                                options->size);
}

static int parse_value(struct options *options, int key, const char *text)
{
    switch (key) {
    case KEY_TORUS:
        return parse_report("--torus", text, parse_side(text, &options->size));
    case KEY_LOAD:
        return parse_load(options, text);
    case KEY_STARTUP:
        return parse_report("--startup", text,
                            parse_time_ps(text, &options->startup_ps));
    case KEY_TRANSFER:
        return parse_report("--transfer", text,
                            parse_time_ps(text, &options->transfer_ps));
    case KEY_COMPUTE:
        return parse_compute(options, text);
    case KEY_HOP_DELAY:
        return parse_report("--hop-delay", text,
                            parse_time_ps(text, &options->hop_delay_ps));
    case KEY_PHASES:
        return parse_report("--phases", text,
                            parse_count(text, &options->phases));
    case KEY_ROUNDS:
        return parse_rounds(text);
    case KEY_PORTS:
        return parse_ports(text);
    case KEY_RESULTS:
        return parse_report("--results", text,
                            parse_ratio(text, &options->results_numerator,
                                        &options->results_denominator));
    case KEY_SWITCHING:
        return parse_switching(options, text);
    case KEY_ORIGINATOR:
        return parse_report("--originator", text,
                            parse_coord(text, &options->originator));
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;

    if (key >= KEY_TORUS && key < KEYS) {
        options->given[key - KEY_TORUS] = true;
    }
    switch (key) {
    case ARGP_KEY_ARG:
        return parse_report("argument", text, "plan takes only options");
    case ARGP_KEY_END:
        return check_end(options);
    case KEY_PER_NODE:
        options->per_node = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    default:
        return parse_value(options, key, text);
    }
}

/* The plan. */

/* What phase `phase` costs; false if its startup leaves 64 bits. */
static bool set_phase(struct model_input *input, const struct options *options,
                      unsigned phase)
{
    uint32_t hops =
        torus_path_hops(torus_phase_path(options->size, phase, TORUS_EAST));
    uint32_t stages = options->store_and_forward ? hops : 1;
    uint64_t delay_ps;

    /* A stage is a circuit of one hop, or the whole path. */
    input->stages[phase - 1] = stages;
    return !__builtin_mul_overflow(options->hop_delay_ps,
                                   (uint64_t)(hops / stages), &delay_ps) &&
           !__builtin_add_overflow(options->startup_ps, delay_ps,
                                   &input->startup_ps[phase - 1]);
}

static int set_input(struct model_input *input, const struct options *options)
{
    *input = (struct model_input){
        .load_units = options->load_units,
        .compute_ps = options->compute_ps,
        .transfer_ps = options->transfer_ps,
        .results_numerator = options->results_numerator,
        .results_denominator = options->results_denominator,
        .phases_max = (uint8_t)torus_phases(options->size),
    };
    for (unsigned phase = 1; phase <= input->phases_max; ++phase) {
        if (!set_phase(input, options, phase)) {
            fprintf(stderr,
                    "quincunx: --startup and --hop-delay: the startup of "
                    "phase %u must be below 2^64 ps (213 days)\n",
                    phase);
            return 2;
        }
    }
    if (options->given[KEY_PHASES - KEY_TORUS]) {
        input->phases_fixed = 1;
        input->phases_want = options->phases > MODEL_PHASES_MAX
                                 ? MODEL_PHASES_MAX + 1
                                 : (uint8_t)options->phases;
    }
    return 0;
}

/* Result: the exit status. */
static int make_plan(struct model_plan *plan, const struct options *options)
{
    struct model_input input;
    int status = set_input(&input, options);

    if (status != 0) {
        return status;
    }
    switch (model_plan(plan, &input)) {
    case ERR_OK:
        return 0;
    case ERR_PHASES:
        fprintf(stderr,
                "quincunx: --phases '%" PRIu64 "': infeasible: the largest "
                "feasible N is %u (this torus has %u phases)\n",
                options->phases, plan->phases_feasible, input.phases_max);
        return 2;
    default:
        fputs("quincunx: the makespan must be below 2^63 ps (106 days): a "
              "smaller --load or --compute is needed\n",
              stderr);
        return 2;
    }
}

static uint32_t node_count(const struct options *options)
{
    return (uint32_t)options->size.width * options->size.height;
}

static uint32_t active_nodes(const struct model_plan *plan)
{
    uint32_t nodes = 0;

    for (unsigned layer = 0; layer <= plan->phases; ++layer) {
        nodes += torus_layer_nodes(layer);
    }
    return nodes;
}

/* All nodes' shares, to be freed; NULL after a message. */
static struct model_node *make_nodes(const struct model_plan *plan,
                                     const struct options *options)
{
    struct model_node *nodes = malloc(node_count(options) * sizeof *nodes);

    if (nodes == NULL ||
        model_spread(nodes, plan, options->load_units, options->size,
                     options->originator) != ERR_OK) {
        fprintf(stderr, "quincunx: no memory for the shares of %u nodes\n",
                node_count(options));
        free(nodes);
        return NULL;
    }
    return nodes;
}

/* JSON. */

static json_t *layers_json(const struct model_plan *plan)
{
    json_t *layers = json_array();

    for (unsigned i = 0; i <= plan->phases; ++i) {
        json_array_append_new(
            layers,
            json_pack("{s:I, s:I, s:f, s:f, s:I}", "layer", (json_int_t)i,
                      "nodes", (json_int_t)torus_layer_nodes(i), "share_units",
                      plan->share_units[i], "volume_units",
                      plan->volume_units[i], "received_ps",
                      (json_int_t)plan->end_ps[i]));
    }
    return layers;
}

static json_t *plan_json(const struct model_plan *plan,
                         const struct options *options)
{
    return json_pack(
        "{s:{s:i, s:I}, s:[i, i], s:I, s:i, s:i, s:i, s:I, s:I, s:f, s:o}",
        "torus", "side", options->size.width, "nodes",
        (json_int_t)node_count(options), "originator", options->originator.x,
        options->originator.y, "load_units", (json_int_t)options->load_units,
        "phases", plan->phases, "phases_feasible", plan->phases_feasible,
        "rounds", 1, "active_nodes", (json_int_t)active_nodes(plan),
        "makespan_ps", (json_int_t)plan->makespan_ps, "speedup", plan->speedup,
        "layers", layers_json(plan));
}

/* Ten million nodes as jansson values would take gigabytes: one by one. */
static void print_nodes_json(const struct model_node *nodes,
                             const struct options *options)
{
    uint32_t count = node_count(options);

    fputs(", \"per_node\": [", stdout);
    for (uint32_t i = 0; i < count; ++i) {
        struct torus_coord at = torus_coord_of(options->size, i);

        printf("%s{\"x\": %d, \"y\": %d, \"layer\": %d, \"units\": %" PRIu64
               "}",
               i == 0 ? "" : ", ", at.x, at.y, nodes[i].layer, nodes[i].units);
    }
    putchar(']');
}

static void print_json(const struct model_plan *plan,
                       const struct model_node *nodes,
                       const struct options *options)
{
    json_t *json = plan_json(plan, options);

    putchar('{');
    json_dumpf(json, stdout, JSON_EMBED | JSON_REAL_PRECISION(17));
    json_decref(json);
    if (nodes != NULL) {
        print_nodes_json(nodes, options);
    }
    puts("}");
}

/* A table for people. */

/* Exactly, in microseconds. */
static void print_time(int width, uint64_t time_ps)
{
    printf("%*" PRIu64 ".%06" PRIu64, width, time_ps / 1000000,
           time_ps % 1000000);
}

static void print_table(const struct model_plan *plan,
                        const struct options *options)
{
    printf("Torus %d x %d, %u nodes. Load %" PRIu64 " units.\n"
           "%u of %d phases (%u feasible), 1 round, %u nodes active.\n\n"
           "layer    nodes         share [units]        volume [units]"
           "      received [us]\n",
           options->size.width, options->size.height, node_count(options),
           options->load_units, plan->phases, torus_phases(options->size),
           plan->phases_feasible, active_nodes(plan));
    for (unsigned i = 0; i <= plan->phases; ++i) {
        printf("%5u %8u %21.6f %21.6f", i, torus_layer_nodes(i),
               plan->share_units[i], plan->volume_units[i]);
        print_time(12, plan->end_ps[i]);
        putchar('\n');
    }
    fputs("\nmakespan ", stdout);
    print_time(0, plan->makespan_ps);
    printf(" us\nspeedup  %.6f\n", plan->speedup);
}

static void print_nodes(const struct model_node *nodes,
                        const struct options *options)
{
    uint32_t count = node_count(options);

    puts("\n   x    y layer                 units");
    for (uint32_t i = 0; i < count; ++i) {
        struct torus_coord at = torus_coord_of(options->size, i);

        printf("%4d %4d %5d %21" PRIu64 "\n", at.x, at.y, nodes[i].layer,
               nodes[i].units);
    }
}

static void print_plan(const struct model_plan *plan,
                       const struct model_node *nodes,
                       const struct options *options)
{
    if (options->json) {
        print_json(plan, nodes, options);
        return;
    }
    print_table(plan, options);
    if (nodes != NULL) {
        print_nodes(nodes, options);
    }
}

int plan_command(int argc, char **argv)
{
    struct argp argp = {descriptions, parse_option, NULL, description,
                        NULL,         NULL,         NULL};
    struct options options = {.json = false};
    struct model_node *nodes = NULL;
    struct model_plan plan;
    int status;

    argp_err_exit_status = 2;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0) {
        return 2;
    }
    status = make_plan(&plan, &options);
    if (status != 0) {
        return status;
    }
    if (options.per_node) {
        nodes = make_nodes(&plan, &options);
        if (nodes == NULL) {
            return 1;
        }
    }
    print_plan(&plan, nodes, &options);
    free(nodes);
    return 0;
}
