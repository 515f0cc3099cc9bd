/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory this process and its children may still take before the
 * system ends one of them: what /proc/meminfo calls available, or what the
 * nearest control group around this process (cgroups of version 1 or 2) leaves
 * if that is less.
 */
#ifndef QEMU_SUPPORT_MEMORY_LIMIT_H
#define QEMU_SUPPORT_MEMORY_LIMIT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct memory_limit {
    uint64_t bytes;       /* that are left; UINT64_MAX: nobody knows */
    char group[PATH_MAX]; /* the folder of the group that leaves no more; "":
                             it is all that the system has */
};

/* Fills in what is left now. `root` stands before all paths that are read: ""
   but in tests. */
void memory_limit_read(struct memory_limit *limit, const char *root);

/*
 * How many processes the system has ended so far because memory ran out, in
 * any control group; 0 if it does not tell. A process that was ended by SIGKILL
 * while this number grew was probably one of them.
 */
uint64_t memory_limit_kills(const char *root);

#endif
