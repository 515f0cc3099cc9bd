/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of `quincunx simulate` below the command. */
#ifndef TEST_SIMULATE_SUITE_H
#define TEST_SIMULATE_SUITE_H

#include "test/unit/unit.h"

void test_agenda(struct unit *unit);
void test_simulate(struct unit *unit);

#endif
