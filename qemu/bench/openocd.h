/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_BENCH_OPENOCD_H
#define QEMU_BENCH_OPENOCD_H

#include "qemu/bench/flash_request.h"

#define FLASH_OPENOCD_WORDS 48

/* Returns the OpenOCD interface of this name, or NULL. */
const char *flash_openocd_interface(const char *name);

#define FLASH_OPENOCD_INTERFACES "stlink, stlink-dap, cmsis-dap or jlink"

/* Fills in the command line of OpenOCD (0.12) to flash a board with a debug
   probe: find this probe, check the chip behind it, write the image, read it
   back, start it. OpenOCD prints each step's name before the step. Returns the
   memory that the words point into, which the caller frees. */
char *flash_openocd_line(char *word[FLASH_OPENOCD_WORDS],
                         const struct flash_request *request);

#endif
