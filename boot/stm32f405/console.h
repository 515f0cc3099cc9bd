/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text on the console port: a ring each way between the program and the port's
 * interrupt. Nothing here waits. Output: hal/serial/board.h, too.
 */
#ifndef BOOT_STM32F405_CONSOLE_H
#define BOOT_STM32F405_CONSOLE_H

#include "hal/nodiscard.h"

#include <stddef.h>
#include <stdint.h>

/* Queues what there is room for (board_console_write()). Result: bytes. */
size_t boot_console_put(const char *text);

/* Numbers: `digits` hexadecimal ones; as many decimal ones as it takes. */
size_t boot_console_hex(uint32_t value, unsigned digits);
size_t boot_console_decimal(uint32_t value);

/* The next byte that came in, or -1. */
NODISCARD int boot_console_get(void);

/* For what the driver calls (hal/stm32f405/program.h). */
void boot_console_byte(uint8_t byte);
unsigned boot_console_pending(const uint8_t **data);
void boot_console_taken(unsigned bytes);

#endif
