/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/originators.h"

#include "qemu/fabric/postmortem.h"
#include "qemu/job/batches.h"
#include "qemu/job/empty.h"
#include "qemu/job/layers.h"
#include "qemu/job/output_chunks.h"
#include "qemu/job/policy.h"
#include "qemu/job/proofs.h"
#include "qemu/job/rates.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"
#include "scatter/plan/farm.h"
#include "scatter/plan/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a farm's plan ---- */

/* Number of circuits for one chunk of a farm (scatter/engine/farm.c). */
#define CIRCUITS 4u

/* Instructions that a board takes to answer a worker's demand for a chunk,
   about. */
#define DEMAND_INSTRUCTIONS 550u

/* Counts the nodes in the order's tree that the originator serves, itself
   included, and those that masters serve. */
static void count_members(struct plan_job *input, const struct job_task *task)
{
    uint8_t *tree = job_policy_tree(task);
    uint32_t nodes =
        tree != NULL ? tree_nodes(tree) : torus_nodes(task->request->size);

    for (uint32_t i = 0; tree != NULL && i < nodes; ++i) {
        input->served += tree_in_group(tree + TREE_BRANCH_BYTES * i);
    }
    input->nodes = nodes - input->served;
    free(tree);
}

static uint64_t rough_ps(const struct job_task *farm, uint64_t compute_ps)
{
    const struct request *request = farm->request;
    const struct format_load *load = &farm->originator->load;
    const struct profile *profile = request_plan_profile(request);
    uint64_t circuits_ps = CIRCUITS * profile->startup_ps / request->ports;
    uint64_t software_ps = request->mesh->has_images
                               ? DEMAND_INSTRUCTIONS * JOB_INSTRUCTION_PS
                               : 0;
    uint64_t demand_ps = software_ps > circuits_ps ? software_ps : circuits_ps;
    struct plan_job input = {
        .compute_ps = compute_ps,
        .transfer_ps = profile->transfer_ps * load->unit_bytes,
        .demand_ps = demand_ps < UINT32_MAX ? demand_ps : UINT32_MAX,
        .load_units = (uint32_t)load->units,
        .ports = request->ports};

    if (farm->originator->terms.output_denominator > 0 ||
        request->store_and_forward || request->ports < TORUS_PORTS) {
        return 0;
    }
    count_members(&input, farm);
    return farm_makespan_ps(&input, profile->startup_ps);
}

/* Sets the planned makespan in a farm's report, from the compute time that the
   originator measured. (A farm reports makespan 0, since it has no plan.) With
   several originators or serial ports the result is rough. It stays 0 (unknown)
   with outputs, with fewer than four ports, with store and forward, or without
   task->farm_end. Returns whether the report is a farm's. */
static bool plan_farm(struct wire_report *plan, const struct job_task *task,
                      uint64_t units)
{
    struct job_originator originator = *task->originator;
    struct job_task farm = *task;
    /* If --slow slowed the originator, it measured a longer time than others
       take. */
    uint64_t compute_ps = plan->compute_ps >> job_task_slow_shift(task);
    struct job_rate rate = {.compute_ps = compute_ps > 0 ? compute_ps : 1,
                            .call_ps = plan->call_ps};

    if (plan->makespan_ps > 0) {
        return false;
    }
    farm.originator = &originator;
    originator.load.units = units - plan->measured_units;
    if (task->schedule.kind != SCHEDULE_FARM) {
        farm.schedule.kind = SCHEDULE_FARM;
        originator.terms.cost_varies = true;
    }
    if (task->group_of_node != NULL || !task->request->mesh->has_fabric) {
        plan->makespan_ps = rough_ps(&farm, rate.compute_ps);
    } else if (task->farm_end != NULL && originator.load.units > 0) {
        if (task->schedule.kind == SCHEDULE_FARM) {
            /* A trial of a farm measures units itself, so it gets the whole
               load. */
            originator.load.units = units;
        }
        plan->makespan_ps = task->farm_end(&farm, rate);
    }
    return true;
}

/* ---- reports ---- */

static void print_place(const struct job_task *task)
{
    if (task->group_of_node != NULL) {
        fprintf(stderr, " at %u,%u, of %s", task->originator->at.x,
                task->originator->at.y,
                file_name(task->originator->input_name));
    }
}

static void print_originator(const struct job_task *task)
{
    fputs("quincunx: the originator", stderr);
    print_place(task);
    fputc(' ', stderr);
}

static int complain_phases(const struct job_task *task,
                           const struct wire_report *plan)
{
    if (task->schedule.rounds > 1 && task->schedule.rounds != WIRE_BEST) {
        fprintf(stderr, "quincunx: --rounds %u: infeasible for this load",
                task->schedule.rounds);
        print_place(task);
        fputs("; fewer rounds, 1, or auto may be\n", stderr);
    } else {
        fprintf(stderr,
                "quincunx: --phases %u: infeasible for this load; "
                "at most %u phases are feasible\n",
                task->schedule.phases, plan->phases_feasible);
    }
    return EXIT_FAILED;
}

/* Reads the ranges behind a report. Returns -1 if the report is too short. */
static int load_missing(struct outcome_originator *originator,
                        const uint8_t *report, uint32_t bytes)
{
    const struct wire_report *plan = &originator->plan;
    uint32_t at = wire_report_bytes(plan);

    if (plan->ranges > WIRE_RANGES_MAX ||
        bytes - at < plan->ranges * WIRE_RANGE_BYTES +
                         (plan->proved ? WIRE_PROOF_BYTES : 0)) {
        return -1;
    }
    originator->missing =
        memory_or_exit(calloc(plan->ranges + 1u, sizeof *originator->missing));
    memcpy(originator->missing, report + at, plan->ranges * WIRE_RANGE_BYTES);
    for (uint32_t i = 0; i < plan->ranges; ++i) {
        originator->missing_units += originator->missing[i].units;
    }
    return 0;
}

/* Sets what is known of an order whose originator stopped before it reported:
   that all of its units are missing. */
static void miss_report(struct outcome_originator *originator,
                        const struct mesh_report *report,
                        const struct wire_order *order)
{
    originator->silent = true;
    originator->plan = (struct wire_report){
        .ordered_ps = report->ordered_ps,
        .scatter_start_ps = report->ordered_ps,
        .ranges = 1,
    };
    originator->missing = memory_or_exit(calloc(1, sizeof(struct wire_range)));
    originator->missing[0] =
        (struct wire_range){order->first_unit, order->load_units};
    originator->missing_units = order->load_units;
    originator->result.data = memory_or_exit(calloc(1, 1));
}

/* Drops a result that is not proved: the order is given once more. */
static void drop_result(struct outcome_originator *originator,
                        const struct job_task *task,
                        const struct wire_order *order)
{
    print_originator(task);
    fputs("has a result of damaged memory: the load, the argument, an output "
          "or the result changed\n",
          stderr);
    free(originator->result.data);
    free(originator->result.output);
    free(originator->missing);
    free(originator->places.place);
    originator->places = (struct output_places){.count = 0};
    originator->result =
        (struct kernel_result){.data = memory_or_exit(calloc(1, 1))};
    originator->missing = memory_or_exit(malloc(sizeof *originator->missing));
    originator->missing[0] =
        (struct wire_range){order->first_unit, order->load_units};
    originator->missing_units = order->load_units;
    originator->plan.ranges = 1;
}

/* Returns whether the kernel's merge() takes a result. Whoever reports a result
   relies on its form, which a board's memory may have changed. */
static bool is_sound(const struct kernel_result *result,
                     const struct job_task *task)
{
    const struct kernel_result next = {.data = result->data,
                                       .bytes = result->bytes};
    struct kernel_result into;
    bool sound =
        job_empty_result(&into, task->request->kernel, task->originator) == 0 &&
        batches_merge(&into, &next, task) == 0;

    free(into.data);
    free(into.output);
    return sound;
}

/* Checks the result by its proof, if it has one, and its form. */
static int check_result(struct outcome_originator *originator,
                        const uint8_t *proof, const struct job_task *task,
                        const struct wire_order *order)
{
    bool right;
    int status = proofs_check(&right, originator, proof, task, order);

    if (status == 0 && !right) {
        drop_result(originator, task, order);
    } else if (status == 0 && !is_sound(&originator->result, task)) {
        print_originator(task);
        fputs("sent a result that is malformed\n", stderr);
        status = EXIT_FAILED;
    }
    return status;
}

/* Reads a report: plan and result into *originator, volumes of all rounds into
 *rounds. Returns 0, or an exit status after a message. */
static int load_report(struct outcome_originator *originator,
                       struct rounds_plan *rounds,
                       const struct mesh_report *report,
                       const struct job_task *task,
                       const struct wire_order *order)
{
    struct wire_report *plan = &originator->plan;
    const uint8_t *in = report->data + CIRCUIT_HEADER_BYTES;
    uint32_t bytes = report->bytes - CIRCUIT_HEADER_BYTES;
    struct output_missing missing;
    const uint8_t *proof;

    if (wire_report_load(plan, rounds, in, bytes) != ERR_OK ||
        load_missing(originator, in, bytes) != 0) {
        print_originator(task);
        fputs("ended without a report\n", stderr);
        return EXIT_FAILED;
    }
    if (plan->error == ERR_PHASES) {
        return complain_phases(task, plan);
    }
    if (plan->error != ERR_OK) {
        print_originator(task);
        fprintf(stderr, "gave up: %s\n", postmortem_error(plan->error));
        postmortem_print_hint(stderr, "quincunx: ", plan->error);
        return EXIT_FAILED;
    }
    if (originator->missing_units == originator->load_units) {
        originator->result.data = memory_or_exit(calloc(1, 1));
        return 0;
    }
    missing = (struct output_missing){originator->missing, plan->ranges};
    in += wire_report_bytes(plan) + plan->ranges * WIRE_RANGE_BYTES;
    bytes -= wire_report_bytes(plan) + plan->ranges * WIRE_RANGE_BYTES;
    proof = in;
    in += plan->proved ? WIRE_PROOF_BYTES : 0;
    bytes -= plan->proved ? WIRE_PROOF_BYTES : 0;
    if (output_chunks_join(&originator->result, &originator->places, in, bytes,
                           &task->originator->terms, &missing) != 0) {
        print_originator(task);
        fputs("sent an output that is malformed\n", stderr);
        return EXIT_FAILED;
    }
    return check_result(originator, proof, task, order);
}

static int read_report(struct outcome *outcome, const struct job_task *task,
                       const struct job_order *order,
                       const struct mesh_report *report,
                       struct outcome_originator *originator)
{
    const struct wire_order *wire = &order->wire;
    /* With several originators, volumes of rounds are not shown. */
    struct rounds_plan unused;
    struct rounds_plan *rounds =
        task->group_of_node == NULL ? &outcome->rounds : &unused;
    int status = 0;

    originator->load_units = wire->load_units;
    if (report->data == NULL) {
        miss_report(originator, report, wire);
    } else {
        status = load_report(originator, rounds, report, task, wire);
    }
    if (status == 0 && !originator->silent &&
        plan_farm(&originator->plan, task, wire->load_units)) {
        outcome->became_farm = task->schedule.kind != SCHEDULE_FARM;
    }
    originator->at = task->originator->at;
    originator->input_name = task->originator->input_name;
    originator->load_bytes = (uint64_t)wire->load_units * wire->unit_bytes;
    return status;
}

static void explain_failures(const struct outcome *outcome,
                             struct job_mesh *mesh)
{
    for (uint32_t i = 0; mesh->ops->explain != NULL && i < outcome->originators;
         ++i) {
        if (outcome->originator[i].plan.error != ERR_OK) {
            mesh->ops->explain(mesh, outcome->originator[i].plan.error);
            return;
        }
    }
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Joins the plans of two originators into one. Preparing times are those of the
   originator that starts first. */
static struct wire_report join_plans(const struct wire_report *a,
                                     const struct wire_report *b)
{
    bool first = a->scatter_start_ps <= b->scatter_start_ps;
    struct wire_report both = first ? *a : *b;
    uint64_t start_ps = both.scatter_start_ps;

    both.ordered_ps =
        a->ordered_ps < b->ordered_ps ? a->ordered_ps : b->ordered_ps;
    both.phases = a->phases > b->phases ? a->phases : b->phases;
    both.phases_feasible = both.phases;
    both.rounds = a->rounds > b->rounds ? a->rounds : b->rounds;
    both.layers = false;
    both.measured_units = a->measured_units + b->measured_units;
    both.makespan_ps = 0; /* stays 0 (unknown) if a plan's makespan is 0 */
    if (a->makespan_ps > 0 && b->makespan_ps > 0) {
        both.makespan_ps = later(a->scatter_start_ps + a->makespan_ps,
                                 b->scatter_start_ps + b->makespan_ps) -
                           start_ps;
    }
    both.gather_done_ps = later(a->gather_done_ps, b->gather_done_ps);
    both.overhead_ps = later(a->overhead_ps, b->overhead_ps);
    return both;
}

static void set_plan(struct outcome *outcome)
{
    const struct outcome_originator *originator = outcome->originator;
    double compute_ps = 0;
    double units = 0;

    outcome->plan = originator[0].plan;
    for (uint32_t i = 1; i < outcome->originators; ++i) {
        outcome->plan = join_plans(&outcome->plan, &originator[i].plan);
    }
    for (uint32_t i = 0; i < outcome->originators; ++i) {
        units += (double)originator[i].load_units;
        compute_ps += (double)originator[i].load_units *
                      (double)originator[i].plan.compute_ps;
    }
    if (outcome->originators > 1) {
        outcome->plan.compute_ps = (uint64_t)(compute_ps / units + 0.5);
    }
}

static void add_loads(struct outcome *outcome)
{
    for (uint32_t i = 0; i < outcome->originators; ++i) {
        const struct outcome_originator *originator = &outcome->originator[i];
        uint32_t node = torus_index(outcome->request->size, originator->at);

        outcome->load_units += originator->load_units;
        outcome->load_bytes += originator->load_bytes;
        outcome->node[node].units += originator->plan.measured_units;
    }
}

static struct kernel_result copy_result(const struct kernel_result *result,
                                        const struct job_task *task)
{
    struct kernel_result copy = *result;

    copy.data = memory_or_exit(
        malloc((size_t)task->originator->terms.result_bytes_max + 1));
    copy.output = memory_or_exit(malloc((size_t)result->output_bytes + 1));
    memcpy(copy.data, result->data, result->bytes);
    if (result->output_bytes > 0) {
        memcpy(copy.output, result->output, result->output_bytes);
    }
    return copy;
}

int originators_join(struct outcome *outcome, const struct job_task *task)
{
    struct outcome_originator *first = &outcome->originator[0];

    set_plan(outcome);
    outcome->result = copy_result(&first->result, task);
    for (uint32_t i = 1; i < outcome->originators; ++i) {
        if (batches_merge(&outcome->result, &outcome->originator[i].result,
                          task) != 0) {
            fprintf(stderr,
                    "quincunx: kernel %s: the results of %s and %s cannot be "
                    "merged\n",
                    task->request->kernel->name, quote_shown(first->input_name),
                    quote_shown(outcome->originator[i].input_name));
            return EXIT_FAILED;
        }
    }
    return 0;
}

/* A single originator's result moves to the outcome. */
static int join_results(struct outcome *outcome, const struct job_task *task)
{
    struct outcome_originator *first = &outcome->originator[0];

    if (outcome->originators == 1) {
        outcome->result = first->result;
        first->result = (struct kernel_result){.data = NULL};
        return 0;
    }
    for (uint32_t i = 0; i < outcome->originators; ++i) {
        if (outcome->originator[i].missing_units > 0) {
            return 0;
        }
    }
    return originators_join(outcome, task);
}

/* ---- a batch ---- */

static bool is_slowed(const struct request *request, uint32_t node)
{
    struct torus_coord at = torus_coord_of(request->size, node);

    return request_slow_shift(request, node) > 0 ||
           injection_slow(&request->injections, at) != NULL;
}

static void begin_nodes(struct outcome *outcome, const struct job_task *task)
{
    const struct request *request = task->request;
    uint32_t nodes = torus_nodes(request->size);
    struct node_counters *port =
        memory_or_exit(calloc((size_t)nodes * NODE_PORTS, sizeof *port));

    outcome->request = request;
    outcome->schedule = task->schedule;
    outcome->host_times = request->mesh->has_cables;
    outcome->node_count = nodes;
    outcome->node = memory_or_exit(calloc(nodes, sizeof *outcome->node));
    for (uint32_t i = 0; i < nodes; ++i) {
        outcome->node[i].port = port + (size_t)i * NODE_PORTS;
        outcome->node[i].slowed = is_slowed(request, i);
    }
}

/* Marks nodes that are in no order's tree. */
static void find_missing(struct outcome *outcome, const struct job_task task[],
                         const struct job_order order[])
{
    bool *member = memory_or_exit(calloc(outcome->node_count, sizeof *member));

    for (uint32_t i = 0; i < outcome->originators; ++i) {
        job_order_members(member, &order[i], &task[i]);
    }
    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        outcome->node[i].missing = !member[i];
    }
    free(member);
}

/* Returns whether the plan took the time of a unit from rates of earlier
   jobs. */
static bool plans_by_rates(const struct outcome *outcome,
                           const struct wire_order *order)
{
    return order->compute_ps > 0 && outcome->plan.measured_units == 0 &&
           outcome->originator[0].plan.compute_ps >= order->compute_ps;
}

int originators_read(struct outcome *outcome, const struct job_task task[],
                     const struct job_order order[], struct job_mesh *mesh)
{
    const uint16_t *group_of_node = task[0].group_of_node;
    uint32_t count = mesh->originators;
    int status = 0;

    outcome->originators = count;
    outcome->originator =
        memory_or_exit(calloc(count, sizeof *outcome->originator));
    /* All reports are read even if one has failed, so that each failure is
       printed. */
    for (uint32_t i = 0; i < count; ++i) {
        int failed = read_report(outcome, &task[i], &order[i], &mesh->report[i],
                                 &outcome->originator[i]);

        status = failed != 0 ? failed : status;
    }
    if (status != 0) {
        explain_failures(outcome, mesh);
        return status;
    }
    set_plan(outcome);
    begin_nodes(outcome, &task[0]);
    if (task[0].holes != NULL) {
        find_missing(outcome, task, order);
    }
    outcome->board = mesh->board;
    if (plans_by_rates(outcome, &order[0].wire)) {
        outcome->rate_from = rates_path(task[0].request->rates);
    }
    status = mesh->ops->collect(mesh, outcome, &order[0].wire);
    if (status != 0) {
        return status;
    }
    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        uint16_t group = group_of_node != NULL ? group_of_node[i] : 0;

        outcome->node[i].group = group;
        outcome->originator[group].nodes += !outcome->node[i].missing;
    }
    add_loads(outcome);
    layers_fill(outcome);
    return join_results(outcome, &task[0]);
}
