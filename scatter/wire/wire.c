/* SPDX-License-Identifier: Apache-2.0 */
/* Stores and loads each message by one list of its fields. Arrays of varying
   length, bytes that two fields share, and checks have code of their own. */
#include "scatter/wire/wire.h"

#include <string.h>

/* Copy one field to the message `out` or from the message `in`; `place` is its
   offset there. Message and memory have the same byte order (hal/bytes.h). */
#define STORE(place, member)                                                   \
    (void)memcpy(out + (place), &(member), sizeof(member))
#define LOAD(place, member)                                                    \
    (void)memcpy(&(member), in + (place), sizeof(member))

/* ---- orders ---- */

#define ORDER_FIELDS(F)                                                        \
    F(0, order->kernel), F(16, order->startup_ps), F(24, order->transfer_ps),  \
        F(32, order->hop_delay_ps), F(40, order->load_units),                  \
        F(44, order->phases), F(45, order->rounds), F(46, order->ports),       \
        F(50, order->reserve), F(52, order->unit_bytes),                       \
        F(56, order->arg_bytes), F(60, order->first_unit),                     \
        F(64, order->before_bytes), F(68, order->after_bytes),                 \
        F(72, order->compute_ps), F(80, order->call_ps)

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
    ORDER_FIELDS(STORE);
    bytes_store_u16(out + 48, (uint16_t)order->tree_nodes);
    out[47] = WIRE_FLAGS(order->flags, order->policy);
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
    ORDER_FIELDS(LOAD);
    order->tree_nodes = bytes_load_u16(in + 48);
    order->flags = in[47] & 0xfu;
    order->policy = WIRE_POLICY(in[47]);
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

/* ---- announcements ---- */

#define ANNOUNCE_FIELDS(F) F(4, announce->unit_bytes), F(8, announce->arg_bytes)

void wire_announce_store(uint8_t *out, const struct wire_announce *announce)
{
    bytes_store_u32(out, announce->kernel);
    ANNOUNCE_FIELDS(STORE);
}

int wire_announce_load(struct wire_announce *announce, const uint8_t *in,
                       uint32_t bytes)
{
    if (bytes < WIRE_ANNOUNCE_BYTES) {
        return ERR_LENGTH;
    }
    announce->kernel = in[0];
    ANNOUNCE_FIELDS(LOAD);
    announce->arg = in + WIRE_ANNOUNCE_BYTES;
    if (announce->arg_bytes > KERNEL_ARG_MAX) {
        return ERR_FIELD;
    }
    return bytes == WIRE_ANNOUNCE_BYTES + WIRE_PAD4(announce->arg_bytes)
               ? ERR_OK
               : ERR_LENGTH;
}

/* ---- jobs and parts ---- */

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

#define PART_FIELDS(F)                                                         \
    F(0, part->units), F(4, part->first_unit),                                 \
        F(WIRE_PART_AT_LABEL, part->label)

void wire_tables_store(uint8_t *out, unsigned phases,
                       const uint32_t share_units[],
                       const uint32_t volume_units[])
{
    for (unsigned layer = 0; layer <= phases; ++layer) {
        bytes_store_u32(out + 4 * layer, share_units[layer]);
        bytes_store_u32(out + 4 * (phases + 1 + layer), volume_units[layer]);
    }
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

int wire_part_load(struct wire_part *part, const uint8_t *in, uint32_t bytes)
{
    if (bytes < WIRE_PART_BYTES) {
        return ERR_LENGTH;
    }
    PART_FIELDS(LOAD);
    return ERR_OK;
}

/* ---- chunks and demands ---- */

#define CHUNK_FIELDS(F)                                                        \
    F(0, chunk->units), F(4, chunk->first_unit), F(8, chunk->worker),          \
        F(10, chunk->number)

#define DEMAND_FIELDS(F)                                                       \
    F(0, demand->worker), F(2, demand->number), F(4, demand->units),           \
        F(8, demand->compute_ps)

void wire_chunk_store(uint8_t *out, const struct wire_chunk *chunk)
{
    CHUNK_FIELDS(STORE);
}

int wire_chunk_load(struct wire_chunk *chunk, const uint8_t *in, uint32_t bytes)
{
    if (bytes < WIRE_CHUNK_BYTES) {
        return ERR_LENGTH;
    }
    CHUNK_FIELDS(LOAD);
    return ERR_OK;
}

void wire_demand_store(uint8_t *out, const struct wire_demand *demand)
{
    DEMAND_FIELDS(STORE);
}

int wire_demand_load(struct wire_demand *demand, const uint8_t *in,
                     uint32_t bytes)
{
    if (bytes < WIRE_DEMAND_BYTES) {
        return ERR_LENGTH;
    }
    DEMAND_FIELDS(LOAD);
    return ERR_OK;
}

/* ---- reports ---- */

#define REPORT_FIELDS(F)                                                       \
    F(0, report->error), F(4, report->phases), F(5, report->phases_feasible),  \
        F(6, report->rounds), F(8, report->compute_ps),                        \
        F(16, report->makespan_ps), F(24, report->begin_ps),                   \
        F(32, report->plan_ps),                                                \
        F(WIRE_REPORT_AT_START, report->scatter_start_ps),                     \
        F(WIRE_REPORT_AT_GATHERED, report->gather_done_ps),                    \
        F(56, report->overhead_ps),                                            \
        F(WIRE_REPORT_AT_ORDERED, report->ordered_ps),                         \
        F(328, report->measure_ps), F(336, report->measured_units),            \
        F(344, report->call_ps), F(352, report->announce_ps),                  \
        F(360, report->sampled_ps)

/* Arrays; as many elements are stored as the report has layers or phases. */
#define LAYER_FIELDS(F)                                                        \
    F(64, report->startup_ps), F(144, report->received_ps),                    \
        F(232, report->share_units), F(276, report->volume_units)

uint32_t wire_report_bytes(const struct wire_report *report)
{
    return report->layers && report->rounds > 1
               ? WIRE_REPORT_BYTES + 8u * report->rounds * (report->phases + 1u)
               : WIRE_REPORT_BYTES;
}

/* Stores the plan's tables at `out`, if the report has them. */
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

/* Loads the plan's tables, of one round from the report itself. */
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
    REPORT_FIELDS(STORE);
    out[7] = (uint8_t)(report->output | report->layers << 1 |
                       report->advance << 2 | report->meanwhile << 3);
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
    REPORT_FIELDS(LOAD);
    LAYER_FIELDS(LOAD);
    report->output = (in[7] & 1u) != 0;
    report->layers = (in[7] & 2u) != 0;
    report->advance = (in[7] & 4u) != 0;
    report->meanwhile = (in[7] & 8u) != 0;
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

/* ---- probes ---- */

#define ENTRY_FIELDS(F)                                                        \
    F(0, entry->path.port), F(1, entry->path.turn), F(2, entry->path.hops),    \
        F(4, entry->path.hops_after), F(6, entry->count), F(8, entry->bytes),  \
        F(12, entry->ready_delay_ns), F(16, entry->asks)

void wire_entry_store(uint8_t *out, const struct wire_entry *entry)
{
    ENTRY_FIELDS(STORE);
}

struct wire_entry wire_entry_load(const uint8_t *in)
{
    struct wire_entry loaded;
    struct wire_entry *entry = &loaded;

    ENTRY_FIELDS(LOAD);
    return loaded;
}
