/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of a mesh of boards that stands, which is asked how it is
 * (qemu/live/reading.h) every few seconds, while somebody looks at the page.
 */
#ifndef QEMU_LIVE_STANDING_H
#define QEMU_LIVE_STANDING_H

#include "hal/nodiscard.h"
#include "qemu/console/client.h"
#include "torus/torus.h"

#include <stdint.h>

struct standing;

/* Serves the page on a port, 0: one that is free, and prints its address on
   stderr. Result: NULL after a message. */
struct standing *standing_open(uint16_t port, struct torus_size size,
                               struct torus_coord originator);

/* The same without a server: for standing_write() alone. */
struct standing *standing_unserved(struct torus_size size,
                                   struct torus_coord originator);

/* Asks the boards from now on over this console, of the board at `originator`,
   which becomes its own. Result: 0, or -1 after a message. */
NODISCARD int standing_ask(struct standing *standing, struct console *console);

/* Whether all nodes were well when they were asked last; true: they never
   were. */
bool standing_well(struct standing *standing);

/* Asks the boards once more, after standing_ask() and for the last time, and
   writes that as a page which is not live. Result: 0, or -1 after a message. */
NODISCARD int standing_write(struct standing *standing, const char *path);

/* Ends the server. A console whose board is gone ends at once; one that is
   silent is left after seconds, for the process' end. NULL is fine. */
void standing_close(struct standing *standing);

#endif
