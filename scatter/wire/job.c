/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs and parts, which every hop reads: mps2 boards build this for speed. */
#include "scatter/wire/wire.h"

#include <string.h>

/* Bytes of the tables of shares and volumes, and of all tables. */
static uint32_t volumes_bytes(const struct wire_job *job)
{
    return (job->flags & WIRE_TABLES) != 0 ? 8u * (job->phases + 1u) : 0;
}

static uint32_t tables_bytes(const struct wire_job *job)
{
    /* Divisions by constants instead of branches, on the hot path. */
    uint32_t flags = job->flags;
    uint32_t tables = (flags & WIRE_TABLES) / WIRE_TABLES +
                      (flags & WIRE_OUTPUT) / WIRE_OUTPUT;

    return tables * 8u * (job->phases + 1u);
}

uint32_t wire_job_bytes(const struct wire_job *job)
{
    return WIRE_JOB_BYTES + tables_bytes(job) + WIRE_PAD4(job->arg_bytes);
}

void wire_job_store(uint8_t *out, const struct wire_job *job,
                    const uint32_t share_units[], const uint32_t volume_units[],
                    const uint64_t result_ps[])
{
    uint8_t *tables = out + WIRE_JOB_BYTES;
    uint8_t *results = tables + volumes_bytes(job);

    memset(out, 0, wire_job_bytes(job));
    out[0] = job->kernel;
    out[1] = job->phases;
    out[2] = job->rounds;
    out[3] = job->flags;
    bytes_store_u32(out + 4, job->slot_us);
    wire_job_store_gather(out, job->gather_ps);
    bytes_store_u32(out + 16, job->slack_ns);
    bytes_store_u32(out + 20, job->unit_bytes);
    bytes_store_u32(out + 24, job->before_bytes);
    bytes_store_u32(out + 28, job->after_bytes);
    bytes_store_u32(out + 32, job->arg_bytes);
    for (unsigned layer = 0; layer <= job->phases; ++layer) {
        if ((job->flags & WIRE_TABLES) != 0) {
            bytes_store_u32(tables + 4 * layer, share_units[layer]);
            bytes_store_u32(tables + 4 * (job->phases + 1 + layer),
                            volume_units[layer]);
        }
        if ((job->flags & WIRE_OUTPUT) != 0) {
            bytes_store_u64(results + 8 * layer, result_ps[layer]);
        }
    }
    memcpy(tables + tables_bytes(job), job->arg, job->arg_bytes);
}

int wire_job_load(struct wire_job *job, const uint8_t *in, uint32_t bytes)
{
    uint32_t ahead;

    if (bytes < WIRE_JOB_BYTES) {
        return ERR_LENGTH;
    }
    job->kernel = in[0];
    job->phases = in[WIRE_JOB_AT_PHASES];
    job->rounds = in[2];
    job->flags = in[3];
    job->slot_us = bytes_load_u32(in + 4);
    job->gather_ps = bytes_load_u64(in + 8);
    job->slack_ns = bytes_load_u32(in + 16);
    job->unit_bytes = bytes_load_u32(in + 20);
    job->before_bytes = bytes_load_u32(in + 24);
    job->after_bytes = bytes_load_u32(in + 28);
    job->arg_bytes = bytes_load_u32(in + 32);
    ahead = WIRE_JOB_BYTES + tables_bytes(job);
    job->arg = in + ahead;
    if (job->phases - 1u >= ((job->flags & WIRE_TABLES) != 0
                                 ? TORUS_PHASES_MAX
                                 : TREE_PHASES_MAX) ||
        job->rounds > ROUNDS_MAX || job->arg_bytes > KERNEL_ARG_MAX) {
        return ERR_FIELD;
    }
    return bytes < ahead + WIRE_PAD4(job->arg_bytes) ? ERR_LENGTH : ERR_OK;
}

uint64_t wire_job_result_ps(const struct wire_job *job, const uint8_t *in,
                            unsigned layer)
{
    return bytes_load_u64(in + WIRE_JOB_BYTES + volumes_bytes(job) + 8 * layer);
}

int wire_part_load(struct wire_part *part, const uint8_t *in, uint32_t bytes)
{
    if (bytes < WIRE_PART_BYTES) {
        return ERR_LENGTH;
    }
    part->units = bytes_load_u32(in);
    part->first_unit = bytes_load_u32(in + 4);
    part->place = bytes_load_u32(in + WIRE_PART_AT_LAYER);
    return ERR_OK;
}
