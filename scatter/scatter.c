/* SPDX-License-Identifier: Apache-2.0 */
/* What every node does with the volume that it holds. */
#include "scatter/scatter.h"

#include "scatter/relay.h"

#define PS_PER_NS 1000u
#define PS_PER_US 1000000u

/*
 * All that is known of a phase's sends before there is a load. The gap makes
 * the switch wait as long as a node needs that has just received: so all
 * circuits of a phase are set up together, whoever sends.
 */
static void prepare_messages(struct scatter *scatter)
{
    unsigned phases = (unsigned)torus_phases(scatter->size);

    for (unsigned phase = 1; phase <= phases; ++phase) {
        scatter->message[phase] = (struct circuit_message){
            .path = torus_phase_path(scatter->size, phase, TORUS_EAST),
            .kind = WIRE_PART,
            .gap_ps = scatter->costs->parse_ps + scatter->costs->phase_ps,
            .head.bytes = WIRE_PART_BYTES,
            .head_stride = WIRE_PART_BYTES};
    }
}

/* The place in the pattern; in a tree a node learns it with its branch. */
static void take_role(struct scatter *scatter)
{
    const struct window_identity *who = &scatter->window->identity;
    struct torus_coord at = {who->x, who->y};
    struct torus_coord originator = {who->originator_x, who->originator_y};
    struct torus_role role;

    scatter->branch = NULL;
    scatter->layer = at.x != originator.x || at.y != originator.y;
    if (!who->tree) {
        role = torus_role_of(scatter->size, originator, at);
        scatter->layer = role.layer;
        scatter->port = role.port;
        scatter->down = torus_phase_path(scatter->size, role.layer,
                                         (enum torus_port)role.port);
        prepare_messages(scatter);
    }
}

int scatter_init(struct scatter *scatter, struct circuit *circuit,
                 const struct kernel *const kernels[], unsigned kernel_count,
                 const struct scatter_costs *costs)
{
    struct window *window = circuit->window;
    const struct window_identity *who = &window->identity;
    uint8_t *base = (uint8_t *)window;

    scatter->circuit = circuit;
    scatter->window = window;
    scatter->kernels = kernels;
    scatter->kernel_count = (uint8_t)kernel_count;
    scatter->costs = costs;
    scatter->size = (struct torus_size){who->width, who->height};
    if (who->x >= who->width || who->y >= who->height ||
        who->originator_x >= who->width || who->originator_y >= who->height ||
        (!who->tree && torus_phases(scatter->size) < 0)) {
        return ERR_RANGE;
    }
    if (who->bytes < WINDOW_DMA_OFFSET + 2 * sizeof(struct scatter_memory) ||
        who->bytes % 8 != 0) {
        return ERR_MEMORY;
    }
    scatter->memory =
        (struct scatter_memory *)(void *)(base + who->bytes -
                                          sizeof(struct scatter_memory));
    scatter->receive = base + WINDOW_DMA_OFFSET;
    scatter->receive_bytes =
        (uint32_t)((uint8_t *)scatter->memory - scatter->receive);
    scatter->round = 0;
    take_role(scatter);
    return ERR_OK;
}

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
    uint32_t meta = wire_part_meta(phase, scatter->round, scatter->job_bytes);
    uint8_t *head = scatter->memory->head[scatter->round][phase - 1][0];

    message->head.data = head;
    message->shared.data = scatter->job_data;
    message->shared.bytes = scatter->job_bytes;
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        uint32_t units = floor_units + (port < extra);

        wire_part_store(head + port * WIRE_PART_BYTES, units,
                        scatter->first_unit + position, meta, port);
        message->body[port].data = scatter->body + position;
        message->body[port].bytes = units + overlap;
        position += units;
    }
    if (scatter->body_bytes - position < overlap) {
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
    uint32_t rest = scatter->body_bytes - position;
    uint32_t wanted = units + scatter->terms.overlap_bytes;
    struct kernel_range range = {
        .data = scatter->body + position,
        .units = units,
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
        scatter->result.data = scatter->memory->result;
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

int scatter_gather(struct scatter *scatter)
{
    int error = ERR_OK;

    scatter->window->status.state = WINDOW_STATE_GATHERING;
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
    return ERR_OK;
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

static int follow(struct scatter *scatter)
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

int scatter_run(struct scatter *scatter)
{
    bool tree = scatter->window->identity.tree != 0;
    int error;

    if (scatter->layer == 0) {
        error = scatter_lead(scatter);
    } else {
        error = tree ? relay_follow(scatter) : follow(scatter);
    }
    if (error == ERR_OK) {
        scatter_record(scatter, EVENT_DONE, 0, 0);
    }
    return error;
}
