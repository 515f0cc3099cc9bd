/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/gather.h"

#include "hal/check.h"
#include "hal/hot.h"

#include <string.h>

#define CHECK_FILE CHECK_SCATTER_GATHER

int scatter_breach(struct scatter *scatter, int error, uint32_t bytes,
                   uint32_t promised)
{
    scatter->circuit->node->status.breach = (struct node_breach){
        scatter->first_unit, scatter->range.units, bytes, promised};
    return error;
}

HAL_FAST int scatter_merge(struct scatter *scatter,
                           const struct kernel_result *next)
{
    const struct kernel *kernel = scatter->kernel;
    uint32_t most = scatter->terms.result_bytes_max;

    if (next->bytes > most) {
        return ERR_TERMS;
    }
    if (kernel->merge == NULL) {
        return ERR_OK;
    }
    if (kernel->merge(scatter->memory->work, &scatter->result, next) !=
        KERNEL_OK) {
        return scatter_breach(scatter, ERR_MERGE, next->bytes, most);
    }
    return scatter->result.bytes <= most
               ? ERR_OK
               : scatter_breach(scatter, ERR_RESULT, scatter->result.bytes,
                                most);
}

HAL_FAST int scatter_begin_append(struct scatter *scatter,
                                  struct gather_place *place,
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

HAL_FAST void scatter_end_append(struct scatter *scatter,
                                 const struct gather_place *place,
                                 uint32_t bytes)
{
    memcpy(place->at, place->kept, place->ahead_bytes);
    scatter->child_outputs_bytes += bytes;
    ASSERT(bytes == 0 ||
           scatter->child_outputs + scatter->child_outputs_bytes <=
               scatter->free_to);
}

/* Receives and merges one result. Time counts: four may arrive at once. */
HAL_FAST static inline int merge_one(struct scatter *scatter,
                                     struct circuit_delivery *delivery,
                                     unsigned ports)
{
    struct scatter_memory *memory = scatter->memory;
    int error = circuit_receive(scatter->circuit, delivery, ports,
                                memory->incoming, sizeof memory->incoming);
    struct kernel_result next;

    if (error != ERR_OK) {
        return error;
    }
    next.data = delivery->payload;
    next.bytes = delivery->bytes;
    return scatter_merge(scatter, &next);
}

/* Reads the head: the number `round`, or, if that is 0, a result to merge. */
HAL_FAST static int take_head(struct scatter *scatter,
                              const struct circuit_delivery *delivery,
                              uint32_t head_bytes, uint32_t round)
{
    struct kernel_result next;

    if (delivery->bytes < head_bytes ||
        (delivery->bytes - head_bytes) % 4 != 0) {
        return ERR_LENGTH;
    }
    next.data = delivery->payload + 4;
    next.bytes = bytes_load_u32(delivery->payload);
    if (round > 0) {
        return next.bytes == round ? ERR_OK : ERR_PLACE;
    }
    return scatter_merge(scatter, &next);
}

/* Receives a message, and appends its outputs to those received before. */
HAL_FAST static int append_one(struct scatter *scatter,
                               struct circuit_delivery *delivery,
                               unsigned ports, uint32_t round)
{
    uint32_t head_bytes = round > 0
                              ? WIRE_OUTPUTS_BYTES
                              : scatter_result_head_bytes(&scatter->terms);
    struct gather_place place;
    uint32_t bytes = 0;
    int error = scatter_begin_append(scatter, &place, head_bytes);

    if (error != ERR_OK) {
        return error;
    }
    error = circuit_receive(scatter->circuit, delivery, ports, place.at,
                            place.capacity_bytes);
    if (error == ERR_OK) {
        error = take_head(scatter, delivery, head_bytes, round);
    }
    if (error == ERR_OK) {
        bytes = delivery->bytes - head_bytes;
    }
    scatter_end_append(scatter, &place, bytes);
    return error;
}

/* Receives one message, and takes its port off the mask *ports. */
HAL_FAST static inline int gather_one(struct scatter *scatter, unsigned *ports,
                                      uint32_t round)
{
    struct circuit_delivery delivery;
    int error = scatter_has_output(scatter)
                    ? append_one(scatter, &delivery, *ports, round)
                    : merge_one(scatter, &delivery, *ports);

    if (error == ERR_OK) {
        *ports &= ~(1u << delivery.port);
    }
    return error;
}

HAL_FAST int scatter_gather_any(struct scatter *scatter, unsigned phase,
                                uint32_t count)
{
    int error = ERR_OK;

    for (; error == ERR_OK && count > 0; --count) {
        unsigned ports =
            CIRCUIT_ALL_PORTS | CIRCUIT_ONLY(WIRE_RESULT_OF(phase));

        error = gather_one(scatter, &ports, 0);
    }
    return error;
}

/* Receives one message from each port of the mask `ports`. Not inlined: its
   code is 140 bytes long. */
HAL_FAST __attribute__((noinline)) static int
gather_ports(struct scatter *scatter, unsigned ports, uint32_t round)
{
    int error = ERR_OK;

    while (error == ERR_OK && (ports & CIRCUIT_ALL_PORTS) != 0) {
        error = gather_one(scatter, &ports, round);
    }
    return error;
}

int scatter_gather_outputs(struct scatter *scatter, unsigned phase,
                           uint32_t round)
{
    return gather_ports(
        scatter, CIRCUIT_ALL_PORTS | CIRCUIT_ONLY(WIRE_OUTPUTS_OF(phase)),
        round);
}

HAL_FAST int scatter_gather_children(struct scatter *scatter, unsigned phase,
                                     unsigned ports)
{
    int error =
        gather_ports(scatter, ports | CIRCUIT_ONLY(WIRE_RESULT_OF(phase)), 0);

    if (error == ERR_OK) {
        scatter_record(scatter, EVENT_RESULT_MERGED, phase,
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
    scatter->child_outputs = scatter->free_from + CIRCUIT_HEADER_BYTES +
                             scatter_result_head_bytes(&scatter->terms);
    scatter->child_outputs_bytes = 0;
}

HAL_FAST void scatter_begin_gather(struct scatter *scatter)
{
    scatter_begin_outputs(scatter);
    if (scatter->layer > 0 && !scatter->has_slots) {
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

HAL_FAST struct circuit_segment
scatter_own_outputs(const struct scatter *scatter)
{
    return (struct circuit_segment){
        scatter->free_to, (uint32_t)(scatter->outputs_end - scatter->free_to)};
}

HAL_FAST void scatter_attach_output(struct scatter *scatter,
                                    struct circuit_message *message,
                                    unsigned port)
{
    struct scatter_memory *memory = scatter->memory;

    bytes_store_u32(memory->result_bytes, scatter->result.bytes);
    message->head.data = memory->result_bytes;
    message->head.bytes = scatter_result_head_bytes(&scatter->terms);
    message->shared = scatter_own_outputs(scatter);
    message->body[port].data = scatter->child_outputs;
    message->body[port].bytes = scatter->child_outputs_bytes;
}

HAL_FAST void scatter_prepare_return(struct scatter *scatter)
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
    message->body[port].data = scatter->result.data;
    message->body[port].bytes = scatter->result.bytes;
    if (scatter_has_output(scatter)) {
        scatter_attach_output(scatter, message, port);
    }
    error = circuit_send(scatter->circuit, 1u << port, message);
    scatter_record(scatter, EVENT_RESULT_QUEUED, scatter->layer,
                   scatter->result.bytes);
    return error;
}
