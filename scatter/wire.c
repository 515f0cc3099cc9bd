/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/wire.h"

#include <string.h>

uint32_t wire_order_head_bytes(const struct wire_order *order)
{
    return WIRE_ORDER_BYTES + WIRE_PAD4(order->arg_bytes) +
           TREE_BRANCH_BYTES * order->tree_nodes;
}

void wire_order_store(uint8_t *out, const struct wire_order *order)
{
    memset(out, 0, wire_order_head_bytes(order));
    memcpy(out, order->kernel, WIRE_NAME_BYTES);
    bytes_store_u64(out + 16, order->startup_ps);
    bytes_store_u64(out + 24, order->transfer_ps);
    bytes_store_u64(out + 32, order->hop_delay_ps);
    bytes_store_u32(out + 40, order->load_bytes);
    out[44] = order->phases;
    out[45] = order->rounds;
    bytes_store_u16(out + 46, order->arg_bytes);
    bytes_store_u32(out + 48, order->tree_nodes);
    bytes_store_u16(out + 54, order->unit_bytes);
    out[52] = order->ports;
    out[53] = order->flags;
    memcpy(out + WIRE_ORDER_BYTES, order->arg, order->arg_bytes);
    if (order->tree_nodes > 0) {
        memcpy(out + WIRE_ORDER_BYTES + WIRE_PAD4(order->arg_bytes),
               order->tree, (size_t)TREE_BRANCH_BYTES * order->tree_nodes);
    }
}

int wire_order_load(struct wire_order *order, const uint8_t *in, uint32_t bytes)
{
    if (bytes < WIRE_ORDER_BYTES || in[WIRE_NAME_BYTES - 1] != 0) {
        return ERR_PROTOCOL;
    }
    memcpy(order->kernel, in, WIRE_NAME_BYTES);
    order->startup_ps = bytes_load_u64(in + 16);
    order->transfer_ps = bytes_load_u64(in + 24);
    order->hop_delay_ps = bytes_load_u64(in + 32);
    order->load_bytes = bytes_load_u32(in + 40);
    order->phases = in[44];
    order->rounds = in[45];
    order->arg_bytes = bytes_load_u16(in + 46);
    order->tree_nodes = bytes_load_u32(in + 48);
    order->unit_bytes = bytes_load_u16(in + 54);
    order->ports = in[52];
    order->flags = in[53];
    order->arg = in + WIRE_ORDER_BYTES;
    order->tree = order->arg + WIRE_PAD4(order->arg_bytes);
    if (order->arg_bytes > KERNEL_ARG_MAX ||
        order->tree_nodes > TREE_NODES_MAX || order->unit_bytes == 0 ||
        order->load_bytes % order->unit_bytes != 0 ||
        bytes < wire_order_head_bytes(order) ||
        bytes - wire_order_head_bytes(order) != order->load_bytes) {
        return ERR_PROTOCOL;
    }
    order->load = in + wire_order_head_bytes(order);
    return ERR_OK;
}

/* Bytes of the tables of a job. */
static uint32_t tables_bytes(unsigned phases, bool output)
{
    return (output ? 16u : 8u) * (phases + 1u);
}

uint32_t wire_job_bytes(unsigned phases, uint32_t arg_bytes, bool output)
{
    return WIRE_JOB_BYTES + tables_bytes(phases, output) + WIRE_PAD4(arg_bytes);
}

uint32_t wire_tree_job_bytes(uint32_t arg_bytes)
{
    return WIRE_JOB_BYTES + WIRE_PAD4(arg_bytes);
}

static void store_head(uint8_t *out, const struct wire_job *job)
{
    out[0] = job->kernel;
    out[1] = job->phases;
    out[2] = job->arg_bytes;
    out[3] = job->rounds;
    bytes_store_u32(out + 4, job->slot_us);
    wire_job_store_gather(out, job->gather_ps);
    bytes_store_u32(out + 16, job->slack_ns);
    bytes_store_u16(out + 20, job->overlap_bytes);
    bytes_store_u16(out + 22, job->unit_bytes);
}

static void load_head(struct wire_job *job, const uint8_t *in)
{
    job->kernel = in[0];
    job->phases = in[WIRE_JOB_AT_PHASES];
    job->arg_bytes = in[2];
    job->rounds = in[3];
    job->slot_us = bytes_load_u32(in + 4);
    job->gather_ps = bytes_load_u64(in + 8);
    job->slack_ns = bytes_load_u32(in + 16);
    job->overlap_bytes = bytes_load_u16(in + 20);
    job->unit_bytes = bytes_load_u16(in + 22);
}

void wire_job_store(uint8_t *out, const struct wire_job *job,
                    const uint32_t share_units[], const uint32_t volume_units[],
                    const uint64_t result_ps[])
{
    bool output = job->slot_us == 0;
    uint8_t *tables = out + WIRE_JOB_BYTES;

    memset(out, 0, wire_job_bytes(job->phases, job->arg_bytes, output));
    store_head(out, job);
    for (unsigned layer = 0; layer <= job->phases; ++layer) {
        bytes_store_u32(tables + 4 * layer, share_units[layer]);
        bytes_store_u32(tables + 4 * (job->phases + 1 + layer),
                        volume_units[layer]);
    }
    for (unsigned layer = 0; output && layer <= job->phases; ++layer) {
        bytes_store_u64(tables + 8 * (job->phases + 1 + layer),
                        result_ps[layer]);
    }
    memcpy(tables + tables_bytes(job->phases, output), job->arg,
           job->arg_bytes);
}

void wire_tree_job_store(uint8_t *out, const struct wire_job *job)
{
    memset(out, 0, wire_tree_job_bytes(job->arg_bytes));
    store_head(out, job);
    memcpy(out + WIRE_JOB_BYTES, job->arg, job->arg_bytes);
}

int wire_job_load(struct wire_job *job, const uint8_t *in, uint32_t bytes,
                  unsigned layer)
{
    if (bytes < WIRE_JOB_BYTES) {
        return ERR_PROTOCOL;
    }
    load_head(job, in);
    job->arg =
        in + WIRE_JOB_BYTES + tables_bytes(job->phases, job->slot_us == 0);
    if (job->phases > TORUS_PHASES_MAX || job->rounds == 0 ||
        job->rounds > ROUNDS_MAX || layer == 0 || layer > job->phases ||
        job->unit_bytes == 0 ||
        bytes !=
            wire_job_bytes(job->phases, job->arg_bytes, job->slot_us == 0)) {
        return ERR_PROTOCOL;
    }
    return ERR_OK;
}

int wire_tree_job_load(struct wire_job *job, const uint8_t *in, uint32_t bytes)
{
    if (bytes < WIRE_JOB_BYTES) {
        return ERR_PROTOCOL;
    }
    load_head(job, in);
    job->arg = in + WIRE_JOB_BYTES;
    if (job->rounds != 0 || job->phases == 0 || job->unit_bytes == 0 ||
        bytes < wire_tree_job_bytes(job->arg_bytes)) {
        return ERR_PROTOCOL;
    }
    return ERR_OK;
}

int wire_part_load(struct wire_part *part, const uint8_t *in, uint32_t bytes)
{
    if (bytes < WIRE_PART_BYTES) {
        return ERR_PROTOCOL;
    }
    part->units = bytes_load_u32(in);
    part->first_unit = bytes_load_u32(in + 4);
    part->layer = in[WIRE_PART_AT_LAYER];
    part->port = in[9];
    part->round = in[10];
    part->job_bytes = (uint16_t)(4u * in[11]);
    if (part->job_bytes > bytes - WIRE_PART_BYTES ||
        part->port >= TORUS_PORTS) {
        return ERR_PROTOCOL;
    }
    return ERR_OK;
}

/* The tables of several rounds, behind the fixed part. */
static uint32_t rounds_bytes(unsigned phases, unsigned rounds)
{
    return rounds > 1 ? 8u * rounds * (phases + 1u) : 0;
}

uint32_t wire_report_bytes(const struct wire_report *report)
{
    return WIRE_REPORT_BYTES + rounds_bytes(report->phases, report->rounds);
}

static void store_rounds(uint8_t *out, const struct wire_report *report,
                         const struct rounds_plan *plan)
{
    for (unsigned round = 0; report->rounds > 1 && round < report->rounds;
         ++round) {
        for (unsigned i = 0; i <= report->phases; ++i, out += 8) {
            bytes_store_u32(out, plan->share_units[round][i]);
            bytes_store_u32(out + 4, plan->volume_units[round][i]);
        }
    }
}

static void load_rounds(struct rounds_plan *plan,
                        const struct wire_report *report, const uint8_t *in)
{
    plan->phases = report->phases;
    plan->rounds = report->rounds;
    for (unsigned round = 0; round < report->rounds; ++round) {
        for (unsigned i = 0; i <= report->phases; ++i) {
            bool many = report->rounds > 1;

            plan->share_units[round][i] =
                many ? bytes_load_u32(in) : report->share_units[i];
            plan->volume_units[round][i] =
                many ? bytes_load_u32(in + 4) : report->volume_units[i];
            in += many ? 8 : 0;
        }
    }
}

void wire_report_store(uint8_t *out, const struct wire_report *report,
                       const struct rounds_plan *plan)
{
    memset(out, 0, WIRE_REPORT_BYTES);
    bytes_store_u32(out, (uint32_t)report->error);
    out[4] = report->phases;
    out[5] = report->phases_feasible;
    out[6] = report->rounds;
    out[7] = report->output;
    bytes_store_u64(out + 8, report->compute_ps);
    bytes_store_u64(out + 16, report->makespan_ps);
    bytes_store_u64(out + 24, report->begin_ps);
    bytes_store_u64(out + 32, report->plan_ps);
    bytes_store_u64(out + 40, report->scatter_start_ps);
    bytes_store_u64(out + 48, report->gather_done_ps);
    bytes_store_u64(out + 56, report->overhead_ps);
    for (unsigned i = 0; i < TORUS_PHASES_MAX; ++i) {
        bytes_store_u64(out + 64 + 8 * i, report->startup_ps[i]);
    }
    for (unsigned i = 0; i <= TORUS_PHASES_MAX; ++i) {
        bytes_store_u64(out + 144 + 8 * i, report->received_ps[i]);
        bytes_store_u32(out + 232 + 4 * i, report->share_units[i]);
        bytes_store_u32(out + 276 + 4 * i, report->volume_units[i]);
    }
    store_rounds(out + WIRE_REPORT_BYTES, report, plan);
}

int wire_report_load(struct wire_report *report, struct rounds_plan *plan,
                     const uint8_t *in, uint32_t bytes)
{
    if (bytes < WIRE_REPORT_BYTES ||
        in[4] > (in[6] == 0 ? TREE_PHASES_MAX : TORUS_PHASES_MAX) ||
        in[6] > ROUNDS_MAX ||
        bytes - WIRE_REPORT_BYTES < rounds_bytes(in[4], in[6])) {
        return ERR_PROTOCOL;
    }
    report->error = (int32_t)bytes_load_u32(in);
    report->phases = in[4];
    report->phases_feasible = in[5];
    report->rounds = in[6];
    report->output = in[7] != 0;
    report->compute_ps = bytes_load_u64(in + 8);
    report->makespan_ps = bytes_load_u64(in + 16);
    report->begin_ps = bytes_load_u64(in + 24);
    report->plan_ps = bytes_load_u64(in + 32);
    report->scatter_start_ps = bytes_load_u64(in + 40);
    report->gather_done_ps = bytes_load_u64(in + 48);
    report->overhead_ps = bytes_load_u64(in + 56);
    for (unsigned i = 0; i < TORUS_PHASES_MAX; ++i) {
        report->startup_ps[i] = bytes_load_u64(in + 64 + 8 * i);
    }
    for (unsigned i = 0; i <= TORUS_PHASES_MAX; ++i) {
        report->received_ps[i] = bytes_load_u64(in + 144 + 8 * i);
        report->share_units[i] = bytes_load_u32(in + 232 + 4 * i);
        report->volume_units[i] = bytes_load_u32(in + 276 + 4 * i);
    }
    load_rounds(plan, report, in + WIRE_REPORT_BYTES);
    return ERR_OK;
}
