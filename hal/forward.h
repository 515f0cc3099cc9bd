/* SPDX-License-Identifier: Apache-2.0 */
/* What of a row's message goes on to others: circuit_expect() of
   hal/circuit.h. For switches that are software. */
#ifndef HAL_FORWARD_H
#define HAL_FORWARD_H

#include "hal/rows.h"

#include <stdbool.h>

/*
 * Sets the rows that a payload of so many bytes, 4-byte aligned, becomes, and
 * cut->last_form; they point into it. Result: whether there are any. It is
 * false if the payload's label has other bits than the posted one, or what it
 * says is more than it has.
 */
bool forward_rows(struct circuit_rows *rows, struct circuit_cut *cut,
                  uint32_t posted, const uint8_t *payload, uint32_t bytes);

#endif
