/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of the console's output, from board_console_write() to the port's
 * interrupt. serial_pending() and serial_taken() (hal/stm32f405/program.h) call
 * these two functions for the console.
 */
#ifndef BOOT_STM32F405_CONSOLE_H
#define BOOT_STM32F405_CONSOLE_H

#include <stdint.h>

unsigned boot_console_pending(const uint8_t **data);
void boot_console_taken(unsigned bytes);

#endif
