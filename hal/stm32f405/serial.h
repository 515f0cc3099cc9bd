/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The four ports and the console on this chip's USARTs, 8N1, by interrupts. A
 * port's wire pair goes to the opposite port of the neighbour (east's TX to its
 * west's RX and back), the grounds too; 3.3 V levels. Which USART and pins a
 * port has is the board's (pins.h), and what follows from that, such as its DMA
 * streams, the chip's (usarts.h). The console sends without DMA. The driver
 * calls the functions of hal/stm32f405/program.h.
 */
#ifndef HAL_STM32F405_SERIAL_H
#define HAL_STM32F405_SERIAL_H

#include "hal/stm32f405/clocks.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SERIAL_CONSOLE = TORUS_PORTS, /* ports are as in enum torus_port */
    SERIAL_COUNT
};

/* Four ports at once keep up with more (boot/stm32f405/DESIGN.md). */
#ifndef SERIAL_PORT_BAUD
#define SERIAL_PORT_BAUD 2000000u
#endif
#define SERIAL_CONSOLE_BAUD 115200u

struct serial_counters {
    uint32_t bytes_in;
    uint32_t bytes_out;
    uint32_t overruns; /* bytes lost as the interrupt came too late (ORE) */
    uint32_t framings; /* bytes without a stop bit (FE): wrong speed, noise, a
                          wire pulled out */
    uint32_t noises;   /* bytes whose samples differed (NF) */
    uint32_t bursts;   /* bursts sent by DMA */
    uint32_t failures; /* DMA errors; after one the port sends without DMA */
};

/*
 * Starts all five, after timer_start(). bauds: of each port, 0:
 * SERIAL_PORT_BAUD (the console's: SERIAL_CONSOLE_BAUD); NULL: all 0.
 */
void serial_start(const struct clocks *clocks, const uint32_t *bauds);

/*
 * Looks whether DMA has brought bytes that serial_came() was not called for, in
 * case an interrupt was lost: called every millisecond, from an interrupt.
 * Cost: about 60 instructions.
 */
void serial_look(void);

/* The baud that the divider makes of the one asked for. */
uint32_t serial_baud(unsigned port);

/* Whether the port sends by DMA, which has never failed. */
bool serial_has_dma(unsigned port);

/* Whether the last byte written has left the chip (TC). */
bool serial_has_sent(unsigned port);

/* The port's counters; a caller that changes them masks interrupts. */
struct serial_counters *serial_counters(unsigned port);

#endif
