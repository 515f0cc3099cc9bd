/* SPDX-License-Identifier: Apache-2.0 */
/* The start of every program on an STM32F405, and its findings: clock, reset
   cause. */
#ifndef BOOT_STM32F405_START_H
#define BOOT_STM32F405_START_H

#include "hal/stm32f405/clocks.h"

#include <stdbool.h>

struct boot_start {
    struct clocks clocks;
    bool has_ccm;   /* 64 KiB at 0x10000000: the section .ccm may be used */
    bool has_id;    /* the chip has a number of its own */
    uint32_t id[3]; /* that number */
};

/* Clock tree, vectors, what memory there is; devices are still off. */
void boot_start(struct boot_start *start);

#endif
