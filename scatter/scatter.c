/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern of a 5^k x 5^k torus: what a node does with the volume that it
   holds, from its receipt to the end of its computing. */
#include "scatter/scatter.h"

void scatter_record(struct scatter *scatter, enum event_kind kind,
                    unsigned detail, uint32_t value)
{
    events_record(scatter->window, clock_now_ps(scatter->circuit->clock), kind,
                  detail, value);
}

/* Where the load ends, ranges have less than the full overlap. */
static void clip_overlap(const struct scatter *scatter,
                         struct circuit_message *message)
{
    const uint8_t *end = scatter->body + scatter->body_bytes;

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        struct circuit_segment *body = &message->body[port];
        uint32_t most = (uint32_t)(end - body->data);

        body->bytes = body->bytes < most ? body->bytes : most;
    }
}

/* Queues the sends of one phase; their ranges begin at `position`. */
static int queue_phase(struct scatter *scatter, unsigned phase,
                       uint32_t position, uint32_t floor_units, uint32_t extra)
{
    struct circuit_message *message = &scatter->message[phase];
    uint32_t overlap = scatter->job.overlap_bytes;
    uint32_t unit_bytes = scatter->job.unit_bytes;
    const uint8_t *data = scatter->body + position * unit_bytes;
    uint32_t meta = wire_part_meta(phase, scatter->round, scatter->job_bytes);
    uint8_t *head = scatter->memory->head[scatter->round][phase - 1][0];

    message->head.data = head;
    message->shared.data = scatter->job_data;
    message->shared.bytes = scatter->job_bytes;
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        uint32_t units = floor_units + (port < extra);

        wire_part_store(head + port * WIRE_PART_BYTES, units,
                        scatter->first_unit + position, meta, port);
        message->body[port].data = data;
        message->body[port].bytes = units * unit_bytes + overlap;
        position += units;
        data += units * unit_bytes;
    }
    if ((uint32_t)(scatter->body + scatter->body_bytes - data) < overlap) {
        clip_overlap(scatter, message);
    }
    /* Where not even the floor is a unit, only the first ports send. */
    return circuit_send(scatter->circuit,
                        floor_units > 0 ? 0xfu : (1u << extra) - 1u, message);
}

/*
 * Splits this node's volume and queues all remaining phases. The node's own
 * range comes first, then those of phase N, N - 1, ...: the order in which
 * the results will come back, so that merging appends.
 */
int scatter_distribute(struct scatter *scatter)
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

/* Stops here if a test asked for it: see enum window_injection. */
static void inject(const struct scatter *scatter)
{
    const volatile uint16_t *injection =
        &scatter->window->identity.fault_injection;

    if (*injection == WINDOW_INJECT_FAULT) {
        __builtin_trap();
    }
    while (*injection == WINDOW_INJECT_HANG) {
    }
}

void scatter_run_kernel(struct scatter *scatter, struct kernel_result *result,
                        uint32_t position, uint32_t units)
{
    uint32_t unit_bytes = scatter->job.unit_bytes;
    uint32_t rest = scatter->body_bytes - position * unit_bytes;
    uint32_t wanted = units * unit_bytes + scatter->terms.overlap_bytes;
    struct kernel_range range = {
        .data = scatter->body + position * unit_bytes,
        .units = units,
        .unit_bytes = unit_bytes,
        .available_bytes = wanted < rest ? wanted : rest,
        .first_unit = (uint64_t)scatter->first_unit + position};
    uint64_t per_1000 = scatter->terms.instructions_per_1000_units;

    scatter->kernel->run(scatter->memory->work, result, &range);
    /* 32 ns an instruction: 32 ps for each unit and instruction in 1000. */
    clock_account(scatter->circuit->clock, units * per_1000 * 32);
}

int scatter_compute(struct scatter *scatter)
{
    uint32_t units = scatter->split.own_units;
    struct kernel_result next = {.data = scatter->memory->incoming};
    int error = KERNEL_OK;

    inject(scatter);
    scatter->window->status.state = WINDOW_STATE_COMPUTING;
    scatter_record(scatter, EVENT_COMPUTE_START, scatter->round, units);
    if (scatter->round == 0) {
        scatter->result.data = scatter_result_room(scatter);
        scatter_run_kernel(scatter, &scatter->result, 0, units);
    } else {
        scatter_run_kernel(scatter, &next, 0, units);
    }
    scatter_record(scatter, EVENT_COMPUTE_END, scatter->round, units);
    if (scatter->round > 0) {
        error = scatter->kernel->merge(scatter->memory->work, &scatter->result,
                                       &next);
    }
    return error == KERNEL_OK ? ERR_OK : ERR_PROTOCOL;
}

/* Reads the part and the job that came with it. */
static int take_part(struct scatter *scatter,
                     const struct circuit_delivery *delivery)
{
    struct wire_part part;
    uint32_t ahead;
    int error = wire_part_load(&part, delivery->payload, delivery->bytes);

    if (error != ERR_OK || delivery->kind != WIRE_PART ||
        part.layer != scatter->layer || part.port != scatter->port ||
        part.round != scatter->round) {
        return ERR_PROTOCOL;
    }
    scatter->circuit->job = delivery->job;
    scatter->job_data = delivery->payload + WIRE_PART_BYTES;
    scatter->job_bytes = part.job_bytes;
    error = wire_job_load(&scatter->job, scatter->job_data, part.job_bytes,
                          part.layer);
    if (error != ERR_OK || scatter->job.kernel >= scatter->kernel_count) {
        return ERR_PROTOCOL;
    }
    scatter->kernel = scatter->kernels[scatter->job.kernel];
    ahead = WIRE_PART_BYTES + part.job_bytes;
    scatter->body = delivery->payload + ahead;
    scatter->body_bytes = delivery->bytes - ahead;
    scatter->units = part.units;
    scatter->first_unit = part.first_unit;
    return part.units <= scatter->body_bytes / scatter->job.unit_bytes
               ? ERR_OK
               : ERR_PROTOCOL;
}

/* Waits for the parent's part of the round at hand, behind what is there. */
static int receive_part(struct scatter *scatter)
{
    struct circuit_delivery delivery;
    int error;

    scatter->window->status.state = WINDOW_STATE_WAITING;
    error = circuit_receive(scatter->circuit, &delivery,
                            1u << torus_path_arrival(scatter->down),
                            scatter->receive, scatter->receive_bytes);
    if (error != ERR_OK) {
        return error;
    }
    scatter->window->status.state = WINDOW_STATE_SCATTERING;
    return take_part(scatter, &delivery);
}

/* The next round lies behind this one, which may still be on its way. */
static void keep_part(struct scatter *scatter)
{
    uint32_t used =
        (uint32_t)(scatter->body + scatter->body_bytes - scatter->receive);

    used = (used + 7u) & ~7u;
    scatter->receive += used;
    scatter->receive_bytes -= used;
    scatter->round += 1;
}

int scatter_begin_kernel(struct scatter *scatter)
{
    int error =
        scatter->kernel->begin(scatter->memory->work, &scatter->terms,
                               scatter->job.arg, scatter->job.arg_bytes);

    return error == KERNEL_OK ? ERR_OK : ERR_ARGUMENT;
}

/* Takes one round: what others wait for goes on before anything is computed. */
static int follow_round(struct scatter *scatter)
{
    int error = receive_part(scatter);

    if (error == ERR_OK) {
        error = scatter_distribute(scatter);
    }
    if (error == ERR_OK && scatter->round == 0) {
        error = scatter_begin_kernel(scatter);
    }
    return error == ERR_OK ? scatter_compute(scatter) : error;
}

int scatter_follow(struct scatter *scatter)
{
    int error = follow_round(scatter);

    while (error == ERR_OK && scatter->round + 1u < scatter->job.rounds) {
        keep_part(scatter);
        error = follow_round(scatter);
    }
    if (error == ERR_OK) {
        error = scatter_gather(scatter);
    }
    return error == ERR_OK ? scatter_return_result(scatter) : error;
}
