/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel spin with an estimate that is wrong: TIMES / PARTS of the right one.
 */
#define kernel_spin kernel_spin_right
#include "kernels/spin.c"
#undef kernel_spin

static int begin_wrong(void *work, struct kernel_terms *terms,
                       const struct kernel_job *job)
{
    int error = spin_begin(work, terms, job);

    terms->instructions_per_1000_units =
        terms->instructions_per_1000_units * TIMES / PARTS;
    return error;
}

const struct kernel kernel_spin = {.name = "spin",
                                   .work_bytes = sizeof(struct spin),
                                   .begin = begin_wrong,
                                   .run = spin_run,
                                   .merge = kernel_merge_count};
