/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of each program on an STM32F405: start, identity, console's ring. */
#ifndef BOOT_STM32F405_START_H
#define BOOT_STM32F405_START_H

#include "hal/image.h"
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

/* The identity of this image. A tool can change it in flash (hal/image.h). */
extern const volatile struct image_identity boot_identity;

/* The console's output. boot_console_pending() sets *data to the next bytes,
   and returns their number. boot_console_taken() frees bytes. */
unsigned boot_console_pending(const uint8_t **data);
void boot_console_taken(unsigned bytes);

#endif
