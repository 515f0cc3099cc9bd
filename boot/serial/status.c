/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/serial/status.h"

#include "boot/serial/pages.h"
#include "hal/board.h"
#include "hal/bytes.h"
#include "hal/names.h"
#include "kernels/kernel.h"
#include "scatter/engine/scatter.h"

static const char state_names[] = PEEK_STATE_NAMES;
static_assert(NODE_STATES == 9, "a name for each state");
static const char waypoint_names[] = PEEK_WAYPOINT_NAMES;
static_assert(PEEK_WAYPOINTS == 7, "a name for each waypoint");

static unsigned room(void *context)
{
    struct serial_node *node = context;

    return node->config.room(node->config.context);
}

static void put(void *context, const char *text, unsigned bytes)
{
    struct serial_node *node = context;

    node->config.write(node->config.context, text, bytes);
}

static bool sent(void *context)
{
    struct serial_node *node = context;

    return node->config.sent(node->config.context);
}

/* A job is on, from its order or its part to its end; what the originator has
   for its host may be fetched. */
static bool busy(void *context)
{
    const struct serial_node *node = context;

    return node->working && node->circuit.job != CIRCUIT_ANY_JOB &&
           node->mailbox.out == MAILBOX_EMPTY;
}

static void ident(void *context, struct shell_ident *ident)
{
    const struct serial_node *node = context;
    const struct node_identity *who = &node->node.identity;

    *ident = node->config.ident;
    ident->room_bytes =
        SCATTER_ROOM(node->config.memory_bytes, node->config.aside_bytes);
    ident->mesh = who->mesh;
    ident->size = (struct torus_size){who->width, who->height};
    ident->at = (struct torus_coord){who->x, who->y};
    ident->originator =
        (struct torus_coord){who->originator_x, who->originator_y};
}

static void status(void *context, struct shell_status *status)
{
    struct serial_node *node = context;
    const struct node_status *now = &node->node.status;
    const struct switch_last *last = &node->core.last;
    uint8_t page[SWITCH_STATUS_BYTES];
    uint32_t sent = 0;

    (void)serial_node_status(node, PEEK_STATE, page);
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        sent += node->core.counters[port].sent_messages +
                node->core.counters[port].received_messages;
    }
    *status = (struct shell_status){
        .state =
            names_at(state_names, now->state < NODE_STATES ? now->state : 0),
        .waypoint = names_at(waypoint_names, page[PEEK_AT_WAYPOINT]),
        .error = now->error,
        .circuits = sent,
        .last_port = last->count > 0 ? last->port : -1,
        .last_error = last->error,
        .last_bytes = last->bytes,
        .stack_bytes = board_stack_bytes(),
        .stack_used_bytes = board_stack_used_bytes(),
        .uptime_us = node->config.now_us(node->config.context)};
}

/* The link that discovery found at a port. */
static void link(void *context, struct shell_link *link, unsigned port)
{
    const struct serial_node *node = context;
    const struct discover *discover = &node->discover;
    unsigned lost = discover_lost(discover, port);

    *link = (struct shell_link){.result = "good"};
    link->known = discover_other(discover, port, &link->at, &link->port);
    if (lost == DISCOVER_TESTS) {
        link->result = "silent";
    } else if (lost > discover->config.lost_max) {
        link->result = "noisy";
    }
}

#define COUNTERS (sizeof(struct switch_counters) / 4)
static_assert(COUNTERS == 17, "a name for each counter");
static const char counter_names[] =
    "sent_messages\0sent_bytes\0received_messages\0received_bytes\0"
    "relayed_circuits\0relayed_frames\0refused\0retries\0"
    "retransmitted\0damaged\0lost\0stale\0meetings\0expired\0broken\0"
    "dead\0mended";

/* Those of the words behind `valid`. */
#define FAULT_WORDS (sizeof(struct node_fault) / 4 - 1)
static_assert(FAULT_WORDS == 15, "a name for each word");
static const char fault_names[] =
    "exception\0r0\0r1\0r2\0r3\0r12\0lr\0pc\0xpsr\0cfsr\0hfsr\0mmfar\0"
    "bfar\0sp\0check";

/* Both are structs of nothing but uint32_t. */
static const char *number(void *context, uint64_t *number, enum shell_list list,
                          unsigned port, unsigned index)
{
    const struct serial_node *node = context;
    const struct node_fault *fault = node->config.last_fault;

    if (list == SHELL_COUNTERS) {
        if (index >= COUNTERS + node->config.line_counters) {
            return NULL;
        }
        if (index >= COUNTERS) {
            index -= (unsigned)COUNTERS;
            *number = node->config.line(node->config.context, port)[index];
            return names_at(node->config.line_names, index);
        }
        *number = ((const uint32_t *)&node->core.counters[port])[index];
        return names_at(counter_names, index);
    }
    if (fault == NULL || index >= FAULT_WORDS) {
        return NULL;
    }
    *number = ((const uint32_t *)fault)[index + 1];
    return names_at(fault_names, index);
}

static void clear(void *context, enum shell_list list)
{
    struct serial_node *node = context;

    node->config.lock(node->config.context);
    if (list == SHELL_COUNTERS) {
        memset(node->core.counters, 0, sizeof node->core.counters);
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            memset(node->config.line(node->config.context, port), 0,
                   4 * node->config.line_counters);
        }
    } else {
        node->config.forget_faults(node->config.context);
        node->config.last_fault = NULL;
        node->config.faults = 0;
    }
    node->config.unlock(node->config.context);
}

/* The flags of the wave are the policy. */
static int mesh(void *context, struct torus_size size, struct torus_coord at,
                uint8_t policy)
{
    struct serial_node *node = context;
    int error;

    if (policy == SHELL_POLICY_OF_SIZE) {
        policy = policy_of_size(size);
    }
    if (policy_find(policy) == NULL) {
        return ERR_POLICY;
    }
    node->config.lock(node->config.context);
    error = discover_start(&node->discover, size, at, policy);
    node->config.unlock(node->config.context);
    node->shown = 0;
    return error;
}

static int mesh_fault(void *context, struct shell_mesh_fault *fault)
{
    struct serial_node *node = context;
    const struct discover *discover = &node->discover;
    const struct discover_fault *found;

    if (!discover_ready(discover)) {
        return SHELL_LATER;
    }
    if (node->shown >= discover->faults || node->shown >= DISCOVER_FAULTS_MAX) {
        return ERR_EMPTY;
    }
    found = &discover->fault[node->shown++];
    *fault = (struct shell_mesh_fault){
        .at = {found->x, found->y},
        .port = found->port,
        .what = names_at(DISCOVER_CODES, found->code < 9 ? found->code : 0),
        .leads = discover_leads(found),
        .to = {found->other_x, found->other_y},
        .to_port = found->other_port,
        .count = found->count};
    return ERR_OK;
}

/* ---- peeks ---- */

/* A command's last message, which was given up by who asked. */
static bool is_under_way(const struct switch_message *message)
{
    return message->state != SWITCH_IDLE && !switch_is_done(&message->state);
}

static int peek(void *context, struct torus_path path, uint8_t page,
                uint32_t argument)
{
    struct serial_node *node = context;
    struct serial_node_peek *peek = &node->peek[path.port];
    struct switch_message *message = &peek->message;

    if (is_under_way(message)) {
        return ERR_PORT_BUSY;
    }
    peek->question[0] = page;
    bytes_store_u32(peek->question + 1, argument);
    *message = (struct switch_message){
        .path = path,
        .kind = SWITCH_PEEK,
        .segment = {{peek->question, sizeof peek->question}},
        .reply = peek->answer,
        .state = SWITCH_DONE};
    node->config.lock(node->config.context);
    if (path.hops == 0) {
        message->reply_bytes = (uint8_t)serial_node_peeked(
            node, peek->question, sizeof peek->question, peek->answer);
    } else {
        switch_send(&node->core, message);
    }
    node->config.unlock(node->config.context);
    return ERR_OK;
}

static int peeked(void *context, const uint8_t **data, unsigned *bytes,
                  unsigned port)
{
    struct serial_node *node = context;
    const struct serial_node_peek *peek = &node->peek[port];

    if (!switch_is_done(&peek->message.state)) {
        return SHELL_LATER;
    }
    *data = peek->answer;
    *bytes = peek->message.reply_bytes;
    return peek->message.error;
}

/* "enws", as far as the mask has them; "-": none. */
static const char *ports_of(char text[TORUS_PORTS + 1], unsigned mask)
{
    static const char letters[] = "enws";
    unsigned length = 0;

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        if ((mask >> port & 1u) != 0) {
            text[length++] = letters[port];
        }
    }
    text[length] = '\0';
    return length > 0 ? text : "-";
}

static const char *state_of(const uint8_t *page)
{
    return page[PEEK_AT_STATE] < NODE_STATES
               ? names_at(state_names, page[PEEK_AT_STATE])
               : "?";
}

static const char *waypoint_of(const uint8_t *page)
{
    unsigned waypoint = page[PEEK_AT_WAYPOINT];

    return waypoint < PEEK_WAYPOINTS ? names_at(waypoint_names, waypoint) : "?";
}

static void put_state(struct line_writer *out, const uint8_t *page)
{
    unsigned flags = page[PEEK_AT_FLAGS];

    line_put(out, "state=%s waypoint=%s error=%d placed=%u x=%u y=%u job=%u",
             state_of(page), waypoint_of(page), (int8_t)page[PEEK_AT_ERROR],
             flags & PEEK_PLACED, page[PEEK_AT_X], page[PEEK_AT_Y],
             (flags & PEEK_JOB) != 0);
}

static void put_wait(struct line_writer *out, const uint8_t *page)
{
    unsigned last = page[PEEK_AT_LAST_PORT];
    char text[TORUS_PORTS + 1];

    char kernel[PEEK_KERNEL_BYTES + 1] = "-";

    if (page[PEEK_AT_KERNEL] != 0) {
        memcpy(kernel, page + PEEK_AT_KERNEL, PEEK_KERNEL_BYTES);
    }
    line_put(out, "kernel=%s round=%u", kernel, page[PEEK_AT_ROUND]);
    line_put(out, " from=%s kind=%u", ports_of(text, page[PEEK_AT_PORTS] & 15u),
             page[PEEK_AT_KIND]);
    line_put(out, " sending=%s",
             ports_of(text, (unsigned)page[PEEK_AT_PORTS] >> 4));
    if (last != PEEK_NONE) {
        line_put(out, " last=%s port=%s bytes=%u last_error=%d",
                 (last & 4u) != 0 ? "sent" : "received",
                 ports_of(text, 1u << (last & 3u)),
                 bytes_load_u32(page + PEEK_AT_LAST_BYTES),
                 (int8_t)page[PEEK_AT_LAST_ERROR]);
    }
}

static void put_times(struct line_writer *out, const uint8_t *page)
{
    line_put(out, "uptime_ms=%u still_ms=%u stack_used_bytes=%u jobs=%u",
             bytes_load_u32(page + PEEK_AT_UPTIME),
             bytes_load_u32(page + PEEK_AT_STILL),
             bytes_load_u16(page + PEEK_AT_STACK),
             bytes_load_u16(page + PEEK_AT_JOBS));
}

static void put_fault(struct line_writer *out, const uint8_t *page)
{
    line_put(out, "faults=%u", bytes_load_u16(page + PEEK_AT_FAULTS));
    if ((page[PEEK_AT_FLAGS] & PEEK_FAULT) != 0) {
        line_put(out, " exception=%u pc=%x lr=%x cfsr=%x",
                 page[PEEK_AT_EXCEPTION], bytes_load_u32(page + PEEK_AT_PC),
                 bytes_load_u32(page + PEEK_AT_LR),
                 bytes_load_u32(page + PEEK_AT_CFSR));
    }
}

static void put_counters(struct line_writer *out, const uint8_t *page)
{
    for (unsigned i = 0; i < PEEK_COUNTERS; ++i) {
        line_put(out, i > 0 ? " %s=%u" : "%s=%u",
                 names_at(PEEK_COUNTER_NAMES, i),
                 bytes_load_u32(page + PEEK_AT_COUNTER + 4 * i));
    }
}

static int peek_row(void *context, struct line_writer *out, unsigned port,
                    uint32_t row)
{
    static void (*const rows[])(struct line_writer *, const uint8_t *) = {
        put_state, put_wait, put_times, put_fault};
    struct serial_node *node = context;
    unsigned asked = node->peek[port].question[0];
    bool state = asked == PEEK_STATE || asked >= PEEK_COMMANDS;
    const uint8_t *page;
    unsigned bytes;
    int error = peeked(node, &page, &bytes, port);

    if (error != ERR_OK) {
        return error;
    }
    if (bytes < 1 || page[0] != PEEK_VERSION ||
        (state && bytes < PEEK_STATE_BYTES)) {
        return ERR_VERSION;
    }
    if (row >= (state ? 4u : 1u)) {
        return ERR_EMPTY;
    }
    if (state) {
        rows[row](out, page);
    } else if (asked == PEEK_COUNTS && bytes >= PEEK_COUNTS_BYTES) {
        put_counters(out, page);
    } else {
        line_put(out, "data=");
        line_put_data(out, page, bytes);
    }
    return ERR_OK;
}

static void inject(void *context, unsigned what)
{
    struct serial_node *node = context;

    node->node.identity.fault_injection = (uint16_t)what;
}

/* ---- pings and the rest ---- */

static int ping(void *context, struct torus_path path, uint32_t bytes)
{
    struct serial_node *node = context;

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
    node->config.lock(node->config.context);
    node->ping_retries = node->core.counters[path.port].retries;
    switch_set_time(&node->core, node->config.now_us(node->config.context));
    switch_send(&node->core, &node->ping);
    node->config.unlock(node->config.context);
    return ERR_OK;
}

static int ping_result(void *context, struct shell_ping *result)
{
    struct serial_node *node = context;
    const struct switch_message *ping = &node->ping;
    uint32_t retries = node->core.counters[ping->path.port].retries;

    if (!switch_is_done(&ping->state)) {
        return SHELL_LATER;
    }
    *result = (struct shell_ping){
        .error = ping->error,
        .setup_ns = (ping->accepted_us - ping->queued_us) * 1000u,
        .total_ns = (ping->done_us - ping->queued_us) * 1000u,
        .retries = retries - node->ping_retries};
    return ERR_OK;
}

static uint64_t clock_ps(void *context)
{
    const struct serial_node *node = context;

    return clock_now_ps(&node->clock);
}

static bool event(void *context, struct shell_event *event, uint32_t index)
{
    const struct serial_node *node = context;
    const struct node_event *from = &node->log.event[index];

    if (index >= node->log.events_written || index >= NODE_EVENTS) {
        return false;
    }
    *event = (struct shell_event){.time_ps = from->time_ps,
                                  .value = from->value,
                                  .kind = from->kind,
                                  .detail = from->detail};
    return true;
}

static void reset(void *context)
{
    struct serial_node *node = context;

    node->config.reset(node->config.context);
}

void serial_shell_init(struct shell_config *config, struct serial_node *node)
{
    *config = (struct shell_config){.context = node,
                                    .room = room,
                                    .write = put,
                                    .sent = sent,
                                    .busy = busy,
                                    .ident = ident,
                                    .status = status,
                                    .link = link,
                                    .number = number,
                                    .clear = clear,
                                    .mesh = mesh,
                                    .mesh_fault = mesh_fault,
                                    .ping = ping,
                                    .ping_result = ping_result,
                                    .peek = peek,
                                    .peek_row = peek_row,
                                    .peeked = peeked,
                                    .clock_ps = clock_ps,
                                    .inject = inject,
                                    .event = event,
                                    .reset = reset};
}
