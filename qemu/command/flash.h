/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_FLASH_H
#define QEMU_COMMAND_FLASH_H

#include "hal/nodiscard.h"

/*
 * `quincunx flash`: writes a firmware image to one board, or to all of a map,
 * through OpenOCD, stm32flash or dfu-util. A probe or DFU device is always
 * named by its serial number.
 *
 * Result: exit status; 0 done; 1 a map or image that cannot be used, or a board
 * that failed; 2 wrong usage; 130 interrupted.
 */
NODISCARD int flash_command(int argc, char **argv);

#endif
