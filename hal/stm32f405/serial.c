/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RM0090, chapters 30 (USART), 10 (DMA) and 8 (pins). A line has two handlers.
 * The USART's does next to nothing: it puts what came in into a queue, byte for
 * byte, as a relay must pass each on at once and the next one is lost if it is
 * not done by then. Nothing but its like holds it up. The other one, less
 * urgent, calls back and sends, for as long as it takes: that of the line's DMA
 * stream for sending, which software pends, too. The console's stream is never
 * started: its handler comes only so.
 *
 * Bursts are sent by DMA where there is any: from a buffer of its own, so that
 * the sender's memory may be anywhere (DMA does not reach CCM, 2.3.2) and may
 * change as soon as it is taken. All else is sent as TXE comes.
 */
#include "hal/stm32f405/serial.h"

#include "hal/stm32f405/gpio.h"
#include "hal/stm32f405/interrupts.h"
#include "hal/stm32f405/pins.h"
#include "hal/stm32f405/registers.h"
#include "hal/stm32f405/usarts.h"

#include <string.h>

/* Less than this is sooner written than set up; more than the buffer's 64 does
   not save much: one interrupt for each 320 us at 2 Mbaud. */
#define BURST_MIN_BYTES 8u
#define BURST_MAX_BYTES 64u

/* What comes in at 2 Mbaud while the switch makes frames at all four ports,
   after a tick that did: at most 120 bytes (test/bench/relay.py). 2^n. */
#define QUEUE_BYTES 128u

#define ERRORS (USART_SR_ORE | USART_SR_FE | USART_SR_NF)
#define QUEUE_STATUS_SHIFT 8 /* in a queue, above the byte */

struct line {
    struct stm32_usart *usart;
    struct stm32_dma *dma;
    uint32_t enable; /* in APB1ENR or APB2ENR */
    bool on_apb2;
    uint8_t irq;
    uint8_t function; /* of the pins */
    uint8_t stream;   /* for sending */
    uint8_t channel;
    uint8_t late_irq; /* of the less urgent handler: the stream's */
    uint8_t tx;       /* enum pins_pin */
    uint8_t rx;
};

#define APB1_IS_APB2 false
#define APB2_IS_APB2 true
#define LINE_FACTS(device, bus, function, dma, tx, tx_channel, rx, rx_channel) \
    device, dma, RCC_##bus##ENR_##device##EN, bus##_IS_APB2, device##_IRQ,     \
        function, tx, tx_channel, dma##_Stream##tx##_IRQ
#define LINE(port)                                                             \
    USARTS_FACTS(PINS_##port##_USART, LINE_FACTS), PINS_##port##_TX,           \
        PINS_##port##_RX

static const struct line lines[SERIAL_COUNT] = {
    [TORUS_EAST] = {LINE(EAST)},        [TORUS_NORTH] = {LINE(NORTH)},
    [TORUS_WEST] = {LINE(WEST)},        [TORUS_SOUTH] = {LINE(SOUTH)},
    [SERIAL_CONSOLE] = {LINE(CONSOLE)},
};

struct state {
    struct serial_counters counters;
    uint32_t baud;
    volatile uint32_t written; /* of the queue: free-running indices */
    volatile uint32_t taken;
    volatile bool full;    /* and so the interrupt is disabled */
    volatile bool kicked;  /* there may be something to send */
    volatile bool waiting; /* for TXE to interrupt */
    bool has_dma;
    bool bursting;
    volatile uint16_t queue[QUEUE_BYTES]; /* bytes, and the status with each */
    uint8_t burst[BURST_MAX_BYTES];
};

static struct {
    struct serial_callbacks callbacks;
    void *context;
    struct state state[SERIAL_COUNT];
} serial;

static struct stm32_dma_stream *stream_of(const struct line *line)
{
    return &line->dma->S[line->stream];
}

/* The stream's six flags begin at these bits (10.5.1 to 10.5.4). */
static unsigned flags_shift(const struct line *line)
{
    static const uint8_t shifts[] = {0, 6, 16, 22};

    return shifts[line->stream % 4];
}

static void clear_flags(const struct line *line)
{
    line->dma->IFCR[line->stream / 4] = DMA_ISR_ALL << flags_shift(line);
}

/* ---- sending ---- */

/* At once: the other handler, which may come at any time, undoes it. */
static void wait_for_room(unsigned port)
{
    uint32_t before = armv7m_mask();

    serial.state[port].waiting = true;
    lines[port].usart->CR1 |= USART_CR1_TXEIE;
    armv7m_unmask(before);
}

static unsigned burst(unsigned port, const uint8_t *data, unsigned bytes)
{
    const struct line *line = &lines[port];
    struct stm32_dma_stream *stream = stream_of(line);
    struct state *state = &serial.state[port];

    if (bytes > BURST_MAX_BYTES) {
        bytes = BURST_MAX_BYTES;
    }
    memcpy(state->burst, data, bytes);
    clear_flags(line);
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
    struct state *state = &serial.state[port];
    bool more = false;

    state->kicked = false;
    while (!state->bursting && !more) {
        const uint8_t *data;
        unsigned bytes = serial.callbacks.pending(serial.context, port, &data);
        unsigned sent;

        if (bytes == 0) {
            break;
        }
        if (state->has_dma && bytes >= BURST_MIN_BYTES) {
            sent = burst(port, data, bytes);
        } else {
            sent = write_bytes(lines[port].usart, data, bytes);
            more = sent < bytes;
        }
        if (sent > 0) {
            state->counters.bytes_out += sent;
            serial.callbacks.taken(serial.context, port, sent);
        }
    }
    if (more) {
        wait_for_room(port);
    }
}

/* A failed burst is lost, as on a bad line; the port goes on without DMA. */
static void end_burst(unsigned port)
{
    const struct line *line = &lines[port];
    struct state *state = &serial.state[port];
    uint32_t flags = line->dma->ISR[line->stream / 4] >> flags_shift(line);

    if ((flags & (DMA_ISR_TCIF | DMA_ISR_TEIF | DMA_ISR_DMEIF)) == 0) {
        return; /* it is software that pended the interrupt */
    }
    clear_flags(line);
    if ((flags & (DMA_ISR_TEIF | DMA_ISR_DMEIF)) != 0) {
        stream_of(line)->CR = 0;
        state->has_dma = false;
        ++state->counters.failures;
    }
    state->bursting = false;
    state->kicked = true;
}

/* ---- receiving ---- */

/* Reading SR, then DR clears the errors (30.6.1). What an overrun lost came
   after the byte in DR, which is whole. */
__attribute__((noinline)) static void
receive_damaged(unsigned port, uint8_t byte, uint32_t status)
{
    struct serial_counters *counters = &serial.state[port].counters;

    counters->overruns += (status & USART_SR_ORE) != 0;
    counters->framings += (status & USART_SR_FE) != 0;
    counters->noises += (status & USART_SR_NF) != 0;
    if ((status & USART_SR_RXNE) != 0) {
        ++counters->bytes_in;
        if ((status & (USART_SR_FE | USART_SR_NF)) != 0) {
            serial.callbacks.doubtful(serial.context, port, byte);
        } else {
            serial.callbacks.byte(serial.context, port, byte);
        }
    }
    if ((status & USART_SR_ORE) != 0) {
        serial.callbacks.line_error(serial.context, port);
    }
}

/* Apart, so that what every byte needs stays in registers. */
__attribute__((noinline)) static void receive(struct state *state,
                                              unsigned port)
{
    uint32_t taken = state->taken;

    while (taken != state->written) {
        uint32_t entry = state->queue[taken % QUEUE_BYTES];

        state->taken = ++taken;
        if (entry >> QUEUE_STATUS_SHIFT == USART_SR_RXNE) {
            ++state->counters.bytes_in;
            serial.callbacks.byte(serial.context, port, (uint8_t)entry);
        } else {
            receive_damaged(port, (uint8_t)entry, entry >> QUEUE_STATUS_SHIFT);
        }
    }
    if (state->full) {
        state->full = false;
        armv7m_interrupt_enable(lines[port].irq);
    }
}

/* ---- interrupts ---- */

/*
 * Once for each port, whose addresses it has in its code: every byte passes
 * here. While the queue is full the byte stays where it is, and the next that
 * comes is an overrun, which is told as soon as there is room. The interrupt is
 * disabled where it arrives, as the emulator's device keeps asking for it until
 * the byte is read.
 */
__attribute__((always_inline)) static inline void collect(unsigned port)
{
    struct stm32_usart *usart = lines[port].usart;
    struct state *state = &serial.state[port];
    uint32_t status = usart->SR;

    if ((status & (USART_SR_RXNE | ERRORS)) != 0) {
        uint32_t at = state->written;

        if (at - state->taken < QUEUE_BYTES) {
            state->queue[at % QUEUE_BYTES] =
                (uint16_t)((usart->DR & 0xffu) |
                           (status & (USART_SR_RXNE | ERRORS))
                               << QUEUE_STATUS_SHIFT);
            state->written = at + 1;
        } else {
            state->full = true;
            NVIC->ICER[lines[port].irq / 32] = 1u << lines[port].irq % 32;
            armv7m_barrier(); /* before the handler returns */
        }
    }
    if (state->waiting && (status & USART_SR_TXE) != 0) {
        state->waiting = false;
        state->kicked = true;
        usart->CR1 &= ~USART_CR1_TXEIE;
    }
}

__attribute__((always_inline)) static inline void serve(unsigned port)
{
    collect(port);
    armv7m_interrupt_pend(lines[port].late_irq);
}

static void serve_late(unsigned port)
{
    struct state *state = &serial.state[port];

    if (state->bursting) {
        end_burst(port);
    }
    receive(state, port);
    if (state->kicked) {
        send(port);
    }
}

void serial_east_interrupt(void)
{
    serve(TORUS_EAST);
}

void serial_north_interrupt(void)
{
    serve(TORUS_NORTH);
}

void serial_west_interrupt(void)
{
    serve(TORUS_WEST);
}

void serial_south_interrupt(void)
{
    serve(TORUS_SOUTH);
}

void serial_console_interrupt(void)
{
    serve(SERIAL_CONSOLE);
}

void serial_east_dma_interrupt(void)
{
    serve_late(TORUS_EAST);
}

void serial_north_dma_interrupt(void)
{
    serve_late(TORUS_NORTH);
}

void serial_west_dma_interrupt(void)
{
    serve_late(TORUS_WEST);
}

void serial_south_dma_interrupt(void)
{
    serve_late(TORUS_SOUTH);
}

void serial_console_late_interrupt(void)
{
    serve_late(SERIAL_CONSOLE);
}

/* ---- start ---- */

/*
 * Sets the divider for the baud or the nearest that the clock gives, and
 * returns that. Under 16 clocks for a bit only 8 samples are taken (30.3.4).
 */
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

/* Where there is no DMA, what is written is not read back. */
static bool probe_dma(const struct line *line)
{
    struct stm32_dma_stream *stream = stream_of(line);

    stream->CR = 0;
    stream->NDTR = BURST_MAX_BYTES;
    return stream->NDTR == BURST_MAX_BYTES;
}

static void start(unsigned port, const struct clocks *clocks, uint32_t baud)
{
    const struct line *line = &lines[port];
    struct stm32_usart *usart = line->usart;
    struct state *state = &serial.state[port];

    *(line->on_apb2 ? &RCC->APB2ENR : &RCC->APB1ENR) |= line->enable;
    gpio_set_function(line->tx, line->function);
    gpio_set_function(line->rx, line->function);
    usart->CR1 = 0;
    state->baud = set_baud(
        usart, line->on_apb2 ? clocks->apb2_hz : clocks->apb1_hz, baud);
    state->has_dma = port < TORUS_PORTS && probe_dma(line);
    if (state->has_dma) {
        usart->CR3 = USART_CR3_DMAT;
    }
    usart->CR1 |= USART_CR1_UE | USART_CR1_TE | USART_CR1_RE | USART_CR1_RXNEIE;
    armv7m_interrupt_priority(line->irq, INTERRUPTS_BYTES);
    armv7m_interrupt_priority(line->late_irq, port < TORUS_PORTS
                                                  ? INTERRUPTS_PORTS
                                                  : INTERRUPTS_CONSOLE);
    armv7m_interrupt_enable(line->late_irq);
    armv7m_interrupt_enable(line->irq);
}

void serial_start(const struct clocks *clocks, const uint32_t *bauds,
                  const struct serial_callbacks *callbacks, void *context)
{
    serial.callbacks = *callbacks;
    serial.context = context;
    RCC->AHB1ENR |= RCC_AHB1ENR_DMA1EN | RCC_AHB1ENR_DMA2EN;
    for (unsigned port = 0; port < SERIAL_COUNT; ++port) {
        uint32_t baud = bauds == 0 ? 0 : bauds[port];

        if (baud == 0) {
            baud = port < TORUS_PORTS ? SERIAL_PORT_BAUD : SERIAL_CONSOLE_BAUD;
        }
        start(port, clocks, baud);
    }
}

void serial_kick(unsigned port)
{
    serial.state[port].kicked = true;
    armv7m_interrupt_pend(lines[port].late_irq);
}

uint32_t serial_baud(unsigned port)
{
    return serial.state[port].baud;
}

bool serial_has_dma(unsigned port)
{
    return serial.state[port].has_dma;
}

bool serial_has_sent(unsigned port)
{
    return (lines[port].usart->SR & USART_SR_TC) != 0;
}

struct serial_counters *serial_counters(unsigned port)
{
    return &serial.state[port].counters;
}
