/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The board's drivers on the host: each test includes the driver's source with
 * the chip's registers replaced by a model in memory, which shows what QEMU
 * cannot: a clock tree, errors on the line, DMA.
 */
#ifndef TEST_STM32F405_HOST_SUITE_H
#define TEST_STM32F405_HOST_SUITE_H

#include "test/unit/unit.h"

void suite_clocks(struct unit *unit);
void suite_serial(struct unit *unit);

#endif
