/* SPDX-License-Identifier: Apache-2.0 */
/* A board to be flashed: how it is connected, and what is known of it. */
#ifndef QEMU_BENCH_FLASH_BOARD_H
#define QEMU_BENCH_FLASH_BOARD_H

#include "hal/image.h"
#include "hal/nodiscard.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define FLASH_NAME_BYTES 256u  /* with NUL */
#define FLASH_UNIQUE_BYTES 25u /* 24 hexadecimal digits and NUL */

enum flash_way {
    FLASH_PROBE, /* OpenOCD with a debug probe */
    FLASH_PORT,  /* stm32flash, ROM boot loader at a serial port */
    FLASH_DFU,   /* dfu-util, ROM boot loader at USB */
    FLASH_WAYS
};

struct flash_board {
    enum flash_way way;
    char name[FLASH_NAME_BYTES]; /* serial number, or path of the port */
    /* Kind of probe as OpenOCD names it; NULL: flash_config.interface. */
    const char *interface;
    /* Unique number of the chip, as the console's `ident` prints it; empty:
       unknown. */
    char unique[FLASH_UNIQUE_BYTES];
    char pins[IMAGE_PINS_BYTES]; /* name of the board's pins; empty: unknown */
    bool placed;                 /* `at` is set */
    struct torus_coord at;
    unsigned line; /* line of the map file; 0: no such file */
};

/* Returns "probe", "port" or "dfu", the name of a column of map files. */
const char *flash_way_name(enum flash_way way);

/* Prints a board for a message: coordinates or unique number if known,
   connection, and line of the map file. `map` is the name of that file. */
void flash_board_print(FILE *out, const struct flash_board *board,
                       const char *map);

/* Returns NULL if a board that is flashed this way can have this name, else
   what is allowed. Serial numbers: 1 to 63 of A-Z a-z 0-9 _ : . - (none of them
   special in Tcl). Ports: 2 to 255 printable characters, the first a '/'. */
const char *flash_name_check(enum flash_way way, const char *text);

/* Size of an image's identity (hal/image.h) in its flash, and offset of the
   coordinates in it. */
#define FLASH_IDENTITY_BYTES sizeof(struct image_identity)
#define FLASH_IDENTITY_PLACE offsetof(struct image_identity, x)

/* Returns 1 if `identity`, FLASH_IDENTITY_BYTES long, is of an image for
   `board`; 0 if it is no identity; -1 if it is of another board or version. */
NODISCARD int flash_identity_check(const uint8_t *identity, uint16_t board);

/* Writes the name of the pins for which an image was built; empty if it has no
   identity, or one of version 1. Invalid bytes become '?'. */
void flash_identity_pins(char pins[IMAGE_PINS_BYTES], const uint8_t *identity);

#endif
