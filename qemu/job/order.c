/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/order.h"

#include "qemu/fabric/postmortem.h"
#include "qemu/job/batches.h"
#include "qemu/job/policy.h"
#include "qemu/outcome/output_chunks.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/memory.h"
#include "qemu/support/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tree ---- */

static int complain_tree(const struct job_config *config)
{
    fprintf(stderr,
            "quincunx: --schedule %s: has no tree of at most %u phases on a "
            "%ux%u torus\n",
            schedule_name(config->schedule), TREE_PHASES_MAX,
            config->size.width, config->size.height);
    return EXIT_FAILED;
}

int job_order_tree(uint8_t **tree, const struct job_config *config)
{
    *tree = NULL;
    if (job_policy(config)->tree == NULL) {
        return 0;
    }
    *tree = job_policy(config)->tree(config);
    return *tree != NULL ? 0 : complain_tree(config);
}

/* ---- the order ---- */

static uint8_t flags_of(const struct job_config *config)
{
    unsigned flags = 0;

    if (config->store_and_forward) {
        flags |= WIRE_STORE_AND_FORWARD;
    }
    if (schedule_is_equal(config->schedule)) {
        flags |= WIRE_EQUAL_SHARES;
    }
    return (uint8_t)flags;
}

/* A single board has nobody to announce the job to. */
static uint8_t phases_of(const struct job_config *config)
{
    return torus_nodes(config->size) > 1 || config->phases != WIRE_BEST
               ? config->phases
               : 0;
}

/* Of a farm that field is the installment. */
static uint8_t rounds_of(const struct job_config *config)
{
    if (config->schedule != SCHEDULE_FARM) {
        return config->rounds;
    }
    return config->installment != 0 ? config->installment : WIRE_BEST;
}

static uint8_t reserve_of(const struct job_config *config)
{
    if (config->schedule != SCHEDULE_HYBRID) {
        return config->reserve == WIRE_BEST ? WIRE_BEST : 0;
    }
    return config->reserve != 0 ? config->reserve : WIRE_BEST;
}

/* The number of a job, by which its messages are told from those of others; 0
   is CIRCUIT_ANY_JOB. */
static uint16_t identity_of(uint64_t index)
{
    return (uint16_t)(1 + index % UINT16_MAX);
}

static struct wire_order wire_of(const struct job_config *config,
                                 uint32_t index)
{
    const struct format_load *load = &config->load;
    const struct kernel_terms *terms = &config->terms;
    uint32_t most = batches_units(config);
    uint64_t first = (uint64_t)index * most;
    uint64_t left = load->units - first;
    uint32_t units = left < most ? (uint32_t)left : most;
    uint64_t before = first * load->unit_bytes;
    uint64_t after = (left - units) * load->unit_bytes;
    unsigned more = left > units ? WIRE_MORE : 0;
    const struct profile *profile = job_plan_profile(config);
    struct wire_order order = {
        .startup_ps = profile->startup_ps,
        .transfer_ps = profile->transfer_ps,
        .hop_delay_ps = profile->hop_delay_ps,
        .load_units = units,
        .unit_bytes = load->unit_bytes,
        .first_unit = (uint32_t)first,
        .before_bytes = before < terms->before_bytes ? (uint32_t)before
                                                     : terms->before_bytes,
        .after_bytes =
            after < terms->after_bytes ? (uint32_t)after : terms->after_bytes,
        .phases = phases_of(config),
        .rounds = rounds_of(config),
        .reserve = reserve_of(config),
        .ports = config->ports,
        .flags = (flags_of(config) | more) & 0xfu,
        .arg_bytes = load->arg_bytes,
        .arg = load->arg};

    if (index == 0) { /* later ones have it from the batch before */
        order.compute_ps = config->rate.compute_ps;
        order.call_ps = config->rate.call_ps;
    }
    strncpy(order.kernel, config->kernel->name, WIRE_NAME_BYTES - 1);
    return order;
}

void job_order_init(struct job_order *order, const struct job_config *config,
                    const uint8_t *tree, uint32_t index)
{
    struct wire_order *wire = &order->wire;
    uint32_t head_bytes;
    uint8_t *head;

    *wire = wire_of(config, index);
    wire->tree_nodes = tree != NULL ? (uint16_t)tree_nodes(tree) : 0;
    wire->tree = tree;
    wire->policy = job_policy(config)->id & 0xfu;
    head_bytes = wire_order_head_bytes(wire);
    head = memory_or_exit(malloc(head_bytes));
    wire_order_store(head, wire);
    order->mesh =
        (struct mesh_order){.job = identity_of(config->group + (uint64_t)index),
                            .kind = WIRE_ORDER,
                            .head = head,
                            .head_bytes = head_bytes,
                            .load_bytes = (uint32_t)wire_order_load_bytes(wire),
                            .more = (wire->flags & WIRE_MORE) != 0};
    order->mesh.load = format_piece(
        &config->load,
        (uint64_t)wire->first_unit * wire->unit_bytes - wire->before_bytes);
}

void job_order_free(struct job_order *order)
{
    free((void *)(uintptr_t)order->mesh.head);
}

/* ---- the report ---- */

/* Prints which of several originators a message is about. */
static void print_place(const struct job_config *config)
{
    if (config->groups != NULL) {
        fprintf(stderr, " at %u,%u, of %s", config->originator.x,
                config->originator.y, file_name(config->input_name));
    }
}

static void print_originator(const struct job_config *config)
{
    fputs("quincunx: the originator", stderr);
    print_place(config);
    fputc(' ', stderr);
}

static int complain_phases(const struct job_config *config,
                           const struct wire_report *plan)
{
    if (config->rounds > 1 && config->rounds != WIRE_BEST) {
        fprintf(stderr, "quincunx: --rounds %u: infeasible for this load",
                config->rounds);
        print_place(config);
        fputs("; fewer rounds, 1, or auto may be\n", stderr);
    } else {
        fprintf(stderr,
                "quincunx: --phases %u: infeasible for this load; "
                "at most %u phases are feasible\n",
                config->phases, plan->phases_feasible);
    }
    return EXIT_FAILED;
}

int job_order_report(struct outcome *outcome, const struct mesh_report *report,
                     const struct job_config *config)
{
    struct wire_report *plan = &outcome->plan;
    uint32_t bytes = report->bytes - CIRCUIT_HEADER_BYTES;

    if (wire_report_load(plan, &outcome->rounds,
                         report->data + CIRCUIT_HEADER_BYTES,
                         bytes) != ERR_OK) {
        print_originator(config);
        fputs("ended without a report\n", stderr);
        return EXIT_FAILED;
    }
    if (plan->error == ERR_PHASES) {
        return complain_phases(config, plan);
    }
    if (plan->error != ERR_OK) {
        print_originator(config);
        fprintf(stderr, "gave up: %s\n", postmortem_error(plan->error));
        postmortem_print_hint(stderr, "quincunx: ", plan->error);
        return EXIT_FAILED;
    }
    if (output_chunks_join(
            &outcome->result,
            report->data + CIRCUIT_HEADER_BYTES + wire_report_bytes(plan),
            bytes - wire_report_bytes(plan), &config->terms) != 0) {
        print_originator(config);
        fputs("sent an output that is malformed\n", stderr);
        return EXIT_FAILED;
    }
    return 0;
}
