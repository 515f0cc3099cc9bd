/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the fabric alone, as TAP. Exit status: 0, or 1 if one failed. */
#include "test/qemu/fabric/suite.h"

static void all(struct unit *unit)
{
    test_slices(unit);
    test_situations(unit);
    test_order(unit);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}
