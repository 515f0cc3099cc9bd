/* SPDX-License-Identifier: Apache-2.0 */
/* Errors that a test causes in a node's job: enum node_injection. In an image
   without hal/inject.c a call of the functions below does nothing. */
#ifndef HAL_INJECT_H
#define HAL_INJECT_H

#include "hal/node.h"

#include <stdbool.h>

#define INJECT_WEAK __attribute__((weak))

/* Causes the error that identity->fault_injection selects. Called in a job. */
INJECT_WEAK void inject(const struct node_identity *identity);

/* Loops forever in a job with NODE_INJECT_DIE. Called by the timer's tick. */
INJECT_WEAK void inject_tick(const struct node *node);

/* Sets the error of the next jobs by its name, such as "hang". Result: whether
   the name is known. Without hal/inject.c this function's address is NULL. */
INJECT_WEAK bool inject_named(struct node_identity *identity, const char *name);

#endif
