/* SPDX-License-Identifier: Apache-2.0 */
/* Whole jobs with a kernel of their own, as TAP. Exit status: 0, or 1 if one
   failed. */
#include "test/jobs/suite.h"

#include <stdio.h>

static void put(void *context, const char *text)
{
    fputs(text, context);
    fflush(context);
}

int main(void)
{
    struct unit unit = {.put = put, .context = stdout};

    test_branches(&unit);
    test_chunks(&unit);
    test_halos(&unit);
    test_units(&unit);
    test_timeline(&unit);
    unit_plan(&unit);
    return unit.tests_failed > 0;
}
