/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/fabric.h"

#include "qemu/fabric/event_queue.h"
#include "qemu/base/memory.h"

#include <stdlib.h>

/* Types of events. At equal times, events go in this order: links are released
   before others are requested, and a message that arrives at a deadline is in
   time. */
enum event_type {
    EVENT_RELEASE,
    EVENT_REFUSAL, /* a set-up has come to a dead link */
    EVENT_REQUEST,
    EVENT_DEADLINE
};

enum fabric_node_state {
    NODE_RUNNING,
    NODE_RECEIVING,
    NODE_DRAINING,
    NODE_ENDED,
    NODE_STOPPED /* fabric_stop() has stopped it */
};

#define LINKS_MAX (2u * TORUS_SIDE_MAX)

struct fabric_link {
    uint64_t stop_ps;           /* mesh time from which it is dead */
    struct fabric_found *found; /* see fabric_cut() */
    bool held;
};

#define TIME_MAX_PS (UINT64_MAX - 1)

struct transit {
    struct fabric_message message;
    struct transit *next;
    struct fabric_found *found; /* of what refused it; or NULL */
    uint64_t request_ps;
    uint64_t grant_ps;
    uint64_t arrival_ps; /* or the end of a refused set-up */
    uint32_t source;
    uint32_t destination;
    uint8_t port;
    uint8_t arrival_port;
    uint16_t hops;   /* links before the dead one, if the set-up is refused */
    uint8_t holders; /* references to the message: circuit, inbox */
    bool retried;    /* true: the path is the other way */
    bool refused;    /* true: no circuit is set up, or the node has stopped */
    bool asked;      /* true: a circuit is requested, but not granted */
    bool arrived;
    bool damaged;
};

struct fifo {
    struct transit *first;
    struct transit *last; /* set only if `first` is not NULL */
};

struct fabric_port {
    struct fifo queue; /* sends of this port; see queue_of() */
    struct fifo inbox;
    bool busy;
    bool used; /* true: free_ps is the end of a circuit */
    uint64_t free_ps;
    struct node_counters counters;
};

struct fabric_node {
    struct fabric_port port[NODE_PORTS];
    uint64_t time_ps; /* mesh time since which the node runs or waits */
    uint64_t stop_ps; /* mesh time at which its processor stops */
    struct fabric_found *found; /* see fabric_stop() */
    uint32_t port_mask;
    uint8_t circuits; /* number of circuits that the node's torus ports hold */
    uint8_t tag_wanted;  /* tag of messages to receive; 0: any */
    uint16_t head_bytes; /* bytes of a message that wake the node; 0: all */
    int32_t first_error;
    enum fabric_node_state state;
    uint32_t receives; /* number of receives; tells old deadlines apart */
    uint32_t calls;    /* number of calls in its inboxes */
    bool until;        /* true: the node waits with a deadline */
    bool notify;       /* true: the node is on the stack fabric.ready[] */
};

struct fabric {
    struct fabric_config config;
    uint32_t node_count;
    struct fabric_node *node;
    struct fabric_link *link; /* indexed by torus_link() */
    struct event_queue events;
    struct event_queue runs;
    struct transit **blocked; /* sends that wait for links, oldest first */
    size_t blocked_count;
    size_t blocked_room;
    uint32_t *ready; /* stack of nodes to be served, whose `notify` is set */
    size_t ready_count;
    struct circuit_record *circuit;
    uint32_t circuit_count;
    size_t circuit_room;
    uint64_t conflicts;
    uint64_t latest_release_ps;
    uint64_t now_ps;
    bool retry_due;   /* true: links were released, so try `blocked` again */
    size_t deadlines; /* number of events that are deadlines */
    bool hurries;     /* true: fabric_hurry() */
    struct transit *leaving;
};

static void *grow(void *array, size_t *room, size_t count, size_t item)
{
    if (count < *room) {
        return array;
    }
    *room = *room == 0 ? 64 : 2 * *room;
    return memory_or_exit(realloc(array, *room * item));
}

/* ---- saturating arithmetic ---- */

static uint64_t plus(uint64_t a_ps, uint64_t b_ps)
{
    uint64_t sum_ps = a_ps + b_ps;

    return sum_ps >= a_ps && sum_ps < TIME_MAX_PS ? sum_ps : TIME_MAX_PS;
}

static uint64_t larger(uint64_t a_ps, uint64_t b_ps)
{
    return a_ps > b_ps ? a_ps : b_ps;
}

static uint64_t times(uint64_t a_ps, uint64_t count)
{
    uint64_t product;

    return __builtin_mul_overflow(a_ps, count, &product) ? TIME_MAX_PS
                                                         : product;
}

/* ---- events ---- */

/* Returns the `order` of an event in the queue: by type, then node, then
   port. */
static uint64_t event_order(enum event_type type, uint32_t node, unsigned port)
{
    return (uint64_t)type << 40 | (uint64_t)node << 8 | port;
}

static enum event_type type_of(const struct event *event)
{
    return (enum event_type)(event->order >> 40);
}

static void push(struct fabric *fabric, enum event_type type, uint64_t time_ps,
                 struct transit *transit)
{
    event_queue_add(
        &fabric->events,
        (struct event){time_ps,
                       event_order(type, transit->source, transit->port),
                       transit, 0});
}

static void run(struct fabric *fabric, uint32_t node, uint64_t time_ps)
{
    event_queue_add(&fabric->runs,
                    (struct event){.time_ps = time_ps, .number = node});
}

/* Returns the running node with the least time_ps; NULL if no node runs. No
   running node can request anything before that time. */
static const struct fabric_node *earliest_running(struct fabric *fabric)
{
    while (fabric->runs.count > 0) {
        const struct event *first = &fabric->runs.event[0];
        const struct fabric_node *node = &fabric->node[first->number];

        if (node->state == NODE_RUNNING && node->time_ps == first->time_ps) {
            return node;
        }
        (void)event_queue_remove(&fabric->runs);
    }
    return NULL;
}

/* ---- queues ---- */

static void fifo_add(struct fifo *fifo, struct transit *transit)
{
    transit->next = NULL;
    if (fifo->first == NULL) {
        fifo->first = transit;
    } else {
        fifo->last->next = transit;
    }
    fifo->last = transit;
}

static void fifo_remove(struct fifo *fifo, struct transit *transit)
{
    struct transit *before_it = NULL;

    for (struct transit *at = fifo->first; at != transit; at = at->next) {
        before_it = at;
    }
    if (before_it == NULL) {
        fifo->first = transit->next;
    } else {
        before_it->next = transit->next;
    }
    if (fifo->last == transit) {
        fifo->last = before_it;
    }
}

static void inbox_add(struct fabric_node *node, unsigned port,
                      struct transit *transit)
{
    fifo_add(&node->port[port].inbox, transit);
    node->calls += transit->message.tag == CIRCUIT_KIND_CALL;
}

static void inbox_remove(struct fabric_node *node, unsigned port,
                         struct transit *transit)
{
    fifo_remove(&node->port[port].inbox, transit);
    node->calls -= transit->message.tag == CIRCUIT_KIND_CALL;
}

static void notify(struct fabric *fabric, uint32_t node)
{
    if (!fabric->node[node].notify) {
        fabric->node[node].notify = true;
        fabric->ready[fabric->ready_count++] = node;
    }
}

/* ---- life ---- */

struct fabric *fabric_new(const struct fabric_config *config)
{
    struct fabric *fabric = memory_or_exit(calloc(1, sizeof *fabric));
    uint32_t nodes = torus_nodes(config->size);

    fabric->config = *config;
    if (config->ports_at_once == 0) {
        fabric->config.ports_at_once = TORUS_PORTS;
    }
    fabric->node_count = nodes;
    fabric->node = memory_or_exit(calloc(nodes, sizeof *fabric->node));
    fabric->link =
        memory_or_exit(calloc(2 * (size_t)nodes, sizeof *fabric->link));
    fabric->ready = memory_or_exit(calloc(nodes, sizeof *fabric->ready));
    for (uint32_t i = 0; i < nodes; ++i) {
        fabric->node[i].stop_ps = FABRIC_NEVER_PS;
        fabric->link[2 * i].stop_ps = FABRIC_NEVER_PS;
        fabric->link[2 * i + 1].stop_ps = FABRIC_NEVER_PS;
        run(fabric, i, 0);
    }
    return fabric;
}

static void drop(const struct fabric *fabric, struct transit *transit)
{
    if (fabric->config.drop != NULL) {
        fabric->config.drop(transit->message.cookie);
    }
    free(transit);
}

static void drop_all(const struct fabric *fabric, struct fifo *fifo)
{
    while (fifo->first != NULL) {
        struct transit *first = fifo->first;

        fifo_remove(fifo, first);
        drop(fabric, first);
    }
}

void fabric_free(struct fabric *fabric)
{
    if (fabric == NULL) {
        return;
    }
    for (size_t i = 0; i < fabric->events.count; ++i) {
        const struct event *event = &fabric->events.event[i];
        struct transit *transit = event->subject;

        /* A message that an inbox or queue also holds is freed by the loop
           below. */
        if (type_of(event) == EVENT_RELEASE && transit->holders == 1) {
            free(transit);
        } else if (type_of(event) == EVENT_REFUSAL) {
            drop(fabric, transit);
        }
    }
    for (uint32_t i = 0; i < fabric->node_count; ++i) {
        for (unsigned port = 0; port < NODE_PORTS; ++port) {
            drop_all(fabric, &fabric->node[i].port[port].queue);
            drop_all(fabric, &fabric->node[i].port[port].inbox);
        }
    }
    event_queue_free(&fabric->events);
    event_queue_free(&fabric->runs);
    free(fabric->node);
    free(fabric->link);
    free(fabric->ready);
    free(fabric->blocked);
    free(fabric->circuit);
    free(fabric);
}

/* ---- deaths ---- */

void fabric_cut(struct fabric *fabric, uint32_t link, uint64_t time_ps,
                struct fabric_found *found)
{
    if (time_ps < fabric->link[link].stop_ps) {
        fabric->link[link].stop_ps = time_ps;
        fabric->link[link].found = found;
    }
}

void fabric_stop(struct fabric *fabric, uint32_t node, uint64_t time_ps,
                 bool whole, struct fabric_found *found)
{
    struct torus_size size = fabric->config.size;

    if (time_ps < fabric->node[node].stop_ps) {
        fabric->node[node].stop_ps = time_ps;
        fabric->node[node].found = found;
    }
    if (whole) {
        for (unsigned port = 0; port < TORUS_PORTS; ++port) {
            fabric_cut(fabric,
                       torus_link(size, torus_coord_of(size, node), port),
                       time_ps, found);
        }
    }
}

uint64_t fabric_stop_ps(const struct fabric *fabric, uint32_t node)
{
    return fabric->node[node].stop_ps;
}

bool fabric_has_stopped(const struct fabric *fabric, uint32_t node)
{
    const struct fabric_node *at = &fabric->node[node];

    return at->state == NODE_STOPPED || at->stop_ps <= fabric->now_ps;
}

/* Stops a node that is about to do something at `time_ps`, if it may not.
   Returns whether it has stopped. */
static bool stop_before(struct fabric_node *node, uint64_t time_ps)
{
    if (time_ps >= node->stop_ps) {
        node->state = NODE_STOPPED;
    }
    return node->state == NODE_STOPPED;
}

/* Returns whether a send is of a time at which its node had stopped. */
static bool is_void(const struct fabric *fabric, const struct transit *transit)
{
    return transit->message.ready_ps >= fabric->node[transit->source].stop_ps;
}

/* ---- requests of nodes ---- */

/* Returns the queue of a port's sends. If a node may not use all ports at once,
   its four torus ports share the queue of port 0. */
static struct fifo *queue_of(struct fabric *fabric, uint32_t node,
                             unsigned port)
{
    bool shared =
        fabric->config.ports_at_once < TORUS_PORTS && port != NODE_PORT_HOST;

    return &fabric->node[node].port[shared ? 0 : port].queue;
}

/* Requests a circuit for the first send of a queue, at `now_ps` or later,
   unless that was done, the send's port is busy, or the node holds as many
   circuits as it may. */
static void request_first(struct fabric *fabric, const struct fifo *queue,
                          uint64_t now_ps)
{
    struct transit *first = queue->first;
    const struct fabric_node *node;
    const struct fabric_port *port;

    if (first == NULL || first->asked) {
        return;
    }
    node = &fabric->node[first->source];
    port = &node->port[first->port];
    if (port->busy || (node->circuits >= fabric->config.ports_at_once &&
                       first->port != NODE_PORT_HOST)) {
        return;
    }
    if (port->used) {
        now_ps = larger(now_ps, plus(port->free_ps, first->message.gap_ps));
    }
    first->request_ps = larger(now_ps, first->message.ready_ps);
    first->asked = true;
    push(fabric, EVENT_REQUEST, first->request_ps, first);
}

void fabric_send(struct fabric *fabric, uint32_t node, unsigned port,
                 const struct fabric_message *message)
{
    struct fifo *queue = queue_of(fabric, node, port);
    struct transit *transit = memory_or_exit(calloc(1, sizeof(struct transit)));

    transit->message = *message;
    transit->message.ready_ps = plus(message->ready_ps, 0);
    transit->source = node;
    transit->port = (uint8_t)port;
    fifo_add(queue, transit);
    request_first(fabric, queue, 0);
}

void fabric_from_host(struct fabric *fabric, uint32_t node, uint64_t time_ps,
                      uint32_t bytes, uint8_t tag, void *cookie)
{
    struct transit *transit = memory_or_exit(calloc(1, sizeof(struct transit)));

    transit->message.bytes = bytes;
    transit->message.tag = tag;
    transit->message.cookie = cookie;
    transit->source = node;
    transit->destination = node;
    transit->port = NODE_PORT_HOST;
    transit->arrival_port = NODE_PORT_HOST;
    transit->grant_ps = fabric->now_ps;
    transit->arrival_ps = time_ps;
    transit->arrived = true;
    transit->holders = 1;
    inbox_add(&fabric->node[node], NODE_PORT_HOST, transit);
    notify(fabric, node);
}

static void rest(struct fabric *fabric, uint32_t node, uint64_t time_ps,
                 enum fabric_node_state state)
{
    struct fabric_node *at = &fabric->node[node];

    at->state = state;
    at->time_ps = time_ps;
    (void)stop_before(at, time_ps);
    notify(fabric, node);
}

void fabric_receive(struct fabric *fabric, uint32_t node, uint64_t time_ps,
                    unsigned ports, uint64_t deadline_ps)
{
    struct fabric_node *at = &fabric->node[node];

    at->port_mask = ports & ((1u << NODE_PORTS) - 1);
    at->tag_wanted = (uint8_t)(ports >> 8);
    at->head_bytes = (uint16_t)(ports >> 16);
    at->until = deadline_ps != FABRIC_NEVER_PS;
    at->receives += 1;
    rest(fabric, node, time_ps, NODE_RECEIVING);
    if (at->until) {
        fabric->deadlines += 1;
        event_queue_add(&fabric->events,
                        (struct event){plus(larger(deadline_ps, time_ps), 0),
                                       event_order(EVENT_DEADLINE, node, 0), at,
                                       at->receives});
    }
}

void fabric_lose(struct fabric *fabric, uint32_t node, bool whole,
                 struct fabric_found *found)
{
    uint64_t time_ps = larger(fabric->now_ps, fabric->node[node].time_ps);

    fabric_stop(fabric, node, time_ps, whole, found);
    rest(fabric, node, time_ps, NODE_STOPPED);
}

void fabric_drain(struct fabric *fabric, uint32_t node, uint64_t time_ps)
{
    rest(fabric, node, time_ps, NODE_DRAINING);
}

void fabric_end(struct fabric *fabric, uint32_t node, uint64_t time_ps)
{
    rest(fabric, node, time_ps, NODE_ENDED);
}

static void resume(struct fabric *fabric, uint32_t index, uint64_t time_ps)
{
    struct fabric_node *node = &fabric->node[index];

    node->state = NODE_RUNNING;
    node->time_ps = larger(node->time_ps, time_ps);
    run(fabric, index, node->time_ps);
}

/* ---- circuits ---- */

static size_t links_of(const struct fabric *fabric,
                       const struct transit *transit, uint32_t link[])
{
    struct torus_size size = fabric->config.size;

    return torus_path_links(size, torus_coord_of(size, transit->source),
                            transit->message.path, link, LINKS_MAX);
}

/* Returns the path that the node asked for. */
static struct torus_path asked_path(const struct fabric *fabric,
                                    const struct transit *transit)
{
    struct torus_path path = transit->message.path;

    return transit->retried ? torus_path_other(fabric->config.size, path)
                            : path;
}

static void links_mark(struct fabric *fabric, const struct transit *transit,
                       bool held)
{
    uint32_t link[LINKS_MAX];
    size_t count = links_of(fabric, transit, link);

    for (size_t i = 0; i < count; ++i) {
        fabric->link[link[i]].held = held;
    }
}

static void log_circuit(struct fabric *fabric, const struct transit *transit,
                        uint64_t grant_ps)
{
    fabric->circuit = grow(fabric->circuit, &fabric->circuit_room,
                           fabric->circuit_count, sizeof *fabric->circuit);
    fabric->circuit[fabric->circuit_count++] = (struct circuit_record){
        .source = transit->source,
        .destination = transit->destination,
        .port = transit->port,
        .arrival = transit->arrival_port,
        .kind = transit->message.kind,
        .phase = transit->message.phase,
        .hops = (uint16_t)torus_path_hops(transit->message.path),
        .bytes = transit->message.bytes,
        .request_ps = transit->request_ps,
        .grant_ps = grant_ps,
        .end_ps = transit->arrival_ps};
}

static uint64_t held_ps(const struct fabric_config *config, uint32_t hops,
                        uint32_t bytes)
{
    uint64_t startup_ps = config->profile.startup_ps;
    uint64_t transfer_ps = times(config->profile.transfer_ps, bytes);

    if (config->store_and_forward) {
        startup_ps = times(startup_ps, hops);
        transfer_ps = times(transfer_ps, hops);
    }
    return plus(plus(startup_ps, transfer_ps),
                times(config->profile.hop_delay_ps, hops));
}

static void release(struct transit *transit)
{
    transit->holders -= 1;
    if (transit->holders == 0) {
        free(transit);
    }
}

/* Takes a send whose set-up begins out of its queue. Its port is busy until
   next_send(). */
static void leave_queue(struct fabric *fabric, struct transit *transit,
                        uint64_t now_ps)
{
    struct fabric_node *source = &fabric->node[transit->source];
    struct fabric_port *port = &source->port[transit->port];
    struct fifo *queue = queue_of(fabric, transit->source, transit->port);

    port->counters.stall_ps += now_ps - transit->request_ps;
    port->busy = true;
    source->circuits += 1;
    fifo_remove(queue, transit);
    request_first(fabric, queue, now_ps);
}

/* Sets up a circuit: its links are held, and its message enters the
   destination's inbox. */
static void grant(struct fabric *fabric, struct transit *transit,
                  uint64_t now_ps)
{
    const struct fabric_config *config = &fabric->config;
    struct torus_path path = transit->message.path;
    struct torus_coord from = torus_coord_of(config->size, transit->source);
    struct fabric_port *port =
        &fabric->node[transit->source].port[transit->port];
    struct fabric_port *to;

    links_mark(fabric, transit, true);
    transit->arrival_ps = plus(
        now_ps, held_ps(config, torus_path_hops(path), transit->message.bytes));
    /* The other way leads to the same buffers as the path asked for. */
    transit->arrival_port =
        (uint8_t)torus_path_arrival(asked_path(fabric, transit));
    transit->destination =
        torus_index(config->size, torus_path_end(config->size, from, path));
    log_circuit(fabric, transit, now_ps);
    transit->grant_ps = now_ps;
    transit->damaged = fabric->circuit_count == config->corrupt_message;
    port->counters.busy_ps += transit->arrival_ps - now_ps;
    port->counters.sent_messages += 1;
    port->counters.sent_bytes += transit->message.bytes;
    leave_queue(fabric, transit, now_ps);
    transit->holders = 2;
    push(fabric, EVENT_RELEASE, transit->arrival_ps, transit);
    to = &fabric->node[transit->destination].port[transit->arrival_port];
    to->counters.received_messages += 1;
    to->counters.received_bytes += transit->message.bytes;
    inbox_add(&fabric->node[transit->destination], transit->arrival_port,
              transit);
    notify(fabric, transit->destination);
}

/* Notes that a set-up has ended at what is dead, and whether the message was
   lost by it. A dead node finds nothing, although its sends may be refused. */
static void find(const struct fabric *fabric, const struct transit *transit,
                 bool lost)
{
    struct fabric_found *found = transit->found;
    uint64_t time_ps = transit->arrival_ps;

    if (found == NULL || time_ps >= fabric->node[transit->source].stop_ps) {
        return;
    }
    if (time_ps < found->first_ps) {
        found->first_ps = time_ps;
    }
    if (lost) {
        found->lost_ps = larger(found->lost_ps, time_ps);
    }
}

/* Refuses a send a circuit: its set-up ends behind `hops` live links. Until
   then its port is busy. */
static void refuse(struct fabric *fabric, struct transit *transit, size_t hops,
                   uint64_t now_ps)
{
    const struct fabric_config *config = &fabric->config;
    uint32_t bytes = config->store_and_forward ? transit->message.bytes : 0;

    transit->hops = (uint16_t)hops;
    transit->arrival_ps =
        plus(now_ps, held_ps(config, transit->hops + 1u, bytes));
    transit->refused = true;
    leave_queue(fabric, transit, now_ps);
    push(fabric, EVENT_REFUSAL, transit->arrival_ps, transit);
}

/* Grants or refuses a circuit. Returns false if a link of its path is held by
   another. */
static bool set_up(struct fabric *fabric, struct transit *transit,
                   uint64_t now_ps)
{
    uint32_t link[LINKS_MAX];
    size_t count;
    bool held = false;

    if (is_void(fabric, transit)) {
        refuse(fabric, transit, 0, now_ps);
        return true;
    }
    count = links_of(fabric, transit, link);
    for (size_t i = 0; i < count; ++i) {
        const struct fabric_link *at = &fabric->link[link[i]];

        if (now_ps >= at->stop_ps) {
            refuse(fabric, transit, i, now_ps);
            transit->found = at->found;
            return true;
        }
        held |= at->held;
        if (at->held && transit->retried && !transit->message.waits) {
            refuse(fabric, transit, i, now_ps);
            return true;
        }
    }
    if (transit->message.tag == CIRCUIT_KIND_ASK) {
        refuse(fabric, transit, count, now_ps);
        return true;
    }
    if (!held) {
        grant(fabric, transit, now_ps);
    }
    return !held;
}

/* Removes a send that has ended, by delivery or loss, from its queue. The next
   send of the queue may request a circuit. */
static void next_send(struct fabric *fabric, struct transit *ended,
                      uint64_t now_ps)
{
    struct fabric_node *source = &fabric->node[ended->source];
    struct fabric_port *port = &source->port[ended->port];

    port->busy = false;
    port->used = true;
    port->free_ps = now_ps;
    request_first(fabric, queue_of(fabric, ended->source, ended->port), now_ps);
    if (source->state == NODE_DRAINING) {
        notify(fabric, ended->source);
    }
}

static void block(struct fabric *fabric, struct transit *transit)
{
    fabric->conflicts += 1;
    fabric->node[transit->source].port[transit->port].counters.stalls += 1;
    fabric->blocked = grow(fabric->blocked, &fabric->blocked_room,
                           fabric->blocked_count, sizeof *fabric->blocked);
    fabric->blocked[fabric->blocked_count++] = transit;
}

/* Grants circuits to blocked sends whose links are free now, oldest request
   first. */
static void retry_blocked(struct fabric *fabric)
{
    uint64_t now_ps = fabric->latest_release_ps;
    size_t kept = 0;

    fabric->retry_due = false;

    for (size_t i = 0; i < fabric->blocked_count; ++i) {
        struct transit *transit = fabric->blocked[i];

        if (!set_up(fabric, transit, now_ps)) {
            fabric->blocked[kept++] = transit;
        }
    }
    fabric->blocked_count = kept;
}

static void process_release(struct fabric *fabric, struct transit *transit)
{
    uint64_t now_ps = transit->arrival_ps;

    links_mark(fabric, transit, false);
    fabric->node[transit->source].circuits -= 1;
    transit->arrived = true;
    fabric->latest_release_ps = now_ps;
    fabric->retry_due = true;
    notify(fabric, transit->destination);
    next_send(fabric, transit, now_ps);
    release(transit);
}

/* Releases all circuits that end at the same time as `first`. Only then a
   message is delivered or a circuit granted, so the order in which the host
   runs nodes does not matter. */
static void release_all(struct fabric *fabric, struct transit *first)
{
    process_release(fabric, first);
    while (fabric->events.count > 0 &&
           type_of(&fabric->events.event[0]) == EVENT_RELEASE &&
           fabric->events.event[0].time_ps == fabric->latest_release_ps) {
        process_release(fabric, event_queue_remove(&fabric->events).subject);
    }
}

/* Returns whether a message whose set-up has ended is a question to a node that
   works. */
static bool is_taken(const struct fabric *fabric, struct transit *transit)
{
    struct torus_size size = fabric->config.size;
    struct torus_path path = transit->message.path;
    struct torus_coord from = torus_coord_of(size, transit->source);
    uint32_t to = torus_index(size, torus_path_end(size, from, path));

    if (transit->message.tag != CIRCUIT_KIND_ASK ||
        transit->hops != torus_path_hops(path)) {
        return false;
    }
    /* that it will stop before it does anything else is no matter yet */
    if (fabric->node[to].stop_ps > transit->arrival_ps) {
        return true;
    }
    transit->found = fabric->node[to].found;
    return false;
}

/* Requests a circuit by the other way for a send that was refused. */
static void retry(struct fabric *fabric, struct transit *transit)
{
    struct fifo *queue = queue_of(fabric, transit->source, transit->port);

    transit->message.other_way = false;
    transit->retried = true;
    transit->message.path =
        torus_path_other(fabric->config.size, transit->message.path);
    transit->next = queue->first;
    queue->last = queue->first == NULL ? transit : queue->last;
    queue->first = transit;
    fabric->node[transit->source].port[transit->port].busy = false;
    transit->request_ps = transit->arrival_ps;
    push(fabric, EVENT_REQUEST, transit->request_ps, transit);
}

static void process_refusal(struct fabric *fabric, struct transit *transit)
{
    struct fabric_node *source = &fabric->node[transit->source];

    source->circuits -= 1;
    if (transit->message.other_way && !fabric->config.one_way &&
        transit->hops < torus_path_hops(transit->message.path) &&
        !is_void(fabric, transit)) {
        find(fabric, transit, false);
        retry(fabric, transit);
        return;
    }
    transit->refused = !is_taken(fabric, transit);
    if (transit->refused) {
        find(fabric, transit, true);
        source->port[transit->port].counters.errors += 1;
        source->first_error = ERR_DEAD_LINK;
    }
    next_send(fabric, transit, transit->arrival_ps);
    fabric->leaving = transit;
}

static void process_request(struct fabric *fabric, struct transit *transit,
                            uint64_t now_ps)
{
    if (transit->port == NODE_PORT_HOST) {
        transit->arrival_ps = now_ps;
        transit->refused = is_void(fabric, transit);
        fifo_remove(queue_of(fabric, transit->source, transit->port), transit);
        next_send(fabric, transit, now_ps);
        fabric->leaving = transit;
    } else if (!set_up(fabric, transit, now_ps)) {
        block(fabric, transit);
    }
}

/* ---- progress ---- */

/* Returns the first message of a tag; 0: any but a call; or NULL. */
static struct transit *first_tagged(const struct fifo *inbox, uint8_t tag)
{
    struct transit *transit = inbox->first;

    while (transit != NULL &&
           (tag != 0 ? transit->message.tag != tag
                     : transit->message.tag == CIRCUIT_KIND_CALL)) {
        transit = transit->next;
    }
    return transit;
}

/* Returns the next message that a waiting node may have, and its port; or NULL.
   A node that waits at a single port without deadline gets its message before
   mesh time reaches the arrival, since no other can come first. */
static struct transit *find_message(const struct fabric_node *node,
                                    unsigned *port)
{
    bool single =
        (node->port_mask & (node->port_mask - 1)) == 0 && !node->until;
    struct transit *found = NULL;

    for (unsigned i = 0; i < NODE_PORTS; ++i) {
        struct transit *first =
            first_tagged(&node->port[i].inbox, node->tag_wanted);

        if ((node->port_mask >> i & 1u) != 0 && first != NULL &&
            (single || first->arrived) &&
            (found == NULL || first->arrival_ps < found->arrival_ps)) {
            found = first;
            *port = i;
        }
    }
    return found;
}

/* Returns the time when the bytes for which the node waits have arrived. */
static uint64_t head_ps(const struct fabric *fabric,
                        const struct fabric_node *node,
                        const struct transit *transit)
{
    bool single = (node->port_mask & (node->port_mask - 1)) == 0;
    uint32_t rest = transit->message.bytes - node->head_bytes;
    uint64_t rest_ps = times(fabric->config.profile.transfer_ps, rest);

    return single && node->head_bytes > 0 &&
                   node->head_bytes < transit->message.bytes &&
                   transit->port != NODE_PORT_HOST &&
                   transit->arrival_ps < TIME_MAX_PS
               ? transit->arrival_ps - rest_ps
               : transit->arrival_ps;
}

/* Returns the first call for a node whose receive does not ask for calls. An
   inbox of thousands of messages is searched only if there is one. */
static const struct transit *find_call(const struct fabric_node *node)
{
    const struct transit *call = NULL;

    if (node->calls == 0 || node->tag_wanted == CIRCUIT_KIND_CALL) {
        return NULL;
    }
    for (unsigned i = 0; i < NODE_PORTS && call == NULL; ++i) {
        call = first_tagged(&node->port[i].inbox, CIRCUIT_KIND_CALL);
        call = call != NULL && call->arrived ? call : NULL;
    }
    return call;
}

/* Ends a receive at mesh time `time_ps` without a message. */
static enum fabric_step end_receive(struct fabric *fabric, uint32_t index,
                                    uint64_t time_ps, enum err status,
                                    struct fabric_action *action)
{
    resume(fabric, index, time_ps);
    *action = (struct fabric_action){.time_ps = fabric->node[index].time_ps,
                                     .known_ps = FABRIC_NEVER_PS,
                                     .node = index,
                                     .status = status};
    return FABRIC_TIMED_OUT;
}

static enum fabric_step deliver(struct fabric *fabric, uint32_t index,
                                struct fabric_action *action)
{
    struct fabric_node *node = &fabric->node[index];
    const struct transit *call = find_call(node);
    unsigned port = 0;
    struct transit *transit = find_message(node, &port);
    uint64_t time_ps;

    if (call != NULL) {
        return stop_before(node, call->arrival_ps)
                   ? FABRIC_WAIT
                   : end_receive(fabric, index, call->arrival_ps, ERR_CALLED,
                                 action);
    }
    if (transit == NULL || stop_before(node, transit->arrival_ps)) {
        return FABRIC_WAIT;
    }
    inbox_remove(node, port, transit);
    time_ps = larger(head_ps(fabric, node, transit), node->time_ps);
    resume(fabric, index, transit->arrival_ps);
    *action = (struct fabric_action){.time_ps = time_ps,
                                     .complete_ps = node->time_ps,
                                     .arrival_ps = transit->arrival_ps,
                                     .known_ps = transit->grant_ps,
                                     .cookie = transit->message.cookie,
                                     .node = index,
                                     .source = transit->source,
                                     .bytes = transit->message.bytes,
                                     .status = ERR_OK,
                                     .port = (uint8_t)port,
                                     .damaged = transit->damaged};
    release(transit);
    return FABRIC_DELIVER;
}

static enum fabric_step answer_drain(struct fabric *fabric, uint32_t index,
                                     struct fabric_action *action)
{
    struct fabric_node *node = &fabric->node[index];
    uint64_t time_ps = node->time_ps;

    for (unsigned port = 0; port < NODE_PORTS; ++port) {
        if (node->port[port].queue.first != NULL || node->port[port].busy) {
            return FABRIC_WAIT;
        }
        time_ps = larger(time_ps, node->port[port].free_ps);
    }
    if (stop_before(node, time_ps)) {
        return FABRIC_WAIT;
    }
    resume(fabric, index, time_ps);
    *action = (struct fabric_action){.time_ps = time_ps,
                                     .known_ps = FABRIC_NEVER_PS,
                                     .node = index,
                                     .status = node->first_error};
    node->first_error = ERR_OK;
    return FABRIC_DRAINED;
}

/* Gives one waiting node a message, or an answer to its request. Returns
   FABRIC_WAIT if there is nothing for any node. */
static enum fabric_step serve_ready(struct fabric *fabric,
                                    struct fabric_action *action)
{
    enum fabric_step step = FABRIC_WAIT;

    while (step == FABRIC_WAIT && fabric->ready_count > 0) {
        uint32_t index = fabric->ready[--fabric->ready_count];

        fabric->node[index].notify = false;
        if (fabric->node[index].state == NODE_RECEIVING) {
            step = deliver(fabric, index, action);
        } else if (fabric->node[index].state == NODE_DRAINING) {
            step = answer_drain(fabric, index, action);
        }
    }
    return step;
}

/* Reports a message that has left the mesh: it went to the host, or it is
   lost. */
static enum fabric_step report_leaving(struct fabric *fabric,
                                       struct fabric_action *action)
{
    struct transit *transit = fabric->leaving;
    bool taken = !transit->refused && transit->port != NODE_PORT_HOST;
    bool to_host = !transit->refused && !taken;

    *action = (struct fabric_action){.time_ps = transit->arrival_ps,
                                     .cookie = transit->message.cookie,
                                     .node = transit->source,
                                     .source = transit->source,
                                     .bytes = transit->message.bytes,
                                     .status = transit->refused ? ERR_DEAD_LINK
                                                                : ERR_OK,
                                     .path = asked_path(fabric, transit),
                                     .hops = transit->hops,
                                     .port = transit->port};
    fabric->leaving = NULL;
    free(transit);
    return taken ? FABRIC_TAKEN : to_host ? FABRIC_TO_HOST : FABRIC_FAILED;
}

/* Returns whether the node still waits in the receive whose deadline this event
   is. */
static bool times_out(const struct event *event)
{
    struct fabric_node *node = event->subject;

    return node->state == NODE_RECEIVING && node->receives == event->number &&
           !stop_before(node, event->time_ps);
}

static enum fabric_step time_out(struct fabric *fabric,
                                 const struct event *event,
                                 struct fabric_action *action)
{
    const struct fabric_node *node = event->subject;
    uint32_t index = (uint32_t)(node - fabric->node);

    return end_receive(fabric, index, event->time_ps, ERR_TIMEOUT, action);
}

enum fabric_step fabric_next(struct fabric *fabric,
                             struct fabric_action *action)
{
    for (;;) {
        enum fabric_step step = serve_ready(fabric, action);
        const struct fabric_node *running;
        struct event event;

        if (step != FABRIC_WAIT) {
            return step;
        }
        if (fabric->retry_due) {
            retry_blocked(fabric);
            continue;
        }
        running = earliest_running(fabric);
        if (fabric->events.count == 0 ||
            (fabric->hurries && running == NULL &&
             fabric->events.count == fabric->deadlines)) {
            return running != NULL ? FABRIC_WAIT : FABRIC_STUCK;
        }
        if (running != NULL &&
            fabric->events.event[0].time_ps >= running->time_ps) {
            return FABRIC_WAIT;
        }
        event = event_queue_remove(&fabric->events);
        fabric->now_ps = event.time_ps;
        if (type_of(&event) == EVENT_DEADLINE) {
            fabric->deadlines -= 1;
            if (times_out(&event)) {
                return time_out(fabric, &event, action);
            }
            continue;
        }
        if (type_of(&event) == EVENT_RELEASE) {
            release_all(fabric, event.subject);
        } else if (type_of(&event) == EVENT_REFUSAL) {
            process_refusal(fabric, event.subject);
        } else {
            process_request(fabric, event.subject, event.time_ps);
        }
        if (fabric->leaving != NULL) {
            return report_leaving(fabric, action);
        }
    }
}

void fabric_hurry(struct fabric *fabric, bool hurries)
{
    fabric->hurries = hurries;
}

uint64_t fabric_time_ps(const struct fabric *fabric)
{
    return fabric->now_ps;
}

bool fabric_is_running(const struct fabric *fabric, uint32_t node)
{
    return fabric->node[node].state == NODE_RUNNING;
}

bool fabric_has_ended(const struct fabric *fabric, uint32_t node)
{
    return fabric->node[node].state == NODE_ENDED;
}

const struct circuit_record *fabric_circuits(const struct fabric *fabric,
                                             uint32_t *count)
{
    *count = fabric->circuit_count;
    return fabric->circuit;
}

uint64_t fabric_conflicts(const struct fabric *fabric)
{
    return fabric->conflicts;
}

void fabric_count_error(struct fabric *fabric, uint32_t node, unsigned port)
{
    fabric->node[node].port[port].counters.errors += 1;
}

const struct node_counters *fabric_counters(const struct fabric *fabric,
                                            uint32_t node, unsigned port)
{
    return &fabric->node[node].port[port].counters;
}
