/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/ranks/patience.h"

#include "qemu/base/exit_status.h"

#include <glob.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOKS_A_SECOND 5

/* Global state, since a process waits for one thing at a time. */
static struct {
    const char *fail;
    unsigned seconds;
    pthread_t thread;
    int pipe[2]; /* the wait is over when its write end is closed */
    bool waits;
} patience;

/* ---- ranks of this host ---- */

/* Returns the value of a variable in the environment of a process; the caller
   frees it. Returns NULL if the variable is not set, or the process is another
   user's. */
static char *variable_of(const char *folder, const char *name)
{
    char path[64];
    char *line = NULL;
    char *value = NULL;
    size_t room = 0;
    size_t length = strlen(name);
    FILE *file;

    snprintf(path, sizeof path, "%.32s/environ", folder);
    file = fopen(path, "re");
    while (file != NULL && value == NULL &&
           getdelim(&line, &room, '\0', file) > 0) {
        if (strncmp(line, name, length) == 0 && line[length] == '=') {
            value = strdup(line + length + 1);
        }
    }
    free(line);
    if (file != NULL) {
        fclose(file);
    }
    return value;
}

static bool is_stopped(const char *folder)
{
    char path[64];
    char line[256] = "";
    const char *end;
    FILE *file;

    snprintf(path, sizeof path, "%.32s/stat", folder);
    file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    (void)!fgets(line, sizeof line, file);
    fclose(file);
    end = strrchr(line, ')'); /* end of the process's name */
    return end != NULL && strlen(end) > 2 && (end[2] == 'T' || end[2] == 't');
}

/* If a process is a stopped rank of this mesh, adds its number to the line and
   returns true. */
static bool name_stopped(FILE *line, const char *folder)
{
    const char *own = getenv("PMIX_NAMESPACE");
    char *mesh = variable_of(folder, "PMIX_NAMESPACE");
    char *rank = variable_of(folder, "PMIX_RANK");
    bool named = own != NULL && mesh != NULL && rank != NULL &&
                 strcmp(own, mesh) == 0 && is_stopped(folder);

    if (named) {
        fprintf(line, "; rank %s (process %s) is stopped", rank,
                folder + strlen("/proc/"));
    }
    free(mesh);
    free(rank);
    return named;
}

static bool name_all_stopped(FILE *line)
{
    glob_t process = {.gl_pathc = 0};
    bool named = false;

    if (glob("/proc/[0-9]*", GLOB_NOSORT, NULL, &process) == 0) {
        for (size_t i = 0; i < process.gl_pathc; ++i) {
            named = name_stopped(line, process.gl_pathv[i]) || named;
        }
    }
    globfree(&process);
    return named;
}

/* ---- waiting ---- */

/* Prints the message in one write: several ranks give up at once, and their
   lines would mix. */
static _Noreturn void give_up(void)
{
    const char *rank = getenv("PMIX_RANK");
    char *text = NULL;
    size_t bytes;
    FILE *line = open_memstream(&text, &bytes);

    if (line != NULL) {
        fprintf(line, "quincunx: rank %s: other ranks %s within %u s",
                rank != NULL ? rank : "?", patience.fail, patience.seconds);
        if (!name_all_stopped(line)) {
            fputs("; one stands still, or cannot be reached", line);
        }
        fputc('\n', line);
        fclose(line);
        fputs(text, stderr);
        fflush(stderr);
    }
    _exit(EXIT_FAILED);
}

/* Counts polls and not time, because a stopped process makes none. */
static void *count(void *context)
{
    struct pollfd over = {.fd = patience.pipe[0], .events = POLLIN};
    unsigned looks = patience.seconds * LOOKS_A_SECOND;

    (void)context;
    while (poll(&over, 1, 1000 / LOOKS_A_SECOND) == 0) {
        looks -= 1;
        if (looks == 0) {
            give_up();
        }
    }
    return NULL;
}

void patience_begin(const char *fail, unsigned seconds)
{
    sigset_t all;
    sigset_t before;

    patience.fail = fail;
    patience.seconds = seconds;
    if (pipe(patience.pipe) != 0) {
        return;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    patience.waits = pthread_create(&patience.thread, NULL, count, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!patience.waits) {
        close(patience.pipe[0]);
        close(patience.pipe[1]);
    }
}

void patience_end(void)
{
    if (patience.waits) {
        close(patience.pipe[1]);
        pthread_join(patience.thread, NULL);
        close(patience.pipe[0]);
        patience.waits = false;
    }
}
