/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/probe.h"

#include "hal/circuit.h"
#include "qemu/fabric/postmortem.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- orders and their reports ---- */

static int complain_malformed(void)
{
    fprintf(stderr, "quincunx: the originator's report of its probes is "
                    "malformed\n");
    return EXIT_FAILED;
}

/* Prints that the originator gave up at probe `row`, counted over all entries'
   `count`. Names the probe's node if the number is valid. */
static int complain_given_up(const struct probe probes[], uint32_t count,
                             uint32_t row, int32_t error)
{
    fprintf(stderr, "quincunx: the originator's probe");
    for (uint32_t i = 0; i < count; ++i) {
        if (row < probes[i].count) {
            fprintf(stderr, " of board %u,%u", probes[i].at.x, probes[i].at.y);
            break;
        }
        row -= probes[i].count;
    }
    fprintf(stderr, " failed: %s\n", postmortem_error(error));
    postmortem_print_hint(stderr, "quincunx: ", error);
    return EXIT_FAILED;
}

static struct torus_path path_of(const struct job_mesh *mesh,
                                 const struct probe *probe)
{
    struct torus_size size = mesh->task->request->size;

    return torus_x_first(
        size, torus_away(size, mesh->task->originator->at, probe->at));
}

/* Sends an order WIRE_MEASURE to the originator. Returns 0, and the reply
   WIRE_MEASURED from *at to *end, valid until the next order. Or returns an
   exit status after a message. */
static int measure(struct job_mesh *mesh, const uint8_t **at,
                   const uint8_t **end, const struct wire_entry list[],
                   uint32_t count)
{
    const struct mesh_order order = {.kind = WIRE_MEASURE,
                                     .head = (const uint8_t *)list,
                                     .head_bytes = count * WIRE_ENTRY_BYTES,
                                     .more = true};
    int status = mesh->ops->order(mesh, &order);

    if (status != 0) {
        return status;
    }
    if (mesh->report->data[CIRCUIT_AT_KIND] != WIRE_MEASURED) {
        fprintf(stderr, "quincunx: the originator does not measure\n");
        return EXIT_FAILED;
    }
    *at = mesh->report->data + CIRCUIT_HEADER_BYTES;
    *end = mesh->report->data + mesh->report->bytes;
    return 0;
}

/* Sends at most PROBE_ROWS_AT_ONCE probes in one order. Returns 0, and the
   reply's rows, one a probe, from *at to *end. Or returns an exit status after
   a message. */
static int order_probes(struct job_mesh *mesh, const uint8_t **at,
                        const uint8_t **end, enum wire_asks asks,
                        const struct probe probes[], uint32_t count)
{
    struct wire_entry list[PROBE_ROWS_AT_ONCE];
    uint32_t rows = (uint32_t)probe_rows(probes, count);
    int status;
    int32_t error;

    for (uint32_t i = 0; i < count; ++i) {
        list[i] = (struct wire_entry){.path = path_of(mesh, &probes[i]),
                                      .count = probes[i].count,
                                      .bytes = probes[i].bytes,
                                      .ready_delay_ns =
                                          mesh->ops->probing->ready_delay_ns,
                                      .asks = asks};
    }
    status = measure(mesh, at, end, list, count);
    if (status != 0) {
        return status;
    }
    if (*end - *at < (ptrdiff_t)WIRE_MEASURED_BYTES) {
        return complain_malformed();
    }
    error = (int32_t)bytes_load_u32(*at);
    if (error != ERR_OK) {
        return complain_given_up(probes, count, bytes_load_u32(*at + 4), error);
    }
    if (bytes_load_u32(*at + 4) != rows) {
        return complain_malformed();
    }
    *at += WIRE_MEASURED_BYTES;
    return *end - *at < (ptrdiff_t)(rows * WIRE_ROW_BYTES)
               ? complain_malformed()
               : 0;
}

static void load_row(const struct job_mesh *mesh, struct probe_row *row,
                     const struct probe *probe, const uint8_t **at)
{
    const uint8_t *in = *at;

    row->at = probe->at;
    row->hops = torus_path_hops(path_of(mesh, probe));
    row->bytes = CIRCUIT_HEADER_BYTES + probe->bytes;
    row->answer_bytes = row->bytes;
    row->t1_ps = bytes_load_u64(in);
    row->t4_ps = bytes_load_u64(in + 8);
    row->t2_ps = bytes_load_u64(in + 16);
    row->t3_ps = bytes_load_u64(in + 24);
    *at += WIRE_ROW_BYTES;
}

static int measure_some(struct job_mesh *mesh, struct probe_row rows[],
                        const struct probe probes[], uint32_t count)
{
    const uint8_t *end;
    const uint8_t *at;
    int status = order_probes(mesh, &at, &end, WIRE_ASKS_TIME, probes, count);

    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        for (unsigned k = 0; k < probes[i].count; ++k) {
            load_row(mesh, rows++, &probes[i], &at);
        }
    }
    return status;
}

uint64_t probe_rows(const struct probe probes[], uint32_t count)
{
    uint64_t rows = 0;

    for (uint32_t i = 0; i < count; ++i) {
        rows += probes[i].count;
    }
    return rows;
}

int probe_measure(struct job_mesh *mesh, struct probe_row rows[],
                  const struct probe probes[], uint32_t count)
{
    uint32_t most = mesh->ops->probing->rows > 0 ? mesh->ops->probing->rows
                                                 : PROBE_ROWS_AT_ONCE;
    uint64_t measured = 0;
    uint32_t first = 0;
    int status = 0;

    while (status == 0 && first < count) {
        uint32_t next = first + 1;
        uint64_t some = probes[first].count;

        while (next < count && some + probes[next].count <= most) {
            some += probes[next++].count;
        }
        progress_show(
            &(struct progress_step){.doing = "probing",
                                    .done = measured,
                                    .total = probe_rows(probes, count),
                                    .things = "exchanges"});
        status = measure_some(mesh, rows, &probes[first], next - first);
        measured += some;
        rows += some;
        first = next;
    }
    return status;
}

/* Reads a probe's times, and the node's event log behind them, from *at, and
   moves *at behind the log. */
static int load_log(const struct job_mesh *mesh, struct probe_log *log,
                    const struct probe *probe, const uint8_t **at,
                    const uint8_t *end)
{
    uint32_t bytes;

    if (end - *at < (ptrdiff_t)(WIRE_ROW_BYTES + WIRE_LOG_BYTES)) {
        return complain_malformed();
    }
    load_row(mesh, &log->row, probe, at);
    log->written = bytes_load_u32(*at);
    log->count = bytes_load_u32(*at + 4);
    *at += WIRE_LOG_BYTES;
    bytes = log->count * (uint32_t)sizeof log->event[0];
    if (log->count > NODE_EVENTS || end - *at < (ptrdiff_t)bytes) {
        return complain_malformed();
    }
    log->row.answer_bytes =
        CIRCUIT_HEADER_BYTES + WIRE_ANSWER_BYTES + WIRE_LOG_BYTES + bytes;
    memcpy(log->event, *at, bytes);
    *at += bytes;
    return 0;
}

static int read_some_logs(struct job_mesh *mesh, struct probe_log logs[],
                          uint32_t count)
{
    struct probe probe[PROBE_LOGS_AT_ONCE];
    const uint8_t *end;
    const uint8_t *at;
    int status;

    for (uint32_t i = 0; i < count; ++i) {
        probe[i] = (struct probe){
            .at = logs[i].at, .count = 1, .bytes = PROBE_BYTES_MIN};
    }
    status = order_probes(mesh, &at, &end, WIRE_ASKS_LOG, probe, count);
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        status = load_log(mesh, &logs[i], &probe[i], &at, end);
    }
    return status == 0 && at != end ? complain_malformed() : status;
}

int probe_logs(struct job_mesh *mesh, struct probe_log logs[], uint32_t count)
{
    int status = 0;

    for (uint32_t i = 0; status == 0 && i < count; i += PROBE_LOGS_AT_ONCE) {
        uint32_t left = count - i;

        status = read_some_logs(mesh, &logs[i],
                                left < PROBE_LOGS_AT_ONCE ? left
                                                          : PROBE_LOGS_AT_ONCE);
    }
    return status;
}
