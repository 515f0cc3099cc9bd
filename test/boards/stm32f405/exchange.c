/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/stm32f405/exchange.h"

#include "hal/crc32.h"

static void put(struct exchange *exchange, uint8_t byte)
{
    exchange->ring[exchange->written++ % EXCHANGE_RING] = byte;
}

/* Byte i of what a port sends, before and after all others alike. */
static uint8_t byte_of(unsigned port, uint32_t i)
{
    return (uint8_t)(i * 167u + (i >> 8) * 59u + (i >> 16) * 7u + port);
}

static void fill(struct exchange *exchange)
{
    while (exchange->sent < exchange->blocks &&
           exchange->sent - exchange->acknowledged < EXCHANGE_WINDOW) {
        put(exchange, 'D');
        for (uint32_t i = 0; i < EXCHANGE_BLOCK; ++i) {
            put(exchange,
                byte_of(exchange->port, exchange->sent * EXCHANGE_BLOCK + i));
        }
        ++exchange->sent;
    }
}

void exchange_start(struct exchange *exchange, unsigned port, uint32_t blocks)
{
    exchange->port = port;
    exchange->blocks += blocks;
    fill(exchange);
}

bool exchange_byte(struct exchange *exchange, uint8_t byte)
{
    if (exchange->in_block > 0) {
        exchange->crc = crc32_update(exchange->crc, &byte, 1);
        if (--exchange->in_block > 0) {
            return false;
        }
        ++exchange->blocks_in;
        put(exchange, 'A');
        return true;
    }
    if (byte == 'D') {
        exchange->in_block = EXCHANGE_BLOCK;
    } else if (byte == 'A' && exchange->acknowledged < exchange->sent) {
        ++exchange->acknowledged;
        fill(exchange);
        return true;
    } else {
        ++exchange->wrong;
    }
    return false;
}

unsigned exchange_pending(struct exchange *exchange, const uint8_t **data)
{
    uint32_t at = exchange->taken % EXCHANGE_RING;
    uint32_t bytes = exchange->written - exchange->taken;

    *data = exchange->ring + at;
    return bytes < EXCHANGE_RING - at ? bytes : EXCHANGE_RING - at;
}

void exchange_taken(struct exchange *exchange, unsigned bytes)
{
    exchange->taken += bytes;
}
