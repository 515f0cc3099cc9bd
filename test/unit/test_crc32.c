/* SPDX-License-Identifier: Apache-2.0 */
/* On the board's processor, too; test/hal/test_board_library.py has zlib. */
#include "hal/crc32.h"
#include "test/unit/unit.h"

/* The polynomial, bit by bit: every entry of the table takes part. */
static uint32_t naive(const uint8_t *data, size_t bytes)
{
    uint32_t crc = 0xFFFFFFFFu;

    for (size_t i = 0; i < bytes; ++i) {
        crc ^= data[i];
        for (unsigned bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1u) ? 0xEDB88320u : 0u);
        }
    }
    return ~crc;
}

static void equals_the_bitwise_division(struct unit *unit)
{
    static const uint8_t digits[] = {'1', '2', '3', '4', '5',
                                     '6', '7', '8', '9'};

    CHECK_EQUAL(unit, crc32_update(0, digits, sizeof digits), 0xCBF43926);
    CHECK_EQUAL(unit, crc32_update(0xCBF43926u, digits, 0), 0xCBF43926);
    for (unsigned value = 0; value < 256; ++value) {
        uint8_t bytes[3] = {(uint8_t)value, (uint8_t)(value * 7 + 1), 0};

        CHECK_EQUAL(unit, crc32_update(0, bytes, 1), naive(bytes, 1));
        CHECK_EQUAL(unit, crc32_update(crc32_update(0, bytes, 1), bytes + 1, 2),
                    naive(bytes, 3));
    }
}

void test_crc32(struct unit *unit)
{
    UNIT_RUN(unit, equals_the_bitwise_division);
}
