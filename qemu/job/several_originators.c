/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/several_originators.h"

#include "qemu/job/batches.h"
#include "qemu/job/collect.h"
#include "qemu/job/farm_time.h"
#include "qemu/job/groups.h"
#include "qemu/job/order.h"
#include "qemu/job/rates.h"
#include "qemu/outcome/layers.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/memory.h"
#include "qemu/support/quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- groups ---- */

int several_open(struct several *several, const struct job_config *config)
{
    uint32_t count = config->originators;
    int status = 0;

    several->groups = groups_make(config);
    several->config = memory_or_exit(calloc(count, sizeof *several->config));
    several->tree = memory_or_exit(calloc(count, sizeof *several->tree));
    several->order = memory_or_exit(calloc(count, sizeof *several->order));
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        several->config[i] = groups_config(config, several->groups, i);
        status = job_order_tree(&several->tree[i], &several->config[i]);
    }
    if (status != 0) {
        several_free(several);
    }
    return status;
}

void several_free(struct several *several)
{
    uint32_t count = several->groups != NULL ? several->groups->count : 0;

    for (uint32_t i = 0; i < count; ++i) {
        free(several->tree[i]);
    }
    free(several->tree);
    free(several->config);
    free(several->order);
    groups_free(several->groups);
    *several = (struct several){.groups = NULL};
}

bool several_fits(const struct several *several)
{
    for (uint32_t i = 0; i < several->groups->count; ++i) {
        const struct job_config *config = &several->config[i];
        uint64_t most = batches_memory_units(config);

        if (config->load.units > most) {
            fprintf(stderr,
                    "quincunx: --originator '%u,%u=%s': has %" PRIu64
                    " units; must have 1 to %" PRIu64
                    ", as these boards' memory takes\n",
                    config->originator.x, config->originator.y,
                    quote_shown(config->input_name), config->load.units, most);
            return false;
        }
    }
    return true;
}

/* ---- orders ---- */

static int give_orders(struct several *several, struct job_mesh *mesh)
{
    uint32_t count = several->groups->count;
    struct mesh_order *orders = memory_or_exit(calloc(count, sizeof *orders));
    int status;

    for (uint32_t i = 0; i < count; ++i) {
        job_order_init(&several->order[i], &several->config[i],
                       several->tree[i], 0);
        orders[i] = several->order[i].mesh;
    }
    status = mesh->ops->order(mesh, orders);
    for (uint32_t i = 0; i < count; ++i) {
        job_order_free(&several->order[i]);
    }
    free(orders);
    return status;
}

/* ---- reports ---- */

/* Reads all reports, also behind one of an originator that failed: each of
   these is named. */
static int read_reports(struct outcome *outcome, const struct several *several,
                        const struct job_mesh *mesh)
{
    uint32_t count = several->groups->count;
    int status = 0;

    outcome->originators = count;
    outcome->several = memory_or_exit(calloc(count, sizeof *outcome->several));
    for (uint32_t i = 0; i < count; ++i) {
        const struct job_config *config = &several->config[i];
        struct outcome_originator *originator = &outcome->several[i];
        struct outcome part = {.batch_count = 0};
        int failed = job_order_report(&part, &mesh->report[i], config);

        status = failed != 0 ? failed : status;
        (void)farm_time_plan(&part.plan, config, config->load.units);
        *originator = (struct outcome_originator){
            .at = config->originator,
            .input_name = config->input_name,
            .load_units = config->load.units,
            .load_bytes = config->load.units * config->load.unit_bytes,
            .nodes = groups_nodes(several->groups, config->size, i),
            .plan = part.plan,
            .result = part.result};
    }
    return status;
}

/* Prints the nodes' states if one of them may be why an originator failed. */
static void explain_failures(const struct outcome *outcome,
                             struct job_mesh *mesh)
{
    for (uint32_t i = 0; mesh->ops->explain != NULL && i < outcome->originators;
         ++i) {
        if (outcome->several[i].plan.error != ERR_OK) {
            mesh->ops->explain(mesh, outcome->several[i].plan.error);
            return;
        }
    }
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Joins two plans to that of the mesh. The one that starts first says what
   goes on before. */
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
    both.makespan_ps = 0; /* not known of one, so of both */
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
    const struct outcome_originator *several = outcome->several;
    double compute_ps = 0;
    double units = 0;

    outcome->plan = several[0].plan;
    outcome->plan.layers = false;
    for (uint32_t i = 1; i < outcome->originators; ++i) {
        outcome->plan = join_plans(&outcome->plan, &several[i].plan);
    }
    for (uint32_t i = 0; i < outcome->originators; ++i) {
        units += (double)several[i].load_units;
        compute_ps +=
            (double)several[i].load_units * (double)several[i].plan.compute_ps;
    }
    outcome->plan.compute_ps = (uint64_t)(compute_ps / units + 0.5);
}

/* The whole load, and the originators' units that were measured. */
static void add_loads(struct outcome *outcome)
{
    outcome->load_units = 0;
    outcome->load_bytes = 0;
    for (uint32_t i = 0; i < outcome->originators; ++i) {
        const struct outcome_originator *originator = &outcome->several[i];
        uint32_t node = torus_index(outcome->size, originator->at);

        outcome->load_units += originator->load_units;
        outcome->load_bytes += originator->load_bytes;
        outcome->node[node].units += originator->plan.measured_units;
    }
}

/* A copy that others can be merged into. */
static struct kernel_result copy_result(const struct kernel_result *result,
                                        const struct job_config *config)
{
    struct kernel_result copy = *result;

    copy.data =
        memory_or_exit(malloc((size_t)config->terms.result_bytes_max + 1));
    copy.output = memory_or_exit(malloc((size_t)result->output_bytes + 1));
    memcpy(copy.data, result->data, result->bytes);
    if (result->output_bytes > 0) {
        memcpy(copy.output, result->output, result->output_bytes);
    }
    return copy;
}

/* Joins the results and outputs in the order of the originators. */
static int join_results(struct outcome *outcome, const struct several *several)
{
    const struct job_config *config = &several->config[0];

    outcome->result = copy_result(&outcome->several[0].result, config);
    for (uint32_t i = 1; i < outcome->originators; ++i) {
        if (batches_merge(&outcome->result, &outcome->several[i].result,
                          config) != 0) {
            fprintf(stderr,
                    "quincunx: kernel %s: the results of %s and %s cannot be "
                    "merged\n",
                    config->kernel->name, quote_shown(config->input_name),
                    quote_shown(outcome->several[i].input_name));
            return EXIT_FAILED;
        }
    }
    return 0;
}

/* ---- running ---- */

static int read_outcome(struct outcome *outcome, const struct several *several,
                        struct job_mesh *mesh)
{
    int status = read_reports(outcome, several, mesh);

    if (status != 0) {
        explain_failures(outcome, mesh);
        return status;
    }
    set_plan(outcome);
    collect_begin(outcome, &several->config[0], &several->order[0].wire);
    outcome->board = mesh->board;
    if (several->order[0].wire.compute_ps > 0 &&
        outcome->plan.measured_units == 0) {
        outcome->rate_from = rates_path(several->config[0].rates);
    }
    status = mesh->ops->collect(mesh, outcome, &several->order[0].wire);
    if (status != 0) {
        return status;
    }
    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        outcome->node[i].group = several->groups->of_node[i];
    }
    add_loads(outcome);
    layers_fill(outcome);
    return join_results(outcome, several);
}

int several_run(struct outcome *outcome, struct several *several,
                struct job_mesh *mesh)
{
    double start_s = mesh_wall_s();
    int status = give_orders(several, mesh);

    if (status == 0) {
        outcome->run_wall_s =
            mesh_wall_s() -
            (mesh->up_wall_s > start_s ? mesh->up_wall_s : start_s);
        status = read_outcome(outcome, several, mesh);
    }
    if (status != 0) {
        outcome_free(outcome);
    }
    return status;
}
