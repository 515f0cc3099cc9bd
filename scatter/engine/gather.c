/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/gather.h"

#include "hal/check.h"
#include <string.h>

#define CHECK_FILE CHECK_SCATTER_GATHER

#define PS_PER_NS 1000u
#define PS_PER_US 1000000u

int scatter_merge(struct scatter *scatter, const struct kernel_result *next)
{
    const struct kernel *kernel = scatter->kernel;
    int error = KERNEL_OK;

    if (next->bytes > scatter->terms.result_bytes_max) {
        return ERR_TERMS;
    }
    if (kernel->merge != NULL) {
        error = kernel->merge(scatter->memory->work, &scatter->result, next);
    }
    return error == KERNEL_OK ? ERR_OK : ERR_TERMS;
}

/*
 * Receives a child's result at `at`, and merges it. Result: 0 and the bytes of
 * output that follow it from *output on, or the error.
 */
static int take_result(struct scatter *scatter, unsigned phase, unsigned port,
                       uint8_t *at, uint32_t capacity_bytes, uint32_t *output)
{
    unsigned kind = WIRE_RESULT_OF(phase);
    uint32_t head = scatter_result_head(&scatter->terms);
    struct circuit_delivery delivery;
    struct kernel_result next;
    int error =
        circuit_receive(scatter->circuit, &delivery,
                        1u << port | CIRCUIT_ONLY(kind), at, capacity_bytes);

    if (error != ERR_OK) {
        return error;
    }
    next.data = delivery.payload;
    next.bytes = delivery.bytes;
    if (scatter_has_output(scatter)) {
        next.data = delivery.payload + 4;
        next.bytes = bytes_load_u32(delivery.payload);
        if (delivery.bytes < head || (delivery.bytes - head) % 4 != 0) {
            return ERR_LENGTH;
        }
        *output = delivery.bytes - head;
    }
    error = delivery.kind == kind ? scatter_merge(scatter, &next) : ERR_KIND;
    if (error == ERR_OK) {
        scatter_record(scatter, EVENT_RESULT_MERGED, phase, next.bytes);
    }
    return error;
}

/* A child's output comes to lie right behind those before it, and what comes
   before it in its message on their last bytes, which are put back. */
static int append_child(struct scatter *scatter, unsigned phase, unsigned port,
                        uint32_t *bytes)
{
    uint32_t ahead =
        CIRCUIT_HEADER_BYTES + scatter_result_head(&scatter->terms);
    uint8_t kept[CIRCUIT_HEADER_BYTES + 4 + KERNEL_RESULT_BESIDE_OUTPUT_MAX];
    uint8_t *at = scatter->children + scatter->children_bytes - ahead;
    int error;

    if (ahead > sizeof kept) {
        return ERR_TERMS; /* a job that says OUTPUT of a kernel without */
    }
    memcpy(kept, at, ahead);
    error = take_result(scatter, phase, port, at,
                        (uint32_t)(scatter->high - at) & ~3u, bytes);
    memcpy(at, kept, ahead);
    if (error == ERR_OK) {
        scatter->children_bytes += *bytes;
        ASSERT(scatter->children + scatter->children_bytes <= scatter->high);
    }
    return error;
}

int scatter_gather_child(struct scatter *scatter, unsigned phase, unsigned port)
{
    uint32_t bytes = 0;

    return scatter_has_output(scatter)
               ? append_child(scatter, phase, port, &bytes)
               : take_result(scatter, phase, port, scatter->memory->incoming,
                             sizeof scatter->memory->incoming, &bytes);
}

void scatter_begin_gather(struct scatter *scatter)
{
    scatter->circuit->node->status.state = NODE_STATE_GATHERING;
    scatter->children = scatter->low + CIRCUIT_HEADER_BYTES +
                        scatter_result_head(&scatter->terms);
    scatter->children_bytes = 0;
}

/* The earliest time from `now_ps` on in a slot of this node's own phase. */
static uint64_t slot_at(const struct scatter *scatter, uint64_t now_ps)
{
    const struct wire_job *job = &scatter->job;
    uint64_t slot_ps = (uint64_t)job->slot_us * PS_PER_US;
    uint64_t frame_ps = slot_ps * job->phases;
    uint64_t first_ps =
        job->gather_ps + slot_ps * (uint64_t)(job->phases - scatter->layer);
    uint64_t missed_frames;
    uint64_t late_ps;

    if (scatter_has_output(scatter)) {
        return job->gather_ps +
               wire_job_result_ps(job, scatter->job_data, scatter->layer);
    }
    if (now_ps <= first_ps) {
        return first_ps;
    }
    late_ps = now_ps - first_ps;
    missed_frames = late_ps / frame_ps;
    if (late_ps - missed_frames * frame_ps <=
        (uint64_t)job->slack_ns * PS_PER_NS) {
        return now_ps;
    }
    return first_ps + (missed_frames + 1) * frame_ps;
}

/* The result with its length, this node's own output, the children's. */
void scatter_put_output(struct scatter *scatter,
                        struct circuit_message *message, unsigned port)
{
    struct scatter_memory *memory = scatter->memory;

    bytes_store_u32(memory->result_bytes, scatter->result.bytes);
    message->head.data = memory->result_bytes;
    message->head.bytes = scatter_result_head(&scatter->terms);
    message->shared.data = scatter->high;
    message->shared.bytes = (uint32_t)(scatter->top - scatter->high);
    message->body[port].data = scatter->children;
    message->body[port].bytes = scatter->children_bytes;
}

int scatter_return_result(struct scatter *scatter)
{
    struct circuit_message message = {
        .path = torus_path_reverse(scatter->down),
        .ready_ps = slot_at(scatter, clock_now_ps(scatter->circuit->clock)),
        .kind = (uint8_t)WIRE_RESULT_OF(scatter->layer)};
    unsigned port = message.path.port;

    message.body[port].data = scatter->result.data;
    message.body[port].bytes = scatter->result.bytes;
    if (scatter_has_output(scatter)) {
        scatter_put_output(scatter, &message, port);
    }
    scatter_record(scatter, EVENT_RESULT_QUEUED, scatter->layer,
                   scatter->result.bytes);
    return circuit_send(scatter->circuit, 1u << port, &message);
}
