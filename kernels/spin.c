/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes a set number of instructions per unit and touches no data: the
 * models' ideal workload, for measurements. Result: u64 units processed, and,
 * if asked for, an output of P/Q bytes for each.
 *
 * With `burst` the data says what a unit costs: one whose first byte is 128 or
 * more is dear, and takes three times as many instructions. The terms have the
 * cost of the other units, so a plan is the more wrong the more units are dear.
 * A dear unit counts three in the result.
 */
#include "kernels/kernel.h"

#define INSTRUCTIONS_MAX 100000u
#define OUTPUT_MAX 1000u
#define DEAR 3u              /* times as many instructions */
#define LOOK_INSTRUCTIONS 5u /* instructions of a unit to look at its byte */

static const char burst[] = {',', 'b', 'u', 'r', 's', 't'};

struct spin {
    uint32_t instructions;     /* of a unit, without LOOK_INSTRUCTIONS */
    struct kernel_terms terms; /* of the output; with burst 0/1 byte a unit */
};

/* Returns a decimal number up to `most`; 0 for any other text. */
static uint32_t parse(const uint8_t *text, uint32_t bytes, uint32_t most)
{
    uint32_t value = 0;

    for (uint32_t i = 0; i < bytes; ++i) {
        uint32_t digit = text[i] - (uint32_t)'0';

        if (digit > 9 || value > most) {
            return 0;
        }
        value = value * 10 + digit;
    }
    return value <= most ? value : 0;
}

/* Returns where `character` is, or arg_bytes. */
static uint32_t find(const uint8_t *arg, uint32_t arg_bytes, char character)
{
    uint32_t at = 0;

    while (at < arg_bytes && arg[at] != (uint8_t)character) {
        at += 1;
    }
    return at;
}

/* Begins with burst. Result: KERNEL_OK, or KERNEL_ARGUMENT if `text`, the
   argument from its comma on, is not that, or a unit has too few instructions.
   */
static int begin_burst(struct spin *spin, const uint8_t *text, uint32_t bytes)
{
    spin->terms.output_denominator = 1;
    spin->instructions -= LOOK_INSTRUCTIONS; /* 1 to 5: wraps, or is 0 */
    return bytes == sizeof burst && memcmp(text, burst, bytes) == 0 &&
                   spin->instructions - 1 < INSTRUCTIONS_MAX
               ? KERNEL_OK
               : KERNEL_ARGUMENT;
}

static int spin_begin(void *work, struct kernel_terms *terms,
                      const struct kernel_job *job)
{
    struct spin *spin = (struct spin *)work;
    const uint8_t *arg = job->arg;
    uint32_t arg_bytes = job->arg_bytes;
    uint32_t comma = find(arg, arg_bytes, ',');
    uint32_t slash = find(arg, arg_bytes, '/');

    spin->instructions = parse(arg, comma, INSTRUCTIONS_MAX);
    terms->result_bytes_max = 8;
    terms->instructions_per_1000_units = spin->instructions * 1000u;
    if (comma < arg_bytes && slash < arg_bytes && comma < slash) {
        terms->output_numerator =
            (uint16_t)parse(arg + comma + 1, slash - comma - 1, OUTPUT_MAX);
        terms->output_denominator =
            (uint16_t)parse(arg + slash + 1, arg_bytes - slash - 1, OUTPUT_MAX);
    }
    spin->terms = *terms;
    return spin->instructions == 0 ||
                   (comma < arg_bytes && (terms->output_numerator == 0 ||
                                          terms->output_denominator == 0))
               ? begin_burst(spin, arg + comma, arg_bytes - comma)
               : KERNEL_OK;
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

/* Returns the number of dear units, in LOOK_INSTRUCTIONS for each unit. Units
   without data are not dear. */
static uint32_t count_dear(const struct kernel_range *range)
{
    const uint8_t *at = range->data;
    uint32_t left = range->units;
    uint32_t dear = 0;
    uint32_t byte;

    if (left > 0 && range->unit_bytes > 0) {
        __asm volatile("1: ldrb %[byte], [%[at]]\n\t"
                       "add %[at], %[at], %[step]\n\t"
                       "add %[dear], %[dear], %[byte], lsr #7\n\t"
                       "subs %[left], %[left], #1\n\t"
                       "bne 1b"
                       : [at] "+r"(at), [left] "+r"(left), [dear] "+r"(dear),
                         [byte] "=&r"(byte)
                       : [step] "r"(range->unit_bytes)
                       : "cc", "memory");
    }
    return dear;
}
#else
static void execute(uint64_t instructions)
{
    (void)instructions; /* the host accounts for them instead */
}

static uint32_t count_dear(const struct kernel_range *range)
{
    uint32_t units = range->unit_bytes > 0 ? range->units : 0;
    uint32_t dear = 0;

    for (uint32_t i = 0; i < units; ++i) {
        dear += range->data[(size_t)i * range->unit_bytes] >> 7;
    }
    return dear;
}
#endif

/* Output byte i is the low byte of 31 i + 7. */
static void put_output(const struct spin *spin, struct kernel_result *result,
                       const struct kernel_range *range)
{
    uint32_t first =
        (uint32_t)kernel_output_at(&spin->terms, range->first_unit);

    result->output_bytes =
        kernel_output_room(&spin->terms, range->first_unit, range->units);
    for (uint32_t i = 0; i < result->output_bytes; ++i) {
        result->output[i] = (uint8_t)(31 * (first + i) + 7);
    }
}

static void spin_run(const void *work, struct kernel_result *result,
                     const struct kernel_range *range)
{
    const struct spin *spin = (const struct spin *)work;
    uint64_t units = range->units;

    execute(units * spin->instructions);
    if (spin->terms.output_numerator != 0) {
        put_output(spin, result, range);
    } else if (spin->terms.output_denominator != 0) {
        uint64_t besides = (uint64_t)count_dear(range) * (DEAR - 1);

        execute(besides * (spin->instructions + LOOK_INSTRUCTIONS));
        units += besides;
    }
    kernel_store_u64(result->data, units);
    result->bytes = 8;
}

static void spin_report(const struct kernel_result *result,
                        const struct kernel_sink *sink)
{
    sink->integer(sink->context, "units", kernel_load_u64(result->data));
}

const struct kernel kernel_spin = {
    .name = "spin",
    .argument = KERNEL_FOR_PEOPLE(
        "instructions per unit, 1 to 100000; then ,burst for three times as "
        "many where its first byte is 128 or more (6 to 100000), or ,P/Q for "
        "an output of P/Q bytes for each, each 1 to 1000"),
    .summary =
        KERNEL_FOR_PEOPLE("executes a set number of instructions per unit"),
    .work_bytes = sizeof(struct spin),
    .begin = spin_begin,
    .run = spin_run,
    .merge = kernel_merge_count,
    .report = KERNEL_FOR_PEOPLE(spin_report),
};
