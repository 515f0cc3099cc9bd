/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which probe hangs on which node of a mesh: a CSV file (RFC 4180) such as
 *
 *   probe,x,y
 *   066DFF485550755187121723,0,0
 *   066AFF505655806687082951,1,0
 *
 * Its first line names the columns: probe (the probe's serial number), x and y,
 * in any order; others may be there and are not read.
 */
#ifndef QEMU_FLASH_MAP_H
#define QEMU_FLASH_MAP_H

#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

#define FLASH_PROBE_BYTES 64u /* with the 0 behind it */
#define FLASH_BOARDS_MAX 4096u

struct flash_board {
    char probe[FLASH_PROBE_BYTES];
    struct torus_coord at;
    unsigned line; /* of the map; 0: no map, and no coordinate */
};

struct flash_map {
    struct flash_board *board; /* malloc'd; flash_map_free() */
    unsigned count;
    struct torus_size size; /* of the mesh */
};

/*
 * Reads a map. `size` is the mesh's; width 0: it is as large as the largest
 * coordinates. Every node of the mesh must be there once, unless `partial`.
 * Result: 0; or 1 after a message on stderr with file and line. Cost: the
 * square of the number of boards.
 */
int flash_map_read(struct flash_map *map, const char *path,
                   struct torus_size size, bool partial);

void flash_map_free(struct flash_map *map);

/*
 * NULL if this may be a probe's serial number: 1 to 63 of A-Z a-z 0-9 _ : . -,
 * none of which means anything to Tcl. Otherwise what is allowed.
 */
const char *flash_probe_check(const char *probe);

#endif
