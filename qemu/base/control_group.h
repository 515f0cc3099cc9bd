/* SPDX-License-Identifier: Apache-2.0 */
/* Reads how much of a resource the control groups around this process still
   allow (cgroups of version 1 or 2). */
#ifndef QEMU_BASE_CONTROL_GROUP_H
#define QEMU_BASE_CONTROL_GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Names of the files in a control group's folder, in one version of cgroups. */
struct control_group_files {
    const char *limit;
    const char *used;
    /* word in memory.stat, before the number of bytes that may be reclaimed; or
       NULL */
    const char *spare;
};

struct control_group_controller {
    const char *name;                    /* name in /proc/self/cgroup */
    struct control_group_files files[2]; /* [0]: version 1, [1]: version 2 */
};

/* Finds the tightest limit on a resource, among this process's group and the
   groups above it. `root` is put before every path; it is "" except in tests.
   Returns false if no group has a limit. Otherwise *left is what the tightest
   group still allows, *limit its limit, and `group` its folder. */
bool control_group_read(uint64_t *left, uint64_t *limit, char group[PATH_MAX],
                        const char *root,
                        const struct control_group_controller *controller);

/* Opens a file in a group's folder. Returns NULL if the file is missing. */
FILE *control_group_open(const char *root, const char *folder,
                         const char *name);

/* Reads a number from a group's file: the word after `word` in a line that
   begins with it, or with "" the first line. Returns false if there is no
   number, as in "max". */
bool control_group_number(uint64_t *value, const char *root, const char *folder,
                          const char *name, const char *word);

#endif
