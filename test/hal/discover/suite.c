/* SPDX-License-Identifier: Apache-2.0 */
#include "test/hal/discover/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_US 500u
#define FRAME_US 200u
#define TEST_KIND 0x12

/* Where time begins: 32 bits of microseconds wrap soon after. */
#define WRAP_US (UINT32_MAX - 7000u)

uint64_t mesh_random(struct mesh *mesh)
{
    uint64_t z = mesh->seed += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static void *need(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);

    if (memory == NULL) {
        abort();
    }
    return memory;
}

static int tell(void *context, unsigned port, const uint8_t *data,
                unsigned bytes)
{
    struct mesh_line *line = (struct mesh_line *)context + port;
    struct mesh *mesh = line->mesh;
    struct mesh_frame *frame;
    uint64_t due_us = mesh->now_us + FRAME_US;

    if (line->count == MESH_QUEUE) {
        return ERR_PORT_BUSY;
    }
    if (mesh->delay_us > 0) {
        due_us += mesh_random(mesh) % mesh->delay_us;
    }
    if (line->count > 0) {
        /* One after the other, as on a line. */
        const struct mesh_frame *before =
            &line->frame[(line->first + line->count - 1) % MESH_QUEUE];

        due_us = due_us > before->due_us ? due_us : before->due_us;
    }
    frame = &line->frame[(line->first + line->count) % MESH_QUEUE];
    frame->due_us = due_us;
    frame->bytes = (uint8_t)bytes;
    memcpy(frame->data, data, bytes);
    line->count += 1;
    mesh->told += 1;
    return ERR_OK;
}

struct mesh *mesh_new(unsigned width, unsigned height)
{
    struct mesh *mesh = need(1, sizeof *mesh);

    mesh->size = (struct torus_size){(uint16_t)width, (uint16_t)height};
    mesh->nodes = width * height;
    mesh->dead = need(mesh->nodes, sizeof *mesh->dead);
    mesh->node = need(mesh->nodes, sizeof *mesh->node);
    mesh->line = need(4u * mesh->nodes, sizeof *mesh->line);
    mesh->peer = need(4u * mesh->nodes, sizeof *mesh->peer);
    mesh->wanted = need(MESH_FAULTS, sizeof *mesh->wanted);
    mesh_wire(mesh);
    mesh_reset(mesh);
    return mesh;
}

void mesh_free(struct mesh *mesh)
{
    free(mesh->dead);
    free(mesh->node);
    free(mesh->line);
    free(mesh->peer);
    free(mesh->wanted);
    free(mesh);
}

void mesh_reset(struct mesh *mesh)
{
    mesh->now_us = WRAP_US;
    for (uint32_t i = 0; i < mesh->nodes; ++i) {
        struct discover_config config = {
            /* In no order that has to do with places. */
            .uid = {i * 2654435761u, 0x20303953, i},
            .lost_max = mesh->lost_max,
            .retry_us = MESH_RETRY_US,
            .tell = tell,
            .context = &mesh->line[4 * i]};

        if (mesh->strap != NULL) {
            config.strapped = true;
            config.strap = mesh->strap[i];
        }
        discover_init(&mesh->node[i], &config, (uint32_t)mesh->now_us);
        for (unsigned port = 0; port < 4; ++port) {
            struct mesh_line *line = &mesh->line[END(i, port)];

            line->mesh = mesh;
            line->first = 0;
            line->count = 0;
            line->tests_lost = 0;
        }
    }
    mesh->wanted_count = 0;
}

uint32_t mesh_right(const struct mesh *mesh, uint32_t end)
{
    uint32_t x = end / 4 % mesh->size.width;
    uint32_t y = end / 4 / mesh->size.width;
    uint32_t w = mesh->size.width;
    uint32_t h = mesh->size.height;

    switch (end % 4) {
    case TORUS_EAST:
        return END(y * w + (x + 1) % w, TORUS_WEST);
    case TORUS_NORTH:
        return END((y + 1) % h * w + x, TORUS_SOUTH);
    case TORUS_WEST:
        return END(y * w + (x + w - 1) % w, TORUS_EAST);
    default:
        return END((y + h - 1) % h * w + x, TORUS_NORTH);
    }
}

void mesh_wire(struct mesh *mesh)
{
    for (uint32_t end = 0; end < 4 * mesh->nodes; ++end) {
        mesh->peer[end] = mesh_right(mesh, end);
        mesh->line[end].cut = false;
        mesh->line[end].tests_to_lose = 0;
    }
    memset(mesh->dead, 0, mesh->nodes * sizeof *mesh->dead);
}

void mesh_unplug(struct mesh *mesh, uint32_t end)
{
    if (mesh->peer[end] != MESH_NOWHERE) {
        mesh->peer[mesh->peer[end]] = MESH_NOWHERE;
        mesh->peer[end] = MESH_NOWHERE;
    }
}

void mesh_plug(struct mesh *mesh, uint32_t a, uint32_t b)
{
    mesh_unplug(mesh, a);
    mesh_unplug(mesh, b);
    mesh->peer[a] = b;
    mesh->peer[b] = a;
}

/* ---- time ---- */

static bool lost(struct mesh *mesh, uint32_t end,
                 const struct mesh_frame *frame)
{
    struct mesh_line *line = &mesh->line[end];
    bool test = frame->data[0] == TEST_KIND;
    bool gone = line->cut || mesh_random(mesh) % 1000 < mesh->lost_permille;

    if (test && line->tests_lost < line->tests_to_lose) {
        gone = true;
    }
    line->tests_lost += test && gone;
    return gone;
}

static void deliver(struct mesh *mesh, uint32_t end)
{
    struct mesh_line *line = &mesh->line[end];
    uint32_t to = mesh->peer[end];

    while (line->count > 0 && line->frame[line->first].due_us <= mesh->now_us) {
        struct mesh_frame frame = line->frame[line->first];

        line->first = (line->first + 1) % MESH_QUEUE;
        line->count -= 1;
        if (to != MESH_NOWHERE && !mesh->dead[to / 4] &&
            !lost(mesh, end, &frame)) {
            discover_heard(&mesh->node[to / 4], to % 4, frame.data,
                           frame.bytes);
        }
    }
}

void mesh_step(struct mesh *mesh)
{
    mesh->now_us += STEP_US;
    for (uint32_t end = 0; end < 4 * mesh->nodes; ++end) {
        deliver(mesh, end);
    }
    for (uint32_t i = 0; i < mesh->nodes; ++i) {
        if (!mesh->dead[i]) {
            discover_tick(&mesh->node[i], (uint32_t)mesh->now_us);
            for (unsigned port = 0; port < TORUS_PORTS; ++port) {
                discover_speak(&mesh->node[i], port);
            }
        }
    }
}

static bool all_ready(const struct mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->nodes; ++i) {
        if (!mesh->dead[i] && !mesh->node[i].busy &&
            !discover_ready(&mesh->node[i])) {
            return false;
        }
    }
    return true;
}

bool mesh_run(struct mesh *mesh)
{
    const struct discover *d = &mesh->node[mesh->originator];
    struct torus_size size = discover_size(d);
    uint64_t sides = (uint64_t)size.width + size.height;
    uint64_t limit_us = mesh->now_us + (202 + 21 * sides) * MESH_RETRY_US;

    while (mesh->now_us < limit_us) {
        mesh_step(mesh);
        if (all_ready(mesh)) {
            return true;
        }
    }
    return false;
}

static struct torus_coord place(const struct mesh *mesh, uint32_t node)
{
    return (struct torus_coord){(uint16_t)(node % mesh->size.width),
                                (uint16_t)(node / mesh->size.width)};
}

int mesh_start(struct mesh *mesh, uint32_t node, uint8_t flags)
{
    return discover_start(&mesh->node[node], mesh->size, place(mesh, node),
                          flags);
}

bool mesh_discover(struct mesh *mesh)
{
    return mesh_start(mesh, mesh->originator, 0x5A) == ERR_OK && mesh_run(mesh);
}

/* ---- what must be found ---- */

void mesh_want_one(struct mesh *mesh, struct discover_fault fault)
{
    if (mesh->wanted_count < MESH_FAULTS) {
        mesh->wanted[mesh->wanted_count] = fault;
        mesh->wanted_count += 1;
    }
}

static bool answers(const struct mesh *mesh, uint32_t end)
{
    uint32_t peer = mesh->peer[end];

    return peer != MESH_NOWHERE && !mesh->dead[peer / 4] &&
           !mesh->line[end].cut && !mesh->line[peer].cut;
}

/* Another port leads to the same node, and must lead elsewhere. */
static bool doubled(const struct mesh *mesh, uint32_t end)
{
    for (uint32_t other = end / 4 * 4; other < end / 4 * 4 + 4; ++other) {
        if (answers(mesh, other) &&
            mesh->peer[other] / 4 == mesh->peer[end] / 4 &&
            mesh_right(mesh, other) / 4 != mesh_right(mesh, end) / 4) {
            return true;
        }
    }
    return false;
}

static void want_at(struct mesh *mesh, uint32_t end)
{
    struct torus_coord at = place(mesh, end / 4);
    struct discover_fault fault = {
        (uint8_t)at.x, (uint8_t)at.y, (uint8_t)(end % 4), 0, 0, 0, 0, 0};
    uint32_t peer = mesh->peer[end];

    if (!answers(mesh, end)) {
        fault.code = DISCOVER_MISSING;
        mesh_want_one(mesh, fault);
        return;
    }
    if (mesh->node[peer / 4].busy) {
        fault.code = DISCOVER_BUSY;
        mesh_want_one(mesh, fault);
        return;
    }
    if (mesh->line[peer].tests_lost > mesh->lost_max) {
        fault.code = DISCOVER_NOISY;
        fault.count = (uint8_t)mesh->line[peer].tests_lost;
        mesh_want_one(mesh, fault);
        fault.count = 0;
    }
    if (peer != mesh_right(mesh, end)) {
        at = place(mesh, peer / 4);
        fault.code = doubled(mesh, end) ? DISCOVER_DOUBLED : DISCOVER_MISWIRED;
        fault.other_x = (uint8_t)at.x;
        fault.other_y = (uint8_t)at.y;
        fault.other_port = (uint8_t)(peer % 4);
        mesh_want_one(mesh, fault);
    }
}

void mesh_want(struct mesh *mesh)
{
    for (uint32_t end = 0; end < 4 * mesh->nodes; ++end) {
        if (!mesh->dead[end / 4] && !mesh->node[end / 4].busy) {
            want_at(mesh, end);
        }
    }
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct discover_fault));
}

static void show(const struct mesh *mesh, const char *what,
                 const struct discover_fault *fault, uint32_t count)
{
    char line[FAULT_TEXT_BYTES];

    for (uint32_t i = 0; i < count; ++i) {
        fault_text(line, mesh->size, &fault[i]);
        printf("# %s %s\n", what, line);
    }
}

static uint32_t listed(const struct mesh *mesh)
{
    uint32_t faults = mesh->node[mesh->originator].faults;

    return faults < DISCOVER_FAULTS_MAX ? faults : DISCOVER_FAULTS_MAX;
}

/* Whether the originator has the faults that are wanted, sorted here, and no
   others. */
static bool faults_as_wanted(struct mesh *mesh)
{
    struct discover *d = &mesh->node[mesh->originator];
    bool good = d->faults == mesh->wanted_count;

    qsort(d->fault, listed(mesh), sizeof *d->fault, compare);
    qsort(mesh->wanted, mesh->wanted_count, sizeof *mesh->wanted, compare);
    if (d->faults == listed(mesh)) {
        return good && memcmp(d->fault, mesh->wanted,
                              d->faults * sizeof *d->fault) == 0;
    }
    for (uint32_t i = 0; i < listed(mesh); ++i) {
        good = good && bsearch(&d->fault[i], mesh->wanted, mesh->wanted_count,
                               sizeof *d->fault, compare) != NULL;
    }
    return good;
}

static bool knows_itself(const struct mesh *mesh, uint32_t node)
{
    const struct discover *d = &mesh->node[node];
    struct torus_coord right = place(mesh, node);
    struct torus_coord at = {UINT16_MAX, UINT16_MAX};

    discover_at(d, &at);
    return at.x == right.x && at.y == right.y && discover_flags(d) == 0x5A &&
           discover_size(d).width == mesh->size.width &&
           discover_size(d).height == mesh->size.height && d->error == ERR_OK &&
           discover_has(d, DISCOVER_FAULTY) == (mesh->wanted_count > 0);
}

void mesh_check(struct unit *unit, struct mesh *mesh, const char *what,
                unsigned number)
{
    const struct discover *d = &mesh->node[mesh->originator];
    bool good = faults_as_wanted(mesh);
    uint32_t living = 0;

    for (uint32_t i = 0; i < mesh->nodes; ++i) {
        if (!mesh->dead[i] && !mesh->node[i].busy) {
            living += 1;
            good = good && knows_itself(mesh, i);
        }
    }
    if (good && d->nodes == living) {
        return;
    }
    if (unit->checks_failed < 3) {
        show(mesh, "found ", d->fault, listed(mesh));
        show(mesh, "wanted", mesh->wanted, mesh->wanted_count);
        printf("# %s %u, originator %u: %u nodes, not %u\n", what, number,
               mesh->originator, d->nodes, living);
    }
    CHECK(unit, !"the faults of the cables");
}

static void all(struct unit *unit)
{
    test_sizes(unit);
    test_wiring(unit);
    test_loss(unit);
    test_waves(unit);
    test_text(unit);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}
