/* SPDX-License-Identifier: Apache-2.0 */
#include "test/fuzz/fuzz.h"

#include <string.h>

#define STEPS_MAX 5u

uint64_t fuzz_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

uint32_t fuzz_below(uint64_t *state, uint32_t below)
{
    return below == 0 ? 0 : (uint32_t)((fuzz_random(state) >> 32) % below);
}

uint64_t fuzz_hash(const uint8_t *in, uint32_t bytes)
{
    uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a */

    for (uint32_t i = 0; i < bytes; ++i) {
        hash = (hash ^ in[i]) * 0x100000001B3u;
    }
    return fuzz_random(&hash);
}

struct input {
    uint8_t *data;
    uint32_t bytes;
    const uint8_t *other;
    uint32_t other_bytes;
    uint64_t *state;
};

static uint32_t any(const struct input *in, uint32_t below)
{
    return fuzz_below(in->state, below);
}

/* Short lengths more often than long ones. */
static uint32_t some_length(const struct input *in, uint32_t most)
{
    uint32_t length = 1u << any(in, 1 + any(in, 11));

    length += any(in, length);
    return length < most ? length : most;
}

static void flip_bit(struct input *in)
{
    if (in->bytes > 0) {
        in->data[any(in, in->bytes)] ^= (uint8_t)(1u << any(in, 8));
    }
}

/* Digits stay digits most of the time, so that numbers change. */
static void change_byte(struct input *in)
{
    uint8_t *at = in->data + any(in, in->bytes);

    if (in->bytes == 0) {
        return;
    }
    if (*at >= '0' && *at <= '9' && any(in, 4) > 0) {
        *at = (uint8_t)('0' + any(in, 10));
    } else {
        *at = (uint8_t)any(in, 256);
    }
}

/* Makes room for `bytes` at `at`; how many fit. */
static uint32_t open_gap(struct input *in, uint32_t at, uint32_t bytes)
{
    uint32_t room = FUZZ_BYTES_MAX - in->bytes;

    bytes = bytes < room ? bytes : room;
    memmove(in->data + at + bytes, in->data + at, in->bytes - at);
    in->bytes += bytes;
    return bytes;
}

/* Of the input itself, or of the other one. */
static void insert_copy(struct input *in)
{
    uint8_t piece[FUZZ_BYTES_MAX];
    bool own = any(in, 2) == 0;
    const uint8_t *from = own ? in->data : in->other;
    uint32_t bytes = own ? in->bytes : in->other_bytes;
    uint32_t start = any(in, bytes);
    uint32_t length = some_length(in, bytes - start);
    uint32_t at = any(in, in->bytes + 1);

    if (length > 0) {
        memcpy(piece, from + start, length);
        length = open_gap(in, at, length);
        memcpy(in->data + at, piece, length);
    }
}

static void insert_same(struct input *in)
{
    uint32_t at = any(in, in->bytes + 1);
    uint32_t length = open_gap(in, at, some_length(in, FUZZ_BYTES_MAX));

    memset(in->data + at, (int)any(in, 256), length);
}

static void delete_some(struct input *in)
{
    uint32_t at = any(in, in->bytes);
    uint32_t length = some_length(in, in->bytes - at);

    memmove(in->data + at, in->data + at + length, in->bytes - at - length);
    in->bytes -= length;
}

/* This one's beginning, the other one's end. */
static void splice(struct input *in)
{
    uint32_t start = any(in, in->other_bytes);
    uint32_t at = any(in, in->bytes + 1);
    uint32_t length = in->other_bytes - start;

    length = length < FUZZ_BYTES_MAX - at ? length : FUZZ_BYTES_MAX - at;
    memcpy(in->data + at, in->other + start, length);
    in->bytes = at + length;
}

/* Numbers at which something happens, and lengths that are nearly right. */
static uint64_t interesting(const struct input *in)
{
    static const uint64_t numbers[] = {
        0,          1,          2,          3,          4,          15,
        16,         31,         32,         63,         64,         127,
        128,        255,        256,        1000,       1024,       4096,
        16384,      32767,      32768,      65535,      65536,      100000,
        1000000,    0x100000,   0x3fffffff, 0x40000000, 0x7ffffffe, INT32_MAX,
        0x80000000, 0xfffffffe, UINT32_MAX, INT64_MAX,  UINT64_MAX};
    uint64_t number = any(in, 3) == 0
                          ? in->bytes
                          : numbers[any(in, sizeof numbers / sizeof *numbers)];

    return number + any(in, 5) - 2;
}

/* A little- or big-endian integer of 1, 2, 4 or 8 bytes. */
static void put_number(struct input *in)
{
    uint32_t bytes = 1u << any(in, 4);
    uint64_t number = interesting(in);
    bool big = any(in, 4) == 0;
    uint32_t at;

    if (in->bytes < bytes) {
        return;
    }
    at = any(in, in->bytes - bytes + 1);
    for (uint32_t i = 0; i < bytes; ++i) {
        in->data[at + (big ? bytes - 1 - i : i)] = (uint8_t)(number >> 8 * i);
    }
}

/* Adds a little to a little-endian integer, such as a length. */
static void add_number(struct input *in)
{
    uint32_t bytes = 1u << any(in, 3);
    uint32_t carry = any(in, 33) - 16;
    uint32_t at;

    if (in->bytes < bytes) {
        return;
    }
    at = any(in, in->bytes - bytes + 1);
    for (uint32_t i = 0; i < bytes; ++i) {
        carry += in->data[at + i];
        in->data[at + i] = (uint8_t)carry;
        carry = (uint32_t)((int32_t)carry >> 8);
    }
}

/* A decimal number in text. */
static void put_decimal(struct input *in)
{
    char text[24];
    uint64_t number = interesting(in);
    uint32_t length = 0;
    uint32_t at = any(in, in->bytes + 1);

    do {
        text[length++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    length = open_gap(in, at, length);
    for (uint32_t i = 0; i < length; ++i) {
        in->data[at + i] = (uint8_t)text[length - 1 - i];
    }
}

uint32_t fuzz_mutate(uint8_t *data, uint32_t bytes, const uint8_t *other,
                     uint32_t other_bytes, uint64_t *state)
{
    static void (*const ways[])(struct input *) = {
        flip_bit,    flip_bit,    change_byte, change_byte,
        insert_copy, insert_same, delete_some, splice,
        put_number,  put_number,  add_number,  put_decimal};
    struct input in = {data, bytes, other, other_bytes, state};

    for (uint32_t steps = 1 + any(&in, STEPS_MAX); steps > 0; --steps) {
        ways[any(&in, sizeof ways / sizeof *ways)](&in);
    }
    return in.bytes;
}
