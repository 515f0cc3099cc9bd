/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the software switch costs, in instructions. The board's drivers and the
 * switch are compiled as for the board, but for the processor.
 */
#ifndef TEST_BENCH_RELAY_RELAY_H
#define TEST_BENCH_RELAY_RELAY_H

#include "hal/switch.h"

/* One kind of call. */
struct relay_figure {
    uint32_t calls;
    uint32_t total; /* instructions, of all of them */
    uint32_t worst;
};

/* Counts instructions from here to relay_stop(). */
uint32_t relay_start(void);

/* Result: how many. The figure may be NULL. */
uint32_t relay_stop(struct relay_figure *figure, uint32_t from);

/* ---- the drivers over a model of the chip's registers: driver.c ---- */

/* Starts them; DMA for sending is there or not. */
void relay_driver_start(bool dma);

/* A byte comes in: its handler runs. */
void relay_driver_byte(struct relay_figure *figure, unsigned port,
                       uint8_t byte);

/* The port's later handler runs, if it is pended or its burst has ended. */
void relay_driver_late(struct relay_figure *figure, unsigned port);

/* ---- what lies between the drivers and the switch: glue.c ---- */

struct serial_callbacks;

extern struct switch_core relay_core; /* the node with the drivers */

const struct serial_callbacks *relay_callbacks(void);

/* A new node. */
void relay_core_start(void);

#endif
