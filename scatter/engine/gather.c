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
 * Receives a child's result at `at`, header included, and merges it. Result: 0
 * and the bytes of output that follow it in the message, or the error.
 */
static int receive_result(struct scatter *scatter, unsigned phase,
                          unsigned port, uint8_t *at, uint32_t capacity_bytes,
                          uint32_t *output_bytes)
{
    unsigned kind = WIRE_RESULT_OF(phase);
    uint32_t head_bytes = scatter_result_head_bytes(&scatter->terms);
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
        if (delivery.bytes < head_bytes ||
            (delivery.bytes - head_bytes) % 4 != 0) {
            return ERR_LENGTH;
        }
        *output_bytes = delivery.bytes - head_bytes;
    }
    error = delivery.kind == kind ? scatter_merge(scatter, &next) : ERR_KIND;
    if (error == ERR_OK) {
        scatter_record(scatter, EVENT_RESULT_MERGED, phase, next.bytes);
    }
    return error;
}

/*
 * Receives a child's message so that its output comes to lie right behind those
 * of the children before it. The header and the result, which come first in the
 * message, overwrite the last bytes there; these are saved and put back:
 *
 *   outputs so far ......|saved|
 *                        |head |this child's output ..
 */
static int append_child(struct scatter *scatter, unsigned phase, unsigned port,
                        uint32_t *bytes)
{
    uint32_t ahead =
        CIRCUIT_HEADER_BYTES + scatter_result_head_bytes(&scatter->terms);
    uint8_t kept[CIRCUIT_HEADER_BYTES + 4 + KERNEL_RESULT_BESIDE_OUTPUT_MAX];
    uint8_t *at = scatter->child_outputs + scatter->child_outputs_bytes - ahead;
    int error;

    if (ahead > sizeof kept) {
        return ERR_TERMS; /* WIRE_OUTPUT, and the kernel makes none */
    }
    memcpy(kept, at, ahead);
    error = receive_result(scatter, phase, port, at,
                           (uint32_t)(scatter->free_to - at) & ~3u, bytes);
    memcpy(at, kept, ahead);
    if (error == ERR_OK) {
        scatter->child_outputs_bytes += *bytes;
        ASSERT(scatter->child_outputs + scatter->child_outputs_bytes <=
               scatter->free_to);
    }
    return error;
}

int scatter_gather_child(struct scatter *scatter, unsigned phase, unsigned port)
{
    uint32_t bytes = 0;

    return scatter_has_output(scatter)
               ? append_child(scatter, phase, port, &bytes)
               : receive_result(scatter, phase, port, scatter->memory->incoming,
                                sizeof scatter->memory->incoming, &bytes);
}

void scatter_begin_gather(struct scatter *scatter)
{
    scatter->circuit->node->status.state = NODE_STATE_GATHERING;
    scatter->child_outputs = scatter->free_from + CIRCUIT_HEADER_BYTES +
                             scatter_result_head_bytes(&scatter->terms);
    scatter->child_outputs_bytes = 0;
}

/* The earliest time from `now_ps` on in a slot of this node's own phase. With
   an output: the planned time, whether it has passed or not. */
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

void scatter_attach_output(struct scatter *scatter,
                           struct circuit_message *message, unsigned port)
{
    struct scatter_memory *memory = scatter->memory;

    bytes_store_u32(memory->result_bytes, scatter->result.bytes);
    message->head.data = memory->result_bytes;
    message->head.bytes = scatter_result_head_bytes(&scatter->terms);
    message->shared.data = scatter->free_to;
    message->shared.bytes = (uint32_t)(scatter->room_end - scatter->free_to);
    message->body[port].data = scatter->child_outputs;
    message->body[port].bytes = scatter->child_outputs_bytes;
}

int scatter_return_result(struct scatter *scatter)
{
    struct circuit_message message = {
        .path = torus_path_reverse(scatter->path_from_parent),
        .ready_ps = slot_at(scatter, clock_now_ps(scatter->circuit->clock)),
        .kind = (uint8_t)WIRE_RESULT_OF(scatter->layer)};
    unsigned port = message.path.port;

    message.body[port].data = scatter->result.data;
    message.body[port].bytes = scatter->result.bytes;
    if (scatter_has_output(scatter)) {
        scatter_attach_output(scatter, &message, port);
    }
    scatter_record(scatter, EVENT_RESULT_QUEUED, scatter->layer,
                   scatter->result.bytes);
    return circuit_send(scatter->circuit, 1u << port, &message);
}
