/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that crashes: the first letter of its argument says in what, the
   second how: n no memory there, z division by zero, s a stack that is full.
   With l its result may get too long; with o its second letter says how it does
   not keep to its terms: l a long result, w or s a wide or short output, m a
   merge() that refuses, g one whose sum grows. */
#include "kernels/kernel.h"

/* First unit of ranges of other nodes than the originator, of 100,000. */
#define FAR 60000u

struct wreck {
    char where;
    char how;
    char breach; /* .how if it does not keep to its terms; else 0 */
};

static char report_how; /* no kernel may do this; report() has no work */

/* `left` kilobytes of the stack. */
static unsigned dig(const volatile uint8_t *above, uint32_t left)
{
    volatile uint8_t here[1024];

    here[0] = above[0];
    return left == 0 ? 0 : dig(here, left - 1) + here[0];
}

static void crash(char how)
{
    volatile uint32_t zero = 0;

    if (how == 'n') {
        *(volatile uint32_t *)(uintptr_t)zero = 1;
    } else if (how == 'z') {
        zero = 1000 / zero;
    } else if (how == 's') {
        const uint8_t top[1] = {1};

        zero = dig(top, UINT32_MAX);
    }
}

static int wreck_begin(void *work, struct kernel_terms *terms,
                       const struct kernel_job *job)
{
    struct wreck *wreck = work;

    if (job->arg_bytes != 2) {
        return KERNEL_ARGUMENT;
    }
    *wreck = (struct wreck){(char)job->arg[0], (char)job->arg[1], 0};
    wreck->breach = wreck->where == 'o' ? wreck->how : 0;
    terms->result_bytes_max = wreck->where == 'l' ? 100000 : 8;
    terms->output_numerator = terms->output_denominator =
        wreck->breach == 'w' || wreck->breach == 's';
    terms->instructions_per_1000_units = 100000;
    if (wreck->where == 'b') {
        crash(wreck->how);
    }
    report_how = wreck->where == 'p' ? wreck->how : 0;
    return KERNEL_OK;
}

static void wreck_run(const void *work, struct kernel_result *result,
                      const struct kernel_range *range)
{
    const struct wreck *wreck = work;
    char breach = range->first_unit > FAR ? wreck->breach : 0;

    if (wreck->where == 'r' && range->first_unit > 0) {
        crash(wreck->how);
    }
    kernel_store_u64(result->data, range->units);
    result->bytes = breach == 'l' ? 12 : 8;
    result->output_bytes =
        range->units + (breach == 'w') - (uint32_t)(breach == 's');
}

static int wreck_merge(const void *work, struct kernel_result *into,
                       const struct kernel_result *next)
{
    const struct wreck *wreck = work;

    into->bytes = wreck->breach == 'g' ? 16 : 8;
    return wreck->breach == 'm' ? KERNEL_RESULT
                                : kernel_merge_count(work, into, next);
}

static void wreck_report(const struct kernel_result *result,
                         const struct kernel_sink *sink)
{
    crash(report_how);
    sink->integer(sink->context, "units", kernel_load_u64(result->data));
}

const struct kernel kernel_wreck = {
    .name = "wreck",
    .argument = KERNEL_FOR_PEOPLE("where and how it crashes"),
    .summary = KERNEL_FOR_PEOPLE("crashes"),
    .work_bytes = sizeof(struct wreck),
    .begin = wreck_begin,
    .run = wreck_run,
    .merge = wreck_merge,
    .report = KERNEL_FOR_PEOPLE(wreck_report),
};
