/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console-board [--full] [--speed N]: a node's console on stdin and stdout, all
 * of it as on a board but for what it tells, which is made up here.
 *   --full    every string and number is as long as can be, and there is a
 *             fault record
 *   --speed   so many times faster than time goes
 *   --stuck   what is written never leaves
 * A message that is put comes back as a report: reversed, in three segments, of
 * the next kind, after 100 ms of a timed run.
 *   mesh 6 H: two faults; 7 H: cannot begin; 8 H: never ends; 9 H: fails
 *   ping over more than 100 hops: cannot begin; over 50: never ends
 * It exits with status 3 on `reset`, 4 if the reply had not left, and 0 at the
 * end of its input.
 */
#include "boot/shell/shell.h"
#include "hal/err.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CAPACITY 70000u
#define COUNTERS 14u
#define FAULT_WORDS 15u
#define EVENTS 20u
#define RUN_US 100000u

struct board {
    struct line_reader reader;
    struct mailbox mailbox;
    struct shell shell;
    uint8_t in[CAPACITY];
    uint8_t out[CAPACITY];
    uint32_t speed;
    bool full;
    bool stuck;
    unsigned sending; /* polls until all that was written has left */
    bool running;
    uint64_t started_us;
    uint64_t cleared; /* the counters: 1 */
    bool faultless;
    unsigned width;  /* of the mesh that is being found */
    unsigned policy; /* of it */
    unsigned later;  /* answers that are not there yet */
    unsigned told;
    struct torus_path path;
    struct torus_path peek[TORUS_PORTS]; /* the last one out of each port */
    uint8_t asked[TORUS_PORTS][6];       /* page, argument, as told back */
    unsigned peek_later[TORUS_PORTS];
};

static uint64_t now_us(const struct board *board)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000) *
           board->speed;
}

static unsigned room(void *context)
{
    (void)context;
    return LINE_BYTES_MAX;
}

static void out(void *context, const char *text, unsigned bytes)
{
    ((struct board *)context)->sending = 3;
    while (bytes > 0) {
        ssize_t count = write(STDOUT_FILENO, text, bytes);

        if (count <= 0) {
            exit(EXIT_FAILURE);
        }
        text += count;
        bytes -= (unsigned)count;
    }
}

static bool busy(void *context)
{
    return ((struct board *)context)->running;
}

static void ident(void *context, struct shell_ident *ident)
{
    const struct board *board = context;

    *ident = (struct shell_ident){"stm32f405", "v1.2-3-g0123456",
                                  "watchdog",  77,
                                  {5, 4},      {3, 2},
                                  {1, 0},      {0x00110022, 0xDEADBEEF, 7},
                                  0xCAFE0001,  "hse-pll",
                                  168000000,   8000123,
                                  50000};
    if (board->full) {
        ident->mesh = UINT32_MAX;
        ident->size = (struct torus_size){3125, 3125};
        ident->at = (struct torus_coord){3124, 3124};
        ident->originator = ident->at;
        ident->clock_hz = UINT32_MAX;
        ident->crystal_hz = UINT32_MAX;
    }
}

static void status(void *context, struct shell_status *status)
{
    const struct board *board = context;

    *status = (struct shell_status){
        "computing", "kernel", -5, 12, TORUS_NORTH, -2, 96, 8192, 1234, 55};
    if (board->full) {
        status->error = INT32_MIN;
        status->circuits = UINT32_MAX;
        status->last_port = -1;
        status->last_bytes = UINT32_MAX;
        status->stack_bytes = UINT32_MAX;
        status->stack_used_bytes = UINT32_MAX;
        status->uptime_us = UINT64_MAX;
    }
}

static void link_of(void *context, struct shell_link *link, unsigned port)
{
    (void)context;
    *link = (struct shell_link){.known = port != TORUS_SOUTH,
                                .at = {(uint16_t)port, 9},
                                .port = torus_opposite(port),
                                .result = port == 3 ? "silent" : "good"};
}

static const char *number(void *context, uint64_t *number, enum shell_list list,
                          unsigned port, unsigned index)
{
    static const char names[][4] = {"n0", "n1", "n2", "n3", "n4",
                                    "n5", "n6", "n7", "n8", "n9",
                                    "na", "nb", "nc", "nd", "ne"};
    const struct board *board = context;

    *number =
        board->full ? UINT64_MAX : port * 1000 + index - board->cleared * index;
    if (list == SHELL_FAULT) {
        return board->full && !board->faultless && index < FAULT_WORDS
                   ? names[index]
                   : NULL;
    }
    return index < COUNTERS ? names[index] : NULL;
}

static void clear(void *context, enum shell_list list)
{
    struct board *board = context;

    if (list == SHELL_COUNTERS) {
        board->cleared = 1;
    } else {
        board->faultless = true;
    }
}

static int mesh(void *context, struct torus_size size, struct torus_coord at,
                uint8_t policy)
{
    struct board *board = context;

    (void)at;
    board->policy = policy;
    board->width = size.width;
    board->later = 3;
    board->told = 0;
    return size.width == 7 ? ERR_NO_ROUTE : ERR_OK;
}

static int mesh_fault(void *context, struct shell_mesh_fault *fault)
{
    struct board *board = context;

    if (board->width == 8 || board->later-- > 0) {
        return SHELL_LATER;
    }
    board->later = 2;
    if (board->width == 9) {
        return ERR_DEAD_LINK;
    }
    if (board->width != 6 || board->told == 2) {
        return ERR_EMPTY;
    }
    *fault = (struct shell_mesh_fault){.at = {4, (uint16_t)board->told},
                                       .port = TORUS_WEST,
                                       .what = board->told == 0 ? "miswired"
                                                                : "size",
                                       .leads = board->told == 0,
                                       .to = {2, 3},
                                       .to_port = TORUS_NORTH,
                                       .count = board->told == 0 ? 0 : 7};
    board->told += 1;
    return ERR_OK;
}

static int ping(void *context, struct torus_path path, uint32_t bytes)
{
    struct board *board = context;

    board->path = path;
    board->later = 2;
    board->told = bytes;
    return path.hops > 100 ? ERR_NO_ROUTE : ERR_OK;
}

/* Tells what it was asked, in the places of times. */
static int ping_result(void *context, struct shell_ping *ping)
{
    struct board *board = context;

    if (board->path.hops > 50 || board->later-- > 0) {
        return SHELL_LATER;
    }
    *ping =
        (struct shell_ping){-board->path.port, board->path.hops, board->told,
                            board->path.turn * 10000u + board->path.hops_after};
    return ERR_OK;
}

/* A page's answer is later the farther away it comes from. */
static int peek(void *context, struct torus_path path, uint8_t page,
                uint32_t argument)
{
    struct board *board = context;

    board->peek[path.port] = path;
    board->peek_later[path.port] = path.hops;
    board->asked[path.port][0] = page;
    memcpy(board->asked[path.port] + 1, &argument, sizeof argument);
    return path.hops > 200   ? ERR_NO_ROUTE
           : path.hops > 100 ? ERR_PORT_BUSY
                             : ERR_OK;
}

/* Tells the page, the argument and the path's hops. */
static int peeked(void *context, const uint8_t **data, unsigned *bytes,
                  unsigned port)
{
    struct board *board = context;

    if (board->peek_later[port] > 0 && board->peek[port].hops != 99) {
        board->peek_later[port] -= 1;
    }
    board->asked[port][5] = (uint8_t)board->peek[port].hops;
    *data = board->asked[port];
    *bytes = 6;
    return board->peek_later[port] > 0   ? SHELL_LATER
           : board->peek[port].hops > 50 ? ERR_DEAD_LINK
                                         : ERR_OK;
}

/* As many rows as the page says, of a command one; they tell the path. */
static int peek_row(void *context, struct line_writer *out, unsigned port,
                    uint32_t row)
{
    struct board *board = context;
    const struct torus_path *path = &board->peek[port];
    unsigned page = board->asked[port][0];
    const uint8_t *data;
    unsigned bytes;
    int error = peeked(board, &data, &bytes, port);

    if (error != ERR_OK) {
        return error;
    }
    if (row >= (page < 0x80 ? page : 1)) {
        return ERR_EMPTY;
    }
    if (page >= 0x80) {
        line_put(out, "command=%u argument=%u ", page,
                 data[1] | (uint32_t)data[2] << 8 | (uint32_t)data[3] << 16 |
                     (uint32_t)data[4] << 24);
    }
    line_put(out, "row=%u out=%u hops=%u turn=%u after=%u", row, path->port,
             path->hops, path->turn, path->hops_after);
    return ERR_OK;
}

static void inject(void *context, unsigned what)
{
    struct board *board = context;

    board->told = what;
}

static uint64_t clock_ps(void *context)
{
    return now_us(context) * 1000000;
}

static bool event(void *context, struct shell_event *event, uint32_t index)
{
    (void)context;
    *event = (struct shell_event){UINT64_MAX - index, index, 3, 4};
    return index < EVENTS;
}

static bool sent(void *context)
{
    struct board *board = context;

    board->sending -= board->sending > 0 && !board->stuck;
    return board->sending == 0;
}

static void reset(void *context)
{
    const struct board *board = context;

    _exit(board->sending == 0 ? 3 : 4);
}

/* Takes a message, and offers what is made of it when the run is over. */
static void work(struct board *board)
{
    struct mailbox *mailbox = &board->mailbox;
    uint32_t bytes = mailbox->announced_bytes;
    uint32_t first = bytes / 3;

    if (mailbox->in == MAILBOX_FULL) {
        for (uint32_t i = 0; i < bytes; ++i) {
            board->out[i] = board->in[bytes - 1 - i];
        }
        mailbox_close(mailbox);
        board->started_us = now_us(board);
        board->running = true;
    }
    if (board->running && now_us(board) - board->started_us > RUN_US) {
        mailbox_offer(mailbox,
                      (struct mailbox_segment[]){
                          {board->out, first},
                          {board->out + first, 1},
                          {board->out + first + 1, bytes - first - 1}},
                      3, (uint8_t)(mailbox->in_kind + 1), mailbox->in_job);
        board->running = false;
    }
    if (mailbox->in == MAILBOX_CLOSED && !board->running &&
        mailbox->out == MAILBOX_EMPTY) {
        mailbox_open(mailbox, board->in, CAPACITY);
    }
}

/* False: there is no more input. */
static bool read_some(struct board *board)
{
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    uint8_t data[64];
    ssize_t count = 0;

    if (poll(&input, 1, 1) > 0) {
        count = read(STDIN_FILENO, data, sizeof data);
        if (count <= 0) {
            return false;
        }
    }
    for (ssize_t i = 0; i < count; ++i) {
        line_push(&board->reader, data[i]);
    }
    return true;
}

int main(int argc, char **argv)
{
    static struct board board = {.speed = 1};
    const struct shell_config config = {
        &board,  room,     out,    sent,     busy,       ident, status,
        link_of, number,   clear,  mesh,     mesh_fault, ping,  ping_result,
        peek,    peek_row, peeked, clock_ps, inject,     event, reset};

    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--full") == 0) {
            board.full = true;
        } else if (strcmp(argv[i], "--stuck") == 0) {
            board.stuck = true;
        } else if (strcmp(argv[i], "--speed") == 0 && i + 1 < argc) {
            board.speed = (uint32_t)atoi(argv[++i]);
        } else {
            return 2;
        }
    }
    line_init(&board.reader, 10000000);
    mailbox_init(&board.mailbox);
    shell_init(&board.shell, &config, &board.reader, &board.mailbox);
    while (read_some(&board)) {
        do {
            work(&board);
        } while (shell_poll(&board.shell, (uint32_t)now_us(&board)));
    }
    return 0;
}
