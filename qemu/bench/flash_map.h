/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map file lists boards and their connections. It is CSV (RFC 4180) such as
 *
 *   probe,x,y                          port,dfu,unique,pins
 *   066DFF485550755187121723,0,0       /dev/ttyUSB0,,,core407ve
 *   066AFF505655806687082951,1,0       ,357236543131,,pyboard
 *
 * The first line names the columns, in any order; unknown columns are ignored.
 * A line has one of
 *
 *   probe      a debug probe's serial number
 *   port       the serial port that the chip's ROM boot loader is at
 *   dfu        the serial number of the ROM boot loader's USB device
 *
 * and, where known,
 *
 *   x, y       the board's place in the mesh
 *   unique     the chip's unique number, as the console's `ident` tells it
 *   pins       which pins the board has: the image must be for these
 *   interface  the kind of probe
 */
#ifndef QEMU_BENCH_FLASH_MAP_H
#define QEMU_BENCH_FLASH_MAP_H

#include "hal/nodiscard.h"
#include "qemu/bench/flash_board.h"

#include <stdint.h>

#define FLASH_BOARDS_MAX 4096u

struct flash_map {
    struct flash_board *board; /* free with flash_map_free() */
    unsigned count;
    unsigned placed;        /* boards with coordinates */
    struct torus_size size; /* width 0: no coordinates given */
};

/* Reads a map file. `size` is the mesh's; width 0: as large as the largest
   coordinates. If any coordinates are given, every node of the mesh must occur
   once, unless `partial`. Returns 0, or 1 after a message on stderr with file
   and line. Cost: the square of the number of boards. */
NODISCARD int flash_map_read(struct flash_map *map, const char *path,
                             struct torus_size size, bool partial);

void flash_map_free(struct flash_map *map);

#endif
