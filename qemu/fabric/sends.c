/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/sends.h"

#include "hal/bytes.h"
#include "hal/rows.h"
#include "qemu/base/memory.h"
#include "scatter/wire/wire.h"

#include <stdlib.h>

struct message *sends_message(const struct mesh *mesh, uint32_t node,
                              uint16_t job, uint8_t kind)
{
    struct message *message = memory_or_exit(calloc(1, sizeof *message));

    message->source = node;
    message->bytes = CIRCUIT_HEADER_BYTES;
    message->mesh = mesh->config->identity;
    message->job = job;
    message->kind = kind;
    return message;
}

static uint8_t phase_of(const struct message *message)
{
    const struct message_piece *head = &message->piece[0];
    const struct message_piece *branch = &message->piece[1];

    if (message->kind == WIRE_PART && head->bytes >= WIRE_PART_BYTES) {
        return CIRCUIT_LABEL_FORM(
            head->data[offsetof(struct wire_part, label)]);
    }
    if (message->kind == WIRE_BRANCH && branch->bytes >= TREE_BRANCH_BYTES) {
        return (uint8_t)tree_phase(branch->data);
    }
    if (message->kind == WIRE_ANNOUNCE) {
        return head->bytes >= TREE_BRANCH_BYTES
                   ? (uint8_t)tree_phase(head->data)
               : head->bytes == WIRE_ANNOUNCE_HEAD_BYTES ? head->data[0]
                                                         : 0;
    }
    if (message->kind == WIRE_CHUNK || message->kind == WIRE_DEMAND) {
        return 1;
    }
    return WIRE_KIND(message->kind) == WIRE_RESULT
               ? (uint8_t)WIRE_KIND_PHASE(message->kind)
               : 0;
}

/* ---- queued sends ---- */

static bool add_pieces(struct message *message, const struct window *window,
                       const struct window_send *send, unsigned port)
{
    struct window_segment head = send->head;

    head.offset += port * send->head_stride;
    return message_add(message, 0, window, head) &&
           message_add(message, 1, window, send->shared) &&
           message_add(message, 2, window, send->body[port % TORUS_PORTS]);
}

/* Whether a message brings a planned range of the load. Such a one takes long,
   and what waits for its links is later than a range that is computed again. A
   chunk is short, and all that its worker has computed would be lost with it. */
static bool carries_load(uint8_t kind)
{
    return kind == WIRE_PART || kind == WIRE_BRANCH ||
           kind == WIRE_BRANCH_ROUND;
}

/* Gives a message to the fabric. If the message is not `sound`, or its length
   or path is invalid, frees the message and returns false. */
static bool pass_on(struct mesh *mesh, struct message *message, bool sound,
                    struct torus_path path, uint64_t ready_ps, uint32_t gap_ps)
{
    struct fabric_message waiting = {.ready_ps = ready_ps,
                                     .gap_ps = gap_ps,
                                     .cookie = message,
                                     .other_way = true,
                                     .waits = !carries_load(message->kind),
                                     .path = path,
                                     .bytes = message->bytes,
                                     .tag = message->kind,
                                     .kind = (uint8_t)WIRE_KIND(message->kind)};

    if (!sound || message->bytes > BACKEND_WINDOW_BYTES ||
        (path.port != NODE_PORT_HOST &&
         !torus_path_valid(mesh->config->size, path))) {
        free(message);
        return false;
    }
    waiting.phase = phase_of(message);
    mesh->node[message->source].sent += 1;
    mesh->sent_all += 1;
    mesh->waiting += 1;
    fabric_send(mesh->fabric, message->source, path.port, &waiting);
    return true;
}

static bool read_send(struct mesh *mesh, uint32_t node, unsigned port,
                      const struct window_send *send)
{
    struct message *message = sends_message(mesh, node, send->job, send->kind);
    struct torus_path path = {(uint8_t)port, send->turn, send->hops,
                              send->hops_after};
    bool sound = add_pieces(message, mesh_window(mesh, node), send, port);

    return pass_on(mesh, message, sound, path, send->ready_ps, send->gap_ps);
}

/* ---- rows ---- */

/* A row: consecutive units of the load that a switch sends as one message
   through each port of a phase. Members change from message to message. */
struct row {
    const struct window_rows *rows;
    struct window_form form;
    uint64_t ready_ps;
    uint32_t gap_ps;
    uint32_t label;
    uint32_t units;      /* number of units of each message */
    uint32_t more;       /* the first `more` messages have one unit more */
    uint32_t first_unit; /* number of the next message's first unit */
    int64_t offset; /* where the next message's halo begins in the window */
};

/* Adds the pieces of a row's message through `port`, and moves on to the next
   message. Returns false if a piece lies outside of the window. */
static bool add_row_pieces(struct message *message, struct row *row,
                           const struct window *window, unsigned port)
{
    const struct window_rows *rows = row->rows;
    uint32_t units = row->units + (port < row->more);
    uint64_t bytes = (uint64_t)units * rows->cut.unit_bytes;
    int64_t next = row->offset + (int64_t)(bytes & UINT32_MAX);
    int64_t begin = row->offset > rows->begin ? row->offset : rows->begin;
    int64_t end = next + rows->cut.halo_bytes;
    struct window_segment body;

    end = end < rows->end ? end : rows->end;
    bytes_store_u32(message->head, units);
    bytes_store_u32(message->head + 4, row->first_unit);
    bytes_store_u32(message->head + 8, row->label + (port << 8));
    row->first_unit += units;
    row->offset = next;
    if (bytes > BACKEND_WINDOW_BYTES || begin > end) {
        return false;
    }
    body = (struct window_segment){(uint32_t)begin, (uint32_t)(end - begin)};
    message->piece[0] =
        (struct message_piece){message->head, sizeof message->head};
    message->bytes += (uint32_t)sizeof message->head;
    return message_add(message, 1, window, rows->shared) &&
           message_add(message, 2, window, body);
}

static bool pass_row_on(struct mesh *mesh, uint32_t node, struct row *row)
{
    const struct window *window = mesh_window(mesh, node);
    const struct window_form *form = &row->form;
    bool sound = true;

    for (unsigned port = 0; sound && port < TORUS_PORTS; ++port) {
        struct torus_path path = {(uint8_t)port, form->turn, form->hops,
                                  form->hops_after};
        struct message *message;

        if (row->units + (port < row->more) > 0) {
            message = sends_message(mesh, node, row->rows->cut.job, form->kind);
            sound = add_row_pieces(message, row, window, port);
            sound =
                pass_on(mesh, message, sound, path, row->ready_ps, row->gap_ps);
        }
    }
    return sound;
}

/* Sends a range of the load, cut into rows, from its end to its beginning.
   Returns false if the node has described it wrongly. */
static bool read_rows(struct mesh *mesh, uint32_t node,
                      const struct window_rows *rows)
{
    const struct window *window = mesh_window(mesh, node);
    struct row row = {.rows = rows, .gap_ps = rows->cut.first_gap_ps};
    uint32_t label = (rows->label & CIRCUIT_LABEL_OWN) |
                     circuit_label(rows->cut.last_form, rows->shared.bytes);
    uint32_t extra = rows->extra_units;
    uint64_t end = rows->units;
    bool sound = rows->cut.last_form < CIRCUIT_FORMS && rows->cut.form > 0 &&
                 rows->shared.bytes <= CIRCUIT_SHARED_MAX;

    row.ready_ps = rows->ready_ps;
    for (unsigned form = rows->cut.form; sound && form <= rows->cut.last_form;
         ++form) {
        uint32_t volumes = rows->volumes + (uint32_t)sizeof(uint32_t) * form;
        uint64_t units;

        if (!window_has(volumes, sizeof(uint32_t))) {
            return false;
        }
        window_read(&row.units, (const uint8_t *)window + volumes,
                    sizeof row.units);
        window_read(&row.form, &window->form[form], sizeof row.form);
        row.more = extra < TORUS_PORTS ? extra : TORUS_PORTS;
        row.label = label + form;
        row.ready_ps += WINDOW_ROW_PS;
        units = (uint64_t)TORUS_PORTS * row.units + row.more;
        if (units > end) {
            return false;
        }
        extra -= row.more;
        end -= units;
        row.first_unit = rows->first_unit + (uint32_t)end;
        row.offset =
            (int32_t)rows->offset + (int64_t)(end * rows->cut.unit_bytes);
        sound = pass_row_on(mesh, node, &row);
        row.gap_ps = rows->cut.gap_ps;
    }
    return sound;
}

/* ---- entries of the queue ---- */

static bool read_entry(struct mesh *mesh, uint32_t node,
                       const union window_entry *entry)
{
    const struct window_send *send = &entry->send;
    bool sound = true;

    if (send->form != 0) {
        return read_rows(mesh, node, &entry->rows);
    }
    for (unsigned port = 0; sound && port < NODE_PORTS; ++port) {
        if ((send->ports >> port & 1u) != 0) {
            sound = read_send(mesh, node, port, send);
        }
    }
    return sound;
}

bool sends_read(struct mesh *mesh, uint32_t node)
{
    const struct window *window = mesh_window(mesh, node);
    struct mesh_node *state = &mesh->node[node];
    uint32_t queued = window_read_u32(&window->queued);
    bool sound = queued - state->sends_reported <= WINDOW_QUEUE &&
                 queued - state->sends_read <= WINDOW_QUEUE;

    for (; sound && state->sends_read != queued; state->sends_read += 1) {
        union window_entry entry;

        window_read(&entry, &window->entry[state->sends_read % WINDOW_QUEUE],
                    sizeof entry);
        sound = read_entry(mesh, node, &entry);
    }
    return sound;
}

/* ---- sends that failed ---- */

/* Returns the first words of a message's payload. */
static struct wire_part first_words(const struct message *message)
{
    struct wire_part words = {.units = 0};
    uint8_t *to = (uint8_t *)&words;
    size_t room = sizeof words;

    for (unsigned i = 0; i < MESSAGE_PIECES && room > 0; ++i) {
        const struct message_piece *piece = &message->piece[i];
        size_t bytes = piece->bytes < room ? piece->bytes : room;

        if (bytes > 0) {
            window_read(to, piece->data, bytes);
        }
        to += bytes;
        room -= bytes;
    }
    return words;
}

void sends_fail(struct mesh *mesh, const struct fabric_action *action)
{
    struct mesh_failures *failures = &mesh->node[action->node].failures;
    struct message *message = action->cookie;
    struct wire_part words = first_words(message);

    if (failures->count == failures->room) {
        failures->room = 2 * failures->room + 16;
        failures->failure = memory_or_exit(realloc(
            failures->failure, failures->room * sizeof *failures->failure));
    }
    failures->failure[failures->count++] =
        (struct circuit_failure){.time_ps = action->time_ps,
                                 .path = action->path,
                                 .hops = action->hops,
                                 .job = message->job,
                                 .kind = message->kind,
                                 .error = (int8_t)action->status,
                                 .units = words.units,
                                 .first_unit = words.first_unit,
                                 .label = words.label};
    free(message);
}

void sends_tell(struct mesh *mesh, const struct fabric_action *action)
{
    struct mesh_failures *failures = &mesh->node[action->node].failures;
    struct window *window;
    uint32_t taken;

    if (failures->told == failures->count) {
        return;
    }
    window = mesh_window(mesh, action->node);
    taken = window_read_u32(&window->taken);
    while (failures->told < failures->count &&
           failures->failure[failures->told].time_ps < action->known_ps &&
           failures->told - taken < WINDOW_FAILURES) {
        window->failure[failures->told % WINDOW_FAILURES] =
            failures->failure[failures->told];
        failures->told += 1;
    }
    window->failed = failures->told;
}

/* ---- forwarding by switches ---- */

/* Describes the units of a received message that the node's switch cuts into
   rows and passes on. */
static struct window_rows describe_rows(const struct window *window,
                                        const struct circuit_cut *cut,
                                        const struct circuit_rows *rows)
{
    uintptr_t base = (uintptr_t)window;

    return (struct window_rows){
        .cut = *cut,
        .shared = {(uint32_t)((uintptr_t)rows->shared.data - base),
                   rows->shared.bytes},
        .begin = (uint32_t)((uintptr_t)rows->begin - base),
        .end = (uint32_t)((uintptr_t)rows->end - base),
        .offset = (uint32_t)((uintptr_t)rows->data - base),
        .volumes = (uint32_t)((uintptr_t)rows->volume_units - base),
        .extra_units = rows->extra_units,
        .label = rows->label,
        .units = rows->units,
        .first_unit = rows->first_unit};
}

void sends_forward(struct mesh *mesh, const struct fabric_action *action,
                   const uint8_t *message)
{
    uint32_t node = action->node;
    const struct window *window = mesh_window(mesh, node);
    struct window_post post;
    struct window_form form;
    struct circuit_rows rows;
    struct window_rows descriptor;

    window_read(&post, &window->post, sizeof post);
    if (post.number == mesh->node[node].last_post ||
        post.cut.form >= CIRCUIT_FORMS ||
        action->bytes < CIRCUIT_HEADER_BYTES ||
        bytes_load_u16(message + CIRCUIT_AT_JOB) != post.cut.job ||
        (uintptr_t)message % sizeof(uint32_t) != 0) {
        return;
    }
    window_read(&form, &window->form[post.cut.form], sizeof form);
    if (form.kind != message[CIRCUIT_AT_KIND] ||
        !rows_forward(&rows, &post.cut, post.label,
                      message + CIRCUIT_HEADER_BYTES,
                      action->bytes - CIRCUIT_HEADER_BYTES)) {
        return;
    }
    mesh->node[node].last_post = post.number;
    descriptor = describe_rows(window, &post.cut, &rows);
    descriptor.ready_ps =
        action->arrival_ps > post.ready_ps ? action->arrival_ps : post.ready_ps;
    if (!read_rows(mesh, node, &descriptor)) {
        fabric_count_error(mesh->fabric, node, action->port);
    }
}
