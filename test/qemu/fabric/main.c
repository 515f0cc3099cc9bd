/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the fabric alone, as TAP. Exit status: 0, or 1 if one failed. */
#include "test/qemu/fabric/suite.h"

static void all(struct unit *unit)
{
    test_horizon(unit);
    test_slices(unit);
    test_circuits(unit);
    test_conflicts(unit);
    test_nodes(unit);
    test_deadlines(unit);
    test_order(unit);
    test_memory(unit);
    test_ports(unit);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}
