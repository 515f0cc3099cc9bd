/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The serial ports. The model is a transmitter that has room now and then, and
 * a DMA controller that does its work when the test says so.
 */
#include "test/stm32f405/host/suite.h"

#include "hal/stm32f405/registers.h"

#include <string.h>

#define WIRE_BYTES 20000u
#define NOTHING UINT32_MAX

static struct stm32_usart usarts[5];
static struct stm32_gpio gpios[3];
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
    for (unsigned i = 0; i < 5; ++i) {
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
#undef GPIOA
#undef GPIOB
#undef GPIOC
#undef DMA1
#undef DMA2
#undef RCC
#undef NVIC
#undef USART_SR_TXE
#define USART1 (&usarts[0])
#define USART2 (&usarts[1])
#define USART3 (&usarts[2])
#define USART6 (&usarts[3])
#define UART4 (&usarts[4])
#define GPIOA (&gpios[0])
#define GPIOB (&gpios[1])
#define GPIOC (&gpios[2])
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

#include "hal/stm32f405/serial.c"

/* RM0090, tables 42 and 43, of the ports in their order. */
static const struct {
    unsigned dma;
    unsigned stream;
    uint32_t channel;
    unsigned shift; /* of the stream's flags, 10.5.1 and 10.5.2 */
    unsigned irq;   /* table 62 */
    unsigned late_irq;
    void (*interrupt)(void);
    void (*late_interrupt)(void);
} hardware[] = {
    {1, 7, 4, 22, 37, 70, serial_east_interrupt, serial_east_dma_interrupt},
    {0, 6, 4, 16, 38, 17, serial_north_interrupt, serial_north_dma_interrupt},
    {0, 3, 4, 22, 39, 14, serial_west_interrupt, serial_west_dma_interrupt},
    {1, 6, 5, 16, 71, 69, serial_south_interrupt, serial_south_dma_interrupt},
    /* the console, which has no DMA */
    {0, 0, 0, 0, 52, 53, serial_console_interrupt,
     serial_console_late_interrupt},
};

/* The flags that the handler cleared are 0 then (10.5.3). */
static void late_interrupt(unsigned port)
{
    struct stm32_dma *dma = &dmas[hardware[port].dma];
    unsigned half = hardware[port].stream / 4;

    chip.pended[hardware[port].late_irq] = 0;
    hardware[port].late_interrupt();
    dma->ISR[half] &= ~dma->IFCR[half];
}

/* What is pended, if anything is. */
static void late_if_pended(unsigned port)
{
    if (chip.pended[hardware[port].late_irq] != 0) {
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
    for (unsigned i = 0; i < 5; ++i) {
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
                bool apb2 = port == 0 || port == 3;
                uint32_t got = baud_of(&usarts[port], rates[rate][apb2]);
                uint32_t off = got > bauds[i] ? got - bauds[i] : bauds[i] - got;

                CHECK_EQUAL(unit, serial_baud(port), got);
                CHECK(unit, off * 100 <= bauds[i]);
            }
        }
    }
}

/* Function, mode, pull-up of a pin (8.4); RX and TX of each port. */
static void pins_are_what_the_table_says(struct unit *unit)
{
    static const uint8_t pins[][4] = {
        {1, 6, 7, 7}, {0, 2, 3, 7},   {1, 10, 11, 7},
        {2, 6, 7, 8}, {2, 10, 11, 8},
    };

    begin_fast();
    for (unsigned port = 0; port < 5; ++port) {
        const struct stm32_gpio *gpio = &gpios[pins[port][0]];

        for (unsigned i = 1; i <= 2; ++i) {
            unsigned pin = pins[port][i];
            uint64_t functions = gpio->AFRL | (uint64_t)gpio->AFRH << 32;

            CHECK_EQUAL(unit, functions >> 4 * pin & 15u, pins[port][3]);
            CHECK_EQUAL(unit, gpio->MODER >> 2 * pin & 3u, 2);
            CHECK_EQUAL(unit, gpio->PUPDR >> 2 * pin & 3u, 1);
        }
    }
    CHECK_EQUAL(unit, rcc.APB1ENR, 7u << 17);
    CHECK_EQUAL(unit, rcc.APB2ENR, 3u << 4);
    CHECK_EQUAL(unit, rcc.AHB1ENR, 7u | 3u << 21);
}

static void ports_come_before_all_else(struct unit *unit)
{
    begin_fast();
    for (unsigned port = 0; port < 4; ++port) {
        CHECK_EQUAL(unit, chip.priorities[hardware[port].irq], 1 + 0);
        CHECK_EQUAL(unit, chip.priorities[hardware[port].late_irq], 1 + 0x10);
    }
    CHECK_EQUAL(unit, chip.priorities[52], 1 + 0);
    CHECK_EQUAL(unit, chip.priorities[53], 1 + 0x40);
}

/* TC 64, TXE 128 (30.6.1). */
static void the_last_byte_has_left(struct unit *unit)
{
    for (unsigned port = 0; port < 5; ++port) {
        begin_fast();
        usarts[port].SR = 128;
        CHECK(unit, !serial_has_sent(port));
        usarts[port].SR = 64 | 128;
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
    usarts[port].SR = status;
    usarts[port].DR = byte;
    hardware[port].interrupt();
    usarts[port].DR = NOTHING;
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
            CHECK(unit, !disabled(hardware[port].irq));
            usarts[port].SR = 32;
            usarts[port].DR = i;
            hardware[port].interrupt();
        }
        CHECK_EQUAL(unit, caller.byte_count, 0);
        CHECK(unit, disabled(hardware[port].irq));
        late_if_pended(port);
        CHECK_EQUAL(unit, caller.byte_count, QUEUE_BYTES);
        CHECK_EQUAL(unit, caller.bytes[15], QUEUE_BYTES - 1);
        CHECK(unit, !disabled(hardware[port].irq));
        caller.byte_count = 0;
        usarts[port].SR = 32 | 8; /* more came: the interrupt comes at once */
        hardware[port].interrupt();
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
        usarts[2].SR = i == 3 ? 32 | 8 : 32;
        usarts[2].DR = 0x60 + i;
        hardware[2].interrupt();
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
    return &dmas[hardware[port].dma].S[hardware[port].stream];
}

/* The controller does what its registers say, and tells with these flags. */
static void finish_burst(struct unit *unit, unsigned port, uint32_t flags)
{
    struct stm32_dma *dma = &dmas[hardware[port].dma];
    struct stm32_dma_stream *stream = stream_at(port);
    unsigned half = hardware[port].stream / 4;

    CHECK_EQUAL(unit, stream->CR >> 25, hardware[port].channel);
    CHECK_EQUAL(unit, stream->CR & 0x1ffffffu,
                1u << 10 | 1u << 6 | 1u << 4 | 1u << 2 | 1u << 1 | 1u);
    CHECK_EQUAL(unit, stream->PAR, (uint32_t)(uintptr_t)&usarts[port].DR);
    CHECK_EQUAL(unit, stream->M0AR,
                (uint32_t)(uintptr_t)serial.state[port].burst);
    drain();
    memcpy(chip.wire + chip.sent, serial.state[port].burst, stream->NDTR);
    chip.sent += stream->NDTR;
    stream->NDTR = 0;
    stream->CR &= ~1u;
    dma->IFCR[half] = 0;
    dma->ISR[half] = flags << hardware[port].shift;
    late_interrupt(port);
    CHECK_EQUAL(unit, dma->IFCR[half], 0x3du << hardware[port].shift);
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
    usarts[port].SR = chip.room > 0 ? 1u << 7 : 0;
    if ((usarts[port].CR1 & 1u << 7) != 0 && chip.room > 0) {
        hardware[port].interrupt();
        CHECK_EQUAL(unit, usarts[port].CR1 & 1u << 7, 0);
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
    CHECK_EQUAL(unit, usarts[port].CR1 & 1u << 7, 0);
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
        CHECK_EQUAL(unit, usarts[port].CR3, 1u << 7);
        caller.written = 200;
        chip.room = 1000;
        usarts[port].SR = 1u << 7;
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
    UNIT_RUN(unit, ports_come_before_all_else);
    UNIT_RUN(unit, the_last_byte_has_left);
    UNIT_RUN(unit, damaged_bytes_are_told_apart);
    UNIT_RUN(unit, bytes_wait_in_a_queue);
    UNIT_RUN(unit, errors_keep_their_place);
    UNIT_RUN(unit, sends);
    UNIT_RUN(unit, a_failed_burst_ends_dma);
}
