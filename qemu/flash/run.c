/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/flash/run.h"

#include "qemu/support/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void become(const struct flash_run *run,
                             const char *const words[], int output,
                             pid_t parent)
{
    char *copy[32] = {NULL};

    for (size_t i = 0; i + 1 < sizeof copy / sizeof *copy && words[i] != NULL;
         ++i) {
        copy[i] = strdup(words[i]);
    }
    process_signals_default();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && dup2(output, STDOUT_FILENO) >= 0) {
        if (run->mute) {
            dup2(STDIN_FILENO, STDERR_FILENO); /* nobody can write there */
        }
        execvp(copy[0], copy);
        dprintf(STDERR_FILENO, "%s: %s\n", copy[0], strerror(errno));
    }
    _exit(127);
}

static void keep(struct flash_run *run, const char *data, size_t bytes)
{
    size_t room = run->room - 1 - run->bytes;
    size_t kept = bytes < room ? bytes : room;

    memcpy(run->output + run->bytes, data, kept);
    run->bytes += kept;
    run->output[run->bytes] = '\0';
    if (run->passed && write(STDOUT_FILENO, data, bytes) < 0) {
        run->passed = false; /* nobody listens any more */
    }
}

static void read_output(struct flash_run *run, int output)
{
    char chunk[4096];
    ssize_t got;

    do {
        got = read(output, chunk, sizeof chunk);
        if (got > 0) {
            keep(run, chunk, (size_t)got);
        }
    } while (got > 0 || (got < 0 && errno == EINTR));
}

bool flash_run(struct flash_run *run, const char *const words[])
{
    pid_t parent = getpid();
    int ends[2];
    int status = -1;
    pid_t pid;

    run->bytes = 0;
    run->output[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) {
        perror(words[0]);
        return false;
    }
    pid = fork();
    if (pid == 0) {
        become(run, words, ends[1], parent);
    }
    close(ends[1]);
    if (pid < 0) {
        perror(words[0]);
    } else {
        read_output(run, ends[0]);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
    }
    close(ends[0]);
    return pid >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
