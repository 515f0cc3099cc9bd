/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the simulation, as TAP. Exit status: 0, or 1 if one failed. */
#include "test/qemu/simulate/suite.h"

static void all(struct unit *unit)
{
    test_event_queue(unit);
    test_simulate(unit);
    test_spread(unit);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}
