/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and parts, which every hop reads: mps2 boards build this for speed. */
#include "scatter/wire/wire.h"

#include <string.h>

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
    memset(out, 0, wire_job_bytes(job));
    out[0] = job->phases;
    out[1] = job->rounds;
    out[2] = job->flags;
    out[3] = job->slots.frames;
    bytes_store_u16(out + 4, job->slots.short_bytes);
    out[6] = job->slots.shift;
    wire_job_store_gather(out, job->slots.gather_ps);
    bytes_store_u32(out + 16, job->slots.short_units);
    bytes_store_u32(out + 20, job->slots.long_units);
    bytes_store_u32(out + 24, job->slots.early_units);
    bytes_store_u32(out + 28, job->before_bytes);
    bytes_store_u32(out + 32, job->after_bytes);
    for (unsigned layer = 0;
         (job->flags & WIRE_OUTPUT) != 0 && layer <= job->phases; ++layer) {
        bytes_store_u64(out + WIRE_JOB_BYTES + 8 * layer, result_ps[layer]);
    }
}

int wire_job_load(struct wire_job *job, const uint8_t *in, uint32_t bytes)
{
    if (bytes < WIRE_JOB_BYTES) {
        return ERR_LENGTH;
    }
    job->phases = in[0];
    job->rounds = in[1];
    job->flags = in[2];
    job->before_bytes = bytes_load_u32(in + 28);
    job->after_bytes = bytes_load_u32(in + 32);
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
    return (struct wire_slots){.gather_ps = bytes_load_u64(in + 8),
                               .short_units = bytes_load_u32(in + 16),
                               .long_units = bytes_load_u32(in + 20),
                               .early_units = bytes_load_u32(in + 24),
                               .short_bytes = bytes_load_u16(in + 4),
                               .frames = in[3],
                               .shift = in[6] & 31u};
}

uint64_t wire_job_result_ps(const uint8_t *in, unsigned layer)
{
    return bytes_load_u64(in + WIRE_JOB_BYTES + 8 * layer);
}

int wire_part_load(struct wire_part *part, const uint8_t *in, uint32_t bytes)
{
    if (bytes < WIRE_PART_BYTES) {
        return ERR_LENGTH;
    }
    part->units = bytes_load_u32(in);
    part->first_unit = bytes_load_u32(in + 4);
    part->label = bytes_load_u32(in + WIRE_PART_AT_LABEL);
    return ERR_OK;
}

int wire_chunk_load(struct wire_chunk *chunk, const uint8_t *in, uint32_t bytes)
{
    if (bytes < WIRE_CHUNK_BYTES) {
        return ERR_LENGTH;
    }
    *chunk = (struct wire_chunk){.units = bytes_load_u32(in),
                                 .first_unit = bytes_load_u32(in + 4),
                                 .worker = bytes_load_u16(in + 8),
                                 .number = bytes_load_u16(in + 10)};
    return ERR_OK;
}

int wire_demand_load(struct wire_demand *demand, const uint8_t *in,
                     uint32_t bytes)
{
    if (bytes < WIRE_DEMAND_BYTES) {
        return ERR_LENGTH;
    }
    *demand = (struct wire_demand){.worker = bytes_load_u16(in),
                                   .number = bytes_load_u16(in + 2),
                                   .units = bytes_load_u32(in + 4),
                                   .compute_ps = bytes_load_u64(in + 8)};
    return ERR_OK;
}
