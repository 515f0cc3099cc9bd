/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/bench.h"

#include "hal/bytes.h"
#include "qemu/serial/model_port.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define FS_PER_NS (FS_PER_US / 1000u)
/* As adapters do: what came is handed over at a line's end, or so long after
   its first byte. */
#define LATENCY_FS (16000u * FS_PER_US)

bool host_listen(struct bench_board *board, const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    if (fd < 0 || snprintf(name.sun_path, sizeof name.sun_path, "%s", path) >=
                      (int)sizeof name.sun_path) {
        return false;
    }
    board->listener = fd;
    return bind(fd, (const struct sockaddr *)&name, sizeof name) == 0 &&
           listen(fd, 1) == 0;
}

static void leave(struct bench_board *board)
{
    close(board->host);
    board->host = -1;
    board->asked = false;
    bench_take(&board->heard, board->heard.bytes);
}

static void take_request(struct bench_board *board)
{
    uint8_t packet[10 + MODEL_PORT_TYPED];
    ssize_t count = recv(board->host, packet, sizeof packet, 0);

    if (count < 10 || !bench_type(board->bench, board->index, packet + 10,
                                  (uint32_t)count - 10u)) {
        leave(board);
        return;
    }
    board->asked = true;
    board->until_ns = bytes_load_u64(packet);
    board->most = bytes_load_u16(packet + 8);
    board->heard_fs = CHIP_NEVER;
}

/* Whoever comes, asks or leaves. Result: whether anybody did. */
static bool look(struct bench *bench, int wait_ms)
{
    struct pollfd of[BENCH_BOARDS];
    bool any;

    for (unsigned i = 0; i < bench->count; ++i) {
        const struct bench_board *board = &bench->board[i];

        of[i].fd = board->host >= 0 ? board->host : board->listener;
        of[i].events = POLLIN;
    }
    any = poll(of, bench->count, wait_ms) > 0;
    for (unsigned i = 0; any && i < bench->count; ++i) {
        struct bench_board *board = &bench->board[i];

        if (of[i].revents == 0) {
            continue;
        }
        if (board->host >= 0) {
            take_request(board);
        } else {
            board->host = accept(board->listener, NULL, NULL);
            bench_take(&board->heard, board->heard.bytes);
        }
    }
    return any;
}

static uint64_t until_fs(const struct bench_board *board)
{
    return board->until_ns < CHIP_NEVER / FS_PER_NS
               ? board->until_ns * FS_PER_NS
               : CHIP_NEVER;
}

/* Whether there is something to hand over; or when there will be. */
static bool is_heard(struct bench_board *board)
{
    const struct bench_text *heard = &board->heard;

    if (board->most == 0 || heard->bytes == 0) {
        return false;
    }
    if (board->heard_fs == CHIP_NEVER) {
        board->heard_fs = board->bench->now_fs + LATENCY_FS;
    }
    return memchr(heard->data, '\n', heard->bytes) != NULL ||
           board->bench->now_fs >= board->heard_fs;
}

static void answer(struct bench_board *board)
{
    uint8_t packet[8 + MODEL_PORT_HEARD];
    uint32_t count =
        board->most < board->heard.bytes ? board->most : board->heard.bytes;

    count = count < MODEL_PORT_HEARD ? count : MODEL_PORT_HEARD;
    bytes_store_u64(packet, board->bench->now_fs / FS_PER_NS);
    memcpy(packet + 8, board->heard.data, count);
    bench_take(&board->heard, count);
    board->asked = false;
    if (send(board->host, packet, 8 + count, MSG_NOSIGNAL) < 0) {
        leave(board);
    }
}

/* Lives until a request can be answered, at most until `end_fs`. */
static void live(struct bench_board *board, uint64_t end_fs)
{
    struct bench *bench = board->bench;
    uint64_t to_fs = until_fs(board);

    to_fs = to_fs < end_fs ? to_fs : end_fs;
    while (bench->now_fs < to_fs && !is_heard(board)) {
        uint64_t step_fs = board->heard_fs < to_fs ? board->heard_fs : to_fs;

        bench_run(bench, step_fs - bench->now_fs, board->index,
                  board->most == 0          ? NULL
                  : board->heard.bytes == 0 ? ""
                                            : "\n");
    }
    if (is_heard(board) || bench->now_fs >= until_fs(board)) {
        answer(board);
    }
}

bool host_serve(struct bench *bench, uint64_t end_fs)
{
    (void)look(bench, 0); /* who asked may have gone */
    while (bench->now_fs < end_fs) {
        struct bench_board *asked = NULL;

        for (unsigned i = 0; i < bench->count && asked == NULL; ++i) {
            asked = bench->board[i].asked ? &bench->board[i] : NULL;
        }
        if (asked != NULL) {
            live(asked, end_fs);
        } else if (!look(bench, HOST_LOOK_MS)) {
            return false;
        }
    }
    return true;
}
