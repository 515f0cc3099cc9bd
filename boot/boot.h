/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start and end of a node's program on a Cortex-M. All boards share
 * boot/cortex_m (reset, fault record, memory functions, system calls); each
 * board defines the functions at the end of this file in its own folder
 * (vectors.c, end.c; boot/stm32f405 also start.c).
 */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node_fault;

/* From linker/sections.ld: the stack at the reset. */
extern uint32_t boot_stack_start[];
extern uint32_t boot_stack_end[];

/* The stack in use: that one, until boot_move_stack(). No memory is below it:
   an overflow faults. */
extern struct boot_stack {
    uint32_t *start;
    uint32_t *end;
} boot_stack;

/* ARMv7-M, B1.5.3: the initial stack pointer, then the exception handlers;
   the architecture's are followed by the board's. */
typedef void (*boot_vector)(void);

#define BOOT_VECTORS_ARMV7M 16

/* The first 15, for a board's table; [15] is SysTick. */
#define BOOT_VECTORS                                                           \
    [0] = (boot_vector)(uintptr_t)boot_stack_end,                              \
    [1] = (boot_vector)boot_reset, [2] = boot_fault_entry,                     \
    [3] = boot_fault_entry, [4] = boot_fault_entry, [5] = boot_fault_entry,    \
    [6] = boot_fault_entry, [11] = boot_fault_entry, [12] = boot_fault_entry,  \
    [14] = boot_fault_entry

/* The board's table. */
extern const boot_vector boot_vectors[];

_Noreturn void boot_reset(void);

/* Goes on with run() on another stack. Nothing on the present one is needed any
   more, and no interrupt is enabled yet. */
_Noreturn void boot_move_stack(uint32_t *start, uint32_t *end,
                               void (*run)(void));

/* The handler of every exception without one of its own: calls
   boot_fault_record() with the stacked frame. */
void boot_fault_entry(void);

/* Records the fault and ends the program. `frame`: r0-r3, r12, lr, pc, xpsr;
   it is not read if it lies below the stack, where there was no room for it. */
_Noreturn void boot_fault_record(const uint32_t *frame);

/*
 * Reads a word that may not be there: false, and *value untouched, if the read
 * faults. Any context but a fault handler; 256 bytes of stack must be left.
 */
bool boot_probe_word(const volatile uint32_t *at, uint32_t *value);

/* ---- the board's ---- */

/* Brings the board up and runs the program, with C set up. */
_Noreturn void boot_board(void);

/* Where a fault is to be recorded. */
struct node_fault *boot_fault_place(void);

/* Ends the program after the fault has been recorded there. */
_Noreturn void boot_fault_end(void);

/* Ends the program otherwise. */
_Noreturn void boot_halt(void);

/* Text that the C library writes. */
void boot_write(const char *text, size_t bytes);

#endif
