/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as switches pass them on: header and CRC of hal/circuit.h. */
#ifndef QEMU_FABRIC_MESSAGE_H
#define QEMU_FABRIC_MESSAGE_H

#include "hal/circuit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the header of a message of so many bytes, header included, with a CRC
   of 0. */
void message_header(uint8_t header[CIRCUIT_HEADER_BYTES], uint8_t kind,
                    uint16_t job, uint32_t identity, uint32_t bytes);

/* Writes the CRC of a whole message, as a sending switch does. */
void message_seal(uint8_t *message, size_t bytes);

/* Whether its CRC is right, as a receiving switch finds. */
bool message_is_sound(const uint8_t *message, size_t bytes);

#endif
