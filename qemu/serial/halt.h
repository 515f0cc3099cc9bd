/* SPDX-License-Identifier: Apache-2.0 */
/* Stops all boards of a mesh while a debugger has stopped one of them;
   otherwise the others would take this one for dead. It reads the events of
   QEMU's monitors (STOP, RESUME; "QEMU QMP Reference Manual") and makes the
   commands that follow (stop, cont). While one board is stopped, a second
   debugger has no effect. Functions are pure but for struct wired_halt. */
#ifndef QEMU_SERIAL_HALT_H
#define QEMU_SERIAL_HALT_H

#include <stdint.h>

#define WIRED_HALT_NOBODY UINT32_MAX

/* First command to each monitor. QEMU answers every command once. */
#define WIRED_HALT_GREETING "{\"execute\":\"qmp_capabilities\"}\n"

struct wired_halt {
    uint32_t leader; /* index of the board that a debugger has stopped */
};

/* Reads one line of a board's monitor. *pending counts the commands that this
   board's monitor has not answered; until it is 0, events STOP and RESUME are
   ignored, since commands cause them, too. Returns the command for the monitors
   of all other boards, with its newline; or NULL. */
const char *wired_halt_receive(struct wired_halt *halt, uint32_t board,
                               uint32_t *pending, const char *line);

#endif
