/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of discovery, as TAP. Exit status: 0, or 1 if one failed. */
#include "test/hal/discover/suite.h"

static void all(struct unit *unit)
{
    test_sizes(unit);
    test_wiring(unit);
    test_loss(unit);
    test_waves(unit);
    test_text(unit);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}
