/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/trace.h"

#include "qemu/base/file.h"
#include "qemu/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

/* Index, in part[] of print_preparing(), of the first part that other nodes
   compute during, if there is an advance: "measure". */
#define AFTER_ADVANCE 3u
#define PROCESS_MESH 1
#define PROCESS_CIRCUITS 2
/* Thread ids of tracks begin here. Viewers give 0 and the ids of processes a
   special meaning, and take equal ids in two processes for one track. */
#define FIRST_TRACK 16u

#define PS_PER_US 1000000u

static uint64_t node_track(uint32_t node)
{
    return FIRST_TRACK + (uint64_t)node;
}

static uint64_t port_track(const struct outcome *outcome, uint32_t node,
                           unsigned port)
{
    return FIRST_TRACK + outcome->node_count + (uint64_t)node * TORUS_PORTS +
           port;
}

static void print_process(FILE *out, int process, const char *name)
{
    fprintf(out,
            "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\","
            "\"args\":{\"name\":\"%s\"}},\n"
            "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_sort_index\","
            "\"args\":{\"sort_index\":%d}}",
            process, name, process, process);
}

static void print_track(FILE *out, int process, uint64_t track,
                        uint64_t position, const char *name)
{
    fprintf(out,
            ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%" PRIu64
            ",\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}"
            ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%" PRIu64
            ",\"name\":\"thread_sort_index\","
            "\"args\":{\"sort_index\":%" PRIu64 "}}",
            process, track, name, process, track, position);
}

/* Prints the begin of a slice. The caller prints its arguments and closes it.
   Times count from the user's order. */
static void open_slice(FILE *out, int process, uint64_t track,
                       uint64_t start_ps, uint64_t end_ps)
{
    uint64_t length_ps = end_ps > start_ps ? end_ps - start_ps : 0;

    fprintf(out,
            ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%" PRIu64 ",\"ts\":%" PRIu64
            ".%06" PRIu64 ",\"dur\":%" PRIu64 ".%06" PRIu64,
            process, track, start_ps / PS_PER_US, start_ps % PS_PER_US,
            length_ps / PS_PER_US, length_ps % PS_PER_US);
}

/* Prints a slice for a state of a node in its compute interval `k`, if it takes
   time. */
static void print_state(FILE *out, const struct outcome *outcome,
                        uint32_t index, unsigned k, const char *state,
                        uint64_t start_ps, uint64_t end_ps)
{
    const struct outcome_node *node = &outcome->node[index];

    if (end_ps <= start_ps) {
        return;
    }
    open_slice(out, PROCESS_MESH, node_track(index),
               outcome_scatter_start_ps(outcome) + start_ps,
               outcome_scatter_start_ps(outcome) + end_ps);
    fprintf(out,
            ",\"cat\":\"node\",\"name\":\"%s\",\"args\":{\"layer\":%u,"
            "\"round\":%u,\"units\":%" PRIu32 ",\"start_ps\":%" PRIu64
            ",\"end_ps\":%" PRIu64 "}}",
            state, (unsigned)node->layer, (unsigned)node->interval[k].round,
            node->interval[k].units, start_ps, end_ps);
}

static void print_interval(FILE *out, const struct outcome *outcome,
                           uint32_t index, unsigned k)
{
    const struct outcome_node *node = &outcome->node[index];
    const struct outcome_compute_interval *interval = &node->interval[k];
    uint64_t turn_ps = outcome_turn_ps(node, k);
    uint64_t hop_ps = k == 0 ? node->hop_ps : interval->forwarded_ps;

    print_state(out, outcome, index, k, "hop", turn_ps, hop_ps);
    print_state(out, outcome, index, k, "queue", hop_ps,
                interval->forwarded_ps);
    print_state(out, outcome, index, k, "begin", interval->forwarded_ps,
                interval->compute_start_ps);
    print_state(out, outcome, index, k, "compute", interval->compute_start_ps,
                interval->compute_end_ps);
}

/* Prints the steps of preparing one after the other, since only their lengths
   are known. Reading the user's order and writing the job are one slice, the
   first. With an advance (units sent before there is a plan), measuring and
   planning come after the scatter's start. */
static void print_preparing(FILE *out, const struct outcome *outcome,
                            uint32_t index)
{
    const struct wire_report *plan =
        outcome_plan_of(outcome, &outcome->node[index]);
    uint64_t start_ps = plan->scatter_start_ps - plan->ordered_ps;
    uint64_t last_ps = plan->measure_ps + plan->plan_ps;
    const struct {
        const char *name;
        uint64_t ps;
    } part[] = {{"order", start_ps - plan->announce_ps - plan->begin_ps -
                              (plan->advance ? 0 : last_ps)},
                {"announce", plan->announce_ps},
                {"begin", plan->begin_ps},
                {"measure", plan->measure_ps},
                {"plan", plan->plan_ps}};
    uint64_t at_ps = plan->ordered_ps - outcome->plan.ordered_ps;

    for (unsigned i = 0; i < sizeof part / sizeof part[0]; ++i) {
        if (plan->advance && i == AFTER_ADVANCE) {
            at_ps = start_ps + outcome->node[index].hop_ps;
        }
        open_slice(out, PROCESS_MESH, node_track(index), at_ps,
                   at_ps + part[i].ps);
        fprintf(out, ",\"cat\":\"prepare\",\"name\":\"%s\",\"args\":{}}",
                part[i].name);
        at_ps += part[i].ps;
    }
}

static void print_node_track(FILE *out, const struct outcome *outcome,
                             uint32_t index)
{
    const struct outcome_node *node = &outcome->node[index];
    uint64_t position = (uint64_t)node->layer * outcome->node_count + index;
    char name[48];

    snprintf(name, sizeof name, "%u,%u layer %u", node->at.x, node->at.y,
             node->layer);
    print_track(out, PROCESS_MESH, node_track(index), position, name);
}

static void print_node(FILE *out, const struct outcome *outcome, uint32_t index)
{
    const struct outcome_node *node = &outcome->node[index];

    print_node_track(out, outcome, index);
    if (node->layer == 0) {
        print_preparing(out, outcome, index);
    }
    for (unsigned k = 0; k < node->intervals; ++k) {
        print_interval(out, outcome, index, k);
    }
    print_state(out, outcome, index, node->intervals - 1u, "gather",
                node->finished_ps, node->done_ps);
}

/* Prints an instant of a fault on the track of its node. */
static void print_instant(FILE *out, const struct fault *fault, uint64_t track,
                          uint64_t at_ps, const char *name)
{
    fprintf(out,
            ",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":%d,\"tid\":%" PRIu64
            ",\"ts\":%" PRIu64 ".%06" PRIu64
            ",\"cat\":\"fault\",\"name\":\"%s %s\",\"args\":{\"how\":\"%s\","
            "\"units\":%" PRIu64 "}}",
            PROCESS_MESH, track, at_ps / PS_PER_US, at_ps % PS_PER_US,
            fault_port(fault) != NULL ? fault_port(fault) : "node", name,
            fault_how_names[fault->how], fault->units);
}

static void print_fault(FILE *out, const struct outcome *outcome,
                        const struct fault *fault)
{
    uint32_t index = torus_index(outcome->request->size, fault->is.at);

    if (!outcome->node[index].active) {
        print_node_track(out, outcome, index);
    }
    if (fault->is.from_ps != FAULT_UNTIMED_PS) {
        print_instant(out, fault, node_track(index), fault->is.from_ps, "lost");
    }
    if (fault->how > FAULT_ORDERED) {
        print_instant(out, fault, node_track(index), fault->found_ps, "found");
    }
}

/* Prints the waves that computed lost units, on a track above all nodes. */
static void print_waves(FILE *out, const struct outcome *outcome)
{
    uint64_t track = port_track(outcome, outcome->node_count, 0);

    for (uint32_t i = 0; i < outcome->waves; ++i) {
        const struct outcome_wave *wave = &outcome->wave[i];

        if (i == 0) {
            print_track(out, PROCESS_MESH, track, 0, "waves");
        }
        open_slice(out, PROCESS_MESH, track, wave->start_ps, wave->end_ps);
        fprintf(out,
                ",\"cat\":\"wave\",\"name\":\"wave %" PRIu32
                "\",\"args\":{\"first_unit\":%" PRIu32 ",\"units\":%" PRIu32
                ",\"missing_units\":%" PRIu32 "}}",
                i + 1, wave->range.first_unit, wave->range.units,
                wave->missing_units);
    }
}

static void print_circuit_args(FILE *out, const struct outcome *outcome,
                               const struct circuit_record *circuit)
{
    struct torus_coord from = outcome->node[circuit->source].at;
    struct torus_coord to = outcome->node[circuit->destination].at;

    fprintf(out,
            "\"args\":{\"phase\":%u,\"round\":%u,\"from\":\"%u,%u\",\"port\":"
            "\"%s\","
            "\"to\":\"%u,%u\",\"arrival\":\"%s\",\"hops\":%u,"
            "\"bytes\":%" PRIu32 ",\"request_ps\":%" PRIu64
            ",\"grant_ps\":%" PRIu64 ",\"end_ps\":%" PRIu64 "}}",
            (unsigned)circuit->phase, (unsigned)circuit->round, from.x, from.y,
            circuit_port_name(circuit->port), to.x, to.y,
            circuit_port_name(circuit->arrival), (unsigned)circuit->hops,
            circuit->bytes, circuit->request_ps, circuit->grant_ps,
            circuit->end_ps);
}

/* Prints a slice in which a node receives load and does nothing else. */
static void print_receipt(FILE *out, const struct outcome *outcome,
                          const struct circuit_record *circuit)
{
    uint32_t index = circuit->destination;
    const struct outcome_node *node = &outcome->node[index];

    if (circuit->round < node->intervals) {
        uint64_t free_ps = outcome_free_ps(node, circuit->round);

        print_state(out, outcome, index, circuit->round, "receive",
                    circuit->grant_ps > free_ps ? circuit->grant_ps : free_ps,
                    circuit->end_ps);
    }
}

static void print_circuit(FILE *out, const struct outcome *outcome,
                          const struct circuit_record *circuit)
{
    static const struct {
        const char *category;
        const char *name;
    } purposes[CIRCUIT_PURPOSES] = {{"announce", "announcement of phase"},
                                    {"scatter", "phase"},
                                    {"gather", "result of phase"}};
    enum circuit_purpose purpose = circuit_purpose(circuit->kind);
    struct torus_coord to = outcome->node[circuit->destination].at;
    uint64_t track = port_track(outcome, circuit->source, circuit->port);
    uint64_t start_ps = outcome_scatter_start_ps(outcome);

    if (circuit->grant_ps > circuit->request_ps) {
        open_slice(out, PROCESS_CIRCUITS, track, start_ps + circuit->request_ps,
                   start_ps + circuit->grant_ps);
        fprintf(out, ",\"cat\":\"conflict\",\"name\":\"waits for a link\",");
        print_circuit_args(out, outcome, circuit);
    }
    open_slice(out, PROCESS_CIRCUITS, track, start_ps + circuit->grant_ps,
               start_ps + circuit->end_ps);
    fprintf(out, ",\"cat\":\"%s\",\"name\":\"%s %u to %u,%u\",",
            purposes[purpose].category, purposes[purpose].name,
            (unsigned)circuit->phase, to.x, to.y);
    print_circuit_args(out, outcome, circuit);
    if (purpose == CIRCUIT_PART) {
        print_receipt(out, outcome, circuit);
    }
}

/* Prints all circuits. Names the track of a source's port at its first
   circuit. */
static void print_circuits(FILE *out, const struct outcome *outcome,
                           uint8_t *named)
{
    for (uint32_t i = 0; i < outcome->circuit_count; ++i) {
        const struct circuit_record *circuit = &outcome->circuit[i];
        const struct outcome_node *node = &outcome->node[circuit->source];
        uint64_t position =
            ((uint64_t)node->layer * outcome->node_count + circuit->source) *
                TORUS_PORTS +
            circuit->port;
        char name[48];

        if ((named[circuit->source] & 1u << circuit->port) == 0) {
            named[circuit->source] |= (uint8_t)(1u << circuit->port);
            snprintf(name, sizeof name, "%u,%u %s", node->at.x, node->at.y,
                     circuit_port_name(circuit->port));
            print_track(out, PROCESS_CIRCUITS,
                        port_track(outcome, circuit->source, circuit->port),
                        position, name);
        }
        print_circuit(out, outcome, circuit);
    }
}

int trace_write(const struct outcome *outcome, const char *path)
{
    struct file_output file;
    uint8_t *named;

    if (file_output_open(&file, path) != 0) {
        return -1;
    }
    named = memory_or_exit(calloc((size_t)outcome->node_count + 1, 1));
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", file.stream);
    print_process(file.stream, PROCESS_MESH, "mesh");
    fputs(",\n", file.stream);
    print_process(file.stream, PROCESS_CIRCUITS, "circuits");
    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        if (outcome->node[i].active) {
            print_node(file.stream, outcome, i);
        }
    }
    for (uint32_t i = 0; i < outcome->faults.count; ++i) {
        print_fault(file.stream, outcome, &outcome->faults.fault[i]);
    }
    print_waves(file.stream, outcome);
    print_circuits(file.stream, outcome, named);
    fputs("\n]}\n", file.stream);
    free(named);
    return file_output_close(&file, true);
}
