/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors that a test lets a node make in a job: enum node_injection. The code
 * is in hal/inject.c. `make INJECT=` links an image without that file: then a
 * call of these weak functions is a NOP (AAELF32, "Weak references").
 */
#ifndef HAL_INJECT_H
#define HAL_INJECT_H

#include "hal/node.h"

#include <stdbool.h>

#define INJECT_WEAK __attribute__((weak))

/* Makes the error identity->fault_injection: faults, fails an assertion, or
   loops forever. Called in a job, unless the field is NODE_INJECT_NONE. */
INJECT_WEAK void inject(const struct node_identity *identity);

/* Loops forever if the node is in a job and has NODE_INJECT_DIE. Called by the
   timer's tick. */
INJECT_WEAK void inject_tick(const struct node *node);

/* Sets the error of the next jobs by its name, such as "hang". Result: whether
   the name is known. Without hal/inject.c this function's address is NULL. */
INJECT_WEAK bool inject_named(struct node_identity *identity, const char *name);

#endif
