/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile tells the cost of communication by three times: startup, transfer
 * time per byte, hop delay. A profile has a known name (t3d, lvds, uart,
 * emulated) or is read from a file:
 *
 *   # links of the laboratory
 *   startup = 5us
 *   transfer = 80ns
 *   hop_delay = 100ns
 *
 * Each key stands exactly once, in any order. Times are written as in
 * qemu/base/parse.h; # starts a comment. Startup is 1 ps to 100 s, transfer at
 * most 200 ms, and hop delay at most 10 ms, so that the startup of any circuit
 * stays below PLANNER_STARTUP_MAX_PS.
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

/* Returns the name of known profile `index`; NULL beyond the last. */
const char *profile_known(size_t index);

/* Writes a file that profile_set() reads. `comment` is put at its head: lines
   that begin with # and end with a newline. Times are written in whole
   picoseconds. Returns 0, or -1 after a message on stderr. */
NODISCARD int profile_save(const struct profile *profile, const char *path,
                           const char *comment);

/*
 * Fills a struct profile with the known profile `name`, or from the file
 * `name`. Known names win; ./t3d is always a file. A file's profile is named by
 * the last component of its path, cut to fit. `option` is for messages; option
 * rows have this function as set(). Returns 0, or EXIT_USAGE after a message.
 */
NODISCARD int profile_set(void *field, const char *option, const char *name);

/* The .file() of such rows: returns `text` unless it is a known name. */
const char *profile_file(const void *options, const char *text);

#endif
