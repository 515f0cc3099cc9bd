/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of board, one row each: where an image lies in memory, which QEMU
 * machine emulates it, and how its chip is recognised before it is flashed.
 */
#ifndef QEMU_BOARD_TABLE_H
#define QEMU_BOARD_TABLE_H

#include "hal/nodiscard.h"
#include "qemu/board/elf.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names of the boards with each medium, for help texts and messages: of the
   first with serial ports, and of all, as in BOARD_SERIAL_NAME " or x". */
#define BOARD_WINDOW_NAMES "mps2-an385 (default) or mps2-an386"
#define BOARD_SERIAL_NAME "stm32f405"
#define BOARD_SERIAL_NAMES BOARD_SERIAL_NAME
#define BOARD_FLASHED_NAMES BOARD_SERIAL_NAME /* rows with a `target` */

/* The medium of a board's circuits. */
enum board_circuits {
    BOARD_WINDOW, /* a window, by a switch that the host emulates */
    BOARD_SERIAL  /* serial lines to its neighbours */
};

/* The other ends of a UART, besides the ports, which are enum torus_port. */
enum {
    BOARD_CONSOLE = TORUS_PORTS,
    BOARD_NO_LINE
};
#define BOARD_UARTS 6u

struct board_kind {
    struct elf_place place; /* place.board: the name after --board */
    const char *folder;     /* in build/, boot/, hal/ */
    const char *machine;    /* QEMU's -machine; NULL: none */
    enum board_circuits circuits;

    /* Set for a board with serial ports: */
    uint8_t uart[BOARD_UARTS]; /* lines of the machine's UARTs, in its order */
    uint32_t unique_emulated;  /* RAM word of an emulated board's number */
    uint16_t number;           /* field `board` of its images: hal/image.h */
    uint32_t identity_offset;  /* of hal/image.h, bytes behind flash_start */

    /* Set for a board that can be flashed; target is NULL if it cannot. */
    const char *target;      /* OpenOCD's script */
    uint32_t idcode_address; /* of DBGMCU_IDCODE; RM0090, 38.6.1 */
    uint32_t device;         /* its DEV_ID, bits 0 to 11 */
    const char *device_name;
    uint32_t size_address;   /* KiB of flash, 16 bits; RM0090, 39.2 */
    uint32_t unique_address; /* 96 bits; RM0090, 39.1 */
};

/* The row of that index, from 0; NULL behind the last one. */
const struct board_kind *board_at(size_t index);

/* Name number `index` of all boards, of those with serial ports, and of those
   that can be flashed; NULL behind the last. */
const char *board_known(size_t index);
const char *board_serial(size_t index);
const char *board_flashed(size_t index);

/* The row of that name, or NULL. */
const struct board_kind *board_named(const char *name);

/* Stores the row of a name in a const struct board_kind *: an option row's
   set(). Result: 0. */
NODISCARD int board_set(void *field, const char *option, const char *name);

/* The board that is meant if none is named: the first row with such circuits.
   Never NULL. */
const struct board_kind *board_default(enum board_circuits circuits);

#endif
