/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a program by the process that flashes a board. */
#ifndef QEMU_FLASH_RUN_H
#define QEMU_FLASH_RUN_H

#include <stdbool.h>
#include <stddef.h>

struct flash_run {
    char *output; /* what it wrote to stdout, a 0 behind; the caller's memory */
    size_t room;  /* of it, 1 or more; what is more is dropped */
    size_t bytes; /* filled, without the 0 */
    bool passed;  /* its stdout is passed on to ours as well */
    bool mute;    /* its stderr goes nowhere, else to ours */
};

/*
 * Runs words[0], looked up in PATH, until it ends. It dies with this process. A
 * message on stderr if it cannot be started. Result: true if its exit status is
 * 0.
 */
bool flash_run(struct flash_run *run, const char *const words[]);

#endif
