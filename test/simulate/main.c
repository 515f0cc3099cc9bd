/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the simulation, as TAP. Exit status: 0, or 1 if one failed. */
#include "test/simulate/suite.h"

#include <stdio.h>

static void put(void *context, const char *text)
{
    fputs(text, context);
    fflush(context);
}

int main(void)
{
    struct unit unit = {.put = put, .context = stdout};

    test_event_queue(&unit);
    test_simulate(&unit);
    test_twin(&unit);
    test_spread(&unit);
    unit_plan(&unit);
    return unit.tests_failed > 0;
}
