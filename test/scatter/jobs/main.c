/* SPDX-License-Identifier: Apache-2.0 */
/* Whole jobs with a kernel of their own, as TAP. Exit status: 0, or 1 if one
   failed. */
#include "test/scatter/jobs/suite.h"

static void all(struct unit *unit)
{
    test_chunks(unit);
    test_halos(unit);
    test_units(unit);
    test_timeline(unit);
    test_threads(unit);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}
