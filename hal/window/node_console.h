/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for people. It goes through a ring in memory, never through a UART:
 * a device whose readiness depends on the host would change counted time.
 */
#ifndef HAL_WINDOW_NODE_CONSOLE_H
#define HAL_WINDOW_NODE_CONSOLE_H

#include "hal/node.h"

/* Appends bytes to the ring; the oldest are overwritten when it is full. */
void console_write(struct node_log *log, const char *text, size_t bytes);

#endif
