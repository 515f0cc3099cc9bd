/* SPDX-License-Identifier: Apache-2.0 */
#include "boot/serial/state.h"

#include "hal/bytes.h"
#include "hal/err.h"
#include "hal/serial/board.h"
#include "kernels/kernel.h"

/* Time from the command PEEK_RESET to the reset, for the answer to leave. */
#define RESET_MS 20u

bool serial_node_has_job(const struct serial_node *node)
{
    return node->working && node->circuit.job != CIRCUIT_ANY_JOB;
}

static unsigned sending(const struct serial_node *node)
{
    unsigned ports = 0;

    for (unsigned i = 0; i < SERIAL_CIRCUIT_SENDS; ++i) {
        const struct serial_circuit_send *send = &node->serial.send[i];

        if (send->used &&
            (send->waiting || !switch_is_done(&send->message.state))) {
            ports |= 1u << send->message.path.port;
        }
    }
    return ports;
}

static enum peek_waypoint waypoint(const struct serial_node *node)
{
    if (!node->working) {
        return PEEK_IDLE;
    }
    if (node->node.status.state == NODE_STATE_COMPUTING) {
        return PEEK_KERNEL;
    }
    if (node->mailbox.in != MAILBOX_CLOSED) {
        return PEEK_ORDER;
    }
    if (node->core.receive != NULL) {
        return PEEK_MESSAGE;
    }
    if (node->mailbox.out != MAILBOX_EMPTY) {
        return PEEK_HOST;
    }
    return sending(node) != 0 ? PEEK_SENDS : PEEK_WORK;
}

static void put_fault(const struct node_status *status, uint8_t *out)
{
    const struct node_fault *fault = board_last_fault();

    bytes_store_u16(out + PEEK_AT_FAULTS, (uint16_t)board_faults());
    if (err_is_breach(status->error)) {
        bytes_store_u32(out + PEEK_AT_PC, status->breach.first_unit);
        bytes_store_u32(out + PEEK_AT_LR, status->breach.units);
        bytes_store_u32(out + PEEK_AT_CFSR, status->breach.bytes);
    } else if (fault != NULL) {
        out[PEEK_AT_FLAGS] |= PEEK_FAULT;
        out[PEEK_AT_EXCEPTION] = (uint8_t)fault->exception;
        bytes_store_u32(out + PEEK_AT_PC, fault->pc);
        bytes_store_u32(out + PEEK_AT_LR, fault->lr);
        bytes_store_u32(out + PEEK_AT_CFSR, fault->cfsr);
        bytes_store_u16(out + PEEK_AT_CHECK, (uint16_t)fault->check);
    }
}

/* Stores the text and its NUL, cut to `room` bytes. Result: bytes stored. */
static unsigned put_text(uint8_t *out, unsigned room, const char *text)
{
    unsigned bytes = (unsigned)strlen(text) + 1u;

    bytes = bytes < room ? bytes : room;
    memcpy(out, text, bytes);
    return bytes;
}

static void put_work(const struct serial_node *node, uint8_t *out)
{
    const struct node_status *status = &node->node.status;
    const struct switch_receive *receive = node->core.receive;
    const struct switch_last *last = &node->core.last;
    unsigned kernel = node->scatter.announced.kernel;

    out[PEEK_AT_STATE] = (uint8_t)status->state;
    out[PEEK_AT_WAYPOINT] = (uint8_t)waypoint(node);
    out[PEEK_AT_ERROR] = (uint8_t)status->error;
    out[PEEK_AT_PORTS] = (uint8_t)(sending(node) << 4);
    if (serial_node_has_job(node)) {
        out[PEEK_AT_FLAGS] |= PEEK_JOB;
        out[PEEK_AT_ROUND] = (uint8_t)node->scatter.round;
    }
    if (serial_node_has_job(node) || err_is_breach(status->error)) {
        put_text(out + PEEK_AT_KERNEL, PEEK_KERNEL_BYTES,
                 kernel < kernel_table_count ? kernel_table[kernel]->name
                                             : "-");
    }
    if (receive != NULL) {
        out[PEEK_AT_PORTS] |= receive->ports;
        out[PEEK_AT_KIND] = receive->kind;
    }
    out[PEEK_AT_LAST_PORT] = PEEK_NONE;
    if (last->count > 0) {
        out[PEEK_AT_LAST_PORT] = (uint8_t)(last->port | last->sent << 2);
        out[PEEK_AT_LAST_ERROR] = (uint8_t)last->error;
        bytes_store_u32(out + PEEK_AT_LAST_BYTES, last->bytes);
    }
}

/* Stores flags (enum peek_flag) and the node's x and y, a byte each. */
static void put_place(const struct serial_node *node, uint8_t *out)
{
    const struct node_identity *who = &node->node.identity;

    out[0] = (uint8_t)((who->width > 0 ? PEEK_PLACED : 0) |
                       (node->blinks ? PEEK_BLINKS : 0) |
                       (node->resets ? PEEK_RESETS : 0));
    out[1] = (uint8_t)who->x;
    out[2] = (uint8_t)who->y;
}

static void put_state(const struct serial_node *node, uint8_t *out)
{
    put_place(node, out + PEEK_AT_FLAGS);
    put_work(node, out);
    put_fault(&node->node.status, out);
    bytes_store_u32(out + PEEK_AT_UPTIME, node->uptime_ms);
    bytes_store_u32(out + PEEK_AT_STILL, node->uptime_ms - node->progress_ms);
    bytes_store_u16(out + PEEK_AT_STACK,
                    (uint16_t)node->node.status.stack_used_bytes);
    bytes_store_u16(out + PEEK_AT_JOBS, node->jobs);
}

#define WORD_OF(counter) (offsetof(struct switch_counters, counter) / 4)

/* Indices of words in struct switch_counters. Row 0: in the order of
   PEEK_COUNTER_NAMES; row 1: in the order of PEEK_PORT_NAMES. */
static const uint8_t counted[2][PEEK_COUNTERS] = {
    {WORD_OF(sent_messages), WORD_OF(sent_bytes), WORD_OF(received_messages),
     WORD_OF(relayed_circuits), WORD_OF(refused), WORD_OF(retries),
     WORD_OF(retransmitted), WORD_OF(damaged), WORD_OF(lost), WORD_OF(dead)},
    {WORD_OF(sent_messages), WORD_OF(received_messages),
     WORD_OF(relayed_frames), WORD_OF(refused), WORD_OF(retries),
     WORD_OF(retransmitted), WORD_OF(damaged), WORD_OF(lost), WORD_OF(broken),
     WORD_OF(mended)}};
static_assert(PEEK_SWITCH_COUNTERS == PEEK_COUNTERS, "two lists of a length");

/* Stores the counters in `list`, summed over the ports `first` to `end` - 1. */
static void put_counts(const struct serial_node *node, uint8_t *out,
                       const uint8_t *list, unsigned first, unsigned end)
{
    for (unsigned i = 0; i < PEEK_COUNTERS; ++i) {
        uint32_t sum = 0;

        for (unsigned port = first; port < end; ++port) {
            sum += ((const uint32_t *)&node->core.counters[port])[list[i]];
        }
        bytes_store_u32(out + PEEK_AT_COUNTER + 4 * i, sum);
    }
}

static void put_port(const struct serial_node *node, uint8_t *out,
                     unsigned port)
{
    const uint32_t *line = board_counters(port);

    put_counts(node, out, counted[1], port, port + 1u);
    for (unsigned i = 0; i < PEEK_LINE_COUNTERS; ++i) {
        bytes_store_u32(out + PEEK_AT_COUNTER + 4 * (PEEK_COUNTERS + i),
                        line[i]);
    }
}

static void put_identity(const struct serial_node *node, uint8_t *out)
{
    const struct serial_node_config *config = &node->config;
    unsigned at;
    uint16_t supply_mv;
    int16_t celsius;

    board_measure(&supply_mv, &celsius);
    put_place(node, out + PEEK_AT_WHO_FLAGS);
    for (unsigned i = 0; i < 3; ++i) {
        bytes_store_u32(out + PEEK_AT_UID + 4 * i, config->unique_id[i]);
    }
    bytes_store_u32(out + PEEK_AT_CRC, config->image_crc);
    bytes_store_u32(out + PEEK_AT_CLOCK_HZ, config->clock_hz);
    bytes_store_u32(out + PEEK_AT_CRYSTAL_HZ, config->crystal_hz);
    bytes_store_u32(out + PEEK_AT_ROOM,
                    SCATTER_ROOM(config->memory_bytes, config->aside_bytes));
    bytes_store_u32(out + PEEK_AT_WHO_UPTIME, node->uptime_ms);
    bytes_store_u16(out + PEEK_AT_SUPPLY, supply_mv);
    bytes_store_u16(out + PEEK_AT_CELSIUS, (uint16_t)celsius);
    bytes_store_u16(out + PEEK_AT_WHO_FAULTS, (uint16_t)board_faults());
    bytes_store_u16(out + PEEK_AT_START, (uint16_t)config->salt);
    at = put_text(out + PEEK_AT_NAMES, PEEK_NAMES_BYTES, config->clock);
    put_text(out + PEEK_AT_NAMES + at, PEEK_NAMES_BYTES - at,
             config->reset_cause);
}

unsigned serial_node_status(const struct serial_node *node, uint8_t page,
                            uint8_t *out)
{
    memset(out, 0, SWITCH_STATUS_BYTES);
    out[0] = PEEK_VERSION;
    switch (page) {
    case PEEK_COUNTS:
        put_counts(node, out, counted[0], 0, TORUS_PORTS);
        return PEEK_COUNTS_BYTES;
    case PEEK_IDENTITY:
        put_identity(node, out);
        return PEEK_IDENTITY_BYTES;
    case PEEK_IMAGE:
        return PEEK_AT_VERSION + put_text(out + PEEK_AT_VERSION,
                                          PEEK_VERSION_BYTES,
                                          node->config.version);
    case PEEK_EAST:
    case PEEK_NORTH:
    case PEEK_WEST:
    case PEEK_SOUTH:
        put_port(node, out, page - PEEK_EAST);
        return PEEK_PORT_BYTES;
    default:
        put_state(node, out);
        return PEEK_STATE_BYTES;
    }
}

static_assert(PEEK_COUNTS_BYTES <= SWITCH_STATUS_BYTES &&
                  PEEK_STATE_BYTES <= SWITCH_STATUS_BYTES &&
                  PEEK_IDENTITY_BYTES <= SWITCH_STATUS_BYTES &&
                  PEEK_AT_VERSION + PEEK_VERSION_BYTES <= SWITCH_STATUS_BYTES &&
                  PEEK_PORT_BYTES <= SWITCH_STATUS_BYTES,
              "a page fits an answer");
static_assert(PEEK_QUESTION_BYTES < SWITCH_QUESTION_BYTES,
              "a question that is too long is not cut to a right one");

static void carry_out(struct serial_node *node, unsigned command,
                      uint32_t argument)
{
    if (command == PEEK_IDENTIFY && argument <= PEEK_IDENTIFY_S_MAX) {
        node->blinks = true; /* the next tick clears this if argument is 0 */
        node->blinks_ms = node->uptime_ms + argument * 1000u;
    }
    if (command == PEEK_RESET && argument == PEEK_RESET_MAGIC) {
        node->resets = true;
        node->resets_ms = node->uptime_ms + RESET_MS +
                          node->core.config.slack_us * 2u / 1000u;
    }
}

unsigned serial_node_peeked(void *context, const uint8_t *question,
                            uint32_t bytes, uint8_t *out)
{
    struct serial_node *node = context;

    if (question[0] >= PEEK_COMMANDS && bytes == PEEK_QUESTION_BYTES) {
        carry_out(node, question[0], bytes_load_u32(question + 1));
    }
    return serial_node_status(node, question[0], out);
}
