/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switch [--all | --seeds COUNT [FIRST]]
 *      tests of the switch in software, as TAP (unit_host()); or random traffic
 * alone, of so many seeds. Exit status: 0, or 1 if something is wrong.
 */
#include "test/hal/switch/suite.h"

#include <stdlib.h>
#include <string.h>

static void all(struct unit *unit)
{
    test_frames(unit);
    test_circuits(unit);
    test_pairs(unit);
    test_faults(unit);
    test_waits(unit);
    test_peek(unit);
    test_random(unit);
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--seeds") == 0) {
        return !seeds_run(argc > 3 ? strtoull(argv[3], NULL, 0) : 1,
                          strtoull(argv[2], NULL, 0));
    }
    return unit_host(argc, argv, all);
}
