/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/progress.h"

#include "qemu/base/amount.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/terminal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_EVERY_S 0.1
#define LINE_FROM_S 1.0
/* time until the first plain line, s, unless the user asked for plain lines */
#define PLAIN_FROM_S 5.0
#define PLAIN_RARELY_S 60.0
#define TEXT 256u
#define ERASE "\r\033[K"

static struct {
    enum progress_kind kind; /* PROGRESS_AUTO before progress_start() */
    bool shown;              /* true: a progress line is on the terminal */
    double next_s;
    double every_s; /* time between two plain lines, s; grows with every line */
    double begun_s;
    uint64_t begun; /* value of .done when the current step began */
    /* the last step shown; its .more points to `more` */
    struct progress_step step;
    char more[64];
    char within[PROGRESS_LEVELS][64];
} state;

static double now_s(void)
{
    return host_clock_s(host_clock());
}

int progress_kind_of(const char *text)
{
    static const char *const names[] = {"auto", "line", "plain", "none"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; ++i) {
        if (strcmp(text, names[i]) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static const struct option_row rows[] = {
    {"progress", "auto|line|plain|none", 8, OPTION_CHOICE, 0,
     sizeof(enum progress_kind),
     .help = "Show on stderr how far the work is, if it takes more than a "
             "second: a line that is written anew, or plain lines; auto "
             "(default): a line on a terminal, else plain ones, from 5 s on",
     .choices = "auto line plain none"},
    {"quiet", NULL, 8, OPTION_FIXED, 0, sizeof(enum progress_kind),
     .help = "Show no progress", .letter = 'q', .fixed = PROGRESS_NONE}};

static void start(void *kind)
{
    progress_start(*(const enum progress_kind *)kind);
}

const struct option_table progress_option_table = {OPTION_ROWS(rows),
                                                   .done = start};

/* ---- the terminal's line ---- */

static void put(const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t written = write(STDERR_FILENO, text, bytes);

        if (written <= 0) {
            return; /* nobody reads the line, so nothing is lost */
        }
        text += written;
        bytes -= (size_t)written;
    }
}

static void erase(void)
{
    if (state.shown) {
        put(ERASE, strlen(ERASE));
        state.shown = false;
    }
}

/* Returns how many characters of a progress line one row of the terminal holds,
   since only one row can be erased. */
static size_t room(void)
{
    size_t columns = terminal_columns(STDERR_FILENO);

    return columns < TEXT ? columns - 1 : TEXT - 1;
}

/* Erases the progress line, then writes a message to the former stderr. */
static ssize_t write_message(void *cookie, const char *text, size_t bytes)
{
    FILE *before = cookie;

    erase();
    return (ssize_t)fwrite(text, 1, bytes, before);
}

/* Makes all output to `stderr` go through write_message(). */
static void wrap_messages(void)
{
    FILE *messages = fopencookie(
        stderr, "w", (cookie_io_functions_t){.write = write_message});

    if (messages == NULL) {
        state.kind = PROGRESS_NONE;
        return;
    }
    setvbuf(messages, NULL, _IONBF, 0);
    stderr = messages;
    atexit(progress_end); /* erases the line wherever the program ends */
}

/* ---- when ---- */

static enum progress_kind choose(void)
{
    const char *wish = getenv("QUINCUNX_PROGRESS");
    const char *terminal = getenv("TERM");
    int kind = wish != NULL ? progress_kind_of(wish) : -1;

    if (kind > PROGRESS_AUTO) {
        return (enum progress_kind)kind;
    }
    return isatty(STDERR_FILENO) == 1 && terminal != NULL &&
                   strcmp(terminal, "dumb") != 0
               ? PROGRESS_LINE
               : PROGRESS_PLAIN;
}

void progress_start(enum progress_kind kind)
{
    bool asked = kind == PROGRESS_PLAIN;

    state.kind = kind == PROGRESS_AUTO ? choose() : kind;
    state.every_s =
        asked || state.kind == PROGRESS_LINE ? LINE_FROM_S : PLAIN_FROM_S;
    state.next_s = now_s() + state.every_s;
    if (state.kind == PROGRESS_LINE) {
        wrap_messages();
    }
}

bool progress_due(void)
{
    return state.kind != PROGRESS_AUTO && state.kind != PROGRESS_NONE &&
           now_s() >= state.next_s;
}

void progress_within(unsigned level, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(state.within[level], sizeof state.within[level], format,
              arguments);
    va_end(arguments);
    for (unsigned i = level + 1; i < PROGRESS_LEVELS; ++i) {
        state.within[i][0] = '\0';
    }
    state.step.doing = NULL; /* the rate of the next step is measured anew */
}

/* ---- what ---- */

/* Writes an amount of bytes as "237 kB", or a number of things as digits. */
static void write_amount(FILE *out, double amount, bool bytes)
{
    if (bytes) {
        amount_bytes(out, amount);
    } else {
        fprintf(out, "%.0f", amount);
    }
}

static void write_part(FILE *out, const struct progress_step *step)
{
    bool bytes = step->things == NULL;

    fputs(": ", out);
    write_amount(out, (double)step->done, bytes);
    fputs(" of ", out);
    write_amount(out, (double)step->total, bytes);
    fprintf(out, "%s%s, %.0f %%", bytes ? "" : " ", bytes ? "" : step->things,
            100 * (double)step->done / (double)step->total);
}

static void write_left(FILE *out, double left_s)
{
    if (left_s < 90) {
        fprintf(out, ", %.0f s left", left_s);
    } else if (left_s < 5400) {
        fprintf(out, ", %.0f min left", left_s / 60);
    } else {
        fprintf(out, ", %.1f h left", left_s / 3600);
    }
}

static void write_step(FILE *out, const struct progress_step *step)
{
    double took_s = now_s() - state.begun_s;
    double rate = took_s > 0 ? (double)(step->done - state.begun) / took_s : 0;

    for (unsigned i = 0; i < PROGRESS_LEVELS; ++i) {
        if (state.within[i][0] != '\0') {
            fprintf(out, "%s: ", state.within[i]);
        }
    }
    fputs(step->doing, out);
    if (step->total > 0) {
        write_part(out, step);
    }
    if (step->total > 0 && rate > 0) {
        fputs(", ", out);
        write_amount(out, rate, step->things == NULL);
        fputs("/s", out);
        write_left(out, (double)(step->total - step->done) / rate);
    } else if (step->total == 0 || took_s >= 1) {
        fprintf(out, ", for %.0f s", took_s);
    }
    if (step->more != NULL) {
        fprintf(out, "; %s", step->more);
    }
}

static void show(const struct progress_step *step)
{
    char text[TEXT] = "";
    FILE *out = fmemopen(text, sizeof text - 1, "w");

    if (out == NULL) {
        return;
    }
    write_step(out, step);
    fclose(out);
    if (state.kind == PROGRESS_LINE) {
        text[room()] = '\0';
        erase();
        put(text, strlen(text));
        state.shown = true;
        state.next_s = now_s() + LINE_EVERY_S;
    } else {
        fprintf(stderr, "%s\n", text);
        state.next_s = now_s() + state.every_s;
        state.every_s = state.every_s < PLAIN_RARELY_S / 2 ? 2 * state.every_s
                                                           : PLAIN_RARELY_S;
    }
}

void progress_show(const struct progress_step *given)
{
    struct progress_step step = *given;

    if (step.total > 0 && step.done > step.total) {
        step.done = step.total;
    }
    if (state.step.doing == NULL || strcmp(state.step.doing, step.doing) != 0 ||
        step.done < state.begun) {
        state.begun_s = now_s();
        state.begun = step.done;
    }
    if (step.more != NULL) {
        snprintf(state.more, sizeof state.more, "%s", step.more);
        step.more = state.more;
    }
    state.step = step;
    progress_again();
}

void progress_again(void)
{
    if (state.step.doing != NULL && progress_due()) {
        show(&state.step);
    }
}

void progress_end(void)
{
    erase();
}
