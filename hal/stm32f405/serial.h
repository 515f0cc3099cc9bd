/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The four ports and the console on this chip's USARTs, 8N1, by interrupts
 * over four callbacks. A port's wire pair goes to the opposite port of the
 * neighbour (east's TX to its west's RX and back), the grounds too; 3.3 V
 * levels. Which USART and pins a port has is the board's (pins.h), and what
 * follows from that, such as its DMA streams, the chip's (usarts.h). The
 * console sends without DMA.
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

/*
 * What the driver calls, always from an interrupt: those of the ports never
 * interrupt each other, the console's is less urgent than theirs, and the
 * driver calls nothing while it is itself being called. Whoever else touches
 * the same data masks interrupts with interrupts_mask(). Callbacks may take
 * their time: 512 bytes wait at each line.
 */
struct serial_callbacks {
    /* Bytes have come in, one behind the other; at least one, until the return.
       One with noise (NF) or without its stop bit (FE) comes as it is from a
       port, where it is probably right and mended if not, and as 0 from the
       console. Result: how many were taken, at least one; the others come
       again, after what other ports have. */
    unsigned (*bytes)(void *context, unsigned port, const uint8_t *data,
                      unsigned bytes);
    /* At least one byte was lost near those reported last. */
    void (*line_error)(void *context, unsigned port);
    /* Something happened at the port, or it was kicked: behind `bytes`, before
       anything is sent. */
    void (*attend)(void *context, unsigned port);
    /* What is to go out next, contiguous; 0: nothing. If the line has room for
       any of it, `taken` follows at once, before anything else is called. */
    unsigned (*pending)(void *context, unsigned port, const uint8_t **data);
    /* These bytes are as good as sent: their place may be used again. */
    void (*taken)(void *context, unsigned port, unsigned bytes);
};

struct serial_counters {
    uint32_t bytes_in;
    uint32_t bytes_out;
    uint32_t overruns; /* ORE: the interrupt came too late */
    uint32_t framings; /* FE: wrong speed, noise, a wire pulled out */
    uint32_t noises;   /* NF */
    uint32_t bursts;   /* sent by DMA */
    uint32_t failures; /* of DMA: given up for this port */
};

/*
 * Starts all five, after timer_start(). bauds: of each port, 0:
 * SERIAL_PORT_BAUD (the console's: SERIAL_CONSOLE_BAUD); NULL: all 0. The
 * context is the callbacks'.
 */
void serial_start(const struct clocks *clocks, const uint32_t *bauds,
                  const struct serial_callbacks *callbacks, void *context);

/*
 * There is something to do, or to send: `attend` will be called and `pending`
 * asked soon. Any context, also from a callback. Cost: about 10 instructions.
 */
void serial_kick(unsigned port);

/*
 * Looks whether DMA has brought bytes that nobody was told of: every
 * millisecond, from an interrupt, should a sign of them have been lost. Cost:
 * about 60 instructions.
 */
void serial_look(void);

/* What the divider makes of the baud asked for. */
uint32_t serial_baud(unsigned port);

/* Whether it has a DMA stream for sending, and that has never failed. */
bool serial_has_dma(unsigned port);

/* Whether the last byte written has left the chip (TC). */
bool serial_has_sent(unsigned port);

/* Who changes them masks interrupts. */
struct serial_counters *serial_counters(unsigned port);

#endif
