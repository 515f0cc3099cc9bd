/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answers of a node on serial lines to peeks (hal/switch/peek.h), from its
 * interrupts: pages that describe it, and two commands.
 */
#ifndef BOOT_SERIAL_PAGES_H
#define BOOT_SERIAL_PAGES_H

#include "boot/serial/state.h"

/* Whether the node is in a job. */
bool serial_node_has_job(const struct serial_node *node);

/* Writes a page of hal/switch/peek.h: at most SWITCH_STATUS_BYTES; any context.
   Result: how many bytes. */
unsigned serial_node_status(const struct serial_node *node, uint8_t page,
                            uint8_t *out);

/* Answers a peek by a page, and carries out a command: status() of struct
   switch_config. `context` is the node. */
unsigned serial_node_peeked(void *context, const uint8_t *question,
                            uint32_t bytes, uint8_t *out);

#endif
