/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/core.h"

#include "hal/check.h"

#define CHECK_FILE CHECK_SCATTER_CORE
void scatter_record(struct scatter *scatter, enum event_kind kind,
                    unsigned detail, uint32_t value)
{
    events_record(scatter->circuit->log, clock_now_ps(scatter->circuit->clock),
                  kind, detail, value);
}

void scatter_clip(const struct scatter *scatter, struct circuit_segment *body)
{
    const uint8_t *begin = scatter->body - scatter->body_before;
    const uint8_t *end = scatter->body + scatter->body_bytes;
    uint32_t missing = body->data < begin ? (uint32_t)(begin - body->data) : 0;
    uint32_t most;

    body->data += missing;
    body->bytes -= missing;
    ASSERT(body->data <= end);
    most = (uint32_t)(end - body->data);
    body->bytes = body->bytes < most ? body->bytes : most;
}

int scatter_take_message(struct scatter *scatter,
                         struct circuit_delivery *delivery, unsigned ports)
{
    int error;

    scatter->circuit->node->status.state = NODE_STATE_WAITING;
    error = circuit_receive(scatter->circuit, delivery, ports, scatter->low,
                            (uint32_t)(scatter->high - scatter->low));
    scatter->circuit->node->status.state = NODE_STATE_SCATTERING;
    return error;
}

int scatter_take_job(struct scatter *scatter, const uint8_t *in, uint32_t bytes)
{
    struct wire_job *job = &scatter->job;
    int error = wire_job_load(job, in, bytes);

    if (error != ERR_OK) {
        return error;
    }
    if (job->kernel >= scatter->kernel_count) {
        return ERR_IMAGE;
    }
    scatter->job_data = in;
    scatter->job_bytes = (uint32_t)(job->arg - in) + WIRE_PAD4(job->arg_bytes);
    scatter->kernel = scatter->kernels[job->kernel];
    return ERR_OK;
}

/* The load's bytes `at` .. `end`; `units` and `first_unit` are known. */
int scatter_take_body(struct scatter *scatter, const uint8_t *at,
                      const uint8_t *end)
{
    const struct wire_job *job = &scatter->job;
    uint64_t earlier = (uint64_t)scatter->first_unit * job->unit_bytes;
    uint32_t bytes = (uint32_t)(end - at);

    scatter->body_before =
        earlier < job->before_bytes ? (uint32_t)earlier : job->before_bytes;
    scatter->body = at + scatter->body_before;
    scatter->body_bytes = bytes - scatter->body_before;
    scatter->low += (end - scatter->low + 7) & ~7;
    return scatter->body_before <= bytes &&
                   (uint64_t)scatter->units * job->unit_bytes <=
                       scatter->body_bytes
               ? ERR_OK
               : ERR_LENGTH;
}

int scatter_begin_kernel(struct scatter *scatter)
{
    struct kernel_job job = {.arg = scatter->job.arg,
                             .arg_bytes = scatter->job.arg_bytes,
                             .unit_bytes = scatter->job.unit_bytes};

    return scatter->kernel->begin(scatter->memory->work, &scatter->terms,
                                  &job) == KERNEL_OK
               ? ERR_OK
               : ERR_ARGUMENT;
}
