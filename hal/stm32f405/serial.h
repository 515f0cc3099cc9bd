/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of the four ports and the console: USARTs, 8N1, 3.3 V. TX of each
   port is wired to RX of the neighbour's opposite port. The console works
   without DMA. */
#ifndef HAL_STM32F405_SERIAL_H
#define HAL_STM32F405_SERIAL_H

#include "hal/stm32f405/clocks.h"
#include "hal/serial/driver.h"

struct serial_counters {
    uint32_t bytes_in;
    uint32_t bytes_out;
    uint32_t overruns; /* bytes lost as the interrupt came too late (ORE) */
    uint32_t framings; /* bytes without a stop bit (FE): wrong rate, bad wire */
    uint32_t noises;   /* bytes with a bit whose samples differ (NF) */
    uint32_t bursts;
    uint32_t failures; /* DMA errors; after one the port sends without DMA */
};

/* Starts the four ports and the console; the timer must run. bauds[i]: bit rate
   of port i or SERIAL_CONSOLE, bit/s; 0, or `bauds` NULL: the default. */
void serial_start(const struct clocks *clocks, const uint32_t *bauds);

/* Runs the late handler of each port with bytes in its ring. Called every
   millisecond, in case an interrupt was lost. */
void serial_look(void);

/* Whether the port sends by DMA: it has DMA, which has not failed. */
bool serial_has_dma(unsigned port);

/* Returns the port's counters; a caller that changes them masks interrupts. */
struct serial_counters *serial_counters(unsigned port);

#endif
