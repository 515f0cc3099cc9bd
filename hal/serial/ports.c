/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/serial/internal.h"

#include "hal/bytes.h"
#include "hal/check.h"
#include "hal/switch/peek.h"

#include <string.h>

#define CHECK_FILE CHECK_SERIAL_PORTS

/* Peeks by each way until a node counts as lost. Each ends after
   SWITCH_PEEK_TRIES set-ups. */
#define ASK_TRIES 2u

static struct torus_path other_way(const struct circuit *circuit,
                                   struct torus_path path)
{
    const struct node_identity *identity = &circuit->node->identity;

    return torus_path_other(
        (struct torus_size){identity->width, identity->height}, path);
}

static void note_failure(struct circuit *circuit,
                         const struct serial_circuit_send *send)
{
    struct serial_circuit *serial = circuit->board;
    uint8_t words[CIRCUIT_ROW_BYTES] = {0};
    uint32_t bytes = 0;

    for (unsigned i = 1; i < SWITCH_SEGMENTS; ++i) {
        const struct switch_segment *segment = &send->message.segment[i];
        uint32_t room = CIRCUIT_ROW_BYTES - bytes;
        uint32_t some = segment->bytes < room ? segment->bytes : room;

        if (some > 0) {
            memcpy(words + bytes, segment->data, some);
        }
        bytes += some;
    }
    serial->failure[serial->failed % SERIAL_FAILURES] =
        (struct circuit_failure){
            .time_ps = clock_now_ps(circuit->clock),
            .path = send->turned ? other_way(circuit, send->message.path)
                                 : send->message.path,
            .hops = CIRCUIT_HOPS_UNKNOWN,
            .job = bytes_load_u16(send->header + CIRCUIT_AT_JOB),
            .kind = send->message.kind,
            .error = send->message.error,
            .units = bytes_load_u32(words),
            .first_unit = bytes_load_u32(words + 4),
            .label = bytes_load_u32(words + 8)};
    serial->failed += 1;
    serial->taken += serial->failed - serial->taken > SERIAL_FAILURES;
    if (serial->first_error == ERR_OK) {
        serial->first_error = send->message.error;
    }
}

bool circuit_failed(struct circuit *circuit, struct circuit_failure *failure)
{
    struct serial_circuit *serial = circuit->board;

    if (serial->taken == serial->failed) {
        return false;
    }
    *failure = serial->failure[serial->taken % SERIAL_FAILURES];
    serial->taken += 1;
    return true;
}

/* Makes a message whose way is dead go by the other one. */
static void turn(const struct circuit *circuit,
                 struct serial_circuit_send *send)
{
    struct switch_message *message = &send->message;
    unsigned arrival = torus_path_arrival(message->path);

    message->path = other_way(circuit, message->path);
    message->aside =
        (uint8_t)((arrival - torus_path_arrival(message->path)) % TORUS_PORTS);
    send->turned = true;
    send->waiting = true;
}

static bool is_dead(const struct serial_circuit *serial, struct torus_path way)
{
    bool dead = false;

    for (unsigned i = 0; i < serial->dead_ways && i < SERIAL_DEAD_WAYS; ++i) {
        dead |= serial->dead_way[i].port == way.port &&
                circuit_is_turned(serial->dead_way[i], way);
    }
    return dead;
}

static void note_dead(struct serial_circuit *serial, struct torus_path way)
{
    if (!is_dead(serial, way)) {
        serial->dead_way[serial->dead_ways % SERIAL_DEAD_WAYS] = way;
        serial->dead_ways += 1;
    }
}

/* Gives a message to the switch, unless both of its ways are known as dead. */
static void start(struct circuit *circuit, struct serial_circuit_send *send)
{
    struct serial_circuit *serial = circuit->board;

    if (!send->turned && is_dead(serial, send->message.path)) {
        turn(circuit, send);
    }
    send->waiting = false;
    if (is_dead(serial, send->message.path)) {
        send->message.error = ERR_DEAD_LINK;
        send->message.state = SWITCH_DONE;
        return;
    }
    board_lock();
    switch_send(serial->core, &send->message);
    board_unlock();
}

/* Result: false if the send has ended. */
static bool attend(struct circuit *circuit, struct serial_circuit_send *send)
{
    ASSERT(send->used);
    if (send->waiting && clock_now_ps(circuit->clock) >= send->ready_ps) {
        start(circuit, send);
    }
    if (send->waiting || !switch_is_done(&send->message.state)) {
        return true;
    }
    if (send->message.error == ERR_DEAD_LINK) {
        note_dead(circuit->board, send->message.path);
        if (!send->turned) {
            turn(circuit, send);
            return true;
        }
    }
    if (send->message.error != ERR_OK) {
        note_failure(circuit, send);
    }
    send->used = false;
    return false;
}

/* Result: number of sends that have not ended. */
static unsigned attend_all(struct circuit *circuit)
{
    struct serial_circuit *serial = circuit->board;
    unsigned count = 0;

    for (unsigned i = 0; serial->sends > 0 && i < SERIAL_CIRCUIT_SENDS; ++i) {
        count += serial->send[i].used && attend(circuit, &serial->send[i]);
    }
    ASSERT(count <= serial->sends);
    serial->sends = count;
    return count;
}

int serial_wait_a_little(struct circuit *circuit)
{
    struct serial_circuit *serial = circuit->board;

    attend_all(circuit);
    return serial->idle(serial->context);
}

/* Result: a free entry; NULL if the wait ended with *error. */
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
        *error = serial_wait_a_little(circuit);
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

int serial_send_on_port(struct circuit *circuit, unsigned port,
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
               (uint32_t)(now_ps / CLOCK_PS_PER_US));
    bytes_store_u16(send->header + CIRCUIT_AT_JOB, job);
    send->message.segment[0] =
        (struct switch_segment){send->header, CIRCUIT_HEADER_BYTES};
    send->message.segment[1] = head;
    send->message.segment[2] =
        (struct switch_segment){message->shared.data, message->shared.bytes};
    send->message.segment[3] = (struct switch_segment){
        message->body[port].data, message->body[port].bytes};
    send->message.aside = 0;
    send->ready_ps = message->ready_ps;
    send->turned = false;
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

    ASSERT(form > 0 && form < CIRCUIT_FORMS);
    serial->form[form] = message;
    return ERR_OK;
}

struct row {
    const struct circuit_cut *cut;
    const struct circuit_rows *rows;
    unsigned form;
    uint32_t position; /* index of the row's first unit within the range */
    uint32_t more;     /* number of messages with one unit more */
    uint32_t label;    /* label of the messages, with form and port 0 */
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
            error = serial_send_on_port(circuit, port, &message, head,
                                        row->cut->job);
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

    ASSERT(cut->last_form < CIRCUIT_FORMS);
    for (row.form = cut->form; error == ERR_OK && row.form <= cut->last_form;
         ++row.form) {
        row.more = extra < TORUS_PORTS ? extra : TORUS_PORTS;
        extra -= row.more;
        ASSERT(TORUS_PORTS * rows->volume_units[row.form] + row.more <=
               row.position);
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

/* Forwards an awaited message as rows (hal/rows.h). */
static int forward(struct circuit *circuit,
                   const struct circuit_delivery *delivery)
{
    struct serial_circuit *serial = circuit->board;
    const struct circuit_message *form = serial->form[serial->cut.form];
    struct circuit_cut cut = serial->cut;
    struct circuit_rows rows;

    if (!serial->is_posted || form == NULL || form->kind != delivery->kind ||
        cut.job != delivery->job ||
        !rows_forward(&rows, &cut, serial->posted, delivery->payload,
                      delivery->bytes)) {
        return ERR_OK;
    }
    serial->is_posted = false;
    return circuit_send_rows(circuit, &cut, &rows);
}

/* Asks once, by a peek. Result: 0: the node answers; ERR_DEAD_LINK: it does
   not; ERR_PORT_BUSY: the way is held; ERR_CALLED: the wait has ended. */
static int ask_once(struct circuit *circuit, struct torus_path path)
{
    static const uint8_t page = PEEK_STATE;
    struct serial_circuit *serial = circuit->board;
    struct switch_message *question = &serial->question;
    int error = ERR_OK;

    *question = (struct switch_message){.path = path,
                                        .kind = SWITCH_PEEK,
                                        .segment = {{&page, sizeof page}},
                                        .reply = serial->reply};
    board_lock();
    switch_send(serial->core, question);
    board_unlock();
    while (error == ERR_OK && !switch_is_done(&question->state)) {
        error = serial_wait_a_little(circuit);
    }
    return error == ERR_OK ? question->error : ERR_CALLED;
}

/* Whether a node answers by one of two ways, each of which is tried ASK_TRIES
   times. */
static bool answers(struct circuit *circuit, struct torus_path path)
{
    int error = ERR_DEAD_LINK;

    for (unsigned i = 0; error == ERR_DEAD_LINK && i < 2u * ASK_TRIES; ++i) {
        error = ask_once(circuit, path);
        path = other_way(circuit, path);
    }
    return error != ERR_DEAD_LINK;
}

int circuit_ask(struct circuit *circuit, unsigned ports, struct torus_path path,
                unsigned *lost)
{
    const struct serial_circuit *serial = circuit->board;
    int error = circuit_drain(circuit);

    *lost = 0;
    for (uint32_t i = serial->taken; i != serial->failed; ++i) {
        const struct circuit_failure *failure =
            &serial->failure[i % SERIAL_FAILURES];

        if (failure->job == circuit->job &&
            circuit_is_turned(failure->path, path)) {
            *lost |= 1u << failure->path.port;
        }
    }
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        path.port = (uint8_t)port;
        if ((ports & ~*lost & 1u << port) != 0 && !answers(circuit, path)) {
            *lost |= 1u << port;
        }
    }
    *lost &= ports;
    return error == ERR_DEAD_LINK ? ERR_OK : error;
}

int circuit_drain(struct circuit *circuit)
{
    struct serial_circuit *serial = circuit->board;
    int error = ERR_OK;

    while (error == ERR_OK &&
           (attend_all(circuit) > 0 || serial->mailbox->out != MAILBOX_EMPTY)) {
        error = serial_wait_a_little(circuit);
    }
    if (error == ERR_OK) {
        error = serial->first_error;
        serial->first_error = ERR_OK;
    }
    return error;
}

void serial_take_back(struct serial_circuit *serial)
{
    board_lock();
    switch_cancel(serial->core);
    board_unlock();
}

/* Sets the clock to the sender's time plus the message's time on the line. */
static void set_clock(struct circuit *circuit, const uint8_t *header,
                      uint32_t bytes)
{
    const struct serial_circuit *serial = circuit->board;
    uint64_t now_ps = clock_now_ps(circuit->clock);
    uint32_t late_us = bytes_load_u32(header + CIRCUIT_AT_CRC) -
                       (uint32_t)(now_ps / CLOCK_PS_PER_US);
    uint64_t took_ps = (uint64_t)bytes * serial->byte_ns * 1000u;

    /* Modulo 2^64: the clock may also move backwards. */
    circuit->clock->base_ps +=
        (uint64_t)((int64_t)(int32_t)late_us * (int64_t)CLOCK_PS_PER_US) +
        took_ps;
}

/* Result: a receive that is done, or a free one; NULL: there is none. */
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

/* Result: 0 and *done; or an error, and *done is NULL. */
static int wait_for_receive(struct circuit *circuit,
                            struct switch_receive **done, uint64_t deadline_ps)
{
    struct serial_circuit *serial = circuit->board;
    int error = ERR_OK;

    attend_all(circuit);
    while (error == ERR_OK && (*done = find(serial, true)) == NULL) {
        error = clock_now_ps(circuit->clock) >= deadline_ps
                    ? ERR_TIMEOUT
                    : serial_wait_a_little(circuit);
    }
    return error;
}

static bool lie_in(const uint8_t *memory, uint32_t room, const uint8_t *data,
                   uint32_t bytes)
{
    /* For data below the memory the difference wraps to a large number. */
    return bytes <= room &&
           (uint32_t)((uintptr_t)data - (uintptr_t)memory) <= room - bytes;
}

bool serial_is_buffer(const struct circuit *circuit, const uint8_t *buffer,
                      uint32_t capacity_bytes)
{
    const struct serial_circuit *serial = circuit->board;

    return capacity_bytes >= CIRCUIT_HEADER_BYTES &&
           (lie_in(circuit->memory, circuit->memory_bytes, buffer,
                   capacity_bytes) ||
            lie_in(circuit->aside, circuit->aside_bytes, buffer,
                   capacity_bytes) ||
            buffer == serial->errand);
}

int circuit_receive_ahead(struct circuit *circuit, unsigned ports,
                          uint8_t *buffer, uint32_t capacity_bytes)
{
    struct serial_circuit *serial = circuit->board;
    struct switch_receive *receive = find(serial, false);

    if (!serial_is_buffer(circuit, buffer, capacity_bytes)) {
        return ERR_BUFFER;
    }
    if (receive == NULL) {
        return ERR_PORT_BUSY;
    }
    *receive = (struct switch_receive){.buffer = buffer,
                                       .capacity_bytes = capacity_bytes,
                                       .ports = ports & 0xfu,
                                       .kind = (uint8_t)(ports >> 8)};
    board_lock();
    switch_post(serial->core, receive);
    board_unlock();
    return ERR_OK;
}

/* Takes back the receives ahead if one has other ports or another kind. Result:
   whether a receive ahead is left. */
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
        serial_take_back(serial);
    }
    for (unsigned i = 0; i < CIRCUIT_AHEAD_MAX; ++i) {
        ahead |= serial->receive[i].state != SWITCH_IDLE;
    }
    return ahead;
}

/* Result: whether the message is the errand ORDER. Keeps its order. */
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
    ASSERT(serial->order_bytes < circuit->memory_bytes);
    serial->ordered = serial->order_bytes > 0 ? SERIAL_ORDERED_BY_MESH
                                              : SERIAL_ORDERED_BY_HOST;
    return true;
}

bool serial_sets_clock(struct serial_circuit *serial,
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

/* Result: as circuit_receive(); ERR_KIND: the message is the errand ORDER. */
static int read(struct circuit *circuit, struct circuit_delivery *delivery,
                const struct switch_receive *receive)
{
    struct serial_circuit *serial = circuit->board;
    uint8_t *buffer = receive->buffer;

    ASSERT(receive->error != ERR_OK ||
           receive->bytes <= receive->capacity_bytes);
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
    if (serial_sets_clock(serial, delivery)) {
        set_clock(circuit, buffer, receive->bytes);
        clock_start(circuit->clock, clock_stop(circuit->clock));
    }
    return take_order(circuit, buffer, receive) ? ERR_KIND
                                                : forward(circuit, delivery);
}

int serial_receive_until(struct circuit *circuit,
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
        serial_take_back(serial);  /* a message half received is sent again */
        done = find(serial, true); /* a whole message may have come */
    }
    if (done == NULL) {
        return error;
    }
    done->state = SWITCH_IDLE;
    return read(circuit, delivery, done);
}
