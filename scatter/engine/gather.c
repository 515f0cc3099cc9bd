/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/gather.h"

#include "hal/check.h"
#include "hal/hot.h"
#include "scatter/engine/prove.h"

#include <string.h>

#define CHECK_FILE CHECK_SCATTER_GATHER

int scatter_begin_append(struct scatter *scatter, struct gather_place *place,
                         uint32_t head_bytes)
{
    scatter_check_heap(scatter);
    place->ahead_bytes = CIRCUIT_HEADER_BYTES + head_bytes;
    place->at = scatter->child_outputs + scatter->child_outputs_bytes -
                place->ahead_bytes;
    if (place->ahead_bytes > sizeof place->kept) {
        return ERR_TERMS;
    }
    place->capacity_bytes = (uint32_t)(scatter->free_to - place->at) & ~3u;
    if (place->capacity_bytes < place->ahead_bytes) {
        return ERR_MEMORY;
    }
    memcpy(place->kept, place->at, place->ahead_bytes);
    return ERR_OK;
}

void scatter_end_append(struct scatter *scatter,
                        const struct gather_place *place, uint32_t bytes)
{
    memcpy(place->at, place->kept, place->ahead_bytes);
    scatter->child_outputs_bytes += bytes;
    ASSERT(bytes == 0 ||
           scatter->child_outputs + scatter->child_outputs_bytes <=
               scatter->free_to);
}

/* A receive of messages of children. */
struct gathering {
    const struct gather_from *from;
    struct circuit_delivery delivery;
    unsigned ports;    /* port mask of circuit_receive() */
    uint32_t number;   /* of the result that came: wire_result.number */
    uint32_t round;    /* number of the outputs to receive; 0: a result */
    uint64_t until_ps; /* mesh time at which the receive gives up */
};

/* Merges a result of `bytes` bytes behind its head, unless it lacks too much.
   Sets *rest_bytes to the length of what follows the result. */
__attribute__((noinline)) static int merge_result(struct scatter *scatter,
                                                  struct gathering *gathering,
                                                  uint32_t result_bytes,
                                                  uint32_t *rest_bytes)
{
    const struct circuit_delivery *delivery = &gathering->delivery;
    const struct gather_from *from = gathering->from;
    uint32_t number = from->number + (uint32_t)from->step * delivery->port;
    bool lacks;
    struct kernel_result next = {.data = delivery->payload + WIRE_RESULT_BYTES};
    bool proves = scatter->announced.check_load != 0;
    uint32_t bytes = delivery->bytes - (proves ? WIRE_PROOF_BYTES : 0);
    struct wire_result head;
    int error =
        wire_load(&head, sizeof head, delivery->payload, delivery->bytes);

    if (error != ERR_OK) {
        return error;
    }
    gathering->number = head.number;
    number += head.number;
    lacks = (head.bytes & WIRE_LACKS) != 0;
    next.bytes = head.bytes & ~WIRE_LACKS;
    result_bytes = result_bytes > 0 ? result_bytes : next.bytes;
    *rest_bytes = bytes - WIRE_RESULT_BYTES - result_bytes;
    if (*rest_bytes > delivery->bytes || next.bytes > result_bytes) {
        return ERR_LENGTH;
    }
    if ((proves &&
         !prove_holds(scatter, &head, &next, delivery->payload + bytes)) ||
        (lacks && (head.units == 0 ||
                   !lost_take(scatter, number, delivery->payload + bytes,
                              rest_bytes)))) {
        *rest_bytes = 0; /* taken whole or not at all, with its outputs */
        return lost_add(scatter, number);
    }
    scatter->computed_units += head.units;
    if (proves) {
        scatter->sum += bytes_load_u64(delivery->payload + bytes);
        return prove_merge(scatter, &next);
    }
    return scatter_merge(scatter, &next);
}

/* Receives and merges one result. Time counts: four may arrive at once. So the
   usual result, which lacks nothing, is merged here. */
HAL_FAST static inline int merge_one(struct scatter *scatter,
                                     struct gathering *gathering)
{
    struct scatter_memory *memory = scatter->memory;
    const struct circuit_delivery *delivery = &gathering->delivery;
    const struct wire_result *head;
    uint32_t rest_bytes;
    int error = circuit_receive_until(
        scatter->circuit, &gathering->delivery, gathering->ports,
        memory->incoming, sizeof memory->incoming, gathering->until_ps);

    if (error != ERR_OK) {
        return error;
    }
    head = (const void *)delivery->payload; /* 4-byte aligned, as `incoming` */
    if (delivery->bytes == (uint32_t)WIRE_RESULT_BYTES + head->bytes) {
        const struct kernel_result next = {.data = delivery->payload +
                                                   WIRE_RESULT_BYTES,
                                           .bytes = head->bytes};

        scatter->computed_units += head->units;
        gathering->number = head->number;
        return scatter_merge(scatter, &next);
    }
    error = merge_result(scatter, gathering, 0, &rest_bytes);
    return error == ERR_OK && rest_bytes != 0 ? ERR_LENGTH : error;
}

/* Reads the number of the outputs or the result, and sets *bytes to the length
   of the outputs behind. */
static int take_head(struct scatter *scatter, struct gathering *gathering,
                     uint32_t head_bytes, uint32_t *bytes)
{
    const struct circuit_delivery *delivery = &gathering->delivery;
    int error = ERR_OK;

    if (delivery->bytes < head_bytes) {
        return ERR_LENGTH;
    }
    *bytes = delivery->bytes - head_bytes;
    if (gathering->round == 0) {
        error = merge_result(scatter, gathering, head_bytes - WIRE_RESULT_BYTES,
                             bytes);
    } else if (bytes_load_u32(delivery->payload) != gathering->round) {
        error = ERR_PLACE;
    }
    return error == ERR_OK && *bytes % 4 != 0 ? ERR_LENGTH : error;
}

/* Receives a message, and appends its outputs to those received before. */
static int append_one(struct scatter *scatter, struct gathering *gathering)
{
    uint32_t head_bytes = gathering->round > 0
                              ? WIRE_OUTPUTS_BYTES
                              : scatter_result_head_bytes(&scatter->terms);
    struct gather_place place;
    uint32_t bytes = 0;
    int error = scatter_begin_append(scatter, &place, head_bytes);

    if (error != ERR_OK) {
        return error;
    }
    error = circuit_receive_until(scatter->circuit, &gathering->delivery,
                                  gathering->ports, place.at,
                                  place.capacity_bytes, gathering->until_ps);
    if (error == ERR_OK) {
        error = take_head(scatter, gathering, head_bytes, &bytes);
    }
    scatter_end_append(scatter, &place, error == ERR_OK ? bytes : 0);
    return error;
}

/* Receives one message, and takes its port off the mask. */
HAL_FAST static inline int gather_one(struct scatter *scatter,
                                      struct gathering *gathering)
{
    int error = scatter_has_output(scatter) ? append_one(scatter, gathering)
                                            : merge_one(scatter, gathering);

    if (error == ERR_OK) {
        gathering->ports &= ~(1u << gathering->delivery.port);
    }
    return error;
}

HAL_FAST int scatter_gather_any(struct scatter *scatter, unsigned phase,
                                uint32_t *number, uint64_t until_ps)
{
    const struct gather_from anybody = {.phase = (uint16_t)phase};
    struct gathering gathering = {.from = &anybody,
                                  .ports = CIRCUIT_ALL_PORTS |
                                           CIRCUIT_ONLY(WIRE_RESULT_OF(phase)),
                                  .until_ps = until_ps};
    int error = gather_one(scatter, &gathering);

    *number = gathering.number;
    return error;
}

/* Receives one message from each port of the mask. Asks, later and later, for
   those that do not come. Not inlined: its code is 140 bytes long. */
HAL_FAST __attribute__((noinline)) static int
gather_ports(struct scatter *scatter, struct gathering *gathering)
{
    uint64_t now_ps = clock_now_ps(scatter->circuit->clock);
    uint64_t wait_ps = scatter->wait_ps;
    int error = ERR_OK;

    gathering->until_ps =
        wait_ps + (now_ps > scatter->due_ps ? now_ps : scatter->due_ps);
    if (scatter->lost > 0) {
        gathering->ports &= ~lost_ports(scatter, gathering->from);
    }
    while (error == ERR_OK && (gathering->ports & CIRCUIT_ALL_PORTS) != 0) {
        error = gather_one(scatter, gathering);
        if (error == ERR_FOREIGN && scatter_drops(scatter)) {
            error = ERR_OK;
        } else if (error == ERR_TIMEOUT && wait_ps < scatter->wait_most_ps) {
            error = lost_ask(scatter, gathering->from, &gathering->ports);
            wait_ps *= 2;
            gathering->until_ps =
                clock_now_ps(scatter->circuit->clock) + wait_ps;
        }
    }
    return error;
}

int scatter_gather_outputs(struct scatter *scatter,
                           const struct gather_from *from, uint32_t round)
{
    struct gathering gathering = {
        .from = from,
        .ports = CIRCUIT_ALL_PORTS | CIRCUIT_ONLY(WIRE_OUTPUTS_OF(from->phase)),
        .round = round};

    return gather_ports(scatter, &gathering);
}

HAL_FAST int scatter_gather_children(struct scatter *scatter,
                                     const struct gather_from *from,
                                     unsigned ports)
{
    struct gathering gathering = {
        .from = from,
        .ports = ports | CIRCUIT_ONLY(WIRE_RESULT_OF(from->phase))};
    int error = gather_ports(scatter, &gathering);

    if (error == ERR_OK) {
        scatter_record(scatter, EVENT_RESULT_MERGED, from->phase,
                       scatter->result.bytes);
    }
    return error;
}

HAL_FAST void scatter_read_slots(struct scatter *scatter)
{
    struct wire_slots wire = wire_job_slots(scatter->job_data);
    struct slots slots = {.end_ps = wire.gather_ps,
                          .short_units = wire.short_units,
                          .long_units = wire.long_units,
                          .early_units = wire.early_units,
                          .frames = wire.frames,
                          .phases = scatter->job.phases,
                          .shift = wire.shift};

    lost_expect(scatter, &wire);
    if (wire.short_units == 0) {
        slots.late_units = (uint32_t)(scatter_merges_ps(scatter) >> wire.shift);
    }
    scatter->short_bytes = wire.short_bytes;
    scatter->slots = slots_of_phase(&slots, scatter->layer);
    scatter->has_slots = true;
}

HAL_FAST void scatter_begin_outputs(struct scatter *scatter)
{
    scatter->circuit->node->status.state = NODE_STATE_GATHERING;
    if (scatter->announced.check_load != 0) {
        prove_argument(scatter);
    }
    scatter->child_outputs = scatter->free_from + CIRCUIT_HEADER_BYTES +
                             scatter_result_head_bytes(&scatter->terms);
    scatter->child_outputs_bytes = 0;
}

HAL_FAST void scatter_begin_gather(struct scatter *scatter)
{
    scatter_begin_outputs(scatter);
    if (!scatter->has_slots) {
        scatter_read_slots(scatter);
    }
}

/* Returns the mesh time, ps, when the result may leave; 0: at once. */
HAL_FAST static uint64_t slot_at(const struct scatter *scatter, uint64_t now_ps)
{
    if (!scatter->has_slots) {
        return 0;
    }
    if (scatter_has_output(scatter)) {
        return scatter->slots.end_ps +
               wire_job_result_ps(scatter->job_data, scatter->layer);
    }
    return slots_next_ps(&scatter->slots,
                         now_ps + scatter->costs->result_queue_ps,
                         scatter->result.bytes <= scatter->short_bytes);
}

struct circuit_segment scatter_own_outputs(const struct scatter *scatter)
{
    return (struct circuit_segment){
        scatter->free_to, (uint32_t)(scatter->outputs_end - scatter->free_to)};
}

void scatter_attach_output(struct scatter *scatter,
                           struct circuit_message *message, unsigned port)
{
    message->head.bytes = scatter_result_head_bytes(&scatter->terms);
    message->shared = scatter_own_outputs(scatter);
    message->body[port].data = scatter->child_outputs;
    message->body[port].bytes = scatter->child_outputs_bytes;
}

void scatter_prepare_return(struct scatter *scatter)
{
    scatter->result_message = (struct circuit_message){
        .path = torus_path_reverse(scatter->path_from_parent),
        .kind = (uint8_t)WIRE_RESULT_OF(scatter->layer)};
}

HAL_FAST int scatter_return_result(struct scatter *scatter)
{
    struct circuit_message *message = &scatter->result_message;
    unsigned port = message->path.port;
    int error;

    message->ready_ps = slot_at(scatter, clock_now_ps(scatter->circuit->clock));
    scatter->memory->head =
        (struct wire_result){.bytes = (uint16_t)scatter->result.bytes,
                             .number = scatter->number,
                             .units = scatter->computed_units};
    message->head.data = (const uint8_t *)&scatter->memory->head;
    message->head.bytes = WIRE_RESULT_BYTES + scatter->result.bytes;
    if (scatter_has_output(scatter)) {
        scatter_attach_output(scatter, message, port);
    }
    if (scatter->lost > 0) {
        scatter->memory->head.bytes |= WIRE_LACKS;
    }
    if (scatter->lost > 0 || scatter->announced.check_load != 0) {
        lost_attach(scatter, message, port);
    }
    error = circuit_send(scatter->circuit, 1u << port, message);
    scatter_record(scatter, EVENT_RESULT_QUEUED, scatter->layer,
                   scatter->result.bytes);
    return error;
}
