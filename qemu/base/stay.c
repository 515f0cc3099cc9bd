/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/stay.h"

#include "qemu/base/process.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

int stay_begin(struct stay *stay, int input)
{
    sigset_t caught;

    process_ending_signals(&caught);
    sigprocmask(SIG_BLOCK, &caught, &stay->before);
    signal(SIGTTIN, SIG_IGN);
    stay->input = input;
    stay->signals = signalfd(-1, &caught, SFD_CLOEXEC);
    if (stay->signals < 0) {
        perror("quincunx: signals");
        sigprocmask(SIG_SETMASK, &stay->before, NULL);
        return -1;
    }
    return 0;
}

/* Returns whether the input has ended. A background process gets EIO from its
   terminal; then input is no longer read, but it has not ended. */
static bool input_ended(struct stay *stay)
{
    char ignored[256];
    ssize_t got = read(stay->input, ignored, sizeof ignored);

    if (got < 0 && errno == EIO) {
        stay->input = -1;
    }
    return got == 0 ||
           (got < 0 && errno != EIO && errno != EINTR && errno != EAGAIN);
}

const char *stay_wait(struct stay *stay, int other)
{
    for (;;) {
        struct pollfd on[] = {{.fd = stay->signals, .events = POLLIN},
                              {.fd = other, .events = POLLIN},
                              {.fd = stay->input, .events = POLLIN}};

        if (poll(on, sizeof on / sizeof *on, -1) < 0) {
            continue;
        }
        if (on[0].revents != 0) {
            return "interrupted";
        }
        if (on[1].revents != 0) {
            return NULL;
        }
        if (on[2].revents != 0 && input_ended(stay)) {
            return "standard input ended";
        }
    }
}

void stay_end(struct stay *stay)
{
    struct signalfd_siginfo taken;
    struct pollfd on = {.fd = stay->signals, .events = POLLIN};

    while (poll(&on, 1, 0) > 0 &&
           read(stay->signals, &taken, sizeof taken) == sizeof taken) {
    }
    close(stay->signals);
    sigprocmask(SIG_SETMASK, &stay->before, NULL);
}

int stay_input(void)
{
    struct stat status;
    bool some = fstat(STDIN_FILENO, &status) == 0 &&
                (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) ||
                 isatty(STDIN_FILENO) == 1);

    return some ? STDIN_FILENO : -1;
}
