/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When results may travel. Circuits of one phase are free of each other, those
 * of different phases are not; so each phase has slots of its own. A short
 * frame has one short slot for each of the N phases. Periods of some short
 * frames and one long slot follow each other from end_ps on, which is not
 * before the planned end of the makespan; from early_units before end_ps there
 * are short frames alone:
 *
 *    early             end_ps
 *      | 1 .. N | 1 .. N | 1 .. N | 1 .. N |  long N  | 1 .. N | long N-1 ..
 *                        |<--------- a period ------->|
 *
 * Short slots are as long as a circuit with a short result. Phase 1 comes first
 * in a frame, so that a parent has merged its children's results when its own
 * slot begins. Long slots are for any result; each is another phase's, N first,
 * so that N of them take all results home.
 */
#ifndef SCATTER_PLAN_SLOTS_H
#define SCATTER_PLAN_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/* All lengths are in units of 2^shift ps, so that 32 bits are enough: N periods
   are shorter than 2^31 units. */
struct slots {
    uint64_t end_ps;
    uint32_t short_units; /* of a short slot; 0: there are none */
    uint32_t long_units;  /* of a long slot; 0: there are none */
    uint32_t early_units;
    uint32_t late_units; /* from a long slot's beginning to the last moment in
                            which a result may leave */
    uint8_t frames; /* short frames of a period, 1 or more if there are any */
    uint8_t phases; /* N, 1 or more */
    uint8_t shift;  /* 0 to 31 */
};

/* The slots of one phase, worked out for slots_next_ps(): units of 2^shift ps
   from end_ps on, but where another beginning is named. */
struct slots_of_phase {
    uint64_t end_ps;
    uint32_t early;
    uint32_t frame;       /* 0: none are short */
    uint32_t period;      /* 0: there are no slots */
    uint32_t first_short; /* from the beginning of a period */
    uint32_t last_short;
    uint32_t first_long;
    uint32_t cycle; /* N periods: from one long slot to the next */
    uint32_t late;
    uint8_t shift;
    bool only_short;
};

/* Works out the slots of a phase from 1 to N. */
struct slots_of_phase slots_of_phase(const struct slots *slots, unsigned phase);

/* Time at which a result leaves that is ready at `ready_ps`; `fits`: a short
   slot is long enough. Where there are only short slots every result fits;
   where there are none at all the result leaves at once. */
uint64_t slots_next_ps(const struct slots_of_phase *slots, uint64_t ready_ps,
                       bool fits);

#endif
