/* SPDX-License-Identifier: Apache-2.0 */
/* Built for size: a few messages a round. */
#include "scatter/engine/meanwhile.h"

#include "scatter/engine/gather.h"
#include "scatter/engine/pattern.h"

/* Receives the outputs that a child sent at this turn, behind those before. */
static int append(struct scatter *scatter, unsigned phase, uint32_t turn,
                  unsigned *ports)
{
    unsigned kind = WIRE_OUTPUTS_OF(phase);
    struct gather_place place;
    struct circuit_delivery delivery;
    uint32_t bytes = 0;
    int error = scatter_begin_append(scatter, &place, WIRE_OUTPUTS_BYTES);

    if (error != ERR_OK) {
        return error;
    }
    error = circuit_receive(scatter->circuit, &delivery,
                            *ports | CIRCUIT_ONLY(kind), place.at,
                            place.capacity_bytes);
    if (error == ERR_OK) {
        *ports &= ~(1u << delivery.port);
        if (delivery.kind != kind) {
            error = ERR_KIND;
        } else if (delivery.bytes < WIRE_OUTPUTS_BYTES ||
                   delivery.bytes % 4 != 0) {
            error = ERR_LENGTH;
        } else if (bytes_load_u32(delivery.payload) != turn) {
            error = ERR_PLACE;
        } else {
            bytes = delivery.bytes - WIRE_OUTPUTS_BYTES;
        }
    }
    scatter_end_append(scatter, &place, bytes);
    return error;
}

/* Of all four children of a phase. */
static int append_phase(struct scatter *scatter, unsigned phase, uint32_t turn)
{
    unsigned ports = (1u << TORUS_PORTS) - 1u;
    int error = ERR_OK;

    while (error == ERR_OK && ports != 0) {
        error = append(scatter, phase, turn, &ports);
    }
    return error;
}

/* Of all children. */
static int append_all(struct scatter *scatter, uint32_t turn)
{
    int error = ERR_OK;

    for (unsigned phase = scatter->job.phases;
         error == ERR_OK && phase > scatter->layer; --phase) {
        error = append_phase(scatter, phase, turn);
    }
    return error;
}

/* Sends this node's outputs and its children's. */
static int send(struct scatter *scatter, uint32_t turn)
{
    struct circuit_message *result = &scatter->result_message;
    unsigned port = result->path.port;
    uint8_t *head = scatter->memory->report + WIRE_OUTPUTS_BYTES * turn;
    struct circuit_message message = {
        .path = result->path,
        .kind = (uint8_t)WIRE_OUTPUTS_OF(scatter->layer),
        .head = {head, WIRE_OUTPUTS_BYTES},
        .shared = scatter_own_outputs(scatter)};

    bytes_store_u32(head, turn);
    message.body[port].data = scatter->child_outputs;
    message.body[port].bytes = scatter->child_outputs_bytes;
    scatter->outputs_end = scatter->free_to;
    return scatter_send(scatter, 1u << port, &message);
}

/* Receives what children sent at the turn before, and sends that with the own
   outputs. */
static int turn(struct scatter *scatter, uint32_t number)
{
    int error = ERR_OK;

    scatter->child_outputs =
        scatter->free_from + CIRCUIT_HEADER_BYTES + WIRE_OUTPUTS_BYTES;
    scatter->child_outputs_bytes = 0;
    if (number > 1) {
        error = append_all(scatter, number - 1);
    }
    if (scatter->child_outputs_bytes > 0) {
        uintptr_t end =
            (uintptr_t)scatter->child_outputs + scatter->child_outputs_bytes;

        scatter->free_from = (uint8_t *)((end + 7u) & ~(uintptr_t)7u);
    }
    if (error == ERR_OK && scatter->free_from > scatter->free_to) {
        error = ERR_MEMORY;
    }
    return error == ERR_OK ? send(scatter, number) : error;
}

int meanwhile_receive(struct scatter *scatter)
{
    unsigned next = scatter->round + 1u;
    int error = pattern_receive(scatter);

    if (error == ERR_OK) {
        error = turn(scatter, scatter->round);
    }
    if (error == ERR_OK && scatter->layer < scatter->job.phases &&
        next < scatter->job.rounds) {
        circuit_post(scatter->circuit,
                     scatter->pattern.place | wire_part_place(0, 0, next));
    }
    return error;
}

/* What returns before results do. */
static int gather_outputs(struct scatter *scatter)
{
    uint32_t rounds = scatter->job.rounds;
    int error = ERR_OK;

    if (scatter->layer == scatter->job.phases) {
        return ERR_OK;
    }
    if (scatter->layer > 0) {
        error = turn(scatter, rounds);
        scatter_begin_outputs(scatter);
        return error;
    }
    for (uint32_t i = 1; error == ERR_OK && i < rounds; ++i) {
        error = append_all(scatter, i);
    }
    return error;
}

int meanwhile_gather(struct scatter *scatter)
{
    unsigned phases = scatter->job.phases;
    int error;

    scatter_begin_gather(scatter);
    error = gather_outputs(scatter);
    for (unsigned phase = phases; error == ERR_OK && phase > scatter->layer;
         --phase) {
        if (phase < phases) {
            error = append_phase(scatter, phase, scatter->job.rounds);
        }
        if (error == ERR_OK) {
            error = scatter_gather_children(scatter, phase, 0xfu);
        }
    }
    return error;
}
