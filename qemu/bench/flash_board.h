/* SPDX-License-Identifier: Apache-2.0 */
/* A board to be flashed: how it is reached, and what is known about it. */
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
    FLASH_PROBE, /* a debug probe, by OpenOCD */
    FLASH_PORT,  /* the ROM boot loader at a serial port, by stm32flash */
    FLASH_DFU,   /* the ROM boot loader at USB, by dfu-util */
    FLASH_WAYS
};

struct flash_board {
    enum flash_way way;
    char name[FLASH_NAME_BYTES]; /* serial number, or path of the port */
    /* Kind of the probe, as OpenOCD calls it; NULL: flash_config.interface. */
    const char *interface;
    /* Unique number of the chip, as the console's `ident` prints it; "":
       unknown. */
    char unique[FLASH_UNIQUE_BYTES];
    char pins[IMAGE_PINS_BYTES]; /* name of the board's pins; "": unknown */
    bool placed;                 /* true: `at` is known */
    struct torus_coord at;
    unsigned line; /* line of the map file; 0: there is no map file */
};

/* Returns "probe", "port" or "dfu": the column of map files. */
const char *flash_way_name(enum flash_way way);

/* Prints a board for a message: coordinates or unique number, as far as known,
   the way to reach it, and its line in the map file, which is called `map`. */
void flash_board_print(FILE *out, const struct flash_board *board,
                       const char *map);

/* Returns NULL if `text` may name a board that is reached this way, else what
   is allowed. A serial number has 1 to 63 characters A-Z a-z 0-9 _ : . - (none
   of them special in Tcl). A port has 2 to 255 printable characters, of which
   the first is '/'. */
const char *flash_name_check(enum flash_way way, const char *text);

/* Size of an image's identity (hal/image.h), and where in it the coordinates
   are. */
#define FLASH_IDENTITY_BYTES sizeof(struct image_identity)
#define FLASH_IDENTITY_PLACE offsetof(struct image_identity, x)

/* Returns 1 if the FLASH_IDENTITY_BYTES bytes at `identity` are an identity of
   an image for `board`; 0 if they are no identity; -1 if they are one for
   another board, or of another version. */
NODISCARD int flash_identity_check(const uint8_t *identity, uint16_t board);

/* Writes the name of the pins for which an image was built, or "" if the image
   has no identity or one of version 1. Invalid bytes become '?'. */
void flash_identity_pins(char pins[IMAGE_PINS_BYTES], const uint8_t *identity);

#endif
