/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_BENCH_OPENOCD_H
#define QEMU_BENCH_OPENOCD_H

#include "qemu/bench/flash_request.h"

#define FLASH_OPENOCD_WORDS 48

/* Returns OpenOCD's interface of this name, or NULL if there is none. */
const char *flash_openocd_interface(const char *name);

#define FLASH_OPENOCD_INTERFACES "stlink, stlink-dap, cmsis-dap or jlink"

/* Fills in OpenOCD's command line (version 0.12), which flashes a board with a
   debug probe: it finds the probe, checks the chip, writes the image, reads it
   back and starts it. OpenOCD prints a line with the name of each step before
   the step. Returns memory to which the words point; the caller frees it. */
char *flash_openocd_line(char *word[FLASH_OPENOCD_WORDS],
                         const struct flash_request *request);

#endif
