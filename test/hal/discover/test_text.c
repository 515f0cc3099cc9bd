/* SPDX-License-Identifier: Apache-2.0 */
/* Faults as people read them. */
#include "test/hal/discover/suite.h"

#include <string.h>

static void lines(struct unit *unit)
{
    static const struct {
        struct discover_fault fault;
        const char *text;
    } known[] = {
        {{3, 1, TORUS_EAST, DISCOVER_MISSING, 0, 0, 0, 0},
         "(3,1) east: nobody answers"},
        {{4, 1, TORUS_EAST, DISCOVER_MISWIRED, 0, 2, TORUS_NORTH, 0},
         "(4,1) east: leads to (0,2) north, not to (0,1) west"},
        {{0, 0, TORUS_SOUTH, DISCOVER_DOUBLED, 1, 0, TORUS_EAST, 0},
         "(0,0) south: leads to (1,0) east, as another port does, not to "
         "(0,4) north"},
        {{30, 12, TORUS_NORTH, DISCOVER_NOISY, 0, 0, 0, 16},
         "(30,12) north: test frames lost: 16"},
        {{3, 1, TORUS_WEST, DISCOVER_BUSY, 0, 0, 0, 0},
         "(3,1) west: the neighbour is busy"},
        {{3, 1, TORUS_PORTS, DISCOVER_STRAP, 2, 0, 0, 0},
         "(3,1): the strap says (2,0)"},
        {{0, 0, TORUS_EAST, DISCOVER_SIZE, 0, 0, 0, 7},
         "(0,0) east: the mesh is 7 nodes wide, not 5"},
        {{0, 0, TORUS_NORTH, DISCOVER_SIZE, 0, 0, 0, 100},
         "(0,0) north: the mesh is 100 nodes high, not 5"},
        {{0, 0, TORUS_PORTS, DISCOVER_TWISTED, 0, 0, 0, 1},
         "(0,0): rows or columns are swapped: going round leads 1 aside"},
        {{0, 0, 77, 99, 0, 0, 0, 1}, "(0,0): unknown fault"}};

    for (unsigned i = 0; i < sizeof known / sizeof *known; ++i) {
        char line[FAULT_TEXT_BYTES];
        unsigned bytes =
            fault_text(line, (struct torus_size){5, 5}, &known[i].fault);

        CHECK_EQUAL(unit, bytes, strlen(known[i].text));
        CHECK(unit, strcmp(line, known[i].text) == 0);
    }
}

void test_text(struct unit *unit)
{
    UNIT_RUN(unit, lines);
}
