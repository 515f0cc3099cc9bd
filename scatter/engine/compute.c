/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/compute.h"

#include "hal/hot.h"
#include "hal/inject.h"
#include "scatter/engine/merge.h"
#include "scatter/engine/prove.h"

#include <string.h>

HAL_FAST uint32_t compute_output_room(const struct scatter *scatter,
                                      uint32_t units)
{
    return kernel_output_room(&scatter->terms, scatter->first_unit, units);
}

HAL_FAST int compute_run(struct scatter *scatter, struct kernel_result *result,
                         uint32_t units)
{
    const struct kernel_terms *terms = &scatter->terms;
    struct kernel_range *range = &scatter->range;

    *result = (struct kernel_result){.data = scatter->has_result
                                                 ? scatter->memory->incoming
                                                 : scatter->memory->result};
    range->data = scatter->range_data;
    range->units = units;
    range->first_unit = scatter->first_unit;
    if ((terms->before_bytes | terms->after_bytes) != 0) {
        uint32_t before = scatter->range_before_bytes;
        uint32_t after =
            scatter->range_to_end_bytes - kernel_range_bytes(range);

        range->before_bytes =
            before < terms->before_bytes ? before : terms->before_bytes;
        range->after_bytes =
            after < terms->after_bytes ? after : terms->after_bytes;
    }
    if (scatter_makes_output(terms)) {
        uint32_t room = WIRE_OUTPUT_CHUNK_BYTES +
                        WIRE_PAD4(compute_output_room(scatter, units));

        if (!scatter_has_output(scatter)) {
            return ERR_TERMS;
        }
        scatter_check_heap(scatter);
        if (room > (uint32_t)(scatter->free_to - scatter->free_from)) {
            return ERR_MEMORY;
        }
        result->output = scatter->free_to - room + WIRE_OUTPUT_CHUNK_BYTES;
    }
    scatter->kernel->run(scatter->memory->work, result, range);
    clock_account(scatter->circuit->clock,
                  units * terms->instructions_per_1000_units *
                      (scatter->costs->instruction_ps / 1000u));
    if (scatter->announced.check_load != 0) {
        prove_run(scatter, result);
    }
    return ERR_OK;
}

/* Stores a run's output as a chunk before free_to, and moves free_to. */
HAL_FAST static void store_output(struct scatter *scatter,
                                  const struct kernel_result *result)
{
    uint32_t bytes = result->output_bytes;
    uint8_t *at = scatter->free_to - WIRE_PAD4(bytes);

    if (at != result->output) {
        memmove(at, result->output, bytes);
    }
    at -= WIRE_OUTPUT_CHUNK_BYTES;
    bytes_store_u32(at, scatter->first_unit);
    bytes_store_u32(at + 4, bytes);
    scatter->free_to = at;
}

HAL_FAST int compute_keep(struct scatter *scatter,
                          const struct kernel_result *result)
{
    uint32_t most = scatter->terms.result_bytes_max;

    if (result->bytes > most) {
        return scatter_breach(scatter, ERR_RESULT, result->bytes, most);
    }
    scatter->computed_units += scatter->range.units;
    if (scatter_has_output(scatter)) {
        uint32_t room = compute_output_room(scatter, scatter->range.units);
        uint32_t bytes = result->output_bytes;

        if (result->output == NULL) {
            return ERR_TERMS;
        }
        if (bytes > room || (bytes < room && !scatter->terms.output_varies)) {
            return scatter_breach(scatter, ERR_OUTPUT, bytes, room);
        }
        store_output(scatter, result);
    }
    if (scatter->announced.check_load != 0) {
        return prove_keep(scatter, result);
    }
    if (scatter->has_result) {
        return scatter_merge(scatter, result);
    }
    scatter->result = *result;
    scatter->has_result = true;
    return ERR_OK;
}

HAL_FAST static inline void record(struct scatter *scatter,
                                   enum event_kind kind, uint32_t units)
{
    events_record(scatter->circuit->log, clock_now_ps(scatter->circuit->clock),
                  kind, scatter->round, units);
}

HAL_FAST int scatter_compute(struct scatter *scatter)
{
    const struct node_identity *identity = &scatter->circuit->node->identity;
    uint32_t units = scatter->split.share_units;
    struct kernel_result result;
    uint32_t ports_us;
    int error;

    scatter->circuit->node->status.state = NODE_STATE_COMPUTING;
    if (identity->fault_injection != NODE_INJECT_NONE) {
        inject(identity);
    }
    ports_us = circuit_ports_us(scatter->circuit);
    record(scatter, EVENT_COMPUTE_START, units);
    error = compute_run(scatter, &result, units);
    record(scatter, EVENT_COMPUTE_END, units);
    scatter->ports_us += circuit_ports_us(scatter->circuit) - ports_us;
    return error == ERR_OK ? compute_keep(scatter, &result) : error;
}
