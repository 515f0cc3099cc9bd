/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/unit.h"

int unit_all(unit_put *put, void *context)
{
    struct unit unit = {.put = put, .context = context};

    test_crc32(&unit);
    test_divide(&unit);
    test_torus(&unit);
    test_pattern(&unit);
#ifdef __unix__
    /* Trees take memory, which a board does not have. */
    test_tree(&unit);
#endif
    test_planner(&unit);
    test_split(&unit);
    test_rounds(&unit);
    test_tree_plan(&unit);
    test_wire(&unit);
    test_kernels(&unit);
    unit_plan(&unit);
    return unit.tests_failed > 0;
}
