/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Child processes that leave nothing behind: each has a process group of its
 * own, so that the terminal's Ctrl-C stays the launcher's, has no descriptors
 * but the given ones, and dies with the launcher (PR_SET_PDEATHSIG), also when
 * the launcher is killed.
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

/* The first descriptor that a child is given besides the standard ones. */
#define PROCESS_FD 3
#define PROCESS_FDS_MAX 8u

struct process_config {
    char *const *argv; /* argv[0] is looked for on the PATH; ends with NULL */
    /* In place of a program: the child is a copy of its launcher, and ends with
       this function, whose result is the exit status. NULL: a program. */
    int (*work)(void *context);
    void *context;
    const int *fd;       /* fd[i] is the child's PROCESS_FD + i; -1: none */
    unsigned fds;        /* at most PROCESS_FDS_MAX */
    int input;           /* standard input; 0: /dev/null */
    int log;             /* standard output */
    int error;           /* standard error; 0: `log`; -1: /dev/null */
    bool joins;          /* the child stays in its launcher's process group */
    char **environment;  /* ends with NULL; NULL: the launcher's */
    cpu_set_t processor; /* where it runs; empty: as its launcher */
    /* The child's memory is in small pages, whatever it asks the kernel for,
       and so is that of its children. */
    bool small_pages;
};

/* The standard output of a program. */
struct process_output {
    char *text;   /* the caller's memory; a 0 follows the output */
    size_t room;  /* bytes of `text`, 1 or more; further output is dropped */
    size_t bytes; /* filled, without the 0 */
    bool passed;  /* is written to the launcher's standard output as well */
    bool ends;    /* reading ends when the text is full: the next write of the
                     program fails */
};

/* Lets a write to a closed pipe, or beyond the limit of a file's size, fail and
   be told, in place of ending this program; and lets it wait for its children,
   also if its launcher ignored SIGCHLD. */
void process_signals_ignore(void);

/* Takes the places of standard streams that are closed, so that no file gets
   them: a read or write there fails as before. */
void process_streams_hold(void);

/*
 * Starts a child, with no signal blocked. All stays the caller's. It dies with
 * the calling thread, which is to be the launcher's first. Result: its pid; -1
 * with errno. A program that cannot be executed says so on its standard error,
 * and exits with status 127.
 */
pid_t process_start(const struct process_config *config);

/*
 * Runs a child to its end, for limit_ms at most (0: no limit), and ends
 * whatever it has started. `output` gets its standard output in place of
 * config->log; NULL: nobody reads. Result: its wait status; -1 with errno,
 * ETIMEDOUT: it did not end in time, and was killed.
 */
NODISCARD int process_run(const struct process_config *config,
                          struct process_output *output, unsigned limit_ms);

/* Whether a wait status is that of a program that exited with status 0. */
bool process_succeeded(int status);

/* Ends a child by SIGKILL, and what it has started; 0: there is none. */
void process_kill(pid_t pid);

/* The signals that end this program: SIGINT, SIGTERM, and SIGHUP unless it is
   ignored, as under nohup. */
void process_ending_signals(sigset_t *ending);

/* One of them that has come while it was blocked; 0: none. */
NODISCARD int process_signal_pending(void);

/* Closes a descriptor; -1: there is none. */
void process_close(int fd);

/* Memory that children may read or write as a file; -1 with errno. */
NODISCARD int process_memory(void);

/* Writes bytes into such a file, from `at` on. Result: false without memory. */
NODISCARD bool process_memory_write(int file, const uint8_t *data,
                                    uint64_t bytes, uint64_t at);

/* Memory that children append to as their log; -1 with errno. */
NODISCARD int process_log(void);

/*
 * Whether the child has ended, waiting half a second at most: its sockets
 * close a little before it can be waited for. Then *pid becomes 0.
 */
bool process_ended(pid_t *pid, int *status);

/* Prints how a QEMU ended, from its wait status; `program` is named if it could
   not be executed (status 127). `kills` is limits_memory_kills() as it was
   before: where it has grown, a QEMU that was killed was killed for memory. In
   the log a QEMU that could start no thread has said so. */
void process_explain(FILE *out, const char *program, int status, uint64_t kills,
                     int log);

/* Prints the last lines of a log under a heading, without what boards always
   say; nothing if none are left. */
void process_last_words(FILE *out, int log);

#endif
