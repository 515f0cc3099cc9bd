/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the state of a node from its window, which outlives the node. */
#ifndef QEMU_FABRIC_POSTMORTEM_H
#define QEMU_FABRIC_POSTMORTEM_H

#include "hal/window/window.h"

#include <stdio.h>

/* State, error, last event, fault record, last console lines. Where the fault
   was is looked up in the ELF file `firmware`, which the node runs; NULL: it is
   not. */
void postmortem_print(FILE *out, const struct window *window,
                      const char *firmware);

/* The meaning of an error code of hal/err.h in words. */
const char *postmortem_error(int error);

/* What an engineer can do about it; NULL: the text says all. */
const char *postmortem_hint(int error);

/* A line of `before` and the hint, if there is one. */
void postmortem_print_hint(FILE *out, const char *before, int error);

#endif
