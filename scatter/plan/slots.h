/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When results may travel. All circuits of one phase are free of each other,
 * those of different phases are not; so each phase has slots of its own. A
 * short frame has one short slot for each of the N phases. Periods of so many
 * short frames and one long slot follow each other from end_ps on, which is
 * not before the planned end of the makespan; before it, from `early`
 * ahead, there are short frames alone:
 *
 *    early           end_ps
 *      | 1 .. N | 1 .. N | 1 .. N | 1 .. N |  long N  | 1 .. N | .. | long N-1
 * |
 *                        |<--------- a period ------->|
 *
 * Short slots are as long as a circuit for a short result. Phase 1 comes first
 * in them, so that a parent has merged its children's results when its own slot
 * begins. Long slots are for any result; each is another phase's, N first, so
 * that N of them take all results home.
 */
#ifndef SCATTER_PLAN_SLOTS_H
#define SCATTER_PLAN_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/* All lengths are in units of 2^shift ps, so that a node gets by with 32 bits:
   N periods together take less than 2^31 of them. */
struct slots {
    uint64_t end_ps;
    uint32_t short_units; /* of a slot; 0: none are short */
    uint32_t long_units;  /* 0: none are long */
    uint32_t early_units;
    uint32_t late_units; /* a long slot may be entered so much late */
    uint8_t frames; /* short ones in a period, 1 or more if there are any */
    uint8_t phases; /* N, 1 or more */
    uint8_t shift;  /* 0 to 31 */
};

/* Those of one phase: what slots_next_ps() wants to know, worked out ahead. In
   units from end_ps on, but where another beginning is named. */
struct slots_of_phase {
    uint64_t end_ps;
    uint32_t early;
    uint32_t frame;       /* 0: none are short */
    uint32_t period;      /* 0: there are no slots */
    uint32_t first_short; /* from the beginning of a period */
    uint32_t last_short;
    uint32_t first_long;
    uint32_t turn; /* from one long slot to the next */
    uint32_t late;
    uint8_t shift;
    bool only_short;
};

/* Phase: 1 to N. */
struct slots_of_phase slots_of_phase(const struct slots *slots, unsigned phase);

/*
 * When a result that is ready at `ready_ps` leaves: `fits` says whether a short
 * slot is long enough. Where there are only short slots, all do; where there
 * are none at all, it leaves at once.
 */
uint64_t slots_next_ps(const struct slots_of_phase *slots, uint64_t ready_ps,
                       bool fits);

#endif
