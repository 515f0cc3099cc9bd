/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/mesh.h"

#include "hal/bytes.h"
#include "qemu/fabric/losses.h"
#include "qemu/fabric/sends.h"
#include "qemu/fabric/watch.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/memory.h"
#include "qemu/base/progress.h"

#include <stdlib.h>
#include <string.h>

/* Most messages that nodes may send during an order, and most that may wait to
   be received: FIXED, plus A_NODE for each node. Farms of 25 and 400 nodes with
   --installment 250 send 64,000 and 1,330,000. A message takes 48 bytes of host
   memory, and 250 more until it is received. */
#define SENT_FIXED 131072u
#define SENT_A_NODE 4096u
#define WAITING_FIXED 65536u
#define WAITING_A_NODE 64u

/* ---- originators ---- */

uint32_t mesh_originator(const struct mesh_config *config, uint32_t index)
{
    return torus_index(config->size, config->originator[index]);
}

static uint32_t group_of(const struct mesh_config *config, uint32_t node)
{
    return config->group_of_node != NULL ? config->group_of_node[node] : 0;
}

/* ---- setting up ---- */

static void identify(struct mesh *mesh, uint32_t node)
{
    const struct mesh_config *config = mesh->config;
    struct window *window = mesh_window(mesh, node);
    struct torus_coord at = torus_coord_of(config->size, node);
    struct torus_coord originator = config->originator[group_of(config, node)];

    window->node.identity =
        (struct node_identity){.magic = WINDOW_MAGIC,
                               .version = WINDOW_VERSION,
                               .bytes = BACKEND_WINDOW_BYTES,
                               .mesh = config->identity,
                               .width = config->size.width,
                               .height = config->size.height,
                               .x = at.x,
                               .y = at.y,
                               .originator_x = originator.x,
                               .originator_y = originator.y,
                               .policy = config->policy,
                               .probed = config->probed};
}

/* Prepares an injection whose mesh time is not known before the first order. */
static void inject(struct mesh *mesh, const struct injection *injection)
{
    struct backend *backend = mesh->backend;
    uint32_t node = torus_index(mesh->config->size, injection->at);

    if (injection->what == INJECTION_SLOW) {
        backend->slow(backend->context, node, injection->slow_shift,
                      injection->from_ps > 0 ? INJECTION_FROM_MAX_PS : 0);
    }
    /* A board cannot make itself die, so inject_death() kills its QEMU. */
    if (injection->what == INJECTION_FAULT && !injection->timed) {
        mesh_window(mesh, node)->node.identity.fault_injection =
            (uint16_t)injection->fault;
    }
}

static void inject_at(struct mesh *mesh, const struct injection *injection,
                      uint64_t time_ps, struct fabric_found *found)
{
    struct backend *backend = mesh->backend;
    struct torus_size size = mesh->config->size;
    uint32_t node = torus_index(size, injection->at);

    if (injection_stops(injection)) {
        fabric_stop(mesh->fabric, node, time_ps,
                    injection->what == INJECTION_DEATH, found);
    } else if (injection->what == INJECTION_CUT) {
        fabric_cut(mesh->fabric,
                   torus_link(size, injection->at, injection->port), time_ps,
                   found);
    } else if (injection->what == INJECTION_SLOW && injection->from_ps > 0) {
        backend->slow(backend->context, node, injection->slow_shift, time_ps);
    }
}

/* Sets the times of injections. The first order comes at mesh time `order_ps`,
   and all nodes wait for it. */
static void inject_times(struct mesh *mesh, uint64_t order_ps)
{
    const struct injections *injections = &mesh->config->injections;

    for (uint32_t i = 0; i < injections->count; ++i) {
        const struct injection *injection = &injections->injection[i];

        mesh->found[i] = (struct fabric_found){.first_ps = FABRIC_NEVER_PS};
        inject_at(mesh, injection, order_ps + injection->from_ps,
                  &mesh->found[i]);
    }
    mesh->ordered = true;
    mesh->order_ps = order_ps;
}

void mesh_init(struct mesh *mesh, const struct mesh_config *config,
               struct backend *backend)
{
    uint32_t nodes = torus_nodes(config->size);
    struct fabric_config fabric = config->fabric;

    memset(mesh, 0, sizeof *mesh);
    mesh->config = config;
    mesh->backend = backend;
    mesh->watchdog =
        (struct watchdog){.limit_ns = config->watchdog_s * HOST_CLOCK_S_NS,
                          .seen_ns = host_clock_ns(host_clock())};
    fabric.drop = free;
    mesh->fabric = fabric_new(&fabric);
    mesh->node = memory_or_exit(calloc(nodes, sizeof *mesh->node));
    mesh->reports = config->originators;
    mesh->report = memory_or_exit(calloc(mesh->reports, sizeof *mesh->report));
    mesh->found = memory_or_exit(
        calloc(config->injections.count + 1u, sizeof *mesh->found));
    for (uint32_t node = 0; node < nodes; ++node) {
        identify(mesh, node);
        if (config->slow_shift != NULL) {
            backend->slow(backend->context, node, config->slow_shift[node], 0);
        }
    }
    for (uint32_t i = 0; i < config->injections.count; ++i) {
        inject(mesh, &config->injections.injection[i]);
    }
    watch_mesh(config->watch, mesh);
}

/* Drops the reports; those of orders of mesh time `ordered_ps` come. */
static void drop_reports(struct mesh *mesh, uint64_t ordered_ps)
{
    for (uint32_t i = 0; i < mesh->reports; ++i) {
        free(mesh->report[i].data);
        mesh->report[i] = (struct mesh_report){.ordered_ps = ordered_ps};
    }
}

void mesh_free(struct mesh *mesh)
{
    if (mesh->report != NULL) {
        watch_mesh(mesh->config->watch, NULL);
        drop_reports(mesh, 0);
        for (uint32_t i = 0; i < torus_nodes(mesh->config->size); ++i) {
            free(mesh->node[i].failures.failure);
        }
    }
    fabric_free(mesh->fabric);
    free(mesh->node);
    free(mesh->report);
    free(mesh->found);
    memset(mesh, 0, sizeof *mesh);
}

/* ---- bytes ---- */

/* Copies a message's header and pieces to `out`. The header's CRC is 0: a
   message in memory can only be damaged by message_damage(), which writes a
   CRC. */
static void assemble(struct mesh *mesh, uint8_t *out,
                     const struct message *message)
{
    message_join(out, message);
    if (message->load != NULL) {
        uint8_t *to = out + CIRCUIT_HEADER_BYTES + message->piece[0].bytes;

        mesh->unread |=
            file_piece_copy(to, message->load, message->piece[1].bytes) != 0;
    }
}

/* Changes the bits of a node's memory that flip up to mesh time time_ps. The
   node waits, so that a flip comes when it next goes on. */
static void flip_bits(struct mesh *mesh, uint32_t node, uint64_t time_ps)
{
    const struct mesh_config *config = mesh->config;
    uint8_t *window = (uint8_t *)mesh_window(mesh, node);

    for (uint32_t i = 0; mesh->ordered && i < config->injections.count; ++i) {
        const struct injection *injection = &config->injections.injection[i];
        uint64_t at_ps = mesh->order_ps + injection->from_ps;

        if (injection->what == INJECTION_FLIP && at_ps <= time_ps &&
            at_ps >= mesh->node[node].next_flip_ps &&
            torus_index(config->size, injection->at) == node) {
            window[injection->offset] ^= (uint8_t)(1u << injection->bit);
        }
    }
    if (mesh->ordered) {
        mesh->node[node].next_flip_ps = time_ps + 1;
    }
}

static void answer(struct mesh *mesh, uint32_t node,
                   const struct window_response *what)
{
    struct window *window = mesh_window(mesh, node);
    struct window_response response = *what;

    flip_bits(mesh, node, what->time_ps);
    response.head_only = what->time_ps < what->complete_ps;
    /* The sequence number is written last. It tells the node that the response
       is complete. */
    response.sequence = window->response.sequence;
    window->response = response;
    __atomic_store_n(&window->response.sequence, mesh->node[node].sequence,
                     __ATOMIC_RELEASE);
    mesh->backend->ring(mesh->backend->context, node);
}

/* Returns whether a message belongs to another job than the node's request
   allows. Its version, mesh and length are right, as this file has written
   them. */
static bool is_foreign(const struct window_request *request,
                       const uint8_t *message)
{
    return request->job != CIRCUIT_ANY_JOB &&
           request->job != bytes_load_u16(message + CIRCUIT_AT_JOB);
}

/* ---- requests ---- */

/* Writes a message into the receiver's window. Returns the status that the
   receiver's switch would find. */
static int deliver(struct mesh *mesh, const struct fabric_action *action,
                   uint32_t offset)
{
    const struct backend *backend = mesh->backend;
    struct message *message = action->cookie;
    uint8_t *buffer = (uint8_t *)mesh_window(mesh, action->node) + offset;
    enum message_damage damage = !action->damaged ? MESSAGE_SOUND
                                 : action->time_ps < action->complete_ps
                                     ? MESSAGE_DAMAGED_LATE
                                     : MESSAGE_DAMAGED;

    if (backend->deliver == NULL) {
        assemble(mesh, buffer, message);
        return message_damage(buffer, message->bytes, damage) ? ERR_CORRUPT
                                                              : ERR_OK;
    }
    if (message->load != NULL) {
        message->whole = memory_or_exit(malloc(message->bytes));
        assemble(mesh, message->whole, message);
    }
    backend->deliver(backend->context, action->node, offset, message, damage);
    free(message->whole);
    return damage == MESSAGE_SOUND ? ERR_OK : ERR_CORRUPT;
}

/* Writes a message into the buffer that the receiver's request names. A
   receiver that goes on before the message is complete is told of damage when
   the last byte arrives. */
static void hand_over(struct mesh *mesh, const struct fabric_action *action)
{
    struct window *window = mesh_window(mesh, action->node);
    uint8_t *buffer;
    struct window_request request;
    struct window_response response = {.time_ps = action->time_ps,
                                       .complete_ps = action->complete_ps,
                                       .port = action->port,
                                       .bytes = action->bytes};
    int error = ERR_BUFFER;

    window_read(&request, &window->request, sizeof request);
    buffer = (uint8_t *)window + request.offset;
    if (action->bytes <= request.capacity_bytes &&
        window_has(request.offset, request.capacity_bytes)) {
        error = deliver(mesh, action, request.offset);
    }
    if (error != ERR_OK) {
        fabric_count_error(mesh->fabric, action->node, action->port);
    }
    if (error == ERR_CORRUPT && action->time_ps < action->complete_ps) {
        response.complete_status = error;
    } else if (error != ERR_OK) {
        response.status = error;
    }
    if (response.status == ERR_OK && is_foreign(&request, buffer)) {
        response.status = ERR_FOREIGN;
    }
    if (response.status == ERR_OK && response.complete_status == ERR_OK) {
        sends_forward(mesh, action, buffer);
    }
    free(action->cookie);
    answer(mesh, action->node, &response);
}

static bool sends_too_much(const struct mesh *mesh)
{
    uint64_t nodes = torus_nodes(mesh->config->size);

    return mesh->sent_all > SENT_FIXED + SENT_A_NODE * nodes ||
           mesh->waiting > WAITING_FIXED + WAITING_A_NODE * nodes;
}

static void show_progress(const struct mesh *mesh)
{
    if (mesh->config->progress != NULL) {
        mesh->config->progress(mesh->config->progress_context, mesh->up,
                               mesh->ended);
    }
}

/* Notes progress if a node has logged new events. A full log replaces its last
   entry again and again, which is no progress. */
static void note_events(struct mesh *mesh, uint32_t node)
{
    const struct node_log *log = &mesh_window(mesh, node)->log;
    uint32_t written = window_read_u32(&log->events_written);
    struct node_event last = {.time_ps = 0};

    if (written > 0) {
        written = written < NODE_EVENTS ? written : NODE_EVENTS;
        window_read(&last, &log->event[written - 1], sizeof last);
    }
    if (last.time_ps > mesh->node[node].event_ps) {
        mesh->node[node].event_ps = last.time_ps;
        mesh_note_progress(mesh);
    }
}

static void note_up(struct mesh *mesh)
{
    mesh_note_progress(mesh);
    mesh->up += 1;
    if (mesh->up == torus_nodes(mesh->config->size)) {
        mesh->up_wall_s = host_clock_s(host_clock());
    }
}

static void note_end(struct mesh *mesh, uint32_t node, uint64_t time_ps)
{
    const struct window *window = mesh_window(mesh, node);

    fabric_end(mesh->fabric, node, time_ps);
    mesh->failed |= window->node.status.state == NODE_STATE_FAILED &&
                    !fabric_has_stopped(mesh->fabric, node);
    mesh_note_progress(mesh);
    mesh->ended += 1;
}

/* Reads what a node that rang wants: the sends that it queued, then its
   request. */
static enum mesh_end read_request(struct mesh *mesh, uint32_t node)
{
    const struct window *window = mesh_window(mesh, node);
    uint32_t sequence =
        __atomic_load_n(&window->request.sequence, __ATOMIC_ACQUIRE);
    struct window_request request;

    if (window->node.status.state == NODE_STATE_FAULT) {
        return losses_fault(mesh, node);
    }
    if (sequence == mesh->node[node].sequence) {
        return MESH_DONE; /* the node rang more than once for a request */
    }
    if (mesh->node[node].sequence == 0) {
        note_up(mesh);
    }
    mesh->node[node].sequence = sequence;
    note_events(mesh, node);
    window_read(&request, &window->request, sizeof request);
    if (!sends_read(mesh, node)) {
        return losses_node(mesh, node, "queued a send that makes no sense");
    }
    if (sends_too_much(mesh)) {
        return losses_flooded(mesh);
    }
    switch (request.op) {
    case WINDOW_OP_RECEIVE:
    case WINDOW_OP_RECEIVE_UNTIL:
        if (!window_has(request.offset, request.capacity_bytes)) {
            answer(mesh, node,
                   &(struct window_response){.time_ps = request.time_ps,
                                             .status = ERR_BUFFER});
            break;
        }
        fabric_receive(mesh->fabric, node, request.time_ps, request.ports,
                       request.op == WINDOW_OP_RECEIVE ? FABRIC_NEVER_PS
                                                       : request.deadline_ps);
        break;
    case WINDOW_OP_DRAIN:
        fabric_drain(mesh->fabric, node, request.time_ps);
        break;
    case WINDOW_OP_END:
        note_end(mesh, node, request.time_ps);
        break;
    default:
        return losses_node(mesh, node,
                           "asked its switch for something unknown");
    }
    return MESH_DONE;
}

/* ---- running ---- */

static void answer_drain(struct mesh *mesh, const struct fabric_action *action)
{
    struct window *window = mesh_window(mesh, action->node);
    struct window_response response = {.time_ps = action->time_ps,
                                       .status = action->status};

    mesh->node[action->node].sends_reported =
        mesh->node[action->node].sends_read;
    window->done = mesh->node[action->node].sends_reported;
    answer(mesh, action->node, &response);
}

/* Keeps a message to the host as the originator's report. Drops messages of
   other nodes. */
static void keep_report(struct mesh *mesh, const struct fabric_action *action)
{
    uint32_t group = group_of(mesh->config, action->node);
    struct mesh_report *report = &mesh->report[group];

    if (action->node != mesh_originator(mesh->config, group)) {
        free(action->cookie);
        return;
    }
    free(report->data);
    report->bytes = action->bytes;
    report->data = memory_or_exit(malloc(action->bytes));
    assemble(mesh, report->data, action->cookie);
    if (action->time_ps > mesh->report_ps) {
        mesh->report_ps = action->time_ps;
    }
    free(action->cookie);
}

static void inject_death(struct mesh *mesh, const struct fabric_action *action)
{
    const struct mesh_config *config = mesh->config;

    for (uint32_t i = 0; i < config->injections.count; ++i) {
        const struct injection *injection = &config->injections.injection[i];

        if (injection->what == INJECTION_DEATH && !injection->timed &&
            mesh->backend->kill != NULL &&
            torus_index(config->size, injection->at) == action->node) {
            mesh->backend->kill(mesh->backend->context, action->node);
        }
    }
}

/* Does what the fabric asks for, until it waits for a node to ring. */
static enum fabric_step advance(struct mesh *mesh)
{
    struct fabric_action action;
    enum fabric_step step;

    for (;;) {
        step = fabric_next(mesh->fabric, &action);
        switch (step) {
        case FABRIC_DELIVER:
            if (!mesh->ordered) {
                inject_times(mesh, action.time_ps);
            }
            inject_death(mesh, &action);
            sends_tell(mesh, &action);
            hand_over(mesh, &action);
            mesh->waiting -= action.port != NODE_PORT_HOST;
            mesh_note_progress(mesh);
            break;
        case FABRIC_TIMED_OUT:
            sends_tell(mesh, &action);
            answer(mesh, action.node,
                   &(struct window_response){.time_ps = action.time_ps,
                                             .status = action.status});
            break;
        case FABRIC_DRAINED:
            sends_tell(mesh, &action);
            answer_drain(mesh, &action);
            break;
        case FABRIC_TO_HOST:
            keep_report(mesh, &action);
            mesh->waiting -= 1;
            mesh_note_progress(mesh);
            break;
        case FABRIC_TAKEN:
            free(action.cookie);
            mesh->waiting -= 1;
            break;
        case FABRIC_FAILED:
            sends_fail(mesh, &action);
            mesh->waiting -= 1;
            break;
        default:
            return step;
        }
    }
}

/* ---- waiting ---- */

/* Waits for a node to ring. Returns BACKEND_TIMEOUT if the watchdog's time is
   over, or if no node can ring any more. */
static enum backend_event wait_for_ring(struct mesh *mesh, uint32_t *node)
{
    struct backend *backend = mesh->backend;
    enum backend_event event = BACKEND_TIMEOUT;
    bool barks = watchdog_barks(&mesh->watchdog);

    while (event == BACKEND_TIMEOUT && !barks) {
        event = backend->wait(backend->context, node, WATCHDOG_LOOK_NS);
        if (event == BACKEND_TIMEOUT) {
            progress_again();
            barks = watchdog_barks(&mesh->watchdog);
        }
    }
    if (event == BACKEND_TIMEOUT || event == BACKEND_QUIET) {
        event = BACKEND_TIMEOUT;
        if (backend->refresh != NULL) {
            backend->refresh(backend->context);
        }
    }
    return event;
}

static enum mesh_end wait_for_node(struct mesh *mesh)
{
    uint32_t node = 0;
    enum backend_event event;

    show_progress(mesh);
    watch_leave(mesh->config->watch);
    event = wait_for_ring(mesh, &node);
    watch_enter(mesh->config->watch);
    switch (event) {
    case BACKEND_RANG:
        mesh->vain += 1;
        return read_request(mesh, node);
    case BACKEND_DIED:
        return losses_death(mesh, node);
    case BACKEND_TIMEOUT:
        return mesh->up < torus_nodes(mesh->config->size) ? losses_boot(mesh)
                                                          : losses_hang(mesh);
    case BACKEND_INTERRUPTED:
        return MESH_INTERRUPTED;
    default:
        return MESH_FAILED;
    }
}

static struct message *pack_order(const struct mesh *mesh,
                                  const struct mesh_order *order)
{
    struct message *message =
        sends_message(mesh, MESSAGE_FROM_HOST, order->job, order->kind);

    message->piece[0] = (struct message_piece){order->head, order->head_bytes};
    message->piece[1] = (struct message_piece){NULL, order->load_bytes};
    message->bytes += order->head_bytes + order->load_bytes;
    message->load = &order->load;
    return message;
}

/* Returns whether nothing more comes of the orders: each originator has ended,
   has reported, or has stopped. */
static bool all_done(const struct mesh *mesh, bool more)
{
    for (uint32_t i = 0; i < mesh->config->originators; ++i) {
        uint32_t node = mesh_originator(mesh->config, i);

        if (!fabric_has_ended(mesh->fabric, node) &&
            !fabric_has_stopped(mesh->fabric, node) &&
            !(more && mesh->report[i].data != NULL)) {
            return false;
        }
    }
    return true;
}

/* Runs until every node waits or has ended. So a run's log does not depend on
   the host's speed. */
static enum mesh_end run_to_end(struct mesh *mesh, bool more)
{
    enum mesh_end end = MESH_DONE;

    while (end == MESH_DONE) {
        enum fabric_step step;

        fabric_hurry(mesh->fabric, true);
        step = advance(mesh);
        if (step == FABRIC_STUCK && !mesh->failed && !all_done(mesh, more)) {
            fabric_hurry(mesh->fabric, false);
            step = advance(mesh);
        }
        if (mesh->unread) {
            return MESH_FAILED;
        }
        if (step == FABRIC_STUCK && all_done(mesh, more)) {
            break;
        }
        end = step == FABRIC_STUCK ? losses_stuck(mesh) : wait_for_node(mesh);
    }
    return end;
}

/* If an originator has stopped and did not report, the next order comes when it
   has, and when all that came of this order is over. */
static void note_silence(struct mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->config->originators; ++i) {
        uint32_t node = mesh_originator(mesh->config, i);
        uint64_t stop_ps = fabric_stop_ps(mesh->fabric, node);
        uint64_t now_ps = fabric_time_ps(mesh->fabric);

        if (mesh->report[i].data == NULL &&
            fabric_has_stopped(mesh->fabric, node)) {
            now_ps = now_ps > stop_ps ? now_ps : stop_ps;
            mesh->report_ps =
                mesh->report_ps > now_ps ? mesh->report_ps : now_ps;
        }
    }
}

static void publish_counters(const struct mesh *mesh)
{
    for (uint32_t node = 0; node < torus_nodes(mesh->config->size); ++node) {
        struct window *window = mesh_window(mesh, node);

        for (unsigned port = 0; port < NODE_PORTS; ++port) {
            window->port[port] = *fabric_counters(mesh->fabric, node, port);
        }
    }
}

enum mesh_end mesh_run(struct mesh *mesh, const struct mesh_order order[])
{
    enum mesh_end end = MESH_DONE;

    watch_enter(mesh->config->watch);
    watch_order(mesh->config->watch, mesh->report_ps);
    for (uint32_t i = 0; i < mesh->config->originators; ++i) {
        struct message *message = pack_order(mesh, &order[i]);

        fabric_from_host(mesh->fabric, mesh_originator(mesh->config, i),
                         mesh->report_ps, message->bytes, message->kind,
                         message);
    }
    drop_reports(mesh, mesh->report_ps);
    for (uint32_t i = 0; i < torus_nodes(mesh->config->size); ++i) {
        mesh->node[i].sent = 0;
    }
    mesh->sent_all = 0;
    /* All boards must be up before the order, so that boot and job are timed
       apart. */
    while (end == MESH_DONE && mesh->up < torus_nodes(mesh->config->size)) {
        end = wait_for_node(mesh);
    }
    if (end == MESH_DONE) {
        end = run_to_end(mesh, order[0].more);
    }
    note_silence(mesh);
    publish_counters(mesh);
    watch_leave(mesh->config->watch);
    return end;
}
