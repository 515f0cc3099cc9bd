/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test's program on the board: what it prints, and its exit status, go out by
 * semihosting (ARM DUI 0203, chapter 8). A fault ends it too, with a name.
 */
#include "boot/boot.h"
#include "hal/board.h"
#include "hal/mps2/registers.h"
#include "hal/window/window.h"
#include "test/unit/unit.h"

enum semihosting {
    SYS_WRITE0 = 0x04,
    SYS_EXIT_EXTENDED = 0x20
};

#define ADP_STOPPED_APPLICATION_EXIT 0x20026u
#define EXIT_FAULT 3

_Noreturn void _exit(int status);

static uint32_t ask_host(enum semihosting operation, uintptr_t argument)
{
    register uint32_t r0 __asm("r0") = operation;
    register uintptr_t r1 __asm("r1") = argument;

    __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void put(void *context, const char *text)
{
    (void)context;
    ask_host(SYS_WRITE0, (uintptr_t)text);
}

_Noreturn void _exit(int status)
{
    const uint32_t reason[] = {ADP_STOPPED_APPLICATION_EXIT, (uint32_t)status};

    ask_host(SYS_EXIT_EXTENDED, (uintptr_t)reason);
    for (;;) {
    }
}

static void put_hex(uint32_t value)
{
    char digits[9];

    for (unsigned i = 0; i < 8; ++i) {
        digits[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 0xfu];
    }
    digits[8] = '\0';
    put(NULL, digits);
}

__attribute__((used)) _Noreturn void boot_fault_record(const uint32_t *frame)
{
    put(NULL, "Bail out! fault at ");
    put_hex(frame[6]);
    put(NULL, ", called from ");
    put_hex(frame[5]);
    put(NULL, ", CFSR ");
    put_hex(SCB->CFSR);
    put(NULL, "\n");
    _exit(EXIT_FAULT);
}

__attribute__((naked)) void boot_fault_entry(void)
{
    __asm volatile("mov r0, sp\n\t"
                   "b boot_fault_record\n\t");
}

void node_main(struct window *window)
{
    int status = unit_all(put, NULL);

    (void)window;
    if (board_stack_used_bytes() >= board_stack_bytes()) {
        put(NULL, "Bail out! the stack overflows\n");
        status = EXIT_FAULT;
    }
    _exit(status);
}
