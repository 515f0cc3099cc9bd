/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/wire/wire.h"

#include <string.h>

/* ---- orders ---- */

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
    memcpy(out, order, WIRE_ORDER_BYTES);
    memcpy(out + WIRE_ORDER_BYTES, order->arg, order->arg_bytes);
    if (order->tree_nodes > 0) {
        memcpy(out + WIRE_ORDER_BYTES + WIRE_PAD4(order->arg_bytes),
               order->tree, (size_t)TREE_BRANCH_BYTES * order->tree_nodes);
    }
}

int wire_order_load(struct wire_order *order, const uint8_t *in, uint32_t bytes)
{
    if (wire_load(order, WIRE_ORDER_BYTES, in, bytes) != ERR_OK) {
        return ERR_LENGTH;
    }
    order->arg = in + WIRE_ORDER_BYTES;
    order->tree = order->arg + WIRE_PAD4(order->arg_bytes);
    if (in[WIRE_NAME_BYTES - 1] != 0 || order->arg_bytes > KERNEL_ARG_MAX ||
        order->tree_nodes > TREE_NODES_MAX || order->check_load > 1 ||
        (order->reserve > WIRE_RESERVE_MAX && order->reserve != WIRE_BEST) ||
        order->compute_ps > PLANNER_TIME_MAX_PS ||
        order->call_ps > WIRE_CALL_MAX_PS ||
        order->load_units > order->whole_units ||
        order->first_unit > order->whole_units - order->load_units) {
        return ERR_FIELD;
    }
    if (bytes < wire_order_head_bytes(order) ||
        bytes - wire_order_head_bytes(order) != wire_order_load_bytes(order)) {
        return ERR_LENGTH;
    }
    order->load = in + wire_order_head_bytes(order) + order->before_bytes;
    return ERR_OK;
}

/* ---- announcements ---- */

int wire_announce_load(struct wire_announce *announce, const uint8_t *in,
                       uint32_t bytes)
{
    if (wire_load(announce, WIRE_ANNOUNCE_BYTES, in, bytes) != ERR_OK) {
        return ERR_LENGTH;
    }
    announce->arg = in + WIRE_ANNOUNCE_BYTES;
    if (announce->arg_bytes > KERNEL_ARG_MAX) {
        return ERR_FIELD;
    }
    return bytes == WIRE_ANNOUNCE_BYTES + WIRE_PAD4(announce->arg_bytes)
               ? ERR_OK
               : ERR_LENGTH;
}

/* ---- jobs ---- */

/* Copy a field to or from its place, an offset in a stored job, bytes. */
#define STORE(place, member)                                                   \
    (void)memcpy(out + (place), &(member), sizeof(member))
#define LOAD(place, member)                                                    \
    (void)memcpy(&(member), in + (place), sizeof(member))

#define JOB_FIELDS(F)                                                          \
    F(0, job->phases), F(1, job->rounds), F(2, job->flags),                    \
        F(28, job->before_bytes), F(32, job->after_bytes)

#define SLOTS_FIELDS(F)                                                        \
    F(3, slots->frames), F(4, slots->short_bytes), F(6, slots->shift),         \
        F(8, slots->gather_ps), F(16, slots->short_units),                     \
        F(20, slots->long_units), F(24, slots->early_units)

#define FARM_FIELDS(F)                                                         \
    F(3, terms->installment), F(8, terms->compute_ps),                         \
        F(16, terms->demand_ps), F(20, terms->call_ps)

void wire_tables_store(uint8_t *out, unsigned phases,
                       const uint32_t share_units[],
                       const uint32_t volume_units[])
{
    uint32_t bytes = 4 * (phases + 1);

    memcpy(out, share_units, bytes);
    memcpy(out + bytes, volume_units, bytes);
}

void wire_job_store(uint8_t *out, const struct wire_job *job,
                    const uint64_t result_ps[])
{
    const struct wire_slots *slots = &job->slots;
    uint32_t bytes = wire_job_bytes(job);

    out[7] = 0;
    JOB_FIELDS(STORE);
    SLOTS_FIELDS(STORE);
    if (bytes > WIRE_JOB_BYTES) {
        memcpy(out + WIRE_JOB_BYTES, result_ps, bytes - WIRE_JOB_BYTES);
    }
}

int wire_job_load(struct wire_job *job, const uint8_t *in, uint32_t bytes)
{
    if (bytes < WIRE_JOB_BYTES) {
        return ERR_LENGTH;
    }
    JOB_FIELDS(LOAD);
    if (job->phases - 1u >= (WIRE_POLICY(job->flags) == WIRE_PATTERN
                                 ? TORUS_PHASES_MAX
                                 : TREE_PHASES_MAX) ||
        job->rounds - 1u >= ROUNDS_MAX) {
        return ERR_FIELD;
    }
    return bytes < wire_job_bytes(job) ? ERR_LENGTH : ERR_OK;
}

struct wire_slots wire_job_slots(const uint8_t *in)
{
    struct wire_slots loaded;
    struct wire_slots *slots = &loaded;

    SLOTS_FIELDS(LOAD);
    slots->shift &= 31u;
    return loaded;
}

uint64_t wire_job_result_ps(const uint8_t *in, unsigned layer)
{
    return bytes_load_u64(in + WIRE_JOB_BYTES + 8 * layer);
}

void wire_job_store_farm(uint8_t *out, const struct wire_farm_terms *terms)
{
    FARM_FIELDS(STORE);
}

int wire_job_farm(struct wire_farm_terms *terms, const uint8_t *in)
{
    FARM_FIELDS(LOAD);
    return terms->installment > 0 &&
                   terms->compute_ps - 1 <= PLANNER_TIME_MAX_PS
               ? ERR_OK
               : ERR_FIELD;
}

/* ---- reports ---- */

uint32_t wire_report_bytes(const struct wire_report *report)
{
    return report->layers && report->rounds > 1
               ? WIRE_REPORT_BYTES + 8u * report->rounds * (report->phases + 1u)
               : WIRE_REPORT_BYTES;
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

/* Loads the plan's tables from `in`; for one round, from `report`'s arrays. */
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
    const uint32_t arrays = offsetof(struct wire_report, startup_ps);
    const uint32_t rest = offsetof(struct wire_report, ordered_ps);

    memcpy(out, report, arrays);
    memset(out + arrays, 0, rest - arrays);
    memcpy(out + rest, &report->ordered_ps, WIRE_REPORT_BYTES - rest);
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
    if (wire_load(report, WIRE_REPORT_BYTES, in, bytes) != ERR_OK) {
        return ERR_LENGTH;
    }
    if (report->phases >
            (report->layers ? TORUS_PHASES_MAX : TREE_PHASES_MAX) ||
        report->rounds > ROUNDS_MAX) {
        return ERR_FIELD;
    }
    if (bytes < wire_report_bytes(report)) {
        return ERR_LENGTH;
    }
    load_rounds(plan, report, in + WIRE_REPORT_BYTES);
    return ERR_OK;
}
