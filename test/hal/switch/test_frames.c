/* SPDX-License-Identifier: Apache-2.0 */
/* hal/switch/frame.h alone. */
#include "test/hal/switch/suite.h"

#include "hal/bytes.h"
#include "hal/crc32.h"
#include "hal/switch/frame.h"
#include "hal/switch/parity.h"
#include "test/hal/switch/mesh.h"

#include <string.h>

#define RING 512u

/* The stuffing as the paper describes it, in the most naive way. */
static uint32_t stuff(uint8_t *line, const uint8_t *content, uint32_t bytes)
{
    uint32_t at = 0;
    uint32_t out = 0;

    while (at <= bytes) {
        uint32_t run = 0;

        while (at + run < bytes && content[at + run] != 0) {
            run += 1;
        }
        line[out++] = (uint8_t)(run + 1);
        memcpy(line + out, content + at, run);
        out += run;
        at += run + 1;
    }
    line[out++] = 0;
    return out;
}

/* Reads a frame off the line; the length of its content, or 0. */
static unsigned read_line(struct frame_reader *reader, const uint8_t *ring,
                          uint32_t at, uint32_t end)
{
    frame_read_begin(reader, ring[at % RING], ring[(at + 1) % RING]);
    for (uint32_t i = at + 2; i != end - 1; ++i) {
        frame_read_bytes(reader, &ring[i % RING], 1);
    }
    return frame_read_end(reader);
}

static void draw_content(uint8_t *content, uint32_t bytes, uint64_t *random,
                         uint8_t parity)
{
    uint32_t zeros = mesh_below(random, 4);

    for (uint32_t i = 0; i < bytes; ++i) {
        uint64_t drawn = mesh_random(random);

        content[i] = (drawn >> 8 & 3u) < zeros ? 0 : (uint8_t)drawn;
    }
    content[0] = (uint8_t)((content[0] & ~FRAME_PARITY) | 1 | parity);
}

/* Every length, anywhere in the ring. */
static void written_and_read(struct unit *unit)
{
    uint8_t content[FRAME_BYTES_MAX];
    uint8_t ring[RING];
    uint8_t line[2 * FRAME_BYTES_MAX];
    uint64_t random = 1;

    for (uint32_t round = 0; round < 20; ++round) {
        for (uint32_t bytes = 1; bytes <= FRAME_BYTES_MAX - 4; ++bytes) {
            uint32_t at = UINT32_MAX - mesh_below(&random, 2 * RING);
            uint32_t first = mesh_below(&random, bytes);
            struct frame_writer writer;
            struct frame_reader reader;
            uint32_t end;
            uint32_t length;

            draw_content(content, bytes, &random, 0);
            frame_begin(&writer, ring, RING - 1, at, 77);
            frame_put_unchecked(&writer, content, first);
            frame_put(&writer, content + first, bytes - first);
            end = frame_end(&writer);
            bytes_store_u32(content + bytes,
                            crc32_update(77, content + first, bytes - first));
            length = stuff(line, content, bytes + 4);
            CHECK_EQUAL(unit, end - at, length);
            CHECK_EQUAL(unit, length, FRAME_LINE_BYTES(bytes + 4));
            for (uint32_t i = 0; i < length; ++i) {
                CHECK_EQUAL(unit, ring[(at + i) % RING], line[i]);
            }
            CHECK_EQUAL(unit, read_line(&reader, ring, at, end), bytes);
            CHECK(unit, memcmp(reader.content, content, bytes + 4) == 0);
            CHECK(unit, frame_check(&reader, first, bytes, 77));
            CHECK(unit, !frame_check(&reader, first, bytes, 78));
        }
    }
}

static unsigned read_bytes(const uint8_t *line, uint32_t bytes)
{
    struct frame_reader reader;

    frame_read_begin(&reader, line[0], line[1]);
    frame_read_bytes(&reader, line + 2, bytes - 2);
    return frame_read_end(&reader);
}

static void damaged_ones(struct unit *unit)
{
    uint8_t line[600];

    memset(line, 1, sizeof line);
    /* A first 0. */
    CHECK_EQUAL(unit, read_bytes((const uint8_t *)"\1\6abcde", 7), 0);
    /* Nothing before the CRC; one byte before it. */
    CHECK_EQUAL(unit, read_bytes((const uint8_t *)"\5abcd", 5), 0);
    CHECK_EQUAL(unit, read_bytes((const uint8_t *)"\6abcde", 6), 1);
    /* Cut off; too long by one; as long as can be. */
    CHECK_EQUAL(unit, read_bytes((const uint8_t *)"\7abcde", 6), 0);
    line[0] = FRAME_BYTES_MAX + 2;
    CHECK_EQUAL(unit, read_bytes(line, FRAME_BYTES_MAX + 2), 0);
    line[0] = FRAME_BYTES_MAX + 1;
    CHECK_EQUAL(unit, read_bytes(line, FRAME_BYTES_MAX + 1),
                FRAME_BYTES_MAX - 4);
    line[0] = 2;
    CHECK_EQUAL(unit, read_bytes(line, sizeof line), 0);
}

/* A frame with parity in the ring, from 0 on; its length there. */
static uint32_t write_with_parity(uint8_t *ring, uint8_t *content,
                                  uint32_t bytes)
{
    struct frame_writer writer;

    frame_begin(&writer, ring, RING - 1, 0, 5);
    frame_put(&writer, content, bytes);
    bytes_store_u32(content + bytes, crc32_update(5, content, bytes));
    parity_store(content + bytes + FRAME_CHECK_BYTES,
                 parity_update(0, content, bytes + FRAME_CHECK_BYTES));
    return frame_end(&writer);
}

/* Changes a byte on the line that stands for itself, to neither 0 nor itself;
   content[i] lies at i + 1. */
static void change(uint8_t *line, uint32_t at, uint64_t *random)
{
    uint8_t was = line[at];

    while (line[at] == was || line[at] == 0) {
        line[at] = (uint8_t)mesh_random(random);
    }
}

/* Every length: as drawn, and with up to four bytes changed. */
static void with_parity(struct unit *unit)
{
    uint8_t content[FRAME_BYTES_MAX];
    uint8_t ring[RING];
    uint8_t line[2 * FRAME_BYTES_MAX];
    uint64_t random = 1;

    for (uint32_t round = 0; round < 20; ++round) {
        for (uint32_t bytes = 1;
             bytes <= FRAME_BYTES_MAX - FRAME_CHECK_BYTES - PARITY_BYTES;
             ++bytes) {
            uint32_t all = bytes + FRAME_CHECK_BYTES + PARITY_BYTES;
            struct frame_reader reader;
            uint32_t end;

            draw_content(content, bytes, &random, FRAME_PARITY);
            end = write_with_parity(ring, content, bytes);
            CHECK_EQUAL(unit, stuff(line, content, all), end);
            CHECK(unit, memcmp(ring, line, end) == 0);
            CHECK_EQUAL(unit, read_line(&reader, ring, 0, end), bytes);
            CHECK(unit, !reader.mended);
            for (uint32_t changes = 1; changes <= 4; ++changes) {
                uint32_t at = 1 + mesh_below(&random, all - 1);

                if (content[at] != 0) {
                    change(ring, at + 1, &random);
                }
                CHECK_EQUAL(unit, read_line(&reader, ring, 0, end), bytes);
                CHECK(unit, memcmp(reader.content, content, bytes + 4) == 0);
                CHECK_EQUAL(unit, reader.mended, memcmp(ring, line, end) != 0);
            }
        }
    }
}

void test_frames(struct unit *unit)
{
    UNIT_RUN(unit, written_and_read);
    UNIT_RUN(unit, damaged_ones);
    UNIT_RUN(unit, with_parity);
}
