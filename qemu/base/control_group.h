/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the control groups around this process leave of something that they
 * limit (cgroups of version 1 or 2).
 */
#ifndef QEMU_BASE_CONTROL_GROUP_H
#define QEMU_BASE_CONTROL_GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The files of a group, in one version of the hierarchy. */
struct control_group_files {
    const char *limit;
    const char *used;
    const char *spare; /* the line of memory.stat with what nobody misses; or
                          NULL */
};

struct control_group_controller {
    const char *name;                    /* in /proc/self/cgroup */
    struct control_group_files files[2]; /* of version 1, of version 2 */
};

/*
 * The group that leaves least, of this process's own and all around it. `root`
 * stands before all paths that are read: "" but in tests. Result: whether one
 * has a limit; then *left is what it leaves, *limit its limit, and `group` its
 * folder.
 */
bool control_group_read(uint64_t *left, uint64_t *limit, char group[PATH_MAX],
                        const char *root,
                        const struct control_group_controller *controller);

/* Opens a file of a folder. Result: NULL if it is not there. */
FILE *control_group_open(const char *root, const char *folder,
                         const char *name);

/* Reads the number behind a word at the beginning of a line of such a file;
   with the word "" that of the first line. Result: false if there is none, such
   as "max". */
bool control_group_number(uint64_t *value, const char *root, const char *folder,
                          const char *name, const char *word);

#endif
