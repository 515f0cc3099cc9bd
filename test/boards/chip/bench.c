/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/bench.h"

#include <stdlib.h>
#include <string.h>

/* Shorter than a byte at the fastest line: see slice_fs(). */
#define SLICE_FS (5u * FS_PER_US)
#define SLICE_BITS 9u
#define FRAME_BITS 10u
#define SEEDS 144u                          /* of wires, for each board */
#define CONSOLE_BIT_FS (FS_PER_S / 115200u) /* the adapter's baud */

static const uint8_t default_tx[BENCH_PORTS] = {0x16, 0x02, 0x1a, 0x26, 0x2a};
static const uint8_t default_rx[BENCH_PORTS] = {0x17, 0x03, 0x1b, 0x27, 0x2b};

void bench_init(struct bench *bench)
{
    memset(bench, 0, sizeof *bench);
    memcpy(bench->port_tx, default_tx, sizeof default_tx);
    memcpy(bench->port_rx, default_rx, sizeof default_rx);
}

/* ---- texts ---- */

static bool add(struct bench_text *text, const uint8_t *data, uint32_t bytes)
{
    if (bytes > sizeof text->data - text->bytes) {
        return false;
    }
    memcpy(text->data + text->bytes, data, bytes);
    text->bytes += bytes;
    return true;
}

void bench_take(struct bench_text *text, uint32_t bytes)
{
    memmove(text->data, text->data + bytes, text->bytes - bytes);
    text->bytes -= bytes;
}

/* ---- lines ---- */

static uint32_t next_random(struct bench_wire *wire)
{
    wire->random ^= wire->random << 13;
    wire->random ^= wire->random >> 17;
    wire->random ^= wire->random << 5;
    return wire->random;
}

static bool happens(struct bench_wire *wire, uint32_t probability)
{
    return probability != 0 && next_random(wire) < probability;
}

/* A byte that there is no memory for is lost. */
static void watch(struct bench *bench, struct bench_byte byte)
{
    if (bench->seen_count == bench->seen_capacity) {
        uint32_t capacity = bench->seen_capacity * 2 + 4096;
        struct bench_byte *list = realloc(bench->seen, capacity * sizeof *list);

        if (list == NULL) {
            return;
        }
        bench->seen = list;
        bench->seen_capacity = capacity;
    }
    bench->seen[bench->seen_count++] = byte;
}

/* The host's end of a console: its baud is the adapter's. */
static void hear(struct bench_board *board, uint8_t byte, uint64_t bit_fs)
{
    if (!usart_understands(CONSOLE_BIT_FS, bit_fs)) {
        board->misread += 1;
        byte ^= USART_MISREAD;
    }
    (void)add(&board->heard, &byte, 1);
}

static void carry(struct bench *bench, struct bench_wire *wire, uint8_t byte,
                  uint64_t start_fs, uint64_t bit_fs)
{
    struct bench_board *to;

    if (!wire->joined || wire->cut || happens(wire, wire->lose)) {
        return;
    }
    if (happens(wire, wire->damage)) {
        byte ^= (uint8_t)(1u << next_random(wire) % 8);
    }
    to = &bench->board[wire->to_board];
    chip_receive(&to->chip, wire->to_pin, byte, start_fs, bit_fs);
    to->wakes_fs = chip_wakes_fs(&to->chip);
}

static void transmit(void *context, unsigned pin, uint8_t byte,
                     uint64_t start_fs, uint64_t bit_fs)
{
    struct bench_board *board = context;
    struct bench *bench = board->bench;

    if (bench->watching) {
        watch(bench, (struct bench_byte){start_fs, board->index, pin, byte});
    }
    if (pin == bench->port_tx[BENCH_CONSOLE]) {
        hear(board, byte, bit_fs);
    } else {
        carry(bench, &board->wire[pin], byte, start_fs, bit_fs);
    }
}

/* What there is no memory for is lost. */
static void pass(void *context, uint32_t call, bool returned)
{
    const struct bench_board *board = context;
    struct bench *bench = board->bench;

    if (bench->passed_count == bench->passed_capacity) {
        uint32_t capacity = bench->passed_capacity * 2 + 4096;
        struct bench_passed *list =
            realloc(bench->passed, capacity * sizeof *list);

        if (list == NULL) {
            return;
        }
        bench->passed = list;
        bench->passed_capacity = capacity;
    }
    bench->passed[bench->passed_count++] = (struct bench_passed){
        chip_now_fs(&board->chip), board->index, call, returned};
}

struct bench_wire *bench_wire(struct bench *bench, unsigned board,
                              unsigned port)
{
    return &bench->board[board].wire[bench->port_tx[port]];
}

/* The port that a pin receives for; BENCH_PORTS: none. */
static unsigned port_of(const struct bench *bench, unsigned rx_pin)
{
    unsigned port = 0;

    while (port < BENCH_PORTS && bench->port_rx[port] != rx_pin) {
        ++port;
    }
    return port;
}

void bench_unplug(struct bench *bench, unsigned board, unsigned port)
{
    struct bench_wire *out = bench_wire(bench, board, port);

    if (out->joined) {
        unsigned other = out->to_board;
        unsigned other_port = port_of(bench, out->to_pin);

        out->joined = false;
        bench_wire(bench, other, other_port)->joined = false;
    }
}

void bench_join(struct bench *bench, unsigned a, unsigned a_port, unsigned b,
                unsigned b_port)
{
    struct bench_wire *there;
    struct bench_wire *back;

    bench_unplug(bench, a, a_port);
    bench_unplug(bench, b, b_port);
    there = bench_wire(bench, a, a_port);
    back = bench_wire(bench, b, b_port);
    there->joined = true;
    there->to_board = (uint8_t)b;
    there->to_pin = bench->port_rx[b_port];
    back->joined = true;
    back->to_board = (uint8_t)a;
    back->to_pin = bench->port_rx[a_port];
}

void bench_torus(struct bench *bench, unsigned width, unsigned height)
{
    for (unsigned y = 0; y < height; ++y) {
        for (unsigned x = 0; x < width; ++x) {
            unsigned at = x + y * width;

            bench_join(bench, at, 0, (x + 1) % width + y * width, 2);
            bench_join(bench, at, 1, x + (y + 1) % height * width, 3);
        }
    }
}

/* ---- boards ---- */

/* A chip as most are: 8 MHz, 3.3 V, no errors. */
static struct chip_config usual(struct bench_board *board)
{
    unsigned i = board->index;

    return (struct chip_config){
        .uid = {0x00310000u + i, 0x3436470eu, 0x35373138u},
        .hse = CHIP_HSE_CRYSTAL,
        .hse_hz = 8000000,
        .lsi_hz = 32000,
        .supply_mv = 3300,
        .celsius = 25,
        .seed = 12345u + i,
        .transmit = transmit,
        .marks = &board->bench->marks,
        .passed = pass,
        .context = board};
}

static void make_board(struct bench *bench, unsigned index,
                       const uint8_t *image)
{
    struct bench_board *board = &bench->board[index];
    struct chip_config config;

    board->bench = bench;
    board->index = index;
    board->listener = board->host = -1;
    config = usual(board);
    for (unsigned pin = 0; pin < BENCH_PINS; ++pin) {
        board->wire[pin].random = 2654435761u * (index * SEEDS + pin + 1);
    }
    chip_init(&board->chip, &config, image);
    if (index > 0) {
        core_share(&board->chip.core, &bench->board[0].chip.core);
    }
}

bool bench_make(struct bench *bench, unsigned count, const uint8_t *image)
{
    bench->board = count == 0 || count > BENCH_BOARDS
                       ? NULL
                       : calloc(count, sizeof *bench->board);
    bench->count = bench->board == NULL ? 0 : count;
    for (unsigned i = 0; i < bench->count; ++i) {
        make_board(bench, i, image);
    }
    return bench->count > 0;
}

/* ---- consoles ---- */

bool bench_type(struct bench *bench, unsigned board, const uint8_t *data,
                uint32_t bytes)
{
    struct bench_board *it = &bench->board[board];

    if (it->typing_fs < bench->now_fs) {
        it->typing_fs = bench->now_fs;
    }
    return add(&it->typed, data, bytes);
}

/* The adapter sends the next byte as soon as the last has left. */
static void type_next(struct bench *bench, struct bench_board *board,
                      uint64_t until_fs)
{
    uint32_t typed = 0;

    while (typed < board->typed.bytes && board->typing_fs < until_fs) {
        chip_receive(&board->chip, bench->port_rx[BENCH_CONSOLE],
                     board->typed.data[typed++], board->typing_fs,
                     CONSOLE_BIT_FS);
        board->typing_fs += FRAME_BITS * CONSOLE_BIT_FS;
    }
    if (typed > 0) {
        bench_take(&board->typed, typed);
        board->wakes_fs = chip_wakes_fs(&board->chip);
    }
}

/* ---- time ---- */

/* Recomputes what a board says of the time to come, after it has lived or has
   been given something. */
static void look_at(struct bench_board *board)
{
    const struct usart *usart = board->chip.usart;

    board->wakes_fs = chip_wakes_fs(&board->chip);
    board->slice_fs = SLICE_FS;
    for (unsigned u = 0; u < USART_COUNT; ++u) {
        uint64_t own = SLICE_BITS * usart[u].bit_fs;

        if (own != 0 && own < board->slice_fs) {
            board->slice_fs = own;
        }
    }
}

static bool has_said(const struct bench_board *board, const char *text)
{
    return text != NULL && board->heard.bytes > 0 &&
           memmem(board->heard.data, board->heard.bytes, text, strlen(text)) !=
               NULL;
}

/* The end of the next slice, at most until_fs: no byte that begins in it is
   complete in it. It begins when anything happens next on a board. */
static uint64_t slice_end(const struct bench *bench, uint64_t until_fs)
{
    uint64_t next = CHIP_NEVER;
    uint64_t slice = SLICE_FS;

    for (unsigned i = 0; i < bench->count; ++i) {
        const struct bench_board *board = &bench->board[i];

        if (board->typed.bytes > 0 && board->typing_fs < next) {
            next = board->typing_fs;
        }
        next = board->wakes_fs < next ? board->wakes_fs : next;
        slice = board->slice_fs < slice ? board->slice_fs : slice;
    }
    next = next > bench->now_fs ? next : bench->now_fs;
    return next < until_fs && until_fs - next > slice ? next + slice : until_fs;
}

/* All boards, as others than bench_run() are to see them. */
static void catch_up(struct bench *bench)
{
    for (unsigned i = 0; i < bench->count; ++i) {
        chip_run(&bench->board[i].chip, bench->now_fs);
    }
}

bool bench_run(struct bench *bench, uint64_t fs, unsigned board,
               const char *text)
{
    uint64_t until_fs = bench->now_fs + fs;

    for (unsigned i = 0; i < bench->count; ++i) {
        look_at(&bench->board[i]);
    }
    while (bench->now_fs < until_fs && !has_said(&bench->board[board], text)) {
        uint64_t to_fs = slice_end(bench, until_fs);

        for (unsigned i = 0; i < bench->count; ++i) {
            struct bench_board *it = &bench->board[i];

            type_next(bench, it, to_fs);
            if (it->wakes_fs < to_fs) { /* else it sleeps on */
                chip_run(&it->chip, to_fs);
                look_at(it);
            }
        }
        bench->now_fs = to_fs;
    }
    catch_up(bench);
    return has_said(&bench->board[board], text);
}
