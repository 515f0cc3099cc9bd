/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver of the four ports and the console: USARTs, 8N1, by interrupts. Two
 * wires connect a port to the opposite port of the neighbour (TX of the east
 * port to RX of the neighbour's west port, and back), a third the grounds;
 * levels are 3.3 V. Each port's USART, pins and DMA streams are those of
 * hal/stm32f405/pins.h. The console works without DMA. The driver calls the
 * functions of hal/stm32f405/program.h.
 */
#ifndef HAL_STM32F405_SERIAL_H
#define HAL_STM32F405_SERIAL_H

#include "hal/stm32f405/clocks.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SERIAL_CONSOLE = TORUS_PORTS, /* smaller: ports, as in enum torus_port */
    SERIAL_COUNT
};

/* Bit rate of the ports; four ports at once could keep up with more
   (boot/stm32f405/DESIGN.md). */
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
    uint32_t noises;   /* bytes with a bit whose samples differ (NF) */
    uint32_t bursts;   /* bursts sent by DMA */
    uint32_t failures; /* DMA errors; after one the port sends without DMA */
};

/*
 * Starts the four ports and the console; the timer must run (timer_start()).
 * bauds[i]: bit rate of port i; bauds[SERIAL_CONSOLE]: that of the console, in
 * bit/s. A rate of 0, and `bauds` == NULL for all rates, is the default:
 * SERIAL_PORT_BAUD or SERIAL_CONSOLE_BAUD.
 */
void serial_start(const struct clocks *clocks, const uint32_t *bauds);

/* Makes the late interrupt of each port run whose ring has bytes that
   serial_came() has not got. Called every millisecond from an interrupt, in
   case another interrupt was lost. Cost: about 60 instructions. */
void serial_look(void);

/* Returns a port's bit rate: the nearest one that the divider can make. */
uint32_t serial_baud(unsigned port);

/* Whether the port sends by DMA: it has DMA, which has not failed. */
bool serial_has_dma(unsigned port);

/* Whether the last byte written has left the chip (TC). */
bool serial_has_sent(unsigned port);

/* Returns the port's counters; a caller that changes them masks interrupts. */
struct serial_counters *serial_counters(unsigned port);

#endif
