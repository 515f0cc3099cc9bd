/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/plan_options.h"

#include "qemu/base/amount.h"
#include "qemu/base/exit_status.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

static uint64_t node_count(const struct plan_options *options)
{
    return options->side * options->side;
}

static uint64_t active_nodes(const struct theory_plan *plan)
{
    return theory_layer_nodes(plan->phases + 1u) / 4;
}

/* JSON. */

static json_t *with_part(json_t *json, const struct theory_part *part)
{
    json_object_update_new(json, json_pack("{s:f, s:f, s:I}", "share_units",
                                           part->share_units, "volume_units",
                                           part->volume_units, "received_ps",
                                           (json_int_t)part->end_ps));
    return json;
}

static json_t *rounds_json(const struct theory_plan *plan,
                           const struct theory_detail *detail, unsigned layer)
{
    const struct theory_part *part =
        detail->average == NULL ? detail->part : detail->average;
    json_t *rounds = json_array();

    for (unsigned r = 0; r < plan->rounds; ++r) {
        json_array_append_new(
            rounds,
            with_part(json_object(), &part[r * (plan->phases + 1u) + layer]));
    }
    return rounds;
}

static json_t *groups_json(const struct theory_detail *detail, unsigned layer)
{
    json_t *groups = json_array();

    for (uint32_t i = detail->first[layer]; i < detail->first[layer + 1]; ++i) {
        const struct theory_part *part = &detail->part[i];

        json_array_append_new(
            groups,
            with_part(json_pack("{s:I}", "nodes", (json_int_t)part->nodes),
                      part));
    }
    return groups;
}

static json_t *layer_json(const struct theory_plan *plan,
                          const struct theory_detail *detail, unsigned i)
{
    json_t *layer = json_pack("{s:I, s:I}", "layer", (json_int_t)i, "nodes",
                              (json_int_t)theory_layer_nodes(i));

    with_part(layer, &plan->layer[i]);
    if (plan->rounds > 1) {
        json_object_set_new(layer, "rounds", rounds_json(plan, detail, i));
    }
    if (detail->part != NULL && !detail->by_member && detail->batches > 1) {
        json_object_set_new(layer, "groups", groups_json(detail, i));
    }
    return layer;
}

/* Returns by which fraction the makespan of similar rounds exceeds that of the
   plan. */
static double loss_of(const struct theory_similar *similar,
                      const struct theory_plan *plan)
{
    return plan->makespan_ps == 0
               ? 0
               : (double)similar->makespan_ps / (double)plan->makespan_ps - 1;
}

/* Adds the plan of similar rounds; if that was chosen, also the best plan by
   qemu/theory/model.h. */
static void add_similar(json_t *json, const struct plan_solved *solved)
{
    const struct theory_similar *similar = &solved->similar;
    json_t *parts = json_array();
    json_t *object;

    for (unsigned r = 0; r < similar->rounds; ++r) {
        json_array_append_new(parts, json_real(similar->part[r]));
    }
    object = json_pack("{s:i, s:i, s:I, s:f, s:o, s:b}", "phases",
                       similar->phases, "rounds", similar->rounds,
                       "makespan_ps", (json_int_t)similar->makespan_ps, "loss",
                       loss_of(similar, &solved->plan), "parts", parts, "taken",
                       solved->is_similar);
    json_object_set_new(json, "similar", object);
    if (solved->equations.makespan_ps > 0) {
        json_object_set_new(
            json, "equations",
            json_pack("{s:i, s:i, s:I}", "phases", solved->equations.phases,
                      "rounds", solved->equations.rounds, "makespan_ps",
                      (json_int_t)solved->equations.makespan_ps));
    }
}

static void add_results(json_t *json, const struct plan_solved *solved)
{
    json_object_update_new(
        json, json_pack("{s:I, s:s, s:s*}", "with_results_ps",
                        (json_int_t)plan_results_ps(solved), "results_return",
                        solved->meanwhile ? "meanwhile" : "at the end",
                        "meanwhile_planned_for", solved->meanwhile_limit));
}

/* Returns a time as JSON. A time above 63 bits becomes a real, since jansson
   has no larger integers. */
static json_t *time_json(uint64_t time_ps)
{
    return time_ps > INT64_MAX ? json_real((double)time_ps)
                               : json_integer((json_int_t)time_ps);
}

static json_t *computes_json(const struct plan_options *options)
{
    json_t *times;

    if (!plan_given(options, PLAN_LAYER_COMPUTE)) {
        return time_json(options->input.compute_ps);
    }
    times = json_array();
    for (unsigned i = 0; i < options->layer_computes; ++i) {
        json_array_append_new(times, time_json(options->layer_compute_ps[i]));
    }
    return times;
}

static json_t *inputs_json(const struct plan_options *options)
{
    const char *const *text = options->text;
    bool automatic = options->rounds == 0;

    return json_pack(
        "{s:o, s:o, s:o, s:o, s:s?, s:s?, s:o?, s:o, s:I, s:s?, s:s}",
        "startup_ps", time_json(options->startup_ps), "hop_delay_ps",
        time_json(options->hop_delay_ps), "transfer_ps",
        time_json(options->input.transfer_ps),
        text[PLAN_LAYER_COMPUTE] != NULL ? "layer_compute_ps" : "compute_ps",
        computes_json(options), "node_compute", text[PLAN_NODE_COMPUTE],
        "compute_power", text[PLAN_COMPUTE_POWER], "phases",
        text[PLAN_PHASES] != NULL ? json_integer((json_int_t)options->phases)
                                  : NULL,
        "rounds",
        automatic ? json_string("auto")
                  : json_integer((json_int_t)options->rounds),
        "ports", (json_int_t)options->ports, "results", text[PLAN_RESULTS],
        "switching",
        options->store_and_forward ? "store-and-forward" : "circuit");
}

static json_t *plan_json(const struct theory_plan *plan,
                         const struct theory_detail *detail,
                         const struct plan_options *options)
{
    json_t *layers = json_array();
    json_t *json;

    for (unsigned i = 0; i <= plan->phases; ++i) {
        json_array_append_new(layers, layer_json(plan, detail, i));
    }
    json = json_pack(
        "{s:{s:I, s:I}, s:[I, I], s:I, s:i, s:i, s:i, s:I, s:I, s:f, s:o}",
        "torus", "side", (json_int_t)options->side, "nodes",
        (json_int_t)node_count(options), "originator", (json_int_t)options->x,
        (json_int_t)options->y, "load_units",
        (json_int_t)options->input.load_units, "phases", plan->phases,
        "phases_feasible", plan->phases_feasible, "rounds", plan->rounds,
        "active_nodes", (json_int_t)active_nodes(plan), "makespan_ps",
        (json_int_t)plan->makespan_ps, "speedup", plan->speedup, "layers",
        layers);
    if (plan_given(options, PLAN_UNIT)) {
        json_object_set_new(json, "unit_bytes",
                            json_integer((json_int_t)options->unit_bytes));
    }
    return json;
}

/* Prints all nodes, one by one: as a JSON value, ten million would take
   gigabytes. */
static void print_nodes(const struct theory_node *nodes,
                        const struct plan_options *options)
{
    for (uint32_t i = 0; i < node_count(options); ++i) {
        struct torus_coord at = torus_coord_of(options->torus.size, i);

        if (options->json) {
            printf("%s{\"x\": %d, \"y\": %d, \"layer\": %d, \"units\": "
                   "%" PRIu64 "}",
                   i == 0 ? "" : ", ", at.x, at.y, nodes[i].layer,
                   nodes[i].units);
        } else {
            printf("%4d %4d %5d %21" PRIu64 "\n", at.x, at.y, nodes[i].layer,
                   nodes[i].units);
        }
    }
}

int plan_print_json(const struct plan_solved *solved,
                    const struct theory_node *nodes,
                    const struct plan_options *options)
{
    json_t *json = plan_json(&solved->plan, &solved->detail, options);

    if (json == NULL) {
        fputs("quincunx: the plan has a number that JSON can't hold\n", stderr);
        return EXIT_FAILED;
    }
    json_object_set_new(json, "inputs", inputs_json(options));
    if (plan_given(options, PLAN_RESULTS)) {
        add_results(json, solved);
    }
    if (solved->similar.rounds > 0) {
        add_similar(json, solved);
    }
    putchar('{');
    json_dumpf(json, stdout, JSON_EMBED | JSON_REAL_PRECISION(17));
    json_decref(json);
    if (nodes != NULL) {
        fputs(", \"per_node\": [", stdout);
        print_nodes(nodes, options);
        putchar(']');
    }
    puts("}");
    return 0;
}

/* A table for people. */

static struct amount us_of(uint64_t time_ps)
{
    struct amount us;

    snprintf(us.text, sizeof us.text, "%" PRIu64 ".%06" PRIu64,
             time_ps / 1000000, time_ps % 1000000);
    return us;
}

static void print_layers(const struct theory_plan *plan)
{
    puts("  layer          nodes         share [units]        volume [units]"
         "          received [us]");
    for (unsigned i = 0; i <= plan->phases; ++i) {
        printf("%7u %14" PRIu64 " %21.6f %21.6f%23s\n", i,
               theory_layer_nodes(i), plan->layer[i].share_units,
               plan->layer[i].volume_units, us_of(plan->layer[i].end_ps).text);
    }
}

/* Prints what the table's numbers mean if nodes or rounds differ. */
static void print_meaning(const struct plan_solved *solved,
                          const struct plan_options *options)
{
    bool differ =
        options->node_compute != NULL || options->ports != TORUS_PORTS;

    if (differ) {
        puts("\nNodes of a layer differ: share and volume are their means, "
             "received is the\nfirst one's.");
    }
    if (solved->plan.rounds > 1) {
        puts("\nShare and volume are of all rounds, received is of the first.");
    }
}

static void print_results(const struct plan_solved *solved)
{
    const char *how = "when all is computed";

    if (solved->meanwhile) {
        how = solved->plan.rounds > 1 ? "while later rounds are computed"
                                      : "while others compute";
    }
    printf("results  %s us until all are back, collected %s\n",
           us_of(plan_results_ps(solved)).text, how);
    if (solved->meanwhile_limit != NULL) {
        printf("         (rounds that return them meanwhile are planned for\n"
               "         %s)\n",
               solved->meanwhile_limit);
    }
}

static void print_similar(const struct plan_solved *solved)
{
    const struct theory_similar *similar = &solved->similar;
    const struct theory_plan *best = &solved->equations;

    if (solved->is_similar) {
        fputs("similar  these rounds, with ", stdout);
    } else {
        printf("similar  %s us (%+.4f %%) with ",
               us_of(similar->makespan_ps).text,
               100 * loss_of(similar, &solved->plan));
    }
    amount_things(stdout, similar->phases, "phase");
    fputs(" and these parts of the load in ", stdout);
    amount_things(stdout, similar->rounds, "round");
    fputs(":\n        ", stdout);
    for (unsigned r = 0; r < similar->rounds; ++r) {
        printf(" %.4f", similar->part[r]);
    }
    puts("\n         (similar: all rounds have the shares of one plan, each a "
         "part of them)");
    if (solved->is_similar) {
        puts("         (they need nodes that pass a round on as it comes)");
    }
    if (best->makespan_ps > 0) {
        printf("         best without similar ones: %s us, with ",
               us_of(best->makespan_ps).text);
        amount_things(stdout, best->phases, "phase");
        fputs(" and ", stdout);
        amount_things(stdout, best->rounds, "round");
        putchar('\n');
    }
}

void plan_print_table(const struct plan_solved *solved,
                      const struct theory_node *nodes,
                      const struct plan_options *options)
{
    const struct theory_plan *plan = &solved->plan;

    printf("Torus %" PRIu64 " x %" PRIu64 ", ", options->side, options->side);
    amount_things(stdout, node_count(options), "node");
    fputs(". Load ", stdout);
    amount_things(stdout, options->input.load_units, "unit");
    printf(".\n%u of ", plan->phases);
    amount_things(stdout, options->input.phases_max, "phase");
    printf(" (%u feasible), ", plan->phases_feasible);
    amount_things(stdout, plan->rounds, "round");
    fputs(", ", stdout);
    amount_things(stdout, active_nodes(plan), "node");
    fputs(" active.\n\n", stdout);
    print_layers(plan);
    print_meaning(solved, options);
    printf("\nmakespan %s us\nspeedup  %.6f\n", us_of(plan->makespan_ps).text,
           plan->speedup);
    if (plan_given(options, PLAN_RESULTS)) {
        print_results(solved);
    }
    if (solved->similar.rounds > 0) {
        print_similar(solved);
    }
    if (nodes != NULL) {
        puts("\n   x    y layer                 units");
        print_nodes(nodes, options);
    }
}
