/* SPDX-License-Identifier: Apache-2.0 */
#include "test/stm32f405/host/suite.h"

#include <stdio.h>

static void put(void *context, const char *text)
{
    (void)context;
    fputs(text, stdout);
}

int main(void)
{
    struct unit unit = {.put = put};

    suite_clocks(&unit);
    suite_serial(&unit);
    unit_plan(&unit);
    return unit.tests_failed > 0;
}
