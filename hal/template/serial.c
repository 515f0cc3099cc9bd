/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver of the lines, without DMA. A line has two handlers. The quick one
 * only moves received bytes to the ring, and pends the late one. The late one
 * passes bytes on, calls the program and sends.
 */
#include "hal/serial/board.h"
#include "hal/serial/driver.h"
#include "hal/template/chip.h"

/* A power of two; 512 bytes take 2.56 ms at 2 Mbaud. */
#define RING_BYTES 512u

struct counters {
    uint32_t bytes_in;
    uint32_t bytes_out;
    uint32_t overruns; /* times that bytes were lost */
    uint32_t framings; /* bytes without a stop bit, or noisy ones */
    uint32_t noises;   /* a chip that tells noise counts it here */
};

struct line {
    struct counters counters;
    uint32_t baud;
    volatile uint32_t written; /* bytes put into the ring so far, modulo 2^32 */
    volatile uint32_t taken;   /* bytes taken out of the ring so far */
    volatile bool lost;        /* bytes were lost, and serial_lost() is due */
    volatile bool kicked;      /* serial_pending() is to be called */
    volatile uint8_t ring[RING_BYTES];
};

static struct line lines[SERIAL_COUNT];

/* ---- interrupts ---- */

static void collect(struct line *line, unsigned port, unsigned status)
{
    uint8_t byte = chip_uart_read(port);
    bool damaged = (status & CHIP_DAMAGED) != 0;

    line->counters.framings += damaged;
    if ((status & CHIP_CAME) == 0) {
        return;
    }
    if (line->written - line->taken == RING_BYTES) {
        line->counters.overruns += 1;
        line->lost = true;
        return;
    }
    line->ring[line->written % RING_BYTES] =
        damaged && port == SERIAL_CONSOLE ? 0 : byte;
    line->written += 1;
}

void serial_interrupt(unsigned port)
{
    struct line *line = &lines[port];
    unsigned status = chip_uart_status(port);

    while ((status & (CHIP_CAME | CHIP_OVERRUN | CHIP_DAMAGED)) != 0) {
        if ((status & CHIP_OVERRUN) != 0) {
            line->counters.overruns += 1;
            line->lost = true;
        }
        collect(line, port, status);
        status = chip_uart_status(port);
    }
    if ((status & CHIP_ROOM) != 0) {
        chip_uart_notify_room(port, false);
        line->kicked = true;
    }
    chip_pend(port);
}

static void receive(struct line *line, unsigned port)
{
    uint32_t at = line->taken % RING_BYTES;
    uint32_t bytes = line->written - line->taken;

    bytes = bytes < RING_BYTES - at ? bytes : RING_BYTES - at;
    if (bytes > 0) {
        /* The quick handler does not write to bytes not taken yet. */
        bytes = serial_came(port, (const uint8_t *)&line->ring[at], bytes);
        line->counters.bytes_in += bytes;
        line->taken += bytes;
    }
    if (line->taken != line->written) {
        chip_pend(port);
    }
    if (line->lost) {
        line->lost = false;
        serial_lost(port);
    }
}

static void send(struct line *line, unsigned port)
{
    const uint8_t *data;
    unsigned bytes;

    line->kicked = false;
    while ((bytes = serial_pending(port, &data)) > 0) {
        unsigned sent = 0;

        while (sent < bytes && (chip_uart_status(port) & CHIP_ROOM) != 0) {
            chip_uart_write(port, data[sent++]);
        }
        if (sent > 0) {
            line->counters.bytes_out += sent;
            serial_taken(port, sent);
        }
        if (sent < bytes) {
            chip_uart_notify_room(port, true);
            return;
        }
    }
}

void serial_late_interrupt(unsigned port)
{
    struct line *line = &lines[port];

    receive(line, port);
    serial_attend(port);
    if (line->kicked) {
        send(line, port);
    }
}

/* ---- called by the program ---- */

void serial_start(void)
{
    for (unsigned port = 0; port < SERIAL_COUNT; ++port) {
        lines[port].baud = chip_uart_start(
            port, port < TORUS_PORTS ? SERIAL_PORT_BAUD : SERIAL_CONSOLE_BAUD);
    }
}

uint32_t serial_mask(void)
{
    return chip_mask();
}

void serial_unmask(uint32_t before)
{
    chip_unmask(before);
}

uint32_t serial_baud(unsigned port)
{
    return lines[port].baud;
}

bool serial_has_sent(unsigned port)
{
    return (chip_uart_status(port) & CHIP_SENT) != 0;
}

void board_kick(unsigned port)
{
    lines[port].kicked = true;
    chip_pend(port);
}

uint32_t *board_counters(unsigned port)
{
    return (uint32_t *)&lines[port].counters;
}
