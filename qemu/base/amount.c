/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/amount.h"

#include <inttypes.h>

static const struct amount_unit unit_table[] = {
    {"ns", UINT64_C(1000)},
    {"us", UINT64_C(1000000)},
    {"ms", UINT64_C(1000000000)},
    {"s", UINT64_C(1000000000000)},
};

#define UNITS (sizeof unit_table / sizeof unit_table[0])

void amount_bytes(FILE *out, double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB"};
    unsigned i = 0;

    while (i + 1 < sizeof units / sizeof *units && bytes >= 999.5) {
        bytes /= 1000;
        i += 1;
    }
    if (i == 0) {
        amount_things(out, (uint64_t)(bytes + 0.5), "byte");
        return;
    }
    fprintf(out, bytes >= 99.95 ? "%.0f %s" : "%.3g %s", bytes, units[i]);
}

void amount_things(FILE *out, uint64_t count, const char *thing)
{
    fprintf(out, "%" PRIu64 " %s%s", count, thing, count == 1 ? "" : "s");
}

struct amount_unit amount_unit_of(uint64_t time_ps)
{
    unsigned i = UNITS - 1;

    while (i > 0 && time_ps < unit_table[i].ps) {
        i -= 1;
    }
    return unit_table[i];
}

struct amount amount_time(uint64_t time_ps)
{
    struct amount amount = {"0 s"};
    unsigned i = 0;
    double value;
    int decimals = 3;

    if (time_ps == 0) {
        return amount;
    }
    while (i + 1 < UNITS &&
           (double)time_ps >= 999.95 * (double)unit_table[i].ps) {
        i += 1;
    }
    value = (double)time_ps / (double)unit_table[i].ps;
    for (double limit = 9.9995; decimals > 0 && value >= limit; limit *= 10) {
        decimals -= 1;
    }
    snprintf(amount.text, sizeof amount.text, "%.*f %s", decimals, value,
             unit_table[i].name);
    return amount;
}
