/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parity by which a reader corrects bytes that a line changed: the Reed-Solomon
 * code (Reed, Solomon, J. SIAM 8(2), 1960) over GF(2^8) modulo x^8 + x^4 + x^3
 * + x^2 + 1; its generator has the roots 2^0 to 2^7 (powers in the field). A
 * word is up to 247 bytes of data, then PARITY_BYTES. Up to PARITY_BYTES / 2
 * wrong bytes of a word are corrected. More are mostly noticed, but not always:
 * a CRC within the data decides.
 *
 * Pure functions of their arguments; no pointer is kept.
 */
#ifndef HAL_SWITCH_PARITY_H
#define HAL_SWITCH_PARITY_H

#include "hal/nodiscard.h"

#include <stdint.h>

#define PARITY_BYTES 8u

/* Returns the parity of earlier data and `bytes` more. parity: parity of the
   earlier data; 0: no earlier data. Cost: 25 instructions a byte. */
uint64_t parity_update(uint64_t parity, const uint8_t *data, uint32_t bytes);

/* Stores parity as the PARITY_BYTES bytes that follow the data. */
void parity_store(uint8_t out[PARITY_BYTES], uint64_t parity);

/* Corrects a word. bytes: length of the word, PARITY_BYTES to 255. Result:
   number of corrected bytes; -1: too many are wrong, and the word is unchanged.
   Cost for 4 wrong bytes of 69: 20,000 instructions (measured, Cortex-M). */
NODISCARD int parity_correct(uint8_t *word, unsigned bytes);

#endif
