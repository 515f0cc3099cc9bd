/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/calibrate_repeats.h"

#include "qemu/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Part of the repeats that are no later than late_most_ps, %. */
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

/* Orders rows by node, size, round trip and time. */
static int by_probe(const void *a, const void *b)
{
    const struct probe_row *left = a;
    const struct probe_row *right = b;
    int order = same_probe(left, right);

    if (order == 0) {
        order = less_or_more(calibrate_round_trip_ps(left),
                             calibrate_round_trip_ps(right));
    }
    return order != 0
               ? order
               : (left->t1_ps > right->t1_ps) - (left->t1_ps < right->t1_ps);
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

/* Result: number of rows from `from` on that are of one probe. */
static uint32_t count_same(const struct probe_row *from, uint32_t most)
{
    uint32_t count = 1;

    while (count < most && same_probe(from, &from[count]) == 0) {
        count += 1;
    }
    return count;
}

/* Places of the next row of each kind. */
struct places {
    struct probe_row *shortest;
    struct probe_row *fast;
    struct probe_row *slow;
    double *late;
};

static void place(struct places *places, const struct probe_row *row,
                  uint32_t count)
{
    *places->shortest++ = row[0];
    for (uint32_t i = 1; i < count; ++i) {
        *places->late++ =
            calibrate_round_trip_ps(&row[i]) - calibrate_round_trip_ps(&row[0]);
        if (i < (count + 1) / 2) {
            *places->fast++ = row[i];
        } else {
            *places->slow++ = row[i];
        }
    }
}

void calibrate_set_aside(struct calibration *calibration)
{
    uint32_t rows = calibration->row_count;
    struct probe_row *row = calibration->row;
    struct probe_row *sorted =
        memory_or_exit(calloc(rows + 1u, sizeof *sorted));
    double *late = memory_or_exit(calloc(rows + 1u, sizeof *late));
    struct places places = {.shortest = row, .late = late};
    uint32_t groups = 0;
    uint32_t fast = 0;

    memcpy(sorted, row, rows * sizeof *row);
    qsort(sorted, rows, sizeof *sorted, by_probe);
    for (uint32_t i = 0, count; i < rows; i += count) {
        count = count_same(&sorted[i], rows - i);
        groups += 1;
        fast += (count + 1) / 2 - 1;
    }
    places.fast = row + groups;
    places.slow = row + groups + fast;
    for (uint32_t i = 0, count; i < rows; i += count) {
        count = count_same(&sorted[i], rows - i);
        place(&places, &sorted[i], count);
    }
    calibration->circuit_rows = groups;
    calibration->clock_rows = groups + fast;
    note_late(calibration, late, (uint32_t)(places.late - late));
    free(sorted);
    free(late);
}
