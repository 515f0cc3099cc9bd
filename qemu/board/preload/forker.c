/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/preload/forker.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct request {
    struct forker_request head;
    int fd[FORKER_FDS_MAX];
    unsigned fds;
};

/* The function of that name in the libraries after this object, or, with
   RTLD_DEFAULT, in the program itself; NULL: there is none. */
static void find(void *function, void *where, const char *name)
{
    void *found = dlsym(where, name);

    memcpy(function, &found, sizeof found);
}

/* QEMU makes a class when somebody first asks for it; to find its machine, each
   board asks for those of all machines. So they are made once, here. */
static void make_classes(void)
{
    void *(*object_class_get_list)(const char *type, bool abstract_too);

    find(&object_class_get_list, RTLD_DEFAULT, "object_class_get_list");
    if (object_class_get_list != NULL) {
        object_class_get_list("machine", false);
    }
}

static void reply(pid_t board)
{
    const struct forker_reply packet = {.board = board};

    if (send(FORKER_FD, &packet, sizeof packet, MSG_NOSIGNAL) < 0) {
        _exit(0);
    }
}

/* Result: false at the end of the launcher's requests. */
static bool receive(struct request *request)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof request->fd)];
    } control;
    struct iovec part = {.iov_base = &request->head,
                         .iov_len = sizeof request->head};
    struct msghdr packet = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = &control,
                            .msg_controllen = sizeof control};
    struct cmsghdr *rights;
    ssize_t got;

    do {
        got = recvmsg(FORKER_FD, &packet, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got != sizeof request->head) {
        return false;
    }
    rights = CMSG_FIRSTHDR(&packet);
    request->fds = rights == NULL
                       ? 0
                       : (unsigned)((rights->cmsg_len - CMSG_LEN(0)) /
                                    sizeof *request->fd);
    if (request->fds > 0) {
        memcpy(request->fd, CMSG_DATA(rights),
               request->fds * sizeof *request->fd);
    }
    return true;
}

static void close_all(const struct request *request)
{
    for (unsigned i = 0; i < request->fds; ++i) {
        close(request->fd[i]);
    }
}

/* In the board: waits until the process that forked it has ended and the
   launcher has adopted it; then it dies with the launcher, which may have died
   just before that. */
static void await_adoption(pid_t launcher, pid_t middle)
{
    while (getppid() == middle) {
        sched_yield();
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launcher) {
        _exit(0);
    }
}

/* In the board. The descriptors that came are above those that it needs, and
   rise: none is overwritten before it was copied. */
static void become_board(const struct request *request, pid_t middle)
{
    setpgid(0, 0);
    await_adoption(request->head.launcher, middle);
    reply(getpid());
    for (unsigned i = 0; i < request->fds; ++i) {
        dup2(request->fd[i], FORKER_FD + (int)i);
    }
    for (unsigned i = 0; i < request->fds; ++i) {
        if (request->fd[i] >= FORKER_FD + (int)request->fds) {
            close(request->fd[i]);
        }
    }
}

/*
 * Result: true in the board; false in the zygote. The process between them
 * shares the zygote's memory, so that there is one copy of it to make, not two.
 */
static bool fork_board(const struct request *request)
{
    pid_t middle = vfork();
    int status = 0;

    if (middle == 0) {
        pid_t self = getpid();
        pid_t board = fork();

        if (board == 0) {
            become_board(request, self);
            return true;
        }
        _exit(board < 0);
    }
    if (middle < 0 || waitpid(middle, &status, 0) != middle || status != 0) {
        reply(-1);
    }
    close_all(request);
    return false;
}

/* Returns in boards only. */
static void serve(void)
{
    struct request request;

    make_classes();
    reply(0);
    while (receive(&request)) {
        if (fork_board(&request)) {
            return;
        }
    }
    _exit(0);
}

/* fopen(), by either of the library's names for it. */
static FILE *open_stream(const char *name, const char *path, const char *mode)
{
    FILE *(*next)(const char *path, const char *mode);

    find(&next, RTLD_NEXT, name);
    if (strcmp(path, FORKER_FILE) == 0) {
        serve();
        path = "/dev/null";
    }
    return next(path, mode);
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    return open_stream("fopen", path, mode);
}

FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    return open_stream("fopen64", path, mode);
}
