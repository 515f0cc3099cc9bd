/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/calibrate_repeats.h"

#include "qemu/reading.h"

#include <stdlib.h>
#include <string.h>

/* Of 100 repeats, so many are no later than late_most_ps. */
#define MOST_PERCENT 95u

double calibrate_round_trip_ps(const struct probe_row *row)
{
    return (double)(int64_t)((row->t4_ps - row->t1_ps) -
                             (row->t3_ps - row->t2_ps));
}

static int less_or_more(double a, double b)
{
    return (a > b) - (a < b);
}

static int same_probe(const struct probe_row *a, const struct probe_row *b)
{
    if (a->at.y != b->at.y) {
        return a->at.y < b->at.y ? -1 : 1;
    }
    if (a->at.x != b->at.x) {
        return a->at.x < b->at.x ? -1 : 1;
    }
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* By node, size, and round trip. */
static int by_probe(const void *a, const void *b)
{
    int order = same_probe(a, b);

    return order != 0 ? order
                      : less_or_more(calibrate_round_trip_ps(a),
                                     calibrate_round_trip_ps(b));
}

static int by_value(const void *a, const void *b)
{
    return less_or_more(*(const double *)a, *(const double *)b);
}

static void note_late(struct calibration *calibration, double late[],
                      uint32_t count)
{
    if (count > 0) {
        qsort(late, count, sizeof *late, by_value);
        calibration->late_half_ps = late[count / 2];
        calibration->late_most_ps = late[(uint64_t)count * MOST_PERCENT / 100u];
    }
}

void calibrate_set_aside(struct calibration *calibration)
{
    uint32_t rows = calibration->row_count;
    struct probe_row *row = calibration->row;
    struct probe_row *aside = reading_must(calloc(rows + 1u, sizeof *aside));
    double *late = reading_must(calloc(rows + 1u, sizeof *late));
    uint32_t kept = 0;
    uint32_t count = 0;

    qsort(row, rows, sizeof *row, by_probe);
    for (uint32_t i = 0; i < rows; ++i) {
        if (kept == 0 || same_probe(&row[kept - 1], &row[i]) != 0) {
            row[kept++] = row[i];
        } else {
            late[count] = calibrate_round_trip_ps(&row[i]) -
                          calibrate_round_trip_ps(&row[kept - 1]);
            aside[count++] = row[i];
        }
    }
    memcpy(&row[kept], aside, count * sizeof *aside);
    calibration->aside_count = count;
    note_late(calibration, late, count);
    free(aside);
    free(late);
}
