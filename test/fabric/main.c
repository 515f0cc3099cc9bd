/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the fabric alone, as TAP. Exit status: 0, or 1 if one failed. */
#include "test/fabric/suite.h"

#include <stdio.h>

static void put(void *context, const char *text)
{
    fputs(text, context);
    fflush(context);
}

int main(void)
{
    struct unit unit = {.put = put, .context = stdout};

    test_circuits(&unit);
    test_conflicts(&unit);
    test_nodes(&unit);
    test_order(&unit);
    test_memory(&unit);
    test_ports(&unit);
    unit_plan(&unit);
    return unit.tests_failed > 0;
}
