/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/serial/circuit.h"

#include "hal/bytes.h"
#include "hal/forward.h"

#include <string.h>

static_assert(CIRCUIT_KIND_MAX < SWITCH_PEEK && SWITCH_PEEK < SWITCH_PING,
              "a message is none of the switch's own");

#define PS_PER_US 1000000u

/* A circuit's release takes 0.1 ms a hop. */
#define SETTLE_US 2000u

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
    for (unsigned i = 0; i < SERIAL_CIRCUIT_SENDS; ++i) {
        serial->send[i].used = false;
    }
    for (unsigned i = 0; i < CIRCUIT_FORMS; ++i) {
        serial->form[i] = NULL;
    }
    for (unsigned i = 0; i < CIRCUIT_AHEAD_MAX; ++i) {
        serial->receive[i].state = SWITCH_IDLE;
    }
    serial->sends = 0;
    serial->is_posted = false;
    serial->first_error = ERR_OK;
    clock_start(clock, 0);
    return ERR_OK;
}

/* ---- sends ---- */

/* Gives a send to the switch once its time has come; takes an ended one back.
   Whether it is still under way. */
static bool attend(struct circuit *circuit, struct serial_circuit_send *send)
{
    struct serial_circuit *serial = circuit->board;

    if (send->waiting && clock_now_ps(circuit->clock) >= send->ready_ps) {
        send->waiting = false;
        serial->lock(serial->context);
        switch_send(serial->core, &send->message);
        serial->unlock(serial->context);
    }
    if (!send->waiting && switch_is_done(&send->message.state)) {
        if (serial->first_error == ERR_OK) {
            serial->first_error = send->message.error;
        }
        send->used = false;
    }
    return send->used;
}

/* Looks after all sends; how many are under way. */
static unsigned attend_all(struct circuit *circuit)
{
    struct serial_circuit *serial = circuit->board;
    unsigned count = 0;

    for (unsigned i = 0; serial->sends > 0 && i < SERIAL_CIRCUIT_SENDS; ++i) {
        count += serial->send[i].used && attend(circuit, &serial->send[i]);
    }
    serial->sends = count;
    return count;
}

/* One turn of every wait. Result: 0: wait on; an error ends the wait. */
static int wait_a_little(struct circuit *circuit)
{
    struct serial_circuit *serial = circuit->board;

    attend_all(circuit);
    return serial->idle(serial->context);
}

/* A free place for a send, NULL after *error. */
static struct serial_circuit_send *place(struct circuit *circuit, int *error)
{
    struct serial_circuit *serial = circuit->board;

    *error = ERR_OK;
    while (*error == ERR_OK) {
        for (unsigned i = 0; i < SERIAL_CIRCUIT_SENDS; ++i) {
            if (!serial->send[i].used) {
                return &serial->send[i];
            }
        }
        *error = wait_a_little(circuit);
    }
    return NULL;
}

static void put_header(uint8_t *header, const struct circuit *circuit,
                       uint8_t kind, uint32_t payload_bytes, uint32_t time_us)
{
    header[CIRCUIT_AT_VERSION] = CIRCUIT_VERSION;
    header[CIRCUIT_AT_KIND] = kind;
    bytes_store_u32(header + CIRCUIT_AT_MESH, circuit->mesh);
    bytes_store_u32(header + CIRCUIT_AT_LENGTH, payload_bytes);
    bytes_store_u32(header + CIRCUIT_AT_CRC, time_us);
}

/* `row`: what a row's message of job `job` begins with, or NULL. */
static int send_on_port(struct circuit *circuit, unsigned port,
                        const struct circuit_message *message,
                        const uint8_t *row, uint16_t job)
{
    struct serial_circuit *serial = circuit->board;
    struct switch_segment head = {
        message->head.data + port * message->head_stride, message->head.bytes};
    int error;
    struct serial_circuit_send *send = place(circuit, &error);
    uint64_t now_ps = clock_now_ps(circuit->clock);

    if (send == NULL) {
        return error;
    }
    if (row != NULL) {
        memcpy(send->row, row, sizeof send->row);
        head = (struct switch_segment){send->row, sizeof send->row};
    }
    send->message.path = message->path;
    send->message.path.port = (uint8_t)port;
    send->message.kind = message->kind;
    put_header(send->header, circuit, message->kind,
               head.bytes + message->shared.bytes + message->body[port].bytes,
               (uint32_t)(now_ps / PS_PER_US));
    bytes_store_u16(send->header + CIRCUIT_AT_JOB, job);
    send->message.segment[0] =
        (struct switch_segment){send->header, CIRCUIT_HEADER_BYTES};
    send->message.segment[1] = head;
    send->message.segment[2] =
        (struct switch_segment){message->shared.data, message->shared.bytes};
    send->message.segment[3] = (struct switch_segment){
        message->body[port].data, message->body[port].bytes};
    send->ready_ps = message->ready_ps;
    send->waiting = true;
    send->used = true;
    serial->sends += 1;
    attend(circuit, send);
    return ERR_OK;
}

int circuit_prepare(struct circuit *circuit, unsigned form,
                    const struct circuit_message *message)
{
    struct serial_circuit *serial = circuit->board;

    serial->form[form] = message;
    return ERR_OK;
}

/* A row at hand: the first of its units is the range's unit `position`; the
   first `more` messages have one unit more. */
struct row {
    const struct circuit_cut *cut;
    const struct circuit_rows *rows;
    unsigned form;
    uint32_t position;
    uint32_t more;
    uint32_t label; /* but for form and port */
};

static int send_row(struct circuit *circuit, const struct row *row)
{
    const struct serial_circuit *serial = circuit->board;
    const struct circuit_rows *rows = row->rows;
    uint32_t unit_bytes = row->cut->unit_bytes;
    const struct circuit_message *form = serial->form[row->form];
    const uint8_t *data = rows->data + row->position * unit_bytes;
    uint8_t head[CIRCUIT_ROW_BYTES];
    uint32_t first_unit = rows->first_unit + row->position;
    struct circuit_message message;
    int error = ERR_OK;

    if (form == NULL) {
        return ERR_NO_ROUTE;
    }
    message = *form;
    message.shared = rows->shared;
    for (unsigned port = 0; error == ERR_OK && port < TORUS_PORTS; ++port) {
        uint32_t units = rows->volume_units[row->form] + (port < row->more);
        const uint8_t *begin = data > rows->begin ? data : rows->begin;
        const uint8_t *end;

        data += units * unit_bytes;
        end = data + row->cut->halo_bytes;
        end = end < rows->end ? end : rows->end;
        bytes_store_u32(head, units);
        bytes_store_u32(head + 4, first_unit);
        bytes_store_u32(head + 8, row->label + row->form + (port << 8));
        first_unit += units;
        message.body[port] =
            (struct circuit_segment){begin, (uint32_t)(end - begin)};
        if (units > 0 && end < begin) {
            return ERR_RANGE;
        }
        if (units > 0) {
            error = send_on_port(circuit, port, &message, head, row->cut->job);
        }
    }
    return error;
}

int circuit_send_rows(struct circuit *circuit, const struct circuit_cut *cut,
                      const struct circuit_rows *rows)
{
    struct row row = {.cut = cut,
                      .rows = rows,
                      .position = rows->units,
                      .label = rows->label | circuit_label(cut->last_form,
                                                           rows->shared.bytes)};
    uint32_t extra = rows->extra_units;
    int error = ERR_OK;

    for (row.form = cut->form; error == ERR_OK && row.form <= cut->last_form;
         ++row.form) {
        row.more = extra < TORUS_PORTS ? extra : TORUS_PORTS;
        extra -= row.more;
        row.position -= TORUS_PORTS * rows->volume_units[row.form] + row.more;
        error = send_row(circuit, &row);
    }
    return error;
}

void circuit_expect(struct circuit *circuit, const struct circuit_cut *cut)
{
    struct serial_circuit *serial = circuit->board;

    serial->cut = *cut;
}

void circuit_post(struct circuit *circuit, uint32_t label)
{
    struct serial_circuit *serial = circuit->board;

    serial->posted = label;
    serial->is_posted = true;
}

/* Sends on what of a message goes on. */
static int forward(struct circuit *circuit,
                   const struct circuit_delivery *delivery)
{
    struct serial_circuit *serial = circuit->board;
    const struct circuit_message *form = serial->form[serial->cut.form];
    struct circuit_cut cut = serial->cut;
    struct circuit_rows rows;

    if (!serial->is_posted || form == NULL || form->kind != delivery->kind ||
        cut.job != delivery->job ||
        !forward_rows(&rows, &cut, serial->posted, delivery->payload,
                      delivery->bytes)) {
        return ERR_OK;
    }
    serial->is_posted = false;
    return circuit_send_rows(circuit, &cut, &rows);
}

int circuit_drain(struct circuit *circuit)
{
    struct serial_circuit *serial = circuit->board;
    int error = ERR_OK;

    while (error == ERR_OK &&
           (attend_all(circuit) > 0 || serial->mailbox->out != MAILBOX_EMPTY)) {
        error = wait_a_little(circuit);
    }
    if (error == ERR_OK) {
        error = serial->first_error;
        serial->first_error = ERR_OK;
    }
    return error;
}

/* Each byte that leaves is an interrupt's work. */
int circuit_quiet(struct circuit *circuit)
{
    return circuit_drain(circuit);
}

uint32_t circuit_ports_us(const struct circuit *circuit)
{
    const struct serial_circuit *serial = circuit->board;

    return serial->ports_us(serial->context);
}

int circuit_settle(struct circuit *circuit)
{
    uint64_t since_ps = clock_now_ps(circuit->clock);
    int error = ERR_OK;

    while (error == ERR_OK && clock_now_ps(circuit->clock) - since_ps <
                                  (uint64_t)SETTLE_US * PS_PER_US) {
        error = wait_a_little(circuit);
    }
    return error;
}

static void take_back(struct serial_circuit *serial)
{
    serial->lock(serial->context);
    switch_cancel(serial->core);
    serial->unlock(serial->context);
}

void circuit_close(struct circuit *circuit)
{
    struct serial_circuit *serial = circuit->board;

    take_back(serial);
    /* Sends that are under way read memory that the next job will overwrite. */
    if (circuit_drain(circuit) != ERR_OK) {
        serial->lock(serial->context);
        switch_reset(serial->core);
        serial->unlock(serial->context);
    }
}

/* ---- receives ---- */

/* Sets the clock to the sender's, and what the bytes took. */
static void set_clock(struct circuit *circuit, const uint8_t *header,
                      uint32_t bytes)
{
    const struct serial_circuit *serial = circuit->board;
    uint64_t now_ps = clock_now_ps(circuit->clock);
    uint32_t late_us = bytes_load_u32(header + CIRCUIT_AT_CRC) -
                       (uint32_t)(now_ps / PS_PER_US);
    uint64_t took_ps = (uint64_t)bytes * serial->byte_ns * 1000u;

    /* Forwards or backwards: all of it modulo 2^64. */
    circuit->clock->base_ps +=
        (uint64_t)((int64_t)(int32_t)late_us * (int64_t)PS_PER_US) + took_ps;
}

/* A receive that is done, or else one that is free; NULL: none is. */
static struct switch_receive *find(struct serial_circuit *serial, bool done)
{
    for (unsigned i = 0; i < CIRCUIT_AHEAD_MAX; ++i) {
        const volatile uint8_t *state = &serial->receive[i].state;

        if (done ? switch_is_done(state) : *state == SWITCH_IDLE) {
            return &serial->receive[i];
        }
    }
    return NULL;
}

/* Waits until the deadline for a posted receive, for as long as that is: how
   long another node computes is not known here. Result: 0 and *done; or the
   error, and *done is NULL. */
static int wait_for_receive(struct circuit *circuit,
                            struct switch_receive **done, uint64_t deadline_ps)
{
    struct serial_circuit *serial = circuit->board;
    int error = ERR_OK;

    attend_all(circuit);
    while (error == ERR_OK && (*done = find(serial, true)) == NULL) {
        error = clock_now_ps(circuit->clock) >= deadline_ps
                    ? ERR_TIMEOUT
                    : wait_a_little(circuit);
    }
    return error;
}

/* Messages are delivered whole. */
int circuit_complete(struct circuit *circuit)
{
    (void)circuit;
    return ERR_OK;
}

static bool is_aside(const struct circuit *circuit, const uint8_t *data,
                     uint32_t bytes)
{
    return bytes <= circuit->aside_bytes &&
           (uint32_t)((uintptr_t)data - (uintptr_t)circuit->aside) <=
               circuit->aside_bytes - bytes;
}

static bool is_buffer(const struct circuit *circuit, const uint8_t *buffer,
                      uint32_t capacity_bytes)
{
    const struct serial_circuit *serial = circuit->board;

    return capacity_bytes >= CIRCUIT_HEADER_BYTES &&
           (circuit_holds(circuit, buffer, capacity_bytes) ||
            is_aside(circuit, buffer, capacity_bytes) ||
            buffer == serial->errand);
}

int circuit_receive_ahead(struct circuit *circuit, unsigned ports,
                          uint8_t *buffer, uint32_t capacity_bytes)
{
    struct serial_circuit *serial = circuit->board;
    struct switch_receive *receive = find(serial, false);

    if (!is_buffer(circuit, buffer, capacity_bytes)) {
        return ERR_BUFFER;
    }
    if (receive == NULL) {
        return ERR_PORT_BUSY;
    }
    *receive = (struct switch_receive){.buffer = buffer,
                                       .capacity_bytes = capacity_bytes,
                                       .ports = ports & 0xfu,
                                       .kind = (uint8_t)(ports >> 8)};
    serial->lock(serial->context);
    switch_post(serial->core, receive);
    serial->unlock(serial->context);
    return ERR_OK;
}

/* Takes back what is ahead on other ports, or of another kind, and has not
   come. Result: whether any receive is left. */
static bool is_ahead(struct serial_circuit *serial, unsigned ports)
{
    bool differs = false;
    bool ahead = false;

    for (unsigned i = 0; i < CIRCUIT_AHEAD_MAX; ++i) {
        const struct switch_receive *receive = &serial->receive[i];

        differs |= receive->state != SWITCH_IDLE &&
                   (receive->ports | (unsigned)receive->kind << 8) !=
                       (ports & 0xff0fu);
    }
    if (differs) {
        take_back(serial);
    }
    for (unsigned i = 0; i < CIRCUIT_AHEAD_MAX; ++i) {
        ahead |= serial->receive[i].state != SWITCH_IDLE;
    }
    return ahead;
}

/* Whether a message makes this node an originator: only as its first one. */
static bool take_order(struct circuit *circuit, const uint8_t *buffer,
                       const struct switch_receive *receive)
{
    struct serial_circuit *serial = circuit->board;
    const uint8_t *errand = buffer + receive->bytes - SERIAL_ERRAND_BYTES;

    if (receive->delivered_kind != SERIAL_ERRAND || buffer != circuit->memory ||
        circuit->job != CIRCUIT_ANY_JOB ||
        receive->bytes < CIRCUIT_HEADER_BYTES + SERIAL_ERRAND_BYTES ||
        errand[SERIAL_ERRAND_AT] != SERIAL_ERRAND_ORDER) {
        return false;
    }
    serial->order_kind = errand[SERIAL_ERRAND_AT_KIND];
    serial->order_job = bytes_load_u16(buffer + CIRCUIT_AT_JOB);
    serial->order_bytes =
        receive->bytes - CIRCUIT_HEADER_BYTES - SERIAL_ERRAND_BYTES;
    serial->ordered = serial->order_bytes > 0 ? SERIAL_ORDERED_BY_MESH
                                              : SERIAL_ORDERED_BY_HOST;
    return true;
}

/* Whether a message sets the clock: crystals differ, so each job's first one
   does, and whatever comes first after the mesh was told anew. */
static bool is_first(struct serial_circuit *serial,
                     const struct circuit_delivery *delivery)
{
    uint16_t job =
        delivery->kind == SERIAL_ERRAND ? CIRCUIT_ANY_JOB : delivery->job;
    bool first = !serial->synchronised ||
                 (job != CIRCUIT_ANY_JOB && job != serial->timed_job);

    if (job != CIRCUIT_ANY_JOB) {
        serial->timed_job = job;
    }
    serial->synchronised = true;
    return first;
}

/* Reads a message that has come, wherever it lies. */
static int read(struct circuit *circuit, struct circuit_delivery *delivery,
                const struct switch_receive *receive)
{
    struct serial_circuit *serial = circuit->board;
    uint8_t *buffer = receive->buffer;

    delivery->payload = buffer + CIRCUIT_HEADER_BYTES;
    delivery->bytes = receive->bytes - CIRCUIT_HEADER_BYTES;
    delivery->port = receive->port;
    delivery->job = bytes_load_u16(buffer + CIRCUIT_AT_JOB);
    delivery->kind = receive->delivered_kind;
    clock_start(circuit->clock, clock_stop(circuit->clock));
    if (receive->error != ERR_OK) {
        return receive->error;
    }
    if (receive->bytes < CIRCUIT_HEADER_BYTES ||
        !circuit_header_fits(circuit, buffer, receive->bytes)) {
        return ERR_FOREIGN;
    }
    if (is_first(serial, delivery)) {
        set_clock(circuit, buffer, receive->bytes);
    }
    return take_order(circuit, buffer, receive) ? ERR_KIND
                                                : forward(circuit, delivery);
}

/* The same, but for the host's port; the buffer is one. */
static int receive_until(struct circuit *circuit,
                         struct circuit_delivery *delivery, unsigned ports,
                         uint8_t *buffer, uint32_t capacity_bytes,
                         uint64_t deadline_ps)
{
    struct serial_circuit *serial = circuit->board;
    struct switch_receive *done = NULL;
    bool ahead;
    int error = ERR_OK;

    ahead = is_ahead(serial, ports);
    if (!ahead) {
        error = circuit_receive_ahead(circuit, ports, buffer, capacity_bytes);
    }
    if (error == ERR_OK) {
        error = wait_for_receive(circuit, &done, deadline_ps);
    }
    if (error != ERR_OK && !ahead) {
        take_back(serial);         /* what has begun is sent again later */
        done = find(serial, true); /* it may just have come */
    }
    if (done == NULL) {
        return error;
    }
    done->state = SWITCH_IDLE;
    return read(circuit, delivery, done);
}

/* ---- the console ---- */

/* The host reads it when it likes; it may ask in the middle of this. */
static int offer_to_console(struct circuit *circuit,
                            const struct circuit_message *message)
{
    struct serial_circuit *serial = circuit->board;
    const struct mailbox_segment segments[] = {
        {message->head.data, message->head.bytes},
        {message->shared.data, message->shared.bytes},
        {message->body[0].data, message->body[0].bytes}};

    if (serial->mailbox->out != MAILBOX_EMPTY) {
        return ERR_PORT_BUSY;
    }
    serial->lock(serial->context);
    mailbox_offer(serial->mailbox, segments, 3, message->kind, circuit->job);
    serial->unlock(serial->context);
    return ERR_OK;
}

/* A message that the host brings to the console. */
static int receive_from_console(struct circuit *circuit,
                                struct circuit_delivery *delivery,
                                uint8_t *buffer, uint32_t capacity_bytes)
{
    struct serial_circuit *serial = circuit->board;
    struct mailbox *mailbox = serial->mailbox;
    int error = ERR_OK;

    mailbox_open(mailbox, buffer + CIRCUIT_HEADER_BYTES,
                 capacity_bytes - CIRCUIT_HEADER_BYTES);
    while (error == ERR_OK && mailbox->in != MAILBOX_FULL) {
        error = wait_a_little(circuit);
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

/* ---- errands ---- */

static unsigned errand_of(const uint8_t *errand)
{
    return errand[SERIAL_ERRAND_AT];
}

/* Passes a message on that ends with an errand, to the end of its path. */
static int pass_on(struct circuit *circuit, const uint8_t *data, uint32_t bytes,
                   uint16_t job)
{
    const struct node_identity *identity = &circuit->node->identity;
    struct torus_size size = {identity->width, identity->height};
    struct torus_path path =
        serial_errand_path(data + bytes - SERIAL_ERRAND_BYTES);
    struct circuit_message message = {
        .path = path, .kind = SERIAL_ERRAND, .shared = {data, bytes}};
    int error = ERR_NO_ROUTE;

    if (torus_path_valid(size, path)) {
        error = send_on_port(circuit, path.port, &message, NULL, job);
    }
    return error == ERR_OK ? circuit_drain(circuit) : error;
}

/* Waits for an errand of this kind; *back is the path to who brought it. */
static int await_errand(struct circuit *circuit, enum serial_errand errand,
                        struct torus_path *back)
{
    struct serial_circuit *serial = circuit->board;
    unsigned ports = ((1u << TORUS_PORTS) - 1u) | CIRCUIT_ONLY(SERIAL_ERRAND);
    struct circuit_delivery delivery;
    int error = receive_until(circuit, &delivery, ports, serial->errand,
                              sizeof serial->errand, UINT64_MAX);

    if (error != ERR_OK) {
        return error;
    }
    if (delivery.bytes != SERIAL_ERRAND_BYTES ||
        errand_of(delivery.payload) != errand) {
        return ERR_FIELD;
    }
    *back = torus_path_reverse(serial_errand_path(delivery.payload));
    return ERR_OK;
}

/* Answers the host, and waits until it knows. */
static int answer(struct circuit *circuit, int status, uint32_t done)
{
    struct serial_circuit *serial = circuit->board;
    const struct circuit_message message = {
        .kind = SERIAL_ERRAND, .head = {serial->answer, SERIAL_ANSWER_BYTES}};
    int error;

    bytes_store_u32(serial->answer, (uint32_t)status);
    bytes_store_u32(serial->answer + 4, done);
    error = offer_to_console(circuit, &message);
    return error == ERR_OK ? circuit_drain(circuit) : error;
}

/* Fetches a report into the buffer, in which the errand lies, for the host. */
static int fetch(struct circuit *circuit, const uint8_t *errand, uint16_t job,
                 uint8_t *buffer, uint32_t capacity_bytes)
{
    unsigned port = serial_errand_path(errand).port;
    struct circuit_message message = {.kind = SERIAL_REPORT};
    struct circuit_delivery report;
    int error = pass_on(circuit, errand, SERIAL_ERRAND_BYTES, job);

    if (error == ERR_OK) {
        error = receive_until(circuit, &report,
                              1u << port | CIRCUIT_ONLY(SERIAL_REPORT), buffer,
                              capacity_bytes, UINT64_MAX);
    }
    if (error != ERR_OK) {
        return answer(circuit, error, 0);
    }
    message.head = (struct circuit_segment){report.payload, report.bytes};
    error = offer_to_console(circuit, &message);
    return error == ERR_OK ? circuit_drain(circuit) : error;
}

/* Carries out the errands of a message of the host's, and answers it; with LEAD
   among them the delivery becomes that of the order. */
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
        switch (errand_of(errand)) {
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

/* ---- the host's port ---- */

/* The order that came over the mesh. */
static int recall_order(const struct circuit *circuit,
                        struct circuit_delivery *delivery,
                        const uint8_t *buffer)
{
    const struct serial_circuit *serial = circuit->board;

    *delivery = (struct circuit_delivery){.payload = circuit->memory +
                                                     CIRCUIT_HEADER_BYTES,
                                          .bytes = serial->order_bytes,
                                          .job = serial->order_job,
                                          .port = CIRCUIT_HOST,
                                          .kind = serial->order_kind};
    return buffer == circuit->memory ? ERR_OK : ERR_BUFFER;
}

/* The first message from the console that is no errand; errands before it are
   carried out. */
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
        (void)is_first(serial, delivery); /* others set theirs by it */
    }
    return error == ERR_OK && serial->ordered != SERIAL_NOT_ORDERED
               ? await_errand(circuit, SERIAL_ERRAND_START, &back)
               : error;
}

/* What is for the host goes the way by which its order came. */
static int send_to_host(struct circuit *circuit,
                        const struct circuit_message *message)
{
    const struct serial_circuit *serial = circuit->board;
    struct circuit_message report = *message;
    int error;

    if (serial->ordered != SERIAL_ORDERED_BY_MESH) {
        return offer_to_console(circuit, message);
    }
    circuit->job = CIRCUIT_ANY_JOB; /* which is over: nothing is to be late */
    error = await_errand(circuit, SERIAL_ERRAND_FETCH, &report.path);
    if (error != ERR_OK) {
        return error;
    }
    report.kind = SERIAL_REPORT;
    report.head_stride = 0;
    report.body[report.path.port] = message->body[0];
    return send_on_port(circuit, report.path.port, &report, NULL, circuit->job);
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
            error = send_on_port(circuit, port, message, NULL, circuit->job);
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
    if (!is_buffer(circuit, buffer, capacity_bytes)) {
        return ERR_BUFFER;
    }
    return (ports & 1u << CIRCUIT_HOST) != 0
               ? receive_from_host(circuit, delivery, buffer, capacity_bytes)
               : receive_until(circuit, delivery, ports, buffer, capacity_bytes,
                               deadline_ps);
}
