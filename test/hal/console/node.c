/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console-node: what a node on serial lines answers to peeks, and does when it
 * is told to, as TAP. The board is made up: its time goes on by hand.
 */
#include "boot/serial/node.h"
#include "boot/serial/pages.h"
#include "hal/board.h"
#include "hal/bytes.h"
#include "test/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define SLACK_US 5000u

static uint64_t memory[8192];
static const struct scatter_costs costs;
static const struct node_fault fault = {
    .valid = 1, .exception = 3, .lr = 0x08001235, .pc = 0x08004320, .cfsr = 9};

static uint8_t page[SWITCH_STATUS_BYTES]; /* the last answer */

/* A board. */
static struct {
    struct serial_node node;
    uint32_t now_us;
    uint32_t line[SWITCH_PORTS][7];
    unsigned resets;
    unsigned forgotten;
    unsigned locked;
    unsigned led_changes;
    bool led;
} board;

uint32_t board_stack_used_bytes(void)
{
    return 1234;
}

uint32_t board_stack_bytes(void)
{
    return 8192;
}

/* No job runs here. */
void clock_account(struct clock *clock, uint64_t ps)
{
    clock->base_ps += ps;
}

static uint32_t now_us(void *context)
{
    (void)context;
    return board.now_us;
}

static void nothing(void *context)
{
    (void)context;
}

static void forget(void *context)
{
    (void)context;
    board.forgotten += 1;
}

static void lock(void *context)
{
    (void)context;
    board.locked += 1;
}

static void unlock(void *context)
{
    (void)context;
    board.locked -= 1;
}

static void kick(void *context, unsigned port)
{
    (void)context;
    (void)port;
}

static uint32_t *line(void *context, unsigned port)
{
    (void)context;
    return board.line[port];
}

static void measure(void *context, uint16_t *supply_mv, int16_t *celsius)
{
    (void)context;
    *supply_mv = 3301;
    *celsius = -7;
}

static void led(void *context, bool on)
{
    (void)context;
    board.led_changes += on != board.led;
    board.led = on;
}

static void reset(void *context)
{
    (void)context;
    board.resets += 1;
}

static void start(void)
{
    struct serial_node_config config = {
        .ident = {.board = "stm32f405",
                  .version = "a version that is so long that it does not fit "
                             "sixty bytes of an answer",
                  .reset_cause = "low-power",
                  .unique_id = {1, 2, 3},
                  .image_crc = 0xCAFE0001,
                  .clock = "hse-pll",
                  .clock_hz = 168000000,
                  .crystal_hz = 8000123},
        .salt = 0x10009,
        .byte_ns = 5000,
        .slack_us = SLACK_US,
        .memory = (uint8_t *)memory,
        .memory_bytes = sizeof memory,
        .costs = &costs,
        .measure = measure,
        .led = led,
        .last_fault = &fault,
        .faults = 2,
        .now_us = now_us,
        .lock = lock,
        .unlock = unlock,
        .kick = kick,
        .line = line,
        .line_counters = 7,
        .line_names = "a\0b\0c\0d\0e\0f\0g",
        .sleep = nothing,
        .reset = reset,
        .forget_faults = forget};

    memset(&board, 0, sizeof board);
    serial_node_init(&board.node, &config);
}

static void pass_ms(uint32_t ms)
{
    for (; ms > 0; --ms) {
        board.now_us += 1000;
        serial_node_tick(&board.node);
    }
}

static unsigned ask(uint8_t first, uint32_t argument, uint32_t bytes)
{
    uint8_t question[SWITCH_QUESTION_BYTES] = {first};

    bytes_store_u32(question + 1, argument);
    memset(page, 0xa5, sizeof page);
    return serial_node_peeked(&board.node, question, bytes, page);
}

/* ---- pages ---- */

static void state(struct unit *unit)
{
    pass_ms(7);
    CHECK_EQUAL(unit, ask(PEEK_STATE, 0, 1), PEEK_STATE_BYTES);
    CHECK_EQUAL(unit, page[0], PEEK_VERSION);
    CHECK_EQUAL(unit, page[PEEK_AT_FLAGS], PEEK_FAULT);
    CHECK_EQUAL(unit, page[PEEK_AT_EXCEPTION], 3);
    CHECK_EQUAL(unit, bytes_load_u16(page + PEEK_AT_FAULTS), 2);
    CHECK_EQUAL(unit, bytes_load_u32(page + PEEK_AT_PC), 0x08004320);
    CHECK_EQUAL(unit, bytes_load_u32(page + PEEK_AT_LR), 0x08001235);
    CHECK_EQUAL(unit, bytes_load_u32(page + PEEK_AT_UPTIME), 7);
    CHECK_EQUAL(unit, bytes_load_u16(page + PEEK_AT_STACK), 1234);
    CHECK_EQUAL(unit, page[PEEK_AT_KERNEL], 0);
}

static void identity(struct unit *unit)
{
    pass_ms(9);
    CHECK_EQUAL(unit, ask(PEEK_IDENTITY, 0, 5), PEEK_IDENTITY_BYTES);
    CHECK_EQUAL(unit, bytes_load_u32(page + PEEK_AT_UID + 8), 3);
    CHECK_EQUAL(unit, bytes_load_u32(page + PEEK_AT_CRC), 0xCAFE0001);
    CHECK_EQUAL(unit, bytes_load_u32(page + PEEK_AT_CLOCK_HZ), 168000000);
    CHECK_EQUAL(unit, bytes_load_u32(page + PEEK_AT_CRYSTAL_HZ), 8000123);
    CHECK_EQUAL(unit, bytes_load_u32(page + PEEK_AT_WHO_UPTIME), 9);
    CHECK_EQUAL(unit, bytes_load_u16(page + PEEK_AT_SUPPLY), 3301);
    CHECK_EQUAL(unit, (int16_t)bytes_load_u16(page + PEEK_AT_CELSIUS), -7);
    CHECK_EQUAL(unit, bytes_load_u16(page + PEEK_AT_WHO_FAULTS), 2);
    CHECK_EQUAL(unit, bytes_load_u16(page + PEEK_AT_START), 9);
    CHECK(unit,
          memcmp(page + PEEK_AT_NAMES, "hse-pll\0low-power\0\0", 20) == 0);
}

static void image(struct unit *unit)
{
    CHECK_EQUAL(unit, ask(PEEK_IMAGE, 0, 1), 64);
    CHECK(unit, memcmp(page + PEEK_AT_VERSION,
                       "a version that is so long that it does not fit sixty "
                       "bytes o",
                       PEEK_VERSION_BYTES) == 0);
}

static void ports(struct unit *unit)
{
    board.node.core.counters[2].damaged = 77;
    board.node.core.counters[2].mended = 78;
    board.line[2][4] = 79;
    board.line[2][5] = 80;
    CHECK_EQUAL(unit, ask(PEEK_WEST, 0, 1), PEEK_PORT_BYTES);
    CHECK_EQUAL(unit, bytes_load_u32(page + PEEK_AT_COUNTER + 4 * 6), 77);
    CHECK_EQUAL(unit, bytes_load_u32(page + PEEK_AT_COUNTER + 4 * 9), 78);
    CHECK_EQUAL(unit, bytes_load_u32(page + PEEK_AT_COUNTER + 4 * 14), 79);
    CHECK_EQUAL(unit, ask(PEEK_NORTH, 0, 1), PEEK_PORT_BYTES);
    CHECK_EQUAL(unit, bytes_load_u32(page + PEEK_AT_COUNTER + 4 * 6), 0);
}

/* Of a page that nobody knows the first is told. */
static void other_pages(struct unit *unit)
{
    for (unsigned first = PEEK_PAGES; first < 256; ++first) {
        start();
        CHECK_EQUAL(unit, ask((uint8_t)first, 1, 5), PEEK_STATE_BYTES);
        CHECK_EQUAL(unit, page[PEEK_AT_FLAGS] & PEEK_RESETS, 0);
    }
}

/* ---- commands ---- */

/* Tells a command; the flags of the state that answers. */
static unsigned command(uint8_t first, uint32_t argument)
{
    (void)ask(first, argument, PEEK_QUESTION_BYTES);
    return page[PEEK_AT_FLAGS];
}

static unsigned flags(void)
{
    (void)ask(PEEK_STATE, 0, 1);
    return page[PEEK_AT_FLAGS];
}

/* Four times a second, for as long as is wanted. */
static void blinks(struct unit *unit)
{
    pass_ms(3);
    CHECK_EQUAL(unit, command(PEEK_IDENTIFY, 3) & PEEK_BLINKS, PEEK_BLINKS);
    pass_ms(2999);
    CHECK(unit, board.led_changes >= 22 && board.led_changes <= 25);
    CHECK_EQUAL(unit, flags() & PEEK_BLINKS, PEEK_BLINKS);
    pass_ms(1);
    CHECK_EQUAL(unit, flags() & PEEK_BLINKS, 0);
    CHECK(unit, !board.led);
}

static void blinks_no_longer(struct unit *unit)
{
    (void)command(PEEK_IDENTIFY, PEEK_IDENTIFY_S_MAX);
    pass_ms(200);
    CHECK(unit, board.led_changes > 0);
    (void)command(PEEK_IDENTIFY, 0);
    pass_ms(1);
    CHECK_EQUAL(unit, flags() & PEEK_BLINKS, 0);
    CHECK(unit, !board.led);
    CHECK_EQUAL(
        unit, command(PEEK_IDENTIFY, PEEK_IDENTIFY_S_MAX + 1) & PEEK_BLINKS, 0);
}

/* 20 ms and twice the lateness of an answer after it was asked last. */
static void resets(struct unit *unit)
{
    pass_ms(2);
    CHECK_EQUAL(unit, command(PEEK_RESET, PEEK_RESET_MAGIC) & PEEK_RESETS,
                PEEK_RESETS);
    pass_ms(29);
    (void)command(PEEK_RESET, PEEK_RESET_MAGIC);
    pass_ms(29);
    CHECK_EQUAL(unit, board.resets, 0);
    pass_ms(1);
    CHECK_EQUAL(unit, board.resets, 1);
}

/* Any single bit, and any other length. */
static void resets_for_nothing_else(struct unit *unit)
{
    for (unsigned bit = 0; bit < 32; ++bit) {
        (void)command(PEEK_RESET, PEEK_RESET_MAGIC ^ 1u << bit);
    }
    for (unsigned bit = 0; bit < 8; ++bit) {
        (void)command((uint8_t)(PEEK_RESET ^ 1u << bit), PEEK_RESET_MAGIC);
    }
    for (uint32_t bytes = 0; bytes < 20; ++bytes) {
        if (bytes != PEEK_QUESTION_BYTES) {
            (void)ask(PEEK_RESET, PEEK_RESET_MAGIC, bytes);
        }
    }
    pass_ms(1000);
    CHECK_EQUAL(unit, board.resets, 0);
    CHECK_EQUAL(unit, page[PEEK_AT_FLAGS] & PEEK_RESETS, 0);
}

/* ---- what the console's commands call ---- */

static void counters_and_faults_are_cleared(struct unit *unit)
{
    const struct shell_config *shell = &board.node.shell_config;
    uint64_t value;

    board.node.core.counters[1].damaged = 5;
    board.line[3][6] = 6;
    shell->clear(shell->context, SHELL_COUNTERS);
    CHECK_EQUAL(unit, board.node.core.counters[1].damaged, 0);
    CHECK_EQUAL(unit, board.line[3][6], 0);
    CHECK_EQUAL(unit, board.locked, 0);
    CHECK(unit, shell->number(shell->context, &value, SHELL_FAULT, 0, 0));
    shell->clear(shell->context, SHELL_FAULT);
    CHECK(unit, !shell->number(shell->context, &value, SHELL_FAULT, 0, 0));
    CHECK_EQUAL(unit, board.forgotten, 1);
}

/* One peek at a time out of each port; this node itself answers at once. */
static void peeks_out_of_every_port(struct unit *unit)
{
    const struct shell_config *shell = &board.node.shell_config;
    const struct torus_path own = {.port = TORUS_SOUTH};
    const uint8_t *page;
    unsigned bytes;

    for (uint8_t port = TORUS_EAST; port < TORUS_SOUTH; ++port) {
        const struct torus_path path = {.port = port, .hops = 1};

        CHECK_EQUAL(unit, shell->peek(shell->context, path, PEEK_STATE, 0),
                    ERR_OK);
        CHECK_EQUAL(unit, shell->peek(shell->context, path, PEEK_STATE, 0),
                    ERR_PORT_BUSY);
        CHECK_EQUAL(unit, shell->peeked(shell->context, &page, &bytes, port),
                    SHELL_LATER);
        CHECK_EQUAL(unit, board.locked, 0);
    }
    for (unsigned i = 0; i < 2; ++i) {
        CHECK_EQUAL(unit, shell->peek(shell->context, own, PEEK_STATE, 0),
                    ERR_OK);
        CHECK_EQUAL(unit,
                    shell->peeked(shell->context, &page, &bytes, TORUS_SOUTH),
                    ERR_OK);
        CHECK_EQUAL(unit, bytes, PEEK_STATE_BYTES);
    }
}

/* By how many of the tests of a link were lost. */
static void links_by_what_they_lose(struct unit *unit)
{
    const struct shell_config *shell = &board.node.shell_config;
    struct shell_link link;

    board.node.discover.config.lost_max = 2;
    for (unsigned lost = 0; lost <= DISCOVER_TESTS; ++lost) {
        const char *want = lost == DISCOVER_TESTS ? "silent"
                           : lost > 2             ? "noisy"
                                                  : "good";

        board.node.discover.link[TORUS_WEST].passed =
            (uint16_t)((1u << (DISCOVER_TESTS - lost)) - 1);
        shell->link(shell->context, &link, TORUS_WEST);
        CHECK(unit, strcmp(link.result, want) == 0);
    }
}

static void (*test)(struct unit *unit);

static void on_a_new_board(struct unit *unit)
{
    start();
    test(unit);
    CHECK_EQUAL(unit, board.locked, 0);
}

#define RUN(name)                                                              \
    do {                                                                       \
        test = (name);                                                         \
        unit_run(unit, on_a_new_board, #name);                                 \
    } while (0)

static void all(struct unit *unit)
{
    RUN(state);
    RUN(identity);
    RUN(image);
    RUN(ports);
    RUN(other_pages);
    RUN(blinks);
    RUN(blinks_no_longer);
    RUN(resets);
    RUN(resets_for_nothing_else);
    RUN(counters_and_faults_are_cleared);
    RUN(peeks_out_of_every_port);
    RUN(links_by_what_they_lose);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}
