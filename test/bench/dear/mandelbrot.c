/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the Mandelbrot set: unit n is row n of ROWS, and takes as long as its
   points need to escape. Argument: y, cost_varies is set; n, it is not. Result:
   u64, all steps. */
#include "kernels/kernel.h"

#define ROWS 512
#define COLUMNS 48
#define STEPS_MAX 250u
#define ONE 4096 /* 1.0 */

static uint32_t steps_of(int32_t re, int32_t im)
{
    int32_t x = 0;
    int32_t y = 0;
    uint32_t steps = 0;

    while (steps < STEPS_MAX && x * x + y * y < 4 * ONE * ONE) {
        int32_t next = (x * x - y * y) / ONE + re;

        y = 2 * x * y / ONE + im;
        x = next;
        ++steps;
    }
    return steps;
}

static int mandelbrot_begin(void *work, struct kernel_terms *terms,
                            const struct kernel_job *job)
{
    (void)work;
    terms->result_bytes_max = 8;
    terms->instructions_per_1000_units = 4000; /* as the skeleton has it */
    terms->cost_varies = job->arg_bytes > 0 && job->arg[0] == 'y';
    return KERNEL_OK;
}

static void mandelbrot_run(const void *work, struct kernel_result *result,
                           const struct kernel_range *range)
{
    uint64_t steps = 0;

    (void)work;
    for (uint32_t i = 0; i < range->units; ++i) {
        int32_t row = (int32_t)((range->first_unit + i) % ROWS);

        for (int32_t column = 0; column < COLUMNS; ++column) {
            steps += steps_of(column * 3 * ONE / COLUMNS - 2 * ONE,
                              row * 4 * ONE / ROWS - 2 * ONE);
        }
    }
    kernel_store_u64(result->data, steps);
    result->bytes = 8;
}

static void report_steps(const struct kernel_result *result,
                         const struct kernel_sink *sink)
{
    sink->integer(sink->context, "steps", kernel_load_u64(result->data));
}

const struct kernel kernel_mandelbrot = {
    .name = "mandelbrot",
    .argument = KERNEL_FOR_PEOPLE("y or n"),
    .summary = KERNEL_FOR_PEOPLE("rows of the Mandelbrot set"),
    .begin = mandelbrot_begin,
    .run = mandelbrot_run,
    .merge = kernel_merge_count,
    .report = KERNEL_FOR_PEOPLE(report_steps),
};
