/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protocol between a launcher and its zygote. A zygote is a QEMU into which
 * the object of forker.c is preloaded. When QEMU has made its types and parsed
 * its options, it opens the file of the last option, FORKER_FILE, and gets an
 * empty file. If QEMU has all needed symbols, it makes a machine that is not
 * started, and the zygote serves in QEMU's main loop; else it serves inside
 * that fopen(). It forks itself for each request, and each board goes on as a
 * QEMU of its own. qemu/board/DESIGN.md says what a board makes anew.
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
 * A failed fork, or a board that dies before its reply, is noticed at once:
 * no process has the other end of the reply's socket any more.
 *
 * Both ends run on one machine and are of one build: each packet of the
 * SOCK_SEQPACKET holds one structure as it lies in memory. The zygote ends when
 * the launcher closes its end. A QEMU without the object ends, too: it cannot
 * open FORKER_FILE, which is a socket.
 */
#ifndef QEMU_BOARD_PRELOAD_FORKER_H
#define QEMU_BOARD_PRELOAD_FORKER_H

#include <stdbool.h>
#include <sys/types.h>

/* Descriptors of the zygote: its end of the socket, and the preloaded object. A
   board's own descriptors begin at FORKER_FD. */
#define FORKER_FD 3
#define FORKER_FILE "/proc/self/fd/3"
#define FORKER_OBJECT "/proc/self/fd/4"

#define FORKER_FDS_MAX 8u

/* A request. The packet also carries (SCM_RIGHTS) the socket for the reply and
   the board's descriptors FORKER_FD, FORKER_FD + 1 and so on. */
struct forker_request {
    pid_t launcher;
};

struct forker_reply {
    pid_t board;  /* 0: the zygote is ready */
    bool machine; /* forked boards have a machine already */
};

#endif
