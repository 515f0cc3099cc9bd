/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/crc32.h"
#include "test/unit/unit.h"

static const uint8_t digits[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};

static void matches_the_standard_check_value(struct unit *unit)
{
    CHECK_EQUAL(unit, crc32_update(0, digits, sizeof digits), 0xCBF43926);
}

static void is_zero_for_no_bytes(struct unit *unit)
{
    CHECK_EQUAL(unit, crc32_update(0, digits, 0), 0);
    CHECK_EQUAL(unit, crc32_update(0xCBF43926u, digits, 0), 0xCBF43926);
}

static void chains_at_every_cut(struct unit *unit)
{
    for (size_t cut = 0; cut <= sizeof digits; ++cut) {
        uint32_t head = crc32_update(0, digits, cut);

        CHECK_EQUAL(unit, crc32_update(head, digits + cut, sizeof digits - cut),
                    0xCBF43926);
    }
}

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
    for (unsigned value = 0; value < 256; ++value) {
        uint8_t bytes[3] = {(uint8_t)value, (uint8_t)(value * 7 + 1), 0};

        CHECK_EQUAL(unit, crc32_update(0, bytes, 1), naive(bytes, 1));
        CHECK_EQUAL(unit, crc32_update(0, bytes, 3), naive(bytes, 3));
    }
}

static void sees_every_single_bit(struct unit *unit)
{
    uint8_t damaged[sizeof digits];

    for (size_t i = 0; i < sizeof digits; ++i) {
        damaged[i] = digits[i];
    }
    for (size_t bit = 0; bit < 8 * sizeof digits; ++bit) {
        damaged[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK(unit, crc32_update(0, damaged, sizeof damaged) != 0xCBF43926u);
        damaged[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

void test_crc32(struct unit *unit)
{
    UNIT_RUN(unit, matches_the_standard_check_value);
    UNIT_RUN(unit, is_zero_for_no_bytes);
    UNIT_RUN(unit, chains_at_every_cut);
    UNIT_RUN(unit, equals_the_bitwise_division);
    UNIT_RUN(unit, sees_every_single_bit);
}
