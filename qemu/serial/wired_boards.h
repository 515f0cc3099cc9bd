/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mesh of emulated boards with serial ports: one QEMU for each, wired port to
 * port by sockets that both sides inherit, as cables join the UARTs of real
 * boards. Nothing has a name in the file system but terminals under /dev/pts;
 * everything ends with the launcher, also when that is killed.
 *
 * One thread, the one that started it and lives as long, calls all of this.
 */
#ifndef QEMU_SERIAL_WIRED_BOARDS_H
#define QEMU_SERIAL_WIRED_BOARDS_H

#include "hal/nodiscard.h"
#include "qemu/board/gdb.h"
#include "qemu/board/table.h"
#include "qemu/serial/cables.h"
#include "qemu/serial/forwarder.h"

#include <stdbool.h>

/* Where a board's console goes. */
enum wired_console {
    WIRED_KEEP,   /* read by the forwarder, which keeps the last lines */
    WIRED_SOCKET, /* to the caller: wired_console() */
    WIRED_TTY     /* to a pseudo-terminal: wired_tty() */
};

struct wired_config {
    const char *qemu; /* program name */
    const struct board_kind *kind;
    const char *firmware;     /* path of the image */
    const char *const *image; /* by node: another image, or NULL; or NULL */
    struct torus_size size;
    const uint8_t *console;          /* enum wired_console by node */
    const struct wired_fault *fault; /* made one after the other */
    uint32_t faults;
    /* Damage on links. Without any they are sockets from board to board, and no
       byte goes through this process. */
    struct noise noise;
    const struct gdb_door *gdb; /* by node, for debuggers; or NULL */
};

struct wired;

/*
 * Starts all boards. The configuration and what it points to stay the
 * caller's; but for the strings it may go afterwards. NULL after a message on
 * stderr.
 */
struct wired *wired_start(const struct wired_config *config);

/* The launcher's end of a console's socket, non-blocking; closed by stop. */
NODISCARD int wired_console(const struct wired *wired, uint32_t node);

/* The name of a console's terminal, such as /dev/pts/7. */
const char *wired_tty(const struct wired *wired, uint32_t node);

/* A descriptor that becomes readable when a board dies. */
NODISCARD int wired_fd(const struct wired *wired);

/* Whether another board has died, one that no earlier call reported; never
   waits. */
bool wired_died(struct wired *wired, uint32_t *node);

/* Prints on stderr how a board died and the last lines of its console. */
void wired_explain(struct wired *wired, uint32_t node);

/* The bytes that the links carried, changed and lost so far. */
struct noise_counts wired_damage(const struct wired *wired);

/* Ends all boards, and waits until they are gone; NULL is allowed. */
void wired_stop(struct wired *wired);

#endif
