/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A policy for several rounds of the pattern: outputs of a round return while
 * later rounds are computed. Rounds count from 0, outputs messages from 1. A
 * node's message r carries the node's output of round r - 1 and the outputs in
 * its children's messages r - 1. When its part of round r has come, a node
 * receives the children's messages r - 1 (in) and sends its message r (out):
 *
 *   child   | part r - 1 | in | out | run r - 1 | part r | in | out | run r |
 *                                +- outputs message r - 1 --+
 *                                                           v
 *   parent  | part r - 1 | in | out | run r - 1 | part r | in | out | run r |
 *
 * The parent's switch keeps a message until the parent has its next part. The
 * parent then waits for messages that are late. When all rounds are computed, a
 * node with children sends a last outputs message, whose number is the number
 * of rounds. Outputs that no message carried return with the results.
 */
#ifndef SCATTER_ENGINE_MEANWHILE_H
#define SCATTER_ENGINE_MEANWHILE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Waits for the part of round r, 1 or more. Receives the children's outputs
   messages r - 1. Sends outputs message r to the parent. Result: 0; ERR_LENGTH;
   ERR_PLACE if an outputs message has another number; ERR_MEMORY; another
   error. */
NODISCARD int meanwhile_receive(struct scatter *scatter);

/* Sends the last outputs message, then receives the children's outputs and
   results. The originator only receives. Result: as meanwhile_receive(). */
NODISCARD int meanwhile_gather(struct scatter *scatter);

#endif
