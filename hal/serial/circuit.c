/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/serial/circuit.h"

#include "hal/bytes.h"
#include "hal/forward.h"

#include <string.h>

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
    if (!send->waiting && send->message.state == SWITCH_DONE) {
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

/* The host reads it when it likes; it may ask in the middle of this. */
static int offer(struct circuit *circuit, const struct circuit_message *message)
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

int circuit_send(struct circuit *circuit, unsigned ports,
                 const struct circuit_message *message)
{
    int error = ERR_OK;

    if ((ports & 1u << CIRCUIT_HOST) != 0) {
        return offer(circuit, message);
    }
    for (unsigned port = 0; error == ERR_OK && port < TORUS_PORTS; ++port) {
        if ((ports & 1u << port) != 0) {
            error = send_on_port(circuit, port, message, NULL, circuit->job);
        }
    }
    return error;
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

static int receive_order(struct circuit *circuit,
                         struct circuit_delivery *delivery, uint8_t *buffer,
                         uint32_t capacity_bytes)
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

/* A receive in this state; NULL: none is. */
static struct switch_receive *find(struct serial_circuit *serial,
                                   enum switch_state state)
{
    for (unsigned i = 0; i < CIRCUIT_AHEAD_MAX; ++i) {
        if (serial->receive[i].state == state) {
            return &serial->receive[i];
        }
    }
    return NULL;
}

/* Waits until the deadline for a posted receive; only a job's messages have a
   time limit besides. Result: 0 and *done; or the error, and *done is NULL. */
static int wait_for_receive(struct circuit *circuit,
                            struct switch_receive **done, uint64_t deadline_ps)
{
    struct serial_circuit *serial = circuit->board;
    uint64_t patience_ps = (uint64_t)serial->patience_us * PS_PER_US;
    uint64_t since_ps = clock_now_ps(circuit->clock);
    int error = ERR_OK;

    attend_all(circuit);
    while (error == ERR_OK && (*done = find(serial, SWITCH_DONE)) == NULL) {
        error = clock_now_ps(circuit->clock) >= deadline_ps
                    ? ERR_TIMEOUT
                    : wait_a_little(circuit);
        if (error == ERR_OK && circuit->job != CIRCUIT_ANY_JOB &&
            clock_now_ps(circuit->clock) - since_ps > patience_ps) {
            error = ERR_DEAD_LINK;
        }
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
    return capacity_bytes >= CIRCUIT_HEADER_BYTES &&
           (circuit_holds(circuit, buffer, capacity_bytes) ||
            is_aside(circuit, buffer, capacity_bytes));
}

int circuit_receive_ahead(struct circuit *circuit, unsigned ports,
                          uint8_t *buffer, uint32_t capacity_bytes)
{
    struct serial_circuit *serial = circuit->board;
    struct switch_receive *receive = find(serial, SWITCH_IDLE);

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
    if (!serial->synchronised) {
        serial->synchronised = true;
        set_clock(circuit, buffer, receive->bytes);
    }
    return forward(circuit, delivery);
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
    struct serial_circuit *serial = circuit->board;
    struct switch_receive *done = NULL;
    bool ahead;
    int error = ERR_OK;

    if (!is_buffer(circuit, buffer, capacity_bytes)) {
        return ERR_BUFFER;
    }
    if ((ports & 1u << CIRCUIT_HOST) != 0) {
        return receive_order(circuit, delivery, buffer, capacity_bytes);
    }
    ahead = is_ahead(serial, ports);
    if (!ahead) {
        error = circuit_receive_ahead(circuit, ports, buffer, capacity_bytes);
    }
    if (error == ERR_OK) {
        error = wait_for_receive(circuit, &done, deadline_ps);
    }
    if (error != ERR_OK && !ahead) {
        take_back(serial); /* what has begun is sent again later */
        done = find(serial, SWITCH_DONE); /* it may just have come */
    }
    if (done == NULL) {
        return error;
    }
    done->state = SWITCH_IDLE;
    return read(circuit, delivery, done);
}
