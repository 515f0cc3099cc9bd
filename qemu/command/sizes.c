/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/sizes.h"

#include "qemu/model/tree.h"
#include "qemu/model/tree_pairs.h"
#include "qemu/options/guess.h"
#include "qemu/schedule/scatter.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/parse.h"

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/* All 496 pairs of sides take seconds; up to 125 it would be hours. */
#define SIDE_MAX 31u
#define NODES_MAX (SIDE_MAX * SIDE_MAX)

enum key {
    KEY_MAX = 256,
    KEY_ALL,
    KEY_LOAD,
    KEY_STARTUP,
    KEY_TRANSFER,
    KEY_COMPUTE,
    KEY_JSON
};

struct options {
    uint64_t side_max;
    uint64_t load_units;
    uint64_t startup_ps;
    uint64_t transfer_ps;
    uint64_t compute_ps;
    bool all;
    bool json;
};

/* A Cray T3D, and a load of a second on one node. */
static const struct options defaults = {.side_max = SIDE_MAX,
                                        .load_units = 1000000,
                                        .startup_ps = 4850000,
                                        .transfer_ps = 3300,
                                        .compute_ps = 1000000};

static const struct argp_option descriptions[] = {
    {"max", KEY_MAX, "SIDE", 0, "Longest side, 1 to 31 (default 31)", 1},
    {"all", KEY_ALL, NULL, 0,
     "All pairs of sides (default: those that differ by one at most)", 1},
    {"load", KEY_LOAD, "UNITS", 0, "Units of the load (default 1M)", 2},
    {"startup", KEY_STARTUP, "T", 0,
     "Time to set a circuit up (default 4.85us)", 2},
    {"transfer", KEY_TRANSFER, "T", 0,
     "Time to move one unit over a circuit (default 3.3ns)", 2},
    {"compute", KEY_COMPUTE, "T", 0,
     "Time for one node to process one unit (default 1us)", 2},
    {"json", KEY_JSON, NULL, 0, "Print one JSON object and nothing else", 3},
    {0},
};

static const char description[] =
    "For every size of torus: the phases of its scatter, the makespan of the "
    "best shares in one round, and its ratio to the least time that any "
    "scatter could take; beside it the same ratio for the nearest torus of "
    "5^k x 5^k.\vA torus and its mirror image are the same. Defaults are those "
    "of a Cray T3D."
    "\n\nExample:\n"
    "  quincunx sizes";

/* Options. */

static int parse_max(struct options *options, const char *text)
{
    uint64_t side;
    const char *allowed = parse_count(text, &side);

    if (allowed != NULL || side == 0 || side > SIDE_MAX) {
        return parse_report("--max", text, "must be 1 to 31");
    }
    options->side_max = side;
    return 0;
}

static int parse_load(struct options *options, const char *text)
{
    const char *allowed = parse_size(text, &options->load_units);

    if (allowed == NULL && options->load_units == 0) {
        allowed = "must be 1 unit or more";
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

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        return parse_report("argument", text, "sizes takes only options");
    case KEY_MAX:
        return parse_max(options, text);
    case KEY_ALL:
        options->all = true;
        return 0;
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
    case KEY_JSON:
        options->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* One size. */

struct row {
    struct torus_size size;
    int phases;
    struct model_tree_plan plan;
    struct tree_pairs pairs;
    double bound_ps;
    double even_ps;
};

/* False without memory. */
static bool compute_row(struct row *row, struct torus_size size,
                        const struct model_tree_costs *costs)
{
    struct schedule_branch *tree = malloc(NODES_MAX * sizeof *tree);
    bool made = false;

    if (tree != NULL) {
        row->size = size;
        row->phases = schedule_scatter(tree, size, (struct torus_coord){0, 0});
        made = row->phases >= 0;
    }
    if (made) {
        model_tree_plan(&row->plan, NULL, tree, costs);
        tree_pairs_count(&row->pairs, tree, size);
        row->bound_ps = model_tree_bound(size, costs);
        row->even_ps = model_tree_even(size, costs);
    }
    free(tree);
    return made;
}

static double row_ratio(const struct row *row)
{
    return row->plan.makespan_ps / row->bound_ps;
}

/* The torus of 5^k x 5^k whose number of nodes is nearest, by ratio. */
static const struct row *nearest(const struct row powers[3], uint32_t nodes)
{
    return &powers[nodes * nodes <= 25 ? 0 : nodes * nodes <= 25 * 625 ? 1 : 2];
}

/* Output. */

/* Prints value / 10^digits exactly, without zeros at its end. */
static void print_decimal(uint64_t value, int digits)
{
    uint64_t scale = 1;

    for (int i = 0; i < digits; ++i) {
        scale *= 10;
    }
    printf("%" PRIu64, value / scale);
    value %= scale;
    if (value > 0) {
        while (value % 10 == 0) {
            value /= 10;
            digits -= 1;
        }
        printf(".%0*" PRIu64, digits, value);
    }
}

static void print_head(const struct options *options)
{
    printf("Load %" PRIu64 " unit%s. Startup ", options->load_units,
           options->load_units == 1 ? "" : "s");
    print_decimal(options->startup_ps, 6);
    fputs(" us, transfer ", stdout);
    print_decimal(options->transfer_ps, 3);
    fputs(" ns a unit, compute ", stdout);
    print_decimal(options->compute_ps, 6);
    puts(" us a unit.\n"
         "phases     of the scatter; used: of these, with the best shares\n"
         "bound      the makespan over the least time of any scatter\n"
         "even       .. over that of a tree that grows evenly\n"
         "pairs      of circuits that share a link; unordered: those that "
         "may meet\n"
         "near 5^k   side of the nearest torus of the pattern, and its "
         "`bound'\n\n"
         "  torus  nodes phases used  makespan [us]   bound    even  pairs "
         "unordered  near 5^k");
}

static void print_row(const struct row *row, const struct row *power)
{
    printf("%3d x %-2d %5u %6d %4u %14.3f %7.4f %7.4f %6u %9u %3d %.4f\n",
           row->size.width, row->size.height, torus_nodes(row->size),
           row->phases, row->plan.phases, row->plan.makespan_ps / 1e6,
           row_ratio(row), row->plan.makespan_ps / row->even_ps,
           row->pairs.shared, row->pairs.unordered, power->size.width,
           row_ratio(power));
}

static json_t *row_json(const struct row *row, const struct row *power)
{
    return json_pack(
        "{s:i, s:i, s:I, s:i, s:i, s:I, s:f, s:f, s:f, s:f, s:I, s:I,"
        " s:{s:i, s:f}}",
        "width", row->size.width, "height", row->size.height, "nodes",
        (json_int_t)torus_nodes(row->size), "phases", row->phases,
        "phases_used", (int)row->plan.phases, "nodes_used",
        (json_int_t)row->plan.nodes, "makespan_ps", row->plan.makespan_ps,
        "bound_ps", row->bound_ps, "ratio", row_ratio(row), "even_ps",
        row->even_ps, "pairs_shared", (json_int_t)row->pairs.shared,
        "pairs_unordered", (json_int_t)row->pairs.unordered, "nearest", "side",
        power->size.width, "ratio", row_ratio(power));
}

/* Computes all sizes, and adds them to `rows` as JSON, or prints them if `rows`
   is NULL. False without memory. */
static bool print_sizes(json_t *rows, const struct row powers[3],
                        const struct options *options,
                        const struct model_tree_costs *costs)
{
    uint16_t side_max = (uint16_t)options->side_max;
    struct row row;

    for (uint16_t width = 1; width <= side_max; ++width) {
        for (uint16_t height = width; height <= side_max; ++height) {
            const struct row *power = nearest(powers, (uint32_t)width * height);

            if (!options->all && height > width + 1) {
                break;
            }
            if (!compute_row(&row, (struct torus_size){width, height}, costs)) {
                return false;
            }
            if (rows != NULL) {
                json_array_append_new(rows, row_json(&row, power));
            } else {
                print_row(&row, power);
            }
        }
    }
    return true;
}

/* An integer, or the nearest double of what jansson's integers do not hold. */
static json_t *integer_json(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value)
                              : json_real((double)value);
}

static bool print_json(const struct row powers[3],
                       const struct options *options,
                       const struct model_tree_costs *costs)
{
    json_t *rows = json_array();
    bool printed = print_sizes(rows, powers, options, costs);
    json_t *json = json_pack("{s:o, s:o, s:o, s:o, s:o}", "load_units",
                             integer_json(options->load_units), "startup_ps",
                             integer_json(options->startup_ps), "transfer_ps",
                             integer_json(options->transfer_ps), "compute_ps",
                             integer_json(options->compute_ps), "sizes", rows);

    if (printed) {
        json_dumpf(json, stdout, JSON_REAL_PRECISION(17));
        putchar('\n');
    }
    json_decref(json);
    return printed;
}

static bool print(const struct options *options)
{
    static const uint16_t sides[3] = {1, 5, 25};
    struct model_tree_costs costs = {
        (double)options->load_units, (double)options->startup_ps,
        (double)options->transfer_ps, (double)options->compute_ps};
    struct row powers[3];

    for (unsigned i = 0; i < 3; ++i) {
        if (!compute_row(&powers[i], (struct torus_size){sides[i], sides[i]},
                         &costs)) {
            return false;
        }
    }
    if (options->json) {
        return print_json(powers, options, &costs);
    }
    print_head(options);
    return print_sizes(NULL, powers, options, &costs);
}

int sizes_command(int argc, char **argv)
{
    struct argp argp = {descriptions, parse_option, NULL, description,
                        NULL,         NULL,         NULL};
    struct options options = defaults;

    if (guess_parse(&argp, argc, argv, &options) != 0) {
        return EXIT_USAGE;
    }
    if (!print(&options)) {
        fputs("quincunx: no memory for the trees\n", stderr);
        return EXIT_FAILED;
    }
    return 0;
}
