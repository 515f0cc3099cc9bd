/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of the four ports and the console: USARTs, 8N1, by interrupts. Two
   wires connect a port to the opposite port of the neighbour (TX of each port
   to RX of the other), a third wire connects the grounds; levels are 3.3 V.
   USARTs, pins and DMA streams are those of hal/stm32f405/pins.h. The console
   works without DMA. The driver calls the functions of program.h. */
#ifndef HAL_STM32F405_SERIAL_H
#define HAL_STM32F405_SERIAL_H

#include "hal/stm32f405/clocks.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SERIAL_CONSOLE = TORUS_PORTS, /* 0 to 3 are ports: enum torus_port */
    SERIAL_COUNT
};

/* Bit rate of the ports, bit/s. The processor can serve four ports at higher
   rates (boot/stm32f405/DESIGN.md). */
#ifndef SERIAL_PORT_BAUD
#define SERIAL_PORT_BAUD 2000000u
#endif
#define SERIAL_CONSOLE_BAUD 115200u

struct serial_counters {
    uint32_t bytes_in;
    uint32_t bytes_out;
    uint32_t overruns; /* bytes lost as the interrupt came too late (ORE) */
    uint32_t framings; /* bytes without a stop bit (FE): wrong rate, bad wire */
    uint32_t noises;   /* bytes with a bit whose samples differ (NF) */
    uint32_t bursts;
    uint32_t failures; /* DMA errors; after one the port sends without DMA */
};

/* Starts the four ports and the console; the timer must run (timer_start()).
   bauds[i]: bit rate of port i or of SERIAL_CONSOLE, bit/s; 0: the default
   rate, SERIAL_PORT_BAUD or SERIAL_CONSOLE_BAUD. `bauds` NULL: all defaults. */
void serial_start(const struct clocks *clocks, const uint32_t *bauds);

/* Runs the late interrupt of each port in whose ring are bytes that were not
   passed to serial_came() yet. Called every millisecond from an interrupt, in
   case another interrupt was lost. Cost: about 60 instructions. */
void serial_look(void);

/* Returns a port's bit rate, bit/s: the nearest that the divider can make. */
uint32_t serial_baud(unsigned port);

/* Whether the port sends by DMA: it has DMA, which has not failed. */
bool serial_has_dma(unsigned port);

/* Whether the last byte written has left the chip (TC). */
bool serial_has_sent(unsigned port);

/* Returns the port's counters; a caller that changes them masks interrupts. */
struct serial_counters *serial_counters(unsigned port);

#endif
