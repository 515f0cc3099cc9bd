/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_COMMAND_FLASH_MAP_H
#define QEMU_COMMAND_FLASH_MAP_H

#include "hal/nodiscard.h"

/*
 * `quincunx flash-map`: lists the devices through which boards can be flashed,
 * and writes a map of them. Result: exit status; 0 done; 1 nothing is plugged
 * in, or the map exists or cannot be written; 2 wrong usage.
 */
NODISCARD int flash_list_command(int argc, char **argv);

#endif
