/* SPDX-License-Identifier: Apache-2.0 */
/* Starts child processes that leave nothing behind. Each child has its own
   process group, so that Ctrl-C reaches only the launcher, which starts it. A
   child gets only the descriptors that it is given. It dies with the launcher
   (PR_SET_PDEATHSIG), even if the launcher is killed. */
#ifndef QEMU_BASE_PROCESS_H
#define QEMU_BASE_PROCESS_H

#include "hal/nodiscard.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Number of a child's first descriptor after the standard streams. */
#define PROCESS_FD 3
#define PROCESS_FDS_MAX 8u

struct process_config {
    char *const *argv; /* ends with NULL; argv[0] is searched on the PATH */
    /* Function that the child runs instead of a program, in a fork of the
       launcher; returns the exit status. NULL: argv[0] is executed. */
    int (*work)(void *context);
    void *context;
    /* fd[i] becomes descriptor PROCESS_FD + i of the child; -1: none */
    const int *fd;
    unsigned fds; /* at most PROCESS_FDS_MAX */
    int input;    /* descriptor that becomes standard input; 0: /dev/null */
    int log;      /* descriptor that becomes standard output */
    int error;    /* becomes standard error; 0: as `log`; -1: /dev/null */
    bool joins;   /* true: the child stays in the launcher's process group */
    char **environment; /* ends with NULL; NULL: the launcher's environment */
    /* where the child runs; empty: where the launcher runs */
    cpu_set_t processor;
    /* true: no huge pages in the child and its own children */
    bool small_pages;
};

/* The standard output of a child. */
struct process_output {
    char *text;   /* the caller's buffer; the output ends with a 0 byte */
    size_t room;  /* size of `text`, 1 or more; output beyond is dropped */
    size_t bytes; /* length of the output without the 0 byte */
    /* true: the output is also copied to the launcher's standard output */
    bool passed;
    /* true: reading ends when `text` is full, and the child's next write
       fails */
    bool ends;
};

/* Ignores SIGPIPE and SIGXFSZ, so that a write fails and does not end this
   program. Resets SIGCHLD: a launcher may have ignored it, but children must be
   waited for. */
void process_signals_ignore(void);

/* Opens standard streams that are closed, so that no file gets their
   descriptors. Reads and writes of these streams still fail. */
void process_streams_hold(void);

/* Starts a child, with no signal blocked. `config` stays the caller's. The
   child dies with the calling thread, which must be this program's first
   thread. Returns the pid, or -1 with errno. If the program cannot be executed,
   the child prints why on its standard error and exits with status 127. */
pid_t process_start(const struct process_config *config);

/* Runs a child to its end. After limit_ms (0: no limit) kills its process
   group. Its standard output goes to `output`, or if that is NULL to
   config->log. Returns the wait status, or -1 with errno; ETIMEDOUT means that
   the child was killed at the limit. */
NODISCARD int process_run(const struct process_config *config,
                          struct process_output *output, unsigned limit_ms);

/* Returns whether a wait status means that a child exited with status 0. */
bool process_succeeded(int status);

/* Kills a child's process group by SIGKILL. Pid 0: does nothing. */
void process_kill(pid_t pid);

/* Stores the signals that end this program: SIGINT, SIGTERM, and SIGHUP unless
   it is ignored (nohup). */
void process_ending_signals(sigset_t *ending);

/* Returns a signal of process_ending_signals() that has arrived but is blocked,
   or 0. */
NODISCARD int process_signal_pending(void);

/* Closes a descriptor; does nothing for -1. */
void process_close(int fd);

/* Creates a file in memory that children read or write. Returns a descriptor,
   or -1 with errno. */
NODISCARD int process_memory(void);

/* Writes bytes at offset `at` of a file of process_memory(). Returns false if
   that fails. */
NODISCARD bool process_memory_write(int file, const uint8_t *data,
                                    uint64_t bytes, uint64_t at);

/* Creates a log to which children append. Returns a descriptor, or -1 with
   errno. */
NODISCARD int process_log(void);

/* Prints how a QEMU ended, if it has, and then sets *pid to 0. Waits up to 0.5
   s for the end, since a child's sockets close a little before it can be
   reaped. If it could not be executed (status 127), names `program`. If
   limits_memory_kills() is above `kills`, an earlier value, says that memory
   probably ran out. Then prints the last lines of its log; two warnings that
   QEMU usually prints are left out. */
void process_explain(FILE *out, pid_t *pid, const char *program, uint64_t kills,
                     int log);

#endif
