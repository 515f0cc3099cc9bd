/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text out of the console port: a ring between board_console_write() and the
 * port's interrupt, which calls these (hal/stm32f405/program.h).
 */
#ifndef BOOT_STM32F405_CONSOLE_H
#define BOOT_STM32F405_CONSOLE_H

#include <stdint.h>

unsigned boot_console_pending(const uint8_t **data);
void boot_console_taken(unsigned bytes);

#endif
