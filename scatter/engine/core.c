/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern of a 5^k x 5^k torus: what a node does with the volume that it
   holds, from its receipt to the end of its computing. */
#include "scatter/engine/core.h"

#include "scatter/engine/probe.h"

#include <string.h>

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
    most = (uint32_t)(end - body->data);
    body->bytes = body->bytes < most ? body->bytes : most;
}

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

/* Stops here if a test asked for it: see enum node_injection. */
static void inject(const struct scatter *scatter)
{
    const volatile uint16_t *injection =
        &scatter->circuit->node->identity.fault_injection;

    if (*injection == NODE_INJECT_FAULT) {
        __builtin_trap();
    }
    while (*injection == NODE_INJECT_HANG || *injection == NODE_INJECT_DIE) {
    }
}

int scatter_run_kernel(struct scatter *scatter, struct kernel_result *result,
                       uint32_t position, uint32_t units)
{
    const struct kernel_terms *terms = &scatter->terms;
    uint32_t unit_bytes = scatter->job.unit_bytes;
    uint32_t before = scatter->body_before + position * unit_bytes;
    uint32_t after = scatter->body_bytes - (position + units) * unit_bytes;
    struct kernel_range range = {
        .data = scatter->body + position * unit_bytes,
        .units = units,
        .unit_bytes = unit_bytes,
        .before_bytes =
            before < terms->before_bytes ? before : terms->before_bytes,
        .after_bytes = after < terms->after_bytes ? after : terms->after_bytes,
        .first_unit = (uint64_t)scatter->first_unit + position};

    if (scatter_makes_output(terms)) {
        uint32_t room =
            WIRE_CHUNK_BYTES +
            WIRE_PAD4(kernel_output_room(terms, range.first_unit, units));

        if (room > (uint32_t)(scatter->high - scatter->low)) {
            return ERR_MEMORY;
        }
        result->output = scatter->high - room + WIRE_CHUNK_BYTES;
    }
    scatter->kernel->run(scatter->memory->work, result, &range);
    /* 32 ns an instruction: 32 ps for each unit and instruction in 1000. */
    clock_account(scatter->circuit->clock,
                  units * terms->instructions_per_1000_units * 32);
    return ERR_OK;
}

/* Puts a run's output right below those before it. */
static void keep_output(struct scatter *scatter,
                        const struct kernel_result *result)
{
    uint32_t bytes = result->output_bytes;
    uint8_t *at = scatter->high - WIRE_PAD4(bytes);

    if (at != result->output) {
        memmove(at, result->output, bytes);
    }
    at -= WIRE_CHUNK_BYTES;
    bytes_store_u32(at, scatter->first_unit);
    bytes_store_u32(at + 4, bytes);
    scatter->high = at;
}

int scatter_compute(struct scatter *scatter)
{
    uint32_t units = scatter->split.own_units;
    bool first = ROUNDS_MAX == 1 || scatter->round == 0;
    struct kernel_result next = {.data = scatter->memory->incoming};
    struct kernel_result *result = first ? &scatter->result : &next;
    int error;

    scatter->circuit->node->status.state = NODE_STATE_COMPUTING;
    inject(scatter);
    scatter_record(scatter, EVENT_COMPUTE_START, scatter->round, units);
    error = scatter_run_kernel(scatter, result, 0, units);
    scatter_record(scatter, EVENT_COMPUTE_END, scatter->round, units);
    if (error == ERR_OK && scatter_has_output(scatter)) {
        keep_output(scatter, result);
    }
    if (error == ERR_OK && !first) {
        error = scatter_merge(scatter, result);
    }
    return error;
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

    if (error != ERR_OK || job->kernel >= scatter->kernel_count ||
        (!SCATTER_OUTPUTS && (job->flags & WIRE_OUTPUT) != 0)) {
        return ERR_PROTOCOL;
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
               : ERR_PROTOCOL;
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
        return ERR_PROTOCOL;
    }
    error = scatter_take_job(scatter, job, (uint32_t)(end - job));
    if (error != ERR_OK || part.layer > scatter->job.phases ||
        part.round >= scatter->job.rounds) {
        return ERR_PROTOCOL;
    }
    if (scatter->round == 0) {
        scatter->circuit->log->events_written = 0; /* of the job before */
    }
    scatter->circuit->job = delivery->job;
    scatter->units = part.units;
    scatter->first_unit = part.first_unit;
    return scatter_take_body(scatter, job + scatter->job_bytes, end);
}

int scatter_begin_kernel(struct scatter *scatter)
{
    struct kernel_job job = {.arg = scatter->job.arg,
                             .arg_bytes = scatter->job.arg_bytes,
                             .unit_bytes = scatter->job.unit_bytes};

    if (scatter->kernel->begin(scatter->memory->work, &scatter->terms, &job) !=
        KERNEL_OK) {
        return ERR_ARGUMENT;
    }
    return !SCATTER_OUTPUTS && scatter->terms.output_denominator != 0
               ? ERR_ABSENT
               : ERR_OK;
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
        error = scatter_distribute(scatter);
    }
    if (error == ERR_OK && scatter->round == 0) {
        error = scatter_begin_kernel(scatter);
    }
    return error == ERR_OK ? scatter_compute(scatter) : error;
}

int scatter_follow(struct scatter *scatter)
{
    int error;

    while ((error = follow_round(scatter)) == ERR_OK &&
           scatter->round + 1u < scatter->job.rounds) {
        scatter->round += 1;
    }
    if (error == ERR_OK) {
        error = scatter_gather(scatter);
    }
    return error == ERR_OK ? scatter_return_result(scatter) : error;
}
