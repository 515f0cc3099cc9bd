/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a debugger stops one board of a mesh, all others are to stop as well,
 * their clocks too, or they would take it for dead; when it goes on, they go
 * on. This file reads the events of QEMU's monitors (STOP, RESUME; "QEMU QMP
 * Reference Manual") and gives the orders that follow (stop, cont). One
 * debugger at a time: a second one is not followed. Pure, but for its own
 * state.
 */
#ifndef QEMU_SERIAL_HALT_H
#define QEMU_SERIAL_HALT_H

#include <stdint.h>

#define WIRED_HALT_NOBODY UINT32_MAX

/* Said to each monitor first, and then as orders; each is answered once. */
#define WIRED_HALT_GREETING "{\"execute\":\"qmp_capabilities\"}\n"

struct wired_halt {
    uint32_t leader; /* the board that a debugger has stopped */
};

/*
 * Reads one line from a board's monitor. *pending is the caller's count of
 * orders to this board that are not answered; STOP and RESUME that come
 * meanwhile are the effect of these orders and no debugger's. Result: the order
 * for all other boards, with its newline; NULL: none.
 */
const char *wired_halt_receive(struct wired_halt *halt, uint32_t board,
                               uint32_t *pending, const char *line);

#endif
