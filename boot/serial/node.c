/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/serial/node.h"

#include "hal/board.h"
#include "hal/check.h"
#include "hal/inject.h"
#include "hal/serial/board.h"
#include "kernels/kernel.h"

#define CHECK_FILE CHECK_SERIAL_NODE

/* Time without progress after which a new discovery may end a node's job. */
#define VAIN_MS 120000u
/* Time after which discovery repeats a frame that was not answered. */
#define RETRY_US 20000u
/* Time without a wait after which the main loop counts as computing. */
#define LONG_US 200000u
#define TICK_US 1000u
/* Longest time that a reset waits for console output: 2 KiB take 178 ms. */
#define SENT_US 300000u
/* Byte offset of the originator's tag (CRC-32) in a frame of discovery. */
#define WAVE_AT_TAG 4u
#define WAVE_TAG_BYTES 4u
/* A blinking LED changes every 2^7 ms: some 4 Hz. */
#define BLINK_SHIFT 7u

static void heard(void *context, unsigned port, const uint8_t *data,
                  unsigned bytes)
{
    struct serial_node *node = context;
    struct discover *discover = &node->discover;
    bool busy = discover->busy;

    /* A new wave of the job's originator is not refused: it ends the job. */
    if (bytes >= WAVE_AT_TAG + WAVE_TAG_BYTES &&
        memcmp(data + WAVE_AT_TAG, discover->own + WAVE_AT_TAG,
               WAVE_TAG_BYTES) == 0) {
        discover_busy(discover, false);
    }
    discover_heard(discover, port, data, bytes);
    discover_busy(discover, busy);
}

static int tell(void *context, unsigned port, const uint8_t *data,
                unsigned bytes)
{
    struct serial_node *node = context;

    return switch_tell(&node->core, port, data, bytes);
}

static void kick(void *context, unsigned port)
{
    (void)context;
    board_kick(port);
}

/* Whether the time `now` is `at` or later; both wrap. */
static bool passed(uint32_t at, uint32_t now)
{
    return (int32_t)(now - at) >= 0;
}

/* Whether a new discovery has ended. */
static bool is_renewed(const struct serial_node *node)
{
    return discover_ready(&node->discover) &&
           discover_epoch(&node->discover) != node->epoch;
}

/* Writes the next line of a reply; if a reset was requested, resets the board
   once the reply is sent. Result: whether a line was written. */
static bool answer(struct serial_node *node)
{
    struct shell *shell = &node->shell;
    uint32_t time_us = board_now_us();
    unsigned bytes = 0;

    ASSERT(!node->answering);
    node->answering = true;
    if (shell->resetting) {
        if (board_console_sent() || time_us - shell->since_us > SENT_US) {
            board_reset();
        }
    } else if (board_console_room() >= LINE_BYTES_MAX) {
        bytes = shell_poll(shell, time_us);
    }
    if (bytes > 0) {
        (void)board_console_write(shell->out.text, bytes);
    }
    node->answering = false;
    return bytes > 0;
}

/* Called while the node waits. Result: ERR_DEAD_LINK: a new discovery ended. */
static int idle(void *context)
{
    struct serial_node *node = context;

    node->idle_us = board_now_us();
    while (answer(node)) {
    }
    if (is_renewed(node)) {
        return ERR_DEAD_LINK;
    }
    board_sleep();
    return ERR_OK;
}

static void obey(struct serial_node *node)
{
    if (node->resets && passed(node->resets_ms, node->uptime_ms)) {
        board_reset();
    }
    if (node->blinks) {
        node->blinks = !passed(node->blinks_ms, node->uptime_ms);
        board_led(node->blinks && (node->uptime_ms >> BLINK_SHIFT & 1u) != 0);
    }
}

/* Returns a seed for back-off times and epochs. It differs after each reset. */
static uint32_t seed_of(const struct serial_node_config *config)
{
    const uint32_t *id = config->unique_id;

    return id[0] ^ id[1] ^ id[2] ^ board_now_us() ^ config->salt * 2654435761u;
}

static void init_switch(struct serial_node *node)
{
    const struct serial_node_config *config = &node->config;
    const struct switch_config core = {.seed = seed_of(config),
                                       .byte_ns = config->byte_ns,
                                       .slack_us = config->slack_us,
                                       .patience_us = INT32_MAX,
                                       .kick = kick,
                                       .neighbour = heard,
                                       .status = serial_node_peeked,
                                       .context = node};
    struct discover_config discover = {.epoch = (uint16_t)(core.seed >> 16),
                                       .strapped = config->strapped,
                                       .strap = config->strap,
                                       .lost_max = config->lost_max,
                                       .retry_us = RETRY_US,
                                       .tell = tell,
                                       .context = node};

    memcpy(discover.uid, config->unique_id, sizeof discover.uid);
    switch_init(&node->core, &core);
    discover_init(&node->discover, &discover, board_now_us());
}

void serial_node_init(struct serial_node *node,
                      const struct serial_node_config *config)
{
    memset(node, 0, sizeof *node);
    node->config = *config;
    node->ticked_us = board_now_us();
    node->node.status.stack_used_bytes = board_stack_used_bytes();
    init_switch(node);
    line_init(&node->reader, config->half_line_us);
    mailbox_init(&node->mailbox);
    shell_init(&node->shell, node, &node->reader, &node->mailbox);
    node->serial = (struct serial_circuit){.core = &node->core,
                                           .mailbox = &node->mailbox,
                                           .node = &node->node,
                                           .log = &node->log,
                                           .memory = config->memory,
                                           .memory_bytes = config->memory_bytes,
                                           .aside = config->aside,
                                           .aside_bytes = config->aside_bytes,
                                           .byte_ns = config->byte_ns,
                                           .idle = idle,
                                           .context = node};
}

static void watch_progress(struct serial_node *node, uint32_t now_us)
{
    uint32_t sum = node->core.last.count + node->log.events_written +
                   node->mailbox.filled_bytes + node->mailbox.out +
                   node->node.status.state;

    while (passed(node->ticked_us + TICK_US, now_us)) {
        node->ticked_us += TICK_US;
        node->uptime_ms += 1;
    }
    if (sum != node->progress) {
        node->progress = sum;
        node->progress_ms = node->uptime_ms;
    }
}

/* Whether the main loop hangs in a job that was given up. */
static bool is_stuck(const struct serial_node *node, uint32_t now_us)
{
    return node->working && now_us - node->idle_us > LONG_US &&
           discover_epoch(&node->discover) != node->epoch;
}

/* Whether the node is in a job that makes progress. */
static bool is_busy(const struct serial_node *node)
{
    return serial_node_has_job(node) &&
           (node->node.status.state == NODE_STATE_COMPUTING ||
            node->uptime_ms - node->progress_ms < VAIN_MS);
}

unsigned serial_node_bytes(struct serial_node *node, unsigned port,
                           const uint8_t *data, unsigned bytes)
{
    switch_set_time(&node->core, board_now_us());
    return switch_bytes(&node->core, port, data, bytes);
}

static bool is_set(unsigned ports, unsigned port)
{
    return (ports >> port & 1u) != 0;
}

static void set_alarm(struct serial_node *node)
{
    uint32_t first_us = 0;
    bool armed = false;

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        if (is_set(node->due, port) &&
            (!armed || !passed(node->due_us[port], first_us))) {
            first_us = node->due_us[port];
            armed = true;
        }
    }
    if (armed && !(node->armed && node->alarm_us == first_us)) {
        board_alarm(first_us);
    }
    node->armed = armed;
    node->alarm_us = first_us;
}

/* If the port's output buffer is full, tries again a tick later. */
void serial_node_attend(struct serial_node *node, unsigned port)
{
    struct switch_core *core = &node->core;
    uint32_t time_us = board_now_us();
    uint32_t due_us = 0;
    bool due;

    switch_set_time(core, time_us);
    due = switch_is_due(core, port, &due_us);
    if (due && passed(due_us, time_us)) {
        switch_attend(core, port);
        due = switch_is_due(core, port, &due_us);
        if (due && passed(due_us, time_us)) {
            due_us = time_us + TICK_US;
        }
    }
    if (is_set(node->speaking, port)) {
        node->speaking &= (uint8_t) ~(1u << port);
        discover_speak(&node->discover, port);
    }
    node->due = (uint8_t)((node->due & ~(1u << port)) | (unsigned)due << port);
    node->due_us[port] = due_us;
    set_alarm(node);
}

/* Requests the interrupt of each port where work is due. */
static void kick_due(struct serial_node *node)
{
    uint32_t time_us = board_now_us();

    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        if (is_set(node->speaking, port) ||
            (is_set(node->due, port) && passed(node->due_us[port], time_us))) {
            board_kick(port);
        }
    }
}

void serial_node_alarm(struct serial_node *node)
{
    node->armed = false;
    kick_due(node);
}

void serial_node_tick(struct serial_node *node)
{
    uint32_t now_us = board_now_us();

    inject_tick(&node->node);
    if (is_stuck(node, now_us)) {
        board_reset();
    }
    watch_progress(node, now_us);
    switch_set_time(&node->core, now_us);
    obey(node);
    discover_busy(&node->discover, is_busy(node));
    discover_tick(&node->discover, now_us);
    node->speaking = 0;
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        node->speaking |=
            (uint8_t)(discover_has_frame(&node->discover, port) << port);
    }
    kick_due(node);
}

/* Runs the shell only while the main loop does not use the shell's data. */
void serial_node_answer(struct serial_node *node)
{
    uint32_t state = node->node.status.state;
    uint32_t now_us = board_now_us();

    if ((state == NODE_STATE_PLANNING || state == NODE_STATE_COMPUTING) &&
        now_us - node->idle_us > LONG_US && !node->answering) {
        (void)answer(node);
    }
}

/* Sets identity.width to 0 if discovery found no place for the node. */
static void take_identity(struct serial_node *node)
{
    const struct discover *discover = &node->discover;
    struct torus_size size;
    struct torus_coord at;

    board_lock();
    node->epoch = discover_epoch(discover);
    switch_reset(&node->core);
    if (!discover_at(discover, &at)) {
        node->node.identity.width = 0;
        board_unlock();
        return;
    }
    size = discover_size(discover);
    node->node.status.error = ERR_OK;
    node->log.events_written = 0; /* drops events of the old mesh */
    node->serial.synchronised = false;
    node->node.identity = (struct node_identity){
        .mesh = node_mesh_identity(size.width, size.height),
        .width = size.width,
        .height = size.height,
        .x = at.x,
        .y = at.y,
        .originator_x = discover_origin(discover).x,
        .originator_y = discover_origin(discover).y,
        .fault_injection = node->node.identity.fault_injection,
        .policy = discover_flags(discover),
        .probed = 1};
    node->core.config.node = (uint16_t)torus_index(size, at);
    board_unlock();
}

static int run_scatter(struct serial_node *node)
{
    int error = circuit_open(&node->circuit, &node->serial, &node->clock);

    if (error == ERR_OK) {
        error = scatter_init(&node->scatter, &node->circuit, kernel_table,
                             kernel_table_count, node->config.costs);
    }
    node->node.status.state = NODE_STATE_WAITING;
    return error == ERR_OK ? scatter_run(&node->scatter) : error;
}

/* Sets the identity's originator: this node if `itself`. */
static void serve_itself(struct serial_node *node, bool itself)
{
    struct node_identity *identity = &node->node.identity;
    struct torus_coord origin = discover_origin(&node->discover);

    identity->originator_x = itself ? identity->x : origin.x;
    identity->originator_y = itself ? identity->y : origin.y;
}

/* Runs one job, then each job that the previous job announces. */
static void work(struct serial_node *node)
{
    struct node_status *status = &node->node.status;
    bool leads;
    int error;

    node->working = true;
    node->serial.ordered = SERIAL_NOT_ORDERED;
    error = run_scatter(node);
    leads = node->serial.ordered != SERIAL_NOT_ORDERED;
    if (leads) {
        serve_itself(node, true);
        error = run_scatter(node);
    }
    circuit_close(&node->circuit);
    if (leads) {
        serve_itself(node, false);
    }
    status->error = error;
    status->stack_used_bytes = board_stack_used_bytes();
    if (error == ERR_OK) {
        node->jobs += 1;
    }
    status->state = error == ERR_OK ? NODE_STATE_DONE : NODE_STATE_FAILED;
    node->working = false;
}

void serial_node_run(struct serial_node *node)
{
    for (;;) {
        if (is_renewed(node)) {
            take_identity(node);
        }
        if (node->node.identity.width > 0) {
            work(node);
        }
        (void)idle(node);
    }
}
