/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/json.h"

#include "qemu/job/choose.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/timeline.h"
#include "qemu/report/places.h"
#include "qemu/report/ranks.h"
#include "qemu/report/remarks.h"
#include "qemu/report/result.h"
#include "qemu/report/verdict.h"
#include "qemu/base/file.h"
#include "qemu/base/json.h"
#include "qemu/base/memory.h"
#include "torus/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Twelve digits print 0.1 as 0.1; no ratio of a run is more exact than that. */
#define REPORT_FORMAT (JSON_INDENT(2) | JSON_REAL_PRECISION(12))

/* Returns a list of entry(0) to entry(count - 1), without entries that are
   NULL. Returns NULL if `count` is below `least`. */
static json_t *
list_of(const struct outcome *outcome, uint32_t count, uint32_t least,
        json_t *(*entry)(const struct outcome *outcome, uint32_t index))
{
    json_t *list = count >= least ? json_array() : NULL;

    for (uint32_t i = 0; list != NULL && i < count; ++i) {
        (void)json_array_append_new(list, entry(outcome, i));
    }
    return list;
}

json_t *report_mesh_json(struct torus_size size, struct torus_coord originator,
                         const char *on)
{
    return memory_or_exit(json_pack("{s:i, s:i, s:o, s:[i,i], s:s}", "width",
                                    size.width, "height", size.height, "nodes",
                                    json_whole(torus_nodes(size)), "originator",
                                    originator.x, originator.y, "on", on));
}

/* Returns the nodes that the plan left out, or NULL if there is none. */
static json_t *missing_json(const struct outcome *outcome)
{
    json_t *json = NULL;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        if (node->missing) {
            json = json != NULL ? json : json_array();
            json_array_append_new(json,
                                  json_pack("[i,i]", node->at.x, node->at.y));
        }
    }
    return json;
}

static json_t *mesh_json(const struct outcome *outcome)
{
    json_t *json =
        report_mesh_json(outcome->request->size, outcome->originator[0].at,
                         outcome->request->mesh->on);

    json_object_update_new(
        json,
        json_pack("{s:s, s:s*, s:o*, s:o*}", "board", outcome->board, "times",
                  outcome->host_times ? "host" : NULL, "image",
                  outcome->image != NULL ? json_name(outcome->image) : NULL,
                  "missing", missing_json(outcome)));
    return json;
}

static json_t *profile_json(const struct profile *profile)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "name", json_name(profile->name),
                     "startup_ps", json_whole(profile->startup_ps),
                     "transfer_ps_per_byte", json_whole(profile->transfer_ps),
                     "hop_delay_ps", json_whole(profile->hop_delay_ps));
}

/* Returns what a layer's nodes receive in each round, units rounded down; NULL
   if there is one round. A tree's plan does not tell, and it may have more than
   ROUNDS_PHASES_MAX layers. */
static json_t *layer_rounds_json(const struct rounds_plan *plan, unsigned layer)
{
    json_t *rounds = plan->rounds > 1 ? json_array() : NULL;
    bool known = layer <= ROUNDS_PHASES_MAX;

    for (unsigned r = 0; rounds != NULL && r < plan->rounds; ++r) {
        uint32_t share_units = known ? plan->share_units[r][layer] : 0;
        uint32_t volume_units = known ? plan->volume_units[r][layer] : 0;

        json_array_append_new(rounds,
                              json_pack("{s:o, s:o}", "share_units",
                                        json_whole(share_units), "volume_units",
                                        json_whole(volume_units)));
    }
    return rounds;
}

static json_t *layer_json(const struct outcome *outcome, uint32_t layer)
{
    const struct outcome_layer *planned = &outcome->layer[layer];

    return json_pack("{s:i, s:o, s:f, s:f, s:o, s:o*}", "layer", (int)layer,
                     "nodes", json_whole(planned->nodes), "share_units",
                     planned->share_units, "volume_units",
                     planned->volume_units, "received_ps",
                     json_whole(planned->received_ps), "rounds",
                     layer_rounds_json(&outcome->rounds, layer));
}

static json_t *startup_json(const struct wire_report *plan)
{
    json_t *startup = json_array();

    for (unsigned phase = 1; plan->layers && phase <= plan->phases; ++phase) {
        json_array_append_new(startup, json_whole(plan->startup_ps[phase - 1]));
    }
    return startup;
}

static json_t *plan_json(const struct outcome *outcome)
{
    const struct wire_report *plan = &outcome->plan;
    const char *outputs = plan->meanwhile ? "meanwhile" : "at the end";
    const char *rate_from = outcome->rate_from;

    return json_pack(
        "{s:{s:i, s:o}, s:o, s:o, s:o, s:i, s:i, s:o, s:o, s:f, s:o, "
        "s:o, s:o, s:o, s:o, s:o, s:s*, s:o*, s:o*}",
        "torus", "side", outcome->request->size.width, "nodes",
        json_whole(outcome->node_count), "load_units",
        json_whole(outcome->load_units - plan->measured_units),
        "measured_units", json_whole(plan->measured_units), "sampled_ps",
        json_whole(plan->sampled_ps), "phases", (int)plan->phases, "rounds",
        (int)plan->rounds, "active_nodes",
        json_whole(outcome_planned_nodes(outcome)), "makespan_ps",
        json_whole(outcome_planned_ps(outcome)), "speedup",
        outcome_planned_speedup(outcome), "compute_ps_per_unit",
        json_whole(plan->compute_ps), "transfer_ps_per_unit",
        json_whole(outcome_transfer_ps_per_unit(outcome)), "startup_ps",
        startup_json(plan), "overhead_ps", json_whole(plan->overhead_ps),
        "planning_ps", json_whole(plan->plan_ps), "layers",
        list_of(outcome, plan->phases + 1u, 0, layer_json), "outputs_return",
        plan->output ? outputs : NULL, "compute_estimated",
        outcome_is_estimated(outcome) ? json_true() : NULL, "rate_from",
        rate_from != NULL ? json_name(rate_from) : NULL);
}

static json_t *intervals_json(const struct outcome *outcome,
                              const struct outcome_node *node)
{
    json_t *intervals = outcome->plan.rounds > 1 ? json_array() : NULL;

    for (unsigned k = 0; intervals != NULL && k < node->intervals; ++k) {
        const struct outcome_compute_interval *interval = &node->interval[k];

        json_array_append_new(
            intervals,
            json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "round",
                      interval->round, "units", json_whole(interval->units),
                      "received_ps", json_whole(interval->received_ps),
                      "forwarded_ps", json_whole(interval->forwarded_ps),
                      "compute_start_ps",
                      json_whole(interval->compute_start_ps), "compute_end_ps",
                      json_whole(interval->compute_end_ps)));
    }
    return intervals;
}

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

static json_t *node_json(const struct outcome *outcome, uint32_t index)
{
    const struct outcome_node *node = &outcome->node[index];
    json_t *json;

    if (!node->active && node->units == 0) {
        return NULL;
    }
    json = json_pack(
        "{s:i, s:i, s:o*, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o*}", "x",
        node->at.x, "y", node->at.y, "originator",
        originator_json(outcome, node), "layer", node->layer, "units",
        json_whole(node->units), "received_ps", json_whole(node->received_ps),
        "hop_ps", json_whole(node->hop_ps), "forwarded_ps",
        json_whole(node->forwarded_ps), "compute_start_ps",
        json_whole(node->compute_start_ps), "finished_ps",
        json_whole(node->finished_ps), "idle_ps",
        json_whole(outcome_idle_ps(node)), "rounds",
        intervals_json(outcome, node));
    if (outcome->counts_nodes) {
        json_object_update_new(
            json,
            json_pack("{s:o, s:o, s:o}", "retries", json_whole(node->retries),
                      "retransmissions", json_whole(node->retransmissions),
                      "ports_ps", json_whole(node->ports_ps)));
    }
    return json;
}

static json_t *stack_json(const struct outcome *outcome)
{
    uint64_t used = 0;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        used = node->stack_used_bytes > used ? node->stack_used_bytes : used;
        bytes = node->stack_bytes > bytes ? node->stack_bytes : bytes;
    }
    return json_pack("{s:o, s:o}", "used_bytes", json_whole(used), "bytes",
                     json_whole(bytes));
}

static json_t *preparing_json(const struct outcome *outcome)
{
    struct outcome_preparing preparing = outcome_preparing(outcome);

    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "announce_ps",
                     json_whole(preparing.announce_ps), "begin_ps",
                     json_whole(preparing.begin_ps), "measure_ps",
                     json_whole(preparing.measure_ps), "plan_ps",
                     json_whole(preparing.plan_ps), "other_ps",
                     json_whole(preparing.all_ps - preparing.announce_ps -
                                preparing.begin_ps - preparing.measure_ps -
                                preparing.plan_ps));
}

/* Returns the times of measuring and planning after the scatter's start, while
   other nodes compute an advance (units sent before there is a plan). */
static json_t *meanwhile_json(const struct outcome *outcome)
{
    struct outcome_preparing preparing = outcome_preparing(outcome);

    return json_pack("{s:o, s:o}", "measure_ps",
                     json_whole(preparing.meanwhile_measure_ps), "plan_ps",
                     json_whole(preparing.meanwhile_plan_ps));
}

static json_t *measured_json(const struct outcome *outcome)
{
    uint64_t makespan_ps = outcome_makespan_ps(outcome);
    uint64_t spread_ps = outcome_spread_ps(outcome);

    return json_pack(
        "{s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:o, s:o, s:f, "
        "s:o, s:f, s:o, s:o, s:o}",
        "answer_ps", json_whole(outcome_answer_ps(outcome)), "answer_speedup",
        outcome_answer_speedup(outcome), "one_board_ps",
        json_whole(outcome_one_board_ps(outcome)), "preparing_ps",
        json_whole(outcome_preparing(outcome).all_ps), "preparing",
        preparing_json(outcome), "meanwhile", meanwhile_json(outcome),
        "makespan_ps", json_whole(makespan_ps), "with_results_ps",
        json_whole(outcome_with_results_ps(outcome)), "overhead_vs_plan",
        outcome_overhead_vs_plan(outcome), "speedup", outcome_speedup(outcome),
        "computing_ps", json_whole(outcome_computing_ps(outcome)), "calls_ps",
        json_whole(outcome_calls_ps(outcome)), "calibration_error",
        outcome_calibration_error(outcome), "spread_ps", json_whole(spread_ps),
        "spread", outcome_ratio(spread_ps, makespan_ps), "idle_max_ps",
        json_whole(outcome_idle_max_ps(outcome)), "stack", stack_json(outcome),
        "nodes", list_of(outcome, outcome->node_count, 0, node_json));
}

static json_t *port_json(const struct outcome *outcome, uint32_t port)
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
                     torus_port_names[port], "sent_messages",
                     json_whole(messages), "sent_bytes", json_whole(bytes),
                     "busy_ps", json_whole(busy_ps), "stall_ps",
                     json_whole(stall_ps), "errors", json_whole(errors));
}

static json_t *network_json(const struct outcome *outcome)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "messages",
                     json_whole(outcome->messages), "payload_bytes",
                     json_whole(outcome->payload_bytes), "circuit_conflicts",
                     json_whole(outcome->conflicts), "retries",
                     json_whole(outcome->retries), "retransmissions",
                     json_whole(outcome->retransmissions), "ports",
                     list_of(outcome, TORUS_PORTS, 0, port_json));
}

static json_t *whole_result_json(const struct outcome *outcome)
{
    json_t *result = result_json(outcome, outcome->originators);
    json_t *places = places_json(outcome, result);

    if (places != NULL) {
        json_object_set_new(result, "places", places);
    }
    return result;
}

/* Returns the number of units of each node that originator `index` serves. */
static json_t *shares_json(const struct outcome *outcome, uint32_t index)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        if (node->group == index && !node->missing) {
            json_array_append_new(
                list, json_pack("{s:i, s:i, s:o}", "x", node->at.x, "y",
                                node->at.y, "units", json_whole(node->units)));
        }
    }
    return list;
}

static json_t *group_json(const struct outcome *outcome, uint32_t index)
{
    const struct outcome_originator *one = &outcome->originator[index];
    const struct wire_report *plan = &one->plan;
    const char *name = one->input_name;
    const struct outcome_group_times times =
        outcome_group_times(outcome, index);

    return json_pack(
        "{s:i, s:i, s:o, s:{s:o, s:o}, s:o, s:o, s:{s:o, s:i, s:i, s:o, s:o}, "
        "s:{s:o, s:o, s:o, s:o}, s:o}",
        "x", one->at.x, "y", one->at.y, "file", json_name(name), "load",
        "bytes", json_whole(one->load_bytes), "units",
        json_whole(one->load_units), "nodes", json_whole(one->nodes), "shares",
        shares_json(outcome, index), "plan", "measured_units",
        json_whole(plan->measured_units), "phases", (int)plan->phases, "rounds",
        (int)plan->rounds, "makespan_ps", json_whole(plan->makespan_ps),
        "compute_ps_per_unit", json_whole(plan->compute_ps), "measured",
        "start_ps", json_whole(times.start_ps), "makespan_ps",
        json_whole(times.makespan_ps), "with_results_ps",
        json_whole(times.with_results_ps), "answer_ps",
        json_whole(times.answer_ps), "result", result_json(outcome, index));
}

static json_t *batch_json(const struct outcome *outcome, uint32_t index)
{
    const struct outcome_batch *batch = &outcome->batch[index];

    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "units",
                     json_whole(batch->units), "preparing_ps",
                     json_whole(batch->preparing.all_ps), "planned_ps",
                     json_whole(batch->planned_ps), "makespan_ps",
                     json_whole(batch->makespan_ps), "with_results_ps",
                     json_whole(batch->with_results_ps));
}

static json_t *fault_json(const struct outcome *outcome, uint32_t index)
{
    const struct fault *fault = &outcome->faults.fault[index];
    bool found = fault->how != FAULT_UNKNOWN;

    return json_pack(
        "{s:s, s:i, s:i, s:s*, s:o*, s:o*, s:s, s:o}", "what",
        fault_port(fault) != NULL ? "link" : "node", "x", fault->is.at.x, "y",
        fault->is.at.y, "port", fault_port(fault), "when_ps",
        fault->is.from_ps != FAULT_UNTIMED_PS ? json_whole(fault->is.from_ps)
                                              : NULL,
        "found_ps", found ? json_whole(fault->found_ps) : NULL, "how",
        fault_how_names[fault->how], "units", json_whole(fault->units));
}

static json_t *wave_json(const struct outcome *outcome, uint32_t index)
{
    const struct outcome_wave *wave = &outcome->wave[index];

    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "first_unit",
                     json_whole(wave->range.first_unit), "units",
                     json_whole(wave->range.units), "missing_units",
                     json_whole(wave->missing_units), "start_ps",
                     json_whole(wave->start_ps), "end_ps",
                     json_whole(wave->end_ps));
}

static json_t *recovery_json(const struct outcome *outcome)
{
    json_t *heirs = memory_or_exit(json_array());

    for (uint32_t i = 0; i < outcome->heirs; ++i) {
        json_array_append_new(heirs,
                              json_pack("[i, i]", (int)outcome->heir[i].at.x,
                                        (int)outcome->heir[i].at.y));
    }
    return memory_or_exit(json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o}", "waves", json_whole(outcome->waves),
        "units", json_whole(outcome->lost_units), "makespan_without_ps",
        json_whole(outcome_makespan_ps(outcome)), "makespan_ps",
        json_whole(outcome_makespan_ps(outcome) + outcome->recovery_ps), "each",
        list_of(outcome, outcome->waves, 0, wave_json), "originators", heirs));
}

static json_t *resumed_json(const struct outcome *outcome)
{
    uint64_t units = outcome->batch[1].units;

    return json_pack(
        "{s:o, s:o, s:o}", "batches", json_whole(outcome->resumed), "units",
        json_whole(units), "bytes",
        json_whole(units * (outcome->load_bytes / outcome->load_units)));
}

static json_t *injection_json(const struct outcome *outcome, uint32_t index)
{
    const struct injection *injection =
        &outcome->request->injections.injection[index];

    return json_pack(
        "{s:s, s:i, s:i, s:s*, s:o}", "kind", injection_name(injection), "x",
        injection->at.x, "y", injection->at.y, "port",
        injection->what == INJECTION_CUT ? torus_port_names[injection->port]
                                         : NULL,
        "from_ps", json_whole(injection->from_ps));
}

static json_t *choice_json(const struct outcome *outcome, uint32_t index)
{
    const struct choice *choice = &outcome->choices->choice[index];

    return json_pack("{s:s, s:o}", "schedule", choice_name(choice),
                     "expected_answer_ps",
                     json_whole((uint64_t)choice->answer_ps));
}

static json_t *average_node_json(const struct outcome *outcome)
{
    struct verdict_part part[VERDICT_PARTS];
    unsigned parts = verdict_parts(part, outcome);
    json_t *json = json_object();

    for (unsigned i = 0; i < parts; ++i) {
        json_object_set_new(json, part[i].name, json_whole(part[i].ps));
    }
    return json;
}

/* Returns a circuit. Times count from the scatter's start; before it they are
   negative. */
static json_t *circuit_json(const struct outcome *outcome, uint32_t index)
{
    static const char *const kinds[CIRCUIT_PURPOSES] = {"announce", "part",
                                                        "result"};
    const struct circuit_record *circuit = &outcome->circuit[index];

    return json_pack(
        "{s:s, s:i, s:i, s:o, s:s, s:o, s:s, s:i, s:o, s:o, s:o, s:o}", "kind",
        kinds[circuit_purpose(circuit->kind)], "phase", circuit->phase, "round",
        circuit->round, "source", json_whole(circuit->source), "port",
        circuit_port_name(circuit->port), "destination",
        json_whole(circuit->destination), "arrival",
        circuit_port_name(circuit->arrival), "hops", circuit->hops, "bytes",
        json_whole(circuit->bytes), "request_ps",
        json_whole(circuit->request_ps), "grant_ps",
        json_whole(circuit->grant_ps), "end_ps", json_whole(circuit->end_ps));
}

json_t *report_json(const struct outcome *outcome)
{
    const struct request *request = outcome->request;
    json_t *result = whole_result_json(outcome);
    char *verdict = verdict_sentence(outcome);
    const char *command = outcome->command;
    const struct choices *choices = outcome->choices;
    uint64_t memory = request->memory_need;
    char hex[TIMELINE_HEX_BYTES];
    json_t *json;

    timeline_sha256(outcome, hex);
    json = json_pack(
        "{s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:{s:o, s:o, s:o*}, s:o, "
        "s:o, s:o, s:o, s:o, s:s, s:{s:f, s:f}, s:o*, s:o*, s:o*, s:o*, s:o*, "
        "s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*}",
        "report_format", REPORT_FORMAT_NUMBER, "verdict", verdict, "remarks",
        remarks_json(outcome), "average_node_ps", average_node_json(outcome),
        "mesh", mesh_json(outcome), "profile", profile_json(&request->profile),
        "plan_profile", profile_json(request_plan_profile(request)), "kernel",
        request->kernel->name, "load", "bytes", json_whole(outcome->load_bytes),
        "units", json_whole(outcome->load_units), "files",
        places_files_json(outcome), "plan", plan_json(outcome), "measured",
        measured_json(outcome), "network", network_json(outcome), "circuits",
        list_of(outcome, outcome->circuit_count, 0, circuit_json), "result",
        result, "timeline_sha256", hex, "wall_s", "boot", outcome->boot_wall_s,
        "run", outcome->run_wall_s, "command",
        command != NULL ? json_name(command) : NULL, "texts",
        places_texts_json(outcome, result), "memory",
        memory > 0 ? json_pack("{s:o}", "expected_bytes", json_whole(memory))
                   : NULL,
        "ranks", outcome->ranks > 0 ? ranks_json(outcome) : NULL, "originators",
        list_of(outcome, outcome->originators, 2, group_json), "batches",
        list_of(outcome, outcome->batch_count, 2, batch_json), "resumed",
        outcome->resumed > 0 ? resumed_json(outcome) : NULL, "faults",
        list_of(outcome, outcome->faults.count, 1, fault_json), "recovery",
        outcome->waves + outcome->heirs > 0 ? recovery_json(outcome) : NULL,
        "injected",
        list_of(outcome, request->injections.count, 1, injection_json),
        "choices",
        choices != NULL ? list_of(outcome, choices->count, 0, choice_json)
                        : NULL,
        "choices_estimated",
        choices != NULL ? json_boolean(choices->estimated) : NULL);
    free(verdict);
    return memory_or_exit(json);
}

static void dump(const json_t *report, FILE *stream)
{
    json_dumpf(report, stream, REPORT_FORMAT);
    fputc('\n', stream);
}

int report_write(const json_t *report, const char *path)
{
    struct file_output file;

    if (file_output_open(&file, path) != 0) {
        return -1;
    }
    dump(report, file.stream);
    return file_output_close(&file, true);
}

void report_print(const json_t *report)
{
    dump(report, stdout);
}
