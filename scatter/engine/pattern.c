/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/pattern.h"

#include "scatter/engine/probe.h"

/* Queues the sends of one phase. The children's ranges follow each other from
   unit `position` of this node's; `extra` of them get one unit above the floor.
 */
static int queue_phase(struct scatter *scatter, unsigned phase,
                       uint32_t position, uint32_t floor_units, uint32_t extra)
{
    struct circuit_message *message = &scatter->message[phase];
    uint32_t unit_bytes = scatter->job.unit_bytes;
    uint32_t halo_bytes = scatter->job.before_bytes + scatter->job.after_bytes;
    const uint8_t *data =
        scatter->range_data + position * unit_bytes - scatter->job.before_bytes;
    uint32_t place = wire_part_place(phase, 0, scatter->round);
    uint8_t *head = scatter->memory->part_head[scatter->round][phase - 1][0];
    bool early = data < scatter->range_data - scatter->range_before_bytes;

    message->head.data = head;
    message->shared.data = scatter->job_data;
    message->shared.bytes = scatter->job_bytes;
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        uint32_t units = floor_units + (port < extra);

        wire_part_store(head + port * WIRE_PART_BYTES, units,
                        scatter->first_unit + position, place | port << 8);
        message->body[port].data = data;
        message->body[port].bytes = units * unit_bytes + halo_bytes;
        position += units;
        data += units * unit_bytes;
    }
    if (early || (uint32_t)(scatter->range_data + scatter->range_to_end_bytes -
                            data) < halo_bytes) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            scatter_clip_to_load(scatter, &message->body[port]);
        }
    }
    /* With a floor of 0 units only the first `extra` ports send. */
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
static int read_part(struct scatter *scatter,
                     const struct circuit_delivery *delivery)
{
    const uint8_t *job = delivery->payload + WIRE_PART_BYTES;
    const uint8_t *end = delivery->payload + delivery->bytes;
    struct circuit *circuit = scatter->circuit;
    struct wire_part part;
    int error = wire_part_load(&part, delivery->payload, delivery->bytes);

    if (error != ERR_OK) {
        return error;
    }
    if (part.place !=
        wire_part_place(scatter->layer, scatter->parent_port, scatter->round)) {
        return ERR_PLACE;
    }
    error = scatter_read_job(scatter, job, (uint32_t)(end - job));
    if (error != ERR_OK) {
        return error;
    }
    if ((scatter->job.flags & WIRE_FLAGS(WIRE_TABLES, 0xfu)) !=
            WIRE_FLAGS(WIRE_TABLES, WIRE_PATTERN) ||
        scatter->layer > scatter->job.phases ||
        scatter->round >= scatter->job.rounds) {
        return ERR_FIELD;
    }
    if (scatter->round == 0) {
        circuit->log->events_written = 0; /* of the job before */
    }
    circuit->job = delivery->job;
    scatter->units = part.units;
    scatter->first_unit = part.first_unit;
    return scatter_set_range(scatter, job + scatter->job_bytes, end);
}

/* The ports on which the next message may come in: for the first one all, if
   probes may come, else only the parent's. The emulated switch can serve a node
   earlier that waits on one port. */
static unsigned arrival_ports(const struct scatter *scatter)
{
    return scatter->round == 0 && scatter->circuit->node->identity.probed != 0
               ? (1u << TORUS_PORTS) - 1u
               : 1u << torus_path_arrival(scatter->path_from_parent);
}

int pattern_receive(struct scatter *scatter)
{
    struct circuit_delivery delivery;
    int error =
        probe_await(scatter, WIRE_PART, &delivery, arrival_ports(scatter));

    if (error == ERR_OK) {
        error = read_part(scatter, &delivery);
    }
    return error == ERR_OK ? pattern_distribute(scatter) : error;
}
