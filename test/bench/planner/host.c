/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/one_round.h"
#include "test/unit/ignore.h"

#include <time.h>

double planner_time_ns(const struct planner_input *input, unsigned runs);

/* Wall time of one plan, ns: the mean of so many. */
double planner_time_ns(const struct planner_input *input, unsigned runs)
{
    struct planner_plan plan;
    struct timespec from;
    struct timespec to;

    clock_gettime(CLOCK_MONOTONIC, &from);
    for (unsigned run = 0; run < runs; ++run) {
        ignore(planner_plan(&plan, input));
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    return ((double)(to.tv_sec - from.tv_sec) * 1e9 +
            (double)(to.tv_nsec - from.tv_nsec)) /
           runs;
}
