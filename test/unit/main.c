/* SPDX-License-Identifier: Apache-2.0 */
#include "test/unit/unit.h"

void test_wire(struct unit *unit);
void test_outcome(struct unit *unit);

static void all(struct unit *unit)
{
    test_wire(unit);
    test_outcome(unit);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}
