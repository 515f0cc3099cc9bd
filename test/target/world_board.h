/* SPDX-License-Identifier: Apache-2.0 */
/* What test/world needs of a host's headers, on a Cortex-M: coroutines, memory
   that nobody guards, and no sanitizer. */
#ifndef TEST_TARGET_WORLD_BOARD_H
#define TEST_TARGET_WORLD_BOARD_H

#include <stdint.h>
#include <stdlib.h>

#define GUARD_BYTES 0u
#define STACK_BYTES 24576u
#define MAP_FAILED NULL
#define mmap(at, bytes, access, flags, file, offset) malloc(bytes)
#define mprotect(at, bytes, access) 0
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define getcontext(context) ((void)(context))

typedef struct {
    uint32_t *sp; /* r4 to r11 and where to go on lie there */
    struct {
        void *ss_sp;
        size_t ss_size;
    } uc_stack;
    void *uc_link;
} ucontext_t;

static inline void makecontext(ucontext_t *context, void (*function)(void),
                               int arguments)
{
    uint8_t *end = (uint8_t *)context->uc_stack.ss_sp;

    (void)arguments;
    end += context->uc_stack.ss_size;
    context->sp = (uint32_t *)(void *)end - 9;
    context->sp[8] = (uint32_t)(uintptr_t)function;
}

__attribute__((naked, unused)) static void swapcontext(ucontext_t *from,
                                                       const ucontext_t *to)
{
    (void)from;
    (void)to;
    __asm volatile("push {r4-r11, lr}\n\t"
                   "str sp, [r0]\n\t"
                   "ldr sp, [r1]\n\t"
                   "pop {r4-r11, pc}\n\t");
}

#endif
