/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/host/host.h"

#include "hal/board.h"
#include "hal/check.h"
#include "hal/clock.h"
#include "hal/window/window.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK_BYTES ((size_t)128 * 1024)
#define MAP_BYTES (HOST_GUARD_BYTES + STACK_BYTES)

struct host_node {
    struct window *window;
    const struct host_program *program;
    ucontext_t context;
    ucontext_t caller;
    uint8_t *stack;        /* start of the guard; the stack lies above it */
    unsigned slow_shift;   /* work takes 2^slow_shift times as long */
    unsigned slower_shift; /* added to slow_shift from slower_from_ps on */
    uint64_t slower_from_ps;
};

/* The node whose coroutine runs in this thread, or NULL. */
static _Thread_local struct host_node *resumed;

/* Not inlined: a node may move to another thread between two calls. */
__attribute__((noinline)) static struct host_node *current(void)
{
    return resumed;
}

static void enter(void)
{
    current()->program->main(current()->window);
}

static void make_context(struct host_node *node)
{
    getcontext(&node->context);
    node->context.uc_stack.ss_sp = node->stack + HOST_GUARD_BYTES;
    node->context.uc_stack.ss_size = STACK_BYTES;
    node->context.uc_link = NULL;
    makecontext(&node->context, enter, 0);
}

static bool map_stack(struct host_node *node)
{
    void *map = mmap(NULL, MAP_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (map == MAP_FAILED) {
        return false;
    }
    if (mprotect(map, HOST_GUARD_BYTES, PROT_NONE) != 0) {
        munmap(map, MAP_BYTES);
        return false;
    }
    node->stack = map;
    return true;
}

struct host_node *host_node_new(struct window *window,
                                const struct host_program *program)
{
    static const struct host_program own = {.main = node_main};
    struct host_node *node = calloc(1, sizeof *node);

    if (node == NULL || !map_stack(node)) {
        free(node);
        return NULL;
    }
    node->window = window;
    node->program = program != NULL ? program : &own;
    make_context(node);
    return node;
}

const void *host_node_guard(const struct host_node *node)
{
    return node->stack;
}

void host_node_free(struct host_node *node)
{
    if (node != NULL) {
        munmap(node->stack, MAP_BYTES);
        free(node);
    }
}

void host_node_slow(struct host_node *node, unsigned shift)
{
    node->slow_shift = shift;
}

void host_node_slow_from(struct host_node *node, unsigned shift,
                         uint64_t from_ps)
{
    node->slower_shift = shift;
    node->slower_from_ps = from_ps;
}

void host_node_resume(struct host_node *node)
{
    resumed = node;
    swapcontext(&node->caller, &node->context);
    resumed = NULL;
}

void board_ring(struct window *window)
{
    (void)window; /* the switch reads the window when this node waits */
}

void board_ring_and_wait(struct window *window)
{
    struct host_node *node = current();

    (void)window;
    swapcontext(&node->context, &node->caller);
}

_Noreturn void board_halt(struct window *window)
{
    for (;;) {
        board_ring_and_wait(window);
    }
}

_Noreturn void check_failed(uint32_t place)
{
    const struct host_node *node = current();
    struct node_status *status;

    if (node == NULL) {
        check_abort(place);
    }
    status = &node->window->node.status;
    status->fault = (struct node_fault){.valid = 1, .check = place};
    status->state = NODE_STATE_FAULT;
    board_halt(node->window);
}

uint32_t board_stack_used_bytes(void)
{
    return 0; /* unknown: the stack is not painted */
}

uint32_t board_stack_bytes(void)
{
    return STACK_BYTES;
}

void clock_account(struct clock *clock, uint64_t ps)
{
    const struct host_node *node = current();
    uint64_t before_ps = node->slower_from_ps > clock->base_ps
                             ? node->slower_from_ps - clock->base_ps
                             : 0;

    ps = (ps + node->program->call_ps) << node->slow_shift;
    before_ps = ps < before_ps ? ps : before_ps;
    clock->base_ps += before_ps + ((ps - before_ps) << node->slower_shift);
}
