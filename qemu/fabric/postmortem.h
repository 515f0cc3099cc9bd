/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the state of a node from its window (memory shared with its emulated
   switch), which can be read after the node has died. */
#ifndef QEMU_FABRIC_POSTMORTEM_H
#define QEMU_FABRIC_POSTMORTEM_H

#include "hal/window/window.h"

#include <stdio.h>

/* Prints state, error, last event, fault record and last console lines of a
   node. Looks the fault's address up in the ELF file `firmware`, if that is not
   NULL. */
void postmortem_print(FILE *out, const struct window *window,
                      const char *firmware);

/* Returns the meaning of an error code of hal/err.h, as text. */
const char *postmortem_error(int error);

/* Returns advice on what to do about an error, or NULL. */
const char *postmortem_hint(int error);

/* Prints `before` and postmortem_hint() as a line, if there is a hint. */
void postmortem_print_hint(FILE *out, const char *before, int error);

#endif
