/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limits that a system sets to this process and its children: how much they
 * leave, and what they are called where a message names them. `root` stands
 * before all paths that are read: "" but in tests.
 */
#ifndef QEMU_BASE_LIMITS_H
#define QEMU_BASE_LIMITS_H

#include "hal/nodiscard.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

struct limits_processes {
    uint64_t left; /* processes and threads that may be started yet; UINT64_MAX:
                      nobody knows */
    char name[PATH_MAX + 64]; /* of the limit that leaves so few, with its
                                 number; "": none is known */
};

/*
 * Fills in what is left now: of the user's (ulimit -u), where that counts for
 * this process; of the nearest control group's; of the system's. Processes in
 * other containers count for the user, too, and are not seen.
 */
void limits_read_processes(struct limits_processes *limits, const char *root);

struct limits_memory {
    uint64_t bytes;       /* that are left; UINT64_MAX: nobody knows */
    char group[PATH_MAX]; /* the folder of the group that leaves no more; "":
                             it is all that the system has */
};

/* Fills in the memory that this process and its children may still take before
   the system ends one of them: what /proc/meminfo calls available, or what the
   nearest control group leaves if that is less. */
void limits_read_memory(struct limits_memory *limit, const char *root);

/*
 * How many processes the system has ended so far because memory ran out, in
 * any control group; 0 if it does not tell. A process that was ended by SIGKILL
 * while this number grew was probably one of them.
 */
uint64_t limits_memory_kills(const char *root);

/*
 * Whether `threads` of `nodes` boards may be started, as limits leave them.
 * Result: 0; -1 after a message with both numbers and the limit's name.
 */
NODISCARD int limits_allow_threads(unsigned long threads, unsigned nodes);

/*
 * Raises the limit of open files to `need` where it is lower. Result: 0; -1
 * with a message on stderr that `nodes` boards need them.
 */
NODISCARD int limits_allow_descriptors(unsigned long need, unsigned nodes);

/* Raises the limit of the stack to what this program and QEMU need, where it is
   lower. Result: 0; an exit status after a message. */
NODISCARD int limits_allow_stack(void);

/* Explains a file's error number, with the limit that is behind it: "File too
   large (ulimit -f: 8192 bytes)". Valid until the next call. */
const char *limits_file_error(int error);

/* Explains why a process or thread could not be started: "Resource temporarily
   unavailable (ulimit -u (74) leaves 1)". Valid until the next call. */
const char *limits_start_error(int error);

/* Prints the limits of memory and processor time that each process has (ulimit
   -v, -d, -t), which may be why one ended; nothing where there are none. */
void limits_print_own(FILE *out);

#endif
