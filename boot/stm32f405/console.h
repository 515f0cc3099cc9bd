/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text on the console port: a ring each way between the program and the port's
 * interrupt. Nothing here waits.
 */
#ifndef BOOT_STM32F405_CONSOLE_H
#define BOOT_STM32F405_CONSOLE_H

#include "hal/nodiscard.h"

#include <stddef.h>
#include <stdint.h>

#define BOOT_CONSOLE_OUT_BYTES 2048u
#define BOOT_CONSOLE_IN_BYTES 256u

/* Queues what there is room for; result: how many bytes that was. */
size_t boot_console_write(const char *text, size_t bytes);
size_t boot_console_put(const char *text);

/* How much there is room for. */
unsigned boot_console_room(void);

/* Numbers: `digits` hexadecimal ones; as many decimal ones as it takes. */
size_t boot_console_hex(uint32_t value, unsigned digits);
size_t boot_console_decimal(uint32_t value);

/* The next byte that came in, or -1. */
NODISCARD int boot_console_get(void);

/* For the port's callbacks (hal/stm32f405/serial.h). */
void boot_console_byte(uint8_t byte);
unsigned boot_console_pending(const uint8_t **data);
void boot_console_taken(unsigned bytes);

#endif
