/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/watch.h"

#include "qemu/fabric/mesh_state.h"
#include "qemu/base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct watch {
    pthread_mutex_t lock;
    enum watch_stage stage;
    uint32_t batch;
    uint32_t batches;
    const struct mesh *mesh; /* NULL: there is no mesh to watch */
    uint64_t order_ps;
    uint32_t first_circuit;
};

struct watch *watch_new(void)
{
    struct watch *watch = memory_or_exit(calloc(1, sizeof *watch));

    pthread_mutex_init(&watch->lock, NULL);
    return watch;
}

void watch_free(struct watch *watch)
{
    if (watch != NULL) {
        pthread_mutex_destroy(&watch->lock);
        free(watch);
    }
}

void watch_enter(struct watch *watch)
{
    if (watch != NULL) {
        pthread_mutex_lock(&watch->lock);
    }
}

void watch_leave(struct watch *watch)
{
    if (watch != NULL) {
        pthread_mutex_unlock(&watch->lock);
    }
}

void watch_stage(struct watch *watch, enum watch_stage stage)
{
    if (watch != NULL) {
        watch_enter(watch);
        watch->stage = stage;
        watch_leave(watch);
    }
}

void watch_batch(struct watch *watch, uint32_t batch, uint32_t batches)
{
    if (watch != NULL) {
        watch_enter(watch);
        watch->batch = batch;
        watch->batches = batches;
        watch_leave(watch);
    }
}

void watch_mesh(struct watch *watch, const struct mesh *mesh)
{
    if (watch != NULL) {
        watch_enter(watch);
        watch->mesh = mesh;
        watch_leave(watch);
    }
}

void watch_order(struct watch *watch, uint64_t order_ps)
{
    if (watch != NULL) {
        watch->order_ps = order_ps;
        fabric_circuits(watch->mesh->fabric, &watch->first_circuit);
    }
}

/* ---- reading ---- */

static uint32_t nodes_of(const struct watch *watch)
{
    return watch->mesh != NULL ? torus_nodes(watch->mesh->config->size) : 0;
}

static enum watch_state state_of(const struct mesh *mesh, uint32_t node)
{
    if (mesh->node[node].sequence == 0) {
        return WATCH_DOWN;
    }
    if (fabric_has_ended(mesh->fabric, node)) {
        return WATCH_FINISHED;
    }
    return fabric_is_running(mesh->fabric, node) ? WATCH_AT_WORK : WATCH_WAITS;
}

static void read_states(struct watch_view *view, const struct mesh *mesh)
{
    view->nodes = torus_nodes(mesh->config->size);
    view->up = mesh->up;
    view->ended = mesh->ended;
    for (uint32_t i = 0; i < view->nodes; ++i) {
        view->state[i] = (uint8_t)state_of(mesh, i);
    }
}

static void read_circuits(struct watch_view *view, const struct watch *watch)
{
    uint32_t count;
    const struct circuit_record *from =
        fabric_circuits(watch->mesh->fabric, &count);

    count -= watch->first_circuit;
    view->dropped = count > WATCH_CIRCUITS ? count - WATCH_CIRCUITS : 0;
    view->circuits = count - view->dropped;
    if (view->circuits > 0) {
        memcpy(view->circuit, from + watch->first_circuit + view->dropped,
               view->circuits * sizeof *view->circuit);
    }
}

/* Makes room for the view's circuits and nodes before the lock is taken, since
   allocating may take long. */
static void make_room(struct watch_view *view, uint32_t nodes)
{
    if (view->circuit == NULL) {
        view->circuit =
            memory_or_exit(calloc(WATCH_CIRCUITS, sizeof *view->circuit));
    }
    if (nodes > view->nodes) {
        free(view->state);
        view->state = memory_or_exit(calloc(nodes, sizeof *view->state));
        view->nodes = nodes;
    }
}

void watch_read(struct watch_view *view, struct watch *watch)
{
    uint32_t nodes;

    watch_enter(watch);
    nodes = nodes_of(watch);
    watch_leave(watch);
    make_room(view, nodes);
    watch_enter(watch);
    view->stage = watch->stage;
    view->batch = watch->batch;
    view->batches = watch->batches;
    if (watch->mesh != NULL && nodes_of(watch) <= view->nodes) {
        uint64_t now_ps = fabric_time_ps(watch->mesh->fabric);

        read_states(view, watch->mesh);
        read_circuits(view, watch);
        view->order_ps = watch->order_ps;
        view->time_ps = now_ps > watch->order_ps ? now_ps - watch->order_ps : 0;
    }
    watch_leave(watch);
}

void watch_view_free(struct watch_view *view)
{
    free(view->state);
    free(view->circuit);
    *view = (struct watch_view){.stage = WATCH_STARTING};
}
