/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parity with which bytes that a line changed are put right, without asking for
 * them again: the Reed-Solomon code (Reed, Solomon, J. SIAM 8(2), 1960) over
 * GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1, with the roots 2^0 to 2^7 (powers
 * in the field). Behind up to 247 bytes of data come PARITY_BYTES; of the whole
 * any PARITY_BYTES / 2 bytes may be wrong. Where more are, that is mostly found
 * out, but not always: a CRC within the data decides.
 *
 * Pure functions of their arguments; no pointer is kept.
 */
#ifndef HAL_SWITCH_PARITY_H
#define HAL_SWITCH_PARITY_H

#include "hal/nodiscard.h"

#include <stdint.h>

#define PARITY_BYTES 8u

/* The parity of data that had `parity` before these bytes; that of no data is
   0. Cost: some 25 instructions a byte. */
uint64_t parity_update(uint64_t parity, const uint8_t *data, uint32_t bytes);

/* Stores parity in the order in which it follows the data. */
void parity_store(uint8_t out[PARITY_BYTES], uint64_t parity);

/*
 * Puts a word of `bytes`, PARITY_BYTES to 255, data and parity, right. Result:
 * how many bytes were wrong; -1: too many, and nothing is changed. As long as
 * parity_update() where none is, else up to 20,000 instructions more (of 69
 * bytes with four wrong, Cortex-M).
 */
NODISCARD int parity_correct(uint8_t *word, unsigned bytes);

#endif
