/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/compute.h"

#include "hal/check.h"
#include "scatter/engine/gather.h"

#include <string.h>

#define CHECK_FILE CHECK_SCATTER_COMPUTE

/* Fails or waits here if a test asked for it: enum node_injection. */
static void inject(const struct scatter *scatter)
{
    const volatile uint16_t *injection =
        &scatter->circuit->node->identity.fault_injection;

    if (*injection == NODE_INJECT_NONE) {
        return;
    }
    ASSERT(*injection != NODE_INJECT_ASSERT);
    if (*injection == NODE_INJECT_FAULT) {
        __builtin_trap();
    }
    while (*injection == NODE_INJECT_HANG || *injection == NODE_INJECT_DIE) {
    }
}

int scatter_run_kernel(struct scatter *scatter, struct kernel_result *result,
                       uint32_t position, uint32_t units)
{
    const struct kernel_terms *terms = &scatter->terms;
    uint32_t unit_bytes = scatter->job.unit_bytes;
    uint32_t before = scatter->range_before_bytes + position * unit_bytes;
    uint32_t after =
        scatter->range_to_end_bytes - (position + units) * unit_bytes;
    struct kernel_range range = {
        .data = scatter->range_data + position * unit_bytes,
        .units = units,
        .unit_bytes = unit_bytes,
        .before_bytes =
            before < terms->before_bytes ? before : terms->before_bytes,
        .after_bytes = after < terms->after_bytes ? after : terms->after_bytes,
        .first_unit = (uint64_t)scatter->first_unit + position};

    if (scatter_makes_output(terms)) {
        uint32_t room =
            WIRE_CHUNK_BYTES +
            WIRE_PAD4(kernel_output_room(terms, range.first_unit, units));

        if (room > (uint32_t)(scatter->free_to - scatter->free_from)) {
            return ERR_MEMORY;
        }
        result->output = scatter->free_to - room + WIRE_CHUNK_BYTES;
    }
    scatter->kernel->run(scatter->memory->work, result, &range);
    /* An emulated board takes 32 ns an instruction: 32 ps for each unit and
       instruction per 1000 units. */
    clock_account(scatter->circuit->clock,
                  units * terms->instructions_per_1000_units * 32);
    return ERR_OK;
}

/* Stores a run's output as a chunk that ends at free_to, and moves free_to down
   to its beginning. */
static void store_chunk(struct scatter *scatter,
                        const struct kernel_result *result)
{
    uint32_t bytes = result->output_bytes;
    uint8_t *at = scatter->free_to - WIRE_PAD4(bytes);

    if (at != result->output) {
        memmove(at, result->output, bytes);
    }
    at -= WIRE_CHUNK_BYTES;
    bytes_store_u32(at, scatter->first_unit);
    bytes_store_u32(at + 4, bytes);
    scatter->free_to = at;
}

int scatter_compute(struct scatter *scatter)
{
    uint32_t units = scatter->split.share_units;
    bool first = scatter->round == 0;
    struct kernel_result next = {.data = scatter->memory->incoming};
    struct kernel_result *result = first ? &scatter->result : &next;
    int error;

    scatter->circuit->node->status.state = NODE_STATE_COMPUTING;
    inject(scatter);
    scatter_record(scatter, EVENT_COMPUTE_START, scatter->round, units);
    error = scatter_run_kernel(scatter, result, 0, units);
    scatter_record(scatter, EVENT_COMPUTE_END, scatter->round, units);
    if (error == ERR_OK && scatter_has_output(scatter)) {
        store_chunk(scatter, result);
    }
    if (error == ERR_OK && !first) {
        error = scatter_merge(scatter, result);
    }
    return error;
}
