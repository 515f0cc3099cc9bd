/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_BENCH_OPENOCD_H
#define QEMU_BENCH_OPENOCD_H

#include "qemu/bench/flash_request.h"

#define FLASH_OPENOCD_WORDS 48

/* The interface of this name, or NULL if none is known. */
const char *flash_openocd_interface(const char *name);

/* The known interfaces, for people. */
#define FLASH_OPENOCD_INTERFACES "stlink, stlink-dap, cmsis-dap or jlink"

/*
 * Sets the words of the command line of OpenOCD (0.12) that flashes a board
 * with a debug probe: find this probe and no other, check that the right chip
 * is behind it, write the image, read it back, start it. Before each step
 * OpenOCD prints a line with the step's name. Result: what the words point
 * into, the caller's to free.
 */
char *flash_openocd_line(char *word[FLASH_OPENOCD_WORDS],
                         const struct flash_request *request);

#endif
