/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/unit.h"

int unit_all(unit_put *put, void *context)
{
    struct unit unit = {.put = put, .context = context};

    test_crc32(&unit);
    test_divide(&unit);
    test_wire(&unit);
    test_kernels(&unit);
    unit_plan(&unit);
    return unit.tests_failed > 0;
}
