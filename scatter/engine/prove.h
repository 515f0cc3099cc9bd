/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a node does in a job whose announcement says check_load, so that no
 * changed bit of load, argument, output or result stays unknown.
 *
 * After each run the node sums up the bytes that the run read and wrote
 * (scatter/wire/proof.h). It adds the sums of its children, and the host
 * compares the sum of all with its file's.
 *
 * A result has a proof from when it was computed on. A node that finds a
 * child's result changed takes the child for lost (lost.h): what it computed is
 * computed again. If its own is changed, all its further proofs are wrong, and
 * its parent finds that. Proofs contain the argument's, as the node has it when
 * all runs have ended. So a node that computed with another argument than its
 * parent is lost, too.
 */
#ifndef SCATTER_ENGINE_PROVE_H
#define SCATTER_ENGINE_PROVE_H

#include "hal/nodiscard.h"
#include "scatter/engine/core.h"

/* Rarely called by functions of which each instruction counts. */
#define PROVE_RARE __attribute__((noinline, cold))

/* Sums up a run that has ended. */
PROVE_RARE void prove_run(struct scatter *scatter,
                          const struct kernel_result *result);

/* Adds the last run's sum. Then keeps its result as this node's, or merges it.
   Result: 0 or an error of scatter_merge(). */
NODISCARD PROVE_RARE int prove_keep(struct scatter *scatter,
                                    const struct kernel_result *result);

/* Merges a result, as scatter_merge(), and makes the proof of the sum. */
NODISCARD PROVE_RARE int prove_merge(struct scatter *scatter,
                                     const struct kernel_result *next);

/* Makes the proof of the argument. Precondition: all runs have ended. */
PROVE_RARE void prove_argument(struct scatter *scatter);

/* Whether a child's message has the right proof, which lies at `proof`. */
PROVE_RARE bool prove_holds(const struct scatter *scatter,
                            const struct wire_result *head,
                            const struct kernel_result *next,
                            const uint8_t *proof);

/* Stores a sum and a proof at `out`. `proof`: that of head and result; of a
   report only of its result. */
PROVE_RARE void prove_store(const struct scatter *scatter, uint8_t *out,
                            uint64_t proof);

/* Makes the proof of memory->head and this node's result, and stores it. */
PROVE_RARE void prove_result(struct scatter *scatter, uint8_t *out);

#endif
