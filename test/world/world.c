/* SPDX-License-Identifier: Apache-2.0 */
#include "test/world/world.h"

#include "hal/rows.h"
#include "scatter/engine/scatter.h"

#include <stdlib.h>
#include <string.h>

#define ASIDE_BYTES (((uint32_t)sizeof(struct scatter_memory) + 7u) & ~7u)
#define SENDS_MAX 1024u /* that a ring holds */

/* What a node has, one behind the other, with poison between and behind: a
   guard that nobody may touch, its stack, its memory, and that aside. */
#ifndef STACK_BYTES /* a board has less memory, and guards none */
#define GUARD_BYTES 65536u
#define STACK_BYTES 131072u
#endif
#define POISON_BYTES 64u
#define STACK_AT GUARD_BYTES
#define MEMORY_AT (STACK_AT + STACK_BYTES + POISON_BYTES)
#define ASIDE_AT (MEMORY_AT + WORLD_MEMORY_BYTES + POISON_BYTES)
#define REGION_BYTES (ASIDE_AT + ASIDE_BYTES + POISON_BYTES)

struct world_send {
    struct world_send *next;
    uint16_t job;
    unsigned ports; /* 0: rows */
    struct circuit_message message;
    struct circuit_cut cut;
    struct circuit_rows rows;
};

static struct world *world;

/* Regions that no node has, which the next worlds take. */
static uint8_t *spare[WORLD_NODES_MAX];
static uint32_t spares;

struct world *world_now(void)
{
    return world;
}

static void *must(void *memory)
{
    world_check(memory != NULL, "no memory");
    return memory;
}

uint32_t world_chance(uint32_t below)
{
    uint64_t z;

    if (world->seed == 0) {
        return 0;
    }
    z = world->seed += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)(((z ^ z >> 31) >> 32) % below);
}

/* ---- letters ---- */

struct letter *letter_new(unsigned kind, uint16_t job, uint32_t bytes)
{
    struct letter *letter = must(calloc(1, sizeof *letter + bytes));

    letter->kind = (uint8_t)kind;
    letter->job = job;
    letter->bytes = bytes;
    letter->any_port = true;
    return letter;
}

struct letter *letter_copy(const struct letter *letter, uint32_t more_bytes)
{
    struct letter *copy =
        letter_new(letter->kind, letter->job, letter->bytes + more_bytes);

    memcpy(copy, letter, sizeof *letter + letter->bytes);
    copy->next = NULL;
    copy->bytes += more_bytes;
    return copy;
}

static void append_letter(struct letter **list, struct letter *letter)
{
    while (*list != NULL) {
        list = &(*list)->next;
    }
    letter->next = NULL;
    *list = letter;
}

static struct letter *remove_first(struct letter **list)
{
    struct letter *letter = *list;

    *list = letter->next;
    letter->next = NULL;
    return letter;
}

static void drop_letters(struct letter **list)
{
    while (*list != NULL) {
        free(remove_first(list));
    }
}

/* ---- memory ---- */

static bool lies_in(const uint8_t *memory, uint32_t memory_bytes,
                    const uint8_t *data, uint64_t bytes)
{
    return data >= memory && data <= memory + memory_bytes &&
           bytes <= (uint64_t)(memory + memory_bytes - data);
}

static bool is_inside(const struct world_node *node, const uint8_t *data,
                      uint64_t bytes)
{
    const struct circuit *circuit = &node->circuit;

    return lies_in(circuit->memory, circuit->memory_bytes, data, bytes) ||
           lies_in(circuit->aside, circuit->aside_bytes, data, bytes);
}

static void hide(struct world_node *node, const uint8_t *from,
                 const uint8_t *end)
{
    node->hidden = from;
    node->hidden_end = end;
    ASAN_POISON_MEMORY_REGION(from, (size_t)(end - from));
}

void world_show(struct world_node *node)
{
    ASAN_UNPOISON_MEMORY_REGION(node->hidden,
                                (size_t)(node->hidden_end - node->hidden));
    node->hidden_end = node->hidden;
}

/* ---- nodes ---- */

/* An earlier node's frames are poisoned yet. */
static uint8_t *take_region(void)
{
    uint8_t *region = spares > 0 ? spare[--spares] : NULL;

    if (region == NULL) {
        region = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        world_check(region != MAP_FAILED &&
                        mprotect(region, GUARD_BYTES, PROT_NONE) == 0,
                    "no memory for a node");
    }
    ASAN_UNPOISON_MEMORY_REGION(region + STACK_AT, REGION_BYTES - STACK_AT);
    ASAN_POISON_MEMORY_REGION(region + MEMORY_AT - POISON_BYTES, POISON_BYTES);
    ASAN_POISON_MEMORY_REGION(region + ASIDE_AT - POISON_BYTES, POISON_BYTES);
    ASAN_POISON_MEMORY_REGION(region + REGION_BYTES - POISON_BYTES,
                              POISON_BYTES);
    return region;
}

static void set_up(struct world_node *node)
{
    bool wide = world->size.width > world->size.height;

    node->region = take_region();
    node->memory = node->region + MEMORY_AT;
    node->node.identity =
        (struct node_identity){.mesh = WORLD_MESH,
                               .width = world->size.width,
                               .height = world->size.height,
                               .x = node->at.x,
                               .y = node->at.y,
                               .policy = (uint8_t)world->policy};
    node->circuit =
        (struct circuit){.board = node,
                         .node = &node->node,
                         .log = &node->log,
                         .clock = &node->clock,
                         .memory = node->memory,
                         .memory_bytes = WORLD_MEMORY_BYTES,
                         .aside = node->region + ASIDE_AT,
                         .aside_bytes = ASIDE_BYTES,
                         .mesh = WORLD_MESH,
                         .job = CIRCUIT_ANY_JOB,
                         .side = wide ? world->size.width : world->size.height};
}

struct world_node *world_node(struct torus_coord at)
{
    struct world_node *node;

    for (uint32_t i = 0; i < world->count; ++i) {
        node = world->node[i];
        if (node->at.x == at.x && node->at.y == at.y) {
            return node;
        }
    }
    if (world->count == WORLD_NODES_MAX) {
        return NULL;
    }
    node = must(calloc(1, sizeof *node));
    node->at = at;
    node->error = ERR_DEAD_LINK;
    node->sends_end = &node->sends;
    set_up(node);
    world->node[world->count++] = node;
    return node;
}

void world_put(struct world_node *to, struct letter *letter)
{
    if (to->ended) {
        free(letter);
    } else if (letter->held) {
        letter->to = to->at;
        append_letter(&world->held, letter);
    } else {
        append_letter(&to->inbox, letter);
        to->news = true;
    }
}

/* Hands a message over to the node at the path's end, or to the caller. */
static void post(struct world_node *from, struct torus_path path,
                 struct letter *letter)
{
    bool host = path.port == CIRCUIT_HOST;
    struct world_node *to = NULL;

    letter->to = host ? from->at : torus_path_end(world->size, from->at, path);
    letter->port =
        host ? (uint8_t)CIRCUIT_HOST : (uint8_t)torus_path_arrival(path);
    letter->any_port = false;
    letter->sent_ps = clock_now_ps(&from->clock);
    letter->head_only = world_chance(2) != 0;
    if (world->sent != NULL) {
        letter = world->sent(world->context, from, letter);
    }
    if (letter != NULL && !host) {
        to = world_node(letter->to);
    }
    if (to == NULL) {
        free(letter);
    } else {
        world_put(to, letter);
    }
}

/* ---- sends ---- */

static void append(uint8_t **at, struct circuit_segment segment)
{
    if (segment.bytes > 0) {
        memcpy(*at, segment.data, segment.bytes);
        *at += segment.bytes;
    }
}

static void carry_out_send(struct world_node *node,
                           const struct world_send *send)
{
    const struct circuit_message *message = &send->message;

    for (unsigned port = 0; port <= CIRCUIT_HOST; ++port) {
        struct circuit_segment body = message->body[port % TORUS_PORTS];
        struct circuit_segment head = {message->head.data +
                                           port * message->head_stride,
                                       message->head.bytes};
        struct torus_path path = message->path;
        struct letter *letter;
        uint8_t *at;

        if ((send->ports & 1u << port) == 0) {
            continue;
        }
        letter = letter_new(message->kind, send->job,
                            head.bytes + message->shared.bytes + body.bytes);
        at = letter->data;
        append(&at, head);
        append(&at, message->shared);
        append(&at, body);
        path.port = (uint8_t)port;
        post(node, path, letter);
    }
}

/* One message of a row: of so many units, from the range's unit `position`
   on. */
static void carry_out_part(struct world_node *node,
                           const struct world_send *send, uint64_t position,
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
        world->stopped = true;
        return;
    }
    letter = letter_new(form->kind, send->cut.job,
                        CIRCUIT_ROW_BYTES + rows->shared.bytes +
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
    path = form->path;
    path.port = (uint8_t)(place >> 8);
    post(node, path, letter);
}

/* As hal/circuit.h draws them. */
static void carry_out_rows(struct world_node *node,
                           const struct world_send *send)
{
    const struct circuit_rows *rows = &send->rows;
    uint32_t extra = rows->extra_units;
    uint64_t position = rows->units;

    for (unsigned form = send->cut.form; form <= send->cut.last_form; ++form) {
        uint32_t volume = rows->volume_units[form];
        uint32_t more = extra < TORUS_PORTS ? extra : TORUS_PORTS;
        uint64_t row = (uint64_t)TORUS_PORTS * volume + more;
        uint64_t at;

        world_check(row <= position, "rows have more units than their range");
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
static void carry_out(struct world_node *node)
{
    while (node->sends != NULL) {
        struct world_send *send = node->sends;

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

static int queue(struct world_node *node, struct world_send send)
{
    struct world_send *last;

    if (node->send_count == SENDS_MAX) {
        return ERR_PORT_BUSY;
    }
    last = must(malloc(sizeof *last));
    *last = send;
    *node->sends_end = last;
    node->sends_end = &last->next;
    node->send_count += 1;
    return ERR_OK;
}

static void check_segment(const struct world_node *node,
                          struct circuit_segment segment)
{
    world_check(segment.bytes == 0 ||
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
    struct world_node *node = circuit->board;
    struct torus_path path = message->path;
    bool host = ports == 1u << CIRCUIT_HOST;

    world_check(node->rest == NULL, "a send, no row, ahead of a message's end");
    world_check(!node->corrupt || host, "a damaged message is taken");
    world_check(host || (ports > 0 && ports < 1u << TORUS_PORTS),
                "ports that are none");
    path.port = TORUS_EAST;
    if (!host) {
        if (!leg_fits(path.hops, circuit) ||
            (path.turn != TORUS_STRAIGHT &&
             !leg_fits(path.hops_after, circuit))) {
            return ERR_NO_ROUTE;
        }
        world_check(torus_path_valid(world->size, path), "a path that is none");
    }
    check_segment(node, message->head);
    check_segment(node, message->shared);
    for (unsigned port = 0; port <= CIRCUIT_HOST; ++port) {
        if ((ports & 1u << port) != 0) {
            check_segment(node, message->body[port % TORUS_PORTS]);
        }
    }
    return queue(node, (struct world_send){.ports = ports,
                                           .message = *message,
                                           .job = circuit->job});
}

int circuit_prepare(struct circuit *circuit, unsigned form,
                    const struct circuit_message *message)
{
    struct world_node *node = circuit->board;

    world_check(form > 0 && form < CIRCUIT_FORMS, "a form that is none");
    node->form[form] = message;
    return leg_fits(message->path.hops, circuit) ? ERR_OK : ERR_NO_ROUTE;
}

int circuit_send_rows(struct circuit *circuit, const struct circuit_cut *cut,
                      const struct circuit_rows *rows)
{
    struct world_node *node = circuit->board;

    world_check(!node->corrupt, "a damaged message is taken");
    world_check(node->rest == NULL, "rows ahead of a message's end");
    world_check(cut->form > 0 && cut->form <= cut->last_form &&
                    cut->last_form < CIRCUIT_FORMS,
                "rows of forms that are none");
    check_segment(node, rows->shared);
    world_check(rows->begin <= rows->end, "a range that ends before it begins");
    check_segment(node, (struct circuit_segment){
                            rows->begin, (uint32_t)(rows->end - rows->begin)});
    return queue(node, (struct world_send){.cut = *cut, .rows = *rows});
}

void circuit_expect(struct circuit *circuit, const struct circuit_cut *cut)
{
    struct world_node *node = circuit->board;

    node->cut = *cut;
}

void circuit_post(struct circuit *circuit, uint32_t label)
{
    struct world_node *node = circuit->board;

    node->posted = label;
    node->is_posted = true;
}

int circuit_drain(struct circuit *circuit)
{
    struct world_node *node = circuit->board;

    world_check(node->rest == NULL, "a drain ahead of a message's end");
    carry_out(node);
    return ERR_OK;
}

/* In this world every message can be sent. */
bool circuit_failed(struct circuit *circuit, struct circuit_failure *failure)
{
    (void)circuit;
    (void)failure;
    return false;
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

int circuit_ask(struct circuit *circuit, unsigned ports, struct torus_path path,
                unsigned *lost)
{
    (void)circuit;
    (void)ports;
    (void)path;
    *lost = 0;
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

static bool fits(const struct world_node *node, const struct letter *letter)
{
    return (letter->any_port || (node->ports & 1u << letter->port) != 0) &&
           (node->kind == 0 || node->kind == letter->kind);
}

static struct letter *take(struct world_node *node)
{
    struct letter **at = &node->inbox;

    if (world->stopped) {
        return NULL;
    }
    while (*at != NULL && !fits(node, *at)) {
        at = &(*at)->next;
    }
    return *at != NULL ? remove_first(at) : NULL;
}

/* Lets others run until something has come, or the deadline has. */
static struct letter *wait_for(struct world_node *node)
{
    struct letter *letter;

    if (world->prompt) {
        carry_out(node);
    }
    letter = take(node);
    if (letter != NULL) {
        return letter;
    }
    carry_out(node);
    node->in_vain = node->has_end && world_chance(2) != 0;
    for (letter = take(node); letter == NULL && !node->in_vain;
         letter = take(node)) {
        node->news = false;
        swapcontext(&node->context, &world->caller);
    }
    return letter;
}

/* A message takes the post along that holds when it begins to come in. */
static void take_post(struct world_node *node, const struct letter *letter)
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

static void write_message(uint8_t *buffer, const struct letter *letter)
{
    memset(buffer, 0, CIRCUIT_HEADER_BYTES);
    buffer[CIRCUIT_AT_VERSION] = CIRCUIT_VERSION;
    buffer[CIRCUIT_AT_KIND] = letter->kind;
    bytes_store_u16(buffer + CIRCUIT_AT_JOB, letter->job);
    bytes_store_u32(buffer + CIRCUIT_AT_MESH, WORLD_MESH);
    bytes_store_u32(buffer + CIRCUIT_AT_LENGTH, letter->bytes);
    memcpy(buffer + CIRCUIT_HEADER_BYTES, letter->data, letter->bytes);
}

/* Writes the message to where the node wants it. Of one whose head comes first,
   nothing behind that may be looked at. */
static int deliver(struct world_node *node, const struct letter *letter,
                   uint8_t *buffer, uint32_t capacity_bytes, uint32_t head)
{
    uint32_t bytes = CIRCUIT_HEADER_BYTES + letter->bytes;
    bool head_only = letter->head_only && head > 0 && bytes > head;
    bool originator = node->at.x == 0 && node->at.y == 0;

    if (bytes > capacity_bytes) {
        return ERR_BUFFER;
    }
    if (letter->damaged && !head_only) {
        memset(buffer, 0, bytes);
        node->corrupt = true;
        return ERR_CORRUPT;
    }
    write_message(buffer, letter);
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
    if ((!originator && node->kind == 0 && !world->builds) ||
        !lies_in(node->memory, WORLD_MEMORY_BYTES, buffer, 0)) {
        hide(node, head_only ? node->rest : node->message_end,
             buffer + capacity_bytes);
    }
    return ERR_OK;
}

/* What of the message, now that all of it is there, the switch sends on by
   itself. */
static void forward(struct world_node *node)
{
    struct world_send send = {.cut = node->cut};

    if (node->has_post &&
        rows_forward(&send.rows, &send.cut, node->taken_label, node->message,
                     (uint32_t)(node->message_end - node->message))) {
        (void)!queue(node, send);
    }
}

static int receive(struct world_node *node, struct circuit_delivery *delivery,
                   unsigned ports, uint8_t *buffer, uint32_t capacity_bytes)
{
    struct letter *letter;
    int error;

    world_check(node->rest == NULL, "a receive ahead of a message's end");
    world_check(!node->corrupt, "a damaged message is taken");
    if (!is_inside(node, buffer, capacity_bytes)) {
        return ERR_BUFFER;
    }
    node->ports = ports & 0x1fu;
    node->kind = ports >> 8 & 0xffu;
    if (node->kind == CIRCUIT_KIND_ASK) {
        return ERR_KIND; /* there are no calls */
    }
    letter = wait_for(node);
    if (letter == NULL) {
        return ERR_TIMEOUT;
    }
    if ((node->ports & 1u << letter->port) == 0) {
        letter->port = (uint8_t)__builtin_ctz(node->ports);
    }
    world_show(node);
    if (world->taken != NULL) {
        world->taken(world->context, node, letter);
    }
    clock_start(&node->clock, letter->sent_ps);
    *delivery =
        (struct circuit_delivery){.payload = buffer + CIRCUIT_HEADER_BYTES,
                                  .bytes = letter->bytes,
                                  .job = letter->job,
                                  .port = letter->port,
                                  .kind = letter->kind};
    error = deliver(node, letter, buffer, capacity_bytes, ports >> 16);
    if (error == ERR_OK && node->rest == NULL) {
        forward(node);
    }
    free(letter);
    return error;
}

int circuit_receive(struct circuit *circuit, struct circuit_delivery *delivery,
                    unsigned ports, uint8_t *buffer, uint32_t capacity_bytes)
{
    struct world_node *node = circuit->board;

    node->has_end = false;
    return receive(node, delivery, ports, buffer, capacity_bytes);
}

/* Most deadlines in a row that come before a letter. */
#define VAIN_MOST 4u

int circuit_receive_until(struct circuit *circuit,
                          struct circuit_delivery *delivery, unsigned ports,
                          uint8_t *buffer, uint32_t capacity_bytes,
                          uint64_t deadline_ps)
{
    struct world_node *node = circuit->board;
    bool later = deadline_ps > clock_now_ps(&node->clock);
    int error;

    /* Who waits again and again would do so for ever. */
    node->has_end =
        deadline_ps < UINT64_MAX && !(later && node->vain >= VAIN_MOST);
    error = receive(node, delivery, ports, buffer, capacity_bytes);
    node->vain = error == ERR_TIMEOUT ? node->vain + later : 0;
    if (error == ERR_TIMEOUT) {
        clock_start(&node->clock, deadline_ps);
    }
    return error;
}

/* Messages are kept until they are received. */
int circuit_receive_ahead(struct circuit *circuit, unsigned ports,
                          uint8_t *buffer, uint32_t capacity_bytes)
{
    world_check(ports != 0 && is_inside(circuit->board, buffer, capacity_bytes),
                "a receive ahead that is none");
    return ERR_OK;
}

int circuit_complete(struct circuit *circuit)
{
    struct world_node *node = circuit->board;
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
        world_show(node);
        hide(node, node->message_end, end);
    }
    forward(node);
    return ERR_OK;
}

/* ---- running ---- */

/* What a node's coroutine does. */
static void run_node(void)
{
    static const struct scatter_costs costs = {.split_ps = 1,
                                               .instruction_ps = 32000,
                                               .demand_ps = 17600000,
                                               .tree_sends = 768,
                                               .tree_holds = true};
    struct world_node *node = world->current;
    int error;

    do {
        node->corrupt = false;
        error = scatter_init(&node->scatter, &node->circuit, &world->kernel, 1,
                             &costs);
        if (error == ERR_OK) {
            error = scatter_run(&node->scatter);
        }
        world_check(node->rest == NULL,
                    "a node does not wait for a message's end");
        world_check(!node->corrupt || error == ERR_CORRUPT,
                    "a damaged message has another error");
        world_check(error <= ERR_OK && error >= ERR_MERGE,
                    "an error that is none");
        world_show(node);
        carry_out(node);
    } while (error != ERR_OK && world->goes_on && node->inbox != NULL);
    drop_letters(&node->inbox);
    node->error = error;
    node->ended = true;
    swapcontext(&node->context, &world->caller);
}

static void begin_node(struct world_node *node)
{
    node->begun = true;
    getcontext(&node->context);
    node->context.uc_stack.ss_sp = node->region + STACK_AT;
    node->context.uc_stack.ss_size = STACK_BYTES;
    node->context.uc_link = NULL;
    makecontext(&node->context, run_node, 0);
}

static void resume(struct world_node *node)
{
    if (!node->begun) {
        begin_node(node);
    }
    world->current = node;
    swapcontext(&world->caller, &node->context);
    world->current = NULL;
}

/* One that has news, or, `in_vain`, one that waits with a deadline; from any
   place on. */
static struct world_node *find_ready(bool in_vain)
{
    uint32_t from = world_chance(world->count);

    for (uint32_t i = 0; i < world->count; ++i) {
        struct world_node *node = world->node[(from + i) % world->count];

        if (!node->ended &&
            (in_vain ? node->begun && node->has_end : node->news)) {
            return node;
        }
    }
    return NULL;
}

void world_run(void)
{
    while (!world->stopped) {
        struct world_node *node = find_ready(false);

        if (node == NULL && world->held != NULL) {
            struct letter *letter = remove_first(&world->held);

            letter->held = false;
            world_put(world_node(letter->to), letter);
            continue;
        }
        if (node == NULL) {
            node = find_ready(true);
            if (node == NULL) {
                return;
            }
            node->in_vain = true;
        }
        resume(node);
    }
}

void world_begin(struct world *what)
{
    world = what;
    world->count = 0;
    world->current = NULL;
    world->stopped = false;
    world->held = NULL;
}

static void free_node(struct world_node *node)
{
    world_show(node);
    drop_letters(&node->inbox);
    while (node->sends != NULL) {
        struct world_send *next = node->sends->next;

        free(node->sends);
        node->sends = next;
    }
    spare[spares++] = node->region;
    free(node);
}

void world_free(struct world *what)
{
    for (uint32_t i = 0; i < what->count; ++i) {
        free_node(what->node[i]);
    }
    drop_letters(&what->held);
    what->count = 0;
}
