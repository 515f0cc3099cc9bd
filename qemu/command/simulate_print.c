/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/simulate_print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

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

static uint64_t event_count(const struct simulate_outcome *outcome)
{
    return outcome->circuits_set_up + outcome->circuits_ended +
           outcome->finished;
}

/* The node to whose east or north the link goes. */
static struct torus_coord link_coord(const struct simulate_result *result,
                                     const struct simulate_meeting *meeting)
{
    return torus_coord_of(result->input.size, meeting->link / 2);
}

static const char *link_way(const struct simulate_meeting *meeting)
{
    return meeting->link % 2 == 0 ? "east" : "north";
}

/* ---- JSON ---- */

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *range_json(const struct simulate_range *range)
{
    return json_pack("[o, o]", integer(range->least), integer(range->most));
}

static json_t *layers_json(const struct simulate_result *result)
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

/* The first meeting of `count`; null if there was none. */
static json_t *meeting_json(const struct simulate_result *result,
                            uint64_t count,
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
                     torus_port_names[meeting->port], "link", "at", at.x, at.y,
                     "way", link_way(meeting));
}

static json_t *checks_json(const struct simulate_result *result)
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

static json_t *result_json(const struct simulate_result *result)
{
    const struct simulate_input *input = &result->input;
    const struct simulate_outcome *outcome = &result->outcome;
    const struct simulate_range *finish = &outcome->finish_ps;

    return json_pack(
        "{s:{s:i, s:o, s:[i, i]}, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o, "
        "s:{s:o, s:o, s:o}, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:o}",
        "torus", "side", input->size.width, "nodes",
        integer(torus_nodes(result->input.size)), "originator",
        input->originator.x, input->originator.y, "load_units",
        integer(input->load_units), "phases", input->phases, "rounds", 1,
        "nodes_reached", integer(outcome->reached), "units_total",
        integer(outcome->units_total), "makespan_ps", integer(finish->most),
        "model_makespan_ps", integer(result->model.makespan_ps),
        "makespan_bound_ps", integer(simulate_bound_ps(input)), "finish",
        "earliest_ps", integer(finish->least), "latest_ps",
        integer(finish->most), "spread_ps",
        integer(finish->most - finish->least), "layers", layers_json(result),
        "link_disjoint", result->passed[SIMULATE_DISJOINT], "first_overlap",
        meeting_json(result, outcome->overlaps, &outcome->first_overlap),
        "conflicts", integer(outcome->conflicts), "first_conflict",
        meeting_json(result, outcome->conflicts, &outcome->first_conflict),
        "events", integer(event_count(outcome)), "event_kinds",
        events_json(outcome), "checks", checks_json(result), "wall_s",
        result->wall_s, "peak_rss_bytes", integer(result->peak_rss_bytes));
}

static uint64_t finished_ps(const struct simulate_result *result,
                            const struct simulate_node *node)
{
    return node->received_ps + node->share_units * result->input.compute_ps;
}

/* Prints nodes one by one: ten million as jansson values would take
   gigabytes. */
static void print_nodes_json(const struct simulate_result *result)
{
    const char *separator = "";

    fputs(", \"per_node\": [", stdout);
    for (uint32_t i = 0; i < torus_nodes(result->input.size); ++i) {
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

void simulate_print_json(const struct simulate_result *result, bool per_node)
{
    json_t *json = result_json(result);

    putchar('{');
    json_dumpf(json, stdout, JSON_EMBED | JSON_REAL_PRECISION(6));
    json_decref(json);
    if (per_node) {
        print_nodes_json(result);
    }
    puts("}");
}

/* ---- a table for people ---- */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Prints a time in us with all six digits after the point. */
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

static void print_layers(const struct simulate_result *result)
{
    const struct simulate_input *input = &result->input;

    printf("Torus %d x %d, %u node%s, originator %d,%d. Load %" PRIu32
           " unit%s.\n%u of %d phase%s, 1 round, %u node%s reached.\n\n"
           "                      volume [units]         share [units]"
           "                         received [us]"
           "                         finished [us]\n"
           "layer    nodes      least       most      least       most"
           "              first               last"
           "              first               last\n",
           input->size.width, input->size.height, torus_nodes(input->size),
           plural(torus_nodes(input->size)), input->originator.x,
           input->originator.y, input->load_units, plural(input->load_units),
           input->phases, torus_phases(input->size),
           plural((uint64_t)torus_phases(input->size)), result->outcome.reached,
           plural(result->outcome.reached));
    for (unsigned i = 0; i <= input->phases; ++i) {
        print_layer(i, &result->outcome.layer[i]);
    }
}

static void print_finish(const struct simulate_result *result)
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

static void print_meeting(const char *name,
                          const struct simulate_result *result, uint64_t count,
                          const struct simulate_meeting *meeting)
{
    struct torus_coord at = link_coord(result, meeting);

    printf("%-10s %" PRIu64, name, count);
    if (count > 0) {
        fputs("; the first at ", stdout);
        print_time(0, meeting->time_ps);
        printf(" us: phase %u out of port %s of %u,%u meets phase %u on the "
               "link %s of %u,%u",
               meeting->phase, torus_port_names[meeting->port],
               meeting->source.x, meeting->source.y, meeting->other_phase,
               link_way(meeting), at.x, at.y);
    }
    putchar('\n');
}

static void print_nodes(const struct simulate_result *result)
{
    puts("\n   x    y layer     volume      share       received [us]"
         "       finished [us]");
    for (uint32_t i = 0; i < torus_nodes(result->input.size); ++i) {
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

void simulate_print_table(const struct simulate_result *result, bool per_node)
{
    const struct simulate_outcome *outcome = &result->outcome;

    print_layers(result);
    print_finish(result);
    printf("events     %" PRIu64 ": %" PRIu64 " circuit%s set up, %" PRIu64
           " ended, %" PRIu32 " node%s finished\n",
           event_count(outcome), outcome->circuits_set_up,
           plural(outcome->circuits_set_up), outcome->circuits_ended,
           outcome->finished, plural(outcome->finished));
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
    if (per_node) {
        print_nodes(result);
    }
}
