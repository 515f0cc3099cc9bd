/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/mesh_ops.h"

#include "qemu/base/exit_status.h"

#include "hal/circuit.h"

#include <stdio.h>

/* A probe_channel's order(). */
static int measure(void *context, const uint8_t **report,
                   uint32_t *report_bytes, const uint8_t *list,
                   uint32_t list_bytes)
{
    struct job_mesh *mesh = context;
    const struct mesh_order order = {.kind = WIRE_MEASURE,
                                     .head = list,
                                     .head_bytes = list_bytes,
                                     .more = true};
    int status = mesh->ops->order(mesh, &order);

    if (status != 0) {
        return status;
    }
    if (mesh->report->data[CIRCUIT_AT_KIND] != WIRE_MEASURED) {
        fprintf(stderr, "quincunx: the originator does not measure\n");
        return EXIT_FAILED;
    }
    *report = mesh->report->data + CIRCUIT_HEADER_BYTES;
    *report_bytes = mesh->report->bytes - CIRCUIT_HEADER_BYTES;
    return 0;
}

struct probe_channel job_mesh_channel(struct job_mesh *mesh)
{
    return (struct probe_channel){.size = mesh->task->request->size,
                                  .originator = mesh->task->originator->at,
                                  .ready_delay_ns =
                                      mesh->ops->probing->ready_delay_ns,
                                  .rows = mesh->ops->probing->rows,
                                  .context = mesh,
                                  .order = measure};
}
