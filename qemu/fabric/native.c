/* SPDX-License-Identifier: Apache-2.0 */
/* A backend (backend.h) whose nodes are coroutines of this process. */
#include "qemu/fabric/backend.h"
#include "qemu/fabric/slices.h"
#include "qemu/base/crash.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/limits.h"
#include "qemu/base/memory.h"

#include "hal/host/host.h"

#include <stdio.h>
#include <stdlib.h>

struct native {
    uint32_t nodes;
    struct host_node **node;
    uint8_t *memory;
    struct slices *slices;
    bool started; /* true: each node has begun to run */
};

static struct window *native_window(void *context, uint32_t node)
{
    struct native *native = context;

    return windows_at(native->memory, node);
}

static void native_slow(void *context, uint32_t node, unsigned shift,
                        uint64_t from_ps)
{
    struct native *native = context;

    if (from_ps > 0) {
        host_node_slow_from(native->node[node], shift, from_ps);
    } else {
        host_node_slow(native->node[node], shift);
    }
}

static void native_ring(void *context, uint32_t node)
{
    struct native *native = context;

    slices_add(native->slices, node);
}

static enum backend_event native_wait(void *context, uint32_t *node,
                                      uint64_t ns)
{
    struct native *native = context;

    (void)ns;
    /* Nodes begin here, because the caller fills in their windows before the
       first wait. */
    for (uint32_t i = 0; !native->started && i < native->nodes; ++i) {
        slices_add(native->slices, i);
    }
    native->started = true;
    return slices_next(native->slices, node) ? BACKEND_RANG : BACKEND_QUIET;
}

static void native_resume(void *context, uint32_t node)
{
    struct native *native = context;
    const struct node_identity *identity =
        &native_window(native, node)->node.identity;
    const struct crash_node at = {.x = identity->x,
                                  .y = identity->y,
                                  .guard = host_node_guard(native->node[node]),
                                  .guard_bytes = HOST_GUARD_BYTES};

    crash_on(&at);
    host_node_resume(native->node[node]);
    crash_out();
}

static void native_stop(void *context)
{
    struct native *native = context;

    slices_free(native->slices);
    for (uint32_t i = 0; native->node != NULL && i < native->nodes; ++i) {
        host_node_free(native->node[i]);
    }
    windows_free(native->memory, native->nodes);
    free(native->node);
    free(native);
}

int native_start(struct backend *backend, uint32_t nodes, unsigned threads,
                 const struct host_program *program)
{
    struct native *native = memory_or_exit(calloc(1, sizeof *native));
    bool complete;

    native->nodes = nodes;
    native->node = memory_or_exit(calloc(nodes, sizeof(struct host_node *)));
    native->slices = slices_new(nodes, threads, native_resume, native);
    native->memory = windows_new(nodes);
    complete = native->memory != NULL;
    for (uint32_t i = 0; complete && i < nodes; ++i) {
        native->node[i] = host_node_new(native_window(native, i), program);
        complete = native->node[i] != NULL;
    }
    if (!complete) {
        fprintf(stderr, "quincunx: no memory for %u native nodes\n", nodes);
        limits_print_own(stderr);
        native_stop(native);
        return -1;
    }
    *backend = (struct backend){.board = "host",
                                .context = native,
                                .window = native_window,
                                .slow = native_slow,
                                .wait = native_wait,
                                .ring = native_ring,
                                .stop = native_stop};
    return 0;
}
