/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes a set number of instructions per unit and touches no data: the
 * models' ideal workload, for measurements. Result: u64 units processed.
 */
#include "kernels/kernel.h"

#define INSTRUCTIONS_MAX 100000u

struct spin {
    uint32_t instructions; /* per unit */
};

/* Decimal digits only, 1 to INSTRUCTIONS_MAX; 0 if it is anything else. */
static uint32_t parse(const uint8_t *arg, uint32_t arg_bytes)
{
    uint32_t value = 0;

    for (uint32_t i = 0; i < arg_bytes; ++i) {
        uint32_t digit = arg[i] - (uint32_t)'0';

        if (digit > 9 || value > INSTRUCTIONS_MAX) {
            return 0;
        }
        value = value * 10 + digit;
    }
    return value <= INSTRUCTIONS_MAX ? value : 0;
}

static int spin_begin(void *work, struct kernel_terms *terms,
                      const uint8_t *arg, uint32_t arg_bytes)
{
    struct spin *spin = (struct spin *)work;

    spin->instructions = parse(arg, arg_bytes);
    terms->overlap_bytes = 0;
    terms->result_bytes_max = 8;
    terms->instructions_per_1000_units = spin->instructions * 1000u;
    return spin->instructions == 0 ? KERNEL_ARGUMENT : KERNEL_OK;
}

#ifdef __arm__
/* Two instructions an iteration, written out so that no compiler changes it. */
static void execute(uint64_t instructions)
{
    uint64_t left = instructions / 2;

    while (left > 0) {
        uint32_t iterations = left > UINT32_MAX ? UINT32_MAX : (uint32_t)left;

        left -= iterations;
        __asm volatile("1: subs %0, %0, #1\n\t"
                       "bne 1b"
                       : "+r"(iterations)
                       :
                       : "cc");
    }
}
#else
static void execute(uint64_t instructions)
{
    (void)instructions; /* the host accounts for them instead */
}
#endif

static void spin_run(const void *work, struct kernel_result *result,
                     const struct kernel_range *range)
{
    const struct spin *spin = (const struct spin *)work;

    execute((uint64_t)range->units * spin->instructions);
    kernel_store_u64(result->data, range->units);
    result->bytes = 8;
}

static int spin_merge(const void *work, struct kernel_result *into,
                      const struct kernel_result *next)
{
    (void)work;
    if (next->bytes != 8) {
        return KERNEL_RESULT;
    }
    kernel_store_u64(into->data,
                     kernel_load_u64(into->data) + kernel_load_u64(next->data));
    return KERNEL_OK;
}

static void spin_report(const struct kernel_result *result,
                        const struct kernel_sink *sink)
{
    sink->integer(sink->context, "units", kernel_load_u64(result->data));
}

const struct kernel kernel_spin = {
    .name = "spin",
    .argument = "instructions per unit, 1 to 100000",
    .summary = "executes a set number of instructions per byte",
    .work_bytes = sizeof(struct spin),
    .begin = spin_begin,
    .run = spin_run,
    .merge = spin_merge,
    .report = spin_report,
};
