/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/pattern.h"

#include "scatter/engine/compute.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/pattern_gather.h"
#include "scatter/engine/probe.h"

/* Queues the sends of one phase; their ranges begin at `position`. */
static int queue_phase(struct scatter *scatter, unsigned phase,
                       uint32_t position, uint32_t floor_units, uint32_t extra)
{
    struct circuit_message *message = &scatter->message[phase];
    uint32_t unit_bytes = scatter->job.unit_bytes;
    uint32_t around = scatter->job.before_bytes + scatter->job.after_bytes;
    const uint8_t *data =
        scatter->body + position * unit_bytes - scatter->job.before_bytes;
    uint32_t meta = wire_part_meta(phase, scatter->round);
    uint8_t *head = scatter->memory->head[scatter->round][phase - 1][0];
    bool early = data < scatter->body - scatter->body_before;

    message->head.data = head;
    message->shared.data = scatter->job_data;
    message->shared.bytes = scatter->job_bytes;
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        uint32_t units = floor_units + (port < extra);

        wire_part_store(head + port * WIRE_PART_BYTES, units,
                        scatter->first_unit + position, meta, port);
        message->body[port].data = data;
        message->body[port].bytes = units * unit_bytes + around;
        position += units;
        data += units * unit_bytes;
    }
    if (early ||
        (uint32_t)(scatter->body + scatter->body_bytes - data) < around) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            scatter_clip(scatter, &message->body[port]);
        }
    }
    /* Where not even the floor is a unit, only the first ports send. */
    return circuit_send(scatter->circuit,
                        floor_units > 0 ? 0xfu : (1u << extra) - 1u, message);
}

int pattern_distribute(struct scatter *scatter)
{
    const uint32_t *volume_units = wire_job_volumes(scatter->job_data);
    struct split *split = &scatter->split;
    unsigned phases = scatter->job.phases;
    uint32_t position = scatter->units;
    int error =
        split_volume(split, volume_units, wire_job_shares(scatter->job_data),
                     phases, scatter->layer, scatter->units);

    for (unsigned phase = scatter->layer + 1u;
         error == ERR_OK && phase <= phases; ++phase) {
        uint32_t extra = split_extra(split, phase);

        position -= TORUS_PORTS * volume_units[phase] + extra;
        error =
            queue_phase(scatter, phase, position, volume_units[phase], extra);
    }
    scatter_record(scatter, EVENT_FORWARDED, scatter->layer, scatter->units);
    return error;
}

/* Reads the part and the job that came with it. */
static int take_part(struct scatter *scatter,
                     const struct circuit_delivery *delivery)
{
    const uint8_t *job = delivery->payload + WIRE_PART_BYTES;
    const uint8_t *end = delivery->payload + delivery->bytes;
    struct wire_part part;
    int error = wire_part_load(&part, delivery->payload, delivery->bytes);

    if (error != ERR_OK || part.layer != scatter->layer ||
        part.port != scatter->port || part.round != scatter->round) {
        return error != ERR_OK ? error : ERR_PLACE;
    }
    error = scatter_take_job(scatter, job, (uint32_t)(end - job));
    if (error != ERR_OK || part.layer > scatter->job.phases ||
        part.round >= scatter->job.rounds) {
        return error != ERR_OK ? error : ERR_FIELD;
    }
    if (scatter->round == 0) {
        scatter->circuit->log->events_written = 0; /* of the job before */
    }
    scatter->circuit->job = delivery->job;
    scatter->units = part.units;
    scatter->first_unit = part.first_unit;
    return scatter_take_body(scatter, job + scatter->job_bytes, end);
}

/* Takes one round: what others wait for goes on before anything is computed. */
static int follow_round(struct scatter *scatter)
{
    struct circuit_delivery delivery;
    unsigned ports = probe_ports(scatter);
    int error;

    do {
        error = scatter_take_message(scatter, &delivery, ports);
    } while (error == ERR_OK && delivery.kind != WIRE_PART &&
             (error = probe_serve(scatter, delivery)) == ERR_OK);
    if (error == ERR_OK) {
        error = take_part(scatter, &delivery);
    }
    if (error == ERR_OK) {
        error = pattern_distribute(scatter);
    }
    if (error == ERR_OK && scatter->round == 0) {
        error = scatter_begin_kernel(scatter);
    }
    return error == ERR_OK ? scatter_compute(scatter) : error;
}

int pattern_follow(struct scatter *scatter)
{
    int error;

    while ((error = follow_round(scatter)) == ERR_OK &&
           scatter->round + 1u < scatter->job.rounds) {
        scatter->round += 1;
    }
    if (error == ERR_OK) {
        error = pattern_gather(scatter);
    }
    return error == ERR_OK ? scatter_return_result(scatter) : error;
}
