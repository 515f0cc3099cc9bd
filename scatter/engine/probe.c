/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/probe.h"

#include <string.h>

#define PS_PER_NS 1000u
#define ROW_ROOM (WIRE_ROW_BYTES + WIRE_LOG_BYTES)
/* For so long, ps, a probe's answer is waited for before the originator asks
   whether the node can be reached. */
#define ANSWER_WAIT_PS UINT64_C(1000000000000)

static_assert(sizeof((struct scatter_memory *)NULL)->incoming >=
                  WIRE_ANSWER_BYTES + WIRE_LOG_BYTES +
                      NODE_EVENTS * sizeof(struct node_event),
              "an answer with a full log has no room");

static int settle(struct scatter *scatter, uint32_t asks)
{
    return asks == WIRE_ASKS_TIME ? circuit_settle(scatter->circuit) : ERR_OK;
}

static uint64_t ready_ps(const struct scatter *scatter, uint32_t ready_delay_ns)
{
    return clock_now_ps(scatter->circuit->clock) +
           (uint64_t)ready_delay_ns * PS_PER_NS;
}

/* Returns the number of stored bytes. */
static uint32_t store_log(uint8_t *out, const struct node_log *log)
{
    uint32_t kept =
        log->events_written < NODE_EVENTS ? log->events_written : NODE_EVENTS;
    uint32_t bytes = kept * (uint32_t)sizeof log->event[0];

    bytes_store_u32(out, log->events_written);
    bytes_store_u32(out + 4, kept);
    memcpy(out + WIRE_LOG_BYTES, log->event, bytes);
    return WIRE_LOG_BYTES + bytes;
}

static int answer(struct scatter *scatter,
                  const struct circuit_delivery *delivery)
{
    uint64_t received_ps = clock_started_ps(scatter->circuit->clock);
    uint8_t *out = scatter->memory->incoming;
    struct circuit_message message = {.kind = WIRE_ANSWER,
                                      .head = {out, WIRE_ANSWER_BYTES}};
    struct wire_entry entry;
    int error;

    if (delivery->bytes < WIRE_ENTRY_BYTES) {
        return ERR_LENGTH;
    }
    memcpy(&entry, delivery->payload, sizeof entry);
    if (!torus_path_valid(scatter->size, entry.path)) {
        return ERR_NO_ROUTE;
    }
    message.path = torus_path_reverse(entry.path);
    if (entry.asks == WIRE_ASKS_LOG) {
        message.head.bytes +=
            store_log(out + WIRE_ANSWER_BYTES, scatter->circuit->log);
    } else {
        message.body[message.path.port] = (struct circuit_segment){
            delivery->payload, delivery->bytes - WIRE_ANSWER_BYTES};
    }
    error = settle(scatter, entry.asks);
    if (error != ERR_OK) {
        return error;
    }
    message.ready_ps = ready_ps(scatter, entry.ready_delay_ns);
    bytes_store_u64(out, received_ps);
    bytes_store_u64(out + 8, message.ready_ps);
    return circuit_send(scatter->circuit, 1u << message.path.port, &message);
}

/* State of a WIRE_MEASURE. The report grows behind the list. */
struct measuring {
    struct scatter *scatter;
    const uint8_t *list; /* first byte of the entry at hand */
    uint32_t rows;       /* number of rows in the report so far */
    uint8_t *at;         /* end of the report so far */
};

/* Receives the answer of the node at a path's end, however late. Result:
   ERR_LOST: the node cannot be reached. */
static int receive_answer(struct circuit *circuit,
                          struct circuit_delivery *delivery,
                          struct torus_path path, uint8_t *at, uint32_t room)
{
    unsigned ports = 1u << path.port;
    unsigned lost = 0;
    int error;

    do {
        error = circuit_receive_until(
            circuit, delivery, ports | CIRCUIT_ONLY(WIRE_ANSWER), at, room,
            clock_now_ps(circuit->clock) + ANSWER_WAIT_PS);
        if (error == ERR_TIMEOUT) {
            error = circuit_ask(circuit, ports, path, &lost);
            error = error != ERR_OK ? error
                    : lost != 0     ? ERR_LOST
                                    : ERR_TIMEOUT;
        }
    } while (error == ERR_TIMEOUT);
    return error;
}

/*
 * Sends a probe, and makes its answer a row of the report:
 *
 *   answer   | header, 16 bytes | t2 | t3 | log, if asked for | no meaning |
 *   row      | t1      | t4     | t2 | t3 | log               |
 *
 * If the node cannot be reached, t2, t3 and the log's length are 0.
 */
static int exchange(struct measuring *measuring, const struct wire_entry *entry)
{
    struct scatter *scatter = measuring->scatter;
    struct circuit *circuit = scatter->circuit;
    uint8_t *at = measuring->at;
    uint32_t room = (uint32_t)(scatter->free_to - at);
    unsigned port = entry->path.port;
    struct circuit_message message = {
        .path = entry->path,
        .kind = WIRE_PROBE,
        .head = {measuring->list, WIRE_ENTRY_BYTES}};
    struct circuit_delivery delivery;
    uint32_t kept;
    bool lost;
    int error;

    if (entry->bytes < WIRE_ENTRY_BYTES) {
        return ERR_RANGE;
    }
    if (room < ROW_ROOM || entry->bytes > (room - ROW_ROOM) / 2) {
        return ERR_MEMORY;
    }
    message.body[port].bytes = entry->bytes - WIRE_ENTRY_BYTES;
    room = (room - message.body[port].bytes) & ~7u;
    message.body[port].data = at + room;
    error = settle(scatter, entry->asks);
    if (error == ERR_OK) {
        message.ready_ps = ready_ps(scatter, entry->ready_delay_ns);
        error = circuit_send(circuit, 1u << port, &message);
    }
    if (error == ERR_OK) {
        error = receive_answer(circuit, &delivery, entry->path, at, room);
    }
    lost = error == ERR_LOST;
    if (lost) {
        memset(at, 0, ROW_ROOM);
        delivery.bytes = WIRE_ANSWER_BYTES + WIRE_LOG_BYTES;
    } else if (error != ERR_OK) {
        return error;
    }
    kept = entry->asks == WIRE_ASKS_LOG ? delivery.bytes : WIRE_ANSWER_BYTES;
    if (delivery.bytes < kept || kept < WIRE_ANSWER_BYTES || kept % 8 != 0) {
        return ERR_LENGTH;
    }
    bytes_store_u64(at, message.ready_ps);
    bytes_store_u64(at + 8, clock_started_ps(circuit->clock));
    measuring->at += CIRCUIT_HEADER_BYTES + kept;
    measuring->rows += 1;
    error = circuit_drain(circuit);
    return lost ? ERR_OK : error; /* a lost probe's error is not the report's */
}

/* ERR_NO_ROUTE: the entry's path leads to this node. */
static int measure_entry(struct measuring *measuring)
{
    const struct scatter *scatter = measuring->scatter;
    const struct node_identity *identity = &scatter->circuit->node->identity;
    struct torus_coord at = {identity->x, identity->y};
    struct torus_coord end;
    struct wire_entry entry;
    int error = ERR_OK;

    memcpy(&entry, measuring->list, sizeof entry);
    if (!torus_path_valid(scatter->size, entry.path)) {
        return ERR_NO_ROUTE;
    }
    end = torus_path_end(scatter->size, at, entry.path);
    if (end.x == at.x && end.y == at.y) {
        return ERR_NO_ROUTE;
    }
    for (unsigned i = 0; error == ERR_OK && i < entry.count; ++i) {
        error = exchange(measuring, &entry);
    }
    return error;
}

static int measure(struct scatter *scatter,
                   const struct circuit_delivery *delivery)
{
    const uint8_t *end = delivery->payload + delivery->bytes;
    uint8_t *report = delivery->payload + ((delivery->bytes + 7u) & ~7u);
    struct measuring measuring = {.scatter = scatter,
                                  .list = delivery->payload,
                                  .at = report + WIRE_MEASURED_BYTES};
    struct circuit_message message = {.kind = WIRE_MEASURED};
    int error = delivery->bytes % WIRE_ENTRY_BYTES == 0 ? ERR_OK : ERR_LENGTH;

    if (scatter->free_to - report < (ptrdiff_t)WIRE_MEASURED_BYTES) {
        return ERR_MEMORY;
    }
    for (; error == ERR_OK && measuring.list < end;
         measuring.list += WIRE_ENTRY_BYTES) {
        error = measure_entry(&measuring);
    }
    bytes_store_u32(report, (uint32_t)error);
    bytes_store_u32(report + 4, measuring.rows);
    message.head =
        (struct circuit_segment){report, (uint32_t)(measuring.at - report)};
    return circuit_send(scatter->circuit, 1u << CIRCUIT_HOST, &message);
}

/* Not inlined: two callers share one copy of the code. */
__attribute__((noinline)) int probe_serve(struct scatter *scatter,
                                          struct circuit_delivery delivery)
{
    int error = ERR_KIND;

    if (delivery.kind == WIRE_PROBE) {
        error = answer(scatter, &delivery);
    } else if (delivery.kind == WIRE_MEASURE) {
        error = measure(scatter, &delivery);
    }
    /* The next message will be received where the queued message lies. */
    return error == ERR_OK ? circuit_drain(scatter->circuit) : error;
}
