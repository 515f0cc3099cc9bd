/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs that return meanwhile, of several rounds of the pattern. When a node
 * has its part of round r, it receives its children's outputs of round r - 1,
 * and sends its parent its own outputs of round r: all of these, and what it
 * made itself in round r - 1.
 *
 *   child   | part r - 1 | in | out | run r - 1 | part r | in | out | run r |
 *                                +- outputs of round r - 1 -+
 *                                                           v
 *   parent  | part r - 1 | in | out | run r - 1 | part r | in | out | run r |
 *
 * Until the parent has its next part they wait at its switch; a node waits for
 * them only where ports are late. When all R rounds are computed, nodes with
 * children send those of round R; what is left returns with the results.
 */
#ifndef SCATTER_ENGINE_MEANWHILE_H
#define SCATTER_ENGINE_MEANWHILE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Waits for the part of a later round, as pattern_receive() does; then receives
   the children's outputs of the round before, and sends these and the own ones
   to the parent. Result: 0; ERR_LENGTH; ERR_PLACE (outputs of another round);
   ERR_MEMORY; an error of receiving or sending. */
NODISCARD int meanwhile_receive(struct scatter *scatter);

/* Receives, when all rounds are computed, what children still send: outputs and
   results. A node with children sends its own outputs of round R before that.
   Result: as meanwhile_receive(). */
NODISCARD int meanwhile_gather(struct scatter *scatter);

#endif
