/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile: what communication costs, as three times: the startup of a
 * circuit, the transfer time of a byte, and the delay of a hop. It has a known
 * name (t3d, lvds, uart, emulated) or is read from a file:
 *
 *   # links of the laboratory
 *   startup = 5us
 *   transfer = 80ns
 *   hop_delay = 100ns
 *
 * The file has each key once, in any order. Times are written as in
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

/* Returns the name of known profile number `index`, or NULL beyond the last. */
const char *profile_known(size_t index);

/* Writes a file that profile_set() reads. The file begins with `comment`: lines
   that begin with # and end with a newline. Times are written as whole
   picoseconds. Returns 0, or -1 after a message on stderr. */
NODISCARD int profile_save(const struct profile *profile, const char *path,
                           const char *comment);

/* Fills a struct profile with the known profile `name`, or else from the file
   `name`; "./t3d" is always a file. A profile from a file has the last
   component of the path as its name, cut to fit. Messages name `option`. Rows
   of options use this function as .set(). Returns 0, or EXIT_USAGE after a
   message. */
NODISCARD int profile_set(void *field, const char *option, const char *name);

/* Rows of options with profile_set() use it as .file(). Returns `text`, the
   path of a file, or NULL if it is the name of a known profile. */
const char *profile_file(const void *options, const char *text);

#endif
