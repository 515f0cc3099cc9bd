/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranks: processes of one mesh, on one host or on many, that mpirun or srun
 * has started. Rank 0 runs the command, all others are workers for it
 * (worker.h). A process is one rank, so this module has one state.
 */
#ifndef QEMU_RANKS_RANKS_H
#define QEMU_RANKS_RANKS_H

#include "hal/nodiscard.h"
#include "qemu/ranks/record.h"

#include <stdbool.h>
#include <stddef.h>

/* What ranks may take to start beyond the watchdog's time. */
#define RANKS_START_S 5u

/* Whether this process was started as one of several; reads the environment,
   and loads nothing. */
bool ranks_launched(void);

/* Says on stderr if this process was started as one of several that
   ranks_launched() does not see. */
void ranks_warn(void);

/* Joins the others, for which it waits for `start_s` seconds. Result: 0, or an
   exit status after a message. From now on rank 0's exit() tells the workers
   that it is the end. */
NODISCARD int ranks_begin(unsigned start_s);

/* 0 and 1 unless ranks_begin() has joined others. */
unsigned ranks_own(void);
unsigned ranks_count(void);

/* Records are counted from here on as those of another mesh. */
void ranks_set_mesh(uint16_t mesh);

/* A piece of a body; NULL and 0: none. */
struct ranks_body {
    const void *data;
    size_t bytes;
};

/* Puts a record where it goes out with the next ranks_flush(); now, if there is
   much. */
void ranks_put(unsigned to, enum record_kind kind, uint32_t node,
               const struct ranks_body body[], unsigned pieces);
void ranks_flush(void);

/* A record that has come. The body is valid until the next is asked for, and
   not aligned. */
struct ranks_record {
    struct record head;
    const uint8_t *body;
    unsigned from;
};

/* Result: false: there is none. What an earlier mesh's record was is dropped. A
   message that is none, or is of a later mesh, ends with RECORD_BROKEN. */
bool ranks_next(struct ranks_record *record);

/* Waits for a record until the host clock's time is until_s. Result: false:
   there is none. */
bool ranks_await(struct ranks_record *record, double until_s);

/* Whether the next record is there without asking MPI. */
bool ranks_at_hand(void);

/* Bytes of records that this rank has sent to that one, and received from it,
   but for payloads. */
struct ranks_traffic {
    uint64_t out_bytes;
    uint64_t in_bytes;
};
struct ranks_traffic ranks_traffic_of(unsigned rank);

/* Waits until all has gone out, for at most so long. Result: whether it has. */
bool ranks_drain(unsigned ms);

/* Some rank does not answer, or as nobody knows: exit() will end all of them at
   once, without waiting for it. */
void ranks_give_up(void);

/* A worker takes leave, and ends: all that it has to say was said. */
_Noreturn void ranks_leave(int status);

/*
 * How long to sleep when there was nothing to do, in ns: `*idle_ns` is how long
 * there has been nothing, to be set to 0 by whoever finds something, and is
 * counted on. Short at first, then ever longer; MPI can only be asked, so this
 * is what a rank without work costs.
 */
uint64_t ranks_sleep_ns(uint64_t *idle_ns);

#endif
