/* SPDX-License-Identifier: Apache-2.0 */
#include "test/fuzz/subtree.h"

#include "hal/forward.h"
#include "scatter/engine/node.h"
#include "test/fuzz/fuzz.h"

#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_BYTES                                                           \
    (((uint32_t)sizeof(struct scatter_memory) + 16384u + 7u) & ~7u)
#define ASIDE_BYTES (((uint32_t)sizeof(struct scatter_memory) + 7u) & ~7u)
#define SENDS_MAX 1024u /* that a ring holds */

struct subtree_send {
    struct subtree_send *next;
    uint16_t job;
    unsigned ports; /* 0: rows */
    struct circuit_message message;
    struct circuit_cut cut;
    struct circuit_rows rows;
};

static struct subtree *subtree;

struct subtree *subtree_now(void)
{
    return subtree;
}

static void *must(void *memory)
{
    fuzz_check(memory != NULL, "no memory");
    return memory;
}

struct letter *letter_new(uint32_t bytes)
{
    struct letter *letter = must(malloc(sizeof *letter + bytes));

    *letter = (struct letter){.bytes = bytes};
    return letter;
}

/* ---- memory ---- */

static bool is_inside(const struct subtree_node *node, const uint8_t *data,
                      uint64_t bytes)
{
    const struct circuit *circuit = &node->circuit;

    return (data >= circuit->memory &&
            data <= circuit->memory + circuit->memory_bytes &&
            bytes <=
                (uint64_t)(circuit->memory + circuit->memory_bytes - data)) ||
           (data >= circuit->aside &&
            data <= circuit->aside + circuit->aside_bytes &&
            bytes <= (uint64_t)(circuit->aside + circuit->aside_bytes - data));
}

static void hide(struct subtree_node *node, const uint8_t *from,
                 const uint8_t *end)
{
    node->hidden = from;
    node->hidden_end = end;
    ASAN_POISON_MEMORY_REGION(from, (size_t)(end - from));
}

void subtree_show(struct subtree_node *node)
{
    ASAN_UNPOISON_MEMORY_REGION(node->hidden,
                                (size_t)(node->hidden_end - node->hidden));
    node->hidden_end = node->hidden;
}

/* ---- nodes ---- */

static struct subtree_node *node_at(struct torus_coord at)
{
    struct subtree_node *node;

    for (uint32_t i = 0; i < subtree->count; ++i) {
        node = subtree->node[i];
        if (node->at.x == at.x && node->at.y == at.y) {
            return node;
        }
    }
    if (subtree->count == SUBTREE_NODES_MAX) {
        return NULL;
    }
    node = must(calloc(1, sizeof *node));
    node->at = at;
    node->sends_end = &node->sends;
    subtree->node[subtree->count++] = node;
    return node;
}

static void put(struct subtree_node *node, struct letter *letter)
{
    struct letter **end = &node->inbox;

    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = letter;
}

static void drop_inbox(struct subtree_node *node)
{
    while (node->inbox != NULL) {
        struct letter *next = node->inbox->next;

        free(node->inbox);
        node->inbox = next;
    }
}

/* Whether a message of this node is the caller's. */
static bool is_callers(const struct subtree_node *from,
                       const struct letter *letter)
{
    return from == subtree->node[0] &&
           (subtree->alone || WIRE_KIND(letter->kind) == WIRE_RESULT);
}

/* Hands a message over to the node at the path's end, or to the caller. The
   originator, who would have to be told more, gets none. */
static void post(struct subtree_node *from, struct torus_path path,
                 struct letter *letter)
{
    struct torus_coord at = path.port == CIRCUIT_HOST
                                ? from->at
                                : torus_path_end(subtree->size, from->at, path);
    struct subtree_node *to = NULL;

    letter->to = at;
    from->returned += WIRE_KIND(letter->kind) == WIRE_RESULT &&
                      letter->kind < WIRE_OUTPUTS_OF(1);
    if (is_callers(from, letter)) {
        subtree->returned(subtree->context, letter);
    } else if (at.x != 0 || at.y != 0) {
        to = node_at(at);
    }
    if (to == NULL || to->ended) {
        free(letter);
        return;
    }
    letter->port = (uint8_t)torus_path_arrival(path);
    put(to, letter);
}

/* ---- sends ---- */

static void append(uint8_t **at, struct circuit_segment segment)
{
    if (segment.bytes > 0) {
        memcpy(*at, segment.data, segment.bytes);
        *at += segment.bytes;
    }
}

static void carry_out_send(struct subtree_node *node,
                           const struct subtree_send *send)
{
    const struct circuit_message *message = &send->message;

    for (unsigned port = 0; port <= CIRCUIT_HOST; ++port) {
        struct circuit_segment body = message->body[port % TORUS_PORTS];
        struct letter *letter;
        struct torus_path path = message->path;
        uint8_t *at;

        if ((send->ports & 1u << port) == 0) {
            continue;
        }
        letter = letter_new(message->head.bytes + message->shared.bytes +
                            body.bytes);
        at = letter->data;
        append(&at, (struct circuit_segment){message->head.data +
                                                 port * message->head_stride,
                                             message->head.bytes});
        append(&at, message->shared);
        append(&at, body);
        letter->kind = message->kind;
        letter->job = send->job;
        path.port = (uint8_t)port;
        post(node, path, letter);
    }
}

/* One message of a row: of so many units, from the range's unit `position`
   on. */
static void carry_out_part(struct subtree_node *node,
                           const struct subtree_send *send, uint64_t position,
                           uint32_t units, uint32_t place)
{
    const struct circuit_rows *rows = &send->rows;
    const struct circuit_message *form = node->form[place & 0xffu];
    struct torus_path path;
    /* From rows->begin on. */
    int64_t from =
        rows->data - rows->begin + (int64_t)(position * send->cut.unit_bytes);
    int64_t to =
        from + (int64_t)units * send->cut.unit_bytes + send->cut.halo_bytes;
    struct letter *letter;
    uint8_t *at;

    from = from > 0 ? from : 0;
    to = to < rows->end - rows->begin ? to : rows->end - rows->begin;
    if (form == NULL || from > to) {
        subtree->stopped = true;
        return;
    }
    letter = letter_new(CIRCUIT_ROW_BYTES + rows->shared.bytes +
                        (uint32_t)(to - from));
    bytes_store_u32(letter->data, units);
    bytes_store_u32(letter->data + 4, rows->first_unit + (uint32_t)position);
    bytes_store_u32(letter->data + 8,
                    (rows->label & CIRCUIT_LABEL_OWN) +
                        circuit_label(send->cut.last_form, rows->shared.bytes) +
                        place);
    at = letter->data + CIRCUIT_ROW_BYTES;
    append(&at, rows->shared);
    append(&at,
           (struct circuit_segment){rows->begin + from, (uint32_t)(to - from)});
    letter->kind = form->kind;
    letter->job = send->cut.job;
    path = form->path;
    path.port = (uint8_t)(place >> 8);
    post(node, path, letter);
}

/* As hal/circuit.h draws them. */
static void carry_out_rows(struct subtree_node *node,
                           const struct subtree_send *send)
{
    const struct circuit_rows *rows = &send->rows;
    uint32_t extra = rows->extra_units;
    uint64_t position = rows->units;

    for (unsigned form = send->cut.form; form <= send->cut.last_form; ++form) {
        uint32_t volume = rows->volume_units[form];
        uint32_t more = extra < TORUS_PORTS ? extra : TORUS_PORTS;
        uint64_t row = (uint64_t)TORUS_PORTS * volume + more;
        uint64_t at;

        fuzz_check(row <= position, "rows have more units than their range");
        extra -= more;
        position -= row;
        at = position;
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            uint32_t units = volume + (port < more);

            if (units > 0) {
                carry_out_part(node, send, at, units, form | port << 8);
            }
            at += units;
        }
    }
}

/* What the switch does until the node's ring is empty. */
static void carry_out(struct subtree_node *node)
{
    while (node->sends != NULL) {
        struct subtree_send *send = node->sends;

        if (send->ports == 0) {
            carry_out_rows(node, send);
        } else {
            carry_out_send(node, send);
        }
        node->sends = send->next;
        free(send);
    }
    node->sends_end = &node->sends;
    node->send_count = 0;
}

static struct subtree_send *queue(struct subtree_node *node, unsigned ports)
{
    struct subtree_send *send = NULL;

    if (node->send_count < SENDS_MAX) {
        send = must(calloc(1, sizeof *send));
        send->ports = ports;
        *node->sends_end = send;
        node->sends_end = &send->next;
        node->send_count += 1;
    }
    return send;
}

static void check_segment(const struct subtree_node *node,
                          struct circuit_segment segment)
{
    fuzz_check(segment.bytes == 0 ||
                   is_inside(node, segment.data, segment.bytes),
               "a segment outside the node's memory is sent");
}

static bool leg_fits(uint32_t hops, const struct circuit *circuit)
{
    return hops > 0 && hops <= circuit->side;
}

int circuit_send(struct circuit *circuit, unsigned ports,
                 const struct circuit_message *message)
{
    struct subtree_node *node = circuit->board;
    struct torus_path path = message->path;
    struct subtree_send *send;

    fuzz_check(node->rest == NULL, "a send, no row, ahead of a message's end");
    fuzz_check(!node->corrupt || ports == 1u << CIRCUIT_HOST,
               "a damaged message is taken");
    fuzz_check(ports == 1u << CIRCUIT_HOST ||
                   (ports > 0 && ports < 1u << TORUS_PORTS),
               "ports that are none");
    path.port = TORUS_EAST;
    if (ports != 1u << CIRCUIT_HOST) {
        if (!leg_fits(path.hops, circuit) ||
            (path.turn != TORUS_STRAIGHT &&
             !leg_fits(path.hops_after, circuit))) {
            return ERR_NO_ROUTE;
        }
        fuzz_check(torus_path_valid(subtree->size, path),
                   "a path that is none");
    }
    check_segment(node, message->head);
    check_segment(node, message->shared);
    for (unsigned port = 0; port <= CIRCUIT_HOST; ++port) {
        if ((ports & 1u << port) != 0) {
            check_segment(node, message->body[port % TORUS_PORTS]);
        }
    }
    send = queue(node, ports);
    if (send == NULL) {
        return ERR_PORT_BUSY;
    }
    send->message = *message;
    send->job = circuit->job;
    return ERR_OK;
}

int circuit_prepare(struct circuit *circuit, unsigned form,
                    const struct circuit_message *message)
{
    struct subtree_node *node = circuit->board;

    fuzz_check(form > 0 && form < CIRCUIT_FORMS, "a form that is none");
    node->form[form] = message;
    return leg_fits(message->path.hops, circuit) ? ERR_OK : ERR_NO_ROUTE;
}

int circuit_send_rows(struct circuit *circuit, const struct circuit_cut *cut,
                      const struct circuit_rows *rows)
{
    struct subtree_node *node = circuit->board;
    struct subtree_send *send;

    fuzz_check(!node->corrupt, "a damaged message is taken");
    fuzz_check(node->rest == NULL, "rows ahead of a message's end");
    fuzz_check(cut->form > 0 && cut->form <= cut->last_form &&
                   cut->last_form < CIRCUIT_FORMS,
               "rows of forms that are none");
    check_segment(node, rows->shared);
    fuzz_check(rows->begin <= rows->end, "a range that ends before it begins");
    check_segment(node, (struct circuit_segment){
                            rows->begin, (uint32_t)(rows->end - rows->begin)});
    send = queue(node, 0);
    if (send == NULL) {
        return ERR_PORT_BUSY;
    }
    send->cut = *cut;
    send->rows = *rows;
    return ERR_OK;
}

void circuit_expect(struct circuit *circuit, const struct circuit_cut *cut)
{
    struct subtree_node *node = circuit->board;

    node->cut = *cut;
}

void circuit_post(struct circuit *circuit, uint32_t label)
{
    struct subtree_node *node = circuit->board;

    node->posted = label;
    node->is_posted = true;
}

int circuit_drain(struct circuit *circuit)
{
    struct subtree_node *node = circuit->board;

    fuzz_check(node->rest == NULL, "a drain ahead of a message's end");
    carry_out(node);
    return ERR_OK;
}

int circuit_quiet(struct circuit *circuit)
{
    (void)circuit;
    return ERR_OK;
}

int circuit_settle(struct circuit *circuit)
{
    (void)circuit;
    return ERR_OK;
}

void clock_account(struct clock *clock, uint64_t ps)
{
    clock->base_ps += ps;
}

/* ---- receives ---- */

static struct letter *take(struct subtree_node *node, unsigned ports,
                           unsigned kind)
{
    struct letter **at = &node->inbox;

    while (*at != NULL && ((ports & 1u << (*at)->port) == 0 ||
                           (kind != 0 && (*at)->kind != kind))) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        struct letter *letter = *at;

        *at = letter->next;
        letter->next = NULL;
        return letter;
    }
    return NULL;
}

/* Runs a node until it ends, or waits in vain for another job. */
static int run(struct subtree_node *node);

static void run_others(void)
{
    for (uint32_t i = 0; i < subtree->count; ++i) {
        struct subtree_node *node = subtree->node[i];

        if (!node->running && !node->ended && node->inbox != NULL) {
            (void)run(node);
            i = 0;
        }
    }
}

static struct letter *wait_for(struct subtree_node *node, unsigned ports,
                               unsigned kind)
{
    struct letter *letter = NULL;
    bool top = node == subtree->node[0];

    if (top && subtree->alone) {
        carry_out(node);
    }
    if (top) {
        letter = subtree->next(subtree->context, kind);
        if (letter != NULL && (ports & 1u << letter->port) == 0) {
            letter->port = (uint8_t)__builtin_ctz(ports);
        }
    }
    if (letter == NULL && (!top || kind != 0)) {
        letter = take(node, ports, kind);
    }
    if (letter == NULL && kind != 0) {
        carry_out(node);
        run_others();
        letter = take(node, ports, kind);
    }
    return letter;
}

/* Writes the message to where the node wants it, or as much of it as the head
   has: nothing behind that may be looked at. */
/* A message takes the post along that holds when it begins to come in. */
static void take_post(struct subtree_node *node, const struct letter *letter)
{
    const struct circuit_message *form = node->form[node->cut.form];

    node->has_post =
        node->is_posted && form != NULL && form->kind == letter->kind &&
        node->cut.job == letter->job && letter->bytes >= CIRCUIT_ROW_BYTES &&
        ((bytes_load_u32(letter->data + 8) ^ node->posted) &
         CIRCUIT_LABEL_POSTED) == 0;
    node->taken_label = node->posted;
    if (node->has_post) {
        node->is_posted = false;
    }
}

static int deliver(struct subtree_node *node, const struct letter *letter,
                   uint8_t *buffer, uint32_t capacity_bytes, unsigned ports)
{
    uint32_t bytes = CIRCUIT_HEADER_BYTES + letter->bytes;
    uint32_t head = ports >> 16;
    bool head_only = letter->head_only && head > 0 && bytes > head;

    if (bytes > capacity_bytes) {
        return ERR_BUFFER;
    }
    if (letter->damaged && !head_only) {
        memset(buffer, 0, bytes);
        node->corrupt = true;
        return ERR_CORRUPT;
    }
    memset(buffer, 0, CIRCUIT_HEADER_BYTES);
    buffer[CIRCUIT_AT_VERSION] = CIRCUIT_VERSION;
    buffer[CIRCUIT_AT_KIND] = letter->kind;
    bytes_store_u16(buffer + CIRCUIT_AT_JOB, letter->job);
    bytes_store_u32(buffer + CIRCUIT_AT_MESH, SUBTREE_MESH);
    bytes_store_u32(buffer + CIRCUIT_AT_LENGTH, letter->bytes);
    memcpy(buffer + CIRCUIT_HEADER_BYTES, letter->data, letter->bytes);
    if (!circuit_header_fits(&node->circuit, buffer, bytes)) {
        node->corrupt = letter->damaged;
        return letter->damaged ? ERR_CORRUPT : ERR_FOREIGN;
    }
    node->message = buffer + CIRCUIT_HEADER_BYTES;
    node->message_end = buffer + bytes;
    if (letter->kind < WIRE_OUTPUTS_OF(1)) {
        node->range = node->message;
        node->range_end = node->message_end;
    }
    node->rest = head_only ? buffer + head : NULL;
    node->rest_damaged = letter->damaged;
    take_post(node, letter);
    /* Around a result with an output, which comes to lie behind others, the
       engine saves and restores what is there; and the originator's plan lies
       behind the order, a master's workers behind its first chunk. */
    if (((node->at.x != 0 || node->at.y != 0) && (ports >> 8 & 0xffu) == 0 &&
         !subtree->builds) ||
        buffer < node->memory || buffer >= node->memory + MEMORY_BYTES) {
        hide(node, head_only ? node->rest : node->message_end,
             buffer + capacity_bytes);
    }
    return ERR_OK;
}

/* What of the message, now that all of it is there, the switch sends on by
   itself. */
static void forward(struct subtree_node *node)
{
    struct circuit_cut cut = node->cut;
    struct circuit_rows rows;
    struct subtree_send *send;

    if (!node->has_post ||
        !forward_rows(&rows, &cut, node->taken_label, node->message,
                      (uint32_t)(node->message_end - node->message))) {
        return;
    }
    send = queue(node, 0);
    if (send != NULL) {
        send->cut = cut;
        send->rows = rows;
    }
}

int circuit_receive(struct circuit *circuit, struct circuit_delivery *delivery,
                    unsigned ports, uint8_t *buffer, uint32_t capacity_bytes)
{
    struct subtree_node *node = circuit->board;
    struct letter *letter;
    int error;

    fuzz_check(node->rest == NULL, "a receive ahead of a message's end");
    fuzz_check(!node->corrupt, "a damaged message is taken");
    if (!is_inside(node, buffer, capacity_bytes)) {
        return ERR_BUFFER;
    }
    letter = wait_for(node, ports & 0x1fu, ports >> 8 & 0xffu);
    if (subtree->stopped) {
        free(letter);
        letter = NULL;
    }
    if (letter == NULL) {
        return ERR_DEAD_LINK;
    }
    subtree_show(node);
    *delivery =
        (struct circuit_delivery){.payload = buffer + CIRCUIT_HEADER_BYTES,
                                  .bytes = letter->bytes,
                                  .job = letter->job,
                                  .port = letter->port,
                                  .kind = letter->kind};
    error = deliver(node, letter, buffer, capacity_bytes, ports);
    if (error == ERR_OK && node->rest == NULL) {
        forward(node);
    }
    free(letter);
    return error;
}

/* Time does not pass here: what would come at all comes by the deadline. */
int circuit_receive_until(struct circuit *circuit,
                          struct circuit_delivery *delivery, unsigned ports,
                          uint8_t *buffer, uint32_t capacity_bytes,
                          uint64_t deadline_ps)
{
    bool has_end = deadline_ps < UINT64_MAX;
    int error;

    subtree->has_end = has_end;
    error = circuit_receive(circuit, delivery, ports, buffer, capacity_bytes);
    subtree->has_end = false;
    return error == ERR_DEAD_LINK && has_end && !subtree->stopped ? ERR_TIMEOUT
                                                                  : error;
}

/* Messages are kept until they are received. */
int circuit_receive_ahead(struct circuit *circuit, unsigned ports,
                          uint8_t *buffer, uint32_t capacity_bytes)
{
    fuzz_check(ports != 0 && is_inside(circuit->board, buffer, capacity_bytes),
               "a receive ahead that is none");
    return ERR_OK;
}

int circuit_complete(struct circuit *circuit)
{
    struct subtree_node *node = circuit->board;
    const uint8_t *end = node->hidden_end;

    if (node->rest == NULL) {
        return ERR_OK;
    }
    node->rest = NULL;
    if (node->rest_damaged) {
        node->corrupt = true;
        return ERR_CORRUPT;
    }
    if (end > node->hidden) { /* what is behind the head was hidden */
        subtree_show(node);
        hide(node, node->message_end, end);
    }
    forward(node);
    return ERR_OK;
}

/* ---- running ---- */

static void set_up(struct subtree_node *node)
{
    bool wide = subtree->size.width > subtree->size.height;

    if (node->memory == NULL) {
        node->memory = must(malloc(MEMORY_BYTES));
        node->circuit.aside = must(malloc(ASIDE_BYTES));
    }
    memset(&node->scatter, 0, sizeof node->scatter);
    memset(&node->clock, 0, sizeof node->clock);
    node->log.events_written = 0;
    node->node.identity =
        (struct node_identity){.mesh = SUBTREE_MESH,
                               .width = subtree->size.width,
                               .height = subtree->size.height,
                               .x = node->at.x,
                               .y = node->at.y,
                               .policy = (uint8_t)subtree->policy};
    node->circuit.board = node;
    node->circuit.node = &node->node;
    node->circuit.log = &node->log;
    node->circuit.clock = &node->clock;
    node->circuit.memory = node->memory;
    node->circuit.memory_bytes = MEMORY_BYTES;
    node->circuit.aside_bytes = ASIDE_BYTES;
    node->circuit.mesh = SUBTREE_MESH;
    node->circuit.job = CIRCUIT_ANY_JOB;
    node->circuit.side = wide ? subtree->size.width : subtree->size.height;
}

static int run(struct subtree_node *node)
{
    static const struct scatter_costs costs = {
        .split_ps = 1, .instruction_ps = 32000, .demand_ps = 17600000};
    struct subtree_node *before = subtree->current;
    unsigned returned = node->returned;
    int error;

    set_up(node);
    node->running = true;
    subtree->current = node;
    error = scatter_init(&node->scatter, &node->circuit, &subtree->kernel, 1,
                         &costs);
    if (error == ERR_OK) {
        error = scatter_run(&node->scatter);
    }
    fuzz_check(node->rest == NULL, "a node does not wait for a message's end");
    fuzz_check(!node->corrupt || error == ERR_CORRUPT,
               "a damaged message has another error");
    fuzz_check(error <= ERR_OK && error >= ERR_TERMS, "an error that is none");
    subtree_show(node);
    carry_out(node);
    node->running = false;
    subtree->current = before;
    /* Nodes of several jobs wait for the next one when they have had theirs. */
    if (error != ERR_DEAD_LINK || node->returned == returned) {
        node->ended = true;
        drop_inbox(node);
    }
    return error;
}

int subtree_run(struct subtree *what, struct torus_coord top)
{
    subtree = what;
    subtree->count = 0;
    subtree->current = NULL;
    subtree->stopped = false;
    return run(node_at(top));
}

void subtree_free(struct subtree *what)
{
    for (uint32_t i = 0; i < what->count; ++i) {
        struct subtree_node *node = what->node[i];

        drop_inbox(node);
        free(node->memory);
        free(node->circuit.aside);
        free(node);
    }
    what->count = 0;
}
