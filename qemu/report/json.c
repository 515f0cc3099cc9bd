/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/json.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/job/timeline.h"
#include "qemu/report/json_name.h"
#include "qemu/report/places.h"
#include "qemu/report/ranks.h"
#include "qemu/report/remarks.h"
#include "qemu/report/verdict.h"
#include "qemu/support/file.h"
#include "qemu/support/memory.h"
#include "qemu/support/quote.h"
#include "torus/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Twelve digits: more than any ratio means, and 0.1 stays 0.1. */
#define REPORT_FORMAT (JSON_INDENT(2) | JSON_REAL_PRECISION(12))

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* Without one of its entries there is no array, and so no report. */
static void append(json_t **array, json_t *entry)
{
    if (json_array_append_new(*array, entry) != 0) {
        json_decref(*array);
        *array = NULL;
    }
}

json_t *report_mesh_json(struct torus_size size, struct torus_coord originator,
                         const char *on)
{
    return memory_or_exit(json_pack("{s:i, s:i, s:o, s:[i,i], s:s}", "width",
                                    size.width, "height", size.height, "nodes",
                                    integer(torus_nodes(size)), "originator",
                                    originator.x, originator.y, "on", on));
}

static json_t *mesh_json(const struct outcome *outcome)
{
    json_t *json =
        report_mesh_json(outcome->request->size, outcome->originator[0].at,
                         outcome->request->mesh->on);

    json_object_set_new(json, "board", json_string(outcome->board));
    if (outcome->host_times) {
        json_object_set_new(json, "times", json_string("host"));
    }
    if (outcome->image != NULL) {
        json_object_set_new(json, "image", json_name(outcome->image));
    }
    return json;
}

static json_t *profile_json(const struct profile *profile)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "name", json_name(profile->name),
                     "startup_ps", integer(profile->startup_ps),
                     "transfer_ps_per_byte", integer(profile->transfer_ps),
                     "hop_delay_ps", integer(profile->hop_delay_ps));
}

/* The floors that a layer gets in every round; NULL if there is but one. Layers
 * of a tree have none, and may be more than the tables have columns. */
static json_t *layer_rounds_json(const struct rounds_plan *plan, unsigned layer)
{
    json_t *rounds = plan->rounds > 1 ? json_array() : NULL;
    bool known = layer <= ROUNDS_PHASES_MAX;

    for (unsigned r = 0; rounds != NULL && r < plan->rounds; ++r) {
        uint32_t share_units = known ? plan->share_units[r][layer] : 0;
        uint32_t volume_units = known ? plan->volume_units[r][layer] : 0;

        json_array_append_new(
            rounds, json_pack("{s:o, s:o}", "share_units", integer(share_units),
                              "volume_units", integer(volume_units)));
    }
    return rounds;
}

static json_t *layers_json(const struct outcome *outcome)
{
    json_t *layers = json_array();

    for (unsigned layer = 0; layer <= outcome->plan.phases; ++layer) {
        const struct outcome_layer *planned = &outcome->layer[layer];
        json_t *entry = json_pack(
            "{s:i, s:o, s:f, s:f, s:o, s:o*}", "layer", (int)layer, "nodes",
            integer(planned->nodes), "share_units", planned->share_units,
            "volume_units", planned->volume_units, "received_ps",
            integer(planned->received_ps), "rounds",
            layer_rounds_json(&outcome->rounds, layer));

        append(&layers, entry);
    }
    return layers;
}

static json_t *startup_json(const struct wire_report *plan)
{
    json_t *startup = json_array();

    for (unsigned phase = 1; plan->layers && phase <= plan->phases; ++phase) {
        append(&startup, integer(plan->startup_ps[phase - 1]));
    }
    return startup;
}

static json_t *plan_json(const struct outcome *outcome)
{
    const struct wire_report *plan = &outcome->plan;
    json_t *json = json_pack(
        "{s:{s:i, s:o}, s:o, s:o, s:o, s:i, s:i, s:o, s:o, s:f, s:o, "
        "s:o, s:o, s:o, s:o, s:o}",
        "torus", "side", outcome->request->size.width, "nodes",
        integer(outcome->node_count), "load_units",
        integer(outcome->load_units - plan->measured_units), "measured_units",
        integer(plan->measured_units), "sampled_ps", integer(plan->sampled_ps),
        "phases", (int)plan->phases, "rounds", (int)plan->rounds,
        "active_nodes", integer(outcome_planned_nodes(outcome)), "makespan_ps",
        integer(outcome_planned_ps(outcome)), "speedup",
        outcome_planned_speedup(outcome), "compute_ps_per_unit",
        integer(plan->compute_ps), "transfer_ps_per_unit",
        integer(outcome_transfer_ps_per_unit(outcome)), "startup_ps",
        startup_json(plan), "overhead_ps", integer(plan->overhead_ps),
        "planning_ps", integer(plan->plan_ps), "layers", layers_json(outcome));

    if (json != NULL && plan->output) {
        json_object_set_new(
            json, "outputs_return",
            json_string(plan->meanwhile ? "meanwhile" : "at the end"));
    }
    if (json != NULL && outcome_is_estimated(outcome)) {
        json_object_set_new(json, "compute_estimated", json_true());
    }
    if (json != NULL && outcome->rate_from != NULL) {
        const char *name = outcome->rate_from;

        json_object_set_new(json, "rate_from", json_name(name));
    }
    return json;
}

/* The intervals of a node, one for each round; NULL if there is but one. */
static json_t *intervals_json(const struct outcome *outcome,
                              const struct outcome_node *node)
{
    json_t *intervals = outcome->plan.rounds > 1 ? json_array() : NULL;

    for (unsigned k = 0; intervals != NULL && k < node->intervals; ++k) {
        const struct outcome_compute_interval *interval = &node->interval[k];

        json_array_append_new(
            intervals,
            json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "round",
                      interval->round, "units", integer(interval->units),
                      "received_ps", integer(interval->received_ps),
                      "forwarded_ps", integer(interval->forwarded_ps),
                      "compute_start_ps", integer(interval->compute_start_ps),
                      "compute_end_ps", integer(interval->compute_end_ps)));
    }
    return intervals;
}

/* Which of several originators a node serves; NULL if there is but one. */
static json_t *originator_json(const struct outcome *outcome,
                               const struct outcome_node *node)
{
    const struct torus_coord *at;

    if (outcome->originators == 1) {
        return NULL;
    }
    at = &outcome->originator[node->group].at;
    return json_pack("[i,i]", at->x, at->y);
}

/* Nothing of an entry that there is no memory for. */
static void set_retries(json_t *entry, const struct outcome_node *node)
{
    (void)json_object_set_new(entry, "retries", integer(node->retries));
    (void)json_object_set_new(entry, "retransmissions",
                              integer(node->retransmissions));
}

static json_t *nodes_json(const struct outcome *outcome)
{
    json_t *nodes = json_array();

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];
        json_t *entry;

        if (!node->active && node->units == 0) {
            continue; /* it had no part in any batch */
        }
        entry = json_pack(
            "{s:i, s:i, s:o*, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o*}",
            "x", node->at.x, "y", node->at.y, "originator",
            originator_json(outcome, node), "layer", node->layer, "units",
            integer(node->units), "received_ps", integer(node->received_ps),
            "hop_ps", integer(node->hop_ps), "forwarded_ps",
            integer(node->forwarded_ps), "compute_start_ps",
            integer(node->compute_start_ps), "finished_ps",
            integer(node->finished_ps), "idle_ps",
            integer(outcome_idle_ps(node)), "rounds",
            intervals_json(outcome, node));
        if (outcome->counts_nodes) {
            set_retries(entry, node);
            (void)json_object_set_new(entry, "ports_ps",
                                      integer(node->ports_ps));
        }
        append(&nodes, entry);
    }
    return nodes;
}

/* The deepest stack of any node, of the size that each has. */
static json_t *stack_json(const struct outcome *outcome)
{
    uint64_t used = 0;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        used = node->stack_used_bytes > used ? node->stack_used_bytes : used;
        bytes = node->stack_bytes > bytes ? node->stack_bytes : bytes;
    }
    return json_pack("{s:o, s:o}", "used_bytes", integer(used), "bytes",
                     integer(bytes));
}

/* What the originator does from the order to the start of the scatter. */
static json_t *preparing_json(const struct outcome *outcome)
{
    struct outcome_preparing preparing = outcome_preparing(outcome);

    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o}", "announce_ps",
        integer(preparing.announce_ps), "begin_ps", integer(preparing.begin_ps),
        "measure_ps", integer(preparing.measure_ps), "plan_ps",
        integer(preparing.plan_ps), "other_ps",
        integer(preparing.all_ps - preparing.announce_ps - preparing.begin_ps -
                preparing.measure_ps - preparing.plan_ps));
}

/* What of it is done afterwards, while others compute an advance. */
static json_t *meanwhile_json(const struct outcome *outcome)
{
    struct outcome_preparing preparing = outcome_preparing(outcome);

    return json_pack("{s:o, s:o}", "measure_ps",
                     integer(preparing.meanwhile_measure_ps), "plan_ps",
                     integer(preparing.meanwhile_plan_ps));
}

static json_t *measured_json(const struct outcome *outcome)
{
    uint64_t makespan_ps = outcome_makespan_ps(outcome);
    uint64_t spread_ps = outcome_spread_ps(outcome);

    return json_pack(
        "{s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:o, s:o, s:f, "
        "s:o, s:f, s:o, s:o, s:o}",
        "answer_ps", integer(outcome_answer_ps(outcome)), "answer_speedup",
        outcome_answer_speedup(outcome), "one_board_ps",
        integer(outcome_one_board_ps(outcome)), "preparing_ps",
        integer(outcome_preparing(outcome).all_ps), "preparing",
        preparing_json(outcome), "meanwhile", meanwhile_json(outcome),
        "makespan_ps", integer(makespan_ps), "with_results_ps",
        integer(outcome_with_results_ps(outcome)), "overhead_vs_plan",
        outcome_overhead_vs_plan(outcome), "speedup", outcome_speedup(outcome),
        "computing_ps", integer(outcome_computing_ps(outcome)), "calls_ps",
        integer(outcome_calls_ps(outcome)), "calibration_error",
        outcome_calibration_error(outcome), "spread_ps", integer(spread_ps),
        "spread", outcome_ratio(spread_ps, makespan_ps), "idle_max_ps",
        integer(outcome_idle_max_ps(outcome)), "stack", stack_json(outcome),
        "nodes", nodes_json(outcome));
}

/* Sums of one port's counters over the mesh. */
static json_t *port_json(const struct outcome *outcome, unsigned port)
{
    uint64_t messages = 0;
    uint64_t bytes = 0;
    uint64_t busy_ps = 0;
    uint64_t stall_ps = 0;
    uint64_t errors = 0;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct node_counters *at = outcome->node[i].port;

        if (at != NULL) {
            messages += at[port].sent_messages;
            bytes += at[port].sent_bytes;
            busy_ps += at[port].busy_ps;
            stall_ps += at[port].stall_ps;
            errors += at[port].errors;
        }
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "port",
                     torus_port_names[port], "sent_messages", integer(messages),
                     "sent_bytes", integer(bytes), "busy_ps", integer(busy_ps),
                     "stall_ps", integer(stall_ps), "errors", integer(errors));
}

static json_t *network_json(const struct outcome *outcome)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:[o,o,o,o]}", "messages",
        integer(outcome->messages), "payload_bytes",
        integer(outcome->payload_bytes), "circuit_conflicts",
        integer(outcome->conflicts), "retries", integer(outcome->retries),
        "retransmissions", integer(outcome->retransmissions), "ports",
        port_json(outcome, TORUS_EAST), port_json(outcome, TORUS_NORTH),
        port_json(outcome, TORUS_WEST), port_json(outcome, TORUS_SOUTH));
}

struct collector {
    json_t *object;
    bool failed;
};

static void collect(void *context, const char *name, json_t *value)
{
    struct collector *collector = (struct collector *)context;

    if (json_object_set_new(collector->object, name, value) != 0) {
        collector->failed = true;
    }
}

static void collect_integer(void *context, const char *name, uint64_t value)
{
    collect(context, name, integer(value));
}

static void collect_flag(void *context, const char *name, int value)
{
    collect(context, name, json_boolean(value));
}

static void collect_negative(void *context, const char *name,
                             uint64_t magnitude)
{
    collect(context, name, json_integer(-(json_int_t)magnitude));
}

static void collect_real(void *context, const char *name, double value)
{
    collect(context, name, json_real(value));
}

static json_t *hexadecimal(const uint8_t *bytes, size_t count)
{
    char *text = memory_or_exit(malloc(2 * count + 1));
    json_t *json;

    for (size_t i = 0; i < count; ++i) {
        sprintf(text + 2 * i, "%02x", bytes[i]);
    }
    json = json_stringn(text, 2 * count);
    free(text);
    return json;
}

/* Lines as text; where one can't be told as it is, NAME_hex has the bytes of
   all, in the same order. */
static void collect_lines(void *context, const char *name, const uint8_t *lines,
                          uint32_t bytes)
{
    json_t *list = json_array();
    json_t *hex = json_array();
    uint32_t start = 0;
    bool differs = false;
    char name_hex[64];

    for (uint32_t i = 0; i < bytes; ++i) {
        if (lines[i] == '\n') {
            char *line = quote_bytes(lines + start, i - start);

            differs = differs || strlen(line) != i - start;
            append(&list, json_string(line));
            append(&hex, hexadecimal(lines + start, i - start));
            free(line);
            start = i + 1;
        }
    }
    collect(context, name, list);
    if (differs) {
        snprintf(name_hex, sizeof name_hex, "%s_hex", name);
        collect(context, name_hex, hex);
    } else {
        json_decref(hex);
    }
}

static void collect_list(void *context, const char *name, const uint8_t *values,
                         unsigned value_bytes, uint32_t count)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < count; ++i) {
        const uint8_t *at = values + (size_t)value_bytes * i;
        json_t *value = integer(value_bytes == 8 ? kernel_load_u64(at)
                                                 : kernel_load_u32(at));

        append(&list, value);
    }
    collect(context, name, list);
}

/* As the kernel reports it: of one of several originators, or if there is no
   such number, the result of all. */
static json_t *result_json(const struct outcome *outcome, uint32_t index)
{
    struct collector collector = {.object = json_object(), .failed = false};
    struct kernel_sink sink = {.context = &collector,
                               .integer = collect_integer,
                               .negative = collect_negative,
                               .real = collect_real,
                               .flag = collect_flag,
                               .list = collect_list,
                               .lines = collect_lines};

    if (index < outcome->originators) {
        outcome_report_group_result(outcome, index, &sink);
    } else {
        outcome_report_result(outcome, &sink);
    }
    if (collector.failed) {
        json_decref(collector.object);
        return NULL;
    }
    return collector.object;
}

/* The result of the whole job. Offsets count within one originator's load. */
static json_t *whole_result_json(const struct outcome *outcome)
{
    json_t *result = result_json(outcome, outcome->originators);

    if (result != NULL && outcome->originators > 1) {
        (void)json_object_del(result, "offsets");
        (void)json_object_del(result, "offsets_complete");
    }
    return result;
}

/* The units of each node of a group. */
static json_t *shares_json(const struct outcome *outcome, uint32_t index)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        if (node->group == index) {
            append(&list, json_pack("{s:i, s:i, s:o}", "x", node->at.x, "y",
                                    node->at.y, "units", integer(node->units)));
        }
    }
    return list;
}

/* What one of several originators planned, and what its group measured. */
static json_t *group_json(const struct outcome *outcome, uint32_t index)
{
    const struct outcome_originator *one = &outcome->originator[index];
    const struct wire_report *plan = &one->plan;
    const char *name = one->input_name;

    return json_pack(
        "{s:i, s:i, s:o, s:{s:o, s:o}, s:o, s:o, s:{s:o, s:i, s:i, s:o, s:o}, "
        "s:{s:o, s:o, s:o, s:o}, s:o}",
        "x", one->at.x, "y", one->at.y, "file", json_name(name), "load",
        "bytes", integer(one->load_bytes), "units", integer(one->load_units),
        "nodes", integer(one->nodes), "shares", shares_json(outcome, index),
        "plan", "measured_units", integer(plan->measured_units), "phases",
        (int)plan->phases, "rounds", (int)plan->rounds, "makespan_ps",
        integer(plan->makespan_ps), "compute_ps_per_unit",
        integer(plan->compute_ps), "measured", "start_ps",
        integer(outcome_group_start_ps(outcome, index)), "makespan_ps",
        integer(outcome_group_makespan_ps(outcome, index)), "with_results_ps",
        integer(outcome_group_with_results_ps(outcome, index)), "answer_ps",
        integer(outcome_group_answer_ps(outcome, index)), "result",
        result_json(outcome, index));
}

static json_t *groups_json(const struct outcome *outcome)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < outcome->originators; ++i) {
        append(&list, group_json(outcome, i));
    }
    return list;
}

/* The times of each batch of a load that goes in several. */
static json_t *batches_json(const struct outcome *outcome)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < outcome->batch_count; ++i) {
        const struct outcome_batch *batch = &outcome->batch[i];

        json_array_append_new(
            list,
            json_pack("{s:o,s:o,s:o,s:o,s:o}", "units", integer(batch->units),
                      "preparing_ps", integer(batch->preparing.all_ps),
                      "planned_ps", integer(batch->planned_ps), "makespan_ps",
                      integer(batch->makespan_ps), "with_results_ps",
                      integer(batch->with_results_ps)));
    }
    return list;
}

/* What a test asked for, and no plan knew. */
static json_t *injected_json(const struct outcome *outcome)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < outcome->request->injections.count; ++i) {
        const struct injection *injection =
            &outcome->request->injections.injection[i];

        append(&list, json_pack("{s:s, s:i, s:i, s:o}", "kind",
                                injection_name(injection), "x", injection->at.x,
                                "y", injection->at.y, "from_ps",
                                integer(injection->slow_from_ps)));
    }
    return list;
}

static json_t *choices_json(const struct outcome *outcome)
{
    json_t *choices = memory_or_exit(json_array());

    for (unsigned i = 0; choices != NULL && i < outcome->choices; ++i) {
        append(&choices,
               json_pack("{s:s, s:o}", "schedule", outcome->choice[i].schedule,
                         "expected_answer_ps",
                         integer(outcome->choice[i].answer_ps)));
    }
    return choices;
}

/* Where the answer's time went. */
static json_t *average_node_json(const struct outcome *outcome)
{
    struct verdict_times times = verdict_times(outcome);

    return json_pack(
        "{s:o, s:o, s:o, s:o*, s:o, s:o}", "preparing",
        integer(times.preparing_ps), "scatter", integer(times.scatter_ps),
        "compute", integer(times.compute_ps), "ports",
        times.ports_ps > 0 ? integer(times.ports_ps) : NULL, "idle",
        integer(times.idle_ps), "gather", integer(times.gather_ps));
}

static json_t *sentence_json(const struct outcome *outcome)
{
    char *sentence = verdict_sentence(outcome);
    json_t *json = json_string(sentence);

    free(sentence);
    return json;
}

static json_t *remarks_json(const struct outcome *outcome)
{
    struct remarks remarks = remarks_of(outcome);
    json_t *sentences = json_array();

    for (unsigned i = 0; i < remarks.count; ++i) {
        append(&sentences, json_string(remarks.text[i]));
    }
    remarks_free(&remarks);
    return sentences;
}

static const char *kind_name(const struct circuit_record *circuit)
{
    switch (circuit->kind) {
    case WIRE_ANNOUNCE:
        return "announce";
    case WIRE_PART:
        return "part";
    default:
        return "result";
    }
}

/* In the order in which they were granted. Times before the start of the
   scatter are negative. */
static json_t *circuits_json(const struct outcome *outcome)
{
    json_t *circuits = json_array();

    for (uint32_t i = 0; i < outcome->circuit_count; ++i) {
        const struct circuit_record *circuit = &outcome->circuit[i];

        append(&circuits,
               json_pack("{s:s, s:i, s:i, s:o, s:s, s:o, s:s, s:i, s:o, s:o, "
                         "s:o, s:o}",
                         "kind", kind_name(circuit), "phase", circuit->phase,
                         "round", circuit->round, "source",
                         integer(circuit->source), "port",
                         circuit_port_name(circuit->port), "destination",
                         integer(circuit->destination), "arrival",
                         circuit_port_name(circuit->arrival), "hops",
                         circuit->hops, "bytes", integer(circuit->bytes),
                         "request_ps", integer(circuit->request_ps), "grant_ps",
                         integer(circuit->grant_ps), "end_ps",
                         integer(circuit->end_ps)));
    }
    return circuits;
}

static void add_command(json_t *json, const char *command)
{
    if (command != NULL) {
        json_object_set_new(json, "command", json_name(command));
    }
}

/* What a host with all nodes was expected to need of memory. */
static void add_memory(json_t *json, const struct outcome *outcome)
{
    if (outcome->request->memory_need > 0) {
        json_object_set_new(json, "memory",
                            json_pack("{s:o}", "expected_bytes",
                                      integer(outcome->request->memory_need)));
    }
}

/* The files of a load of several; where in the load something was found. */
static void add_places(json_t *json, const struct outcome *outcome)
{
    json_t *result = json_object_get(json, "result");
    json_t *places = places_json(outcome);
    json_t *texts = places_texts_json(outcome);

    if (outcome->request->originator[0].load.file_count > 0) {
        json_object_set_new(json_object_get(json, "load"), "files",
                            places_files_json(outcome));
    }
    if (places != NULL) {
        json_object_set_new(result, "places", places);
    }
    if (texts != NULL) {
        json_object_set_new(json, "texts", texts);
    }
}

json_t *report_json(const struct outcome *outcome)
{
    char hex[TIMELINE_HEX_BYTES];
    json_t *json;

    if (timeline_sha256(outcome, hex) != 0) {
        return NULL;
    }
    json = json_pack(
        "{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:{s:o, s:o}, s:o, s:o, s:o, "
        "s:o, s:o, s:s, s:{s:f, s:f}}",
        "report_format", REPORT_FORMAT_NUMBER, "verdict",
        sentence_json(outcome), "remarks", remarks_json(outcome),
        "average_node_ps", average_node_json(outcome), "mesh",
        mesh_json(outcome), "profile", profile_json(&outcome->request->profile),
        "plan_profile", profile_json(request_plan_profile(outcome->request)),
        "kernel", outcome->request->kernel->name, "load", "bytes",
        integer(outcome->load_bytes), "units", integer(outcome->load_units),
        "plan", plan_json(outcome), "measured", measured_json(outcome),
        "network", network_json(outcome), "circuits", circuits_json(outcome),
        "result", whole_result_json(outcome), "timeline_sha256", hex, "wall_s",
        "boot", outcome->boot_wall_s, "run", outcome->run_wall_s);
    if (json == NULL) {
        file_error("report", "%s", strerror(ENOMEM));
        return NULL;
    }
    add_command(json, outcome->command);
    add_places(json, outcome);
    add_memory(json, outcome);
    ranks_add_json(json, outcome);
    if (outcome->originators > 1) {
        json_object_set_new(json, "originators", groups_json(outcome));
    }
    if (outcome->batch_count > 1) {
        json_object_set_new(json, "batches", batches_json(outcome));
    }
    if (outcome->request->injections.count > 0) {
        json_object_set_new(json, "injected", injected_json(outcome));
    }
    if (outcome->choices > 0) {
        json_object_set_new(json, "choices", choices_json(outcome));
        json_object_set_new(json, "choices_estimated",
                            json_boolean(outcome->choices_estimated));
    }
    return json;
}

static int dump(const json_t *report, FILE *stream)
{
    /* A write that fails leaves its mark on the stream, for the caller. */
    int result = json_dumpf(report, stream, REPORT_FORMAT);

    fputc('\n', stream);
    if (result != 0 && ferror(stream) == 0) {
        file_error("report", "%s", strerror(ENOMEM));
        return -1;
    }
    return 0;
}

int report_write(const json_t *report, const char *path)
{
    struct file_output file;

    if (file_output_open(&file, path) != 0) {
        return -1;
    }
    return file_output_close(&file, dump(report, file.stream) == 0);
}

int report_print(const json_t *report)
{
    return dump(report, stdout);
}
