/* SPDX-License-Identifier: Apache-2.0 */
/* The start of each program on an STM32F405. */
#ifndef BOOT_STM32F405_START_H
#define BOOT_STM32F405_START_H

#include "hal/stm32f405/clocks.h"

#include <stdbool.h>

struct boot_start {
    struct clocks clocks;
    bool has_ccm; /* 64 KiB of memory at 0x10000000 exist: CCM */
    bool has_id;
    uint32_t id[3]; /* unique id, 96 bits */
};

/* Sets up vectors and clock tree, and fills *start in; devices stay off. */
void boot_start(struct boot_start *start);

#endif
