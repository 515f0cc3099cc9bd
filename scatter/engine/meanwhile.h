/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy for several rounds of the pattern: outputs of a round return while
 * later rounds are computed. A node's outputs message r carries its own output
 * of round r - 1, and all outputs of its children's messages r - 1. When its
 * part of round r has come, a node receives the children's messages (in) and
 * sends its own (out):
 *
 *   child   | part r - 1 | in | out | run r - 1 | part r | in | out | run r |
 *                                +- outputs message r - 1 --+
 *                                                           v
 *   parent  | part r - 1 | in | out | run r - 1 | part r | in | out | run r |
 *
 * The parent's switch keeps a message until the parent has its next part. The
 * parent waits only for messages that ports have not delivered by then. When
 * all rounds are computed, nodes with children send a last outputs message;
 * outputs that are left return with the results.
 */
#ifndef SCATTER_ENGINE_MEANWHILE_H
#define SCATTER_ENGINE_MEANWHILE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Waits for the part of the round at hand, 1 or later, as pattern_receive()
   does; then receives the children's outputs messages of the round before, and
   sends this node's outputs message to its parent. Result: 0; ERR_LENGTH;
   ERR_PLACE (outputs of another round); ERR_MEMORY; an error of receiving or
   sending. */
NODISCARD int meanwhile_receive(struct scatter *scatter);

/* Receives the outputs and results that children send when all rounds are
   computed. A node with children, but for the originator, first sends its last
   outputs message. Result: as meanwhile_receive(). */
NODISCARD int meanwhile_gather(struct scatter *scatter);

#endif
