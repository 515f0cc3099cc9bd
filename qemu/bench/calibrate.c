/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/calibrate.h"

#include "qemu/bench/calibrate_repeats.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- fits ---- */

/* Result: a - b, which may be negative. */
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
        y[i] = calibrate_round_trip_ps(row);
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

/* The clock of one node, of whose rows row[first[k]] is the k-th. */
static void fit_clock(struct calibrate_clock *clock,
                      const struct calibration *calibration,
                      const uint32_t first[], double x[], double y[])
{
    uint64_t zero_ps = calibration->zero_ps;
    struct fit_value out[2];
    double rms;

    clock->at = calibration->row[first[0]].at;
    for (uint32_t k = 0; k < clock->rows; ++k) {
        const struct probe_row *row = &calibration->row[first[k]];

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

/* Result: the earliest t1 of all rows, which may be in any order. */
static uint64_t first_ps(const struct calibration *calibration)
{
    uint64_t first = calibration->row[0].t1_ps;

    for (uint32_t i = 1; i < calibration->row_count; ++i) {
        uint64_t t1_ps = calibration->row[i].t1_ps;

        first = less(t1_ps, first) < 0 ? t1_ps : first;
    }
    return first;
}

/* Sorts the rows by node and fits each node's clock. */
static void fit_clocks(struct calibration *calibration, struct torus_size size)
{
    uint32_t nodes = torus_nodes(size);
    uint32_t rows = some_rows(calibration, calibration->clock_rows);
    uint32_t *count = memory_or_exit(calloc(nodes + 1, sizeof *count));
    uint32_t *order = memory_or_exit(calloc((size_t)rows + 1, sizeof *order));
    double *x = memory_or_exit(calloc(2 * (size_t)rows + 1, sizeof *x));
    double *y = memory_or_exit(calloc((size_t)rows + 1, sizeof *y));

    calibration->clock =
        memory_or_exit(calloc(nodes, sizeof *calibration->clock));
    calibration->clock_count = 0;
    calibration->zero_ps = first_ps(calibration);
    for (uint32_t i = 0; i < rows; ++i) {
        count[torus_index(size, calibration->row[i].at) + 1] += 1;
    }
    for (uint32_t node = 0; node < nodes; ++node) {
        count[node + 1] += count[node]; /* where the next node's begin */
    }
    for (uint32_t i = rows; i-- > 0;) {
        order[--count[torus_index(size, calibration->row[i].at) + 1]] = i;
    }
    for (uint32_t first = 0; first < rows;) {
        struct calibrate_clock *clock =
            &calibration->clock[calibration->clock_count++];
        uint32_t node = torus_index(size, calibration->row[order[first]].at);

        while (first + clock->rows < rows &&
               torus_index(size,
                           calibration->row[order[first + clock->rows]].at) ==
                   node) {
            clock->rows += 1;
        }
        fit_clock(clock, calibration, &order[first], x, y);
        first += clock->rows;
    }
    free(count);
    free(order);
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

/* Sends a small probe to each node that will be probed, and drops its times:
   the first message sets a node's clock (hal/serial/state.h), so the times of
   its receipt and of its answer are by two clocks. Result: 0 or an exit
   status. */
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
    status = probe_measure(mesh, row, first, found);
    free(first);
    free(row);
    return status;
}

/* Carries the probes out; their rows are in the same order. */
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
        status = probe_measure(mesh, calibration->row, probes, count);
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
