/* SPDX-License-Identifier: Apache-2.0 */
#include "test/scatter/jobs/suite.h"

struct echo {
    struct kernel_terms terms;
    uint64_t load_units;
    int8_t lies;
};

atomic_uint echo_wrong;

uint8_t echo_filler(uint32_t i)
{
    return (uint8_t)(i ^ i >> 8);
}

uint8_t echo_load(uint64_t position)
{
    return (uint8_t)(position * 0x9E3779B97F4A7C15u >> 56);
}

uint8_t echo_output(uint64_t position)
{
    return (uint8_t)(position * 0xD1342543DE82EF95u >> 56);
}

bool echo_varies(uint64_t unit)
{
    return unit % 3 == 0;
}

static void expect(bool condition)
{
    echo_wrong += !condition;
}

static int echo_begin(void *work, struct kernel_terms *terms,
                      const struct kernel_job *job)
{
    struct echo *echo = work;
    const uint8_t *arg = job->arg;

    if (job->arg_bytes < ECHO_ARG_BYTES) {
        return KERNEL_ARGUMENT;
    }
    expect((uintptr_t)arg % 4 == 0);
    expect(terms->before_bytes == 0 && terms->after_bytes == 0);
    for (uint32_t i = ECHO_ARG_BYTES; i < job->arg_bytes; ++i) {
        expect(arg[i] == echo_filler(i));
    }
    terms->before_bytes = kernel_load_u32(arg + ECHO_AT_BEFORE);
    terms->after_bytes = kernel_load_u32(arg + ECHO_AT_AFTER);
    terms->output_numerator = bytes_load_u16(arg + ECHO_AT_NUMERATOR);
    terms->output_denominator = bytes_load_u16(arg + ECHO_AT_DENOMINATOR);
    terms->output_varies = arg[ECHO_AT_VARIES] != 0;
    terms->result_bytes_max = 9;
    terms->instructions_per_1000_units =
        kernel_load_u32(arg + ECHO_AT_INSTRUCTIONS);
    echo->terms = *terms;
    echo->lies = (int8_t)arg[ECHO_AT_LIES];
    echo->load_units = bytes_load_u64(arg + ECHO_AT_UNITS);
    return KERNEL_OK;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* As much around the range as asked for, less at the load's ends only; and
   all of it is the load's. */
static void check_range(const struct echo *echo,
                        const struct kernel_range *range)
{
    uint64_t first = range->first_unit * range->unit_bytes;
    uint64_t end = first + kernel_range_bytes(range);
    uint64_t bytes = echo->load_units * range->unit_bytes;

    expect(range->first_unit + range->units <= echo->load_units);
    expect(range->before_bytes == least(first, echo->terms.before_bytes));
    expect(range->after_bytes == least(bytes - end, echo->terms.after_bytes));
    for (uint64_t at = first - range->before_bytes;
         at < end + range->after_bytes; ++at) {
        expect(range->data[(int64_t)(at - first)] == echo_load(at));
    }
}

/* All the room is the kernel's, whatever it says to have written. */
static void put_output(const struct echo *echo, struct kernel_result *result,
                       const struct kernel_range *range)
{
    uint64_t first = kernel_output_at(&echo->terms, range->first_unit);
    uint32_t room =
        kernel_output_room(&echo->terms, range->first_unit, range->units);

    expect((uintptr_t)result->output % 4 == 0);
    for (uint32_t i = 0; i < room; ++i) {
        result->output[i] = echo_output(first + i);
    }
    result->output_bytes = room;
    if (echo->terms.output_varies) {
        result->output_bytes = 0;
        for (uint32_t i = 0; i < range->units; ++i) {
            if (echo_varies(range->first_unit + i)) {
                result->output[result->output_bytes] =
                    echo_output(range->first_unit + i);
                result->output_bytes += 1;
            }
        }
    }
    result->output_bytes =
        (uint32_t)((int64_t)result->output_bytes + echo->lies);
}

static void echo_run(const void *work, struct kernel_result *result,
                     const struct kernel_range *range)
{
    const struct echo *echo = work;

    check_range(echo, range);
    expect((uintptr_t)result->data % 4 == 0);
    if (echo->terms.output_denominator != 0) {
        put_output(echo, result, range);
    }
    kernel_store_u64(result->data, range->units);
    result->bytes = 8;
}

static int echo_merge(const void *work, struct kernel_result *into,
                      const struct kernel_result *next)
{
    (void)work;
    if (into->bytes != 8 || next->bytes != 8) {
        return KERNEL_RESULT;
    }
    kernel_store_u64(into->data,
                     kernel_load_u64(into->data) + kernel_load_u64(next->data));
    return KERNEL_OK;
}

static const struct kernel kernel_echo = {.name = "echo",
                                          .work_bytes = sizeof(struct echo),
                                          .begin = echo_begin,
                                          .run = echo_run,
                                          .merge = echo_merge};

const struct kernel *const kernel_table[] = {&kernel_echo};
const unsigned kernel_table_count = 1;
