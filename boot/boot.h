/* SPDX-License-Identifier: Apache-2.0 */
/* Start and end of a node's program on a Cortex-M. All boards share
   boot/cortex_m (reset, fault record, memory functions, division); the
   functions at the end of this file are defined for each board, in boot/mps2
   (vectors.c, end.c) and boot/stm32f405 (main.c, end.c). */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node_fault;

/* The stack after a reset, from linker/sections.ld. */
extern uint32_t boot_stack_start[];
extern uint32_t boot_stack_end[];

/* The stack in use: after a reset the stack of linker/sections.ld, then the
   stack passed to boot_move_stack(). No memory lies below the stack in use, so
   an overflow faults. */
extern struct boot_stack {
    uint32_t *start;
    uint32_t *end;
} boot_stack;

/* An entry of the vector table (ARMv7-M, B1.5.3): the initial stack pointer, or
   a handler of an exception of the architecture or of the board. */
typedef void (*boot_vector)(void);

#define BOOT_VECTORS_ARMV7M 16

/* Entries 0 to 14 of a board's vector table. The board's own file adds entry 15
   (SysTick) and the entries of the board's interrupts. */
#define BOOT_VECTORS                                                           \
    [0] = (boot_vector)(uintptr_t)boot_stack_end,                              \
    [1] = (boot_vector)boot_reset, [2] = boot_fault_entry,                     \
    [3] = boot_fault_entry, [4] = boot_fault_entry, [5] = boot_fault_entry,    \
    [6] = boot_fault_entry, [11] = boot_fault_entry, [12] = boot_fault_entry,  \
    [14] = boot_fault_entry

/* The vector table, defined by each board. */
extern const boot_vector boot_vectors[];

_Noreturn void boot_reset(void);

/* Calls run() on the stack from `start` to `end`; the present stack is given
   up. Precondition: no interrupt is enabled. */
_Noreturn void boot_move_stack(uint32_t *start, uint32_t *end,
                               void (*run)(void));

/* Handles every exception that has no other handler: calls boot_fault_record()
   with the stacked frame. */
void boot_fault_entry(void);

/* Records the fault in boot_fault_place(), and ends the program. `frame`:
   r0-r3, r12, lr, pc, xpsr. Does not read *frame if the stack has overflowed,
   since no memory lies below the stack. */
_Noreturn void boot_fault_record(const uint32_t *frame);

/* Reads the word at an address where there may be no memory. Result: true, and
   *value is the word; false if the read faults, and *value is unchanged.
   Precondition: no fault handler runs, and 256 bytes of the stack are free. */
bool boot_probe_word(const volatile uint32_t *at, uint32_t *value);

/* ---- defined by each board ---- */

/* Starts the board's devices and runs the program. boot_reset() has copied
   .data and cleared .bss. */
_Noreturn void boot_board(void);

/* Returns the memory in which a fault is to be recorded. */
struct node_fault *boot_fault_place(void);

/* Ends the program after a fault has been recorded. */
_Noreturn void boot_fault_end(void);

/* Ends the program for the C library's exit(). Other system calls do not exist:
   printf() and malloc() cannot be linked. */
_Noreturn void _exit(int status);

#endif
