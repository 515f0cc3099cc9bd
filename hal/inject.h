/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors in a job that tests ask a node for: enum node_injection. All of them
 * are in hal/inject.c. An image may be linked without that file, `make
 * INJECT=`: then a call of these weak functions is a NOP (AAELF32, "Weak
 * references").
 */
#ifndef HAL_INJECT_H
#define HAL_INJECT_H

#include "hal/node.h"

#include <stdbool.h>

#define INJECT_WEAK __attribute__((weak))

/* Takes the fault that the node's identity has, or waits without an end. In a
   job, where it is not NODE_INJECT_NONE: whoever calls has looked. */
INJECT_WEAK void inject(const struct node_identity *identity);

/* Waits without an end if the node is to die, and in a job. Every tick. */
INJECT_WEAK void inject_tick(const struct node *node);

/* Sets the fault of the next jobs by its name. Result: whether there is one of
   that name. Of an image without hal/inject.c the address is NULL. */
INJECT_WEAK bool inject_named(struct node_identity *identity, const char *name);

#endif
