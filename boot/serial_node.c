/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/serial_node.h"

#include "kernels/kernel.h"

/* A line of the console may wait so long for its next byte. */
#define HALF_LINE_US 10000000u
/* A node may wait so long for a job's next message. */
#define PATIENCE_US 120000000u
/* Neighbours tell each other again what was not answered. */
#define RETRY_US 20000u
/* Of the test frames of a link. */
#define LOST_MAX 15u
/* The first byte of every mesh's identity. */
#define MESH_IDENTITY 0x51000000u

static void heard(void *context, unsigned port, const uint8_t *data,
                  unsigned bytes)
{
    struct serial_node *node = context;

    discover_heard(&node->discover, port, data, bytes);
}

static int tell(void *context, unsigned port, const uint8_t *data,
                unsigned bytes)
{
    struct serial_node *node = context;

    return switch_tell(&node->core, port, data, bytes);
}

static void kick(void *context, unsigned port)
{
    struct serial_node *node = context;

    node->config.kick(node->config.context, port);
}

static void lock(void *context)
{
    struct serial_node *node = context;

    node->config.lock(node->config.context);
}

static void unlock(void *context)
{
    struct serial_node *node = context;

    node->config.unlock(node->config.context);
}

/* Whether the mesh has been told anew since the identity was made. */
static bool is_renewed(const struct serial_node *node)
{
    return discover_ready(&node->discover) &&
           discover_epoch(&node->discover) != node->epoch;
}

/* What a node does while it waits for anything. */
static int idle(void *context)
{
    struct serial_node *node = context;

    while (
        shell_poll(&node->shell, node->config.now_us(node->config.context))) {
    }
    if (is_renewed(node)) {
        return ERR_DEAD_LINK; /* of the mesh that was */
    }
    node->config.sleep(node->config.context);
    return ERR_OK;
}

static void init_switch(struct serial_node *node)
{
    const struct serial_node_config *config = &node->config;
    const struct switch_config core = {.seed = config->ident.unique_id[0] ^
                                               config->now_us(config->context),
                                       .byte_ns = config->byte_ns,
                                       .slack_us = config->slack_us,
                                       .kick = kick,
                                       .neighbour = heard,
                                       .context = node};
    struct discover_config discover = {
        .epoch = (uint16_t)config->now_us(config->context),
        .strapped = config->strapped,
        .strap = config->strap,
        .lost_max = LOST_MAX,
        .retry_us = RETRY_US,
        .tell = tell,
        .context = node};

    memcpy(discover.uid, config->ident.unique_id, sizeof discover.uid);
    switch_init(&node->core, &core);
    discover_init(&node->discover, &discover, config->now_us(config->context));
}

void serial_node_init(struct serial_node *node,
                      const struct serial_node_config *config)
{
    memset(node, 0, sizeof *node);
    node->config = *config;
    init_switch(node);
    line_init(&node->reader, HALF_LINE_US);
    mailbox_init(&node->mailbox);
    serial_shell_init(&node->shell_config, node);
    shell_init(&node->shell, &node->shell_config, &node->reader,
               &node->mailbox);
    node->serial = (struct serial_circuit){.core = &node->core,
                                           .mailbox = &node->mailbox,
                                           .node = &node->node,
                                           .log = &node->log,
                                           .memory = config->memory,
                                           .memory_bytes = config->memory_bytes,
                                           .byte_ns = config->byte_ns,
                                           .patience_us = PATIENCE_US,
                                           .lock = lock,
                                           .unlock = unlock,
                                           .idle = idle,
                                           .context = node};
}

void serial_node_tick(struct serial_node *node)
{
    uint32_t now_us = node->config.now_us(node->config.context);

    switch_tick(&node->core, now_us);
    /* A node that has a job takes no new place in the mesh. */
    discover_busy(&node->discover,
                  node->working && node->circuit.job != CIRCUIT_ANY_JOB);
    discover_tick(&node->discover, now_us);
}

/* Who this node is, as the wave has it. */
static void take_identity(struct serial_node *node)
{
    const struct discover *discover = &node->discover;
    struct torus_size size = discover_size(discover);
    struct torus_coord at = {0, 0};

    lock(node);
    (void)discover_at(discover, &at);
    node->epoch = discover_epoch(discover);
    node->serial.synchronised = false;
    node->node.identity = (struct node_identity){
        .mesh = MESH_IDENTITY | (uint32_t)size.width << 12 | size.height,
        .width = size.width,
        .height = size.height,
        .x = at.x,
        .y = at.y,
        .originator_x = discover_origin(discover).x,
        .originator_y = discover_origin(discover).y,
        .tree = torus_phases(size) < 0,
        .probed = 1};
    switch_reset(&node->core);
    node->core.config.node = (uint16_t)torus_index(size, at);
    unlock(node);
}

/* One job, or several if each but the last says that another follows. */
static void work(struct serial_node *node)
{
    struct node_status *status = &node->node.status;
    int error;

    node->working = true;
    error = circuit_open(&node->circuit, &node->serial, &node->clock);
    if (error == ERR_OK) {
        error = scatter_init(&node->scatter, &node->circuit, kernel_table,
                             kernel_table_count, node->config.costs);
    }
    status->state = NODE_STATE_WAITING;
    if (error == ERR_OK) {
        error = scatter_run(&node->scatter);
    }
    circuit_close(&node->circuit);
    status->error = error;
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
