/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts child processes that leave nothing behind. Each child has its own
 * process group, so that Ctrl-C reaches only the launcher. A child gets no
 * descriptors but the given ones. It dies with the launcher (PR_SET_PDEATHSIG),
 * even if the launcher is killed.
 */
#ifndef QEMU_BASE_PROCESS_H
#define QEMU_BASE_PROCESS_H

#include "hal/nodiscard.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* A child's first descriptor besides the standard streams. */
#define PROCESS_FD 3
#define PROCESS_FDS_MAX 8u

struct process_config {
    char *const *argv; /* ends with NULL; argv[0] is searched on the PATH */
    /* Function that the child runs instead of a program, as a fork of the
       launcher; returns the exit status. NULL: argv is executed. */
    int (*work)(void *context);
    void *context;
    /* fd[i] becomes descriptor PROCESS_FD + i of the child; -1: none */
    const int *fd;
    unsigned fds; /* at most PROCESS_FDS_MAX */
    int input;    /* descriptor for standard input; 0: /dev/null */
    int log;      /* descriptor for standard output */
    int error;    /* descriptor for standard error; 0: `log`; -1: /dev/null */
    bool joins;   /* the child stays in its launcher's process group */
    char **environment;  /* ends with NULL; NULL: the launcher's environment */
    cpu_set_t processor; /* processor to run on; empty: the launcher's */
    /* Disables huge pages in the child and its own children. */
    bool small_pages;
};

/* The standard output of a child. */
struct process_output {
    char *text;  /* the caller's buffer; a 0 byte follows the output */
    size_t room; /* size of `text`, at least 1 byte; excess output is dropped */
    size_t bytes; /* length of the output without the 0 byte */
    /* the output is also copied to the launcher's standard output */
    bool passed;
    /* reading ends once `text` is full; the child's next write fails */
    bool ends;
};

/* Ignores SIGPIPE and SIGXFSZ, so that writes fail instead of ending this
   program. Resets SIGCHLD, so that children can be waited for even if the
   launcher ignored it. */
void process_signals_ignore(void);

/* Opens closed standard streams so that no file gets their descriptors. Reads
   and writes of these streams still fail. */
void process_streams_hold(void);

/*
 * Starts a child with no signal blocked. The caller keeps all of `config`. The
 * child dies with the calling thread, which must be the launcher's first.
 * Returns the pid, or -1 with errno. If the program cannot be executed, the
 * child prints why on its standard error and exits with status 127.
 */
pid_t process_start(const struct process_config *config);

/*
 * Runs a child to its end, for at most limit_ms (0: no limit), then kills its
 * process group. `output` receives the standard output instead of config->log;
 * NULL: it is not read. Returns the wait status, or -1 with errno. ETIMEDOUT
 * means that the child was killed at the limit.
 */
NODISCARD int process_run(const struct process_config *config,
                          struct process_output *output, unsigned limit_ms);

/* Whether a wait status means exit status 0. */
bool process_succeeded(int status);

/* Kills a child's process group by SIGKILL. Pid 0: does nothing. */
void process_kill(pid_t pid);

/* Returns the signals that end this program: SIGINT, SIGTERM, and SIGHUP unless
   it is ignored (nohup). */
void process_ending_signals(sigset_t *ending);

/* Returns a pending signal of process_ending_signals(), or 0. */
NODISCARD int process_signal_pending(void);

/* Closes a descriptor; -1 is allowed. */
void process_close(int fd);

/* Creates memory that children read or write as a file. Returns a descriptor,
   or -1 with errno. */
NODISCARD int process_memory(void);

/* Writes bytes at offset `at` of a process_memory(). Returns false if it fails.
 */
NODISCARD bool process_memory_write(int file, const uint8_t *data,
                                    uint64_t bytes, uint64_t at);

/* Creates a log that children append to. Returns a descriptor, -1 with errno.
 */
NODISCARD int process_log(void);

/* Whether a child has ended. Waits up to 0.5 s, since a child's sockets close a
   little before it can be reaped. Sets *pid to 0 if it has ended. */
bool process_ended(pid_t *pid, int *status);

/* Prints how a QEMU ended, from its wait status and log. `program` is named if
   it could not be executed (status 127). `kills` is an earlier
   limits_memory_kills(): if it has grown, QEMU's memory probably ran out. */
void process_explain(FILE *out, const char *program, int status, uint64_t kills,
                     int log);

/* Prints the last lines of a log under a heading, without two usual warnings of
   QEMU. Prints nothing if no line is left. */
void process_last_words(FILE *out, int log);

#endif
