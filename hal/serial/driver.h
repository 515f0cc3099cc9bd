/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of a board: the UARTs of its four ports and of its console. The
 * driver in hal/BOARD/ defines the functions of the first part and board_kick()
 * (hal/serial/board.h). The program defines those of the second part
 * (boot/serial/lines.c); the driver's interrupt handlers call them.
 *
 *   RX --> ring of the driver --> serial_came()
 *   TX <-- serial_pending(), serial_taken()
 *
 * The ports' handlers never interrupt each other. Other code calls
 * serial_mask() to touch the same data. The driver buffers 512 bytes or more of
 * each line, and interrupts once at least every 100 us while bytes come in.
 */
#ifndef HAL_SERIAL_DRIVER_H
#define HAL_SERIAL_DRIVER_H

#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SERIAL_CONSOLE = TORUS_PORTS, /* 0 to 3 are ports: enum torus_port */
    SERIAL_COUNT
};

/* Bit rates, bit/s; 8N1. */
#ifndef SERIAL_PORT_BAUD
#define SERIAL_PORT_BAUD 2000000u
#endif
#define SERIAL_CONSOLE_BAUD 115200u

/* ---- defined by the driver ---- */

/* Mask and unmask the interrupts that call the second part. serial_mask():
   calls nest. Result: argument for serial_unmask(). */
uint32_t serial_mask(void);
void serial_unmask(uint32_t before);

/* Returns a port's bit rate, bit/s: the nearest that the divider can make. */
uint32_t serial_baud(unsigned port);

/* Whether the last byte written has left the chip. */
bool serial_has_sent(unsigned port);

/* ---- defined by the program ---- */

/* Takes bytes that came in at a port; `data` is valid until the return. A
   damaged byte comes unchanged from a port, and as 0 from the console. Result:
   number of bytes taken, 1 or more; a later call brings the others. */
unsigned serial_came(unsigned port, const uint8_t *data, unsigned bytes);

/* Notes that bytes were lost near those of the last serial_came(). */
void serial_lost(unsigned port);

/* Does what is due at a port. Called by each run of its late handler. */
void serial_attend(unsigned port);

/* Sets *data to the next bytes to be sent. Result: their number; 0: none. If
   the line takes any of them, serial_taken() is the driver's next call. */
unsigned serial_pending(unsigned port, const uint8_t **data);

/* Frees the first `bytes` pending bytes: the driver has sent or copied them. */
void serial_taken(unsigned port, unsigned bytes);

#endif
