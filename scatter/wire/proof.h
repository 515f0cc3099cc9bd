/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums that show that loads, outputs, arguments and results are as they were.
 *
 * A run of a kernel has a sum of the bytes that it read and wrote. The sums of
 * all runs of a range, however it was cut, add up to a sum that the host knows
 * from its file. So nobody sends sums with the load. A node sums a run up when
 * it has computed: what is right then was right while it computed.
 *
 * The sum of bytes of the load is that of their 32-bit words, each times its
 * index in the load. A range's halo is in the memory of several nodes: where
 * two runs meet, one adds and the other subtracts the sum of the bytes around,
 * as each has them:
 *
 *    run 1   .. | units | halo |          + units   - window at its end
 *                  |window|
 *    run 2          | halo | units | ..   + units   + window at its begin
 */
#ifndef SCATTER_WIRE_PROOF_H
#define SCATTER_WIRE_PROOF_H

#include "kernels/kernel.h"

#include <stdint.h>

/* Instructions, on a Cortex-M3, to sum up 16 bytes. */
#define PROOF_INSTRUCTIONS_16 15u

/* Returns the sum of bytes that lie at byte `at` of the load. With `at` 0 it is
   the proof of a result or of an argument. Each change of one word changes it.
   */
uint64_t proof_bytes(uint64_t at, const uint8_t *data, uint32_t bytes);

/* Returns the sum of a range of the load: of its numbers, units, and halo. */
uint64_t proof_range(const struct kernel_range *range,
                     const struct kernel_terms *terms);

/* Returns the sum of an output whose first unit is first_unit. */
uint64_t proof_output(uint32_t first_unit, const uint8_t *data, uint32_t bytes);

#endif
