/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launcher and its zygote say to each other. A zygote is a QEMU into
 * which the object of forker.c is preloaded: when it has made its types and
 * parsed its options, it opens the last one's file, FORKER_FILE, and gets an
 * empty one. If the QEMU has what that takes, it goes on to make a machine that
 * is not started, and stays in its main loop; else it stays here. In that place
 * it forks itself for each request, and each board goes on as a QEMU that was
 * started for it alone. qemu/board/DESIGN.md says what a board makes anew.
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
 * Who could not be forked, or dies before its reply, is known at once: nobody
 * has the other end of that socket any more.
 *
 * Both ends are on one machine and of one build: structures as they lie in
 * memory, one in each packet of a SOCK_SEQPACKET. The zygote ends with the
 * launcher's end of the socket. A QEMU that does not have the object ends, too:
 * a socket cannot be opened by its name.
 */
#ifndef QEMU_BOARD_PRELOAD_FORKER_H
#define QEMU_BOARD_PRELOAD_FORKER_H

#include <stdbool.h>
#include <sys/types.h>

/* The zygote's descriptors: its end of the socket, and the object itself. A
   board's own begin at the first of these. */
#define FORKER_FD 3
#define FORKER_FILE "/proc/self/fd/3"
#define FORKER_OBJECT "/proc/self/fd/4"

#define FORKER_FDS_MAX 8u

/* With the socket for the reply, and then the board's descriptors FORKER_FD,
   FORKER_FD + 1, .. (SCM_RIGHTS). */
struct forker_request {
    pid_t launcher;
};

struct forker_reply {
    pid_t board; /* 0: ready for requests */
    bool
        machine; /* the zygote has made one, and boards have it from the fork */
};

#endif
