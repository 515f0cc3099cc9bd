/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/plan_options.h"

#include "qemu/theory/workers.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/option.h"
#include "qemu/base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* largest side, 5^10: the torus has 5^20 nodes */
#define SIDE_MAX 9765625u
/* Largest side if each node is planned by itself, with about 1 KB of memory for
   each: with --node-compute, or with several rounds over fewer than four
   ports. */
#define SIDE_NODES_MAX 625u
#define TIME_BYTES 24u

bool plan_given(const struct plan_options *options, enum plan_key key)
{
    return options->text[key] != NULL;
}

/* ---- setters: 0, or EXIT_USAGE after a message ---- */

static int set_torus(void *own, const char *option, const char *text)
{
    struct plan_options *options = own;
    uint64_t side = 1;
    bool number = parse_count(text, &options->side) == NULL;

    options->input.phases_max = 0;
    for (; side < options->side && side < SIDE_MAX; side *= 5) {
        options->input.phases_max = (uint8_t)(options->input.phases_max + 2);
    }
    return parse_report(option, text,
                        number && side == options->side
                            ? NULL
                            : "must be one side, a power of five, such as 5 "
                              "for 5x5: 1, 5, 25 ... 9765625");
}

static int set_layers(void *own, const char *option, const char *text)
{
    struct plan_options *options = own;
    const char *allowed = NULL;
    char *copy = memory_or_exit(strdup(text));
    char *rest = copy;
    const char *one;
    unsigned count = 0;

    while (allowed == NULL && (one = strsep(&rest, ",")) != NULL) {
        if (count > THEORY_PHASES_MAX) {
            allowed = "must be at most 21 times";
            break;
        }
        allowed = parse_time_ps(one, &options->layer_compute_ps[count]);
        if (allowed == NULL && options->layer_compute_ps[count] == 0) {
            allowed = "must be 1ps or more";
        }
        count += 1;
    }
    free(copy);
    options->layer_computes = count;
    options->input.compute_ps = options->layer_compute_ps[0];
    return parse_report(option, text, allowed);
}

/* Parses P or P/Q, from 1 to 8. With a larger power, times would exceed their
   range. */
static int set_power(void *own, const char *option, const char *text)
{
    struct plan_options *options = own;
    uint64_t whole = 0;
    uint32_t numerator = 0;
    uint32_t denominator = 1;

    if (parse_count(text, &whole) == NULL) {
        numerator = whole > 8 ? 0 : (uint32_t)whole;
    } else if (parse_ratio(text, &numerator, &denominator) != NULL) {
        numerator = 0;
    }
    options->power_numerator = numerator;
    options->power_denominator = denominator;
    return parse_report(
        option, text,
        numerator < denominator || numerator > 8 * (uint64_t)denominator
            ? "must be 1 to 8, a whole number or a fraction such as 3/2"
            : NULL);
}

static int set_results(void *own, const char *option, const char *text)
{
    struct plan_options *options = own;

    return parse_report(option, text,
                        parse_ratio(text, &options->input.results_numerator,
                                    &options->input.results_denominator));
}

static int set_originator(void *own, const char *option, const char *text)
{
    struct plan_options *options = own;

    return parse_report(option, text,
                        parse_point(text, &options->x, &options->y));
}

/* ---- the rows ---- */

/* One row for each enum plan_key, in its order. */
static const struct option_row rows[PLAN_KEYS] = {
    {"torus", "SIDE", 1, OPTION_SET, OPTION_ALL,
     .help = "Side of the torus: 5^k, 1 to 9765625", .required = true,
     .set = set_torus},
    {"load", "UNITS", 1, OPTION_TEXT, OPTION_AT(struct plan_options, load),
     .help = "Units of the load, such as 1000000 or 10M", .required = true},
    {"startup", "T", 1, OPTION_TIME, OPTION_AT(struct plan_options, startup_ps),
     .help = "Time to set a circuit up, such as 4.85us", .required = true,
     .instead = "profile"},
    {"transfer", "T", 1, OPTION_TIME,
     OPTION_AT(struct plan_options, input.transfer_ps),
     .help = "Time to move one unit over a circuit", .required = true,
     .instead = "profile"},
    {"compute", "T", 1, OPTION_TIME,
     OPTION_AT(struct plan_options, input.compute_ps),
     .help = "Time for one node to process one unit", .required = true,
     .instead = "layer-compute", .without = "layer-compute", .least = 1,
     .allowed = "must be 1ps or more"},
    {"layer-compute", "T0,T1,...", 2, OPTION_SET, OPTION_ALL,
     .help = "In place of --compute: the time of a node of each layer, 0 to "
             "the torus's last",
     .without = "node-compute compute-power", .set = set_layers},
    {"node-compute", "FILE", 2, OPTION_TEXT,
     OPTION_AT(struct plan_options, node_compute),
     .help = "Nodes with a time of their own, as lines `X Y T'; the others "
             "take --compute (sides up to 625)",
     .without = "compute-power results"},
    {"compute-power", "P", 2, OPTION_SET, OPTION_ALL,
     .help = "X units take --compute times X^P, such as 2 or 3/2 (default 1)",
     .set = set_power},
    {"unit", "BYTES", 2, OPTION_SIZE,
     OPTION_AT(struct plan_options, unit_bytes),
     .help =
         "Bytes of a unit; --load may then be given in bytes, such as 1000000B",
     .least = 1, .most = INT64_MAX,
     .allowed = "must be 1 to 9223372036854775807 bytes"},
    {"hop-delay", "T", 2, OPTION_TIME,
     OPTION_AT(struct plan_options, hop_delay_ps),
     .help = "Extra startup for each hop of a circuit (default 0)"},
    {"profile", "NAME|FILE", 2, OPTION_SET,
     OPTION_AT(struct plan_options, profile),
     .help = "What a circuit costs, as with `run': t3d, lvds, uart, "
             "emulated, or a file, in place of --startup, --transfer (that "
             "of --unit bytes, or of one) and --hop-delay; any of these "
             "that is given overrules it",
     .set = profile_set, .choice = profile_known, .file = profile_file},
    {"phases", "N", 2, OPTION_COUNT, OPTION_AT(struct plan_options, phases),
     .help = "Use N phases (default: as many as give the smallest makespan)"},
    {"rounds", "R|auto", 2, OPTION_COUNT,
     OPTION_AT(struct plan_options, rounds),
     .help = "Send the load in R rounds, 1 (default) to 64; auto: as many as "
             "give the smallest makespan, up to 16, with --results the "
             "earliest results. Also prints similar rounds, R parts of one "
             "plan, and takes them where they end earlier",
     .usual = "1", .without = "layer-compute compute-power", .least = 1,
     .most = THEORY_ROUNDS_MAX, .word = "auto",
     .allowed = "must be 1 to 64, or auto"},
    {"ports", "P", 2, OPTION_COUNT, OPTION_AT(struct plan_options, ports),
     .help = "Ports that a node uses at once: 1, 2 or 4 (default); with "
             "--rounds, 1 or 2 on sides up to 625. The table has means of a "
             "layer's shares and volumes, and its first receipt",
     .usual = "4",
     .without = "results layer-compute node-compute compute-power",
     .choices = "1 2 4"},
    {"results", "P/Q", 2, OPTION_SET, OPTION_ALL,
     .help = "Results of P/Q units for each unit return to the originator "
             "(default: none; 0/1: results that take a startup, but no "
             "transfer). In one round while others compute; in several "
             "while later rounds are computed, or when all is, whichever "
             "is earlier. The makespan is when all is computed, `results' "
             "when all are back",
     .set = set_results},
    {"switching", "HOW", 2, OPTION_CHOICE,
     OPTION_AT(struct plan_options, store_and_forward),
     .help = "circuit (default) or store-and-forward",
     .choices = "circuit store-and-forward"},
    {"originator", "X,Y", 2, OPTION_SET, OPTION_ALL,
     .help = "Node that holds the load (default 0,0)", .set = set_originator},
    {"per-node", NULL, 2, OPTION_FLAG, OPTION_AT(struct plan_options, per_node),
     .help = "Also print every node's share (sides up to 3125)"},
    {"json", NULL, 2, OPTION_FLAG, OPTION_AT(struct plan_options, json),
     .help = "Print one JSON object and nothing else"},
};

const struct option_table plan_option_table = {
    OPTION_ROWS(rows), .texts = offsetof(struct plan_options, text)};

/* ---- the options together ---- */

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
                               &options->input.transfer_ps)) {
        return usage_error("--unit '%s' and --profile '%s': a unit's transfer "
                           "must be below 2^64 ps (213 days)",
                           options->text[PLAN_UNIT],
                           options->text[PLAN_PROFILE]);
    }
    return 0;
}

/* Parses the load: a number of units, or with --unit and the suffix "B" of
   bytes. Returns NULL, or an error text, "must be ...". */
static const char *parse_load(struct plan_options *options)
{
    const char *text = options->load;
    const char *allowed = parse_size(text, &options->input.load_units);

    if (allowed != NULL) {
        return allowed;
    }
    if (plan_given(options, PLAN_UNIT) && text[strlen(text) - 1] == 'B') {
        if (options->input.load_units % options->unit_bytes != 0) {
            return "must be a multiple of the unit's bytes, --unit";
        }
        options->input.load_units /= options->unit_bytes;
    }
    return options->input.load_units == 0 ||
                   options->input.load_units > INT64_MAX
               ? "must be 1 to 9223372036854775807 units"
               : NULL;
}

static int check_side(const struct plan_options *options, unsigned most,
                      const char *with)
{
    return options->side <= most
               ? 0
               : usage_error("--torus '%s': must be 1 to %u with %s",
                             options->text[PLAN_TORUS], most, with);
}

static int check(const struct plan_options *options)
{
    unsigned layers = options->input.phases_max + 1u;
    uintmax_t last = (uintmax_t)options->side - 1;
    int status = 0;

    if (options->per_node) {
        status = check_side(options, TORUS_SIDE_MAX, "--per-node");
    }
    if (status == 0 && options->node_compute != NULL) {
        status = check_side(options, SIDE_NODES_MAX, "--node-compute");
    }
    if (status == 0 && options->rounds != 1 && options->ports != TORUS_PORTS) {
        status = check_side(options, SIDE_NODES_MAX, "--rounds and --ports");
    }
    if (status == 0 && plan_given(options, PLAN_LAYER_COMPUTE) &&
        options->layer_computes != layers) {
        status = usage_error("--layer-compute '%s': must be %u times, one for "
                             "each layer of this torus, not %u",
                             options->text[PLAN_LAYER_COMPUTE], layers,
                             options->layer_computes);
    }
    if (status == 0 && (options->x > last || options->y > last)) {
        status = usage_error("--originator '%s': must be 0,0 to %ju,%ju",
                             options->text[PLAN_ORIGINATOR], last, last);
    }
    return status;
}

/* ---- the model's input ---- */

/* Sets a phase's number of sends one after the other, and the startup of each.
   Returns false if a time exceeds its range. */
static bool set_phase(struct plan_options *options, unsigned phase)
{
    struct theory_input *input = &options->input;
    uint64_t hops = options->side;
    uint64_t stages;
    uint64_t delay_ps;

    for (unsigned step = 0; step < (phase + 1) / 2; ++step) {
        hops /= 5;
    }
    hops *= phase % 2 == 1 ? 3 : 1;
    /* Nodes that store and forward send once for each hop, else once for the
       whole path. */
    stages = options->store_and_forward ? hops : 1;
    input->stages[phase - 1] = (uint32_t)stages;
    return !__builtin_mul_overflow(options->hop_delay_ps, hops / stages,
                                   &delay_ps) &&
           !__builtin_add_overflow(options->startup_ps, delay_ps,
                                   &input->startup_ps[phase - 1]);
}

/* Returns --startup or --hop-delay as text, given or by default. */
static const char *time_text(char text[TIME_BYTES],
                             const struct plan_options *options,
                             enum plan_key key)
{
    uint64_t time_ps =
        key == PLAN_STARTUP ? options->startup_ps : options->hop_delay_ps;

    snprintf(text, TIME_BYTES, "%" PRIu64 "ps", time_ps);
    return plan_given(options, key) ? options->text[key] : text;
}

static int set_input(struct plan_options *options)
{
    uint16_t side = (uint16_t)options->side;
    char startup[TIME_BYTES];
    char hop_delay[TIME_BYTES];

    options->torus = (struct theory_torus){
        .size = {side, side},
        .originator = {(uint16_t)options->x, (uint16_t)options->y}};
    options->input.phases_fixed = plan_given(options, PLAN_PHASES);
    options->input.phases_want = options->phases > THEORY_PHASES_MAX
                                     ? THEORY_PHASES_MAX + 1
                                     : (uint8_t)options->phases;
    for (unsigned phase = 1; phase <= options->input.phases_max; ++phase) {
        if (!set_phase(options, phase)) {
            return usage_error(
                "--startup '%s' and --hop-delay '%s': the startup of phase %u "
                "must be below 2^64 ps (213 days)",
                time_text(startup, options, PLAN_STARTUP),
                time_text(hop_delay, options, PLAN_HOP_DELAY), phase);
        }
    }
    return 0;
}

int plan_options_check(struct plan_options *options)
{
    return (!plan_given(options, PLAN_PROFILE) ||
            apply_profile(options) == 0) &&
                   parse_report("--load", options->load, parse_load(options)) ==
                       0 &&
                   check(options) == 0 && set_input(options) == 0
               ? 0
               : EXIT_USAGE;
}

/* ---- --node-compute ---- */

struct reader {
    const struct plan_options *options;
    uint64_t *compute_ps; /* compute time of a unit, ps; 0: not in the file */
};

/* Takes a line "X Y TIME" of the file of --node-compute. */
static bool take_node(void *own, const struct theory_line *line,
                      char *const word[], unsigned words)
{
    const struct reader *reader = own;
    uint64_t side = reader->options->side;
    const char *allowed;
    uint64_t at[2];
    uint64_t *time_ps;

    if (words != 3) {
        return theory_line_complain(line, NULL, word[0],
                                    "must be a line X Y TIME");
    }
    for (unsigned i = 0; i < 2; ++i) {
        if (parse_count(word[i], &at[i]) != NULL || at[i] >= side) {
            return theory_line_complain(line, NULL, word[i],
                                        "must be a place on the torus");
        }
    }
    time_ps = &reader->compute_ps[at[1] * side + at[0]];
    if (*time_ps != 0) {
        return theory_line_complain(line, NULL, word[0],
                                    "must name a node only once");
    }
    allowed = parse_time_ps(word[2], time_ps);
    if (allowed == NULL && *time_ps == 0) {
        allowed = "must be 1ps or more";
    }
    return allowed == NULL ||
           theory_line_complain(line, NULL, word[2], allowed);
}

uint64_t *plan_read_nodes(const struct plan_options *options)
{
    size_t count = (size_t)(options->side * options->side);
    struct reader reader = {
        .options = options,
        .compute_ps = memory_or_exit(calloc(count, sizeof(uint64_t)))};

    if (theory_lines_read(options->node_compute, take_node, &reader) != 0) {
        free(reader.compute_ps);
        return NULL;
    }
    for (size_t i = 0; i < count; ++i) {
        if (reader.compute_ps[i] == 0) {
            reader.compute_ps[i] = options->input.compute_ps;
        }
    }
    return reader.compute_ps;
}
