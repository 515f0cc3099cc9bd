/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/support/amount.h"

#include <inttypes.h>

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
