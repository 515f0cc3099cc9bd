/* SPDX-License-Identifier: Apache-2.0 */
/* Start and end of a node's program on a Cortex-M. Each board defines the
   functions at the end of this file. */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_identity; /* hal/image.h */
struct node_fault;     /* hal/node.h */

/* The stack after a reset, from linker/sections.ld. */
extern uint32_t boot_stack_start[];
extern uint32_t boot_stack_end[];

/* The stack in use. No memory lies below it, so an overflow faults. */
extern struct boot_stack {
    uint32_t *start;
    uint32_t *end;
} boot_stack;

/* An entry of the vector table (ARMv7-M, B1.5.3). */
typedef void (*boot_vector)(void);

#define BOOT_VECTORS_ARMV7M 16

/* Entries 0 to 14 of a board's vector table. The board adds the others. */
#define BOOT_VECTORS                                                           \
    [0] = (boot_vector)(uintptr_t)boot_stack_end,                              \
    [1] = (boot_vector)boot_reset, [2] = boot_fault_entry,                     \
    [3] = boot_fault_entry, [4] = boot_fault_entry, [5] = boot_fault_entry,    \
    [6] = boot_fault_entry, [11] = boot_fault_entry, [12] = boot_fault_entry,  \
    [14] = boot_fault_entry

/* The vector table, defined by each board. */
extern const boot_vector boot_vectors[];

/* The identity of the image, defined by each board with serial lines. A tool
   can change it in flash. */
extern const volatile struct image_identity boot_identity;

_Noreturn void boot_reset(void);

/* Calls run() on a new stack. Precondition: no interrupt is enabled. */
_Noreturn void boot_move_stack(uint32_t *start, uint32_t *end,
                               void (*run)(void));

/* Handles every exception that has no other handler. */
void boot_fault_entry(void);

/* Records the fault, and ends the program. `frame`: r0-r3, r12, lr, pc, xpsr.
   Does not read *frame if the stack has overflowed. */
_Noreturn void boot_fault_record(const uint32_t *frame);

/* Reads a word where there may be no memory. Result: false if the read faults;
   then *value is unchanged. Precondition: no fault handler runs, and 256 bytes
   of the stack are free. */
bool boot_probe_word(const volatile uint32_t *at, uint32_t *value);

/* ---- defined by each board ---- */

/* Starts the board's devices and runs the program. Precondition: .data and .bss
   are set up. */
_Noreturn void boot_board(void);

/* Returns the memory in which a fault is to be recorded. */
struct node_fault *boot_fault_place(void);

/* Ends the program after a fault has been recorded. */
_Noreturn void boot_fault_end(void);

/* Ends the program for the C library's exit(). */
_Noreturn void _exit(int status);

#endif
