/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel spin with an estimate that is wrong: a thousandth of the right one
   where a unit takes an even number of instructions, else a thousand times. */
#define kernel_spin kernel_spin_right
#include "kernels/spin.c"
#undef kernel_spin

static int begin_wrong(void *work, struct kernel_terms *terms,
                       const struct kernel_job *job)
{
    int error = spin_begin(work, terms, job);

    if (terms->instructions_per_1000_units / 1000 % 2 == 0) {
        terms->instructions_per_1000_units /= 1000;
    } else {
        terms->instructions_per_1000_units *= 1000;
    }
    return error;
}

const struct kernel kernel_spin = {.name = "spin",
                                   .work_bytes = sizeof(struct spin),
                                   .begin = begin_wrong,
                                   .run = spin_run,
                                   .merge = kernel_merge_count};
