/* SPDX-License-Identifier: Apache-2.0 */
/* The QEMU program that emulates boards: named by the environment variable
   QUINCUNX_QEMU, as a path or a name on the PATH; qemu-system-arm if the
   variable is empty or not set. */
#ifndef QEMU_BOARD_EMULATOR_H
#define QEMU_BOARD_EMULATOR_H

#include "hal/nodiscard.h"
#include "qemu/board/table.h"

#include <stdbool.h>

#define EMULATOR_VARIABLE "QUINCUNX_QEMU"
#define EMULATOR_THREADS 3ul /* threads of a board: loop, RCU, CPU */

/* Returns the program's name or path, valid until the environment changes. */
const char *emulator_program(void);

/* Checks the program before boards start. The default must be on the PATH; a
   program named by the variable must list the board's machine within ten
   seconds after `-machine help`. `otherwise` ends the message about the
   default: "", or what to do without it. Returns 0; or, after a message on
   stderr, the exit status: 1 for the default, 2 for the variable's. Leaves
   no process behind. Cost: one start of QEMU, about 0.1 s, if the variable
   is set. */
NODISCARD int emulator_check(const struct board_kind *board,
                             const char *otherwise);

/* Returns whether a QEMU, given by path or name on the PATH, supports -sandbox
   on, which blocks unneeded system calls: it is linked with libseccomp. A
   script counts as one that does not. Cost: reading the file, about 1 ms. */
NODISCARD bool emulator_has_sandbox(const char *program);

#define EMULATOR_VERSION_BYTES 64u

/* Writes the beginning of the first line of the program's --version; "" if it
   prints nothing within ten seconds. Cost: one start of QEMU. */
void emulator_version(char text[EMULATOR_VERSION_BYTES]);

#endif
