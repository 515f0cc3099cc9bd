/* SPDX-License-Identifier: Apache-2.0 */
/* Orders and reports, which host and originator exchange once a job, and
   entries of lists of probes. Built for size, unlike job.c. */
#include "scatter/wire/wire.h"

#include <string.h>

uint32_t wire_order_head_bytes(const struct wire_order *order)
{
    return WIRE_ORDER_BYTES + WIRE_PAD4(order->arg_bytes) +
           TREE_BRANCH_BYTES * order->tree_nodes;
}

uint64_t wire_order_load_bytes(const struct wire_order *order)
{
    return (uint64_t)order->load_units * order->unit_bytes +
           order->before_bytes + order->after_bytes;
}

void wire_order_store(uint8_t *out, const struct wire_order *order)
{
    memset(out, 0, wire_order_head_bytes(order));
    memcpy(out, order->kernel, WIRE_NAME_BYTES);
    bytes_store_u64(out + 16, order->startup_ps);
    bytes_store_u64(out + 24, order->transfer_ps);
    bytes_store_u64(out + 32, order->hop_delay_ps);
    bytes_store_u32(out + 40, order->load_units);
    out[44] = order->phases;
    out[45] = order->rounds;
    out[46] = order->ports;
    out[47] = WIRE_FLAGS(order->flags, order->policy);
    bytes_store_u16(out + 48, (uint16_t)order->tree_nodes);
    out[50] = order->reserve;
    bytes_store_u32(out + 52, order->unit_bytes);
    bytes_store_u32(out + 56, order->arg_bytes);
    bytes_store_u32(out + 60, order->first_unit);
    bytes_store_u32(out + 64, order->before_bytes);
    bytes_store_u32(out + 68, order->after_bytes);
    bytes_store_u64(out + 72, order->compute_ps);
    bytes_store_u64(out + 80, order->call_ps);
    memcpy(out + WIRE_ORDER_BYTES, order->arg, order->arg_bytes);
    if (order->tree_nodes > 0) {
        memcpy(out + WIRE_ORDER_BYTES + WIRE_PAD4(order->arg_bytes),
               order->tree, (size_t)TREE_BRANCH_BYTES * order->tree_nodes);
    }
}

int wire_order_load(struct wire_order *order, const uint8_t *in, uint32_t bytes)
{
    if (bytes < WIRE_ORDER_BYTES) {
        return ERR_LENGTH;
    }
    memcpy(order->kernel, in, WIRE_NAME_BYTES);
    order->startup_ps = bytes_load_u64(in + 16);
    order->transfer_ps = bytes_load_u64(in + 24);
    order->hop_delay_ps = bytes_load_u64(in + 32);
    order->load_units = bytes_load_u32(in + 40);
    order->phases = in[44];
    order->rounds = in[45];
    order->ports = in[46];
    order->flags = in[47] & 0xfu;
    order->policy = WIRE_POLICY(in[47]);
    order->tree_nodes = bytes_load_u16(in + 48);
    order->reserve = in[50];
    order->unit_bytes = bytes_load_u32(in + 52);
    order->arg_bytes = bytes_load_u32(in + 56);
    order->first_unit = bytes_load_u32(in + 60);
    order->before_bytes = bytes_load_u32(in + 64);
    order->after_bytes = bytes_load_u32(in + 68);
    order->compute_ps = bytes_load_u64(in + 72);
    order->call_ps = bytes_load_u64(in + 80);
    order->arg = in + WIRE_ORDER_BYTES;
    order->tree = order->arg + WIRE_PAD4(order->arg_bytes);
    if (in[WIRE_NAME_BYTES - 1] != 0 || order->arg_bytes > KERNEL_ARG_MAX ||
        order->tree_nodes > TREE_NODES_MAX ||
        (order->reserve > WIRE_RESERVE_MAX && order->reserve != WIRE_BEST) ||
        order->compute_ps > PLANNER_TIME_MAX_PS ||
        order->call_ps > WIRE_CALL_MAX_PS ||
        order->first_unit > UINT32_MAX - order->load_units) {
        return ERR_FIELD;
    }
    if (bytes < wire_order_head_bytes(order) ||
        bytes - wire_order_head_bytes(order) != wire_order_load_bytes(order)) {
        return ERR_LENGTH;
    }
    order->load = in + wire_order_head_bytes(order) + order->before_bytes;
    return ERR_OK;
}

void wire_announce_store(uint8_t *out, const struct wire_announce *announce)
{
    bytes_store_u32(out, announce->kernel);
    bytes_store_u32(out + 4, announce->unit_bytes);
    bytes_store_u32(out + 8, announce->arg_bytes);
}

int wire_announce_load(struct wire_announce *announce, const uint8_t *in,
                       uint32_t bytes)
{
    if (bytes < WIRE_ANNOUNCE_BYTES) {
        return ERR_LENGTH;
    }
    announce->kernel = in[0];
    announce->unit_bytes = bytes_load_u32(in + 4);
    announce->arg_bytes = bytes_load_u32(in + 8);
    announce->arg = in + WIRE_ANNOUNCE_BYTES;
    if (announce->arg_bytes > KERNEL_ARG_MAX) {
        return ERR_FIELD;
    }
    return bytes == WIRE_ANNOUNCE_BYTES + WIRE_PAD4(announce->arg_bytes)
               ? ERR_OK
               : ERR_LENGTH;
}

/* Bytes of the tables of several rounds, behind the report's fixed part. */
static uint32_t rounds_bytes(unsigned phases, unsigned rounds, bool layers)
{
    return layers && rounds > 1 ? 8u * rounds * (phases + 1u) : 0;
}

uint32_t wire_report_bytes(const struct wire_report *report)
{
    return WIRE_REPORT_BYTES +
           rounds_bytes(report->phases, report->rounds, report->layers);
}

static void store_rounds(uint8_t *out, const struct wire_report *report,
                         const struct rounds_plan *plan)
{
    bool many = report->layers && report->rounds > 1;

    for (unsigned round = 0; many && round < report->rounds; ++round) {
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
    for (unsigned round = 0; report->layers && round < report->rounds;
         ++round) {
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
    out[7] = (uint8_t)(report->output | report->layers << 1 |
                       report->advance << 2 | report->meanwhile << 3);
    bytes_store_u64(out + 8, report->compute_ps);
    bytes_store_u64(out + 16, report->makespan_ps);
    bytes_store_u64(out + 24, report->begin_ps);
    bytes_store_u64(out + 32, report->plan_ps);
    bytes_store_u64(out + WIRE_REPORT_AT_START, report->scatter_start_ps);
    bytes_store_u64(out + WIRE_REPORT_AT_GATHERED, report->gather_done_ps);
    bytes_store_u64(out + 56, report->overhead_ps);
    bytes_store_u64(out + WIRE_REPORT_AT_ORDERED, report->ordered_ps);
    bytes_store_u64(out + 328, report->measure_ps);
    bytes_store_u32(out + 336, report->measured_units);
    bytes_store_u64(out + 344, report->call_ps);
    bytes_store_u64(out + 352, report->announce_ps);
    bytes_store_u64(out + 360, report->sampled_ps);
    for (unsigned i = 0; report->layers && i <= report->phases; ++i) {
        if (i > 0) {
            bytes_store_u64(out + 56 + 8 * i, report->startup_ps[i - 1]);
        }
        bytes_store_u64(out + 144 + 8 * i, report->received_ps[i]);
        bytes_store_u32(out + 232 + 4 * i, report->share_units[i]);
        bytes_store_u32(out + 276 + 4 * i, report->volume_units[i]);
    }
    store_rounds(out + WIRE_REPORT_BYTES, report, plan);
}

int wire_report_load(struct wire_report *report, struct rounds_plan *plan,
                     const uint8_t *in, uint32_t bytes)
{
    if (bytes < WIRE_REPORT_BYTES) {
        return ERR_LENGTH;
    }
    if (in[4] > ((in[7] & 2u) != 0 ? TORUS_PHASES_MAX : TREE_PHASES_MAX) ||
        in[6] > ROUNDS_MAX) {
        return ERR_FIELD;
    }
    if (bytes - WIRE_REPORT_BYTES <
        rounds_bytes(in[4], in[6], (in[7] & 2u) != 0)) {
        return ERR_LENGTH;
    }
    report->error = (int32_t)bytes_load_u32(in);
    report->phases = in[4];
    report->phases_feasible = in[5];
    report->rounds = in[6];
    report->output = (in[7] & 1u) != 0;
    report->layers = (in[7] & 2u) != 0;
    report->advance = (in[7] & 4u) != 0;
    report->meanwhile = (in[7] & 8u) != 0;
    report->compute_ps = bytes_load_u64(in + 8);
    report->makespan_ps = bytes_load_u64(in + 16);
    report->begin_ps = bytes_load_u64(in + 24);
    report->plan_ps = bytes_load_u64(in + 32);
    report->scatter_start_ps = bytes_load_u64(in + WIRE_REPORT_AT_START);
    report->gather_done_ps = bytes_load_u64(in + WIRE_REPORT_AT_GATHERED);
    report->overhead_ps = bytes_load_u64(in + 56);
    report->ordered_ps = bytes_load_u64(in + WIRE_REPORT_AT_ORDERED);
    report->measure_ps = bytes_load_u64(in + 328);
    report->measured_units = bytes_load_u32(in + 336);
    report->call_ps = bytes_load_u64(in + 344);
    report->announce_ps = bytes_load_u64(in + 352);
    report->sampled_ps = bytes_load_u64(in + 360);
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

void wire_entry_store(uint8_t *out, const struct wire_entry *entry)
{
    out[0] = entry->path.port;
    out[1] = entry->path.turn;
    bytes_store_u16(out + 2, entry->path.hops);
    bytes_store_u16(out + 4, entry->path.hops_after);
    bytes_store_u16(out + 6, entry->count);
    bytes_store_u32(out + 8, entry->bytes);
    bytes_store_u32(out + 12, entry->ready_delay_ns);
    bytes_store_u32(out + 16, entry->asks);
}

struct wire_entry wire_entry_load(const uint8_t *in)
{
    return (struct wire_entry){.path = {.port = in[0],
                                        .turn = in[1],
                                        .hops = bytes_load_u16(in + 2),
                                        .hops_after = bytes_load_u16(in + 4)},
                               .count = bytes_load_u16(in + 6),
                               .bytes = bytes_load_u32(in + 8),
                               .ready_delay_ns = bytes_load_u32(in + 12),
                               .asks = bytes_load_u32(in + 16)};
}
