/* SPDX-License-Identifier: Apache-2.0 */
/* Results on their way back. */
#include "scatter/scatter.h"

#include <string.h>

#define PS_PER_NS 1000u
#define PS_PER_US 1000000u

int scatter_merge_child(struct scatter *scatter, unsigned phase, unsigned port)
{
    struct circuit_delivery delivery;
    struct kernel_result next;
    unsigned kind = WIRE_RESULT_OF(phase);
    int error = circuit_receive(
        scatter->circuit, &delivery, 1u << port | CIRCUIT_ONLY(kind),
        scatter->memory->incoming, sizeof scatter->memory->incoming);

    if (error != ERR_OK) {
        return error;
    }
    next.data = delivery.payload;
    next.bytes = delivery.bytes;
    if (delivery.kind != kind ||
        scatter->kernel->merge(scatter->memory->work, &scatter->result,
                               &next) != KERNEL_OK) {
        return ERR_PROTOCOL;
    }
    scatter_record(scatter, EVENT_RESULT_MERGED, phase, next.bytes);
    return ERR_OK;
}

uint8_t *scatter_result_room(const struct scatter *scatter)
{
    const uint8_t *end = scatter->body + scatter->body_bytes;
    uint32_t used = ((uint32_t)(end - scatter->receive) + 7u) & ~7u;

    return scatter->terms.output_denominator == 0
               ? scatter->memory->result
               : scatter->receive + used + CIRCUIT_HEADER_BYTES;
}

uint32_t scatter_output_bytes(const struct scatter *scatter, uint32_t position,
                              uint32_t units)
{
    uint64_t first =
        ((uint64_t)scatter->first_unit + position) * scatter->job.unit_bytes;
    uint64_t end = first + (uint64_t)units * scatter->job.unit_bytes;

    return (uint32_t)(kernel_output_at(&scatter->terms, end) -
                      kernel_output_at(&scatter->terms, first));
}

/* Receives a child's output behind what is there. The message's header comes
   to lie on the last bytes of that, which are put back. */
static int append_child(struct scatter *scatter, unsigned phase, unsigned port,
                        uint32_t bytes)
{
    struct circuit_delivery delivery;
    uint8_t kept[CIRCUIT_HEADER_BYTES];
    unsigned kind = WIRE_RESULT_OF(phase);
    uint8_t *at =
        scatter->result.data + scatter->result.bytes - CIRCUIT_HEADER_BYTES;
    int error;

    memcpy(kept, at, sizeof kept);
    error = circuit_receive(scatter->circuit, &delivery,
                            1u << port | CIRCUIT_ONLY(kind), at,
                            CIRCUIT_HEADER_BYTES + bytes);
    memcpy(at, kept, sizeof kept);
    if (error == ERR_OK && delivery.bytes != bytes) {
        error = ERR_PROTOCOL;
    }
    scatter->result.bytes += bytes;
    scatter_record(scatter, EVENT_RESULT_MERGED, phase, bytes);
    return error;
}

/* Outputs lie one after the other as their ranges do: this node's own, then
   by falling phase. */
static int gather_output(struct scatter *scatter)
{
    uint32_t position = scatter->split.own_units;
    int error = ERR_OK;

    for (unsigned phase = scatter->job.phases; phase > scatter->layer;
         --phase) {
        for (unsigned port = 0; error == ERR_OK && port < TORUS_PORTS; ++port) {
            uint32_t units = split_child_units(&scatter->split, phase, port);

            if (units > 0) {
                error = append_child(
                    scatter, phase, port,
                    scatter_output_bytes(scatter, position, units));
            }
            position += units;
        }
    }
    return error;
}

int scatter_gather(struct scatter *scatter)
{
    int error = ERR_OK;

    scatter->window->status.state = WINDOW_STATE_GATHERING;
    if (scatter->terms.output_denominator != 0) {
        return gather_output(scatter);
    }
    for (unsigned phase = scatter->job.phases;
         error == ERR_OK && phase > scatter->layer; --phase) {
        for (unsigned port = 0; error == ERR_OK && port < TORUS_PORTS; ++port) {
            if (split_child_units(&scatter->split, phase, port) > 0) {
                error = scatter_merge_child(scatter, phase, port);
            }
        }
    }
    return error;
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

    if (job->slot_us == 0) {
        return job->gather_ps +
               wire_job_result_ps(scatter->job_data, scatter->layer);
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

int scatter_return_result(struct scatter *scatter)
{
    struct circuit_message message = {
        .path = torus_path_reverse(scatter->down),
        .ready_ps = slot_at(scatter, clock_now_ps(scatter->circuit->clock)),
        .kind = (uint8_t)WIRE_RESULT_OF(scatter->layer)};
    unsigned port = message.path.port;

    message.body[port].data = scatter->result.data;
    message.body[port].bytes = scatter->result.bytes;
    scatter_record(scatter, EVENT_RESULT_QUEUED, scatter->layer,
                   scatter->result.bytes);
    return circuit_send(scatter->circuit, 1u << port, &message);
}
