/* SPDX-License-Identifier: Apache-2.0 */
/* A sparse matrix by rows: a unit of two bytes says how many values its row
   has, each of which is multiplied and added. Argument as of mandelbrot.c; each
   byte behind that is some 20 us that any run() takes. Result: u64, the values.
 */
#include "kernels/kernel.h"

#define VALUES_OF_20_US 62u

static void multiply(uint32_t row)
{
    volatile uint32_t sum = 0;
    uint32_t column = row;

    for (uint32_t k = 0; k < row; ++k) {
        column = column * 1664525u + 1013904223u;
        sum += (column >> 16) * k;
    }
}

static int sparse_begin(void *work, struct kernel_terms *terms,
                        const struct kernel_job *job)
{
    *(uint32_t *)work = VALUES_OF_20_US * (job->arg_bytes - 1);
    terms->result_bytes_max = 8;
    terms->instructions_per_1000_units = 100000;
    terms->cost_varies = job->arg_bytes > 0 && job->arg[0] == 'y';
    return job->unit_bytes == 2 ? KERNEL_OK : KERNEL_ARGUMENT;
}

static void sparse_run(const void *work, struct kernel_result *result,
                       const struct kernel_range *range)
{
    uint64_t values = 0;

    multiply(*(const uint32_t *)work);
    for (uint32_t i = 0; i < range->units; ++i) {
        uint32_t row = kernel_load_u16(range->data + 2 * i);

        multiply(row);
        values += row;
    }
    kernel_store_u64(result->data, values);
    result->bytes = 8;
}

static void report_values(const struct kernel_result *result,
                          const struct kernel_sink *sink)
{
    sink->integer(sink->context, "values", kernel_load_u64(result->data));
}

const struct kernel kernel_sparse = {
    .name = "sparse",
    .argument = KERNEL_FOR_PEOPLE("y or n"),
    .summary = KERNEL_FOR_PEOPLE("a sparse matrix by rows"),
    .work_bytes = sizeof(uint32_t),
    .begin = sparse_begin,
    .run = sparse_run,
    .merge = kernel_merge_count,
    .report = KERNEL_FOR_PEOPLE(report_values),
};
