/* SPDX-License-Identifier: Apache-2.0 */
#include "test/hal/switch/mesh.h"

#include "hal/switch/internal.h"

#include <stdlib.h>
#include <string.h>

uint64_t mesh_random(uint64_t *state)
{
    uint64_t value = *state += 0x9e3779b97f4a7c15u;

    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

uint32_t mesh_below(uint64_t *state, uint32_t below)
{
    return below == 0 ? 0 : (uint32_t)(mesh_random(state) % below);
}

/* ---- events: a heap ---- */

static bool before(const struct mesh_event *a, const struct mesh_event *b)
{
    return a->at_us != b->at_us ? a->at_us < b->at_us : a->what < b->what;
}

static void add_event(struct mesh *mesh, uint64_t at_us, uint32_t what)
{
    struct mesh_event event = {at_us, what};
    uint32_t at = mesh->events++;

    while (at > 0 && before(&event, &mesh->event[(at - 1) / 2])) {
        mesh->event[at] = mesh->event[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    mesh->event[at] = event;
}

static struct mesh_event next_event(struct mesh *mesh)
{
    struct mesh_event first = mesh->event[0];
    struct mesh_event last = mesh->event[--mesh->events];
    uint32_t at = 0;

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child >= mesh->events) {
            break;
        }
        if (child + 1 < mesh->events &&
            before(&mesh->event[child + 1], &mesh->event[child])) {
            child += 1;
        }
        if (!before(&mesh->event[child], &last)) {
            break;
        }
        mesh->event[at] = mesh->event[child];
        at = child;
    }
    mesh->event[at] = last;
    return first;
}

/* ---- lines ---- */

/* What happens to the byte that is on the line. */
static enum mesh_fault draw_fault(struct mesh *mesh, uint32_t number)
{
    const struct mesh_line *line = &mesh->line[number];
    uint32_t drawn;

    if (mesh->single != MESH_NONE && number == mesh->single_line &&
        line->bytes == mesh->single_byte) {
        mesh->single_was = line->byte;
        return mesh->single;
    }
    if (mesh->fault_ppm[MESH_NONE] == 0) {
        return MESH_NONE;
    }
    drawn = mesh_below(&mesh->random, 1000000);
    for (unsigned fault = MESH_DROP; fault < MESH_FAULTS; ++fault) {
        if (drawn < mesh->fault_ppm[fault]) {
            return (enum mesh_fault)fault;
        }
        drawn -= mesh->fault_ppm[fault];
    }
    return MESH_NONE;
}

/* Takes the next byte, if there is one. */
static void feed(struct mesh *mesh, uint32_t number, uint64_t extra_us)
{
    struct mesh_line *line = &mesh->line[number];
    struct switch_core *core = &mesh->core[number / TORUS_PORTS];
    const uint8_t *data;
    uint64_t start_us;

    if (line->busy || mesh->dead[number / TORUS_PORTS] ||
        switch_pending(core, number % TORUS_PORTS, &data) == 0) {
        return;
    }
    line->busy = true;
    line->byte = *data;
    start_us =
        line->stalled_us > mesh->now_us ? line->stalled_us : mesh->now_us;
    add_event(mesh, start_us + mesh->byte_us + extra_us, number);
    switch_taken(core, number % TORUS_PORTS, 1);
}

static void kick(void *context, unsigned port)
{
    struct mesh_end *end = context;

    feed(end->mesh, end->node * TORUS_PORTS + port, 0);
}

static void neighbour(void *context, unsigned port, const uint8_t *data,
                      unsigned bytes)
{
    struct mesh_end *end = context;

    if (end->mesh->told != NULL) {
        end->mesh->told(end->mesh, end->node, port, data, bytes);
    }
}

static void catch_up(struct mesh *mesh, uint32_t node)
{
    if (!mesh->late_clock) {
        switch_tick(&mesh->core[node], (uint32_t)mesh->now_us);
    }
}

/* The node and port at the other end of a line. */
static uint32_t end_of(const struct mesh *mesh, uint32_t number, unsigned *port)
{
    struct torus_coord from = torus_coord_of(mesh->size, number / TORUS_PORTS);
    enum torus_port out = (enum torus_port)(number % TORUS_PORTS);

    *port = torus_opposite(out);
    return torus_index(mesh->size, torus_step(mesh->size, from, out, 1));
}

/* Gives the node what is held for it. */
static void flush(struct mesh *mesh, uint32_t number)
{
    struct mesh_line *line = &mesh->line[number];
    unsigned port;
    uint32_t to = end_of(mesh, number, &port);
    uint32_t bytes = line->held_bytes;

    line->held_bytes = 0;
    for (uint32_t at = 0; at < bytes && !mesh->dead[to];) {
        catch_up(mesh, to);
        at += switch_bytes(&mesh->core[to], port, line->held + at, bytes - at);
    }
}

static void give(struct mesh *mesh, uint32_t number, uint8_t byte)
{
    struct mesh_line *line = &mesh->line[number];
    unsigned port;
    uint32_t to = end_of(mesh, number, &port);

    if (line->dead || mesh->dead[to]) {
        return;
    }
    if (mesh->burst_bytes == 0) {
        catch_up(mesh, to);
        switch_bytes(&mesh->core[to], port, &byte, 1);
        return;
    }
    line->held[line->held_bytes++] = byte;
    if (line->held_bytes == mesh->burst_bytes) {
        flush(mesh, number);
    }
}

/* A 0 less or more between frames hurts none of them. */
static void count_fault(struct mesh *mesh, struct mesh_line *line,
                        enum mesh_fault fault)
{
    mesh->faults += 1;
    if (!line->hurt && (line->byte != 0 || fault == MESH_CHANGE)) {
        mesh->hurt_frames += 1;
        line->hurt = true;
    }
}

static uint8_t changed(struct mesh *mesh, uint8_t byte)
{
    if (mesh->single == MESH_NONE) {
        return byte ^ (uint8_t)(1u + mesh_below(&mesh->random, 255));
    }
    return mesh->single_change == 0 ? 0 : byte ^ mesh->single_change;
}

static void byte_arrives(struct mesh *mesh, uint32_t number)
{
    struct mesh_line *line = &mesh->line[number];
    enum mesh_fault fault = draw_fault(mesh, number);
    uint8_t byte = line->byte;
    uint64_t extra_us = 0;

    line->bytes += 1;
    if (fault == MESH_DELAY) {
        extra_us = mesh_below(&mesh->random, mesh->delay_us_max);
    } else if (fault != MESH_NONE) {
        count_fault(mesh, line, fault);
    }
    if (fault == MESH_CHANGE) {
        byte = changed(mesh, byte);
    }
    if (fault != MESH_DROP) {
        give(mesh, number, byte);
    } else if (mesh_below(&mesh->random, 2) != 0 && !line->dead) {
        /* Sometimes the hardware tells of it. */
        unsigned port;
        uint32_t to = end_of(mesh, number, &port);

        flush(mesh, number);
        switch_line_error(&mesh->core[to], port);
    }
    if (fault == MESH_REPEAT) {
        give(mesh, number, byte);
    }
    line->hurt = line->hurt && line->byte != 0;
    line->busy = false;
    feed(mesh, number, extra_us);
    if (!line->busy) {
        flush(mesh, number);
    }
}

/* ---- the mesh ---- */

struct mesh *mesh_make(struct torus_size size, uint64_t seed)
{
    uint32_t nodes = torus_nodes(size);
    struct mesh *mesh =
        calloc(1, sizeof *mesh + nodes * sizeof(struct switch_core));

    mesh->size = size;
    mesh->nodes = nodes;
    mesh->byte_us = MESH_BYTE_US;
    mesh->tick_us = MESH_TICK_US;
    mesh->random = seed;
    /* So that time wraps in the middle of a run. */
    mesh->now_us = UINT32_MAX - 20000u;
    for (uint32_t node = 0; node < mesh->nodes; ++node) {
        struct switch_config config = {.node = (uint16_t)node,
                                       .seed =
                                           (uint32_t)mesh_random(&mesh->random),
                                       .byte_ns = MESH_BYTE_US * 1000u,
                                       .slack_us = MESH_SLACK_US,
                                       .kick = kick,
                                       .neighbour = neighbour,
                                       .context = &mesh->end[node]};

        mesh->end[node] = (struct mesh_end){mesh, node};
        switch_init(&mesh->core[node], &config);
        switch_tick(&mesh->core[node], (uint32_t)mesh->now_us);
        add_event(mesh, mesh->now_us + mesh_below(&mesh->random, MESH_TICK_US),
                  MESH_LINES_MAX + node);
    }
    return mesh;
}

/* What is relayed belongs to a circuit, which has two ends. */
static bool astray(const struct switch_core *core)
{
    for (unsigned port = 0; port < TORUS_PORTS; ++port) {
        const struct switch_port *at = &core->port[port];
        const struct switch_port *peer = &core->port[at->peer];

        if ((at->mode == SWITCH_MODE_PASS && at->role != SWITCH_ROLE_RELAY) ||
            (at->role == SWITCH_ROLE_RELAY &&
             (peer->role != SWITCH_ROLE_RELAY || peer->peer != port ||
              peer->onward == at->onward))) {
            return true;
        }
    }
    return false;
}

static void tick(struct mesh *mesh, uint32_t node)
{
    add_event(mesh, mesh->now_us + mesh->tick_us, MESH_LINES_MAX + node);
    if (mesh->dead[node]) {
        return;
    }
    switch_tick(&mesh->core[node], (uint32_t)mesh->now_us);
    mesh->astray += astray(&mesh->core[node]);
    if (mesh->tick != NULL) {
        mesh->tick(mesh, node);
    }
}

bool mesh_run(struct mesh *mesh, bool (*ended)(struct mesh *mesh),
              uint64_t for_us)
{
    uint64_t until_us = mesh->now_us + for_us;

    while (mesh->now_us < until_us) {
        struct mesh_event event = next_event(mesh);

        mesh->now_us = event.at_us;
        if (event.what < MESH_LINES_MAX) {
            byte_arrives(mesh, event.what);
        } else {
            tick(mesh, event.what - MESH_LINES_MAX);
            if (ended != NULL && ended(mesh)) {
                return true;
            }
        }
    }
    return false;
}

bool mesh_quiet(struct mesh *mesh)
{
    for (uint32_t number = 0; number < mesh->nodes * TORUS_PORTS; ++number) {
        const uint8_t *data;
        uint32_t node = number / TORUS_PORTS;

        if (mesh->line[number].busy || !switch_idle(&mesh->core[node]) ||
            switch_pending(&mesh->core[node], number % TORUS_PORTS, &data)) {
            return false;
        }
    }
    return true;
}

void mesh_send(struct mesh *mesh, uint32_t node, struct switch_message *message)
{
    catch_up(mesh, node);
    switch_send(&mesh->core[node], message);
}

/* Every counter is a uint32_t. */
struct switch_counters mesh_counters(const struct mesh *mesh)
{
    struct switch_counters sum = {0};

    for (uint32_t number = 0; number < mesh->nodes * TORUS_PORTS; ++number) {
        const struct switch_counters *one =
            &mesh->core[number / TORUS_PORTS].counters[number % TORUS_PORTS];

        for (size_t at = 0; at < sizeof sum; at += sizeof(uint32_t)) {
            uint32_t a, b;

            memcpy(&a, (const char *)&sum + at, sizeof a);
            memcpy(&b, (const char *)one + at, sizeof b);
            a += b;
            memcpy((char *)&sum + at, &a, sizeof a);
        }
    }
    return sum;
}

uint32_t mesh_noticed(const struct mesh *mesh)
{
    struct switch_counters sum = mesh_counters(mesh);

    return sum.damaged + sum.lost + sum.stale + sum.retransmitted +
           sum.retries + sum.expired + sum.mended;
}
