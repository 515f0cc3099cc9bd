/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that connects the sockets of emulated boards. It forwards bytes over
   links and damages some, by a seed. It connects consoles to pseudo-terminals,
   reads unused consoles, and stops all boards when a debugger stops one
   (qemu/serial/halt.h). */
#ifndef QEMU_SERIAL_FORWARDER_H
#define QEMU_SERIAL_FORWARDER_H

#include "hal/nodiscard.h"
#include "qemu/serial/noise.h"

#include <stdint.h>
#include <stdio.h>

struct wired_forwarder;

/* Makes a forwarder for at most `ends` sockets; its thread is not started.
   `noise` damages both directions of links. Returns NULL with errno. */
struct wired_forwarder *wired_forwarder_new(uint32_t ends,
                                            const struct noise *noise);

/*
 * Give sockets to the forwarder, which then owns them, before its thread
 * starts. `a` and `b` number the two directions of a link, each with its
 * own damage. `node` is the board of a console.
 *
 * wired_forwarder_tty() opens a raw terminal and writes its name, such as
 * /dev/pts/7, to `name`. The terminal remains when no program has it open; the
 * board's output is then lost, as on a serial adapter. A program that has it
 * open but does not read will stop the board.
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

/* Starts the thread, with all signals blocked. Returns 0, or -1 with errno. */
NODISCARD int wired_forwarder_start(struct wired_forwarder *forwarder);

/* Returns the numbers of bytes carried, changed and lost. Any thread may call
   this. */
struct noise_counts wired_forwarder_damage(struct wired_forwarder *forwarder);

/* Prints the last lines of the node's console, if the forwarder reads it. */
void wired_forwarder_last_words(struct wired_forwarder *forwarder, FILE *out,
                                uint32_t node);

/* Ends the thread and closes everything. `forwarder` may be NULL. */
void wired_forwarder_stop(struct wired_forwarder *forwarder);

#endif
