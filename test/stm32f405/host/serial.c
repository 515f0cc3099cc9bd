/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The serial ports, once for each header of pins. The model is a transmitter
 * that has room now and then, and a DMA controller that does its work when the
 * test says so.
 */
#include "test/stm32f405/host/suite.h"

#include "hal/stm32f405/registers.h"

#include <stdlib.h>
#include <string.h>

#define WIRE_BYTES 20000u
#define NOTHING UINT32_MAX

static struct stm32_usart usarts[6]; /* by number, less one */
static struct stm32_gpio gpios[5];
static struct stm32_dma dmas[2];
static struct stm32_rcc rcc;
static struct armv7m_nvic nvic;

static struct {
    uint8_t wire[WIRE_BYTES];
    uint32_t sent;
    uint32_t room; /* bytes that the transmitter takes before it is full */
    uint8_t pended[STM32_IRQS];
    uint8_t priorities[STM32_IRQS];
} chip;

/* What was written to a data register since the last look goes out. */
static void drain(void)
{
    for (unsigned i = 0; i < 6; ++i) {
        if (usarts[i].DR != NOTHING && chip.sent < WIRE_BYTES) {
            chip.wire[chip.sent++] = (uint8_t)usarts[i].DR;
            usarts[i].DR = NOTHING;
            chip.room -= chip.room > 0;
        }
    }
}

static uint32_t txe(void)
{
    drain();
    return chip.room > 0 ? 1u << 7 : 0;
}

static void pend(unsigned irq)
{
    chip.pended[irq] = 1;
}

static void enable(unsigned irq)
{
    nvic.ICER[irq / 32] &= ~(1u << irq % 32);
}

static bool disabled(unsigned irq)
{
    return (nvic.ICER[irq / 32] >> irq % 32 & 1u) != 0;
}

static void priority(unsigned irq, uint8_t value)
{
    chip.priorities[irq] = (uint8_t)(value + 1);
}

#undef USART1
#undef USART2
#undef USART3
#undef USART6
#undef UART4
#undef UART5
#undef GPIOA
#undef GPIOB
#undef GPIOC
#undef GPIOD
#undef GPIOE
#undef DMA1
#undef DMA2
#undef RCC
#undef NVIC
#undef USART_SR_TXE
#define USART1 (&usarts[0])
#define USART2 (&usarts[1])
#define USART3 (&usarts[2])
#define UART4 (&usarts[3])
#define UART5 (&usarts[4])
#define USART6 (&usarts[5])
#define GPIOA (&gpios[0])
#define GPIOB (&gpios[1])
#define GPIOC (&gpios[2])
#define GPIOD (&gpios[3])
#define GPIOE (&gpios[4])
#define DMA1 (&dmas[0])
#define DMA2 (&dmas[1])
#define RCC (&rcc)
#define NVIC (&nvic)
#define USART_SR_TXE txe()
#define armv7m_interrupt_pend pend
#define armv7m_interrupt_enable enable
#define armv7m_interrupt_priority priority
#define armv7m_barrier() ((void)0)
#define armv7m_mask() 0u
#define armv7m_unmask(before) ((void)(before))

#include "hal/stm32f405/led.c"
#include "hal/stm32f405/serial.c"

/* RM0090, tables 42, 43 and 62, and the data sheet's table 9: of USART 1 to 6.
 */
static const struct chip_usart {
    unsigned dma;
    unsigned stream;
    uint32_t channel;
    unsigned shift; /* of the stream's flags, 10.5.1 and 10.5.2 */
    unsigned irq;
    unsigned late_irq;
    unsigned function;
    bool apb2;
    unsigned enable; /* bit of RCC's register */
} chip_usarts[] = {
    {1, 7, 4, 22, 37, 70, 7, true, 4},   {0, 6, 4, 16, 38, 17, 7, false, 17},
    {0, 3, 4, 22, 39, 14, 7, false, 18}, {0, 4, 4, 0, 52, 15, 8, false, 19},
    {0, 7, 4, 22, 53, 47, 8, false, 20}, {1, 6, 5, 16, 71, 69, 8, true, 5},
};

/* What the headers of pins are to say: USART, and bank and number of TX, RX. */
struct wires {
    unsigned usart;
    const char *tx;
    const char *rx;
};

static const struct {
    const char *pins;
    struct wires wires[SERIAL_COUNT];
    const char *led; /* its pin, and the level that lights it; NULL: none */
} boards[] = {
    {"generic",
     {{1, "B6", "B7"},
      {2, "A2", "A3"},
      {3, "B10", "B11"},
      {6, "C6", "C7"},
      {4, "C10", "C11"}},
     NULL},
    {"core407ve",
     {{1, "B6", "B7"},
      {2, "A2", "A3"},
      {3, "B10", "B11"},
      {6, "C6", "C7"},
      {4, "A0", "A1"}},
     "A6 0"},
    {"pyboard",
     {{1, "B6", "B7"},
      {2, "A2", "A3"},
      {3, "B10", "B11"},
      {6, "C6", "C7"},
      {4, "A0", "A1"}},
     "B4 1"},
    {"feather405",
     {{1, "B6", "B7"},
      {5, "C12", "D2"},
      {3, "B10", "B11"},
      {6, "C6", "C7"},
      {4, "C10", "C11"}},
     "C1 1"},
};

static unsigned board_index(void)
{
    unsigned at = 0;

    while (strcmp(boards[at].pins, PINS_NAME) != 0) {
        ++at;
    }
    return at;
}

static const struct wires *wires_of(unsigned port)
{
    return &boards[board_index()].wires[port];
}

static const struct chip_usart *hardware(unsigned port)
{
    return &chip_usarts[wires_of(port)->usart - 1];
}

static struct stm32_usart *usart_at(unsigned port)
{
    return &usarts[wires_of(port)->usart - 1];
}

static void (*const interrupts[])(void) = {
    serial_east_interrupt, serial_north_interrupt, serial_west_interrupt,
    serial_south_interrupt, serial_console_interrupt};
static void (*const late_interrupts[])(void) = {
    serial_east_dma_interrupt, serial_north_dma_interrupt,
    serial_west_dma_interrupt, serial_south_dma_interrupt,
    serial_console_late_interrupt};

/* The flags that the handler cleared are 0 then (10.5.3). */
static void late_interrupt(unsigned port)
{
    struct stm32_dma *dma = &dmas[hardware(port)->dma];
    unsigned half = hardware(port)->stream / 4;

    chip.pended[hardware(port)->late_irq] = 0;
    late_interrupts[port]();
    dma->ISR[half] &= ~dma->IFCR[half];
}

/* What is pended, if anything is. */
static void late_if_pended(unsigned port)
{
    if (chip.pended[hardware(port)->late_irq] != 0) {
        late_interrupt(port);
    }
}

/* ---- the caller's side ---- */

static struct {
    uint8_t data[WIRE_BYTES];
    uint32_t written;
    uint32_t taken;
    uint32_t at_once; /* the most that pending() tells */
    uint8_t bytes[16];
    unsigned byte_count;
    unsigned doubtful;
    unsigned errors;
    unsigned errors_before_byte;
    unsigned errors_at_byte;
} caller;

static void on_byte(void *context, unsigned port, uint8_t byte)
{
    (void)context;
    (void)port;
    caller.errors_before_byte = caller.errors;
    caller.bytes[caller.byte_count++ % 16] = byte;
}

static void on_doubtful(void *context, unsigned port, uint8_t byte)
{
    on_byte(context, port, byte);
    ++caller.doubtful;
}

static void on_line_error(void *context, unsigned port)
{
    (void)context;
    (void)port;
    caller.errors_at_byte = caller.byte_count;
    ++caller.errors;
}

static unsigned on_pending(void *context, unsigned port, const uint8_t **data)
{
    uint32_t bytes = caller.written - caller.taken;

    (void)context;
    (void)port;
    *data = caller.data + caller.taken;
    return bytes < caller.at_once ? bytes : caller.at_once;
}

/* What is taken may be overwritten. */
static void on_taken(void *context, unsigned port, unsigned bytes)
{
    (void)context;
    (void)port;
    drain();
    memset(caller.data + caller.taken, 0xee, bytes);
    caller.taken += bytes;
}

static const struct serial_callbacks callbacks = {
    on_byte, on_doubtful, on_line_error, on_pending, on_taken};

static void begin(uint32_t apb1_hz, uint32_t apb2_hz, const uint32_t *bauds)
{
    const struct clocks clocks = {.apb1_hz = apb1_hz, .apb2_hz = apb2_hz};

    memset(&serial, 0, sizeof serial);
    memset(usarts, 0, sizeof usarts);
    memset(gpios, 0, sizeof gpios);
    memset(dmas, 0, sizeof dmas);
    memset(&rcc, 0, sizeof rcc);
    memset(&nvic, 0, sizeof nvic);
    memset(&chip, 0, sizeof chip);
    memset(&caller, 0, sizeof caller);
    caller.at_once = WIRE_BYTES;
    for (unsigned i = 0; i < 6; ++i) {
        usarts[i].DR = NOTHING;
    }
    serial_start(&clocks, bauds, &callbacks, NULL);
}

static void begin_fast(void)
{
    begin(42000000, 84000000, NULL);
}

/* ---- tests ---- */

/* RM0090, 30.3.4: baud = clock / (8 (2 - OVER8) USARTDIV). */
static uint32_t baud_of(const struct stm32_usart *usart, uint32_t clock_hz)
{
    bool over8 = (usart->CR1 >> 15 & 1u) != 0;
    uint32_t sixteenths =
        over8 ? (usart->BRR >> 4) * 16 + (usart->BRR & 7u) * 2 : usart->BRR;

    return (uint32_t)((uint64_t)clock_hz * 16 /
                      ((over8 ? 8u : 16u) * (uint64_t)sixteenths));
}

static void bauds_are_what_was_asked_for(struct unit *unit)
{
    static const uint32_t rates[][2] = {{42000000, 84000000},
                                        {16000000, 16000000}};
    static const uint32_t bauds[] = {9600, 115200, 1000000, 2000000};

    for (unsigned rate = 0; rate < 2; ++rate) {
        for (unsigned i = 0; i < 4; ++i) {
            uint32_t want[5] = {bauds[i], bauds[i], bauds[i], bauds[i],
                                bauds[i]};

            begin(rates[rate][0], rates[rate][1], want);
            for (unsigned port = 0; port < 5; ++port) {
                bool apb2 = hardware(port)->apb2;
                uint32_t got = baud_of(usart_at(port), rates[rate][apb2]);
                uint32_t off = got > bauds[i] ? got - bauds[i] : bauds[i] - got;

                CHECK_EQUAL(unit, serial_baud(port), got);
                CHECK(unit, off * 100 <= bauds[i]);
            }
        }
    }
}

static struct stm32_gpio *bank_of(const char *pin)
{
    return &gpios[pin[0] - 'A'];
}

static unsigned number_of(const char *pin)
{
    return (unsigned)strtoul(pin + 1, NULL, 10);
}

/* Function, mode, pull-up of a pin (8.4). */
static void check_pin(struct unit *unit, const char *pin, unsigned function)
{
    const struct stm32_gpio *gpio = bank_of(pin);
    unsigned number = number_of(pin);
    uint64_t functions = gpio->AFRL | (uint64_t)gpio->AFRH << 32;

    CHECK_EQUAL(unit, functions >> 4 * number & 15u, function);
    CHECK_EQUAL(unit, gpio->MODER >> 2 * number & 3u, 2);
    CHECK_EQUAL(unit, gpio->PUPDR >> 2 * number & 3u, 1);
    CHECK_EQUAL(unit, rcc.AHB1ENR >> (pin[0] - 'A') & 1u, 1);
}

static void pins_are_what_the_table_says(struct unit *unit)
{
    uint32_t enabled[2] = {0, 0};
    unsigned pins = 0;

    begin_fast();
    for (unsigned port = 0; port < 5; ++port) {
        check_pin(unit, wires_of(port)->tx, hardware(port)->function);
        check_pin(unit, wires_of(port)->rx, hardware(port)->function);
        enabled[hardware(port)->apb2] |= 1u << hardware(port)->enable;
    }
    CHECK_EQUAL(unit, rcc.APB1ENR, enabled[false]);
    CHECK_EQUAL(unit, rcc.APB2ENR, enabled[true]);
    CHECK_EQUAL(unit, rcc.AHB1ENR >> 21, 3);
    for (unsigned i = 0; i < 5 * 16; ++i) {
        pins += (gpios[i / 16].MODER >> 2 * (i % 16) & 3u) != 0;
    }
    CHECK_EQUAL(unit, pins, 10);
}

/* MODER 1: output; BSRR sets by bits 0 to 15, resets by 16 to 31 (8.4.7). */
static void the_led(struct unit *unit)
{
    const char *led = boards[board_index()].led;
    struct stm32_gpio *bank = led != NULL ? bank_of(led) : &gpios[0];
    unsigned number = led != NULL ? number_of(led) : 0;
    unsigned lit = led != NULL && strchr(led, ' ')[1] == '1';

    begin_fast();
    led_start();
    CHECK_EQUAL(unit, bank->BSRR,
                led != NULL ? 1u << (number + (lit ? 16 : 0)) : 0);
    CHECK_EQUAL(unit, bank->MODER >> 2 * number & 3u, led != NULL);
    led_set(true);
    CHECK_EQUAL(unit, bank->BSRR,
                led != NULL ? 1u << (number + (lit ? 0 : 16)) : 0);
    led_set(false);
    CHECK_EQUAL(unit, bank->BSRR,
                led != NULL ? 1u << (number + (lit ? 16 : 0)) : 0);
}

static void ports_come_before_all_else(struct unit *unit)
{
    begin_fast();
    for (unsigned port = 0; port < 4; ++port) {
        CHECK_EQUAL(unit, chip.priorities[hardware(port)->irq], 1 + 0);
        CHECK_EQUAL(unit, chip.priorities[hardware(port)->late_irq], 1 + 0x10);
    }
    CHECK_EQUAL(unit, chip.priorities[52], 1 + 0);
    CHECK_EQUAL(unit, chip.priorities[15], 1 + 0x40);
}

/* TC 64, TXE 128 (30.6.1). */
static void the_last_byte_has_left(struct unit *unit)
{
    for (unsigned port = 0; port < 5; ++port) {
        begin_fast();
        usart_at(port)->SR = 128;
        CHECK(unit, !serial_has_sent(port));
        usart_at(port)->SR = 64 | 128;
        CHECK(unit, serial_has_sent(port));
    }
}

static void in(unsigned port, uint32_t status, uint8_t byte)
{
    chip.room = 0;
    caller.byte_count = 0;
    caller.errors = 0;
    caller.errors_before_byte = 0;
    caller.doubtful = 0;
    usart_at(port)->SR = status;
    usart_at(port)->DR = byte;
    interrupts[port]();
    usart_at(port)->DR = NOTHING;
    late_if_pended(port);
}

/* ORE 8, NF 4, FE 2, RXNE 32 (30.6.1). */
static void damaged_bytes_are_told_apart(struct unit *unit)
{
    for (unsigned port = 0; port < 5; ++port) {
        begin_fast();
        in(port, 32, 0x41);
        CHECK_EQUAL(unit, caller.byte_count, 1);
        CHECK_EQUAL(unit, caller.bytes[0], 0x41);
        CHECK_EQUAL(unit, caller.errors, 0);
        in(port, 32 | 8, 0x42);
        CHECK_EQUAL(unit, caller.byte_count, 1);
        CHECK_EQUAL(unit, caller.errors, 1);
        CHECK_EQUAL(unit, caller.errors_before_byte, 0);
        CHECK_EQUAL(unit, caller.doubtful, 0);
        in(port, 32 | 2, 0x47);
        CHECK_EQUAL(unit, caller.byte_count, 1);
        CHECK_EQUAL(unit, caller.bytes[0], 0x47);
        CHECK_EQUAL(unit, caller.doubtful, 1);
        CHECK_EQUAL(unit, caller.errors, 0);
        in(port, 32 | 4, 0x43);
        CHECK_EQUAL(unit, caller.byte_count, 1);
        CHECK_EQUAL(unit, caller.bytes[0], 0x43);
        CHECK_EQUAL(unit, caller.doubtful, 1);
        CHECK_EQUAL(unit, caller.errors, 0);
        in(port, 8, 0x44);
        CHECK_EQUAL(unit, caller.byte_count, 0);
        CHECK_EQUAL(unit, caller.errors, 1);
        in(port, 0, 0x45);
        CHECK_EQUAL(unit, caller.byte_count + caller.errors, 0);
        CHECK_EQUAL(unit, serial_counters(port)->bytes_in, 4);
        CHECK_EQUAL(unit, serial_counters(port)->overruns, 2);
        CHECK_EQUAL(unit, serial_counters(port)->framings, 1);
        CHECK_EQUAL(unit, serial_counters(port)->noises, 1);
    }
}

/* Bytes come in while a callback takes its time: none of them is lost, until
   the queue is full. Then the line waits for room, and overruns. */
static void bytes_wait_in_a_queue(struct unit *unit)
{
    for (unsigned port = 0; port < 5; ++port) {
        begin_fast();
        for (unsigned i = 0; i < QUEUE_BYTES + 1; ++i) {
            CHECK(unit, !disabled(hardware(port)->irq));
            usart_at(port)->SR = 32;
            usart_at(port)->DR = i;
            interrupts[port]();
        }
        CHECK_EQUAL(unit, caller.byte_count, 0);
        CHECK(unit, disabled(hardware(port)->irq));
        late_if_pended(port);
        CHECK_EQUAL(unit, caller.byte_count, QUEUE_BYTES);
        CHECK_EQUAL(unit, caller.bytes[15], QUEUE_BYTES - 1);
        CHECK(unit, !disabled(hardware(port)->irq));
        caller.byte_count = 0;
        usart_at(port)->SR =
            32 | 8; /* more came: the interrupt comes at once */
        interrupts[port]();
        CHECK_EQUAL(unit, caller.errors, 0);
        late_if_pended(port);
        CHECK_EQUAL(unit, caller.byte_count, 1);
        CHECK_EQUAL(unit, caller.bytes[0], QUEUE_BYTES);
        CHECK_EQUAL(unit, caller.errors, 1);
        CHECK_EQUAL(unit, caller.errors_before_byte, 0);
    }
}

/* An error between two bytes is told between them. */
static void errors_keep_their_place(struct unit *unit)
{
    begin_fast();
    for (unsigned i = 0; i < 6; ++i) {
        usart_at(2)->SR = i == 3 ? 32 | 8 : 32;
        usart_at(2)->DR = 0x60 + i;
        interrupts[2]();
    }
    CHECK_EQUAL(unit, caller.errors, 0);
    late_if_pended(2);
    CHECK_EQUAL(unit, caller.byte_count, 6);
    CHECK_EQUAL(unit, caller.bytes[3], 0x63);
    CHECK_EQUAL(unit, caller.errors_at_byte, 4);
    CHECK_EQUAL(unit, caller.errors, 1);
}

static struct stm32_dma_stream *stream_at(unsigned port)
{
    return &dmas[hardware(port)->dma].S[hardware(port)->stream];
}

/* The controller does what its registers say, and tells with these flags. */
static void finish_burst(struct unit *unit, unsigned port, uint32_t flags)
{
    struct stm32_dma *dma = &dmas[hardware(port)->dma];
    struct stm32_dma_stream *stream = stream_at(port);
    unsigned half = hardware(port)->stream / 4;

    CHECK_EQUAL(unit, stream->CR >> 25, hardware(port)->channel);
    CHECK_EQUAL(unit, stream->CR & 0x1ffffffu,
                1u << 10 | 1u << 6 | 1u << 4 | 1u << 2 | 1u << 1 | 1u);
    CHECK_EQUAL(unit, stream->PAR, (uint32_t)(uintptr_t)&usart_at(port)->DR);
    CHECK_EQUAL(unit, stream->M0AR,
                (uint32_t)(uintptr_t)serial.state[port].burst);
    drain();
    memcpy(chip.wire + chip.sent, serial.state[port].burst, stream->NDTR);
    chip.sent += stream->NDTR;
    stream->NDTR = 0;
    stream->CR &= ~1u;
    dma->IFCR[half] = 0;
    dma->ISR[half] = flags << hardware(port)->shift;
    late_interrupt(port);
    CHECK_EQUAL(unit, dma->IFCR[half], 0x3du << hardware(port)->shift);
}

static uint32_t random_below(uint32_t *seed, uint32_t limit)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % limit;
}

/* The chip interrupts as long as it is asked to and has room. */
static void run_chip(struct unit *unit, unsigned port, uint32_t *seed)
{
    late_if_pended(port);
    drain();
    chip.room = random_below(seed, 4);
    usart_at(port)->SR = chip.room > 0 ? 1u << 7 : 0;
    if ((usart_at(port)->CR1 & 1u << 7) != 0 && chip.room > 0) {
        interrupts[port]();
        CHECK_EQUAL(unit, usart_at(port)->CR1 & 1u << 7, 0);
    }
    if ((stream_at(port)->CR & 1u) != 0 && random_below(seed, 3) == 0) {
        finish_burst(unit, port, 0x20);
    }
}

static void bytes_go_out_once_and_in_order(struct unit *unit, unsigned port,
                                           bool dma, uint32_t seed)
{
    static uint8_t expected[WIRE_BYTES];
    uint32_t idle = 0;

    begin_fast();
    serial.state[port].has_dma = dma;
    while (caller.written < 10000 ||
           (chip.sent < caller.written && idle < 20000)) {
        if (caller.written < 10000 && random_below(&seed, 8) == 0) {
            uint32_t bytes = 1 + random_below(&seed, 150);

            for (uint32_t i = 0; i < bytes; ++i) {
                expected[caller.written] = (uint8_t)random_below(&seed, 256);
                caller.data[caller.written] = expected[caller.written];
                ++caller.written;
            }
            caller.at_once = 1 + random_below(&seed, 100);
            serial_kick(port);
        }
        idle += caller.written >= 10000;
        run_chip(unit, port, &seed);
    }
    for (unsigned i = 0; i < 20; ++i) {
        run_chip(unit, port, &seed);
    }
    CHECK_EQUAL(unit, chip.sent, caller.written);
    CHECK(unit, memcmp(chip.wire, expected, chip.sent) == 0);
    CHECK_EQUAL(unit, serial_counters(port)->bytes_out, caller.written);
    CHECK_EQUAL(unit, serial_counters(port)->bursts > 0, dma);
    CHECK_EQUAL(unit, usart_at(port)->CR1 & 1u << 7, 0);
}

static void sends(struct unit *unit)
{
    for (unsigned port = 0; port < 4; ++port) {
        for (uint32_t seed = 1; seed <= 20; ++seed) {
            bytes_go_out_once_and_in_order(unit, port, false, seed);
            bytes_go_out_once_and_in_order(unit, port, true, seed);
        }
    }
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        bytes_go_out_once_and_in_order(unit, SERIAL_CONSOLE, false, seed);
    }
}

/* TEIF 8 (10.5.1): the port goes on without DMA. */
static void a_failed_burst_ends_dma(struct unit *unit)
{
    for (unsigned port = 0; port < 4; ++port) {
        begin_fast();
        CHECK(unit, serial_has_dma(port));
        CHECK_EQUAL(unit, usart_at(port)->CR3, 1u << 7);
        caller.written = 200;
        chip.room = 1000;
        usart_at(port)->SR = 1u << 7;
        serial_kick(port);
        late_if_pended(port);
        CHECK_EQUAL(unit, caller.taken, 64);
        CHECK_EQUAL(unit, stream_at(port)->NDTR, 64);
        finish_burst(unit, port, 8);
        CHECK_EQUAL(unit, stream_at(port)->CR, 0);
        CHECK(unit, !serial_has_dma(port));
        CHECK_EQUAL(unit, serial_counters(port)->failures, 1);
        CHECK_EQUAL(unit, caller.taken, 200);
    }
    CHECK(unit, !serial_has_dma(SERIAL_CONSOLE));
}

void suite_serial(struct unit *unit)
{
    UNIT_RUN(unit, bauds_are_what_was_asked_for);
    UNIT_RUN(unit, pins_are_what_the_table_says);
    UNIT_RUN(unit, the_led);
    UNIT_RUN(unit, ports_come_before_all_else);
    UNIT_RUN(unit, the_last_byte_has_left);
    UNIT_RUN(unit, damaged_bytes_are_told_apart);
    UNIT_RUN(unit, bytes_wait_in_a_queue);
    UNIT_RUN(unit, errors_keep_their_place);
    UNIT_RUN(unit, sends);
    UNIT_RUN(unit, a_failed_burst_ends_dma);
}
