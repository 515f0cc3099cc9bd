/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/flash_board.h"

#include "hal/bytes.h"

#include <ctype.h>
#include <string.h>

#define SERIAL_MAX 63u /* most characters of a serial number */

const char *flash_way_name(enum flash_way way)
{
    static const char *const names[FLASH_WAYS] = {"probe", "port", "dfu"};

    return names[way];
}

void flash_board_print(FILE *out, const struct flash_board *board,
                       const char *map)
{
    const char *way = flash_way_name(board->way);
    bool known = board->placed || board->unique[0] != '\0';
    const char *before = " (";

    if (board->placed) {
        fprintf(out, "board %u,%u", board->at.x, board->at.y);
    } else if (known) {
        fprintf(out, "board %s", board->unique);
    } else {
        fprintf(out, "%s %s", way, board->name);
    }
    if (known) {
        fprintf(out, "%s%s %s", before, way, board->name);
        before = ", ";
    }
    if (board->line != 0) {
        fprintf(out, "%s%s:%u", before, map, board->line);
    }
    if (known || board->line != 0) {
        fputc(')', out);
    }
}

static const char *check_port(const char *text)
{
    size_t bytes = strlen(text);
    bool fine = text[0] == '/' && bytes > 1 && bytes < FLASH_NAME_BYTES;

    for (size_t i = 0; i < bytes && fine; ++i) {
        fine = isprint((unsigned char)text[i]);
    }
    return fine ? NULL
                : "must be a serial port such as /dev/ttyUSB0, at most 255 "
                  "characters";
}

const char *flash_name_check(enum flash_way way, const char *text)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789_:.-";
    size_t bytes = strlen(text);

    if (way == FLASH_PORT) {
        return check_port(text);
    }
    if (bytes > 0 && bytes <= SERIAL_MAX && strspn(text, allowed) == bytes) {
        return NULL;
    }
    return way == FLASH_PROBE
               ? "must be a probe's serial number: 1 to 63 of A-Z, a-z, 0-9, "
                 "_ : . and -"
               : "must be a DFU device's serial number: 1 to 63 of A-Z, a-z, "
                 "0-9, _ : . and -";
}

static int version_of(const uint8_t *identity)
{
    return bytes_load_u32(identity + offsetof(struct image_identity, magic)) ==
                   IMAGE_MAGIC
               ? bytes_load_u16(identity +
                                offsetof(struct image_identity, version))
               : -1;
}

int flash_identity_check(const uint8_t *identity, uint16_t board)
{
    int version = version_of(identity);
    uint16_t found =
        bytes_load_u16(identity + offsetof(struct image_identity, board));

    return version < 0                                       ? 0
           : version == (int)IMAGE_VERSION && found == board ? 1
                                                             : -1;
}

void flash_identity_pins(char pins[IMAGE_PINS_BYTES], const uint8_t *identity)
{
    const uint8_t *from = identity + offsetof(struct image_identity, pins);
    bool told = version_of(identity) >= (int)IMAGE_VERSION_PINS;

    memset(pins, 0, IMAGE_PINS_BYTES);
    for (unsigned i = 0; told && i + 1 < IMAGE_PINS_BYTES && from[i] != 0;
         ++i) {
        pins[i] = from[i] > ' ' && from[i] <= '~' ? (char)from[i] : '?';
    }
}
