/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/message.h"

#include "hal/bytes.h"
#include "hal/crc32.h"

void message_header(uint8_t header[CIRCUIT_HEADER_BYTES], uint8_t kind,
                    uint16_t job, uint32_t identity, uint32_t bytes)
{
    header[CIRCUIT_AT_VERSION] = CIRCUIT_VERSION;
    header[CIRCUIT_AT_KIND] = kind;
    bytes_store_u16(header + CIRCUIT_AT_JOB, job);
    bytes_store_u32(header + CIRCUIT_AT_MESH, identity);
    bytes_store_u32(header + CIRCUIT_AT_LENGTH, bytes - CIRCUIT_HEADER_BYTES);
    bytes_store_u32(header + CIRCUIT_AT_CRC, 0);
}

static uint32_t crc_of(const uint8_t *message, size_t bytes)
{
    uint32_t crc = crc32_update(0, message, CIRCUIT_AT_CRC);

    return crc32_update(crc, message + CIRCUIT_HEADER_BYTES,
                        bytes - CIRCUIT_HEADER_BYTES);
}

void message_seal(uint8_t *message, size_t bytes)
{
    bytes_store_u32(message + CIRCUIT_AT_CRC, crc_of(message, bytes));
}

bool message_is_sound(const uint8_t *message, size_t bytes)
{
    return crc_of(message, bytes) == bytes_load_u32(message + CIRCUIT_AT_CRC);
}
