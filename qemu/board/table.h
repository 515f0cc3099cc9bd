/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of board, one row each: memory layout, the QEMU machine that
   emulates it, and how its chip is recognised before it is flashed. */
#ifndef QEMU_BOARD_TABLE_H
#define QEMU_BOARD_TABLE_H

#include "hal/nodiscard.h"
#include "qemu/board/elf.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names of kinds of board, for help texts and messages: of BOARD_WINDOW; the
   first of BOARD_SERIAL; all of BOARD_SERIAL; those that can be flashed. */
#define BOARD_WINDOW_NAMES "mps2-an385 (default) or mps2-an386"
#define BOARD_SERIAL_NAME "stm32f405"
#define BOARD_SERIAL_NAMES BOARD_SERIAL_NAME
#define BOARD_FLASHED_NAMES BOARD_SERIAL_NAME

/* How boards exchange messages. */
enum board_circuits {
    BOARD_WINDOW, /* by shared memory, with a switch that the host emulates */
    BOARD_SERIAL  /* by serial lines to the neighbouring boards */
};

/* Other ends of a UART, besides the neighbours (enum torus_port). */
enum {
    BOARD_CONSOLE = TORUS_PORTS,
    BOARD_NO_LINE
};
#define BOARD_UARTS 6u

struct board_kind {
    struct elf_place place; /* .board is the name after --board */
    const char *folder;  /* name of the board's folder in build/, boot/, hal/ */
    const char *machine; /* name for QEMU's -machine; NULL: not emulated */
    enum board_circuits circuits;

    /* Fields of boards with serial ports. */
    uint8_t uart[BOARD_UARTS]; /* other ends of the UARTs, in QEMU's order */
    uint32_t unique_emulated; /* address of an emulated board's unique number */
    uint16_t number;          /* field `board` of its images (hal/image.h) */
    uint32_t identity_offset; /* offset of an image's identity in the flash */

    /* Members of boards that can be flashed; .target of others is NULL. */
    const char *target;
    uint32_t idcode_address; /* address of DBGMCU_IDCODE (RM0090, 38.6.1) */
    uint32_t device;         /* DEV_ID, bits 0 to 11 of DBGMCU_IDCODE */
    const char *device_name;
    uint32_t size_address;   /* where the flash size is, KiB; RM0090, 39.2 */
    uint32_t unique_address; /* where the unique number is; RM0090, 39.1 */
};

/* Returns the kind of board at `index`, from 0, or NULL behind the last one. */
const struct board_kind *board_at(size_t index);

/* Return the name at `index`, from 0, or NULL behind the last one: of all kinds
   of board, of those with serial ports, and of those that can be flashed. */
const char *board_known(size_t index);
const char *board_emulated(size_t index);
const char *board_flashed(size_t index);

/* Returns the kind of board of this name, or NULL. */
const struct board_kind *board_named(const char *name);

/* Stores board_named(name) in *field, a const struct board_kind *. Rows of
   options use it as .set(). Returns 0. */
NODISCARD int board_set(void *field, const char *option, const char *name);

/* Returns the default of the kinds of board that exchange messages in this
   way. */
const struct board_kind *board_default(enum board_circuits circuits);

#endif
