/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs that return meanwhile, of several rounds of the pattern: when a node
 * has its part of round r, it sends its parent what it made in round r - 1,
 * and what its children sent it when they had theirs of round r - 1:
 *
 *   parent    | computes r - 1 | part r | <- r - 1 of its children | computes r
 *   child     | computes r - 1 | part r |  -> own r - 1, theirs  | computes r
 *
 * Nobody waits for that but where ports are late. When all rounds are computed,
 * who has children sends once more; what is left returns with the results.
 */
#ifndef SCATTER_ENGINE_MEANWHILE_H
#define SCATTER_ENGINE_MEANWHILE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Waits for the part of a later round, as pattern_receive() does; then receives
   what the children have sent at the turn before, and sends that and the own
   outputs to the parent. Result: 0; ERR_LENGTH, or ERR_PLACE (outputs of
   another round); an error of receiving or sending. */
NODISCARD int meanwhile_receive(struct scatter *scatter);

/* When all rounds are computed: sends once more, if this node has children, and
   receives their results. Result: as above. */
NODISCARD int meanwhile_gather(struct scatter *scatter);

#endif
