/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks: MPI processes that run one mesh, started by mpirun or srun on one
   host or more. Rank 0 runs the command; all others are workers (worker.h). A
   process is one rank, so the state of this module is global. */
#ifndef QEMU_RANKS_RANKS_H
#define QEMU_RANKS_RANKS_H

#include "hal/nodiscard.h"
#include "qemu/ranks/record.h"

#include <stdbool.h>
#include <stddef.h>

/* Seconds that ranks may take to start, in addition to the watchdog's time. */
#define RANKS_START_S 5u

/* Returns whether this process is one of several ranks. Reads only the
   environment. */
bool ranks_launched(void);

/* Warns on stderr if this process is one of several that do not know of each
   other, which ranks_launched() cannot see. */
void ranks_warn(void);

/* Joins the other ranks; waits `start_s` seconds for them. Returns 0, or an
   exit status after a message. From now on exit() in rank 0 tells the workers
   to end. */
NODISCARD int ranks_begin(unsigned start_s);

/* Return the number of this rank, and how many ranks there are; 0 and 1 before
   ranks_begin(). */
unsigned ranks_own(void);
unsigned ranks_count(void);

void ranks_set_mesh(uint16_t mesh);

/* A part of a record's body. NULL and 0: empty. */
struct ranks_body {
    const void *data;
    size_t bytes;
};

/* Queues a record, which ranks_flush() sends. If much is queued, sends it
   now. */
void ranks_put(unsigned to, enum record_kind kind, uint32_t node,
               const struct ranks_body body[], unsigned pieces);
void ranks_flush(void);

/* A received record. Its body is not aligned, and valid until the next
   ranks_next() or ranks_await(). */
struct ranks_record {
    struct record head;
    const uint8_t *body;
    unsigned from;
};

/* Takes the next received record. Returns false if there is none. Records of
   earlier meshes are dropped. A malformed message, or one of a later mesh,
   becomes a record RECORD_BROKEN. */
bool ranks_next(struct ranks_record *record);

/* Waits for a record until the host's clock is until_s. Returns false if none
   came. */
bool ranks_await(struct ranks_record *record, double until_s);

/* Returns whether ranks_next() can return a record without a call of MPI. */
bool ranks_at_hand(void);

/* Bytes of records sent to another rank and received from it, without
   payloads. */
struct ranks_traffic {
    uint64_t out_bytes;
    uint64_t in_bytes;
};
struct ranks_traffic ranks_traffic_of(unsigned rank);

/* Notes that a rank does not answer. exit() will then end all ranks at once,
   without waiting for it. */
void ranks_give_up(void);

/* Ends a worker that has sent all its records. */
_Noreturn void ranks_leave(int status);

/* Returns how long to sleep after a poll that found nothing, ns: at first
   briefly, then longer. MPI can only be polled, so this limits what an idle
   rank costs. *idle_ns is the sum of idle times; whoever finds work sets it to
   0. */
uint64_t ranks_sleep_ns(uint64_t *idle_ns);

#endif
