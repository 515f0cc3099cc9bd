/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two boards that send each other blocks over one line, both ways at once:
 * 'D' and 64 bytes, answered with 'A'; at most six blocks are not answered.
 * That is 396 bytes on the way in each direction. A Unix socket takes one write
 * of one byte for each 768 bytes of its buffer: 278 as it comes, 556 with twice
 * that, which the tests ask for. Were more on the way, two emulators could wait
 * for each other for ever. No timeouts: a byte that is lost shows as an
 * exchange that does not end, one that is wrong is counted.
 */
#ifndef TEST_BOARDS_STM32F405_EXCHANGE_H
#define TEST_BOARDS_STM32F405_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

#define EXCHANGE_BLOCK 64u
#define EXCHANGE_WINDOW 6u
#define EXCHANGE_RING 512u

struct exchange {
    uint8_t ring[EXCHANGE_RING]; /* to go out; free-running indices */
    uint32_t written;
    uint32_t taken;
    uint32_t port;
    uint32_t blocks; /* to send */
    uint32_t sent;
    uint32_t acknowledged;
    uint32_t blocks_in;
    uint32_t in_block; /* bytes left of the block that comes in */
    uint32_t wrong;    /* bytes that begin nothing */
    uint32_t crc;      /* of the blocks' bytes */
};

void exchange_start(struct exchange *exchange, unsigned port, uint32_t blocks);

/* True: there is something new to send. */
bool exchange_byte(struct exchange *exchange, uint8_t byte);

unsigned exchange_pending(struct exchange *exchange, const uint8_t **data);
void exchange_taken(struct exchange *exchange, unsigned bytes);

#endif
