/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of boot/shell/node.h for a node on serial lines. */
#include "boot/serial/state.h"
#include "boot/shell/node.h"
#include "hal/board.h"
#include "hal/bytes.h"
#include "hal/inject.h"
#include "hal/names.h"
#include "hal/serial/board.h"
#include "kernels/kernel.h"
#include "scatter/engine/scatter.h"

static_assert(NODE_STATES == 9, "a name for each state");
static_assert(PEEK_WAYPOINTS == 7, "a name for each waypoint");

/* An originator whose report waits for the host is not in a job. */
bool shell_node_busy(struct serial_node *node)
{
    return serial_node_has_job(node) && node->mailbox.out == MAILBOX_EMPTY;
}

static int row_ident(struct serial_node *node, struct line_writer *out,
                     uint32_t *cursor)
{
    const struct serial_node_config *config = &node->config;
    const struct node_identity *who = &node->node.identity;

    switch ((*cursor)++) {
    case 0:
        line_put(out, "board=%s version=%s", config->board, config->version);
        return ERR_OK;
    case 1:
        line_put(out, "mesh=%u width=%u height=%u x=%u y=%u originator=%u,%u",
                 who->mesh, who->width, who->height, who->x, who->y,
                 who->originator_x, who->originator_y);
        return ERR_OK;
    case 2:
        line_put(out,
                 "unique_id=%x%x%x image_crc=%x reset=%s clock=%s "
                 "clock_hz=%u crystal_hz=%u room=%u",
                 config->unique_id[0], config->unique_id[1],
                 config->unique_id[2], config->image_crc, config->reset_cause,
                 config->clock, config->clock_hz, config->crystal_hz,
                 SCATTER_ROOM(config->memory_bytes, config->aside_bytes));
        return ERR_OK;
    default:
        return ERR_EMPTY;
    }
}

static int row_links(struct serial_node *node, struct line_writer *out,
                     uint32_t *cursor)
{
    const struct discover *discover = &node->discover;
    unsigned port = (*cursor)++;
    const char *result = "good";
    struct torus_coord at;
    unsigned lost;
    uint8_t to;

    if (port >= TORUS_PORTS) {
        return ERR_EMPTY;
    }
    lost = discover_lost(discover, port);
    if (lost == DISCOVER_TESTS) {
        result = "silent";
    } else if (lost > discover->config.lost_max) {
        result = "noisy";
    }
    line_put(out, "port=%s test=%s", torus_port_names[port], result);
    if (discover_other(discover, port, &at, &to)) {
        line_put(out, " x=%u y=%u to=%s", at.x, at.y, torus_port_names[to]);
    }
    return ERR_OK;
}

#define COUNTERS (sizeof(struct switch_counters) / 4)
static_assert(COUNTERS == 17, "a name for each counter");
static const char counter_names[] =
    "sent_messages\0sent_bytes\0received_messages\0received_bytes\0"
    "relayed_circuits\0relayed_frames\0refused\0retries\0"
    "retransmitted\0damaged\0lost\0stale\0meetings\0expired\0broken\0"
    "dead\0mended";

/* Names of the counters line_reader.count[LINE_TEXT] and those after it. */
static_assert(LINE_STATUSES - LINE_TEXT == 6, "a name for each status");
static const char console_names[] = "lines\0long\0crc\0control\0damaged\0half";

/* Number and names of the words of struct node_fault after `valid`. */
#define FAULT_WORDS (sizeof(struct node_fault) / 4 - 1)
static_assert(FAULT_WORDS == 15, "a name for each word");
static const char fault_names[] =
    "exception\0r0\0r1\0r2\0r3\0r12\0lr\0pc\0xpsr\0cfsr\0hfsr\0mmfar\0"
    "bfar\0sp\0check";

#define NUMBER_BYTES 22u /* blank, '=' and a value of 20 characters at most */

/* Appends numbers with their names from *index on. Result: true if the line was
   full before the last number. */
static bool put_numbers(struct line_writer *out, const char *format,
                        const char *names, const uint32_t *value,
                        uint32_t count, uint32_t *index)
{
    for (; *index < count; ++*index) {
        const char *name = names_at(names, *index);

        if (out->bytes + strlen(name) + NUMBER_BYTES > LINE_TEXT_MAX) {
            return true;
        }
        line_put(out, out->bytes > 0 ? " %s=" : "%s=", name);
        line_put(out, format, value[*index]);
    }
    return false;
}

/* Cursor: bits 8 and up are the port, bits 0 to 7 the next counter's index. */
#define CURSOR_PORT 8u

static int row_counters(struct serial_node *node, struct line_writer *out,
                        uint32_t *cursor)
{
    unsigned port = *cursor >> CURSOR_PORT;
    uint32_t index = *cursor & ((1u << CURSOR_PORT) - 1u);
    bool more = false;

    if (port > TORUS_PORTS) {
        return ERR_EMPTY;
    }
    if (port == TORUS_PORTS) {
        line_put(out, "port=console");
        (void)put_numbers(out, "%u", console_names,
                          node->reader.count + LINE_TEXT,
                          LINE_STATUSES - LINE_TEXT, &index);
        line_put(out, " lost_bytes=%u", node->reader.lost);
    } else {
        line_put(out, "port=%s", torus_port_names[port]);
        more = put_numbers(out, "%u", counter_names,
                           (const uint32_t *)&node->core.counters[port],
                           COUNTERS, &index);
    }
    if (port < TORUS_PORTS && !more) {
        index -= (uint32_t)COUNTERS;
        more = put_numbers(out, "%u", node->config.line_names,
                           board_counters(port), node->config.line_counters,
                           &index);
        index += (uint32_t)COUNTERS;
    }
    *cursor = more ? port << CURSOR_PORT | index : (port + 1u) << CURSOR_PORT;
    return ERR_OK;
}

static int row_fault(struct serial_node *node, struct line_writer *out,
                     uint32_t *cursor)
{
    const struct node_fault *fault = board_last_fault();

    (void)node;
    if (fault == NULL || *cursor >= FAULT_WORDS) {
        return ERR_EMPTY;
    }
    (void)put_numbers(out, "%x", fault_names, (const uint32_t *)fault + 1,
                      FAULT_WORDS, cursor);
    return ERR_OK;
}

void shell_node_clear(struct serial_node *node, enum shell_list list)
{
    board_lock();
    if (list == SHELL_COUNTERS) {
        memset(node->core.counters, 0, sizeof node->core.counters);
        memset(node->reader.count, 0, sizeof node->reader.count);
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            memset(board_counters(port), 0, 4 * node->config.line_counters);
        }
    } else {
        board_forget_faults();
    }
    board_unlock();
}

int shell_node_mesh(struct serial_node *node, struct torus_size size,
                    struct torus_coord at, uint8_t policy)
{
    int error;

    if (policy == SHELL_POLICY_OF_SIZE) {
        policy = policy_of_size(size);
    }
    if (policy_find(policy) == NULL) {
        return ERR_POLICY;
    }
    board_lock();
    error = discover_start(&node->discover, size, at, policy);
    board_unlock();
    return error;
}

static const char *port_name(unsigned port)
{
    return port < TORUS_PORTS ? torus_port_names[port] : "none";
}

static int row_mesh(struct serial_node *node, struct line_writer *out,
                    uint32_t *cursor)
{
    const struct discover *discover = &node->discover;
    const struct discover_fault *found = &discover->fault[*cursor];

    if (!discover_ready(discover)) {
        return SHELL_LATER;
    }
    if (*cursor >= discover->faults || *cursor >= DISCOVER_FAULTS_MAX) {
        return ERR_EMPTY;
    }
    *cursor += 1;
    line_put(out, "x=%u y=%u port=%s fault=%s", found->x, found->y,
             port_name(found->port),
             names_at(DISCOVER_CODES,
                      found->code <= DISCOVER_TWISTED ? found->code : 0));
    if (discover_leads(found)) {
        line_put(out, " to_x=%u to_y=%u to_port=%s", found->other_x,
                 found->other_y, port_name(found->other_port));
    }
    if (found->count > 0) {
        line_put(out, " count=%u", found->count);
    }
    return ERR_OK;
}

static bool is_under_way(const struct switch_message *message)
{
    return message->state != SWITCH_IDLE && !switch_is_done(&message->state);
}

int shell_node_peek(struct serial_node *node, struct torus_path path,
                    uint8_t page, uint32_t argument)
{
    struct serial_node_peek *peek = &node->peek[path.port];
    struct switch_message *message = &peek->message;

    if (is_under_way(message)) {
        return ERR_PORT_BUSY;
    }
    node->peeked = path.port;
    peek->question[0] = page;
    bytes_store_u32(peek->question + 1, argument);
    *message = (struct switch_message){
        .path = path,
        .kind = SWITCH_PEEK,
        .segment = {{peek->question, sizeof peek->question}},
        .reply = peek->answer,
        .state = SWITCH_DONE};
    board_lock();
    if (path.hops == 0) {
        message->reply_bytes = (uint8_t)serial_node_peeked(
            node, peek->question, sizeof peek->question, peek->answer);
    } else {
        switch_send(&node->core, message);
    }
    board_unlock();
    return ERR_OK;
}

int shell_node_peeked(struct serial_node *node, const uint8_t **data,
                      unsigned *bytes, unsigned port)
{
    const struct serial_node_peek *peek = &node->peek[port];

    if (!switch_is_done(&peek->message.state)) {
        return SHELL_LATER;
    }
    *data = peek->answer;
    *bytes = peek->message.reply_bytes;
    return peek->message.error;
}

/* Appends the ports in the mask, such as "ew"; no port: "-". */
static void put_ports(struct line_writer *out, unsigned mask)
{
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        if ((mask >> port & 1u) != 0) {
            line_put(out, "%s", names_at("e\0n\0w\0s", port));
        }
    }
    if (mask == 0) {
        line_put(out, "-");
    }
}

static const char *name_of(const char *names, unsigned count, unsigned index)
{
    return index < count ? names_at(names, index) : "?";
}

static void put_wait(struct line_writer *out, const uint8_t *page)
{
    char kernel[PEEK_KERNEL_BYTES + 1] = "-";
    unsigned last = page[PEEK_AT_LAST_PORT];

    if (page[PEEK_AT_KERNEL] != 0) {
        memcpy(kernel, page + PEEK_AT_KERNEL, PEEK_KERNEL_BYTES);
    }
    line_put(out, "kernel=%s round=%u from=", kernel, page[PEEK_AT_ROUND]);
    put_ports(out, page[PEEK_AT_PORTS] & 15u);
    line_put(out, " kind=%u sending=", page[PEEK_AT_KIND]);
    put_ports(out, (unsigned)page[PEEK_AT_PORTS] >> 4);
    if (last != PEEK_NONE) {
        line_put(out, " last=%s port=", (last & 4u) != 0 ? "sent" : "received");
        put_ports(out, 1u << (last & 3u));
        line_put(out, " bytes=%u last_error=%d",
                 bytes_load_u32(page + PEEK_AT_LAST_BYTES),
                 (int8_t)page[PEEK_AT_LAST_ERROR]);
    }
}

#define STATE_ROWS 4u

static int row_state(struct line_writer *out, const uint8_t *page,
                     uint32_t *cursor)
{
    unsigned flags = page[PEEK_AT_FLAGS];

    switch ((*cursor)++) {
    case 0:
        line_put(out,
                 "state=%s waypoint=%s error=%d placed=%u x=%u y=%u job=%u",
                 name_of(PEEK_STATE_NAMES, NODE_STATES, page[PEEK_AT_STATE]),
                 name_of(PEEK_WAYPOINT_NAMES, PEEK_WAYPOINTS,
                         page[PEEK_AT_WAYPOINT]),
                 (int8_t)page[PEEK_AT_ERROR], flags & PEEK_PLACED,
                 page[PEEK_AT_X], page[PEEK_AT_Y], (flags & PEEK_JOB) != 0);
        return ERR_OK;
    case 1:
        put_wait(out, page);
        return ERR_OK;
    case 2:
        line_put(out, "uptime_ms=%u still_ms=%u stack_used_bytes=%u jobs=%u",
                 bytes_load_u32(page + PEEK_AT_UPTIME),
                 bytes_load_u32(page + PEEK_AT_STILL),
                 bytes_load_u16(page + PEEK_AT_STACK),
                 bytes_load_u16(page + PEEK_AT_JOBS));
        return ERR_OK;
    case 3:
        line_put(out, "faults=%u", bytes_load_u16(page + PEEK_AT_FAULTS));
        if ((flags & PEEK_FAULT) != 0) {
            line_put(out, " exception=%u pc=%x lr=%x cfsr=%x",
                     page[PEEK_AT_EXCEPTION], bytes_load_u32(page + PEEK_AT_PC),
                     bytes_load_u32(page + PEEK_AT_LR),
                     bytes_load_u32(page + PEEK_AT_CFSR));
        }
        return ERR_OK;
    default:
        return ERR_EMPTY;
    }
}

static int row_peek(struct serial_node *node, struct line_writer *out,
                    uint32_t *cursor)
{
    unsigned asked = node->peek[node->peeked].question[0];
    bool state = asked == PEEK_STATE || asked >= PEEK_COMMANDS;
    const uint8_t *page;
    unsigned bytes;
    int error = shell_node_peeked(node, &page, &bytes, node->peeked);

    if (error != ERR_OK) {
        return error;
    }
    if (bytes < (state ? PEEK_STATE_BYTES : 1) || page[0] != PEEK_VERSION) {
        return ERR_VERSION;
    }
    if (state) {
        return row_state(out, page, cursor);
    }
    if ((*cursor)++ > 0) {
        return ERR_EMPTY;
    }
    if (asked == PEEK_COUNTS && bytes >= PEEK_COUNTS_BYTES) {
        for (unsigned i = 0; i < PEEK_COUNTERS; ++i) {
            line_put(out, i > 0 ? " %s=%u" : "%s=%u",
                     names_at(PEEK_COUNTER_NAMES, i),
                     bytes_load_u32(page + PEEK_AT_COUNTER + 4 * i));
        }
    } else {
        line_put(out, "data=");
        line_put_data(out, page, bytes);
    }
    return ERR_OK;
}

/* Appends the next row: those of a page PEEK_STATE, then the stack's size. */
static int row_ps(struct serial_node *node, struct line_writer *out,
                  uint32_t *cursor)
{
    uint8_t page[SWITCH_STATUS_BYTES];
    int error;

    node->node.status.stack_used_bytes = board_stack_used_bytes();
    (void)serial_node_status(node, PEEK_STATE, page);
    error = row_state(out, page, cursor);
    if (*cursor == STATE_ROWS + 1) {
        line_put(out, "stack_bytes=%u", board_stack_bytes());
        error = ERR_OK;
    }
    return error;
}

int shell_node_ping(struct serial_node *node, struct torus_path path,
                    uint32_t bytes)
{
    if (is_under_way(&node->ping)) {
        return ERR_PORT_BUSY;
    }
    node->ping = (struct switch_message){
        .path = path,
        .kind = SWITCH_PING,
        .segment = {{(const uint8_t *)node->config.memory,
                     bytes < node->config.memory_bytes
                         ? bytes
                         : node->config.memory_bytes}}};
    board_lock();
    node->ping_retries = node->core.counters[path.port].retries;
    switch_set_time(&node->core, board_now_us());
    switch_send(&node->core, &node->ping);
    board_unlock();
    return ERR_OK;
}

static int row_ping(struct serial_node *node, struct line_writer *out,
                    uint32_t *cursor)
{
    const struct switch_message *ping = &node->ping;
    uint32_t retries = node->core.counters[ping->path.port].retries;

    if (!switch_is_done(&ping->state)) {
        return SHELL_LATER;
    }
    line_put(out, "circuit=%u error=%d setup_ns=%u total_ns=%u retries=%u",
             (*cursor)++, ping->error,
             (ping->accepted_us - ping->queued_us) * 1000u,
             (ping->done_us - ping->queued_us) * 1000u,
             retries - node->ping_retries);
    return ERR_OK;
}

static int row_clock(struct serial_node *node, struct line_writer *out,
                     uint32_t *cursor)
{
    *cursor += 1;
    line_put(out, "ps=%l", clock_now_ps(&node->clock));
    return ERR_OK;
}

static int row_trace(struct serial_node *node, struct line_writer *out,
                     uint32_t *cursor)
{
    const struct node_event *event = &node->log.event[*cursor];

    if (*cursor >= node->log.events_written || *cursor >= NODE_EVENTS) {
        return ERR_EMPTY;
    }
    *cursor += 1;
    line_put(out, "ps=%l kind=%u detail=%u value=%u", event->time_ps,
             event->kind, event->detail, event->value);
    return ERR_OK;
}

bool shell_node_inject(struct serial_node *node, const char *name)
{
    return inject_named != NULL && inject_named(&node->node.identity, name);
}

int shell_node_row(struct serial_node *node, struct line_writer *out,
                   enum shell_list list, uint32_t *cursor)
{
    static int (*const rows[])(struct serial_node *, struct line_writer *,
                               uint32_t *) = {
        [SHELL_IDENT] = row_ident, [SHELL_PS] = row_ps,
        [SHELL_LINKS] = row_links, [SHELL_COUNTERS] = row_counters,
        [SHELL_FAULT] = row_fault, [SHELL_TRACE] = row_trace,
        [SHELL_CLOCK] = row_clock, [SHELL_MESH] = row_mesh,
        [SHELL_PING] = row_ping,   [SHELL_PEEK] = row_peek};

    return rows[list](node, out, cursor);
}
