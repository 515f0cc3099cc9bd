/* SPDX-License-Identifier: Apache-2.0 */
/* Limits that the system sets to this process and its children: how much a
   limit still allows, and its name for messages. `root` is put before every
   path; it is "" except in tests. */
#ifndef QEMU_BASE_LIMITS_H
#define QEMU_BASE_LIMITS_H

#include "hal/nodiscard.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

struct limits_processes {
    /* how many more processes and threads may be started; UINT64_MAX:
       unknown */
    uint64_t left;
    /* the limit that allows the fewest, as "ulimit -u (74)"; "": unknown */
    char name[PATH_MAX + 64];
};

/* Reads how many more processes may be started. Three limits count: the user's
   (ulimit -u), if it applies to this process; the nearest control group's; the
   system's. The user's processes in other containers use up the limit, but
   cannot be seen. */
void limits_read_processes(struct limits_processes *limits, const char *root);

struct limits_memory {
    uint64_t bytes; /* number of bytes left; UINT64_MAX: unknown */
    /* folder of the control group that sets the limit; "": the whole system */
    char group[PATH_MAX];
};

/* Reads how much more memory this process and its children may take before the
   system kills one of them. This is MemAvailable of /proc/meminfo, or less if
   the nearest control group allows less. */
void limits_read_memory(struct limits_memory *limit, const char *root);

/* Returns how many processes the system has killed for lack of memory in all
   control groups, or 0 if unknown. If a process dies by SIGKILL while this
   number grows, it was probably killed for memory. */
uint64_t limits_memory_kills(const char *root);

/* Checks that limits allow `threads` threads for `nodes` boards. Returns 0, or
   -1 after a message with both numbers and the limit's name. */
NODISCARD int limits_allow_threads(unsigned long threads, unsigned nodes);

/* Raises the limit of open files to at least `need`. Returns 0, or -1 after a
   message on stderr that names the number of boards. */
NODISCARD int limits_allow_descriptors(unsigned long need, unsigned nodes);

/* Raises the stack limit to what this program and QEMU need. Returns 0, or an
   exit status after a message. */
NODISCARD int limits_allow_stack(void);

/* Returns the text of an errno of a file operation, with the limit that caused
   it: "File too large (ulimit -f: 8192 bytes)". Valid until the next call. */
const char *limits_file_error(int error);

/* Returns why a process or thread could not be started: "Resource temporarily
   unavailable (ulimit -u (74) leaves 1)". Valid until the next call. */
const char *limits_start_error(int error);

/* Prints each process's limits of memory and processor time (ulimit -v, -d,
   -t), any of which may end a process. Prints nothing if none is set. */
void limits_print_own(FILE *out);

#endif
