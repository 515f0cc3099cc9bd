/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/stm32f405/console.h"

#include "hal/serial/board.h"
#include "hal/stm32f405/serial.h"

#include <string.h>

#define OUT_BYTES 2048u
#define IN_BYTES 256u

/* Free-running indices: one side alone changes each. */
static struct {
    volatile uint32_t written;
    volatile uint32_t taken;
    uint8_t data[OUT_BYTES];
} out;

static struct {
    volatile uint32_t written;
    volatile uint32_t taken;
    uint8_t data[IN_BYTES];
} in;

size_t board_console_write(const char *text, size_t bytes)
{
    size_t room = OUT_BYTES - (out.written - out.taken);

    bytes = bytes < room ? bytes : room;
    for (size_t i = 0; i < bytes; ++i) {
        out.data[(out.written + i) % OUT_BYTES] = (uint8_t)text[i];
    }
    out.written += bytes;
    serial_kick(SERIAL_CONSOLE);
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

size_t boot_console_put(const char *text)
{
    return board_console_write(text, strlen(text));
}

size_t boot_console_hex(uint32_t value, unsigned digits)
{
    char text[8];

    for (unsigned i = 0; i < digits; ++i) {
        text[i] = "0123456789abcdef"[value >> 4 * (digits - 1 - i) & 0xfu];
    }
    return board_console_write(text, digits);
}

size_t boot_console_decimal(uint32_t value)
{
    char text[10];
    size_t at = sizeof text;

    do {
        text[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return board_console_write(text + at, sizeof text - at);
}

int boot_console_get(void)
{
    int byte = -1;

    if (in.taken != in.written) {
        byte = in.data[in.taken % IN_BYTES];
        ++in.taken;
    }
    return byte;
}

void boot_console_byte(uint8_t byte)
{
    if (in.written - in.taken < IN_BYTES) {
        in.data[in.written % IN_BYTES] = byte;
        ++in.written;
    }
}

unsigned boot_console_pending(const uint8_t **data)
{
    uint32_t at = out.taken % OUT_BYTES;
    uint32_t bytes = out.written - out.taken;

    *data = out.data + at;
    return bytes < OUT_BYTES - at ? bytes : OUT_BYTES - at;
}

void boot_console_taken(unsigned bytes)
{
    out.taken += bytes;
}
