/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/calibrate.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* late_most_ps exceeds this percentage of all delays of repeated probes. */
#define MOST_PERCENT 95u

/* Returns how long a probe's circuits took, there and back, ps. */
static double round_trip_ps(const struct probe_row *row)
{
    return (double)(int64_t)((row->t4_ps - row->t1_ps) -
                             (row->t3_ps - row->t2_ps));
}

/* ---- repeats ---- */

static int less_or_more(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_node(const struct probe_row *a, const struct probe_row *b)
{
    return a->at.y != b->at.y ? a->at.y - b->at.y : a->at.x - b->at.x;
}

static int same_probe(const struct probe_row *a, const struct probe_row *b)
{
    int order = by_node(a, b);

    return order != 0 ? order : less_or_more(a->bytes, b->bytes);
}

static int by_probe(const void *a, const void *b)
{
    const struct probe_row *left = a;
    const struct probe_row *right = b;
    int order = same_probe(left, right);

    if (order == 0) {
        order = less_or_more(round_trip_ps(left), round_trip_ps(right));
    }
    return order != 0
               ? order
               : (left->t1_ps > right->t1_ps) - (left->t1_ps < right->t1_ps);
}

static int by_value(const void *a, const void *b)
{
    return less_or_more(*(const double *)a, *(const double *)b);
}

/* Where a repeat stands among all repeats of its probe, sorted by round
   trip. */
enum part {
    PART_SHORTEST,
    PART_FAST,
    PART_SLOW,
    PARTS
};

static enum part part_of(uint32_t number, uint32_t count)
{
    return number == 0                ? PART_SHORTEST
           : number < (count + 1) / 2 ? PART_FAST
                                      : PART_SLOW;
}

static uint32_t count_same(const struct probe_row row[], uint32_t rows)
{
    uint32_t count = 0;

    while (count < rows && same_probe(&row[0], &row[count]) == 0) {
        count += 1;
    }
    return count;
}

static void note_late(struct calibration *calibration,
                      const struct probe_row sorted[])
{
    uint32_t rows = calibration->row_count;
    double *late = memory_or_exit(calloc(rows + 1u, sizeof *late));
    const struct probe_row *shortest = sorted;
    uint32_t lates = 0;

    for (uint32_t i = 0; i < rows; ++i) {
        if (same_probe(shortest, &sorted[i]) != 0) {
            shortest = &sorted[i];
        }
        if (shortest != &sorted[i]) {
            late[lates++] = round_trip_ps(&sorted[i]) - round_trip_ps(shortest);
        }
    }
    if (lates > 0) {
        qsort(late, lates, sizeof *late, by_value);
        calibration->late_half_ps = late[lates / 2];
        calibration->late_most_ps = late[(uint64_t)lates * MOST_PERCENT / 100u];
    }
    free(late);
}

void calibrate_set_aside(struct calibration *calibration)
{
    uint32_t rows = calibration->row_count;
    struct probe_row *row = calibration->row;
    struct probe_row *sorted =
        memory_or_exit(calloc(rows + 1u, sizeof *sorted));
    uint32_t placed = 0;
    uint32_t end[PARTS];

    memcpy(sorted, row, rows * sizeof *row);
    qsort(sorted, rows, sizeof *sorted, by_probe);
    for (enum part part = 0; part < PARTS; ++part) {
        for (uint32_t first = 0, count; first < rows; first += count) {
            count = count_same(&sorted[first], rows - first);
            for (uint32_t i = 0; i < count; ++i) {
                if (part_of(i, count) == part) {
                    row[placed++] = sorted[first + i];
                }
            }
        }
        end[part] = placed;
    }
    calibration->circuit_rows = end[PART_SHORTEST];
    calibration->clock_rows = end[PART_FAST];
    note_late(calibration, sorted);
    free(sorted);
}

/* ---- fits ---- */

static double less(uint64_t a_ps, uint64_t b_ps)
{
    return (double)(int64_t)(a_ps - b_ps);
}

static uint32_t some_rows(const struct calibration *calibration, uint32_t some)
{
    return some > 0 ? some : calibration->row_count;
}

static bool fit_circuits(struct calibration *calibration)
{
    uint32_t rows = some_rows(calibration, calibration->circuit_rows);
    double *x = memory_or_exit(calloc(3 * (size_t)rows + 1, sizeof *x));
    double *y = memory_or_exit(calloc((size_t)rows + 1, sizeof *y));
    struct fit_value out[3];
    bool known;

    for (uint32_t i = 0; i < rows; ++i) {
        const struct probe_row *row = &calibration->row[i];

        x[3 * (size_t)i] = 2;
        x[3 * (size_t)i + 1] = 2.0 * row->hops;
        x[3 * (size_t)i + 2] = (double)row->bytes + row->answer_bytes;
        y[i] = round_trip_ps(row);
    }
    known = fit_solve(out, &calibration->rms_ps, x, y, rows, 3);
    if (known) {
        calibration->startup_ps = out[0];
        calibration->hop_ps = out[1];
        calibration->transfer_ps = out[2];
    }
    free(x);
    free(y);
    return known;
}

static void fit_clock(struct calibrate_clock *clock,
                      const struct calibration *calibration,
                      const struct probe_row *const rows[], double x[],
                      double y[])
{
    uint64_t zero_ps = calibration->zero_ps;
    struct fit_value out[2];
    double rms;

    clock->at = rows[0]->at;
    for (uint32_t k = 0; k < clock->rows; ++k) {
        const struct probe_row *row = rows[k];
        double longer_ps = less(row->bytes, row->answer_bytes) *
                           calibration->transfer_ps.value;

        x[2 * (size_t)k] = 1;
        x[2 * (size_t)k + 1] = (less(row->t1_ps, zero_ps) +
                                less(row->t4_ps, zero_ps) + longer_ps) /
                               2;
        y[k] = (less(row->t2_ps, row->t1_ps) - less(row->t4_ps, row->t3_ps) -
                longer_ps) /
               2;
    }
    clock->drifts = fit_solve(out, &rms, x, y, clock->rows, 2);
    if (clock->drifts) {
        clock->offset_ps = out[0];
        clock->drift = out[1];
    } else {
        clock->offset_ps = (struct fit_value){.value = y[0]};
    }
}

static uint64_t first_ps(const struct calibration *calibration)
{
    uint64_t first = calibration->row[0].t1_ps;

    for (uint32_t i = 1; i < calibration->row_count; ++i) {
        uint64_t t1_ps = calibration->row[i].t1_ps;

        first = less(t1_ps, first) < 0 ? t1_ps : first;
    }
    return first;
}

static int by_clock(const void *a, const void *b)
{
    const struct probe_row *const *left = a;
    const struct probe_row *const *right = b;
    int order = by_node(*left, *right);

    return order != 0 ? order : (*left > *right) - (*left < *right);
}

static void fit_clocks(struct calibration *calibration, struct torus_size size)
{
    uint32_t rows = some_rows(calibration, calibration->clock_rows);
    const struct probe_row **row =
        memory_or_exit(calloc((size_t)rows + 1, sizeof *row));
    double *x = memory_or_exit(calloc(2 * (size_t)rows + 1, sizeof *x));
    double *y = memory_or_exit(calloc((size_t)rows + 1, sizeof *y));

    calibration->clock =
        memory_or_exit(calloc(torus_nodes(size), sizeof *calibration->clock));
    calibration->clock_count = 0;
    calibration->zero_ps = first_ps(calibration);
    for (uint32_t i = 0; i < rows; ++i) {
        row[i] = &calibration->row[i];
    }
    qsort(row, rows, sizeof *row, by_clock);
    for (uint32_t first = 0; first < rows;) {
        struct calibrate_clock *clock =
            &calibration->clock[calibration->clock_count++];

        while (first + clock->rows < rows &&
               by_node(row[first], row[first + clock->rows]) == 0) {
            clock->rows += 1;
        }
        fit_clock(clock, calibration, &row[first], x, y);
        first += clock->rows;
    }
    free(row);
    free(x);
    free(y);
}

bool calibrate_fit(struct calibration *calibration, struct torus_size size)
{
    if (!fit_circuits(calibration)) {
        return false;
    }
    fit_clocks(calibration, size);
    return true;
}

/* ---- the mesh ---- */

/* As probe_measure(); a node that does not answer is an error. */
static int measure_rows(struct job_mesh *mesh, struct probe_row rows[],
                        const struct probe probes[], uint32_t count)
{
    int status = probe_measure(mesh, rows, probes, count);

    for (uint64_t i = 0; status == 0 && i < probe_rows(probes, count); ++i) {
        if (!probe_answered(&rows[i])) {
            fprintf(stderr, "quincunx: board %u,%u does not answer a probe\n",
                    rows[i].at.x, rows[i].at.y);
            status = EXIT_FAILED;
        }
    }
    return status;
}

/* Sends each node a small probe whose times are ignored. A node's first message
   sets its clock (hal/serial/state.h), so the times of this probe are by two
   clocks. Returns 0, or an exit status after a message. */
static int wake(struct job_mesh *mesh, const struct probe probes[],
                uint32_t count)
{
    struct torus_size size = mesh->task->request->size;
    uint32_t nodes = torus_nodes(size);
    struct probe *first = memory_or_exit(calloc(nodes, sizeof *first));
    struct probe_row *row = memory_or_exit(calloc(nodes, sizeof *row));
    uint32_t found = 0;
    int status;

    for (uint32_t i = 0; i < count; ++i) {
        first[torus_index(size, probes[i].at)] = (struct probe){
            .at = probes[i].at, .count = 1, .bytes = PROBE_BYTES_MIN};
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        if (first[i].count > 0) {
            first[found++] = first[i];
        }
    }
    status = measure_rows(mesh, row, first, found);
    free(first);
    free(row);
    return status;
}

static int measure(struct calibration *calibration, struct job_mesh *mesh,
                   const struct probe probes[], uint32_t count)
{
    bool real_time = mesh->ops->probing->real_time;
    int status = real_time ? wake(mesh, probes, count) : 0;

    calibration->on = mesh->ops->on;
    calibration->board = mesh->board;
    calibration->row_count = (uint32_t)probe_rows(probes, count);
    calibration->row = memory_or_exit(
        calloc(calibration->row_count + 1u, sizeof *calibration->row));
    if (status == 0) {
        status = measure_rows(mesh, calibration->row, probes, count);
    }
    if (status == 0 && real_time) {
        calibrate_set_aside(calibration);
    }
    return status;
}

int calibrate_mesh(struct calibration *calibration,
                   const struct request *request, const struct probe probes[],
                   uint32_t count)
{
    struct job_mesh *mesh;
    struct job_task task = job_task_of(request);
    int status = request->mesh->open(&mesh, &task, true);

    memset(calibration, 0, sizeof *calibration);
    if (status == 0) {
        status = measure(calibration, mesh, probes, count);
        request->mesh->close(mesh);
    }
    if (status == 0 && !calibrate_fit(calibration, request->size)) {
        fprintf(stderr,
                "quincunx: startup, hop delay and transfer time cannot be told "
                "apart: that takes nodes at two distances and probes of two "
                "sizes\n");
        status = EXIT_FAILED;
    }
    if (status != 0) {
        calibrate_free(calibration);
    }
    return status;
}

void calibrate_free(struct calibration *calibration)
{
    free(calibration->row);
    free(calibration->clock);
    memset(calibration, 0, sizeof *calibration);
}
