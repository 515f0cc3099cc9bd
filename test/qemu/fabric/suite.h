/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric's tests. */
#ifndef TEST_QEMU_FABRIC_SUITE_H
#define TEST_QEMU_FABRIC_SUITE_H

#include "test/unit/unit.h"

void test_order(struct unit *unit);
void test_situations(struct unit *unit);
void test_slices(struct unit *unit);

#endif
