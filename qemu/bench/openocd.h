/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line of OpenOCD (0.12) that flashes one board: find this probe
 * and no other, check that the right chip is behind it, write the image, read
 * it back, start it. Before each step OpenOCD prints a line with the step's
 * name.
 */
#ifndef QEMU_BENCH_OPENOCD_H
#define QEMU_BENCH_OPENOCD_H

#include "qemu/bench/flash_request.h"

#define FLASH_OPENOCD_WORDS 48
#define FLASH_OPENOCD_TEXT 8192u

/* A command line for execvp(); points into itself. */
struct flash_openocd {
    char *word[FLASH_OPENOCD_WORDS]; /* NULL behind the last */
    char text[FLASH_OPENOCD_TEXT];
};

/* The interface of this name, or NULL if none is known. */
const char *flash_openocd_interface(const char *name);

/* The known interfaces, for people. */
#define FLASH_OPENOCD_INTERFACES "stlink, stlink-dap, cmsis-dap or jlink"

/* Fills `line`. `interface` is a known one; the request's name is a probe's. */
void flash_openocd_line(struct flash_openocd *line, const char *interface,
                        const struct flash_request *request);

#endif
