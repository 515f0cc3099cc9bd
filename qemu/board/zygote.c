/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/board/zygote.h"

#include "qemu/board/preload/forker.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/memory.h"
#include "qemu/base/process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_MS 200
#define ANSWER_MS 30000
/* longest wait for a forked board on a busy host, ms */
#define FORKED_MS 120000
#define PRELOAD "LD_PRELOAD"

static_assert(PROCESS_FD == FORKER_FD, "both count a board's descriptors");
static_assert(PROCESS_FDS_MAX == FORKER_FDS_MAX, "both have room for as many");

struct zygote {
    pid_t pid;
    int socket;
    bool has_machine;
};

/* ---- messages ---- */

/* Receives a reply. Returns 1; or 0 if the other end of the socket is closed;
   or -1 with errno. */
static int receive(int socket, struct forker_reply *reply, int ms)
{
    struct pollfd poll_fd = {.fd = socket, .events = POLLIN};
    ssize_t got;

    /* Waits are short, because signals may be blocked and must be looked
       for. */
    while (host_clock_poll(host_clock(), &poll_fd,
                           LOOK_MS * HOST_CLOCK_MS_NS) != 1) {
        ms -= LOOK_MS;
        if (ms <= 0 || process_signal_pending() != 0) {
            errno = ms <= 0 ? ETIMEDOUT : EINTR;
            return -1;
        }
    }
    got = recv(socket, reply, sizeof *reply, 0);
    return got == sizeof *reply;
}

/* Sends a request for a board. fd[0] is the socket for the reply. Returns
   whether it was sent. */
static bool send_request(const struct zygote *zygote, const int *fd,
                         unsigned fds)
{
    struct forker_request request = {.launcher = getpid()};
    struct iovec part = {.iov_base = &request, .iov_len = sizeof request};
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE((1 + FORKER_FDS_MAX) * sizeof *fd)];
    } control = {{0}};
    struct msghdr packet = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = &control,
                            .msg_controllen = CMSG_SPACE(fds * sizeof *fd)};

    control.head = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
                                    .cmsg_type = SCM_RIGHTS,
                                    .cmsg_len = CMSG_LEN(fds * sizeof *fd)};
    memcpy(CMSG_DATA(&control.head), fd, fds * sizeof *fd);
    return sendmsg(zygote->socket, &packet, MSG_NOSIGNAL) == sizeof request;
}

/* ---- the zygote's process ---- */

/* Returns the launcher's environment with `preload` added. The caller frees the
   array, not its strings. */
static char **make_environment(char *preload)
{
    size_t count = 0;
    size_t kept = 0;
    char **with;

    while (environ[count] != NULL) {
        ++count;
    }
    with = memory_or_exit(calloc(count + 2, sizeof *with));
    with[kept++] = preload;
    for (size_t i = 0; i < count; ++i) {
        if (strncmp(environ[i], PRELOAD "=", sizeof PRELOAD) != 0) {
            with[kept++] = environ[i];
        }
    }
    return with;
}

/* Starts the zygote's QEMU. LD_PRELOAD names zygote.so by its descriptor, since
   a path may contain colons and spaces, at which the loader splits
   LD_PRELOAD. */
static pid_t start_process(char *const *argv, int log, int socket, int object)
{
    const char *others = getenv(PRELOAD);
    const int fd[] = {socket, object};
    struct process_config process = {
        .argv = argv, .fd = fd, .fds = 2, .log = log, .small_pages = true};
    char *preload = NULL;
    pid_t pid = -1;

    if (asprintf(&preload, PRELOAD "=" FORKER_OBJECT "%s%s",
                 others != NULL ? ":" : "", others != NULL ? others : "") > 0) {
        process.environment = make_environment(preload);
        pid = process_start(&process);
        free(process.environment);
        free(preload);
    }
    return pid;
}

static const char *await_ready(struct zygote *zygote)
{
    struct forker_reply reply;
    int result =
        zygote->pid < 0 ? 0 : receive(zygote->socket, &reply, ANSWER_MS);

    if (zygote->pid < 0) {
        return "QEMU could not be started";
    }
    zygote->has_machine = result == 1 && reply.machine;
    return result == 1      ? NULL
           : result == 0    ? "this QEMU does not take zygote.so"
           : errno == EINTR ? "interrupted"
                            : "QEMU with zygote.so did not answer within 30 s";
}

struct zygote *zygote_start(const char **why, const char *path,
                            char *const *argv, int log)
{
    int object = open(path, O_RDONLY | O_CLOEXEC);
    struct zygote *zygote;
    int pair[2];

    if (object < 0) {
        *why = "zygote.so is not beside this program";
        return NULL;
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        close(object);
        *why = "there is no socket for a zygote";
        return NULL;
    }
    zygote = memory_or_exit(calloc(1, sizeof *zygote));
    zygote->socket = pair[0];
    /* This is set once and not at each fork, because the kernel then walks all
       children. */
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    zygote->pid = start_process(argv, log, pair[1], object);
    close(pair[1]);
    close(object);
    *why = await_ready(zygote);
    if (*why != NULL) {
        zygote_stop(zygote);
        (void)!ftruncate(log, 0);
        return NULL;
    }
    return zygote;
}

pid_t zygote_fork(struct zygote *zygote, const int *fd, unsigned fds)
{
    struct forker_reply reply = {.board = 0};
    int all[1 + FORKER_FDS_MAX];
    int pair[2];
    bool sent;
    int result;

    assert(fds <= FORKER_FDS_MAX);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return -1;
    }
    all[0] = pair[1];
    memcpy(all + 1, fd, fds * sizeof *fd);
    sent = send_request(zygote, all, 1 + fds);
    close(pair[1]);
    result = sent ? receive(pair[0], &reply, FORKED_MS) : 0;
    close(pair[0]);
    if (result < 0) {
        return -1;
    }
    return result == 1 ? reply.board : 0;
}

bool zygote_has_machine(const struct zygote *zygote)
{
    return zygote->has_machine;
}

void zygote_stop(struct zygote *zygote)
{
    if (zygote == NULL) {
        return;
    }
    close(zygote->socket);
    if (zygote->pid > 0) {
        kill(-zygote->pid, SIGKILL);
        /* Reaps the zygote, and forks that never became boards. */
        while (waitpid(-zygote->pid, NULL, 0) > 0) {
        }
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
    free(zygote);
}
