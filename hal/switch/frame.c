/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/switch/frame.h"

#include "hal/bytes.h"
#include "hal/crc32.h"
#include "hal/switch/parity.h"

#include <string.h>

void frame_begin(struct frame_writer *writer, uint8_t *ring, uint32_t mask,
                 uint32_t at, uint32_t crc)
{
    writer->ring = ring;
    writer->mask = mask;
    writer->code_at = at;
    writer->at = at + 1;
    writer->crc = crc;
    writer->empty = true;
    writer->has_parity = false;
    writer->parity = 0;
}

/* Writes the last code: its distance to the next code. */
static void close_code(struct frame_writer *writer)
{
    writer->ring[writer->code_at & writer->mask] =
        (uint8_t)(writer->at - writer->code_at);
    writer->code_at = writer->at;
    writer->at += 1;
}

static void stuff(struct frame_writer *writer, const uint8_t *data,
                  uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        if (data[i] == 0) {
            close_code(writer);
        } else {
            writer->ring[writer->at & writer->mask] = data[i];
            writer->at += 1;
        }
    }
}

void frame_put_unchecked(struct frame_writer *writer, const uint8_t *data,
                         uint32_t bytes)
{
    if (writer->empty && bytes > 0) {
        writer->empty = false;
        writer->has_parity = (data[0] & FRAME_PARITY) != 0;
    }
    if (writer->has_parity) {
        writer->parity = parity_update(writer->parity, data, bytes);
    }
    stuff(writer, data, bytes);
}

void frame_put(struct frame_writer *writer, const uint8_t *data, uint32_t bytes)
{
    writer->crc = crc32_update(writer->crc, data, bytes);
    frame_put_unchecked(writer, data, bytes);
}

uint32_t frame_end(struct frame_writer *writer)
{
    uint8_t check[FRAME_CHECK_BYTES];

    bytes_store_u32(check, writer->crc);
    frame_put_unchecked(writer, check, sizeof check);
    if (writer->has_parity) {
        uint8_t parity[PARITY_BYTES];

        parity_store(parity, writer->parity);
        stuff(writer, parity, sizeof parity);
    }
    close_code(writer);
    writer->ring[writer->code_at & writer->mask] = 0;
    return writer->at;
}

void frame_read_begin(struct frame_reader *reader, uint8_t code, uint8_t first)
{
    /* The content never begins with 0, so the first code is 2 or more. */
    reader->spoiled = code < 2;
    reader->mended = false;
    reader->left = (uint8_t)(code - 2u);
    reader->bytes = 1;
    reader->content[0] = first;
}

/* Takes a byte of the line: content, or a code, which stands for a 0. */
static void read_byte(struct frame_reader *reader, uint8_t byte)
{
    bool is_code = reader->left == 0;

    reader->left = (uint8_t)((is_code ? byte : reader->left) - 1u);
    if (reader->bytes < FRAME_BYTES_MAX) {
        reader->content[reader->bytes++] = is_code ? 0 : byte;
    } else {
        reader->spoiled = true;
    }
}

unsigned frame_read_bytes(struct frame_reader *reader, const uint8_t *data,
                          unsigned bytes)
{
    unsigned taken = 0;

    while (taken < bytes && data[taken] != 0) {
        unsigned run = bytes - taken;

        run = run < reader->left ? run : reader->left;
        if (run == 0 || reader->bytes + run > FRAME_BYTES_MAX) {
            read_byte(reader, data[taken++]);
            continue;
        }
        for (unsigned i = 0; i < run; ++i) {
            uint8_t byte = data[taken];

            if (byte == 0) {
                break;
            }
            reader->content[reader->bytes++] = byte;
            reader->left -= 1;
            taken += 1;
        }
    }
    return taken;
}

unsigned frame_read_end(struct frame_reader *reader)
{
    if ((reader->content[0] & FRAME_PARITY) != 0) {
        int mended = reader->bytes < PARITY_BYTES
                         ? -1
                         : parity_correct(reader->content, reader->bytes);

        if (mended < 0) {
            return 0;
        }
        reader->mended = mended > 0;
        reader->bytes = (uint8_t)(reader->bytes - PARITY_BYTES);
        reader->left = 0;
    }
    if (reader->spoiled || reader->left > 0 ||
        reader->bytes <= FRAME_CHECK_BYTES) {
        return 0;
    }
    return reader->bytes - FRAME_CHECK_BYTES;
}

bool frame_check(const struct frame_reader *reader, unsigned from,
                 unsigned bytes, uint32_t crc)
{
    const uint8_t *content = reader->content;

    return crc32_update(crc, content + from, bytes - from) ==
           bytes_load_u32(content + bytes);
}
