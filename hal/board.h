/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that each board defines, and the entry of the node's program, which
   the board calls. */
#ifndef HAL_BOARD_H
#define HAL_BOARD_H

#include <stdint.h>

struct window; /* hal/window/window.h */

/* Ring the switch (hal/window/window.h). board_ring_and_wait() sleeps until the
   switch rings back. */
void board_ring_and_wait(struct window *window);
void board_ring(struct window *window);

/* Stops this node for good; the host can still read the window. */
_Noreturn void board_halt(struct window *window);

/* Return the largest stack use so far, and the size of the stack, in bytes. On
   a Cortex-M boot/cortex_m defines them, on the host hal/host. */
uint32_t board_stack_used_bytes(void);
uint32_t board_stack_bytes(void);

/* The node's program. Defined in boot/, called once by the board. */
_Noreturn void node_main(struct window *window);

#endif
