/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of discovery, as TAP. Exit status: 0, or 1 if one failed. */
#include "test/discover/suite.h"

#include <stdio.h>

static void put(void *context, const char *text)
{
    fputs(text, context);
    fflush(context);
}

int main(void)
{
    struct unit unit = {.put = put, .context = stdout};

    test_sizes(&unit);
    test_wiring(&unit);
    test_loss(&unit);
    test_waves(&unit);
    test_text(&unit);
    unit_plan(&unit);
    return unit.tests_failed > 0;
}
