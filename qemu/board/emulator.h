/* SPDX-License-Identifier: Apache-2.0 */
/* The QEMU that emulates boards. The environment variable QUINCUNX_QEMU names
   it, as a path or as a name on the PATH; without the variable, or if it is
   empty, it is qemu-system-arm. */
#ifndef QEMU_BOARD_EMULATOR_H
#define QEMU_BOARD_EMULATOR_H

#include "hal/nodiscard.h"
#include "qemu/board/table.h"

#include <stdbool.h>

#define EMULATOR_VARIABLE "QUINCUNX_QEMU"
#define EMULATOR_THREADS 3ul /* threads of a board's QEMU: loop, RCU, CPU */

/* Returns the program's name or path, valid until the environment changes. */
const char *emulator_program(void);

/* Checks emulator_program() before boards start. qemu-system-arm must be on the
   PATH. Another program must list the board's machine within ten seconds after
   `-machine help`; this takes about 0.1 s. Returns 0, or an exit status after a
   message on stderr: 2 if QUINCUNX_QEMU or the board is wrong, else 1. The
   message for 1 ends with `otherwise`: what to do without QEMU, or "". */
NODISCARD int emulator_check(const struct board_kind *board,
                             const char *otherwise);

/* Returns whether a QEMU, given by path or name on the PATH, supports `-sandbox
   on`, which blocks system calls that it does not need: the program is linked
   with libseccomp. Returns false for a script. Cost: reading the file, about 1
   ms. */
NODISCARD bool emulator_has_sandbox(const char *program);

#define EMULATOR_VERSION_BYTES 64u

/* Writes the begin of the first line that QEMU prints for --version, or "" if
   it prints nothing within ten seconds. Cost: one start of QEMU. */
void emulator_version(char text[EMULATOR_VERSION_BYTES]);

#endif
