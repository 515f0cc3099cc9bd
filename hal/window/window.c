/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of the queued-DMA circuit switch, for all boards that have it. */
#include "hal/window/window.h"

#include "hal/board.h"
#include "hal/bytes.h"
#include "hal/check.h"
#include "hal/rows.h"

#define CHECK_FILE CHECK_WINDOW

int circuit_open(struct circuit *circuit, void *board, struct clock *clock)
{
    struct window *window = board;
    const struct node_identity *identity = &window->node.identity;

    /* Sets all fields even before an error, so that circuit_close() works. */
    circuit->board = window;
    circuit->node = &window->node;
    circuit->log = &window->log;
    circuit->memory = (uint8_t *)window + WINDOW_DMA_OFFSET;
    circuit->memory_bytes = 0;
    circuit->aside = NULL;
    circuit->aside_bytes = 0;
    circuit->clock = clock;
    circuit->mesh = identity->mesh;
    circuit->job = CIRCUIT_ANY_JOB;
    circuit->side =
        identity->width > identity->height ? identity->width : identity->height;
    clock_start(clock, 0);
    if (identity->magic != WINDOW_MAGIC ||
        identity->version != WINDOW_VERSION) {
        return ERR_VERSION;
    }
    if (identity->bytes < WINDOW_DMA_OFFSET || identity->bytes % 8 != 0) {
        return ERR_MEMORY;
    }
    circuit->memory_bytes = identity->bytes - WINDOW_DMA_OFFSET;
    return ERR_OK;
}

static uint32_t offset_of(const void *base, const uint8_t *at)
{
    return (uint32_t)((uintptr_t)at - (uintptr_t)base);
}

static bool legs_fit(const struct circuit *circuit, const struct torus_path *p)
{
    /* hops - 1 wraps for 0 hops, so one comparison checks 1 <= hops <= side. */
    return (uint16_t)(p->hops - 1u) < circuit->side &&
           (p->turn == TORUS_STRAIGHT ||
            (uint16_t)(p->hops_after - 1u) < circuit->side);
}

/* Only the switch checks the bounds. */
static inline void describe(const struct window *window,
                            struct window_segment *segment,
                            const struct circuit_segment *from)
{
    segment->offset = offset_of(window, from->data);
    segment->bytes = from->bytes;
}

/* Result: NULL if the queue is full. */
static inline union window_entry *next_entry(struct window *window)
{
    return window->queued - window->done < WINDOW_QUEUE
               ? &window->entry[window->queued % WINDOW_QUEUE]
               : NULL;
}

int circuit_send(struct circuit *circuit, unsigned ports,
                 const struct circuit_message *message)
{
    struct window *window = circuit->board;
    union window_entry *entry = next_entry(window);
    struct window_send *send;
    uint64_t now_ps;

    if (ports < 1u << CIRCUIT_HOST && !legs_fit(circuit, &message->path)) {
        return ERR_NO_ROUTE;
    }
    if (entry == NULL) {
        return ERR_PORT_BUSY;
    }
    send = &entry->send;
    describe(window, &send->head, &message->head);
    describe(window, &send->shared, &message->shared);
#pragma GCC unroll 4
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        describe(window, &send->body[port], &message->body[port]);
    }
    send->gap_ps = message->gap_ps;
    send->ports = (uint8_t)ports;
    send->form = 0;
    send->hops = message->path.hops;
    send->hops_after = message->path.hops_after;
    send->turn = message->path.turn;
    send->kind = message->kind;
    send->job = circuit->job;
    send->head_stride = message->head_stride;
    now_ps = clock_now_ps(circuit->clock);
    send->ready_ps = message->ready_ps > now_ps ? message->ready_ps : now_ps;
    window->queued += 1;
    return ERR_OK;
}

int circuit_prepare(struct circuit *circuit, unsigned form,
                    const struct circuit_message *message)
{
    struct window *window = circuit->board;

    ASSERT(form > 0 && form < CIRCUIT_FORMS);
    if (!legs_fit(circuit, &message->path)) {
        return ERR_NO_ROUTE;
    }
    window->form[form] =
        (struct window_form){.hops = message->path.hops,
                             .hops_after = message->path.hops_after,
                             .turn = message->path.turn,
                             .kind = message->kind};
    return ERR_OK;
}

int circuit_send_rows(struct circuit *circuit, const struct circuit_cut *cut,
                      const struct circuit_rows *rows)
{
    struct window *window = circuit->board;
    union window_entry *entry = next_entry(window);
    struct window_rows *to;

    if (entry == NULL) {
        return ERR_PORT_BUSY;
    }
    ASSERT(cut->form > 0 && cut->last_form < CIRCUIT_FORMS);
    to = &entry->rows;
    describe(window, &to->shared, &rows->shared);
    to->begin = offset_of(window, rows->begin);
    to->end = offset_of(window, rows->end);
    to->offset = offset_of(window, rows->data);
    to->volumes = offset_of(window, (const uint8_t *)rows->volume_units);
    to->extra_units = rows->extra_units;
    to->label = rows->label;
    to->units = rows->units;
    to->first_unit = rows->first_unit;
    to->cut = *cut;
    to->ready_ps = clock_now_ps(circuit->clock);
    window->queued += 1;
    return ERR_OK;
}

void circuit_expect(struct circuit *circuit, const struct circuit_cut *cut)
{
    struct window *window = circuit->board;

    window->post.cut = *cut;
}

void circuit_post(struct circuit *circuit, uint32_t label)
{
    struct window *window = circuit->board;

    window->post.label = label;
    window->post.ready_ps = clock_now_ps(circuit->clock);
    window->post.number += 1;
}

/* Tells how much stack was used. Precondition: the clock stands, as this takes
   9,000 instructions. */
static void tell_stack(struct window *window)
{
    window->node.status.stack_bytes = board_stack_bytes();
    window->node.status.stack_used_bytes = board_stack_used_bytes();
}

/* Result: enum err of the switch's answer. */
static int ask(struct circuit *circuit, enum window_op op)
{
    struct window *window = circuit->board;

    window->request.op = op;
    window->request.time_ps = clock_stop(circuit->clock);
    window->request.sequence += 1;
    if (circuit->job == CIRCUIT_ANY_JOB) {
        tell_stack(window); /* the node is at rest, between two jobs */
    }
    board_ring_and_wait(window);
    ASSERT(window->response.sequence == window->request.sequence);
    clock_start(circuit->clock, window->response.time_ps);
    return window->response.status;
}

__attribute__((always_inline)) static inline int
receive(struct circuit *circuit, struct circuit_delivery *delivery,
        unsigned ports, uint8_t *buffer, uint32_t capacity_bytes,
        enum window_op op)
{
    struct window *window = circuit->board;
    int status;

    window->request.ports = ports;
    window->request.offset = offset_of(window, buffer);
    window->request.capacity_bytes = capacity_bytes;
    window->request.job = circuit->job;
    status = ask(circuit, op);
    delivery->payload = buffer + CIRCUIT_HEADER_BYTES;
    delivery->bytes = window->response.bytes - CIRCUIT_HEADER_BYTES;
    if (status != ERR_OK) {
        /* The buffer is not read: it may lie outside of the window. */
        int damage = circuit_complete(circuit);

        return damage == ERR_OK ? status : damage;
    }
    delivery->port = (uint8_t)window->response.port;
    delivery->job = bytes_load_u16(buffer + CIRCUIT_AT_JOB);
    delivery->kind = buffer[CIRCUIT_AT_KIND];
    return bytes_load_u32(buffer + CIRCUIT_AT_MESH) == circuit->mesh
               ? ERR_OK
               : ERR_FOREIGN;
}

int circuit_receive(struct circuit *circuit, struct circuit_delivery *delivery,
                    unsigned ports, uint8_t *buffer, uint32_t capacity_bytes)
{
    return receive(circuit, delivery, ports, buffer, capacity_bytes,
                   WINDOW_OP_RECEIVE);
}

int circuit_receive_until(struct circuit *circuit,
                          struct circuit_delivery *delivery, unsigned ports,
                          uint8_t *buffer, uint32_t capacity_bytes,
                          uint64_t deadline_ps)
{
    struct window *window = circuit->board;

    window->request.deadline_ps = deadline_ps;
    return receive(circuit, delivery, ports, buffer, capacity_bytes,
                   WINDOW_OP_RECEIVE_UNTIL);
}

/* Does nothing: the switch keeps messages until they are received. */
int circuit_receive_ahead(struct circuit *circuit, unsigned ports,
                          uint8_t *buffer, uint32_t capacity_bytes)
{
    (void)circuit;
    (void)ports;
    (void)buffer;
    (void)capacity_bytes;
    return ERR_OK;
}

int circuit_complete(struct circuit *circuit)
{
    const struct window *window = circuit->board;

    if (window->response.head_only == 0) {
        return ERR_OK;
    }
    ASSERT(window->response.complete_ps >= window->response.time_ps);
    if (clock_now_ps(circuit->clock) < window->response.complete_ps) {
        clock_start(circuit->clock, window->response.complete_ps);
    }
    return window->response.complete_status;
}

int circuit_drain(struct circuit *circuit)
{
    const struct window *window = circuit->board;

    ASSERT(window->queued - window->done <= WINDOW_QUEUE);
    return ask(circuit, WINDOW_OP_DRAIN);
}

bool circuit_failed(struct circuit *circuit, struct circuit_failure *failure)
{
    struct window *window = circuit->board;

    if (window->taken == window->failed) {
        return false;
    }
    *failure = window->failure[window->taken % WINDOW_FAILURES];
    window->taken += 1;
    return true;
}

int circuit_ask(struct circuit *circuit, unsigned ports, struct torus_path path,
                unsigned *lost)
{
    const struct circuit_message question = {.path = path,
                                             .kind = CIRCUIT_KIND_ASK};
    const struct window *window = circuit->board;
    int error = circuit_drain(circuit);

    *lost = 0;
    if (error == ERR_OK || error == ERR_DEAD_LINK) {
        error = circuit_send(circuit, ports, &question);
    }
    if (error == ERR_OK) {
        error = circuit_drain(circuit);
    }
    for (uint32_t i = window->taken; i != window->failed; ++i) {
        const struct circuit_failure *failure =
            &window->failure[i % WINDOW_FAILURES];

        if (failure->job == circuit->job &&
            circuit_is_turned(failure->path, path)) {
            *lost |= 1u << failure->path.port;
        }
    }
    *lost &= ports;
    return error == ERR_DEAD_LINK ? ERR_OK : error;
}

/* Does nothing: a circuit ends with its message. */
int circuit_settle(struct circuit *circuit)
{
    (void)circuit;
    return ERR_OK;
}

int circuit_quiet(struct circuit *circuit)
{
    (void)circuit;
    return ERR_OK;
}

uint32_t circuit_ports_us(const struct circuit *circuit)
{
    (void)circuit;
    return 0;
}

void circuit_close(struct circuit *circuit)
{
    struct window *window = circuit->board;

    window->request.op = WINDOW_OP_END;
    window->request.time_ps = clock_stop(circuit->clock);
    window->request.sequence += 1;
    tell_stack(window);
    board_ring(window);
}
