/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mesh of emulated boards with serial ports; each board is a QEMU. Sockets
 * connect the boards as cables connect the UARTs of real ones. Nothing but
 * terminals under /dev/pts has a name in the file system. All boards end with
 * this program, even if it is killed.
 *
 * All functions must be called by one thread, which must live as long as the
 * mesh.
 */
#ifndef QEMU_SERIAL_WIRED_BOARDS_H
#define QEMU_SERIAL_WIRED_BOARDS_H

#include "hal/nodiscard.h"
#include "qemu/board/gdb.h"
#include "qemu/board/table.h"
#include "qemu/serial/cables.h"
#include "qemu/serial/forwarder.h"

#include <stdbool.h>

enum wired_console {
    WIRED_KEEP,   /* the forwarder reads the console and keeps its last lines */
    WIRED_SOCKET, /* the caller reads the console (wired_console()) */
    WIRED_TTY     /* the console is a pseudo-terminal (wired_tty()) */
};

struct wired_config {
    const char *qemu;
    const struct board_kind *kind;
    const char *firmware;
    /* path of each node's image; NULL, as a whole or for a node: `firmware` */
    const char *const *image;
    struct torus_size size;
    const uint8_t *console;          /* enum wired_console of each node */
    const struct wired_fault *fault; /* mistakes in the cables, in this order */
    uint32_t faults;
    /* Damage on links. Without damage, sockets connect the boards directly, and
       no byte passes through this process. */
    struct noise noise;
    bool cuts; /* true: wired_cut() and wired_strike() may be called */
    const struct gdb_door *gdb; /* gdb sockets, one for each node; or NULL */
};

struct wired;

/* Starts all boards. Afterwards the caller may free the configuration, but not
   its strings. Returns NULL after a message on stderr. */
struct wired *wired_start(const struct wired_config *config);

/* Returns this program's end of a console's socket, which is non-blocking.
   wired_stop() closes it. */
NODISCARD int wired_console(const struct wired *wired, uint32_t node);

/* Returns the path of a console's terminal, such as /dev/pts/7. */
const char *wired_tty(const struct wired *wired, uint32_t node);

/* Returns a descriptor that becomes readable when a board dies. */
NODISCARD int wired_fd(const struct wired *wired);

/* Returns whether a board has died that no earlier call told, and which. Never
   waits. */
bool wired_died(struct wired *wired, uint32_t *node);

/* Cuts the cable of a port: bytes are lost from now on, both ways. */
void wired_cut(struct wired *wired, uint32_t node, enum torus_port port);

/* Cuts all cables of a board, and sends a signal to its QEMU: SIGKILL, so that
   it dies, or SIGSTOP, so that it hangs. */
void wired_strike(struct wired *wired, uint32_t node, int signal_number);

/* Prints on stderr how a board died, and the last lines of its console. */
void wired_explain(struct wired *wired, uint32_t node);

/* Returns how many bytes links have carried, changed and lost. */
struct noise_counts wired_damage(const struct wired *wired);

/* Ends all boards and waits until they have exited. Accepts NULL. */
void wired_stop(struct wired *wired);

#endif
