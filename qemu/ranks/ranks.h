/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks: MPI processes of one mesh, started by mpirun or srun on one host
   or many. Rank 0 runs the command; all others are workers (worker.h). A
   process is one rank, so this module has one global state. */
#ifndef QEMU_RANKS_RANKS_H
#define QEMU_RANKS_RANKS_H

#include "hal/nodiscard.h"
#include "qemu/ranks/record.h"

#include <stdbool.h>
#include <stddef.h>

/* Seconds that ranks may take to start beyond the watchdog's time. */
#define RANKS_START_S 5u

/* Returns whether this process is one of several ranks. Reads only the
   environment. */
bool ranks_launched(void);

/* Warns on stderr if this process is one of several that ranks_launched() does
   not recognise. */
void ranks_warn(void);

/* Joins the other ranks, waiting `start_s` seconds. Returns 0, or an exit
   status after a message. From then on exit() in rank 0 tells the workers to
   end. */
NODISCARD int ranks_begin(unsigned start_s);

/* Return the number of this rank and of all ranks; 0 and 1 before
   ranks_begin(). */
unsigned ranks_own(void);
unsigned ranks_count(void);

void ranks_set_mesh(uint16_t mesh);

/* A piece of a record's body; NULL and 0: empty. */
struct ranks_body {
    const void *data;
    size_t bytes;
};

/* Queues a record for the next ranks_flush(). Sends at once if much is
   queued. */
void ranks_put(unsigned to, enum record_kind kind, uint32_t node,
               const struct ranks_body body[], unsigned pieces);
void ranks_flush(void);

/* A received record. The body is unaligned and valid until the next
   ranks_next() or ranks_await(). */
struct ranks_record {
    struct record head;
    const uint8_t *body;
    unsigned from;
};

/* Takes the next received record. Returns false if there is none. Drops records
   of earlier meshes. A malformed message, or one of a later mesh, yields
   RECORD_BROKEN. */
bool ranks_next(struct ranks_record *record);

/* Waits for a record until host clock time until_s. Returns false if none
   came. */
bool ranks_await(struct ranks_record *record, double until_s);

/* Returns whether ranks_next() has a record to return without a call of MPI. */
bool ranks_at_hand(void);

/* Bytes of records, without payloads, exchanged with one other rank. */
struct ranks_traffic {
    uint64_t out_bytes;
    uint64_t in_bytes;
};
struct ranks_traffic ranks_traffic_of(unsigned rank);

/* Waits at most `ms` ms until all records are sent. Returns whether they
   are. */
bool ranks_drain(unsigned ms);

/* Notes that some rank does not answer: exit() will then end all ranks at once,
   without waiting for that rank. */
void ranks_give_up(void);

/* Ends a worker, which has sent all its records. */
_Noreturn void ranks_leave(int status);

/* Returns how long to sleep after an idle poll, ns: short at first, then
   longer. MPI can only be polled, so this bounds the cost of an idle rank.
   *idle_ns sums the idle time; whoever finds work sets it to 0. */
uint64_t ranks_sleep_ns(uint64_t *idle_ns);

#endif
