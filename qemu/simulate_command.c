/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/simulate_command.h"

#include "qemu/parse.h"
#include "qemu/simulate.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum key {
    KEY_TORUS = 256,
    KEY_LOAD,
    KEY_STARTUP,
    KEY_TRANSFER,
    KEY_COMPUTE,
    KEY_HOP_DELAY,
    KEY_PHASES,
    KEY_ROUNDS,
    KEY_ORIGINATOR,
    KEY_PER_NODE,
    KEY_JSON,
    KEYS
};

struct options {
    bool given[KEYS - KEY_TORUS];
    struct torus_size size;
    struct torus_coord originator;
    uint64_t load_units;
    uint64_t startup_ps;
    uint64_t transfer_ps;
    uint64_t compute_ps;
    uint64_t hop_delay_ps;
    uint64_t phases;
    bool per_node;
    bool json;
};

/* What is simulated, and what came of it. */
struct result {
    struct simulate_input input;
    struct model_plan model;
    struct simulate_node *nodes; /* to be freed */
    struct simulate_outcome outcome;
    bool passed[SIMULATE_CHECKS];
    double wall_s;
    uint64_t peak_rss_bytes;
};

/* The required ones first, in the order of enum key: check_end(). */
static const struct argp_option descriptions[] = {
    {NULL, 0, NULL, 0, "Required:", 1},
    {"torus", KEY_TORUS, "SIDE", 0, "Side of the torus: 5^k, 1 to 3125", 1},
    {"load", KEY_LOAD, "UNITS", 0,
     "Units of the load, such as 1000000 or 10M, below 2^32", 1},
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
    {"rounds", KEY_ROUNDS, "R", 0,
     "Send the load in R rounds; this release simulates 1", 2},
    {"originator", KEY_ORIGINATOR, "X,Y", 0,
     "Node that holds the load (default 0,0)", 2},
    {"per-node", KEY_PER_NODE, NULL, 0,
     "Also print what every node received, computed, and when", 2},
    {"json", KEY_JSON, NULL, 0, "Print one JSON object and nothing else", 2},
    {0},
};

static const char description[] =
    "Simulate how a divisible load is scattered over a torus of boards, node "
    "by node, in whole units: every circuit is set up over its links, every "
    "node splits what it received as the firmware does. Checks that each node "
    "is reached once, that nothing is lost, that the circuits of a phase share "
    "no link, and that the last node ends when the model says.\vTimes take a "
    "suffix: s, ms, us, ns or ps. --transfer and --compute are times per unit. "
    "Exit status: 0, or 1 if a check failed.";

static const struct check {
    const char *key;
    const char *text;
} checks[SIMULATE_CHECKS] = {
    [SIMULATE_REACHED] = {"reached_once",
                          "every active node receives and finishes once"},
    [SIMULATE_LAYERS] = {"layers", "every node is reached in its own phase"},
    [SIMULATE_TOTAL] = {"units_total", "the units computed are the load"},
    [SIMULATE_VOLUMES] = {"volumes",
                          "volumes are the exact floor, or one unit more"},
    [SIMULATE_SHARES] = {"shares",
                         "shares are the exact floor, or one unit more"},
    [SIMULATE_DISJOINT] = {"link_disjoint",
                           "the circuits of a phase share no link"},
    [SIMULATE_MAKESPAN] = {"makespan",
                           "the makespan is the model's, up to the bound"},
};

/* Options. */

static int parse_load(struct options *options, const char *text)
{
    const char *allowed = parse_size(text, &options->load_units);

    if (allowed == NULL &&
        (options->load_units == 0 || options->load_units > PLANNER_UNITS_MAX)) {
        allowed = "must be 1 to 4294967295 units";
    }
    return parse_report("--load", text, allowed);
}

/* A time per unit. */
static int parse_unit_time(uint64_t *time_ps, const char *option,
                           const char *text, uint64_t least_ps)
{
    const char *allowed = parse_time_ps(text, time_ps);

    if (allowed == NULL &&
        (*time_ps < least_ps || *time_ps > PLANNER_TIME_MAX_PS)) {
        allowed = least_ps == 0 ? "must be 0 to 1099511627776ps (1.1 s)"
                                : "must be 1ps to 1099511627776ps (1.1 s)";
    }
    return parse_report(option, text, allowed);
}

static int parse_rounds(const char *text)
{
    return parse_report("--rounds", text,
                        strcmp(text, "1") == 0
                            ? NULL
                            : "must be 1: this release simulates one round");
}

static int check_end(const struct options *options)
{
    bool complete = true;

    for (int key = KEY_TORUS; key <= KEY_COMPUTE; ++key) {
        const struct argp_option *option = &descriptions[key - KEY_TORUS + 1];

        if (!options->given[key - KEY_TORUS]) {
            fprintf(stderr, "quincunx: simulate needs --%s %s\n", option->name,
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
        return parse_unit_time(&options->transfer_ps, "--transfer", text, 0);
    case KEY_COMPUTE:
        return parse_unit_time(&options->compute_ps, "--compute", text, 1);
    case KEY_HOP_DELAY:
        return parse_report("--hop-delay", text,
                            parse_time_ps(text, &options->hop_delay_ps));
    case KEY_PHASES:
        return parse_report("--phases", text,
                            parse_count(text, &options->phases));
    case KEY_ROUNDS:
        return parse_rounds(text);
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
        return parse_report("argument", text, "simulate takes only options");
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

/* The tables. */

static int refuse_startup(const struct options *options, unsigned phase)
{
    fprintf(stderr,
            "quincunx: --startup '%" PRIu64 "ps' and --hop-delay '%" PRIu64
            "ps': the startup of phase %u must be at most 2^50 ps (18 "
            "minutes)\n",
            options->startup_ps, options->hop_delay_ps, phase);
    return 2;
}

/* The same input for both planners; result: the exit status. */
static int set_inputs(struct planner_input *planner, struct model_input *model,
                      const struct options *options)
{
    *planner = (struct planner_input){
        .load_units = (uint32_t)options->load_units,
        .compute_ps = options->compute_ps,
        .transfer_ps = options->transfer_ps,
        .phases_max = (uint8_t)torus_phases(options->size),
    };
    *model = (struct model_input){
        .load_units = options->load_units,
        .compute_ps = options->compute_ps,
        .transfer_ps = options->transfer_ps,
        .phases_max = planner->phases_max,
    };
    for (unsigned phase = 1; phase <= planner->phases_max; ++phase) {
        uint64_t hops =
            torus_path_hops(torus_phase_path(options->size, phase, TORUS_EAST));
        uint64_t startup_ps;

        if (__builtin_mul_overflow(options->hop_delay_ps, hops, &startup_ps) ||
            __builtin_add_overflow(options->startup_ps, startup_ps,
                                   &startup_ps) ||
            startup_ps > PLANNER_STARTUP_MAX_PS) {
            return refuse_startup(options, phase);
        }
        planner->startup_ps[phase - 1] = startup_ps;
        model->startup_ps[phase - 1] = startup_ps;
    }
    return 0;
}

/* Both planners with exactly so many phases, or (`fixed` 0) the most. */
static int plan_both(struct planner_plan *plan, struct model_plan *exact,
                     const struct planner_input *planner,
                     const struct model_input *model, unsigned phases,
                     uint8_t fixed)
{
    struct planner_input planner_fixed = *planner;
    struct model_input model_fixed = *model;
    int error;

    planner_fixed.phases_fixed = fixed;
    planner_fixed.phases_want = (uint8_t)phases;
    model_fixed.phases_fixed = fixed;
    model_fixed.phases_want = (uint8_t)phases;
    error = planner_plan(plan, &planner_fixed);
    return error != ERR_OK ? error : model_plan(exact, &model_fixed);
}

/*
 * Where a volume is zero up to the planner's rounding, the planner and the
 * exact model may differ by a phase that nobody gains by: the fewer are taken.
 */
static int make_tables(struct result *result, const struct options *options)
{
    struct planner_input planner;
    struct model_input model;
    struct planner_plan plan;
    unsigned feasible;
    uint64_t phases;
    int status = set_inputs(&planner, &model, options);

    if (status != 0) {
        return status;
    }
    if (plan_both(&plan, &result->model, &planner, &model, 0, 0) != ERR_OK) {
        fprintf(stderr,
                "quincunx: --load '%" PRIu64 "' and --compute '%" PRIu64
                "ps': their product must be below 2^63 ps (106 days)\n",
                options->load_units, options->compute_ps);
        return 2;
    }
    feasible =
        plan.phases < result->model.phases ? plan.phases : result->model.phases;
    phases =
        options->given[KEY_PHASES - KEY_TORUS] ? options->phases : feasible;
    if (phases > feasible) {
        fprintf(stderr,
                "quincunx: --phases '%" PRIu64 "': infeasible: the largest "
                "feasible N is %u (this torus has %u phases)\n",
                phases, feasible, planner.phases_max);
        return 2;
    }
    (void)plan_both(&plan, &result->model, &planner, &model, (unsigned)phases,
                    1);
    result->input.phases = (uint8_t)phases;
    memcpy(result->input.tables.volume_units, plan.volume_units,
           sizeof plan.volume_units);
    memcpy(result->input.tables.share_units, plan.share_units,
           sizeof plan.share_units);
    return 0;
}

/* The run. */

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* 0 if the system does not tell. getrusage() would, but counts the memory of
   the program that started this one too. */
static uint64_t peak_rss_bytes(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[128];
    uint64_t peak_kib = 0;

    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "VmHWM: %" SCNu64, &peak_kib) == 1) {
            break;
        }
    }
    if (status != NULL) {
        fclose(status);
    }
    return peak_kib * 1024;
}

static uint32_t node_count(const struct result *result)
{
    return (uint32_t)result->input.size.width * result->input.size.height;
}

/* Result: the exit status. */
static int simulate(struct result *result)
{
    double start_s = now_s();
    int error = ERR_MEMORY;

    result->nodes = malloc(node_count(result) * sizeof *result->nodes);
    if (result->nodes != NULL) {
        error = simulate_run(&result->outcome, result->nodes, &result->input);
    }
    if (error != ERR_OK) {
        fprintf(stderr,
                error == ERR_MEMORY
                    ? "quincunx: no memory for %u nodes\n"
                    : "quincunx: the scatter over %u nodes does not end "
                      "before 2^63 ps (106 days)\n",
                node_count(result));
        return 1;
    }
    simulate_check(result->passed, &result->outcome, &result->input,
                   &result->model);
    result->wall_s = now_s() - start_s;
    result->peak_rss_bytes = peak_rss_bytes();
    return 0;
}

static bool all_passed(const struct result *result)
{
    bool all = true;

    for (unsigned i = 0; i < SIMULATE_CHECKS; ++i) {
        all &= result->passed[i];
    }
    return all;
}

static uint64_t event_count(const struct simulate_outcome *outcome)
{
    return outcome->circuits_set_up + outcome->circuits_ended +
           outcome->finished;
}

/* The node to whose east or north the link goes. */
static struct torus_coord link_coord(const struct result *result,
                                     const struct simulate_meeting *meeting)
{
    return torus_coord_of(result->input.size, meeting->link / 2);
}

static const char *link_way(const struct simulate_meeting *meeting)
{
    return meeting->link % 2 == 0 ? "east" : "north";
}

static const char *const port_names[TORUS_PORTS] = {"east", "north", "west",
                                                    "south"};

/* JSON. */

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *range_json(const struct simulate_range *range)
{
    return json_pack("[o, o]", integer(range->least), integer(range->most));
}

static json_t *layers_json(const struct result *result)
{
    json_t *layers = json_array();

    for (unsigned i = 0; i <= result->input.phases; ++i) {
        const struct simulate_layer *layer = &result->outcome.layer[i];

        json_array_append_new(
            layers, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "layer",
                              integer(i), "nodes", integer(layer->nodes),
                              "volume_units", range_json(&layer->volume_units),
                              "share_units", range_json(&layer->share_units),
                              "received_ps", range_json(&layer->received_ps),
                              "finished_ps", range_json(&layer->finished_ps)));
    }
    return layers;
}

/* null if there was none. */
static json_t *meeting_json(const struct result *result, uint64_t count,
                            const struct simulate_meeting *meeting)
{
    struct torus_coord at = link_coord(result, meeting);

    if (count == 0) {
        return json_null();
    }
    return json_pack("{s:o, s:i, s:i, s:[i, i], s:s, s:{s:[i, i], s:s}}",
                     "time_ps", integer(meeting->time_ps), "phase",
                     meeting->phase, "other_phase", meeting->other_phase,
                     "source", meeting->source.x, meeting->source.y, "port",
                     port_names[meeting->port], "link", "at", at.x, at.y, "way",
                     link_way(meeting));
}

static json_t *checks_json(const struct result *result)
{
    json_t *object = json_object();

    for (unsigned i = 0; i < SIMULATE_CHECKS; ++i) {
        json_object_set_new(object, checks[i].key,
                            json_boolean(result->passed[i]));
    }
    return object;
}

static json_t *events_json(const struct simulate_outcome *outcome)
{
    return json_pack("{s:o, s:o, s:o}", "circuits_set_up",
                     integer(outcome->circuits_set_up), "circuits_ended",
                     integer(outcome->circuits_ended), "nodes_finished",
                     integer(outcome->finished));
}

static json_t *result_json(const struct result *result)
{
    const struct simulate_input *input = &result->input;
    const struct simulate_outcome *outcome = &result->outcome;
    const struct simulate_range *finish = &outcome->finish_ps;

    return json_pack(
        "{s:{s:i, s:o, s:[i, i]}, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o, "
        "s:{s:o, s:o, s:o}, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:o}",
        "torus", "side", input->size.width, "nodes",
        integer(node_count(result)), "originator", input->originator.x,
        input->originator.y, "load_units", integer(input->load_units), "phases",
        input->phases, "rounds", 1, "nodes_reached", integer(outcome->reached),
        "units_total", integer(outcome->units_total), "makespan_ps",
        integer(finish->most), "model_makespan_ps",
        integer(result->model.makespan_ps), "makespan_bound_ps",
        integer(simulate_bound_ps(input)), "finish", "earliest_ps",
        integer(finish->least), "latest_ps", integer(finish->most), "spread_ps",
        integer(finish->most - finish->least), "layers", layers_json(result),
        "link_disjoint", result->passed[SIMULATE_DISJOINT], "first_overlap",
        meeting_json(result, outcome->overlaps, &outcome->first_overlap),
        "conflicts", integer(outcome->conflicts), "first_conflict",
        meeting_json(result, outcome->conflicts, &outcome->first_conflict),
        "events", integer(event_count(outcome)), "event_kinds",
        events_json(outcome), "checks", checks_json(result), "wall_s",
        result->wall_s, "peak_rss_bytes", integer(result->peak_rss_bytes));
}

static uint64_t finished_ps(const struct result *result,
                            const struct simulate_node *node)
{
    return node->received_ps + node->share_units * result->input.compute_ps;
}

/* Ten million nodes as jansson values would take gigabytes: one by one. */
static void print_nodes_json(const struct result *result)
{
    const char *separator = "";

    fputs(", \"per_node\": [", stdout);
    for (uint32_t i = 0; i < node_count(result); ++i) {
        const struct simulate_node *node = &result->nodes[i];
        struct torus_coord at = torus_coord_of(result->input.size, i);

        if (node->reached) {
            printf("%s{\"x\": %u, \"y\": %u, \"layer\": %u, \"volume_units\": "
                   "%" PRIu32 ", \"units\": %" PRIu32 ", \"received_ps\": "
                   "%" PRIu64 ", \"finished_ps\": %" PRIu64 "}",
                   separator, at.x, at.y, node->layer, node->volume_units,
                   node->share_units, node->received_ps,
                   finished_ps(result, node));
            separator = ", ";
        }
    }
    putchar(']');
}

static void print_json(const struct result *result,
                       const struct options *options)
{
    json_t *json = result_json(result);

    putchar('{');
    json_dumpf(json, stdout, JSON_EMBED | JSON_REAL_PRECISION(6));
    json_decref(json);
    if (options->per_node) {
        print_nodes_json(result);
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

static void print_layer(unsigned i, const struct simulate_layer *layer)
{
    printf("%5u %8" PRIu32 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64
           " %10" PRIu64,
           i, layer->nodes, layer->volume_units.least, layer->volume_units.most,
           layer->share_units.least, layer->share_units.most);
    print_time(12, layer->received_ps.least);
    print_time(12, layer->received_ps.most);
    print_time(12, layer->finished_ps.least);
    print_time(12, layer->finished_ps.most);
    putchar('\n');
}

static void print_layers(const struct result *result)
{
    const struct simulate_input *input = &result->input;

    printf("Torus %d x %d, %u nodes, originator %d,%d. Load %" PRIu32
           " units.\n%u of %d phases, 1 round, %u nodes reached.\n\n"
           "                      volume [units]         share [units]"
           "                         received [us]"
           "                         finished [us]\n"
           "layer    nodes      least       most      least       most"
           "              first               last"
           "              first               last\n",
           input->size.width, input->size.height, node_count(result),
           input->originator.x, input->originator.y, input->load_units,
           input->phases, torus_phases(input->size), result->outcome.reached);
    for (unsigned i = 0; i <= input->phases; ++i) {
        print_layer(i, &result->outcome.layer[i]);
    }
}

static void print_finish(const struct result *result)
{
    const struct simulate_range *finish = &result->outcome.finish_ps;

    fputs("\nmakespan   ", stdout);
    print_time(0, finish->most);
    fputs(" us; the exact model's ", stdout);
    print_time(0, result->model.makespan_ps);
    fputs(" us, at most ", stdout);
    print_time(0, simulate_bound_ps(&result->input));
    fputs(" us more in whole units\nfinish     ", stdout);
    print_time(0, finish->least);
    fputs(" us the first, ", stdout);
    print_time(0, finish->most - finish->least);
    fputs(" us before the last\n", stdout);
}

static void print_meeting(const char *name, const struct result *result,
                          uint64_t count,
                          const struct simulate_meeting *meeting)
{
    struct torus_coord at = link_coord(result, meeting);

    printf("%-10s %" PRIu64, name, count);
    if (count > 0) {
        fputs("; the first at ", stdout);
        print_time(0, meeting->time_ps);
        printf(" us: phase %u out of port %s of %u,%u meets phase %u on the "
               "link %s of %u,%u",
               meeting->phase, port_names[meeting->port], meeting->source.x,
               meeting->source.y, meeting->other_phase, link_way(meeting), at.x,
               at.y);
    }
    putchar('\n');
}

static void print_nodes(const struct result *result)
{
    puts("\n   x    y layer     volume      share       received [us]"
         "       finished [us]");
    for (uint32_t i = 0; i < node_count(result); ++i) {
        const struct simulate_node *node = &result->nodes[i];
        struct torus_coord at = torus_coord_of(result->input.size, i);

        if (node->reached) {
            printf("%4u %4u %5u %10" PRIu32 " %10" PRIu32, at.x, at.y,
                   node->layer, node->volume_units, node->share_units);
            print_time(13, node->received_ps);
            print_time(13, finished_ps(result, node));
            putchar('\n');
        }
    }
}

static void print_table(const struct result *result,
                        const struct options *options)
{
    const struct simulate_outcome *outcome = &result->outcome;

    print_layers(result);
    print_finish(result);
    printf("events     %" PRIu64 ": %" PRIu64 " circuits set up, %" PRIu64
           " ended, %" PRIu32 " nodes finished\n",
           event_count(outcome), outcome->circuits_set_up,
           outcome->circuits_ended, outcome->finished);
    print_meeting("conflicts", result, outcome->conflicts,
                  &outcome->first_conflict);
    print_meeting("overlaps", result, outcome->overlaps,
                  &outcome->first_overlap);
    printf("host       %.3f s, %" PRIu64 " bytes of memory\n\n", result->wall_s,
           result->peak_rss_bytes);
    for (unsigned i = 0; i < SIMULATE_CHECKS; ++i) {
        printf("%-6s  %s\n", result->passed[i] ? "ok" : "FAILED",
               checks[i].text);
    }
    if (options->per_node) {
        print_nodes(result);
    }
}

int simulate_command(int argc, char **argv)
{
    struct argp argp = {descriptions, parse_option, NULL, description,
                        NULL,         NULL,         NULL};
    struct options options = {.json = false};
    struct result result = {.nodes = NULL};
    int status;

    argp_err_exit_status = 2;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0) {
        return 2;
    }
    result.input = (struct simulate_input){
        .size = options.size,
        .originator = options.originator,
        .load_units = (uint32_t)options.load_units,
        .startup_ps = options.startup_ps,
        .hop_delay_ps = options.hop_delay_ps,
        .transfer_ps = options.transfer_ps,
        .compute_ps = options.compute_ps,
    };
    simulate_set_paths(&result.input);
    status = make_tables(&result, &options);
    if (status == 0) {
        status = simulate(&result);
    }
    if (status == 0) {
        if (options.json) {
            print_json(&result, &options);
        } else {
            print_table(&result, &options);
        }
        status = all_passed(&result) ? 0 : 1;
    }
    free(result.nodes);
    return status;
}
