/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver with the chip's registers in memory: as many instructions as with
 * the chip's. A transmitter always has room for a byte, which nobody reads:
 * what goes out is seen at the switch.
 */
#include "test/bench/relay/relay.h"

#include "hal/stm32f405/registers.h"

#include <string.h>

static struct stm32_usart usarts[6]; /* the last is no line's */
static struct stm32_gpio gpios[5];
static struct stm32_dma dmas[2];
static struct stm32_rcc rcc;
static struct armv7m_nvic nvic;

static inline void pend(unsigned irq)
{
    nvic.ISPR[irq / 32] = 1u << irq % 32;
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
#define USART1 (&usarts[0])
#define USART2 (&usarts[1])
#define USART3 (&usarts[2])
#define USART6 (&usarts[3])
#define UART4 (&usarts[4])
#define UART5 (&usarts[5])
#define GPIOA (&gpios[0])
#define GPIOB (&gpios[1])
#define GPIOC (&gpios[2])
#define GPIOD (&gpios[3])
#define GPIOE (&gpios[4])
#define DMA1 (&dmas[0])
#define DMA2 (&dmas[1])
#define RCC (&rcc)
#define NVIC (&nvic)
#define armv7m_interrupt_pend pend
#define armv7m_interrupt_enable(irq) ((void)(irq))
#define armv7m_interrupt_priority(irq, priority) ((void)(irq))

#include "hal/stm32f405/serial.c"

/* Volatile, so that a call remains a call. */
static void (*volatile const interrupts[])(void) = {
    serial_east_interrupt, serial_north_interrupt, serial_west_interrupt,
    serial_south_interrupt};
static void (*volatile const late_interrupts[])(void) = {
    serial_east_dma_interrupt, serial_north_dma_interrupt,
    serial_west_dma_interrupt, serial_south_dma_interrupt};

void relay_driver_start(bool dma)
{
    static const struct clocks clocks = {.apb1_hz = 42000000,
                                         .apb2_hz = 84000000};

    memset(&serial, 0, sizeof serial);
    memset(usarts, 0, sizeof usarts);
    memset(dmas, 0, sizeof dmas);
    serial_start(&clocks, NULL, relay_callbacks(), NULL);
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        serial.state[port].has_dma &= dma;
    }
}

void relay_driver_byte(struct relay_figure *figure, unsigned port, uint8_t byte)
{
    uint32_t from;

    lines[port].usart->SR = USART_SR_RXNE | USART_SR_TXE;
    lines[port].usart->DR = byte;
    from = relay_start();
    interrupts[port]();
    relay_stop(figure, from);
    lines[port].usart->SR = USART_SR_TXE;
}

void relay_driver_late(struct relay_figure *figure, unsigned port)
{
    const struct line *line = &lines[port];
    struct state *state = &serial.state[port];
    uint32_t from;

    if (state->bursting) {
        stream_of(line)->CR = 0;
        line->dma->ISR[line->stream / 4] = DMA_ISR_TCIF << flags_shift(line);
    } else if (!state->kicked && state->taken == state->written) {
        return;
    }
    from = relay_start();
    late_interrupts[port]();
    relay_stop(figure, from);
    line->dma->ISR[line->stream / 4] = 0;
}
