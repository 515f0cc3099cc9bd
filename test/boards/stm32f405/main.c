/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for the board that does what the console says, one line each, and
 * says what comes in at the ports, as "in PORT BYTE" and "error PORT".
 * test/boards/test_chip_drivers.py talks to it on the chip's model.
 *
 *   send PORT HEX      these bytes, out of a port
 *   answer             from now on '\n' at a port is answered with 'A', and
 *                      nothing else is said of what comes in
 *   pour PORT COUNT    so many bytes of a sequence, out of a port; from now on
 *                      what comes in at any is only counted
 *   counters PORT      of the driver; what was poured into it, and its CRC; of
 *                      the timers and the stack;  wrap: see there
 *   alarm US           sets the timer's, says how late it came
 *   probe HEX          reads a word there, if there is one
 *   led 0|1
 *   bauds BAUD         the ports begin anew;  again: the program does
 *   deaf US            no interrupts for so long;  hang: no main loop
 *   load HEX, trap 0|1, exit, reset      the ends of a program
 */
#include "boot/boot.h"
#include "boot/serial/console.h"
#include "boot/stm32f405/start.h"
#include "hal/board.h"
#include "hal/crc32.h"
#include "hal/image.h"
#include "hal/line/line.h"
#include "hal/node.h"
#include "hal/serial/board.h"
#include "hal/stm32f405/gpio.h"
#include "hal/stm32f405/interrupts.h"
#include "hal/stm32f405/pins.h"
#include "hal/stm32f405/registers.h"
#include "hal/stm32f405/serial.h"
#include "hal/stm32f405/timer.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS 512u
#define OUT_BYTES 64u

/* Something to be said of a port: a byte that came, or an error of its line. */
struct event {
    bool error;
    uint8_t port;
    uint8_t byte;
};

struct test {
    struct boot_start start;
    struct line_reader reader;
    struct line_writer said;
    bool answering;
    bool pouring;
    uint32_t to_pour[TORUS_PORTS];
    uint32_t poured[TORUS_PORTS];
    uint32_t came[TORUS_PORTS];
    uint32_t crc[TORUS_PORTS];
    struct event events[EVENTS]; /* free-running indices */
    volatile uint32_t written;
    uint32_t taken;
    uint8_t out[TORUS_PORTS][OUT_BYTES];
    volatile unsigned out_at[TORUS_PORTS];
    volatile unsigned out_bytes[TORUS_PORTS];
    uint32_t most_bytes[SERIAL_COUNT]; /* that came in one call */
    volatile uint32_t ticks;
    volatile uint32_t alarm_us; /* when alarm() was called; 0: it was not */
};

/* Behind the stack: data's part of the memory is the drivers'. */
static struct test *const test = (struct test *)(void *)boot_stack_end;

/* Says what line_put() makes of a format and its arguments. */
#define SAY(...)                                                               \
    (line_begin(&test->said), line_put(&test->said, __VA_ARGS__),              \
     (void)board_console_write(test->said.text, test->said.bytes))

/* ---- callbacks ---- */

static void note(struct event event)
{
    test->events[test->written++ % EVENTS] = event;
}

static void start_sending(unsigned port, unsigned bytes)
{
    test->out_at[port] = 0;
    test->out_bytes[port] = bytes;
    board_kick(port);
}

static void byte(unsigned port, uint8_t value)
{
    if (port == SERIAL_CONSOLE) {
        line_push(&test->reader, value);
    } else if (test->pouring) {
        test->crc[port] = crc32_update(test->crc[port], &value, 1);
        ++test->came[port];
    } else if (!test->answering) {
        note((struct event){.port = (uint8_t)port, .byte = value});
    } else if (value == '\n') {
        test->out[port][0] = 'A';
        start_sending(port, 1);
    }
}

unsigned serial_came(unsigned port, const uint8_t *data, unsigned bytes)
{
    if (test->most_bytes[port] < bytes) {
        test->most_bytes[port] = bytes;
    }
    for (unsigned i = 0; i < bytes; ++i) {
        byte(port, data[i]);
    }
    return bytes;
}

void serial_lost(unsigned port)
{
    note((struct event){.error = true, .port = (uint8_t)port});
}

void serial_attend(unsigned port)
{
    (void)port;
}

/* The next bytes of the sequence; test/boards/test_chip_drivers.py has the same
   formula. */
static void pour(unsigned port)
{
    unsigned bytes = test->to_pour[port] < OUT_BYTES
                         ? (unsigned)test->to_pour[port]
                         : OUT_BYTES;

    for (unsigned k = 0; k < bytes; ++k) {
        uint32_t i = test->poured[port]++;

        test->out[port][k] =
            (uint8_t)(i * 167u + (i >> 8) * 59u + (i >> 16) * 7u + port);
    }
    test->to_pour[port] -= bytes;
    test->out_at[port] = 0;
    test->out_bytes[port] = bytes;
}

unsigned serial_pending(unsigned port, const uint8_t **data)
{
    if (port == SERIAL_CONSOLE) {
        return console_pending(data);
    }
    if (test->to_pour[port] > 0 &&
        test->out_at[port] == test->out_bytes[port]) {
        pour(port);
    }
    *data = test->out[port] + test->out_at[port];
    return test->out_bytes[port] - test->out_at[port];
}

void serial_taken(unsigned port, unsigned bytes)
{
    if (port == SERIAL_CONSOLE) {
        console_taken(bytes);
    } else {
        test->out_at[port] += bytes;
    }
}

static void tick(void)
{
    ++test->ticks;
}

static void alarm(void)
{
    test->alarm_us = board_now_us();
}

/* ---- commands ---- */

static unsigned port_of(const char *text)
{
    return strtoul(text, NULL, 10) % TORUS_PORTS;
}

static void command_send(char *text)
{
    unsigned port = port_of(text);
    const char *hex = strchr(text, ' ');
    unsigned bytes = 0;

    while (hex != NULL && bytes < OUT_BYTES && strlen(hex) >= 3) {
        char digits[3] = {hex[1], hex[2], '\0'};

        test->out[port][bytes++] = (uint8_t)strtoul(digits, NULL, 16);
        hex += 2;
    }
    start_sending(port, bytes);
}

static void command_answer(char *text)
{
    (void)text;
    test->answering = true;
}

static void command_pour(char *text)
{
    unsigned port = port_of(text);
    const char *count = strchr(text, ' ');
    uint32_t before = armv7m_mask();

    test->pouring = true;
    test->to_pour[port] = count == NULL ? 0 : strtoul(count, NULL, 10);
    armv7m_unmask(before);
    board_kick(port);
}

static void command_counters(char *text)
{
    unsigned port = strtoul(text, NULL, 10) % SERIAL_COUNT;
    const struct serial_counters *counters = serial_counters(port);

    SAY("counters in %u out %u overruns %u framings %u noises %u bursts %u",
        counters->bytes_in, counters->bytes_out, counters->overruns,
        counters->framings, counters->noises, counters->bursts);
    SAY(" failures %u most %u poured %u crc %u ticks %u us %u stack %u\n",
        counters->failures, test->most_bytes[port],
        port < TORUS_PORTS ? test->came[port] : 0,
        port < TORUS_PORTS ? test->crc[port] : 0, test->ticks, board_now_us(),
        board_stack_used_bytes());
}

/* As if 1074 s had passed: the counter is 1 s before its end. Says which of
   its rounds it is in before and after 1.2 s, and how many ticks passed. */
static void command_wrap(char *text)
{
    uint64_t before;
    uint64_t after;

    (void)text;
    TIM2->CNT = 0u - 1000000u * TIMER_COUNTS_PER_US;
    before = timer_counts();
    timer_wait_us(1200000);
    after = timer_counts();
    SAY("wrap before %u after %u ticks %u\n", (uint32_t)(before >> 32),
        (uint32_t)(after >> 32), (uint32_t)(after - before));
}

/* The alarm in so many us, or as long ago: how late it came. */
static void command_alarm(char *text)
{
    uint32_t before = serial_mask();
    uint32_t at_us = board_now_us() + (uint32_t)strtol(text, NULL, 10);

    test->alarm_us = 0;
    timer_call_at(TIMER_ALARM, at_us);
    serial_unmask(before);
    timer_wait_us(200);
    SAY("alarm late_us %u\n", test->alarm_us - at_us);
}

/* Nobody is told anything, and nothing but DMA goes on. */
static void command_deaf(char *text)
{
    uint32_t before = armv7m_mask();

    timer_wait_us(strtoul(text, NULL, 10));
    armv7m_unmask(before);
}

/* All ports anew, at this baud. */
static void command_bauds(char *text)
{
    uint32_t baud = strtoul(text, NULL, 10);
    uint32_t bauds[SERIAL_COUNT] = {baud, baud, baud, baud, 0};
    uint32_t before = armv7m_mask();

    while (!serial_has_sent(SERIAL_CONSOLE)) {
    }
    serial_start(&test->start.clocks, bauds);
    armv7m_unmask(before);
    SAY("bauds baud %u baud %u baud %u baud %u\n", serial_baud(0),
        serial_baud(1), serial_baud(2), serial_baud(3));
}

/* Until all has been said. */
static void end_of_words(void)
{
    while (!board_console_sent()) {
    }
}

/* The program begins anew without a reset: as from a boot loader that has set
   the clock tree up, and has no interrupt enabled. */
static void command_again(char *text)
{
    (void)text;
    end_of_words();
    SYST->CSR = 0;
    for (unsigned irq = 0; irq < STM32_IRQS; ++irq) {
        NVIC->ICER[irq / 32] = 1u << irq % 32;
        NVIC->ICPR[irq / 32] = 1u << irq % 32;
    }
    __asm volatile("msr msp, %0\n\tbx %1" ::"r"(boot_stack_end), "r"(boot_reset)
                   : "memory");
}

static void command_led(char *text)
{
    board_led(text[0] == '1');
}

static void command_probe(char *text)
{
    uint32_t value = 0;
    uint32_t at = strtoul(text, NULL, 16);
    bool there = boot_probe_word((const volatile uint32_t *)at, &value);

    SAY("probe %s %x\n", there ? "yes" : "no", value);
}

__attribute__((noinline, used)) static void command_load(char *text)
{
    (void)*(const volatile uint32_t *)strtoul(text, NULL, 16);
}

/* A fault where the stack pointer is known: a multiple of 8, or ("1") 4 below
   one, where the processor aligns the frame that it stacks. */
static void command_trap(char *text)
{
    uint32_t sp;

    __asm volatile("mov %0, sp" : "=r"(sp));
    sp = ((sp - 64) & ~7u) - (text[0] == '1' ? 4 : 0);
    SAY("sp %x\n", sp);
    end_of_words();
    __asm volatile("mov sp, %0\n\tudf #0" ::"r"(sp) : "memory");
    __builtin_unreachable();
}

/* As a program whose main loop is stuck, while its interrupts go on. */
static void command_hang(char *text)
{
    (void)text;
    for (;;) {
        __asm volatile("wfi" ::: "memory");
    }
}

static void command_exit(char *text)
{
    (void)text;
    exit(1);
}

static void command_reset(char *text)
{
    (void)text;
    armv7m_reset();
}

static const struct {
    const char *name;
    void (*run)(char *text);
    bool answers; /* itself; else "ok" is said for it */
} commands[] = {
    {"send", command_send, false},  {"answer", command_answer, false},
    {"pour", command_pour, false},  {"counters", command_counters, true},
    {"wrap", command_wrap, true},   {"probe", command_probe, true},
    {"alarm", command_alarm, true}, {"led", command_led, false},
    {"deaf", command_deaf, false},  {"bauds", command_bauds, true},
    {"again", command_again, true}, {"load", command_load, true},
    {"reset", command_reset, true}, {"exit", command_exit, true},
    {"trap", command_trap, true},   {"hang", command_hang, true},
};

static void run(char *line)
{
    size_t bytes = strcspn(line, " ");
    char *text = line + bytes + (line[bytes] == ' ');
    const char *said = "no such command";

    for (unsigned i = 0; i < sizeof commands / sizeof *commands; ++i) {
        if (strlen(commands[i].name) == bytes &&
            memcmp(commands[i].name, line, bytes) == 0) {
            commands[i].run(text);
            said = commands[i].answers ? NULL : "ok";
        }
    }
    if (said != NULL) {
        SAY("%s\n", said);
    }
}

static void put_event(const struct event *event)
{
    if (event->error) {
        SAY("error %u\n", event->port);
    } else {
        SAY("in %u %u\n", event->port, event->byte);
    }
}

static void put_place(void)
{
    uint32_t values[] = {boot_identity.x, boot_identity.y, boot_identity.width,
                         boot_identity.height};

    SAY("place");
    for (unsigned i = 0; i < 4; ++i) {
        SAY(values[i] == IMAGE_NOT_SET ? " -" : " %u", values[i]);
    }
    SAY("\n");
}

/* What the start found. */
static void put_banner(const struct boot_start *start)
{
    const struct clocks *clocks = &start->clocks;
    const struct node_fault *fault = board_last_fault();

    SAY("quincunx stm32f405\nreset %s\nclocks %s core %u timer %u\n",
        clocks_reset_name(clocks), clocks_source_name(clocks), clocks->core_hz,
        clocks->timer_hz);
    SAY("memory ccm %s id ", start->has_ccm ? "yes" : "no");
    SAY(start->has_id ? "%x%x%x\n" : "none\n", start->id[0], start->id[1],
        start->id[2]);
    put_place();
    for (unsigned port = 0; port < SERIAL_COUNT; ++port) {
        SAY("port %u baud %u %s\n", port, serial_baud(port),
            serial_has_dma(port) ? "dma" : "interrupts");
    }
    if (fault != NULL) {
        SAY("fault exception %u pc %x lr %x sp %x cfsr %x bfar %x count %u\n",
            fault->exception, fault->pc, fault->lr, fault->sp, fault->cfsr,
            fault->bfar, board_faults());
    }
    SAY("ready\n");
}

_Noreturn void boot_board(void)
{
    memset(test, 0, sizeof *test);
    line_init(&test->reader, INT32_MAX);
    boot_start(&test->start);
    led_start();
    timer_start(&test->start.clocks, tick);
    serial_start(&test->start.clocks, NULL);
    timer_on(TIMER_ALARM, alarm);
    put_banner(&test->start);
    watchdog_start(&test->start.clocks);
    for (;;) {
        enum line_status status = line_take(&test->reader, board_now_us());

        watchdog_feed();
        if (status == LINE_TEXT) {
            run(test->reader.text);
        }
        for (; test->taken != test->written; ++test->taken) {
            put_event(&test->events[test->taken % EVENTS]);
        }
        if (status == LINE_NONE) {
            __asm volatile("wfi" ::: "memory");
        }
    }
}
