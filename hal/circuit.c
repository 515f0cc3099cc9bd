/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of the queued-DMA circuit switch, for every board that has one. */
#include "hal/circuit.h"

#include "hal/board.h"
#include "hal/bytes.h"

int circuit_open(struct circuit *circuit, struct window *window,
                 struct clock *clock)
{
    const struct window_identity *identity = &window->identity;

    if (identity->magic != WINDOW_MAGIC ||
        identity->version != WINDOW_VERSION) {
        return ERR_PROTOCOL;
    }
    circuit->window = window;
    circuit->clock = clock;
    circuit->mesh = identity->mesh;
    circuit->job = CIRCUIT_ANY_JOB;
    circuit->side = identity->width > identity->height ? identity->width
                                                       : identity->height;
    clock_start(clock, 0);
    return ERR_OK;
}

/* Whether [at, at + bytes) lies in the DMA part of the window. */
static bool in_window(const struct window *window, const uint8_t *at,
                      uint32_t bytes)
{
    uintptr_t offset = (uintptr_t)at - (uintptr_t)window;

    return offset >= WINDOW_DMA_OFFSET && offset <= window->identity.bytes &&
           bytes <= window->identity.bytes - offset;
}

static uint32_t offset_of(const struct window *window, const uint8_t *at)
{
    return (uint32_t)((uintptr_t)at - (uintptr_t)window);
}

static bool leg_fits(const struct circuit *circuit, const struct torus_path *p)
{
    /* Unsigned wrap makes 0 hops the largest number: one comparison each. */
    return (uint16_t)(p->hops - 1u) < circuit->side &&
           (p->turn == TORUS_STRAIGHT ||
            (uint16_t)(p->hops_after - 1u) < circuit->side);
}

/* Writes one segment of a descriptor; false if it is not in the window. */
static bool describe(const struct window *window,
                     struct window_segment *segment, const uint8_t *data,
                     uint32_t bytes)
{
    segment->offset = offset_of(window, data);
    segment->bytes = bytes;
    return bytes == 0 || in_window(window, data, bytes);
}

int circuit_send(struct circuit *circuit, unsigned port,
                 const struct circuit_message *message)
{
    struct window *window = circuit->window;
    struct window_port *at = &window->port[port];
    struct window_send *send = &at->queue[at->queued % WINDOW_QUEUE];
    const struct circuit_segment *segment = message->segment;
    uint64_t now_ps = clock_now_ps(circuit->clock);
    uint8_t *head = message->head;

    if (port != CIRCUIT_HOST && !leg_fits(circuit, &message->path)) {
        return ERR_NO_ROUTE;
    }
    if (at->queued - at->done >= WINDOW_QUEUE) {
        return ERR_PORT_BUSY;
    }
    if (message->head_bytes < CIRCUIT_HEADER_BYTES ||
        !describe(window, &send->segment[0], head, message->head_bytes) ||
        !describe(window, &send->segment[1], segment[0].data,
                  segment[0].bytes) ||
        !describe(window, &send->segment[2], segment[1].data,
                  segment[1].bytes)) {
        return ERR_BUFFER;
    }
    head[CIRCUIT_AT_VERSION] = CIRCUIT_VERSION;
    head[CIRCUIT_AT_KIND] = message->kind;
    bytes_store_u16(head + CIRCUIT_AT_JOB, circuit->job);
    bytes_store_u32(head + CIRCUIT_AT_MESH, circuit->mesh);
    bytes_store_u32(head + CIRCUIT_AT_LENGTH,
                    message->head_bytes - CIRCUIT_HEADER_BYTES +
                        segment[0].bytes + segment[1].bytes);
    send->ready_ps = message->ready_ps > now_ps ? message->ready_ps : now_ps;
    send->hops = message->path.hops;
    send->hops_after = message->path.hops_after;
    send->turn = message->path.turn;
    at->queued += 1;
    return ERR_OK;
}

/* Asks the switch and sleeps; returns the status of its answer. */
static int ask(struct circuit *circuit, enum window_op op)
{
    struct window *window = circuit->window;

    window->request.op = op;
    window->request.time_ps = clock_stop(circuit->clock);
    window->request.sequence += 1;
    board_ring_and_wait(window);
    clock_start(circuit->clock, window->response.time_ps);
    return window->response.status;
}

/* Whether a header that passed its CRC belongs to this mesh and this job. */
static bool header_fits(const struct circuit *circuit, const uint8_t *header,
                        uint32_t bytes)
{
    return header[CIRCUIT_AT_VERSION] == CIRCUIT_VERSION &&
           bytes_load_u32(header + CIRCUIT_AT_MESH) == circuit->mesh &&
           bytes_load_u32(header + CIRCUIT_AT_LENGTH) ==
               bytes - CIRCUIT_HEADER_BYTES &&
           (circuit->job == CIRCUIT_ANY_JOB ||
            bytes_load_u16(header + CIRCUIT_AT_JOB) == circuit->job);
}

int circuit_receive(struct circuit *circuit, struct circuit_delivery *delivery,
                    unsigned port_mask, uint8_t *buffer,
                    uint32_t capacity_bytes)
{
    struct window *window = circuit->window;
    int status;

    if (!in_window(window, buffer, capacity_bytes)) {
        return ERR_BUFFER;
    }
    window->request.ports = port_mask;
    window->request.offset = offset_of(window, buffer);
    window->request.capacity_bytes = capacity_bytes;
    status = ask(circuit, WINDOW_OP_RECEIVE);
    delivery->payload = buffer + CIRCUIT_HEADER_BYTES;
    delivery->bytes = window->response.bytes - CIRCUIT_HEADER_BYTES;
    delivery->port = (uint8_t)window->response.port;
    delivery->job = bytes_load_u16(buffer + CIRCUIT_AT_JOB);
    delivery->kind = buffer[CIRCUIT_AT_KIND];
    if (status == ERR_OK &&
        !header_fits(circuit, buffer, window->response.bytes)) {
        status = ERR_PROTOCOL;
    }
    return status;
}

int circuit_drain(struct circuit *circuit)
{
    return ask(circuit, WINDOW_OP_DRAIN);
}

void circuit_close(struct circuit *circuit)
{
    struct window *window = circuit->window;

    window->request.op = WINDOW_OP_END;
    window->request.time_ps = clock_stop(circuit->clock);
    window->request.sequence += 1;
    board_ring(window);
}
