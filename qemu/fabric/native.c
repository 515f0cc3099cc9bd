/* SPDX-License-Identifier: Apache-2.0 */
/* The native build: every node a coroutine in this process. */
#include "qemu/fabric/backend.h"
#include "qemu/fabric/slices.h"
#include "qemu/base/crash.h"
#include "qemu/base/host_clock.h"
#include "qemu/base/limits.h"
#include "qemu/base/memory.h"

#include "hal/host/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct native {
    uint32_t nodes;
    struct host_node **node;
    uint8_t *memory; /* all windows, touched only where nodes write */
    struct slices *slices;
    bool started; /* the first slices are due */
};

static struct window *native_window(void *context, uint32_t node)
{
    struct native *native = context;

    return (struct window *)(void *)(native->memory +
                                     (size_t)node * BACKEND_WINDOW_BYTES);
}

static void native_slow(void *context, uint32_t node, unsigned shift)
{
    struct native *native = context;

    host_node_slow(native->node[node], shift);
}

static void native_slow_from(void *context, uint32_t node, unsigned shift,
                             uint64_t from_ps)
{
    struct native *native = context;

    host_node_slow_from(native->node[node], shift, from_ps);
}

static void native_ring(void *context, uint32_t node)
{
    struct native *native = context;

    slices_add(native->slices, node);
}

/* Native nodes need no watchdog: if none is due, nothing more will happen. */
static enum backend_event native_wait(void *context, uint32_t *node,
                                      struct watchdog *watchdog)
{
    struct native *native = context;

    (void)watchdog;
    /* Not before: the windows' identities are filled by now. */
    for (uint32_t i = 0; !native->started && i < native->nodes; ++i) {
        slices_add(native->slices, i);
    }
    native->started = true;
    return slices_next(native->slices, node) ? BACKEND_RANG : BACKEND_TIMEOUT;
}

static enum backend_event native_wait_at_most(void *context, uint32_t *node,
                                              long ns)
{
    enum backend_event event = native_wait(context, node, NULL);

    if (event == BACKEND_TIMEOUT && ns > 0) {
        host_clock_pause(host_clock(), (uint64_t)ns);
    }
    return event;
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

static void native_kill(void *context, uint32_t node)
{
    (void)context;
    (void)node; /* a coroutine cannot die alone */
}

static void native_stop(void *context)
{
    struct native *native = context;

    slices_free(native->slices);
    for (uint32_t i = 0; native->node != NULL && i < native->nodes; ++i) {
        host_node_free(native->node[i]);
    }
    if (native->memory != NULL) {
        munmap(native->memory, (size_t)native->nodes * BACKEND_WINDOW_BYTES);
    }
    free(native->node);
    free(native);
}

static void native_explain(void *context, uint32_t node, FILE *out)
{
    (void)context;
    (void)out;
    (void)node;
}

int native_start(struct backend *backend, uint32_t nodes, unsigned threads,
                 const struct host_program *program)
{
    struct native *native = memory_or_exit(calloc(1, sizeof *native));
    size_t bytes = (size_t)nodes * BACKEND_WINDOW_BYTES;
    bool complete;

    native->nodes = nodes;
    native->node = memory_or_exit(calloc(nodes, sizeof(struct host_node *)));
    native->slices = slices_new(nodes, threads, native_resume, native);
    native->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    complete = native->memory != MAP_FAILED;
    native->memory = complete ? native->memory : NULL;
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
                                .slow_from = native_slow_from,
                                .wait = native_wait,
                                .wait_at_most = native_wait_at_most,
                                .ring = native_ring,
                                .kill = native_kill,
                                .stop = native_stop,
                                .explain = native_explain};
    return 0;
}
