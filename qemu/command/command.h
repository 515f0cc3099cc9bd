/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The subcommands of `quincunx`, each in the file of its name. argv[0] is the
 * subcommand's full name, such as "quincunx run"; options and words follow.
 * Results go to standard output, what is wrong to standard error. Result: the
 * exit status: 0; 1, failed; 2, wrong usage; 130, interrupted by Ctrl-C.
 */
#ifndef QEMU_COMMAND_COMMAND_H
#define QEMU_COMMAND_COMMAND_H

#include "hal/nodiscard.h"

/* Starts a mesh of emulated boards with serial ports, prints where their
   consoles are, and runs until Ctrl-C, SIGTERM, or the end of standard input:
   0. 1: a board died or could not be started. */
NODISCARD int boards_command(int argc, char **argv);

/* Sends probes through a mesh and prints what circuits cost and how the nodes'
   clocks go. */
NODISCARD int calibrate_command(int argc, char **argv);

/* Prints every circuit of the scatter. Cost: O(nodes) for each phase. */
NODISCARD int certificate_command(int argc, char **argv);

/* Runs one job with every schedule and compares them. */
NODISCARD int compare_command(int argc, char **argv);

/* Prints a board's reply to one command. 0: it says `ok`; 1: `err`, or
   nothing. */
NODISCARD int console_command(int argc, char **argv);

/* Writes a firmware image to one board, or to all of a map, through OpenOCD,
   stm32flash or dfu-util. A probe or DFU device is always named by its serial
   number. 1: a map or image that cannot be used, or a board that failed. */
NODISCARD int flash_command(int argc, char **argv);

/* Lists the devices through which boards can be flashed, and writes a map of
   them. 1: nothing is plugged in, or the map exists or cannot be written. */
NODISCARD int flash_list_command(int argc, char **argv);

/* Writes the page of a report. */
NODISCARD int html_command(int argc, char **argv);

/* Lets the LED of one board or of all blink. 0: all that are meant answered. */
NODISCARD int identify_command(int argc, char **argv);

/* Lists the kernels and their arguments. */
NODISCARD int kernels_command(int argc, char **argv);

/* Prints bytes and errors that every port of every node has counted. 0: all
   nodes answered. */
NODISCARD int links_command(int argc, char **argv);

/* Has the boards find each other, and prints and draws the faults of the
   wiring. 0: there are none. */
NODISCARD int mesh_command(int argc, char **argv);

/* Prints the plan of another platform: a star, a farm, several masters. */
NODISCARD int model_command(int argc, char **argv);

/* Prints image, clock, reset cause, uptime and the like of every node. 0: all
   answered, and none differs. */
NODISCARD int nodes_command(int argc, char **argv);

/* Prints the plan of a scatter. */
NODISCARD int plan_command(int argc, char **argv);

/* Prints the state, last step and fault of every node of a mesh of boards. 0:
   all are well. */
NODISCARD int ps_command(int argc, char **argv);

/* Resets one board or all, and waits until they answer again. 0: all that are
   meant do. */
NODISCARD int reset_command(int argc, char **argv);

/* Runs one job and writes its report, pictures and output. */
NODISCARD int run_command(int argc, char **argv);

#endif
