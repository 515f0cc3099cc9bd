/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into a program, this makes it a server: once its libraries are
 * loaded, which takes the host command 30 ms, it forks for every request, and
 * the child becomes the program with the request's words (forked.py).
 *
 * A request is a packet on standard input: two u32, the numbers of words and of
 * variables; the folder, the words and the variables, each ended by NUL; with
 * the three standard streams. The answers are two i32: the child's number, then
 * its status, as of waitpid().
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET 0
#define STREAMS 3
#define REQUEST_MAX (1u << 20)

typedef int start_main(int (*main)(int, char **, char **), int argc,
                       char **argv, void (*init)(void), void (*fini)(void),
                       void (*rtld_fini)(void), void *stack_end);

start_main __libc_start_main;

static char request[REQUEST_MAX];
static int stream[STREAMS];

/* Returns the length of a request; 0: there are no more. */
static size_t receive(void)
{
    union {
        char bytes[CMSG_SPACE(sizeof stream)];
        struct cmsghdr align;
    } control;
    struct iovec all = {request, sizeof request};
    struct msghdr message = {.msg_iov = &all,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t bytes = recvmsg(SOCKET, &message, MSG_CMSG_CLOEXEC);

    if (bytes <= 0 || message.msg_controllen < CMSG_LEN(sizeof stream)) {
        return 0;
    }
    memcpy(stream, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof stream);
    return (size_t)bytes;
}

/* Returns the words, NULL, the variables, NULL: as a program finds them. */
static char **take_words(int *argc)
{
    uint32_t count[2];
    char *at = request + sizeof count;
    char **word;
    char **next;

    memcpy(count, request, sizeof count);
    word = next = calloc(count[0] + count[1] + 2u, sizeof *word);
    if (word == NULL || chdir(at) != 0) {
        _exit(127);
    }
    for (unsigned list = 0; list < 2; ++list) {
        for (uint32_t i = 0; i < count[list]; ++i) {
            at += strlen(at) + 1;
            *next++ = at;
        }
        next++;
    }
    environ = word + count[0] + 1;
    *argc = (int)count[0];
    return word;
}

static void answer(int32_t value)
{
    if (write(SOCKET, &value, sizeof value) != sizeof value) {
        _exit(0);
    }
}

/* Serves until the socket is closed. Returns in a child. */
static void serve(void)
{
    while (receive() > 0) {
        pid_t child = fork();
        int status = 0;

        if (child == 0) {
            for (int i = 0; i < STREAMS; ++i) {
                dup2(stream[i], i);
                close(stream[i]);
            }
            return;
        }
        for (int i = 0; i < STREAMS; ++i) {
            close(stream[i]);
        }
        answer(child);
        waitpid(child, &status, 0);
        answer(status);
    }
    _exit(0);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                      void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    start_main *next;

    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    serve();
    argv = take_words(&argc);
    return next(main, argc, argv, init, fini, rtld_fini, stack_end);
}
