/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boards' programs that do not keep to what their switch expects: the size of
 * the mesh says which. Who babbles or floods begins with the order, which the
 * originator alone receives: by then all boards have come up.
 */
#include "hal/board.h"
#include "hal/mps2/registers.h"
#include "hal/window/window.h"

#define AT WINDOW_DMA_OFFSET
#define BYTES 4096u
#define NEVER_PS (UINT64_C(1) << 60)
#define WAIT_PS UINT64_C(100000000)

enum how {
    NEVER_READS = 1, /* asks on and on, and reads no answer's ring */
    BABBLES,         /* rings on and on, and asks for nothing */
    OVERFILLS,       /* queues more sends than the ring holds */
    WAITS,           /* for a message that nobody sends, amid its work */
    FLOODS,          /* sends on and on to one that receives nothing */
    EXPIRES          /* waits on and on, until its own clock has gone on */
};

static void ask(struct window *window, uint32_t op, uint32_t ports)
{
    struct window_request *request = &window->request;

    request->op = op;
    request->time_ps += 1;
    request->deadline_ps = request->time_ps + WAIT_PS;
    request->offset = AT;
    request->capacity_bytes = BYTES;
    request->ports = ports;
    request->sequence += 1;
    board_ring(window);
}

static bool is_answered(const volatile struct window *window)
{
    return window->response.sequence == window->request.sequence;
}

static void pause_a_little(void)
{
    for (volatile uint32_t i = 0; i < 10000; ++i) {
    }
}

/* One ring full of sends to the board's neighbour. */
static void fill_ring(struct window *window, uint64_t ready_ps)
{
    for (uint32_t i = 0; i < WINDOW_QUEUE; ++i) {
        struct window_send *send = &window->entry[i].send;

        *send = (struct window_send){.ready_ps = ready_ps,
                                     .ports = 1,
                                     .hops = 1,
                                     .head = {.offset = AT, .bytes = 16}};
    }
    window->queued += WINDOW_QUEUE;
}

void node_main(struct window *window)
{
    enum how how = window->node.identity.height > 1
                       ? EXPIRES
                       : (enum how)window->node.identity.width;
    bool receives = how != NEVER_READS && how != OVERFILLS;

    CMSDK_UART0->CTRL = UART_CTRL_TX_ENABLE;
    window->node.status.state = NODE_STATE_WAITING;
    if (how == WAITS) {
        window->node.status.state = NODE_STATE_COMPUTING;
    }
    ask(window, receives ? WINDOW_OP_RECEIVE : WINDOW_OP_DRAIN,
        how == WAITS ? 1 : 1u << NODE_PORT_HOST);
    while (receives && !is_answered(window)) {
    }
    for (;;) {
        switch (how) {
        case NEVER_READS:
            pause_a_little();
            ask(window, WINDOW_OP_DRAIN, 1);
            break;
        case OVERFILLS:
            fill_ring(window, NEVER_PS);
            pause_a_little();
            ask(window, WINDOW_OP_RECEIVE_UNTIL, 1);
            break;
        case FLOODS:
            fill_ring(window, 0);
            ask(window, WINDOW_OP_DRAIN, 1);
            while (!is_answered(window)) {
            }
            break;
        case EXPIRES:
            window->request.time_ps = window->response.time_ps;
            ask(window, WINDOW_OP_RECEIVE_UNTIL, 1);
            while (!is_answered(window)) {
            }
            break;
        default:
            board_ring(window);
        }
    }
}
