/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/meanwhile.h"

#include "scatter/engine/gather.h"
#include "scatter/engine/pattern.h"

static int gather_round(struct scatter *scatter, uint32_t round)
{
    int error = ERR_OK;

    for (unsigned phase = scatter->job.phases;
         error == ERR_OK && phase > scatter->layer; --phase) {
        const struct gather_from from = pattern_children(scatter, phase);

        error = scatter_gather_outputs(scatter, &from, round);
    }
    return error;
}

static int send(struct scatter *scatter, uint32_t round)
{
    struct circuit_message *result = &scatter->result_message;
    unsigned port = result->path.port;
    uint8_t *head = scatter->memory->report + WIRE_OUTPUTS_BYTES * round;
    struct circuit_message message = {
        .path = result->path,
        .kind = (uint8_t)WIRE_OUTPUTS_OF(scatter->layer),
        .head = {head, WIRE_OUTPUTS_BYTES},
        .shared = scatter_own_outputs(scatter)};

    bytes_store_u32(head, round);
    message.body[port].data = scatter->child_outputs;
    message.body[port].bytes = scatter->child_outputs_bytes;
    scatter->outputs_end = scatter->free_to;
    return scatter_send(scatter, 1u << port, &message);
}

/* free_from moves behind received outputs: the switch sends them from there. */
static int pass_on(struct scatter *scatter, uint32_t round)
{
    int error = ERR_OK;

    scatter->child_outputs =
        scatter->free_from + CIRCUIT_HEADER_BYTES + WIRE_OUTPUTS_BYTES;
    scatter->child_outputs_bytes = 0;
    if (round > 1) {
        error = gather_round(scatter, round - 1);
    }
    if (scatter->child_outputs_bytes > 0) {
        uintptr_t end =
            (uintptr_t)scatter->child_outputs + scatter->child_outputs_bytes;

        scatter->free_from = (uint8_t *)((end + 7u) & ~(uintptr_t)7u);
    }
    if (error == ERR_OK && scatter->free_from > scatter->free_to) {
        error = ERR_MEMORY;
    }
    return error == ERR_OK ? send(scatter, round) : error;
}

int meanwhile_receive(struct scatter *scatter)
{
    unsigned next = scatter->round + 1u;
    int error = pattern_receive(scatter);

    if (error == ERR_OK) {
        error = pass_on(scatter, scatter->round);
    }
    if (error == ERR_OK && scatter->layer < scatter->job.phases &&
        next < scatter->job.rounds) {
        pattern_post(scatter, next);
    }
    return error;
}

int meanwhile_gather(struct scatter *scatter)
{
    unsigned phases = scatter->job.phases;
    uint32_t rounds = scatter->job.rounds;
    int error = ERR_OK;

    scatter_begin_gather(scatter);
    if (scatter->layer > 0 && scatter->layer < phases) {
        error = pass_on(scatter, rounds);
        scatter_begin_outputs(scatter);
    }
    /* The originator gets no parts, and so has received no outputs yet. */
    for (uint32_t round = 1;
         error == ERR_OK && scatter->layer == 0 && round < rounds; ++round) {
        error = gather_round(scatter, round);
    }
    for (unsigned phase = phases; error == ERR_OK && phase > scatter->layer;
         --phase) {
        const struct gather_from from = pattern_children(scatter, phase);

        if (phase < phases) { /* the last layer sends none */
            error = scatter_gather_outputs(scatter, &from, rounds);
        }
        if (error == ERR_OK) {
            error = scatter_gather_children(scatter, &from, CIRCUIT_ALL_PORTS);
        }
    }
    return error;
}
