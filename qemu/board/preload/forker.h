/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protocol between a launcher and its zygote, the QEMU from which boards
 * are forked. The object of forker.c is preloaded into this QEMU. When QEMU has
 * made its types and parsed its options, it opens the file of the last option,
 * FORKER_FILE, and gets an empty file. If QEMU exports all needed symbols, it
 * then makes a machine, which does not start, and the zygote forks in QEMU's
 * main loop. Otherwise it forks inside that fopen(). It forks itself for each
 * request, and each board goes on as a QEMU of its own. qemu/board/DESIGN.md
 * says what a board makes anew.
 *
 *   launcher                    zygote                         board
 *      | <-- reply: 0, ready ---- |                              |
 *      | --- request, with a ---> |                              |
 *      |     socket and the       | -- fork --> middle -- fork -> |
 *      |     board's descriptors  | <- ends --    |              |
 *      |                          | closes that socket           |
 *      |    adopts it (PR_SET_CHILD_SUBREAPER)                   |
 *      | <-- reply: the board's pid, by that socket ------------- |
 *
 * If a fork fails, or a board dies before its reply, the launcher notices at
 * once, because no process has the other end of the reply's socket any more.
 *
 * Both programs run on one machine and are of one build: each packet of the
 * SOCK_SEQPACKET holds one structure as it lies in memory. The zygote ends when
 * the launcher closes its end. A QEMU without the preloaded object ends, too:
 * it cannot open FORKER_FILE, which is a socket.
 */
#ifndef QEMU_BOARD_PRELOAD_FORKER_H
#define QEMU_BOARD_PRELOAD_FORKER_H

#include <stdbool.h>
#include <sys/types.h>

/* Descriptors of the zygote: its end of the socket to the launcher, and the
   preloaded object. A board's own descriptors begin at FORKER_FD. */
#define FORKER_FD 3
#define FORKER_FILE "/proc/self/fd/3"
#define FORKER_OBJECT "/proc/self/fd/4"

#define FORKER_FDS_MAX 8u

/* A request for a board. The packet also carries (SCM_RIGHTS) the socket for
   the reply, and the board's descriptors FORKER_FD, FORKER_FD + 1 and so on. */
struct forker_request {
    pid_t launcher;
};

struct forker_reply {
    pid_t board;  /* process id of the board; 0: the zygote is ready */
    bool machine; /* true: boards are forked with a machine */
};

#endif
