/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map file tells which boards there are, how to reach each one, and where in
 * the mesh it is. It is CSV (RFC 4180); two examples:
 *
 *   probe,x,y                          port,dfu,unique,pins
 *   066DFF485550755187121723,0,0       /dev/ttyUSB0,,,core407ve
 *   066AFF505655806687082951,1,0       ,357236543131,,pyboard
 *
 * The first line names the columns, in any order; unknown columns are ignored.
 * Each line has exactly one of
 *
 *   probe      serial number of a debug probe
 *   port       serial port to the chip's ROM boot loader
 *   dfu        serial number of the ROM boot loader's USB device
 *
 * and, where known,
 *
 *   x, y       position of the board in the mesh
 *   unique     unique number of the chip, as the console's `ident` prints it
 *   pins       name of the board's pins: the image must be for the same
 *   interface  kind of the probe
 */
#ifndef QEMU_BENCH_FLASH_MAP_H
#define QEMU_BENCH_FLASH_MAP_H

#include "hal/nodiscard.h"
#include "qemu/bench/flash_board.h"

#include <stdint.h>

#define FLASH_BOARDS_MAX 4096u

struct flash_map {
    struct flash_board *board; /* flash_map_free() frees it */
    unsigned count;
    unsigned placed;        /* number of boards with coordinates */
    struct torus_size size; /* width 0: no board has coordinates */
};

/* Reads a map file. `size` is the mesh's; with width 0, the mesh is as large as
   the largest coordinates. If any board has coordinates, every node of the mesh
   must have exactly one board; if `partial`, at most one. Returns 0, or 1 after
   a message on stderr with file and line. Time: O(boards^2). */
NODISCARD int flash_map_read(struct flash_map *map, const char *path,
                             struct torus_size size, bool partial);

void flash_map_free(struct flash_map *map);

#endif
