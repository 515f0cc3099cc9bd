/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drivers of hal/template, or of a port made of it, under a node, as TAP
 * (unit_host()). The chip is made up: one board with two cables, from east to
 * west and from north to south, and a console. The tests type commands there.
 * Interrupts come only while the node waits; a bench tests the others.
 */
#include "boot/boot.h"
#include "boot/serial/program.h"
#include "hal/image.h"
#include "hal/serial/board.h"
#include "hal/serial/timer.h"
#include "hal/template/chip.h"
#include "kernels/kernel.h"
#include "test/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define MS_COUNTS (1000u * TIMER_COUNTS_PER_US)
#define LATE_COUNTS (15u * TIMER_COUNTS_PER_US) /* between late handlers */
#define LIMIT_MS 60000u                         /* an answer takes less */
#define ANSWER_BYTES 8192u
#define WRAPS_IN_COUNTS (700u * MS_COUNTS) /* from the start of the chip */

struct uart {
    uint32_t byte_counts; /* time of a byte; 0: not started */
    uint64_t sent_at;     /* when the byte in `shift` has left */
    uint8_t shift;
    uint8_t received;
    bool sending;
    bool came;
    bool overrun;
    bool damaged;
    bool tells_room;
    bool pended; /* serial_late_interrupt() is due */
};

static struct {
    struct uart uart[SERIAL_COUNT];
    uint64_t now;
    uint64_t tick_at;
    uint64_t late_at;      /* when late handlers may run again */
    unsigned without_room; /* bytes written where there was no room */
    uint32_t lose;     /* bytes that are still to be lost at the east port */
    uint32_t damage;   /* bytes that are still to be damaged at the console */
    const char *typed; /* rest of the line that is typed at the console */
    char said[ANSWER_BYTES];
    unsigned said_bytes;
    unsigned line_at;   /* where the answer's last line begins */
    ucontext_t test;    /* goes on when an answer is complete, or is late */
    ucontext_t program; /* of the node */
} chip;

static struct serial_node node;
static _Alignas(8) uint8_t memory[16384];
static _Alignas(16) uint8_t stack[256 * 1024];

/* ---- the functions of chip.c ---- */

uint32_t chip_start(void)
{
    return 16000000;
}

void chip_timer_start(void)
{
    chip.tick_at = chip.now + MS_COUNTS;
}

/* Time goes on while the processor works. */
uint32_t chip_timer_count(void)
{
    chip.now += 1;
    return (uint32_t)chip.now - WRAPS_IN_COUNTS;
}

uint32_t chip_mask(void)
{
    return 0;
}

void chip_unmask(uint32_t before)
{
    (void)before;
}

void chip_unique(uint32_t id[3])
{
    memset(id, 1, 12);
}

const char *chip_reset_cause(void)
{
    return "power";
}

uint32_t chip_uart_start(unsigned line, uint32_t baud)
{
    chip.uart[line].byte_counts = 10 * 1000000 * TIMER_COUNTS_PER_US / baud;
    return baud;
}

unsigned chip_uart_status(unsigned line)
{
    const struct uart *uart = &chip.uart[line];

    return (uart->came ? CHIP_CAME : 0) | (uart->overrun ? CHIP_OVERRUN : 0) |
           (uart->came && uart->damaged ? CHIP_DAMAGED : 0) |
           (uart->sending ? 0 : CHIP_ROOM | CHIP_SENT);
}

uint8_t chip_uart_read(unsigned line)
{
    struct uart *uart = &chip.uart[line];

    uart->came = false;
    uart->overrun = false;
    uart->damaged = false;
    return uart->received;
}

void chip_uart_write(unsigned line, uint8_t byte)
{
    struct uart *uart = &chip.uart[line];

    chip.without_room += uart->sending;
    uart->shift = byte;
    uart->sending = true;
    uart->sent_at = chip.now + uart->byte_counts;
}

void chip_uart_notify_room(unsigned line, bool on)
{
    chip.uart[line].tells_room = on;
}

void chip_pend(unsigned line)
{
    chip.uart[line].pended = true;
}

void chip_led(bool on)
{
    (void)on;
}

/* ---- lines ---- */

static void arrive(unsigned line, uint8_t byte)
{
    struct uart *uart = &chip.uart[line];

    if (line == TORUS_EAST && chip.lose > 0) {
        chip.lose -= 1;
        uart->overrun = true;
        return;
    }
    uart->overrun |= uart->came;
    uart->received = byte;
    uart->came = true;
    if (line == SERIAL_CONSOLE && chip.damage > 0) {
        chip.damage -= 1;
        uart->damaged = true;
    }
}

/* The last line of an answer: no rows follow. */
static bool is_last(const char *line)
{
    return (strncmp(line, "ok", 2) == 0 && strstr(line, "until=") == NULL) ||
           strncmp(line, "end ", 4) == 0 || strncmp(line, "err ", 4) == 0;
}

static void hear(char byte)
{
    if (chip.said_bytes < ANSWER_BYTES - 1) {
        chip.said[chip.said_bytes++] = byte;
    }
    if (byte == '\n') {
        if (is_last(chip.said + chip.line_at)) {
            swapcontext(&chip.program, &chip.test);
        }
        chip.line_at = chip.said_bytes;
    }
}

/* A byte that was sent comes in at the cable's other end: two ports on. */
static void leave(unsigned line)
{
    chip.uart[line].sending = false;
    if (line == SERIAL_CONSOLE) {
        hear((char)chip.uart[line].shift);
    } else {
        arrive((line + 2) % TORUS_PORTS, chip.uart[line].shift);
    }
}

/* ---- interrupts ---- */

static void interrupt(void)
{
    for (unsigned line = 0; line < SERIAL_COUNT; ++line) {
        const struct uart *uart = &chip.uart[line];

        if (uart->came || uart->overrun ||
            (uart->tells_room && !uart->sending)) {
            serial_interrupt(line);
        }
    }
    for (unsigned line = 0; chip.now >= chip.late_at && line < SERIAL_COUNT;
         ++line) {
        if (chip.uart[line].pended) {
            chip.uart[line].pended = false;
            serial_late_interrupt(line);
        }
    }
}

/* Runs the tick if it is due. Somebody types a byte each millisecond. */
static void tick(void)
{
    if (chip.now < chip.tick_at) {
        return;
    }
    chip.tick_at += MS_COUNTS;
    if (*chip.typed != '\0') {
        arrive(SERIAL_CONSOLE, (uint8_t)*chip.typed++);
    }
    timer_tick_interrupt();
}

static uint64_t next_event(void)
{
    uint64_t next = chip.tick_at;

    for (unsigned line = 0; line < SERIAL_COUNT; ++line) {
        const struct uart *uart = &chip.uart[line];

        if (uart->pended && chip.late_at < next) {
            next = chip.late_at;
        }
        if (uart->sending && uart->sent_at < next) {
            next = uart->sent_at;
        }
    }
    return next;
}

void chip_wait(void)
{
    uint64_t next = next_event();

    chip.now = next > chip.now ? next : chip.now;
    for (unsigned line = 0; line < SERIAL_COUNT; ++line) {
        if (chip.uart[line].sending && chip.uart[line].sent_at <= chip.now) {
            leave(line);
        }
    }
    interrupt();
    if (chip.now >= chip.late_at) {
        chip.late_at = chip.now + LATE_COUNTS;
    }
    tick();
    if (chip.now > (uint64_t)LIMIT_MS * MS_COUNTS) {
        swapcontext(&chip.program, &chip.test);
    }
}

/* ---- the parts of boot/ that are for a Cortex-M ---- */

const volatile struct image_identity boot_identity = {.x = IMAGE_NOT_SET};
uint8_t boot_image_end[1];
const struct kernel *const kernel_table[] = {NULL};
const unsigned kernel_table_count = 0;

uint32_t board_stack_used_bytes(void)
{
    return 0;
}

uint32_t board_stack_bytes(void)
{
    return 0;
}

const struct node_fault *board_last_fault(void)
{
    return NULL;
}

uint32_t board_faults(void)
{
    return 0;
}

void board_forget_faults(void)
{
}

static void run(void)
{
    serial_node_run(&node);
}

static void start(void)
{
    static const struct scatter_costs costs;
    struct serial_node_config config = {.board = "test",
                                        .reset_cause = chip_reset_cause(),
                                        .clock = "test",
                                        .clock_hz = chip_start(),
                                        .half_line_us = 1000000,
                                        .lost_max = 1,
                                        .costs = &costs,
                                        .line_counters = 5,
                                        .line_names =
                                            "in\0out\0over\0frame\0noise",
                                        .memory = memory,
                                        .memory_bytes = sizeof memory};

    memset(&chip, 0, sizeof chip);
    chip.typed = "";
    chip_unique(config.unique_id);
    timer_start();
    serial_start();
    program_init(&node, &config);
    timer_on_tick(program_tick);
    getcontext(&chip.program);
    chip.program.uc_stack.ss_sp = stack;
    chip.program.uc_stack.ss_size = sizeof stack;
    makecontext(&chip.program, run, 0);
}

/* Whether the console's answer to a command has this text. */
static bool says(const char *command, const char *text)
{
    chip.said_bytes = 0;
    chip.line_at = 0;
    memset(chip.said, 0, sizeof chip.said);
    chip.typed = command;
    swapcontext(&chip.test, &chip.program);
    return strstr(chip.said, text) != NULL;
}

/* The sum of a counter in the last answer, over all lines. */
static unsigned sum_of(const char *counter)
{
    unsigned sum = 0;

    for (const char *at = chip.said; (at = strstr(at, counter)) != NULL;) {
        at += strlen(counter);
        sum += (unsigned)strtoul(at, NULL, 10);
    }
    return sum;
}

/* ---- the tests, in the order of a bench ---- */

static void console_answers(struct unit *unit)
{
    CHECK(unit, says("ident\n", "board=test"));
    CHECK(unit, says("nothing\n", "err "));
}

static void a_damaged_byte_of_the_console(struct unit *unit)
{
    chip.damage = 1;
    CHECK(unit, says("ident\n", "err damaged"));
}

static void time_goes_on_over_the_wrap(struct unit *unit)
{
    uint64_t before = timer_counts();
    uint32_t before_us = board_now_us();

    chip.now += UINT32_MAX / 2;
    (void)timer_counts();
    chip.now += UINT32_MAX / 2;
    CHECK(unit, timer_counts() - before > UINT32_MAX - 100u);
    CHECK(unit, timer_counts() - before < UINT32_MAX + 100ull);
    CHECK(unit, board_now_us() - before_us >= UINT32_MAX / 4 - 25);
    CHECK(unit, board_now_us() - before_us <= UINT32_MAX / 4 + 25);
    chip.now = 0;
}

static void two_cables(struct unit *unit)
{
    CHECK(unit, says("mesh 1 1\n", "end rows=0"));
    CHECK(unit, says("links\n", "port=east test=good x=0 y=0 to=west"));
    CHECK(unit, says("links\n", "port=south test=good x=0 y=0 to=north"));
    CHECK(unit, says("counters\n", "damaged="));
    CHECK_EQUAL(unit, sum_of("damaged=") + sum_of("mended="), 0);
    CHECK(unit, board_counters(TORUS_EAST)[1] > 1000);
    CHECK(unit, board_counters(TORUS_WEST)[0] > 1000);
}

static void bytes_that_are_lost(struct unit *unit)
{
    chip.lose = 21;
    CHECK(unit, says("mesh 1 1\n", "end rows="));
    CHECK(unit, says("counters\n", "over=21"));
}

static void no_byte_overwrites_one(struct unit *unit)
{
    CHECK_EQUAL(unit, chip.without_room, 0);
    CHECK(unit, serial_has_sent(TORUS_EAST));
    CHECK_EQUAL(unit, serial_baud(SERIAL_CONSOLE), SERIAL_CONSOLE_BAUD);
}

static void all(struct unit *unit)
{
    start();
    UNIT_RUN(unit, console_answers);
    UNIT_RUN(unit, two_cables);
    UNIT_RUN(unit, a_damaged_byte_of_the_console);
    UNIT_RUN(unit, bytes_that_are_lost);
    UNIT_RUN(unit, no_byte_overwrites_one);
    UNIT_RUN(unit, time_goes_on_over_the_wrap);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}
