/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands between sockets of boards, in a thread of its own: carries bytes
 * from end to end of links, damaging some by a seed; joins consoles to
 * pseudo-terminals; reads consoles that nobody else reads; stops all boards
 * when a debugger stops one (see qemu/serial/halt.h).
 */
#ifndef QEMU_SERIAL_FORWARDER_H
#define QEMU_SERIAL_FORWARDER_H

#include "hal/nodiscard.h"
#include "qemu/serial/noise.h"

#include <stdint.h>
#include <stdio.h>

struct wired_forwarder;

/* Makes a forwarder for at most `ends` sockets, without its thread yet. Each
   direction of a link damages its bytes by `noise`. Result: NULL with errno. */
struct wired_forwarder *wired_forwarder_new(uint32_t ends,
                                            const struct noise *noise);

/*
 * Hand sockets over before the thread starts; they become the forwarder's. `a`
 * and `b` number the two directions of a link, each of which has damage of its
 * own; `node` is the board of a console.
 *
 * A terminal is opened by wired_forwarder_tty() and its name, such as
 * /dev/pts/7, written to `name`. It is raw, and stays while nobody has it open;
 * what the board says meanwhile is lost, as it is on a serial adapter. A
 * program that has it open and does not read stops its board at last.
 *
 * Results: 0; -1 with errno.
 */
NODISCARD int wired_forwarder_link(struct wired_forwarder *forwarder,
                                   const int fd[2], uint32_t a, uint32_t b);
NODISCARD int wired_forwarder_drain(struct wired_forwarder *forwarder, int fd,
                                    uint32_t node);
NODISCARD int wired_forwarder_monitor(struct wired_forwarder *forwarder, int fd,
                                      uint32_t node);
NODISCARD int wired_forwarder_tty(struct wired_forwarder *forwarder, int fd,
                                  uint32_t node, char *name, size_t name_bytes);

/* Starts the thread, with all signals blocked. 0; -1 with errno. */
NODISCARD int wired_forwarder_start(struct wired_forwarder *forwarder);

/* The bytes carried, changed and lost so far; may be called from any thread. */
struct noise_counts wired_forwarder_damage(struct wired_forwarder *forwarder);

/* Prints the last lines of the node's console, if the forwarder reads it. */
void wired_forwarder_last_words(struct wired_forwarder *forwarder, FILE *out,
                                uint32_t node);

/* Ends the thread, closes everything. NULL is allowed. */
void wired_forwarder_stop(struct wired_forwarder *forwarder);

#endif
