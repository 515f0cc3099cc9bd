/* SPDX-License-Identifier: Apache-2.0 */
/* What a job on the pattern costs besides computing and transferring units: the
   planners' input. */
#ifndef SCATTER_ENGINE_ORIGINATOR_STARTUPS_H
#define SCATTER_ENGINE_ORIGINATOR_STARTUPS_H

#include "hal/nodiscard.h"
#include "scatter/engine/originator_state.h"

/* a - b, or 0 if that is less than nothing. */
static inline uint64_t startups_less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Software of a hop that counts as startup of a phase, in several rounds. */
uint64_t startups_hop_ps(const struct scatter *scatter, unsigned phase,
                         unsigned phases);

/* Sets the startup of each phase as a plan of several rounds counts it. */
void startups_set(const struct scatter *scatter, struct originator *originator,
                  unsigned phases);

/* Sets how long the first parts, which are sent at `begin_ps`, will wait for
   the announcement's circuits. */
void startups_wait(const struct scatter *scatter, struct originator *originator,
                   uint64_t begin_ps);

/* Time from the receipt of layer `phase` - 1 (of layer 0: time zero) to that of
   layer `phase`, in the first of several rounds, but for its units. */
uint64_t startups_step_ps(const struct scatter *scatter,
                          const struct originator *originator, unsigned phase);

/* Sets what of the planners' input the order has. Result: 0, or ERR_RANGE if
   they can't count with that. */
NODISCARD int startups_input(const struct scatter *scatter,
                             struct originator *originator);

#endif
