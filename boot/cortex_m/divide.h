/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BOOT_CORTEX_M_DIVIDE_H
#define BOOT_CORTEX_M_DIVIDE_H

#include <stdint.h>

/*
 * numerator / denominator, and what is left over. By 0: ends, and the result
 * means nothing. About 80 instructions.
 */
uint64_t boot_divide(uint64_t *rest, uint64_t numerator, uint64_t denominator);

#endif
