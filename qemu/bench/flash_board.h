/* SPDX-License-Identifier: Apache-2.0 */
/* A board that is to be flashed: how it is reached, and what is known of it. */
#ifndef QEMU_BENCH_FLASH_BOARD_H
#define QEMU_BENCH_FLASH_BOARD_H

#include "hal/image.h"
#include "hal/nodiscard.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define FLASH_NAME_BYTES 256u  /* of a probe, port or DFU device; with the 0 */
#define FLASH_UNIQUE_BYTES 25u /* 24 hexadecimal digits and the 0 */

enum flash_way {
    FLASH_PROBE, /* a debug probe, by its serial number, through OpenOCD */
    FLASH_PORT,  /* the ROM boot loader at a serial port, through stm32flash */
    FLASH_DFU, /* the ROM boot loader at USB, by its serial number, dfu-util */
    FLASH_WAYS
};

struct flash_board {
    enum flash_way way;
    char name[FLASH_NAME_BYTES];     /* of the probe, port or DFU device */
    const char *interface;           /* kind of probe; NULL: the command's */
    char unique[FLASH_UNIQUE_BYTES]; /* the chip's number, as the console's
                                        `ident` has it; empty: not known */
    char pins[IMAGE_PINS_BYTES];     /* empty: not known */
    bool placed;                     /* `at` is known */
    struct torus_coord at;
    unsigned line; /* of the map; 0: no map */
};

/* "probe", "port" or "dfu", as the map's columns are called. */
const char *flash_way_name(enum flash_way way);

/* The board as messages name it: by its place or unique number if known, by
   how it is reached, and by the map's line. `map`: the map's name. */
void flash_board_print(FILE *out, const struct flash_board *board,
                       const char *map);

/*
 * NULL if the text may be a name of this kind; otherwise what is allowed.
 * Serial numbers: 1 to 63 of A-Z a-z 0-9 _ : . -, none of which means anything
 * to Tcl. Ports: 2 to 255 printable characters, the first of them a '/'.
 */
const char *flash_name_check(enum flash_way way, const char *text);

/* The identity of an image (hal/image.h), found in the bytes of its flash, and
   where the coordinates begin in it. `identity` has FLASH_IDENTITY_BYTES. */
#define FLASH_IDENTITY_BYTES sizeof(struct image_identity)
#define FLASH_IDENTITY_PLACE offsetof(struct image_identity, x)

/* Result: 1 if it is the identity of an image for `board`, 0 if it is none, -1
   if it is that of another board or version. */
NODISCARD int flash_identity_check(const uint8_t *identity, uint16_t board);

/* The name of the pins that an image with this identity is for; empty: it has
   no identity, or one of version 1. Bytes that no name has become '?'. */
void flash_identity_pins(char pins[IMAGE_PINS_BYTES], const uint8_t *identity);

#endif
