/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the state of a node from its window (memory shared with its emulated
   switch), which can be read after the node has died. */
#ifndef QEMU_FABRIC_POSTMORTEM_H
#define QEMU_FABRIC_POSTMORTEM_H

#include "hal/window/window.h"

#include <stdbool.h>
#include <stdio.h>

/* What a mesh runs, for messages. */
struct postmortem_program {
    const char *firmware; /* the boards' ELF file; or NULL */
    const char *kernel;   /* name of the job's kernel; or NULL */
};

/* Prints state, error, last event, what the kernel did wrong, fault record and
   last console lines of a node. Looks the fault's address up in the ELF
   file. */
void postmortem_print(FILE *out, const struct window *window,
                      const struct postmortem_program *program);

/* Returns whether a node has failed, or waits for a call after an error that no
   loss of another node explains. */
bool postmortem_gave_up(const struct window *window);

/* Prints `before`, and where and how a node's kernel did not keep to its terms,
   as a line. breach->promised 0: not known. Returns false, and prints nothing,
   if the error is no breach, or `kernel` is NULL. */
bool postmortem_print_breach(FILE *out, const char *before,
                             const struct node_breach *breach, int error,
                             const char *kernel);

/* Returns the meaning of an error code of hal/err.h, as text. */
const char *postmortem_error(int error);

/* Returns advice on what to do about an error, or NULL. */
const char *postmortem_hint(int error);

/* Prints `before` and postmortem_hint() as a line, if there is a hint. */
void postmortem_print_hint(FILE *out, const char *before, int error);

#endif
