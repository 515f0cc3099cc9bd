/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BOOT_CORTEX_M_DIVIDE_H
#define BOOT_CORTEX_M_DIVIDE_H

#include <stdint.h>

/*
 * Returns numerator / denominator, and sets *rest to the remainder. With a
 * denominator of 0 both are undefined. Cost: about 80 instructions.
 */
uint64_t boot_divide(uint64_t *rest, uint64_t numerator, uint64_t denominator);

#endif
