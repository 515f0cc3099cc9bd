/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile says what communication costs, by three times: startup, transfer
 * time per byte and hop delay. It is known by its name (t3d, lvds, uart,
 * emulated) or read from a file:
 *
 *   # links of the laboratory
 *   startup = 5us
 *   transfer = 80ns
 *   hop_delay = 100ns
 *
 * Each key exactly once, in any order; times as in qemu/base/parse.h; #
 * starts a comment. Startup: 1 ps to 100 s; transfer: at most 200 ms; hop
 * delay: at most 10 ms, so that any circuit's startup stays below
 * PLANNER_STARTUP_MAX_PS.
 */
#ifndef QEMU_BASE_PROFILE_H
#define QEMU_BASE_PROFILE_H

#include "hal/nodiscard.h"

#include <stddef.h>
#include <stdint.h>

#define PROFILE_DEFAULT "lvds"

struct profile {
    char name[32];
    uint64_t startup_ps;
    uint64_t transfer_ps; /* per byte */
    uint64_t hop_delay_ps;
};

/* The name of known profile `index`; NULL behind the last. */
const char *profile_known(size_t index);

/*
 * Writes a file that profile_set() reads, with `comment`, lines that begin with
 * # and end with a newline, at its head. Times are as they are, in whole
 * picoseconds. Result: 0; -1 after a message on stderr.
 */
NODISCARD int profile_save(const struct profile *profile, const char *path,
                           const char *comment);

/*
 * Fills the struct profile with the one called `name`, or else that in the file
 * `name`; known names win (./t3d is always a file). A file's profile is called
 * by the last part of its path, cut to fit. `option` is the name of the option
 * for messages: an option row's set(). Result: 0, or EXIT_USAGE after a
 * message.
 */
NODISCARD int profile_set(void *field, const char *option, const char *name);

#endif
