/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See RM0090, chapters 30 (USART), 10 (DMA) and 8 (pins). A line has two
 * interrupt handlers. The quick one, of the USART, does little and pends the
 * late one. The late one, of the line's DMA stream for sending, is less urgent
 * and may take long: it passes received bytes on, calls the program and sends.
 *
 * Receiving: DMA writes received bytes to a ring. The first byte after silence
 * interrupts (RXNE) and starts a timer, which runs the late handler 10 us later
 * and then every 50 us; when the line is silent again (IDLE), the late handler
 * runs a last time. So a silent line costs nothing. A line without DMA (the
 * console, and every line on the emulator) fills its ring byte by byte in the
 * quick handler.
 *
 *   line     ____|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|______
 *   looks         RXNE  |10 us    |50 us ...     |IDLE
 *
 * Sending: a line with DMA sends bursts from a buffer of its own, so that the
 * program's bytes may lie anywhere (DMA does not reach CCM, 2.3.2) and may
 * change once they are copied. Without DMA, or if they are fewer than 3, bytes
 * are written one by one, each when the USART has room for a byte (TXE).
 *
 *   line   RX --DMA--> ring --late handler--> serial_came()
 *          TX <--DMA-- burst <--late handler-- serial_pending(), _taken()
 */
#include "hal/stm32f405/serial.h"

#include "hal/hot.h"
#include "hal/serial/board.h"
#include "hal/stm32f405/gpio.h"
#include "hal/stm32f405/interrupts.h"
#include "hal/stm32f405/pins.h"
#include "hal/stm32f405/registers.h"
#include "hal/stm32f405/timer.h"

#include <string.h>

/* Shorter bursts take longer than single bytes. */
#define BURST_MIN_BYTES 3u
#define BURST_MAX_BYTES 64u

/* A power of two; 512 bytes take 2.56 ms at 2 Mbaud. */
#define RING_BYTES 512u

/* Times from the first byte to a look at the ring, and between looks. */
#define FIRST_LOOK_US 10u
#define NEXT_LOOK_US 50u

#define ERRORS (USART_SR_ORE | USART_SR_FE | USART_SR_NF)

struct line {
    struct stm32_usart *usart;
    struct stm32_dma *dma;
    uint32_t enable; /* the USART's bit in APB1ENR or APB2ENR */
    bool on_apb2;
    uint8_t irq;      /* the USART's interrupt, which runs the quick handler */
    uint8_t function; /* alternate function of both pins */
    uint8_t stream;   /* DMA stream for sending */
    uint8_t channel;
    uint8_t rx_stream;
    uint8_t rx_channel;
    uint8_t late_irq; /* interrupt of `stream`, which runs the late handler */
    uint8_t tx;       /* enum pins_pin */
    uint8_t rx;
};

#define APB1_IS_APB2 false
#define APB2_IS_APB2 true
#define LINE_FACTS(device, bus, function, dma, tx, tx_channel, rx, rx_channel) \
    device, dma, RCC_##bus##ENR_##device##EN, bus##_IS_APB2, device##_IRQ,     \
        function, tx, tx_channel, rx, rx_channel, dma##_Stream##tx##_IRQ
#define LINE(port)                                                             \
    PINS_FACTS(LINE_FACTS, PINS_##port), PINS_TX(PINS_##port),                 \
        PINS_RX(PINS_##port)

HAL_HOT static const struct line lines[SERIAL_COUNT] = {
    [TORUS_EAST] = {LINE(EAST)},        [TORUS_NORTH] = {LINE(NORTH)},
    [TORUS_WEST] = {LINE(WEST)},        [TORUS_SOUTH] = {LINE(SOUTH)},
    [SERIAL_CONSOLE] = {LINE(CONSOLE)},
};

struct state {
    struct serial_counters counters;
    uint32_t baud;
    volatile uint32_t written; /* bytes put into the ring so far, modulo 2^32 */
    volatile uint32_t taken;   /* bytes taken out of the ring so far */
    volatile bool lost;        /* bytes were lost, and serial_lost() is due */
    volatile bool full;        /* without DMA: ring full, interrupt disabled */
    volatile bool kicked;  /* the late handler is to call serial_pending() */
    volatile bool waiting; /* bytes wait for room; TXE interrupt is enabled */
    bool has_dma;
    bool fails;           /* a burst failed: sends without DMA from then on */
    volatile bool silent; /* with DMA: line silent, RXNE interrupt enabled */
    bool bursting;        /* DMA is sending `burst` */
    volatile uint8_t ring[RING_BYTES];
    uint8_t burst[BURST_MAX_BYTES];
};

static struct state states[SERIAL_COUNT];

/* Returns the lowest bit of a stream's flags in ISR and IFCR (10.5). */
static unsigned flags_shift(unsigned stream)
{
    static const uint8_t shifts[] = {0, 6, 16, 22};

    return shifts[stream % 4];
}

static void clear_flags(const struct line *line, unsigned stream)
{
    line->dma->IFCR[stream / 4] = DMA_ISR_ALL << flags_shift(stream);
}

/* ---- sending ---- */

/* Masks interrupts: the quick handler may disable TXE at any time. */
static void wait_for_room(unsigned port)
{
    uint32_t before = armv7m_mask();

    states[port].waiting = true;
    lines[port].usart->CR1 |= USART_CR1_TXEIE;
    armv7m_unmask(before);
}

static unsigned burst(unsigned port, const uint8_t *data, unsigned bytes)
{
    const struct line *line = &lines[port];
    struct stm32_dma_stream *stream = &line->dma->S[line->stream];
    struct state *state = &states[port];

    if (bytes > BURST_MAX_BYTES) {
        bytes = BURST_MAX_BYTES;
    }
    memcpy(state->burst, data, bytes);
    clear_flags(line, line->stream);
    stream->PAR = (uint32_t)(uintptr_t)&line->usart->DR;
    stream->M0AR = (uint32_t)(uintptr_t)state->burst;
    stream->NDTR = bytes;
    stream->CR = (uint32_t)line->channel << DMA_CR_CHSEL_SHIFT | DMA_CR_MINC |
                 DMA_CR_DIR_TO_PERIPHERAL | DMA_CR_TCIE | DMA_CR_TEIE |
                 DMA_CR_DMEIE;
    armv7m_barrier();
    stream->CR |= DMA_CR_EN;
    state->bursting = true;
    ++state->counters.bursts;
    return bytes;
}

static unsigned write_bytes(struct stm32_usart *usart, const uint8_t *data,
                            unsigned bytes)
{
    unsigned written = 0;

    while (written < bytes && (usart->SR & USART_SR_TXE) != 0) {
        usart->DR = data[written++];
    }
    return written;
}

static void send(unsigned port)
{
    struct state *state = &states[port];
    bool more = false;

    state->kicked = false;
    while (!state->bursting && !more) {
        const uint8_t *data;
        unsigned bytes = serial_pending(port, &data);
        unsigned sent;

        if (bytes == 0) {
            break;
        }
        if (state->has_dma && !state->fails && bytes >= BURST_MIN_BYTES) {
            sent = burst(port, data, bytes);
        } else {
            sent = write_bytes(lines[port].usart, data, bytes);
            more = sent < bytes;
        }
        if (sent > 0) {
            state->counters.bytes_out += sent;
            serial_taken(port, sent);
        }
    }
    if (more) {
        wait_for_room(port);
    }
}

/* Ends the burst if DMA has ended. After a failed burst sends without DMA. */
static void end_burst(unsigned port)
{
    const struct line *line = &lines[port];
    struct state *state = &states[port];
    uint32_t flags =
        line->dma->ISR[line->stream / 4] >> flags_shift(line->stream);

    if ((flags & (DMA_ISR_TCIF | DMA_ISR_TEIF | DMA_ISR_DMEIF)) == 0) {
        return; /* software has pended the interrupt */
    }
    clear_flags(line, line->stream);
    if ((flags & (DMA_ISR_TEIF | DMA_ISR_DMEIF)) != 0) {
        line->dma->S[line->stream].CR = 0;
        state->fails = true;
        ++state->counters.failures;
    }
    state->bursting = false;
    state->kicked = true;
}

/* ---- receiving ---- */

/* Returns the number of bytes that DMA has put into the ring so far. */
static uint32_t arrived(const struct state *state, const struct line *line)
{
    uint32_t at = RING_BYTES - line->dma->S[line->rx_stream].NDTR;

    return state->written + ((at - state->written) & (RING_BYTES - 1u));
}

/* Returns and clears flags: DMA passed the ring's half (HTIF), end (TCIF). */
static uint32_t passed(const struct line *line)
{
    uint32_t flags =
        line->dma->ISR[line->rx_stream / 4] >> flags_shift(line->rx_stream);

    flags &= DMA_ISR_HTIF | DMA_ISR_TCIF;
    if (flags != 0) {
        clear_flags(line, line->rx_stream);
    }
    return flags;
}

/* Sets `written` to the number of bytes that have arrived. If DMA has
   overwritten bytes not taken yet, drops the ring's bytes, and sets `lost`. */
static void fetch(struct state *state, const struct line *line)
{
    uint32_t flags = passed(line);
    uint32_t half = state->written / (RING_BYTES / 2);
    uint32_t way = half % 2 == 0 ? DMA_ISR_HTIF : DMA_ISR_TCIF;

    state->written = arrived(state, line);
    half = state->written / (RING_BYTES / 2) - half;
    if (half != 1) {
        way = half == 0 ? 0 : DMA_ISR_HTIF | DMA_ISR_TCIF;
    }
    if ((way & ~flags) != 0) {
        (void)passed(line); /* DMA passed an end after `flags` was read */
    }
    if ((flags & ~way) != 0 || state->written - state->taken > RING_BYTES) {
        state->taken = state->written;
        state->lost = true;
    }
}

static void receive(struct state *state, unsigned port)
{
    if (state->has_dma) {
        fetch(state, &lines[port]);
    }
    if (state->taken != state->written) {
        uint32_t at = state->taken % RING_BYTES;
        uint32_t bytes = state->written - state->taken;

        bytes = bytes < RING_BYTES - at ? bytes : RING_BYTES - at;
        /* DMA and the quick handler do not write to bytes not taken yet. */
        bytes = serial_came(port, (const uint8_t *)&state->ring[at], bytes);
        state->counters.bytes_in += bytes;
        state->taken += bytes;
        if (state->taken != state->written) {
            armv7m_interrupt_pend(lines[port].late_irq);
        }
    }
    if (state->lost) {
        state->lost = false;
        serial_lost(port);
    }
    if (state->full) {
        state->full = false;
        armv7m_interrupt_enable(lines[port].irq);
    }
}

void serial_look(void)
{
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        const struct state *state = &states[port];

        if (state->has_dma && arrived(state, &lines[port]) != state->taken) {
            armv7m_interrupt_pend(lines[port].late_irq);
        }
    }
}

static void look(void)
{
    bool silent = true;

    serial_look();
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        silent &= !states[port].has_dma || states[port].silent;
    }
    if (!silent) {
        timer_call_in(TIMER_POLL, NEXT_LOOK_US);
    }
}

/* ---- interrupts ---- */

static void count_errors(struct state *state, uint32_t status)
{
    state->counters.overruns += (status & USART_SR_ORE) != 0;
    state->counters.framings += (status & USART_SR_FE) != 0;
    state->counters.noises += (status & USART_SR_NF) != 0;
    state->lost |= (status & USART_SR_ORE) != 0;
}

/* Puts a received byte into the ring. If the ring is full, disables the
   interrupt: the emulator would request it until the byte is read. */
static void collect(unsigned port, struct stm32_usart *usart, uint32_t status)
{
    struct state *state = &states[port];
    uint32_t at = state->written;

    if (at - state->taken == RING_BYTES) {
        state->full = true;
        NVIC->ICER[lines[port].irq / 32] = 1u << lines[port].irq % 32;
        armv7m_barrier(); /* disabled before the handler returns */
        return;
    }
    uint8_t byte = (uint8_t)usart->DR;
    bool doubtful = (status & (USART_SR_FE | USART_SR_NF)) != 0;

    count_errors(state, status);
    if ((status & USART_SR_RXNE) != 0) {
        state->ring[at % RING_BYTES] =
            doubtful && port == SERIAL_CONSOLE ? 0 : byte;
        state->written = at + 1;
    }
}

/* If `silent`, lets the next byte interrupt; else requests the first look. */
static void watch(struct stm32_usart *usart, struct state *state, bool silent)
{
    uint32_t cr1 = usart->CR1 & ~USART_CR1_RXNEIE;

    state->silent = silent;
    usart->CR1 = cr1 | (silent ? USART_CR1_RXNEIE : 0);
    if (!silent) {
        timer_call_in(TIMER_POLL, FIRST_LOOK_US);
    }
}

/* The quick handler. Reading SR, then DR, clears IDLE and the errors (30.6.1).
   DMA loses no byte. */
static void serve(unsigned port)
{
    struct stm32_usart *usart = lines[port].usart;
    struct state *state = &states[port];
    uint32_t status = usart->SR;

    if (!state->has_dma) {
        if ((status & (USART_SR_RXNE | ERRORS)) != 0) {
            collect(port, usart, status);
        }
    } else if ((status & (USART_SR_IDLE | ERRORS)) != 0) {
        (void)usart->DR;
        count_errors(state, status);
        if ((status & USART_SR_IDLE) != 0) {
            watch(usart, state, true);
        }
    } else if (state->silent) {
        watch(usart, state, false);
    }
    if (state->waiting && (status & USART_SR_TXE) != 0) {
        state->waiting = false;
        state->kicked = true;
        usart->CR1 &= ~USART_CR1_TXEIE;
    }
    armv7m_interrupt_pend(lines[port].late_irq);
}

static void serve_late(unsigned port)
{
    struct state *state = &states[port];

    if (state->bursting) {
        end_burst(port);
    }
    receive(state, port);
    serial_attend(port);
    if (state->kicked) {
        send(port);
    }
}

/* Not inlined, so that the four ports' handlers share one copy. */
__attribute__((noinline)) static void serve_port(unsigned port)
{
    uint32_t since = taken_now();

    serve(port);
    if (!taken_by_ports.late) {
        taken_add(since);
    }
}

__attribute__((noinline)) static void serve_port_late(unsigned port)
{
    uint32_t since = taken_begin();

    serve_late(port);
    taken_end(since);
}

#define HANDLERS(name, port)                                                   \
    void serial_##name##_interrupt(void)                                       \
    {                                                                          \
        serve_port(TORUS_##port);                                              \
    }                                                                          \
    void serial_##name##_dma_interrupt(void)                                   \
    {                                                                          \
        serve_port_late(TORUS_##port);                                         \
    }
SERIAL_PORTS(HANDLERS)

void serial_console_interrupt(void)
{
    serve(SERIAL_CONSOLE);
}

void serial_console_late_interrupt(void)
{
    serve_late(SERIAL_CONSOLE);
}

/* ---- start ---- */

/* Sets the bit rate that is nearest to `baud` (30.3.4). Result: that rate. */
static uint32_t set_baud(struct stm32_usart *usart, uint32_t clock_hz,
                         uint32_t baud)
{
    uint32_t clocks = (clock_hz + baud / 2) / baud;

    if (clocks >= 16) {
        usart->BRR = clocks;
    } else {
        clocks = clocks < 8 ? 8 : clocks;
        usart->CR1 = USART_CR1_OVER8;
        usart->BRR = (clocks & ~7u) << 1 | (clocks & 7u);
    }
    return clock_hz / clocks;
}

/* Whether there is DMA: only registers that exist keep what is written. */
static bool probe_dma(const struct line *line)
{
    struct stm32_dma_stream *stream = &line->dma->S[line->stream];

    stream->CR = 0;
    stream->NDTR = BURST_MAX_BYTES;
    return stream->NDTR == BURST_MAX_BYTES;
}

static void start_receiving(const struct line *line, struct state *state)
{
    struct stm32_dma_stream *stream = &line->dma->S[line->rx_stream];

    stream->CR = 0;
    clear_flags(line, line->rx_stream);
    stream->PAR = (uint32_t)(uintptr_t)&line->usart->DR;
    stream->M0AR = (uint32_t)(uintptr_t)state->ring;
    stream->NDTR = RING_BYTES;
    stream->CR = (uint32_t)line->rx_channel << DMA_CR_CHSEL_SHIFT |
                 DMA_CR_MINC | DMA_CR_CIRC;
    stream->CR |= DMA_CR_EN;
    state->written = 0;
    state->taken = 0;
}

static void start(unsigned port, const struct clocks *clocks, uint32_t baud)
{
    const struct line *line = &lines[port];
    struct stm32_usart *usart = line->usart;
    struct state *state = &states[port];

    *(line->on_apb2 ? &RCC->APB2ENR : &RCC->APB1ENR) |= line->enable;
    gpio_set_function(line->tx, line->function);
    gpio_set_function(line->rx, line->function);
    usart->CR1 = 0;
    state->baud = set_baud(
        usart, line->on_apb2 ? clocks->apb2_hz : clocks->apb1_hz, baud);
    state->has_dma = port < TORUS_PORTS && probe_dma(line);
    if (state->has_dma) {
        start_receiving(line, state);
        usart->CR3 = USART_CR3_DMAT | USART_CR3_DMAR | USART_CR3_EIE;
    }
    usart->CR1 |= USART_CR1_UE | USART_CR1_TE | USART_CR1_RE |
                  USART_CR1_RXNEIE | (state->has_dma ? USART_CR1_IDLEIE : 0);
    state->silent = true;
    armv7m_interrupt_priority(line->irq, INTERRUPTS_BYTES);
    armv7m_interrupt_priority(line->late_irq, port < TORUS_PORTS
                                                  ? INTERRUPTS_PORTS
                                                  : INTERRUPTS_CONSOLE);
    armv7m_interrupt_enable(line->late_irq);
    armv7m_interrupt_enable(line->irq);
}

void serial_start(const struct clocks *clocks, const uint32_t *bauds)
{
    RCC->AHB1ENR |= RCC_AHB1ENR_DMA1EN | RCC_AHB1ENR_DMA2EN;
    for (unsigned port = 0; port < SERIAL_COUNT; ++port) {
        uint32_t baud = bauds == 0 ? 0 : bauds[port];

        if (baud == 0) {
            baud = port < TORUS_PORTS ? SERIAL_PORT_BAUD : SERIAL_CONSOLE_BAUD;
        }
        start(port, clocks, baud);
    }
    if (clocks->source != CLOCKS_EMULATED) {
        timer_on(TIMER_POLL, look);
    }
}

void board_kick(unsigned port)
{
    states[port].kicked = true;
    armv7m_interrupt_pend(lines[port].late_irq);
}

uint32_t serial_baud(unsigned port)
{
    return states[port].baud;
}

bool serial_has_dma(unsigned port)
{
    return states[port].has_dma && !states[port].fails;
}

/* TC: the last byte has left the shift register. */
bool serial_has_sent(unsigned port)
{
    return (lines[port].usart->SR & USART_SR_TC) != 0;
}

struct serial_counters *serial_counters(unsigned port)
{
    return &states[port].counters;
}
