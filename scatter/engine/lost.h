/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descendants whose results did not come.
 *
 * A node whose child is late asks for it: a message that the child's switch
 * takes tells whether the way there is open. If it is, the node goes on
 * waiting, twice as long each time. If it is not, the child is lost, and with
 * it what it and its descendants computed. So nobody is lost because it is
 * slow.
 *
 * Each descendant has a number that counts from its ancestor: on the pattern
 * (port + 1) 5^(phases - phase) of each step on the way down, added up; along a
 * tree its distance in the tree's array. So the number that a child tells, plus
 * the child's own, is the number that its parent tells.
 */
#ifndef SCATTER_ENGINE_LOST_H
#define SCATTER_ENGINE_LOST_H

#include "scatter/engine/originator.h"

/* Children that receive in one phase. Each has a number, which counts from this
   node: `number` on port 0, and `step` more on each port behind. */
struct gather_from {
    struct torus_path path; /* to the child on port 0 */
    uint16_t phase;
    uint16_t number;
    uint16_t step;
};

/* Sets due_ps and wait_ps, the times when the node expects results, from the
   job's slots. Precondition: job_data is set. */
void lost_expect(struct scatter *scatter, const struct wire_slots *slots);

/* Returns the mask of ports whose child is lost. */
unsigned lost_ports(const struct scatter *scatter,
                    const struct gather_from *from);

/* Asks for the child on each port of the mask *ports. Takes the ports of
   children that cannot be reached off the mask; they are lost. Result: 0 or an
   error of the sends. */
NODISCARD int lost_ask(struct scatter *scatter, const struct gather_from *from,
                       unsigned *ports);

/* Adds a descendant that is not lost yet. Result: 0; ERR_LOST if there are too
   many. */
NODISCARD int lost_add(struct scatter *scatter, uint32_t number);

/* Takes a descendant off, whose result has come although it was lost. */
void lost_found(struct scatter *scatter, uint32_t number);

/* Adds those that the child `number` lost, whose numbers end at `end`. *bytes:
   the message's length up to `end`, from which it takes their length. Returns
   false, and adds none, if there are too many. */
NODISCARD bool lost_take(struct scatter *scatter, uint32_t number,
                         const uint8_t *end, uint32_t *bytes);

/* Puts the numbers and the proof at the end of a result for `port`.
   Precondition: outputs are attached. */
void lost_attach(struct scatter *scatter, struct circuit_message *message,
                 unsigned port);

/* Adds a range to the originator's report. */
void lost_range(struct scatter *scatter, struct originator *originator,
                uint32_t first_unit, uint32_t units);

/* Adds the ranges that nobody computed to the report of a job that ended with
   `error`. That is the whole load, if the policy does not know which ranges the
   lost nodes had, or after ERR_LOST. Outputs of a missing range may be there:
   the host drops them. Precondition: the report's other fields are set. Returns
   whether the node has a result for the other ranges. */
bool lost_report(struct scatter *scatter, struct originator *originator,
                 int error);

#endif
