/* SPDX-License-Identifier: Apache-2.0 */
/* The chip. Each FILL IN is to be replaced by lines on the chip's registers;
   the parts of the processor, a Cortex-M3, M4 or M7, are complete. */
#include "hal/template/chip.h"

#include "hal/armv7m.h"

#define CORE_HZ 16000000u /* FILL IN: the clock after chip_start() */
#define TICK_HZ 1000u

/* Priorities for chips that implement two bits or more; 0 is most urgent. */
#define QUICK 0x00u
#define LATE 0x40u
#define TICK 0x80u

/* FILL IN: number of each UART's interrupt, and numbers of five interrupts
   that no device uses, which run serial_late_interrupt(). The vector table in
   boot/ has a handler for each of the ten. */
static const uint8_t quick_irq[SERIAL_COUNT] = {0, 1, 2, 3, 4};
static const uint8_t late_irq[SERIAL_COUNT] = {5, 6, 7, 8, 9};

/* ---- clock, timer, processor ---- */

uint32_t chip_start(void)
{
    /* FILL IN: flash wait states, oscillator, PLL */
    return CORE_HZ;
}

void chip_timer_start(void)
{
    /* FILL IN: a 32-bit timer that counts at 4 MHz */
    SCB->SHPR3 = TICK << SCB_SHPR3_SYSTICK_SHIFT;
    SYST->RVR = CORE_HZ / TICK_HZ - 1;
    SYST->CVR = 0;
    SYST->CSR = SYST_CSR_CLKSOURCE | SYST_CSR_TICKINT | SYST_CSR_ENABLE;
}

uint32_t chip_timer_count(void)
{
    return 0; /* FILL IN: the timer's counter */
}

void chip_wait(void)
{
    __asm volatile("wfi" ::: "memory");
}

uint32_t chip_mask(void)
{
    return armv7m_mask_from(LATE);
}

void chip_unmask(uint32_t before)
{
    armv7m_unmask_from(before);
}

void chip_unique(uint32_t id[3])
{
    id[0] = 0; /* FILL IN: three words, equal on no two boards of a mesh */
    id[1] = 0;
    id[2] = 0;
}

const char *chip_reset_cause(void)
{
    return "unknown"; /* FILL IN, or leave */
}

/* ---- lines ---- */

uint32_t chip_uart_start(unsigned line, uint32_t baud)
{
    /* FILL IN: the device's clock, its two pins, its divider, 8N1, and its
       interrupt for a received byte and for errors */
    armv7m_interrupt_priority(quick_irq[line], QUICK);
    armv7m_interrupt_priority(late_irq[line], LATE);
    armv7m_interrupt_enable(late_irq[line]);
    armv7m_interrupt_enable(quick_irq[line]);
    return baud; /* FILL IN: what the divider makes of it */
}

unsigned chip_uart_status(unsigned line)
{
    (void)line;
    return CHIP_ROOM | CHIP_SENT; /* FILL IN: of the status register */
}

uint8_t chip_uart_read(unsigned line)
{
    (void)line;
    return 0; /* FILL IN: the data register; clear the errors */
}

void chip_uart_write(unsigned line, uint8_t byte)
{
    (void)line; /* FILL IN: the data register */
    (void)byte;
}

void chip_uart_notify_room(unsigned line, bool on)
{
    (void)line; /* FILL IN: enable or disable "transmit register empty" */
    (void)on;
}

void chip_pend(unsigned line)
{
    armv7m_interrupt_pend(late_irq[line]);
}

void chip_led(bool on)
{
    (void)on; /* FILL IN, or leave */
}
