/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots: the times at which results may travel. Circuits of one phase share no
 * link, but circuits of different phases may; so each of the N phases has slots
 * of its own. A short frame has one short slot for each phase. end_ps is the
 * planned end of the makespan, or later. From end_ps on, period follows period:
 * `frames` short frames and one long slot. Before end_ps, for early_units,
 * there are only short frames:
 *
 *    early             end_ps
 *      | 1 .. N | 1 .. N | 1 .. N | 1 .. N |  long N  | 1 .. N | long N-1 ..
 *                        |<--------- a period ------->|
 *
 * A short slot is as long as a circuit with a short result. Phase 1 is first in
 * a frame: its nodes have then merged what their children sent in the frame
 * before. A long slot fits any result. The long slots of N periods are for
 * phases N, N - 1, .. 1 in turn, so that all results reach the originator in N
 * periods.
 */
#ifndef SCATTER_PLAN_SLOTS_H
#define SCATTER_PLAN_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/* The slots of a job. A unit of time is 2^shift ps, so that 32 bits suffice: N
   periods must be shorter than 2^31 units. */
struct slots {
    uint64_t end_ps;
    uint32_t short_units; /* length of a short slot; 0: no short slots */
    uint32_t long_units;  /* length of a long slot; 0: no long slots */
    uint32_t early_units; /* time before end_ps with short frames */
    uint32_t late_units;  /* latest departure of a result, from the begin of its
                             long slot */
    uint8_t frames;       /* frames per period; with short slots 1 or more */
    uint8_t phases;       /* N: 1 or more */
    uint8_t shift;        /* 0 .. 31 */
};

/* The slots of one phase, for slots_next_ps(), in units of 2^shift ps.
   first_short and last_short count from the start of a period. */
struct slots_of_phase {
    uint64_t end_ps;
    uint32_t early;       /* early_units */
    uint32_t frame;       /* length of a short frame; 0: no short slots */
    uint32_t period;      /* length of a period; 0: no slots */
    uint32_t first_short; /* start of the phase's first short slot */
    uint32_t last_short;  /* start of the phase's last short slot */
    uint32_t first_long; /* start of the phase's first long slot, from end_ps */
    uint32_t cycle;      /* N periods: time to the phase's next long slot */
    uint32_t late;       /* late_units */
    uint8_t shift;
    bool only_short; /* there are no long slots */
};

/* `phase`: 1 .. N */
struct slots_of_phase slots_of_phase(const struct slots *slots, unsigned phase);

/* Returns the time at which a result that is ready at ready_ps leaves: a time
   in the next slot of its phase. Short slots count only if the result `fits` a
   short slot, or if there are no long slots. Without slots the result is
   ready_ps. */
uint64_t slots_next_ps(const struct slots_of_phase *slots, uint64_t ready_ps,
                       bool fits);

#endif
