/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots: the times at which results may travel. Circuits of one phase share no
 * link, but circuits of different phases may; so each of the N phases has slots
 * of its own. A short frame has one short slot for each phase. end_ps is the
 * planned end of the makespan, or later. From end_ps on, period follows period:
 * `frames` short frames and one long slot. During the early_units before end_ps
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

/* The slots of a job. Lengths and times without _ps are in units of 2^shift ps.
   N periods must be shorter than 2^31 units. */
struct slots {
    uint64_t end_ps; /* begin of the first period, on the clock of ready_ps */
    uint32_t short_units; /* length of a short slot; 0: no short slots */
    uint32_t long_units;  /* length of a long slot; 0: no long slots */
    uint32_t early_units; /* time before end_ps that has short frames */
    uint32_t late_units;  /* most time from a long slot's begin until a result
                             leaves in the slot */
    uint8_t frames; /* short frames per period; > 0 if there are short slots */
    uint8_t phases; /* number of phases, N: 1 or more */
    uint8_t shift;  /* unit of time: 2^shift ps; 0 .. 31 */
};

/* The slots of one phase. Times without _ps are in units of 2^shift ps. */
struct slots_of_phase {
    uint64_t end_ps;
    uint32_t early;       /* early_units of struct slots */
    uint32_t frame;       /* length of a short frame; 0: no short slots */
    uint32_t period;      /* length of a period; 0: no slots */
    uint32_t first_short; /* first short slot, since a period's start */
    uint32_t last_short;  /* last short slot, since a period's start */
    uint32_t first_long;  /* time from end_ps to the first long slot */
    uint32_t cycle;       /* time from one long slot to the next: N periods */
    uint32_t late;        /* late_units of struct slots */
    uint8_t shift;
    bool only_short; /* there are no long slots */
};

/* Returns the slots of a phase; phase: 1 .. N. */
struct slots_of_phase slots_of_phase(const struct slots *slots, unsigned phase);

/* Returns the time at which a result that is ready at ready_ps leaves. `fits`
   tells whether the result fits a short slot. Returns ready_ps if there are no
   slots. */
uint64_t slots_next_ps(const struct slots_of_phase *slots, uint64_t ready_ps,
                       bool fits);

#endif
