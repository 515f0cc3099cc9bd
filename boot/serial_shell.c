/* SPDX-License-Identifier: Apache-2.0 */
/* What the console's commands find and do on a node on serial lines. */
#include "boot/serial_node.h"

#include "hal/board.h"

static const char *const state_names[NODE_STATES] = {
    "reset",     "waiting", "planning", "scattering", "computing",
    "gathering", "done",    "failed",   "fault"};

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
    ident->room_bytes = SCATTER_ROOM(node->config.memory_bytes);
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
    uint32_t sent = 0;

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        sent += node->core.counters[port].sent_messages +
                node->core.counters[port].received_messages;
    }
    *status = (struct shell_status){
        .state = state_names[now->state < NODE_STATES ? now->state : 0],
        .waypoint = node->working ? "job" : "idle",
        .error = now->error,
        .circuits = sent,
        .last_port = node->serial.receive.state == SWITCH_DONE
                         ? node->serial.receive.port
                         : -1,
        .last_error = node->serial.receive.error,
        .last_bytes = node->serial.receive.bytes,
        .stack_bytes = board_stack_bytes(),
        .stack_used_bytes = board_stack_used_bytes(),
        .uptime_us = node->config.now_us(node->config.context)};
}

/* What discovery found at a port. */
static void link(void *context, struct shell_link *link, unsigned port)
{
    const struct serial_node *node = context;
    const struct discover_link *found = &node->discover.link[port];
    const struct node_identity *who = &node->node.identity;

    *link = (struct shell_link){.known = found->tag != 0 && who->width > 0,
                                .result = found->tag != 0 ? "good" : "silent"};
    if (link->known) {
        link->at = torus_step((struct torus_size){who->width, who->height},
                              (struct torus_coord){who->x, who->y},
                              (enum torus_port)port, 1);
        link->port = (uint8_t)torus_opposite((enum torus_port)port);
    }
}

static const char *const counter_names[] = {"sent_messages",
                                            "sent_bytes",
                                            "received_messages",
                                            "received_bytes",
                                            "relayed_circuits",
                                            "relayed_frames",
                                            "refused",
                                            "retries",
                                            "retransmitted",
                                            "damaged",
                                            "lost",
                                            "stale",
                                            "meetings",
                                            "expired",
                                            "broken",
                                            "dead"};

static const char *const fault_names[] = {
    "exception", "r0",   "r1",   "r2",   "r3",    "r12",  "lr",
    "pc",        "xpsr", "cfsr", "hfsr", "mmfar", "bfar", "sp"};

/* Both are structs of nothing but uint32_t. */
static const char *number(void *context, uint64_t *number, enum shell_list list,
                          unsigned port, unsigned index)
{
    const struct serial_node *node = context;
    const struct node_fault *fault = node->config.last_fault;

    if (list == SHELL_COUNTERS) {
        if (index >= sizeof counter_names / sizeof *counter_names) {
            return NULL;
        }
        *number = ((const uint32_t *)&node->core.counters[port])[index];
        return counter_names[index];
    }
    if (fault == NULL || index >= sizeof fault_names / sizeof *fault_names) {
        return NULL;
    }
    *number = ((const uint32_t *)fault)[index + 1];
    return fault_names[index];
}

static_assert(sizeof(struct switch_counters) ==
                  4 * sizeof counter_names / sizeof *counter_names,
              "a name for each counter");
static_assert(sizeof(struct node_fault) ==
                  4 * (1 + sizeof fault_names / sizeof *fault_names),
              "a name for each word behind `valid`");

static void clear(void *context)
{
    struct serial_node *node = context;

    node->config.lock(node->config.context);
    memset(node->core.counters, 0, sizeof node->core.counters);
    node->config.unlock(node->config.context);
}

static int mesh(void *context, struct torus_size size, struct torus_coord at)
{
    struct serial_node *node = context;
    int error;

    node->config.lock(node->config.context);
    error = discover_start(&node->discover, size, at, 0);
    node->config.unlock(node->config.context);
    node->shown = 0;
    return error;
}

static const char *const fault_codes[] = {"?",       "missing", "miswired",
                                          "doubled", "noisy",   "busy",
                                          "strap",   "size",    "twisted"};

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
    fault->at = (struct torus_coord){found->x, found->y};
    fault->port = found->port;
    fault->what = fault_codes[found->code < 9 ? found->code : 0];
    return ERR_OK;
}

static int ping(void *context, struct torus_path path, uint32_t bytes)
{
    struct serial_node *node = context;

    node->ping = (struct switch_message){
        .path = path,
        .kind = SWITCH_PING,
        .segment = {{(const uint8_t *)node->config.memory,
                     bytes < node->config.memory_bytes
                         ? bytes
                         : node->config.memory_bytes}}};
    node->config.lock(node->config.context);
    switch_tick(&node->core, node->config.now_us(node->config.context));
    switch_send(&node->core, &node->ping);
    node->config.unlock(node->config.context);
    return ERR_OK;
}

static int ping_result(void *context, struct shell_ping *result)
{
    struct serial_node *node = context;
    const struct switch_message *ping = &node->ping;

    if (ping->state != SWITCH_DONE) {
        return SHELL_LATER;
    }
    *result = (struct shell_ping){
        .error = ping->error,
        .setup_ns = (ping->accepted_us - ping->queued_us) * 1000u,
        .total_ns = (ping->done_us - ping->queued_us) * 1000u};
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
                                    .clock_ps = clock_ps,
                                    .event = event,
                                    .reset = reset};
}
