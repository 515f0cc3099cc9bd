/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host programs at the consoles of a bench, in the boards' own time
 * (qemu/console/model_port.h): it goes on only while a host waits for a board.
 * The hosts at several consoles are one program, which waits for one at a time.
 */
#ifndef TEST_BOARDS_CHIP_HOST_H
#define TEST_BOARDS_CHIP_HOST_H

#include "test/boards/chip/bench.h"

/* Listens for a host at a board's console. False: that socket cannot be. */
bool host_listen(struct bench_board *board, const char *path);

/*
 * Lives by what the hosts ask for, until that time. Result: whether it has
 * come; false: no host has asked for anything for HOST_LOOK_MS of real time,
 * since there is none, or it is busy.
 */
#define HOST_LOOK_MS 50
bool host_serve(struct bench *bench, uint64_t until_fs);

/* Closes the board's socket. */
void host_end(struct bench_board *board);

#endif
