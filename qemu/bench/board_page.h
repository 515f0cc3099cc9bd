/* SPDX-License-Identifier: Apache-2.0 */
/* The web page of a mesh of real boards: the state and last job of each node,
   and the counters of its links. Boards are asked over one console by peeks,
   messages that a node answers from its interrupts (qemu/serial/sweep.h). The
   page is a file, or live: boards are then asked every few seconds while a
   browser shows it. */
#ifndef QEMU_BENCH_BOARD_PAGE_H
#define QEMU_BENCH_BOARD_PAGE_H

#include "hal/nodiscard.h"
#include "qemu/serial/ps.h"

#include <stdint.h>

struct board_page;

/* Returns a page that is not live. It asks boards only in board_page_read(). */
struct board_page *board_page_new(struct torus_size size,
                                  struct torus_coord originator);

/* Serves a live page on a port (0: any free port) and prints its address on
   stderr. Returns NULL after a message. */
struct board_page *board_page_serve(uint16_t port, struct torus_size size,
                                    struct torus_coord originator);

/* Gives the page the console of the board at `originator`. A live page then
   begins to ask boards. Returns 0, or -1 after a message. */
NODISCARD int board_page_ask(struct board_page *page, struct console *console);

/* Keeps a live page from asking boards, and asks all boards once more.
   board_page_ask() must be called before. A board that does not answer costs
   seconds, so it is asked again only after half a minute. Returns the boards'
   states, valid until board_page_close(). Returns NULL if a live page still
   waits for an answer. */
struct ps *board_page_read(struct board_page *page);

/* Returns whether all nodes were well when they were last asked; true if none
   was asked. */
bool board_page_well(struct board_page *page);

/* Writes the boards' last states as a page to a file. Returns 0, or -1 after a
   message. */
NODISCARD int board_page_write(struct board_page *page, const char *path);

/* Ends the server and closes the console. If a live page still waits for an
   answer after three seconds, its memory and the console stay until the process
   ends. Accepts NULL. */
void board_page_close(struct board_page *page);

#endif
