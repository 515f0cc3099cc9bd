/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of the host's file `cases`, answered in its file `answers`, by
   semihosting (ARM DUI 0203, chapter 8) in place of the unit tests. */
#include "test/target/cases.h"
#include "test/unit/unit.h"

enum operation {
    SYS_OPEN = 0x01,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06
};

enum mode {
    READ_BINARY = 1,
    WRITE_BINARY = 5
};

struct files {
    uintptr_t cases, answers;
};

static uintptr_t ask_host(enum operation operation, uintptr_t a, uintptr_t b,
                          uintptr_t c)
{
    const uintptr_t arguments[] = {a, b, c};
    register uintptr_t r0 __asm("r0") = operation;
    register const uintptr_t *r1 __asm("r1") = arguments;

    __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

/* The host says how many bytes it did not read. */
static uint32_t take(void *context, void *into, uint32_t bytes)
{
    const struct files *files = context;

    return bytes == 0 ? 0
                      : bytes - (uint32_t)ask_host(SYS_READ, files->cases,
                                                   (uintptr_t)into, bytes);
}

static void give(void *context, const void *from, uint32_t bytes)
{
    const struct files *files = context;

    ask_host(SYS_WRITE, files->answers, (uintptr_t)from, bytes);
}

int unit_all(unit_put *put, void *context)
{
    struct files files = {
        ask_host(SYS_OPEN, (uintptr_t) "cases", READ_BINARY, 5),
        ask_host(SYS_OPEN, (uintptr_t) "answers", WRITE_BINARY, 7)};

    (void)put;
    (void)context;
    cases_answer(&files, take, give);
    return 0;
}
