/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stops all boards of a mesh while a debugger has stopped one; otherwise the
 * others would take that board for dead. Reads events of QEMU's monitors (STOP,
 * RESUME; "QEMU QMP Reference Manual") and creates the commands that follow
 * (stop, cont). A second debugger at the same time has no effect. Pure except
 * for struct wired_halt.
 */
#ifndef QEMU_SERIAL_HALT_H
#define QEMU_SERIAL_HALT_H

#include <stdint.h>

#define WIRED_HALT_NOBODY UINT32_MAX

/* First command to each monitor. QEMU answers each command once. */
#define WIRED_HALT_GREETING "{\"execute\":\"qmp_capabilities\"}\n"

struct wired_halt {
    uint32_t leader; /* board that a debugger has stopped */
};

/* Reads one line from a board's monitor. The caller's *pending counts
   unanswered commands to this board; STOP and RESUME events are ignored until
   it is 0. Returns the command for all other boards, with newline, or NULL. */
const char *wired_halt_receive(struct wired_halt *halt, uint32_t board,
                               uint32_t *pending, const char *line);

#endif
