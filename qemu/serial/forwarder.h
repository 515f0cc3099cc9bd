/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that connects emulated boards with serial ports. It passes bytes
   from board to board, and damages some of them by a seed. It connects consoles
   with pseudo-terminals, reads consoles that nobody else reads, and stops all
   boards when a debugger stops one (qemu/serial/halt.h). */
#ifndef QEMU_SERIAL_FORWARDER_H
#define QEMU_SERIAL_FORWARDER_H

#include "hal/nodiscard.h"
#include "qemu/serial/noise.h"

#include <stdint.h>
#include <stdio.h>

struct wired_forwarder;

/* Makes a forwarder for at most `ends` sockets. Its thread does not run yet.
   `noise` is the damage in both directions of each link. Returns NULL with
   errno. */
struct wired_forwarder *wired_forwarder_new(uint32_t ends,
                                            const struct noise *noise);

/*
 * Give sockets to the forwarder before its thread starts; they are then the
 * forwarder's. `a` and `b` are the numbers of a link's two directions, whose
 * damage differs. `node` is the board of a console.
 *
 * wired_forwarder_tty() opens a raw terminal and writes its name, such as
 * /dev/pts/7, to `name`. While no program has the terminal open, the board's
 * output is lost, as on a serial adapter. A program that has it open but does
 * not read makes the board wait.
 *
 * Return 0, or -1 with errno.
 */
NODISCARD int wired_forwarder_link(struct wired_forwarder *forwarder,
                                   const int fd[2], uint32_t a, uint32_t b);
NODISCARD int wired_forwarder_drain(struct wired_forwarder *forwarder, int fd,
                                    uint32_t node);
NODISCARD int wired_forwarder_monitor(struct wired_forwarder *forwarder, int fd,
                                      uint32_t node);
NODISCARD int wired_forwarder_tty(struct wired_forwarder *forwarder, int fd,
                                  uint32_t node, char *name, size_t name_bytes);

/* Starts the thread. All signals are blocked in it. Returns 0, or -1 with
   errno. */
NODISCARD int wired_forwarder_start(struct wired_forwarder *forwarder);

/* Returns how many bytes links have carried, changed and lost. Any thread may
   call this. */
struct noise_counts wired_forwarder_damage(struct wired_forwarder *forwarder);

/* Prints the last lines of a node's console, if the forwarder reads it. */
void wired_forwarder_last_words(struct wired_forwarder *forwarder, FILE *out,
                                uint32_t node);

/* Ends the thread and closes all sockets and terminals. Accepts NULL. */
void wired_forwarder_stop(struct wired_forwarder *forwarder);

#endif
