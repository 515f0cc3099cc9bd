/* SPDX-License-Identifier: Apache-2.0 */
/* Entry and return, priorities, how long they are held, sleep, SysTick, faults,
   all to the cycle; and what the model has not. */
#include "test/boards/chip/check/machine.h"

#include "test/boards/chip/core_exceptions.h"

#include <string.h>

#define FRAME (STACK - 32u)

static uint32_t exception(const struct machine *machine)
{
    return machine->core.xpsr & 0x1ffu;
}

static void raise_irq(struct machine *machine, unsigned irq)
{
    core_set_irq(&machine->core, irq, true);
    core_set_irq(&machine->core, irq, false);
}

/* ---- entry and return ---- */

/* The stack is not a multiple of 8: the frame is, and says so in its xPSR. */
static void test_entry_and_return(struct unit *unit)
{
    const uint32_t frame = STACK - 8u - 32u;
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    machine_enable(machine, 0, 0x80);
    core->r[0] = 0xa0;
    core->r[12] = 0xac;
    core->r[13] = STACK - 4u;
    core->r[14] = 0xae;
    core->xpsr |= 0x90000000u;
    machine_step(machine, 3);
    raise_irq(machine, 0);
    machine_run(machine, 12);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(0)));
    CHECK_EQUAL(unit, core->r[14], 0xfffffff9);
    CHECK_EQUAL(unit, core->cycle, 15);
    CHECK_EQUAL(unit, core->r[13], frame);
    CHECK_EQUAL(unit, machine_word(machine, frame), 0xa0);
    CHECK_EQUAL(unit, machine_word(machine, frame + 16), 0xac);
    CHECK_EQUAL(unit, machine_word(machine, frame + 20), 0xae);
    CHECK_EQUAL(unit, machine_word(machine, frame + 24), MAIN + 6);
    CHECK_EQUAL(unit, machine_word(machine, frame + 28), 0x91000200);
    machine_step(machine, 1); /* bx lr */
    CHECK_EQUAL(unit, core->cycle, 15 + 1 + 10);
    CHECK_EQUAL(unit, core->r[15], MAIN + 6);
    CHECK_EQUAL(unit, core->r[13], STACK - 4u);
    CHECK_EQUAL(unit, core->xpsr, 0x91000000);
    CHECK_EQUAL(unit, core->held_max[7], 0);
    CHECK_EQUAL(unit, core->held_max[8], 12 + 11);
    core_forget(core);
    CHECK_EQUAL(unit, core->held_max[8], 0);
}

static void test_it_block_is_resumed(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    /* ittee ne; movne r1, #1; movne r2, #2; moveq r1, #3; moveq r2, #4 */
    CODE(machine, MAIN, 0xbf19, MOVS(1, 1), MOVS(2, 2), MOVS(1, 3), MOVS(2, 4));
    CODE(machine, HANDLER(IRQ(0)), 0x4280 /* cmp r0, r0 */, BX_LR);
    machine_enable(machine, 0, 0);
    machine_step(machine, 2);
    raise_irq(machine, 0);
    machine_go(machine, HANDLER(IRQ(0)));
    machine_go(machine, MAIN + 10);
    CHECK_EQUAL(unit, core->r[1], 1);
    CHECK_EQUAL(unit, core->r[2], 2);
    CHECK_EQUAL(unit, core->xpsr & 0x0600fc00u, 0);
}

/* ---- priorities ---- */

static void test_nesting(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    CODE(machine, HANDLER(IRQ(1)), NOP, NOP, NOP, NOP, BX_LR);
    machine_enable(machine, 0, 0x40);
    machine_enable(machine, 1, 0x80);
    machine_enable(machine, 2, 0x80);
    raise_irq(machine, 1);
    machine_run(machine, 13);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(1)) + 2);
    raise_irq(machine, 2);
    machine_step(machine, 1);
    CHECK_EQUAL(unit, exception(machine), IRQ(1));
    raise_irq(machine, 0);
    machine_run(machine, 12);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(0)));
    CHECK_EQUAL(unit, core->r[14], 0xfffffff1);
    machine_step(machine, 1);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(1)) + 4);
    machine_go(machine, HANDLER(IRQ(2)));
    CHECK_EQUAL(unit, core->cycle, 12 + 2 + 12 + 11 + 3 + 6);
    machine_go(machine, MAIN);
    CHECK_EQUAL(unit, core->r[13], STACK);
}

/* Level 8 could begin between the two, level 9 not. */
static void test_tail_chain(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    machine_enable(machine, 0, 0x80);
    machine_enable(machine, 1, 0x80);
    raise_irq(machine, 1);
    raise_irq(machine, 0);
    machine_run(machine, 12);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(0)));
    machine_run(machine, 7); /* bx lr and the chain */
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(1)));
    CHECK_EQUAL(unit, core->cycle, 12 + 1 + 6);
    CHECK_EQUAL(unit, core->r[13], FRAME);
    CHECK_EQUAL(unit, core->r[14], 0xfffffff9);
    machine_step(machine, 1);
    CHECK_EQUAL(unit, core->r[15], MAIN);
    CHECK_EQUAL(unit, core->cycle, 19 + 11);
    CHECK_EQUAL(unit, core->held_max[8], 6 + 11);
    CHECK_EQUAL(unit, core->held_max[9], 12 + 1 + 6 + 11);
}

static void test_late_arrival(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    machine_enable(machine, 0, 0x10);
    machine_enable(machine, 1, 0x80);
    raise_irq(machine, 1);
    CHECK_EQUAL(unit, machine_run(machine, 7), CORE_RAN);
    CHECK_EQUAL(unit, core->cycle, 7);
    raise_irq(machine, 0);
    machine_run(machine, 5);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(0)));
    machine_run(machine, 7);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(1)));
}

static void test_flags(struct unit *unit)
{
    struct machine *machine = machine_new();

    CODE(machine, MAIN, MSR(0, 1), 0xf3ef, 0x8200); /* mrs r2, apsr */
    machine->core.r[1] = UINT32_MAX;
    machine_step(machine, 2);
    CHECK_EQUAL(unit, machine->core.r[2], 0xf8000000);
}

static void test_basepri(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    CODE(machine, MAIN, MSR(BASEPRI_MAX, 1), MSR(BASEPRI_MAX, 2),
         MSR(BASEPRI, 2), NOP);
    core->r[1] = 0x40;
    core->r[2] = 0x5f; /* only four bits */
    machine_enable(machine, 0, 0x4f);
    machine_step(machine, 1);
    raise_irq(machine, 0);
    machine_step(machine, 1);
    CHECK_EQUAL(unit, core->basepri, 0x40);
    machine_step(machine, 1);
    CHECK_EQUAL(unit, core->basepri, 0x50);
    machine_run(machine, 12);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(0)));
    CHECK_EQUAL(unit, core->held_max[3], 0);
    CHECK_EQUAL(unit, core->held_max[4], 4);
}

/* ---- requests ---- */

/* A request that stays high comes again; one that falls does not. */
static void test_levels(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    machine_enable(machine, 5, 0);
    core_set_irq(core, 5, true);
    for (unsigned i = 0; i < 4; ++i) {
        machine_run(machine, i == 0 ? 12 : 7);
        CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(5)));
    }
    machine_set(machine, NVIC_ICPR, 1u << 5);
    core_set_irq(core, 5, false);
    machine_step(machine, 2);
    CHECK_EQUAL(unit, core->r[15], MAIN + 2);
    core_set_irq(core, 5, true);
    machine_set(machine, NVIC_ICPR, 1u << 5); /* high: stays pending */
    machine_run(machine, 12);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(5)));
}

/* A request made by a store comes before the next instruction. */
static void test_request_from_the_bus(struct unit *unit)
{
    struct machine *machine = machine_new();

    CODE(machine, MAIN, STR(0, 1, 0), NOP);
    machine->core.r[1] = DEVICE;
    machine->device_irq = 9;
    machine_enable(machine, 9, 0);
    machine_run(machine, 13);
    CHECK_EQUAL(unit, machine->core.r[15], HANDLER(IRQ(9)));
    CHECK_EQUAL(unit, machine_word(machine, FRAME + 24), MAIN + 2);
}

/* ---- sleep, SysTick ---- */

static void test_sleep_under_primask(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    CODE(machine, MAIN, CPSID_I, WFI, NOP, CPSIE_I, NOP);
    machine_enable(machine, 0, 0x40);
    CHECK_EQUAL(unit, machine_run(machine, 100), CORE_SLEEPS);
    CHECK_EQUAL(unit, machine_run(machine, 100), CORE_SLEEPS);
    raise_irq(machine, 0);
    CHECK_EQUAL(unit, machine_run(machine, 1), CORE_RAN);
    CHECK_EQUAL(unit, core->r[15], MAIN + 6);
    machine_run(machine, 13);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(0)));
    CHECK_EQUAL(unit, core->cycle, 200 + 1 + 1 + 12);
    /* The sleep is not held against PRIMASK: 1 before it, 2 after it. */
    CHECK_EQUAL(unit, core->held_max[4], 2);
}

static void test_basepri_does_not_wake(struct unit *unit)
{
    struct machine *machine = machine_new();

    CODE(machine, MAIN, MSR(BASEPRI, 1), WFI, NOP);
    machine->core.r[1] = 0x40;
    machine_enable(machine, 0, 0x40);
    machine_enable(machine, 1, 0x30);
    CHECK_EQUAL(unit, machine_run(machine, 50), CORE_SLEEPS);
    raise_irq(machine, 0);
    CHECK_EQUAL(unit, machine_run(machine, 50), CORE_SLEEPS);
    raise_irq(machine, 1);
    CHECK_EQUAL(unit, machine_run(machine, 12), CORE_RAN);
    CHECK_EQUAL(unit, machine->core.r[15], HANDLER(IRQ(1)));
}

/* Counts 99 at cycle 1, 0 at 100, and goes on in sleep. */
static void test_tick(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    machine_set(machine, SYST_RVR, 99);
    machine_set(machine, SYST_CSR, 7);
    machine_run(machine, 99);
    CHECK_EQUAL(unit, exception(machine), 0);
    machine_run(machine, 1 + 12);
    CHECK_EQUAL(unit, core->r[15], HANDLER(15));
    CHECK_EQUAL(unit, core->cycle, 112);
    CODE(machine, core->r[15] - HANDLER(15) + MAIN + 0x100, WFI, B(-1));
    for (uint64_t tick = 20; tick < 1000; ++tick) {
        CHECK_EQUAL(unit, core_run(core, 100 * tick - 1), CORE_SLEEPS);
        CHECK_EQUAL(unit, core_run(core, 100 * tick + 12), CORE_RAN);
        CHECK_EQUAL(unit, core->r[15], HANDLER(15));
    }
    machine_set(machine, SYST_CSR, 5); /* without its interrupt */
    CHECK_EQUAL(unit, machine_run(machine, 1000000), CORE_SLEEPS);
}

/* ---- faults ---- */

/* What HardFault finds of an instruction at MAIN, or behind others there, that
   fails: r0 and r1 are given. */
static const struct {
    uint32_t r0, r1, cfsr, bfar;
    uint32_t offset; /* of the instruction that it returns to, from MAIN */
    uint16_t code[6];
} faults[] = {
    {0, 0, CORE_CFSR_UNDEFINSTR, 0, 2, {NOP, UDF, END}},
    {0, 0, CORE_CFSR_UNDEFINSTR, 0, 2, {CPSID_I, UDF, END}},
    /* udiv r1, r1, r0 */
    {0, 5, CORE_CFSR_DIVBYZERO, 0, 0, {0xfbb1, 0xf1f0, END}},
    {NOTHING,
     0,
     CORE_CFSR_PRECISERR | CORE_CFSR_BFARVALID,
     NOTHING + 4,
     2,
     {NOP, LDR(1, 0, 4), END}},
    /* itt eq; moveq r1, r1; ldreq r2, [r0], #4: is not written back */
    {NOTHING,
     0,
     CORE_CFSR_PRECISERR | CORE_CFSR_BFARVALID,
     NOTHING,
     6,
     {0x4280, 0xbf04, 0x4609, 0xf850, 0x2b04, END}},
    /* The instruction behind a store executes, but for a barrier. */
    {NOTHING, 0, CORE_CFSR_IMPRECISERR, 0, 4, {STR(1, 0, 0), NOP, NOP, END}},
    {CORE_FLASH_BASE,
     0,
     CORE_CFSR_IMPRECISERR,
     0,
     6,
     {STR(1, 0, 0), DSB, NOP, END}},
};

static void test_faults(struct unit *unit)
{
    for (unsigned i = 0; i < sizeof faults / sizeof *faults; ++i) {
        struct machine *machine = machine_new();
        struct core *core = &machine->core;

        machine_set(machine, SCB_CCR, CORE_CCR_DIV_0_TRP | CORE_CCR_STKALIGN);
        machine_code(machine, MAIN, faults[i].code);
        core->r[0] = faults[i].r0;
        core->r[1] = faults[i].r1;
        machine_go(machine, HANDLER(3));
        CHECK_EQUAL(unit, machine_get(machine, SCB_CFSR), faults[i].cfsr);
        machine_set(machine, SCB_CFSR, faults[i].cfsr); /* 1 clears */
        CHECK_EQUAL(unit, machine_get(machine, SCB_CFSR), 0);
        CHECK_EQUAL(unit, machine_get(machine, SCB_BFAR), faults[i].bfar);
        CHECK_EQUAL(unit, machine_get(machine, SCB_HFSR), CORE_HFSR_FORCED);
        CHECK_EQUAL(unit, machine_word(machine, FRAME), faults[i].r0);
        CHECK_EQUAL(unit, machine_word(machine, FRAME + 24),
                    MAIN + faults[i].offset);
        CHECK_EQUAL(unit, machine_word(machine, FRAME + 28) & 0x0600fc00u,
                    i == 4 ? 0x0800 : 0);
    }
}

static void test_lockup(struct unit *unit)
{
    struct machine *machine = machine_new();

    CODE(machine, MAIN, UDF);
    CODE(machine, HANDLER(3), UDF);
    CHECK_EQUAL(unit, machine_run(machine, 100), CORE_LOCKED_UP);
    CHECK_EQUAL(unit, machine->core.cycle, 100);
}

/* ---- what the model has not ---- */

static const struct {
    const char *missing;
    uint32_t which, r0;
    uint16_t code[4];
} stops[] = {
    {"instruction", 0xdf00, 0, {0xdf00, END}},
    {"instruction", 0xee000a10, 0, {0xee00, 0x0a10, END}}, /* vmov s0, r0 */
    {"instruction", 0xea4f010d, 0, {0xea4f, 0x010d, END}}, /* mov.w r1, sp */
    {"instruction", 0xd0fe, 0, {0xbf08, 0xd0fe, END}},     /* in IT */
    {"special register", 20, 0, {MSR(20, 0), END}},
    {"special register", 9, 0, {0xf3ef, 0x8009, END}}, /* mrs r0, psp */
    {"system register", 0xe000ed24, 0xe000ed24, {LDR(1, 0, 0), END}},
    {"system register", 0xe000ed24, 0xe000ed24, {STR(1, 0, 0), END}},
    {"interrupt", 82, NVIC_ISER + 8, {MOVS(1, 1), 0x0489, STR(1, 0, 0), END}},
    {"unaligned access", DEVICE + 2, DEVICE + 2, {LDR(1, 0, 0), END}},
    {"unaligned access", 1, 1, {0xe9d0, 0x1200, END}}, /* ldrd r1, r2, [r0] */
    {"code of ARM", MAIN, MAIN, {0x4700, END}},
    {"code", CORE_RAM_BASE, CORE_RAM_BASE + 1, {0x4700, END}},
    {"exception return", 0xfffffffd, 0xfffffffd, {UDF, END}},
};

static void test_stops(struct unit *unit)
{
    for (unsigned i = 0; i < sizeof stops / sizeof *stops; ++i) {
        struct machine *machine = machine_new();
        struct core *core = &machine->core;

        CODE(machine, HANDLER(3), 0x4700); /* bx r0 */
        machine_code(machine, MAIN, stops[i].code);
        core->r[0] = stops[i].r0;
        core->xpsr |= 1u << 30;
        CHECK_EQUAL(unit, machine_run(machine, 100), CORE_STOPS);
        CHECK_EQUAL(unit, core->missing_which, stops[i].which);
        CHECK(unit, core->missing != NULL &&
                        strcmp(core->missing, stops[i].missing) == 0);
    }
}

void check_exceptions(struct unit *unit)
{
    UNIT_RUN(unit, test_entry_and_return);
    UNIT_RUN(unit, test_it_block_is_resumed);
    UNIT_RUN(unit, test_nesting);
    UNIT_RUN(unit, test_tail_chain);
    UNIT_RUN(unit, test_late_arrival);
    UNIT_RUN(unit, test_flags);
    UNIT_RUN(unit, test_basepri);
    UNIT_RUN(unit, test_levels);
    UNIT_RUN(unit, test_request_from_the_bus);
    UNIT_RUN(unit, test_sleep_under_primask);
    UNIT_RUN(unit, test_basepri_does_not_wake);
    UNIT_RUN(unit, test_tick);
    UNIT_RUN(unit, test_faults);
    UNIT_RUN(unit, test_lockup);
    UNIT_RUN(unit, test_stops);
}
