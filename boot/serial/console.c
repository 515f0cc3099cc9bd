/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/serial/console.h"

#include "hal/serial/board.h"
#include "hal/serial/driver.h"

#define OUT_BYTES 2048u

/* Ring of console output. `written`: bytes put in, modulo 2^32. `taken`: bytes
   taken out by the interrupt, modulo 2^32. */
static struct {
    volatile uint32_t written;
    volatile uint32_t taken;
    uint8_t data[OUT_BYTES];
} out;

size_t board_console_write(const char *text, size_t bytes)
{
    size_t room = OUT_BYTES - (out.written - out.taken);

    bytes = bytes < room ? bytes : room;
    for (size_t i = 0; i < bytes; ++i) {
        out.data[(out.written + i) % OUT_BYTES] = (uint8_t)text[i];
    }
    out.written += (uint32_t)bytes;
    board_kick(SERIAL_CONSOLE);
    return bytes;
}

unsigned board_console_room(void)
{
    return OUT_BYTES - (out.written - out.taken);
}

bool board_console_sent(void)
{
    return board_console_room() == OUT_BYTES && serial_has_sent(SERIAL_CONSOLE);
}

unsigned console_pending(const uint8_t **data)
{
    uint32_t at = out.taken % OUT_BYTES;
    uint32_t bytes = out.written - out.taken;

    *data = out.data + at;
    return bytes < OUT_BYTES - at ? bytes : OUT_BYTES - at;
}

void console_taken(unsigned bytes)
{
    out.taken += bytes;
}
