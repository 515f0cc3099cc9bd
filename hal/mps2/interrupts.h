/* SPDX-License-Identifier: Apache-2.0 */
/* The board's interrupt handlers, for the vector table in boot/. */
#ifndef HAL_MPS2_INTERRUPTS_H
#define HAL_MPS2_INTERRUPTS_H

/* The clock's timer has wrapped. */
void clock_timer_interrupt(void);

#endif
