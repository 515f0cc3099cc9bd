/* SPDX-License-Identifier: Apache-2.0 */
/* The doorbell: node and switch ring each other by one byte over UART0. A
   masked interrupt wakes WFI, too (ARM DDI 0403, B1.5.19): no handler runs. */
#include "hal/board.h"
#include "hal/window/window.h"

#include "hal/mps2/registers.h"

#define RING 'R'

void board_ring(struct window *window)
{
    (void)window;
    __asm volatile("dsb" ::: "memory");
    CMSDK_UART0->DATA = RING;
}

void board_ring_and_wait(struct window *window)
{
    uint32_t sequence = window->request.sequence;
    const volatile uint32_t *answered = &window->response.sequence;

    __asm volatile("cpsid i" ::: "memory");
    CMSDK_UART0->CTRL =
        UART_CTRL_TX_ENABLE | UART_CTRL_RX_ENABLE | UART_CTRL_RX_INTERRUPT;
    armv7m_interrupt_enable(UART0_RX_IRQ);
    board_ring(window);
    do {
        __asm volatile("wfi" ::: "memory");
        while ((CMSDK_UART0->STATE & UART_STATE_RX_FULL) != 0) {
            (void)CMSDK_UART0->DATA;
        }
        CMSDK_UART0->INTCLEAR = UART_INT_RX;
        NVIC->ICPR[0] = 1u << UART0_RX_IRQ;
    } while (*answered != sequence);
    NVIC->ICER[0] = 1u << UART0_RX_IRQ;
    __asm volatile("cpsie i" ::: "memory");
}

_Noreturn void board_halt(struct window *window)
{
    (void)window;
    __asm volatile("cpsid i" ::: "memory");
    CMSDK_TIMER0->CTRL = 0;
    NVIC->ICER[0] = UINT32_MAX;
    for (;;) {
        __asm volatile("wfi" ::: "memory");
    }
}
