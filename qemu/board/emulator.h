/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The QEMU that boards run in: the program that the environment variable
 * QUINCUNX_QEMU names, by path or by a name on the PATH; qemu-system-arm if
 * the variable is empty or not set.
 */
#ifndef QEMU_BOARD_EMULATOR_H
#define QEMU_BOARD_EMULATOR_H

#include "hal/nodiscard.h"
#include "qemu/board/table.h"

#include <stdbool.h>

#define EMULATOR_VARIABLE "QUINCUNX_QEMU"
#define EMULATOR_THREADS 3ul /* of a board: main loop, RCU, processor */

/* The program's name or path, valid as long as the environment is not changed.
 */
const char *emulator_program(void);

/*
 * Checks the program before boards are started: the default must be on the
 * PATH, and the variable's must list the board's machine within ten seconds of
 * being asked with `-machine help`. `otherwise` ends the default's message: "",
 * or what to do without it. Result: 0; or after a message on stderr the exit
 * status: 1 for the default, 2 for the variable's. No process is left behind.
 * Cost: one start of QEMU, about 0.1 s, where the variable is set.
 */
NODISCARD int emulator_check(const struct board_kind *board,
                             const char *otherwise);

/*
 * Whether such a program, by path or by a name on the PATH, can shut itself off
 * from system calls that it does not need (-sandbox on): it is linked with
 * libseccomp. A script in its place is taken for one that cannot. Cost: a look
 * at the file, about 1 ms.
 */
NODISCARD bool emulator_has_sandbox(const char *program);

#define EMULATOR_VERSION_BYTES 64u

/* Tells the program's version: the beginning of its first line after --version;
   "" if it says nothing within ten seconds. Cost: one start of QEMU. */
void emulator_version(char text[EMULATOR_VERSION_BYTES]);

#endif
