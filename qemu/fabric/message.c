/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/message.h"

#include "hal/bytes.h"
#include "hal/crc32.h"
#include "qemu/fabric/windows.h"

#include <string.h>

bool message_add(struct message *message, unsigned index,
                 const struct window *window, struct window_segment range)
{
    if (range.bytes == 0) {
        return true;
    }
    message->piece[index] = (struct message_piece){
        (const uint8_t *)window + range.offset, range.bytes};
    message->bytes += range.bytes;
    return window_has(range.offset, range.bytes);
}

void message_header(uint8_t header[CIRCUIT_HEADER_BYTES],
                    const struct message *message)
{
    header[CIRCUIT_AT_VERSION] = CIRCUIT_VERSION;
    header[CIRCUIT_AT_KIND] = message->kind;
    bytes_store_u16(header + CIRCUIT_AT_JOB, message->job);
    bytes_store_u32(header + CIRCUIT_AT_MESH, message->mesh);
    bytes_store_u32(header + CIRCUIT_AT_LENGTH,
                    message->bytes - CIRCUIT_HEADER_BYTES);
    bytes_store_u32(header + CIRCUIT_AT_CRC, 0);
}

void message_join(uint8_t *out, const struct message *message)
{
    uint8_t *to = out + CIRCUIT_HEADER_BYTES;

    for (unsigned i = 0; i < MESSAGE_PIECES; ++i) {
        const struct message_piece *piece = &message->piece[i];

        if (piece->bytes > 0 && piece->data != NULL) {
            /* Of a message that a node sends to itself, the buffers may
               overlap. */
            memmove(to, piece->data, piece->bytes);
        }
        to += piece->bytes;
    }
    message_header(out, message);
}

static uint32_t crc_of(const uint8_t *whole, size_t bytes)
{
    uint32_t crc = crc32_update(0, whole, CIRCUIT_AT_CRC);

    return crc32_update(crc, whole + CIRCUIT_HEADER_BYTES,
                        bytes - CIRCUIT_HEADER_BYTES);
}

void message_seal(uint8_t *whole, size_t bytes)
{
    bytes_store_u32(whole + CIRCUIT_AT_CRC, crc_of(whole, bytes));
}

bool message_is_sound(const uint8_t *whole, size_t bytes)
{
    return crc_of(whole, bytes) == bytes_load_u32(whole + CIRCUIT_AT_CRC);
}

bool message_damage(uint8_t *whole, size_t bytes, enum message_damage damage)
{
    if (damage == MESSAGE_SOUND) {
        return false;
    }
    message_seal(whole, bytes);
    whole[bytes / 2] ^= 0x10;
    if (message_is_sound(whole, bytes)) {
        return false;
    }
    if (damage == MESSAGE_DAMAGED) {
        memset(whole, 0, bytes);
    }
    return true;
}
