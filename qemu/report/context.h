/* SPDX-License-Identifier: Apache-2.0 */
/* The text around a place in the load, as people may see it. */
#ifndef QEMU_REPORT_CONTEXT_H
#define QEMU_REPORT_CONTEXT_H

#include "qemu/job/outcome.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the load before a place, and from it on. */
#define CONTEXT_BEFORE 20u
#define CONTEXT_AFTER 40u

/*
 * UTF-8 on one line: line ends, tabs and other control characters are blanks;
 * what is no UTF-8, or turns the direction of writing, is '?'; a character that
 * is cut off at either end is left out.
 */
struct context {
    char before[CONTEXT_BEFORE + 1];
    char after[CONTEXT_AFTER + 1];
    unsigned columns; /* characters in `before` */
};

/* The text around byte `at` of the bytes `from` to `end` of the load, which has
   units of one byte. False if it is not among them, or they cannot be read (any
   more). */
bool context_read(struct context *context, const struct format_load *load,
                  uint64_t at, uint64_t from, uint64_t end);

#endif
