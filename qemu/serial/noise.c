/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/serial/noise.h"

#include "qemu/base/parse.h"

#include <stddef.h>

struct noise noise_none(void)
{
    return (struct noise){.damage = {0, 1}, .loss = {0, 1}, .seed = 1};
}

bool noise_any(const struct noise *noise)
{
    return noise->damage.numerator > 0 || noise->loss.numerator > 0;
}

int noise_set(void *field, const char *option, const char *text)
{
    struct noise_chance *chance = field;
    const char *allowed =
        parse_ratio(text, &chance->numerator, &chance->denominator);

    if (allowed == NULL && chance->numerator > chance->denominator) {
        allowed = "must be P/Q, at most 1";
    }
    return parse_report(option, text, allowed);
}

uint64_t noise_draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Returns whether an event with this chance happens. `drawn` is random, below
   2^32. */
static bool happens(const struct noise_chance *chance, uint64_t drawn)
{
    return drawn * chance->denominator < (uint64_t)chance->numerator << 32;
}

uint32_t noise_apply(const struct noise *noise, uint64_t *state,
                     struct noise_counts *counts, uint8_t *data, uint32_t bytes)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < bytes; ++i) {
        uint64_t drawn = noise_draw(state);

        if (happens(&noise->loss, drawn & UINT32_MAX)) {
            counts->dropped += 1;
        } else if (happens(&noise->damage, drawn >> 32)) {
            data[left++] = (uint8_t)(data[i] ^ (1 + noise_draw(state) % 255));
            counts->changed += 1;
        } else {
            data[left++] = data[i];
        }
    }
    counts->bytes += bytes;
    return left;
}
