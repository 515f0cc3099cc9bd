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

#endif
