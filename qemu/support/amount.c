/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/support/amount.h"

void amount_bytes(FILE *out, double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB"};
    unsigned i = 0;

    while (i + 1 < sizeof units / sizeof *units && bytes >= 999.5) {
        bytes /= 1000;
        i += 1;
    }
    fprintf(out, i == 0 || bytes >= 99.95 ? "%.0f %s" : "%.3g %s", bytes,
            i == 0 && bytes == 1 ? "byte" : units[i]);
}
