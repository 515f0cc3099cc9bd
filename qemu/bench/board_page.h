/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of a mesh of boards that stands: the state of every node, its last
 * job, and the counters of its links, asked by peeks over one console
 * (qemu/serial/), in a file, or live: then asked every few seconds while a
 * browser shows the page.
 */
#ifndef QEMU_BENCH_BOARD_PAGE_H
#define QEMU_BENCH_BOARD_PAGE_H

#include "hal/nodiscard.h"
#include "qemu/serial/ps.h"

#include <stdint.h>

struct board_page;

/* A page that is not live; it reads boards when it is told to. */
struct board_page *board_page_new(struct torus_size size,
                                  struct torus_coord originator);

/* Serves the page on a port, 0: one that is free, and prints its address on
   stderr. Result: NULL after a message. */
struct board_page *board_page_serve(uint16_t port, struct torus_size size,
                                    struct torus_coord originator);

/* Gives the console, of the board at `originator`, to the page, which asks the
   boards over it from now on if it is live. Result: 0, or -1 after a message.
 */
NODISCARD int board_page_ask(struct board_page *page, struct console *console);

/*
 * Ends the live page's questions and asks all boards once more, after
 * board_page_ask(). One that did not answer before is asked again half a minute
 * later, since that takes seconds (qemu/serial/sweep.h). Result: the states,
 * until board_page_close(); NULL: boards still do not answer a question of the
 * live page.
 */
struct ps *board_page_read(struct board_page *page);

/* Whether all nodes were well when they were asked last; true: they never
   were. */
bool board_page_well(struct board_page *page);

/* Writes the states that were read last as a page that is not live. Result: 0,
   or -1 after a message. */
NODISCARD int board_page_write(struct board_page *page, const char *path);

/* Ends the server, and the console: at once if its board is gone; one that is
   silent is left after seconds, for the process' end. NULL is fine. */
void board_page_close(struct board_page *page);

#endif
