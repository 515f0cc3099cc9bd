/* SPDX-License-Identifier: Apache-2.0 */
/* Channels one by one: the model at the top of kernels/channels.c. */
#include "test/bench/kernels/references.h"

#include <math.h>

#define TOGETHER 32u /* channels that share a counter */
#define RESULT_BYTES 32u

struct sweep {
    uint32_t values;
    uint32_t pieces;
    int32_t first_nv;
    int32_t last_nv;
    int32_t base_nv;
    uint32_t channels;
    uint32_t steps;
    uint32_t lead;
    uint32_t peak;
    uint32_t key[2];
    uint32_t at_base[2]; /* probabilities of opening and of closing, */
    uint32_t at_peak[2]; /* times 2^32 */
    uint64_t open_at_peak;
    uint64_t open_at_base;
    uint64_t channel_steps;
};

/* Of closed channels to open and of open ones to close in a step. */
static void set_probabilities(uint32_t probability[2], double voltage_nv)
{
    double above = (voltage_nv + 5e6) / 8e6;
    double often = 1 / (1 + exp(-above));
    double a = exp(above / 2);
    double changed = 1 - exp(-(a + 1 / a) / 300);

    probability[0] = (uint32_t)(often * changed * 0x1p32);
    probability[1] = (uint32_t)((1 - often) * changed * 0x1p32);
}

/* Philox4x32-10 of (value, step, group, block). */
static void philox(uint32_t x[4], const uint32_t key[2])
{
    uint32_t k0 = key[0];
    uint32_t k1 = key[1];

    for (unsigned round = 0; round < 10; ++round) {
        uint64_t p0 = (uint64_t)0xd2511f53u * x[0];
        uint64_t p1 = (uint64_t)0xcd9e8d57u * x[2];

        x[0] = (uint32_t)(p1 >> 32) ^ x[1] ^ k0;
        x[1] = (uint32_t)p1;
        x[2] = (uint32_t)(p0 >> 32) ^ x[3] ^ k1;
        x[3] = (uint32_t)p0;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
}

/* A step of the channels of a group; how many are open after it. */
static uint32_t step_group(const struct sweep *sweep, uint8_t *open,
                           uint32_t channels, const uint32_t counter[3],
                           const uint32_t probability[2])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < channels; i += 4) {
        uint32_t number[4] = {counter[0], counter[1], counter[2], i / 4};

        philox(number, sweep->key);
        for (uint32_t j = 0; j < 4; ++j) {
            if (number[j] < probability[open[i + j]]) {
                open[i + j] = !open[i + j];
            }
            count += open[i + j];
        }
    }
    return count;
}

static void simulate_group(struct sweep *sweep, uint32_t value, uint32_t group)
{
    uint32_t left = sweep->channels - TOGETHER * group;
    uint32_t channels = left < TOGETHER ? left : TOGETHER;
    uint8_t open[TOGETHER] = {0};

    for (uint32_t step = 0; step < sweep->steps; ++step) {
        bool peak = step - sweep->lead < sweep->peak;
        uint32_t counter[3] = {value, step, group};
        uint32_t count = step_group(sweep, open, channels, counter,
                                    peak ? sweep->at_peak : sweep->at_base);

        if (peak) {
            sweep->open_at_peak += count;
        } else {
            sweep->open_at_base += count;
        }
    }
    sweep->channel_steps += channels * sweep->steps;
}

static void simulate_unit(struct sweep *sweep, uint32_t unit)
{
    uint32_t value = unit / sweep->pieces;
    uint32_t piece = unit % sweep->pieces;
    uint32_t groups = (sweep->channels + TOGETHER - 1) / TOGETHER;
    uint32_t end = (piece + 1) * groups / sweep->pieces;
    double span = (double)sweep->last_nv - sweep->first_nv;

    set_probabilities(sweep->at_peak,
                      sweep->first_nv + span * value / (sweep->values - 1));
    for (uint32_t group = piece * groups / sweep->pieces; group < end;
         ++group) {
        simulate_group(sweep, value, group);
    }
}

void reference_channels(struct kernel_result *result,
                        const struct kernel_range *range,
                        const struct kernel_job *job)
{
    struct sweep sweep = {.values = kernel_load_u32(job->arg),
                          .pieces = kernel_load_u32(job->arg + 4),
                          .first_nv = (int32_t)kernel_load_u32(job->arg + 8),
                          .last_nv = (int32_t)kernel_load_u32(job->arg + 12),
                          .base_nv = (int32_t)kernel_load_u32(job->arg + 16),
                          .channels = kernel_load_u32(job->arg + 20),
                          .steps = kernel_load_u32(job->arg + 24),
                          .lead = kernel_load_u32(job->arg + 28),
                          .peak = kernel_load_u32(job->arg + 32),
                          .key = {kernel_load_u32(job->arg + 40),
                                  kernel_load_u32(job->arg + 44)}};

    set_probabilities(sweep.at_base, sweep.base_nv);
    for (uint32_t i = 0; i < range->units; ++i) {
        simulate_unit(&sweep, (uint32_t)range->first_unit + i);
    }
    kernel_store_u64(result->data, range->units);
    kernel_store_u64(result->data + 8, sweep.channel_steps);
    kernel_store_u64(result->data + 16, sweep.open_at_peak);
    kernel_store_u64(result->data + 24, sweep.open_at_base);
    result->bytes = RESULT_BYTES;
}
