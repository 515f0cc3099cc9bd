/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/starter.h"

#include "qemu/board/emulator.h"
#include "qemu/board/preload/forker.h"
#include "qemu/board/zygote.h"
#include "qemu/base/memory.h"
#include "qemu/base/process.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define ARGS_MAX 32u

struct starter {
    const struct boards_config *config;
    int log;
    bool forks; /* until a zygote has failed */
    bool told;  /* that they are forked */
    bool has_sandbox;
    /* By how slow a board is, which is an option of its QEMU; NULL: not
       started. */
    struct zygote *zygote[BACKEND_SLOW_SHIFT_MAX + 1];
};

/* ---- the command line ---- */

struct line {
    const char *argv[ARGS_MAX];
    unsigned count;
    char machine[64];
    char icount[48];
};

static void add_option(struct line *line, const char *option, const char *value)
{
    assert(line->count + 2 < ARGS_MAX);
    line->argv[line->count++] = option;
    line->argv[line->count++] = value;
}

/*
 * An instruction takes 2^shift ns of virtual time. The board's timer counts
 * virtual time: on a slow board, more ticks for each instruction. QEMU takes a
 * board that a debugger stops for one that sleeps: with sleep=off its clock
 * then jumps to the timer's deadline, by 171 s; with sleep=on by the host's
 * time until QEMU itself has stopped.
 */
static void add_icount(struct line *line, const struct boards_config *config,
                       unsigned slow_shift)
{
    snprintf(line->icount, sizeof line->icount, "shift=%u,sleep=%s,align=off",
             5 + slow_shift, config->gdb != NULL ? "on" : "off");
    add_option(line, "-icount", line->icount);
}

static void compose(struct line *line, const struct starter *starter,
                    unsigned slow_shift, const char *firmware)
{
    const struct boards_config *config = starter->config;

    static_assert(PROCESS_FD == 3, "as the options say");
    *line = (struct line){.argv = {config->qemu}, .count = 1};
    snprintf(line->machine, sizeof line->machine, "%s,memory-backend=window",
             config->board->machine);
    add_option(line, "-machine", line->machine);
    add_option(line, "-object",
               "memory-backend-file,id=window,size=16M,share=on,"
               "mem-path=/proc/self/fd/4");
    add_option(line, "-accel", "tcg,tb-size=1");
    add_icount(line, config, slow_shift);
    line->argv[line->count++] = "-nodefaults";
    if (starter->has_sandbox) {
        add_option(line, "-sandbox", "on");
    }
    add_option(line, "-display", "none");
    add_option(line, "-chardev", "socket,id=doorbell,fd=3");
    add_option(line, "-serial", "chardev:doorbell");
    add_option(line, "-kernel", firmware);
    if (config->gdb != NULL) {
        add_option(line, "-chardev", "socket,id=gdb,fd=5,server=on,wait=off");
        add_option(line, "-gdb", "chardev:gdb");
    }
}

/* ---- forks ---- */

static void start_one_by_one(struct starter *starter, const char *why)
{
    starter->forks = false;
    starter_rest(starter);
    if (starter->config->verbose) {
        fprintf(stderr, "quincunx: boards start one by one: %s\n", why);
    }
}

static void start_zygote(struct starter *starter, unsigned slow_shift)
{
    const char *why = NULL;
    struct line line;
    struct zygote_config zygote = {.object = starter->config->zygote_object,
                                   .argv = (char *const *)line.argv,
                                   .log = starter->log};

    compose(&line, starter, slow_shift, starter->config->firmware);
    add_option(&line, "-readconfig", FORKER_FILE);
    starter->zygote[slow_shift] = zygote_start(&why, &zygote);
    if (starter->zygote[slow_shift] == NULL) {
        start_one_by_one(starter, why);
    } else if (starter->config->verbose && !starter->told) {
        fprintf(stderr, "quincunx: boards are forked from one QEMU%s\n",
                zygote_has_machine(starter->zygote[slow_shift])
                    ? " with its machine"
                    : ", and make their machine themselves");
        starter->told = true;
    }
}

/* Result: as of zygote_fork(). */
static pid_t fork_board(struct starter *starter, unsigned slow_shift,
                        const int fd[STARTER_FDS])
{
    pid_t pid = 0;

    if (starter->forks && starter->zygote[slow_shift] == NULL) {
        start_zygote(starter, slow_shift);
    }
    if (starter->forks) {
        pid = zygote_fork(starter->zygote[slow_shift], fd, STARTER_GDB);
        if (pid == 0) {
            start_one_by_one(starter, "the zygote has ended");
        }
    }
    return pid;
}

/* ---- boards ---- */

struct starter *starter_new(const struct boards_config *config, int log)
{
    struct starter *starter = memory_or_exit(calloc(1, sizeof *starter));

    *starter =
        (struct starter){.config = config,
                         .log = log,
                         .forks = true,
                         .has_sandbox = emulator_has_sandbox(config->qemu)};
    if (config->gdb != NULL) {
        start_one_by_one(starter, "debuggers may come");
    } else if (config->zygote_object == NULL) {
        start_one_by_one(starter, "--boot exec");
    }
    return starter;
}

pid_t starter_board(struct starter *starter, unsigned slow_shift,
                    const char *image, const int fd[STARTER_FDS], bool halts)
{
    struct line line;
    const struct process_config process = {.argv = (char *const *)line.argv,
                                           .fd = fd,
                                           .fds = STARTER_FDS,
                                           .log = starter->log,
                                           .small_pages = true};
    pid_t pid = image == NULL ? fork_board(starter, slow_shift, fd) : 0;

    if (pid == 0) {
        compose(&line, starter, slow_shift,
                image != NULL ? image : starter->config->firmware);
        if (halts) {
            line.argv[line.count++] = "-S";
        }
        pid = process_start(&process);
    }
    return pid;
}

void starter_rest(struct starter *starter)
{
    for (unsigned shift = 0; shift <= BACKEND_SLOW_SHIFT_MAX; ++shift) {
        zygote_stop(starter->zygote[shift]);
        starter->zygote[shift] = NULL;
    }
}

void starter_free(struct starter *starter)
{
    if (starter != NULL) {
        starter_rest(starter);
        free(starter);
    }
}
