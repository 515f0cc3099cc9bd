/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of a console's output, from board_console_write() to the driver. */
#ifndef BOOT_SERIAL_CONSOLE_H
#define BOOT_SERIAL_CONSOLE_H

#include <stdint.h>

/* Sets *data to the next bytes to be sent. Result: their number; 0: none. */
unsigned console_pending(const uint8_t **data);

/* Frees the first `bytes` pending bytes. */
void console_taken(unsigned bytes);

#endif
