/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_HAL_SWITCH_SUITE_H
#define TEST_HAL_SWITCH_SUITE_H

#include "test/unit/unit.h"

void test_frames(struct unit *unit);
void test_circuits(struct unit *unit);
void test_pairs(struct unit *unit);
void test_faults(struct unit *unit);
void test_waits(struct unit *unit);
void test_peek(struct unit *unit);
void test_random(struct unit *unit);

/* Random traffic under random faults: seeds [first, first + count). Prints a
   line of figures. Result: whether all was right. */
bool seeds_run(uint64_t first, uint64_t count);

#endif
