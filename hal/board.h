/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that each board defines, and node_main(), which the board calls. */
#ifndef HAL_BOARD_H
#define HAL_BOARD_H

#include <stdint.h>

struct window; /* hal/window/window.h */

/* Notify the switch that the window (hal/window/window.h) has changed.
   board_ring_and_wait() then sleeps until the switch answers. */
void board_ring_and_wait(struct window *window);
void board_ring(struct window *window);

/* Stops this node for good; the host can still read the window. */
_Noreturn void board_halt(struct window *window);

/* Return the largest stack use so far, and the stack's size, in bytes. */
uint32_t board_stack_used_bytes(void);
uint32_t board_stack_bytes(void);

/* The node's program, defined in boot/; the board calls it once. */
_Noreturn void node_main(struct window *window);

#endif
