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

/* Checks emulator_program() before boards start. qemu-system-arm must be on the
   PATH. A program that QUINCUNX_QEMU names must list the board's machine within
   ten seconds after `-machine help`; this takes one start of QEMU, about 0.1 s,
   and leaves no process behind. Returns 0, or an exit status after a message on
   stderr: 2 if QUINCUNX_QEMU or the board is wrong, else 1. A message for 1
   ends with `otherwise`: "", or what to do without QEMU. */
NODISCARD int emulator_check(const struct board_kind *board,
                             const char *otherwise);

/* Returns whether a QEMU, given by path or name on the PATH, supports -sandbox
   on, which blocks unneeded system calls: it is linked with libseccomp. A
   script counts as one that does not. Cost: reading the file, about 1 ms. */
NODISCARD bool emulator_has_sandbox(const char *program);

#define EMULATOR_VERSION_BYTES 64u

/* Writes the beginning of the first line that QEMU prints for --version; "" if
   it prints nothing within ten seconds. Cost: one start of QEMU. */
void emulator_version(char text[EMULATOR_VERSION_BYTES]);

#endif
