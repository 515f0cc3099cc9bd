/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles, worked out by hand, of sequences of instructions; memory. */
#include "test/boards/chip/check/machine.h"

static const struct core_flash slow = {5, false, false, false};
static const struct core_flash prefetching = {5, true, false, false};
static const struct core_flash caching = {5, true, true, true};
static const struct core_flash no_prefetch = {5, false, true, true};

/* From MAIN until the instruction at MAIN + bytes is next. */
static uint64_t cycles_of(struct machine *machine, uint32_t bytes)
{
    uint64_t from = machine->core.cycle;

    machine->core.r[0] = CORE_RAM_BASE;
    machine->core.r[13] = STACK - 16u;
    machine->core.piped_at = UINT64_MAX;
    machine->core.r[15] = MAIN;
    machine_go(machine, MAIN + bytes);
    return machine->core.cycle - from;
}

/* r0 is 0x20000000. */
static const struct {
    unsigned cycles, bytes;
    uint16_t code[6];
} sequences[] = {
    {3, 6, {MOVS(1, 1), ADDS(1, 2), NOP, END}},
    {1, 2, {0x4341, END}},         /* muls r1, r0 */
    {2, 4, {0xfb00, 0x1102, END}}, /* mla r1, r0, r2, r1 */
    {1, 4, {0xfba0, 0x1202, END}}, /* umull r1, r2, r0, r2 */
    {2, 4, {0xf3ef, 0x8110, END}}, /* mrs r1, primask */
    {2, 4, {DSB, END}},
    /* It lt; an instruction that is not executed takes a cycle, too. */
    {2, 4, {0xbfb8, MOVS(1, 1), END}},
    /* udiv r2, r0, r1 by 0 and 1; udiv r2, r1, r0, which is 0; 1 / 1 */
    {1 + 2, 6, {MOVS(1, 0), 0xfbb0, 0xf2f1, END}},
    {1 + 11, 6, {MOVS(1, 1), 0xfbb0, 0xf2f1, END}},
    {1 + 2, 6, {MOVS(1, 1), 0xfbb1, 0xf2f0, END}},
    {1 + 4, 6, {MOVS(1, 1), 0xfbb1, 0xf2f1, END}},
    /* Loads and stores */
    {2, 2, {LDR(1, 0, 0), END}},
    {3, 4, {LDR(1, 0, 0), LDR(2, 0, 4), END}},
    {5, 6, {LDR(1, 0, 0), NOP, LDR(2, 0, 4), END}},
    {2, 4, {STR(1, 0, 0), STR(2, 0, 4), END}},
    {2, 4, {STR(1, 0, 0), LDR(2, 0, 4), END}},
    {4, 2, {0xc80e, END}},             /* ldm r0!, {r1-r3} */
    {3, 4, {0xe9d0, 0x1200, END}},     /* ldrd r1, r2, [r0] */
    {3, 4, {0xf8d0, 0x1001, END}},     /* ldr.w r1, [r0, #1] */
    {2 + 3, 4, {0xb500, 0xbc06, END}}, /* push {lr}; pop {r1, r2} */
    /* Branches; to one of 32 bits: at MAIN + 4 it is aligned, at + 6 not. */
    {3, 4, {B(2), END}},
    {3, 4, {B(2), NOP, NOP_W, END}},
    {4, 6, {B(3), NOP, NOP, NOP_W, END}},
    {1, 2, {0xd001, END}}, /* beq, Z is 0 */
    {3, 6, {0xd101, END}}, /* bne */
    /* movs r1, #1; cbz r1: not taken, taken */
    {2, 4, {MOVS(1, 1), 0xb101, END}},
    {1 + 3, 6, {MOVS(1, 0), 0xb101, END}},
    /* tbb [pc, r1] with the table {1} behind it, tbh */
    {1 + 4, 8, {MOVS(1, 0), 0xe8df, 0xf001, 0x0001, END}},
    {1 + 4, 8, {MOVS(1, 0), 0xe8df, 0xf011, 0x0001, END}},
};

static void test_sequences(struct unit *unit)
{
    for (unsigned i = 0; i < sizeof sequences / sizeof *sequences; ++i) {
        struct machine *machine = machine_new();

        machine_code(machine, MAIN, sequences[i].code);
        CHECK_EQUAL(unit, cycles_of(machine, sequences[i].bytes),
                    sequences[i].cycles);
    }
}

static void test_device_waits(struct unit *unit)
{
    struct machine *machine = machine_new();

    CODE(machine, MAIN, LDR(1, 2, 0), STR(1, 2, 0), NOP);
    machine->core.r[2] = DEVICE;
    machine->device_wait = 7;
    CHECK_EQUAL(unit, cycles_of(machine, 6), 2 + 7 + 1 + 7 + 1);
}

/* Lines of 8 NOPs. */
static void test_flash_without_caches(struct unit *unit)
{
    struct machine *machine = machine_new();

    core_set_flash(&machine->core, &slow);
    CHECK_EQUAL(unit, cycles_of(machine, 16), 5 + 8);
    CHECK_EQUAL(unit, machine->spent[(MAIN - CORE_FLASH_BASE) / 2], 6);
    machine_new();
    core_set_flash(&machine->core, &slow);
    CHECK_EQUAL(unit, cycles_of(machine, 48), 3 * (5 + 8));
}

static void test_prefetch(struct unit *unit)
{
    struct machine *machine = machine_new();

    /* The next line is read in 6 cycles while 8 NOPs execute. */
    core_set_flash(&machine->core, &prefetching);
    CHECK_EQUAL(unit, cycles_of(machine, 48), 5 + 3 * 8);
    /* But 4 of 32 bits execute in 4: 2 stalls a line. */
    machine_new();
    CODE(machine, MAIN, NOP_W, NOP_W, NOP_W, NOP_W, NOP_W, NOP_W, NOP_W, NOP_W,
         NOP_W, NOP_W, NOP_W, NOP_W);
    core_set_flash(&machine->core, &prefetching);
    CHECK_EQUAL(unit, cycles_of(machine, 48), 5 + 4 + 2 * (2 + 4));
}

static void test_instruction_cache(struct unit *unit)
{
    struct machine *machine = machine_new();

    core_set_flash(&machine->core, &caching);
    CHECK_EQUAL(unit, cycles_of(machine, 48), 5 + 3 * 8);
    CHECK_EQUAL(unit, cycles_of(machine, 48), 3 * 8);
    core_flush(&machine->core, true, false);
    machine->core.line = CORE_NO_LINE;
    CHECK_EQUAL(unit, cycles_of(machine, 16), 5 + 8);
}

/* 65 lines, one behind another, in a cache of 64: always the wrong one. */
static void test_least_recent_goes(struct unit *unit)
{
    struct machine *machine = machine_new();

    core_set_flash(&machine->core, &no_prefetch);
    for (unsigned i = 0; i < 3; ++i) {
        CHECK_EQUAL(unit, cycles_of(machine, 16 * 65), 65 * (5 + 8));
    }
    CHECK_EQUAL(unit, cycles_of(machine, 16 * 64), 64 * (5 + 8));
    CHECK_EQUAL(unit, cycles_of(machine, 16 * 64), 64 * 8);
}

/* A literal far away: the flash first ends the prefetch that is under way. */
static void test_data_cache(struct unit *unit)
{
    struct machine *machine = machine_new();

    CODE(machine, MAIN, LDR_PC(1, 100), LDR_PC(2, 100), NOP, NOP, NOP, NOP, NOP,
         NOP);
    core_set_flash(&machine->core, &slow);
    CHECK_EQUAL(unit, cycles_of(machine, 2), 5 + 2 + 5);
    CHECK_EQUAL(unit, cycles_of(machine, 4), 2 + 5 + 1 + 5);
    core_set_flash(&machine->core, &caching);
    CHECK_EQUAL(unit, cycles_of(machine, 4), 2 + 5 + 1);
    CHECK_EQUAL(unit, cycles_of(machine, 4), 2 + 1);
    /* Fetched in cycles 0 to 5, prefetch 6 to 11, literal 12 to 17. */
    machine_new();
    CODE(machine, MAIN, LDR_PC(1, 100));
    core_set_flash(&machine->core, &caching);
    CHECK_EQUAL(unit, cycles_of(machine, 2), 17);
    /* 9 lines, one behind another, in a cache of 8: always the wrong one. */
    machine_new();
    for (uint32_t i = 0; i < 9; ++i) {
        CODE(machine, MAIN + 2u * i, LDR_PC(1, 100u + 4u * i));
    }
    core_set_flash(&machine->core, &no_prefetch);
    cycles_of(machine, 16);
    CHECK_EQUAL(unit, cycles_of(machine, 16), 2 + 7);
    cycles_of(machine, 18);
    CHECK_EQUAL(unit, cycles_of(machine, 18), 2 + 5 + 8 * (1 + 5));
}

void check_cycles(struct unit *unit)
{
    UNIT_RUN(unit, test_sequences);
    UNIT_RUN(unit, test_device_waits);
    UNIT_RUN(unit, test_flash_without_caches);
    UNIT_RUN(unit, test_prefetch);
    UNIT_RUN(unit, test_instruction_cache);
    UNIT_RUN(unit, test_least_recent_goes);
    UNIT_RUN(unit, test_data_cache);
}
