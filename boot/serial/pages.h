/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node's answers to peeks (hal/switch/peek.h), written in its interrupts:
 * pages that describe the node, and two commands.
 */
#ifndef BOOT_SERIAL_PAGES_H
#define BOOT_SERIAL_PAGES_H

#include "boot/serial/state.h"

/* Whether the node is in a job. */
bool serial_node_has_job(const struct serial_node *node);

/* Writes a page (enum peek_page) into `out`, which has SWITCH_STATUS_BYTES; any
   context. Result: number of bytes. */
unsigned serial_node_status(const struct serial_node *node, uint8_t page,
                            uint8_t *out);

/* Answers a peek: carries out its command, if it is one, and writes a page into
   `out`. Result: number of bytes. This is status() of struct switch_config;
   `context` is the node. */
unsigned serial_node_peeked(void *context, const uint8_t *question,
                            uint32_t bytes, uint8_t *out);

#endif
