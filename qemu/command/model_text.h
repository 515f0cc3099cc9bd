/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as the printers of `quincunx model` write them. */
#ifndef QEMU_COMMAND_MODEL_TEXT_H
#define QEMU_COMMAND_MODEL_TEXT_H

#include "qemu/base/quad.h"

#include <jansson.h>
#include <stddef.h>

/* Prints "39.8916967509 (11050/277)"; long fractions without the latter. */
void model_text_number(quad value);

/* Prints a line: name, number, "units" or "unit" and what follows it (" of
   time"). */
void model_text_line(const char *name, quad value, const char *of);

/* Prints a line: name, the workers of an order. */
void model_text_order(const char *name, const size_t *order, size_t count);

/* The number with 53 bits; the caller's. */
json_t *model_json_number(quad value);

/* An array of numbers; of workers, counted from 1; of empty arrays. The
   caller's. */
json_t *model_json_numbers(const quad *values, size_t count);
json_t *model_json_order(const size_t *order, size_t count);
json_t *model_json_arrays(size_t count);

/* Sets `name`, and `name`_exact, a text, if that is a short fraction. */
void model_json_set(json_t *json, const char *name, quad value);

/* Prints the object on a line of its own, and releases it. */
void model_json_print(json_t *json);

#endif
