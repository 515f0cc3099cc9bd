/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/wire/proof.h"

#include "hal/bytes.h"
#include "hal/hot.h"

/* Returns a word that has `bytes` bytes, less than 4, from byte `skip` on. */
__attribute__((noinline)) static uint32_t piece(const uint8_t *data,
                                                uint32_t skip, uint32_t bytes)
{
    uint32_t word = 0;

    for (uint32_t i = 0; i < bytes; ++i) {
        word |= (uint32_t)data[i] << 8 * (skip + i);
    }
    return word;
}

HAL_FAST uint64_t proof_bytes(uint64_t at, const uint8_t *data, uint32_t bytes)
{
    uint32_t index = (uint32_t)(at / 4) + 1;
    uint32_t skip = (uint32_t)at & 3u;
    uint64_t sum = 0;

    if (skip > 0) {
        uint32_t head = bytes < 4 - skip ? bytes : 4 - skip;

        sum = (uint64_t)piece(data, skip, head) * index;
        data += head;
        bytes -= head;
        index += 1;
    }
    for (; bytes >= 16; bytes -= 16, data += 16, index += 4) {
        sum += (uint64_t)bytes_load_u32(data) * index;
        sum += (uint64_t)bytes_load_u32(data + 4) * (index + 1);
        sum += (uint64_t)bytes_load_u32(data + 8) * (index + 2);
        sum += (uint64_t)bytes_load_u32(data + 12) * (index + 3);
    }
    for (; bytes >= 4; bytes -= 4, data += 4, index += 1) {
        sum += (uint64_t)bytes_load_u32(data) * index;
    }
    return sum + (uint64_t)piece(data, 0, bytes) * index;
}

/* Returns the sum of the bytes that the kernel reads around the border of two
   units, `offset` bytes behind the range's first one. */
static uint64_t window(const struct kernel_range *range,
                       const struct kernel_terms *terms, uint32_t offset)
{
    uint64_t at = range->first_unit * range->unit_bytes + offset;
    uint32_t before = range->before_bytes + offset;
    uint32_t after = kernel_range_bytes(range) - offset + range->after_bytes;

    before = before < terms->before_bytes ? before : terms->before_bytes;
    after = after < terms->after_bytes ? after : terms->after_bytes;
    return proof_bytes(at - before, range->data + offset - before,
                       before + after);
}

uint64_t proof_range(const struct kernel_range *range,
                     const struct kernel_terms *terms)
{
    uint64_t first = range->first_unit;
    uint64_t end = first + range->units;
    uint32_t bytes = kernel_range_bytes(range);

    return end * end - first * first +
           proof_bytes(first * range->unit_bytes, range->data, bytes) +
           window(range, terms, 0) - window(range, terms, bytes);
}

uint64_t proof_output(uint32_t first_unit, const uint8_t *data, uint32_t bytes)
{
    return proof_bytes(4 * (uint64_t)first_unit, data, bytes) + bytes;
}
