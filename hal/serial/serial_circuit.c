/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits (hal/circuit.h) over serial lines, and the host's port: the console
   and errands (hal/serial/errand.h). */
#include "hal/serial/internal.h"

#include "hal/check.h"

#include <string.h>

#define CHECK_FILE CHECK_SERIAL_CIRCUIT

static_assert(CIRCUIT_KIND_MAX < SWITCH_PEEK && SWITCH_PEEK < SWITCH_PING,
              "a message is none of the switch's own");

/* Longest time until a circuit is released, us: 20 hops, 0.1 ms each. */
#define SETTLE_US 2000u

/* Masks interrupts: a handler may run the console. */
static int offer_to_console(struct circuit *circuit,
                            const struct circuit_message *message)
{
    struct serial_circuit *serial = circuit->board;
    const struct circuit_segment segments[] = {message->head, message->shared,
                                               message->body[0]};

    if (serial->mailbox->out != MAILBOX_EMPTY) {
        return ERR_PORT_BUSY;
    }
    board_lock();
    mailbox_offer(serial->mailbox, segments, message->kind, circuit->job);
    board_unlock();
    return ERR_OK;
}

static int tell_console(struct circuit *circuit,
                        const struct circuit_message *message)
{
    int error = offer_to_console(circuit, message);

    return error == ERR_OK ? circuit_drain(circuit) : error;
}

static int receive_from_console(struct circuit *circuit,
                                struct circuit_delivery *delivery,
                                uint8_t *buffer, uint32_t capacity_bytes)
{
    struct serial_circuit *serial = circuit->board;
    struct mailbox *mailbox = serial->mailbox;
    int error = ERR_OK;

    ASSERT(capacity_bytes >= CIRCUIT_HEADER_BYTES);
    mailbox_open(mailbox, buffer + CIRCUIT_HEADER_BYTES,
                 capacity_bytes - CIRCUIT_HEADER_BYTES);
    while (error == ERR_OK && mailbox->in != MAILBOX_FULL) {
        error = serial_wait_a_little(circuit);
    }
    mailbox_close(mailbox);
    delivery->payload = buffer + CIRCUIT_HEADER_BYTES;
    delivery->bytes = mailbox->announced_bytes;
    delivery->port = CIRCUIT_HOST;
    delivery->job = mailbox->in_job;
    delivery->kind = mailbox->in_kind;
    clock_start(circuit->clock, clock_stop(circuit->clock));
    return error;
}

/* Result: false if the errand's path does not exist in this mesh. */
static bool read_path(const struct circuit *circuit, const uint8_t *errand,
                      struct torus_path *path)
{
    const struct node_identity *identity = &circuit->node->identity;

    *path = serial_errand_path(errand);
    return torus_path_valid(
        (struct torus_size){identity->width, identity->height}, *path);
}

/* Sends `data` along the path of the errand at its end, and waits. */
static int pass_on(struct circuit *circuit, const uint8_t *data, uint32_t bytes,
                   uint16_t job)
{
    struct circuit_message message = {.kind = SERIAL_ERRAND,
                                      .shared = {data, bytes}};
    int error = ERR_NO_ROUTE;

    if (read_path(circuit, data + bytes - SERIAL_ERRAND_BYTES, &message.path)) {
        error = serial_send_on_port(circuit, message.path.port, &message, NULL,
                                    job);
    }
    return error == ERR_OK ? circuit_drain(circuit) : error;
}

/* Sets *back to the path to the errand's sender. Result: 0; ERR_FIELD: another
   errand came, or its path is not valid. */
static int await_errand(struct circuit *circuit, enum serial_errand errand,
                        struct torus_path *back)
{
    struct serial_circuit *serial = circuit->board;
    unsigned ports = CIRCUIT_ALL_PORTS | CIRCUIT_ONLY(SERIAL_ERRAND);
    struct circuit_delivery delivery;
    int error = serial_receive_until(circuit, &delivery, ports, serial->errand,
                                     sizeof serial->errand, UINT64_MAX);

    if (error != ERR_OK) {
        return error;
    }
    if (delivery.bytes != SERIAL_ERRAND_BYTES ||
        delivery.payload[SERIAL_ERRAND_AT] != errand ||
        !read_path(circuit, delivery.payload, back)) {
        return ERR_FIELD;
    }
    *back = torus_path_reverse(*back);
    return ERR_OK;
}

/* `status`: enum err of an errand. `done`: number of errands before it. */
static int answer(struct circuit *circuit, int status, uint32_t done)
{
    struct serial_circuit *serial = circuit->board;
    const struct circuit_message message = {
        .kind = SERIAL_ERRAND, .head = {serial->answer, SERIAL_ANSWER_BYTES}};

    bytes_store_u32(serial->answer, (uint32_t)status);
    bytes_store_u32(serial->answer + 4, done);
    return tell_console(circuit, &message);
}

/* `errand` lies in `buffer`, which the report overwrites. */
static int fetch(struct circuit *circuit, const uint8_t *errand, uint16_t job,
                 uint8_t *buffer, uint32_t capacity_bytes)
{
    unsigned port = serial_errand_path(errand).port;
    struct circuit_message message = {.kind = SERIAL_REPORT};
    struct circuit_delivery report;
    int error = pass_on(circuit, errand, SERIAL_ERRAND_BYTES, job);

    if (error == ERR_OK) {
        error = serial_receive_until(circuit, &report,
                                     1u << port | CIRCUIT_ONLY(SERIAL_REPORT),
                                     buffer, capacity_bytes, UINT64_MAX);
    }
    if (error != ERR_OK) {
        return answer(circuit, error, 0);
    }
    message.head = (struct circuit_segment){report.payload, report.bytes};
    return tell_console(circuit, &message);
}

/* Carries out the message's errands, the last one first, and answers the host.
   After the errand LEAD, *delivery is the order, and there is no answer. */
static int serve(struct circuit *circuit, struct circuit_delivery *delivery,
                 uint8_t *buffer, uint32_t capacity_bytes)
{
    uint16_t job = delivery->job;
    uint32_t done = 0;
    int error = ERR_OK;

    for (; error == ERR_OK; ++done) {
        const uint8_t *end = delivery->payload + delivery->bytes;
        const uint8_t *errand = end - SERIAL_ERRAND_BYTES;

        if (delivery->bytes < SERIAL_ERRAND_BYTES) {
            return answer(circuit, ERR_LENGTH, done);
        }
        switch (errand[SERIAL_ERRAND_AT]) {
        case SERIAL_ERRAND_ORDER:
            error = pass_on(circuit, delivery->payload, delivery->bytes, job);
            return answer(circuit, error, done);
        case SERIAL_ERRAND_FETCH:
            return fetch(circuit, errand, job, buffer, capacity_bytes);
        case SERIAL_ERRAND_START:
            error = pass_on(circuit, errand, SERIAL_ERRAND_BYTES, job);
            break;
        case SERIAL_ERRAND_LEAD:
            delivery->kind = errand[SERIAL_ERRAND_AT_KIND];
            break;
        default:
            return answer(circuit, ERR_FIELD, done);
        }
        delivery->bytes -= SERIAL_ERRAND_BYTES;
        if (delivery->kind != SERIAL_ERRAND) {
            return ERR_OK;
        }
    }
    return answer(circuit, error, done - 1u);
}

static int recall_order(const struct circuit *circuit,
                        struct circuit_delivery *delivery,
                        const uint8_t *buffer)
{
    const struct serial_circuit *serial = circuit->board;

    ASSERT(serial->order_bytes < circuit->memory_bytes);
    *delivery = (struct circuit_delivery){.payload = circuit->memory +
                                                     CIRCUIT_HEADER_BYTES,
                                          .bytes = serial->order_bytes,
                                          .job = serial->order_job,
                                          .port = CIRCUIT_HOST,
                                          .kind = serial->order_kind};
    return buffer == circuit->memory ? ERR_OK : ERR_BUFFER;
}

/* Receives the node's order from the console; carries out errands before it. */
static int receive_order(struct circuit *circuit,
                         struct circuit_delivery *delivery, uint8_t *buffer,
                         uint32_t capacity_bytes)
{
    int error;

    do {
        error = receive_from_console(circuit, delivery, buffer, capacity_bytes);
        if (error == ERR_OK && delivery->kind == SERIAL_ERRAND) {
            error = serve(circuit, delivery, buffer, capacity_bytes);
        }
    } while (error == ERR_OK && delivery->kind == SERIAL_ERRAND);
    return error;
}

/* The order does not set this clock: the other nodes follow it. */
static int receive_from_host(struct circuit *circuit,
                             struct circuit_delivery *delivery, uint8_t *buffer,
                             uint32_t capacity_bytes)
{
    struct serial_circuit *serial = circuit->board;
    struct torus_path back;
    int error = serial->ordered == SERIAL_ORDERED_BY_MESH
                    ? recall_order(circuit, delivery, buffer)
                    : receive_order(circuit, delivery, buffer, capacity_bytes);

    if (error == ERR_OK) {
        (void)serial_sets_clock(serial, delivery);
    }
    return error == ERR_OK && serial->ordered != SERIAL_NOT_ORDERED
               ? await_errand(circuit, SERIAL_ERRAND_START, &back)
               : error;
}

static int send_to_host(struct circuit *circuit,
                        const struct circuit_message *message)
{
    const struct serial_circuit *serial = circuit->board;
    struct circuit_message report = *message;
    int error;

    if (serial->ordered != SERIAL_ORDERED_BY_MESH) {
        return offer_to_console(circuit, message);
    }
    circuit->job = CIRCUIT_ANY_JOB; /* the job is over */
    error = await_errand(circuit, SERIAL_ERRAND_FETCH, &report.path);
    if (error != ERR_OK) {
        return error;
    }
    ASSERT(report.path.port < TORUS_PORTS);
    report.kind = SERIAL_REPORT;
    report.head_stride = 0;
    report.body[report.path.port] = message->body[0];
    return serial_send_on_port(circuit, report.path.port, &report, NULL,
                               circuit->job);
}

int circuit_open(struct circuit *circuit, void *board, struct clock *clock)
{
    struct serial_circuit *serial = board;
    const struct node_identity *identity = &serial->node->identity;

    circuit->board = serial;
    circuit->node = serial->node;
    circuit->log = serial->log;
    circuit->clock = clock;
    circuit->memory = serial->memory;
    circuit->memory_bytes = serial->memory_bytes;
    circuit->aside = serial->aside;
    circuit->aside_bytes = serial->aside_bytes;
    circuit->mesh = identity->mesh;
    circuit->job = CIRCUIT_ANY_JOB;
    circuit->side =
        identity->width > identity->height ? identity->width : identity->height;
    memset(serial->form, 0, sizeof serial->form);
    memset(serial->send, 0, sizeof serial->send);
    memset(serial->receive, 0, sizeof serial->receive); /* SWITCH_IDLE */
    serial->sends = 0;
    serial->is_posted = false;
    serial->first_error = ERR_OK;
    serial->dead_ways = 0;
    serial->failed = 0;
    serial->taken = 0;
    clock_start(clock, 0);
    return ERR_OK;
}

/* Does nothing: messages are delivered whole. */
int circuit_complete(struct circuit *circuit)
{
    (void)circuit;
    return ERR_OK;
}

/* Waits for all sends: each would slow down the work that is measured next. */
int circuit_quiet(struct circuit *circuit)
{
    int error = circuit_drain(circuit);

    return error == ERR_DEAD_LINK ? ERR_OK : error;
}

uint32_t circuit_ports_us(const struct circuit *circuit)
{
    (void)circuit;
    return board_ports_us();
}

int circuit_settle(struct circuit *circuit)
{
    uint64_t since_ps = clock_now_ps(circuit->clock);
    int error = ERR_OK;

    while (error == ERR_OK && clock_now_ps(circuit->clock) - since_ps <
                                  (uint64_t)SETTLE_US * CLOCK_PS_PER_US) {
        error = serial_wait_a_little(circuit);
    }
    return error;
}

void circuit_close(struct circuit *circuit)
{
    struct serial_circuit *serial = circuit->board;

    serial_take_back(serial);
    /* Drops sends that have not ended: the next job overwrites their memory. */
    if (circuit_drain(circuit) != ERR_OK) {
        board_lock();
        switch_reset(serial->core);
        board_unlock();
    }
}

int circuit_send(struct circuit *circuit, unsigned ports,
                 const struct circuit_message *message)
{
    int error = ERR_OK;

    if ((ports & 1u << CIRCUIT_HOST) != 0) {
        return send_to_host(circuit, message);
    }
    for (unsigned port = 0; error == ERR_OK && port < TORUS_PORTS; ++port) {
        if ((ports & 1u << port) != 0) {
            error =
                serial_send_on_port(circuit, port, message, NULL, circuit->job);
        }
    }
    return error;
}

int circuit_receive(struct circuit *circuit, struct circuit_delivery *delivery,
                    unsigned ports, uint8_t *buffer, uint32_t capacity_bytes)
{
    return circuit_receive_until(circuit, delivery, ports, buffer,
                                 capacity_bytes, UINT64_MAX);
}

int circuit_receive_until(struct circuit *circuit,
                          struct circuit_delivery *delivery, unsigned ports,
                          uint8_t *buffer, uint32_t capacity_bytes,
                          uint64_t deadline_ps)
{
    if ((ports >> 8 & 0xffu) == CIRCUIT_KIND_ASK) {
        return ERR_KIND;
    }
    if (!serial_is_buffer(circuit, buffer, capacity_bytes)) {
        return ERR_BUFFER;
    }
    return (ports & 1u << CIRCUIT_HOST) != 0
               ? receive_from_host(circuit, delivery, buffer, capacity_bytes)
               : serial_receive_until(circuit, delivery, ports, buffer,
                                      capacity_bytes, deadline_ps);
}
