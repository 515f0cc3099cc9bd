/* SPDX-License-Identifier: Apache-2.0 */
/* Entry and return, priorities, sleep and SysTick, all to the cycle. */
#include "test/boards/chip/check/machine.h"

#include "test/boards/chip/core_exceptions.h"

#define FRAME (STACK - 32u)

static void raise_irq(struct machine *machine, unsigned irq)
{
    core_set_irq(&machine->core, irq, true);
    core_set_irq(&machine->core, irq, false);
}

static void test_entry_and_return(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    machine_enable(machine, 0, 0x80);
    core->r[0] = 0xa0;
    core->r[12] = 0xac;
    core->r[14] = 0xae;
    core->xpsr |= 0x90000000u;
    machine_step(machine, 3);
    raise_irq(machine, 0);
    machine_run(machine, 12);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(0)));
    CHECK_EQUAL(unit, core->r[14], 0xfffffff9);
    CHECK_EQUAL(unit, core->cycle, 15);
    CHECK_EQUAL(unit, core->xpsr & 0x1ffu, IRQ(0));
    CHECK_EQUAL(unit, core->r[13], FRAME);
    CHECK_EQUAL(unit, machine_word(machine, FRAME), 0xa0);
    CHECK_EQUAL(unit, machine_word(machine, FRAME + 16), 0xac);
    CHECK_EQUAL(unit, machine_word(machine, FRAME + 20), 0xae);
    CHECK_EQUAL(unit, machine_word(machine, FRAME + 24), MAIN + 6);
    CHECK_EQUAL(unit, machine_word(machine, FRAME + 28), 0x91000000);
    CHECK_EQUAL(unit, machine_get(machine, NVIC_IABR), 1);
    machine_step(machine, 1); /* bx lr */
    CHECK_EQUAL(unit, core->cycle, 15 + 1 + 10);
    CHECK_EQUAL(unit, core->r[15], MAIN + 6);
    CHECK_EQUAL(unit, core->r[13], STACK);
    CHECK_EQUAL(unit, core->xpsr, 0x91000000);
    CHECK_EQUAL(unit, core->stats[IRQ(0)].entries, 1);
    CHECK_EQUAL(unit, core->stats[IRQ(0)].wait_max, 12);
    CHECK_EQUAL(unit, core->stats[IRQ(0)].run_max, 11);
}

static void test_frame_is_aligned(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    core->r[13] = STACK - 4;
    core->r[14] = 0x1234;
    machine_set(machine, SCB_ICSR, 1u << 28);
    machine_run(machine, 12);
    CHECK_EQUAL(unit, core->xpsr & 0x1ffu, 14);
    CHECK_EQUAL(unit, core->r[13], STACK - 8 - 32);
    CHECK_EQUAL(unit, machine_word(machine, FRAME - 8 + 28), 0x01000200);
    machine_step(machine, 1);
    CHECK_EQUAL(unit, core->r[13], STACK - 4);
    CHECK_EQUAL(unit, core->r[14], 0x1234);
    CHECK_EQUAL(unit, core->xpsr, 0x01000000);
    machine_set(machine, SCB_CCR, 0); /* STKALIGN */
    machine_set(machine, SCB_ICSR, 1u << 28);
    machine_run(machine, 12);
    CHECK_EQUAL(unit, core->r[13], STACK - 4 - 32);
}

static void test_process_stack(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    /* msr psp, r0; movs r1, #2; msr control, r1 */
    CODE(machine, MAIN, 0xf380, 0x8809, MOVS(1, 2), 0xf381, 0x8814);
    core->r[0] = STACK - 0x100;
    machine_step(machine, 3);
    CHECK_EQUAL(unit, core->r[13], STACK - 0x100);
    raise_irq(machine, 3);
    machine_enable(machine, 3, 0);
    machine_run(machine, 12);
    CHECK_EQUAL(unit, core->r[14], 0xfffffffd);
    CHECK_EQUAL(unit, core->r[13], STACK);
    CHECK_EQUAL(unit, core->control, 0);
    CHECK_EQUAL(unit, machine_word(machine, STACK - 0x120 + 24), MAIN + 10);
    machine_step(machine, 1);
    CHECK_EQUAL(unit, core->r[13], STACK - 0x100);
    CHECK_EQUAL(unit, core->control, 2);
}

/* Four NOPs, then return. */
static void long_handler(struct machine *machine, unsigned exception)
{
    CODE(machine, HANDLER(exception), NOP, NOP, NOP, NOP, BX_LR);
}

static void test_nesting(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    long_handler(machine, IRQ(1));
    machine_enable(machine, 0, 0x40);
    machine_enable(machine, 1, 0x80);
    machine_enable(machine, 2, 0x80);
    raise_irq(machine, 1);
    machine_run(machine, 13);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(1)) + 2);
    raise_irq(machine, 2);
    machine_step(machine, 1);
    CHECK_EQUAL(unit, core->xpsr & 0x1ffu, IRQ(1));
    raise_irq(machine, 0);
    machine_run(machine, 12);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(0)));
    CHECK_EQUAL(unit, core->r[14], 0xfffffff1);
    CHECK_EQUAL(unit, machine_get(machine, SCB_ICSR) >> 11 & 1u, 0);
    machine_step(machine, 1);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(1)) + 4);
    CHECK_EQUAL(unit, core->xpsr & 0x1ffu, IRQ(1));
    machine_go(machine, HANDLER(IRQ(2)));
    machine_go(machine, MAIN);
    CHECK_EQUAL(unit, core->r[13], STACK);
    CHECK_EQUAL(unit, core->stats[IRQ(2)].entries, 1);
    CHECK_EQUAL(unit, core->stats[IRQ(1)].run_max, 5 + 12 + 11);
}

static void test_group_and_subpriority(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    long_handler(machine, IRQ(1));
    machine_set(machine, SCB_AIRCR, 0x05fa0600); /* group: bit 7 */
    machine_enable(machine, 1, 0x70);
    machine_enable(machine, 2, 0x20);
    machine_enable(machine, 3, 0x10);
    raise_irq(machine, 1);
    machine_run(machine, 12);
    raise_irq(machine, 2);
    raise_irq(machine, 3);
    machine_step(machine, 2);
    CHECK_EQUAL(unit, core->xpsr & 0x1ffu, IRQ(1));
    machine_go(machine, HANDLER(IRQ(3)));
    CHECK_EQUAL(unit, core->stats[IRQ(2)].entries, 0);
    CHECK_EQUAL(unit, machine_get(machine, SCB_AIRCR), 0xfa050600);
}

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
    CHECK_EQUAL(unit, core->stats[IRQ(0)].wait_max, 5);
    machine_run(machine, 7);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(1)));
    CHECK_EQUAL(unit, core->stats[IRQ(1)].wait_max, 19);
}

static void test_masks(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    /* msr basepri_max, r1, twice; msr basepri, r2 */
    CODE(machine, MAIN, 0xf381, 0x8812, MOVS(1, 0x80), 0xf381, 0x8812, 0xf382,
         0x8811);
    core->r[1] = 0x40;
    machine_enable(machine, 0, 0x40);
    machine_step(machine, 1);
    CHECK_EQUAL(unit, core->basepri, 0x40);
    raise_irq(machine, 0);
    machine_step(machine, 2);
    CHECK_EQUAL(unit, core->basepri, 0x40);
    CHECK_EQUAL(unit, core->r[15], MAIN + 10);
    core->r[2] = 0x50;
    machine_step(machine, 1);
    CHECK_EQUAL(unit, core->basepri, 0x50);
    machine_set(machine, NVIC_IPR, 0x4f); /* only four bits */
    CHECK_EQUAL(unit, machine_get(machine, NVIC_IPR), 0x40);
    core->basepri = 0;
    core_priority_changed(core);
    machine_run(machine, 12);
    CHECK_EQUAL(unit, core->r[15], HANDLER(IRQ(0)));
}

static void test_sleep_under_primask(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    CODE(machine, MAIN, CPSID_I, WFI, NOP, CPSIE_I, NOP);
    machine_enable(machine, 0, 0x40);
    CHECK_EQUAL(unit, machine_run(machine, 100), CORE_SLEEPS);
    CHECK_EQUAL(unit, core->cycle, 100);
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

    CODE(machine, MAIN, 0xf381, 0x8811, WFI, NOP);
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

/* A request that stays high comes again; one that falls does not. */
static void test_levels(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    machine_enable(machine, 5, 0);
    core_set_irq(core, 5, true);
    machine_run(machine, 12 + 3 * 7);
    CHECK_EQUAL(unit, core->stats[IRQ(5)].entries, 4);
    machine_set(machine, NVIC_ICPR, 1u << 5);
    core_set_irq(core, 5, false);
    machine_step(machine, 2);
    CHECK_EQUAL(unit, core->r[15], MAIN + 2);
    core_set_irq(core, 5, true);
    machine_set(machine, NVIC_ICPR, 1u << 5); /* high: stays pending */
    CHECK_EQUAL(unit, machine_get(machine, NVIC_ISPR), 1u << 5);
    core_set_irq(core, 5, false);
    machine_set(machine, NVIC_ICPR, 1u << 5);
    CHECK_EQUAL(unit, machine_get(machine, NVIC_ISPR), 0);
    machine_set(machine, NVIC_STIR, 81);
    CHECK_EQUAL(unit, machine_get(machine, NVIC_ISPR + 8), 1u << 17);
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

static void test_tick(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    machine_set(machine, SYST_RVR, 99);
    machine_set(machine, SYST_CVR, 5); /* any write clears it */
    machine_set(machine, SYST_CSR, 7); /* counts 99 at cycle 1, 0 at 100 */
    machine_run(machine, 1);
    CHECK_EQUAL(unit, machine_get(machine, SYST_CVR), 99);
    machine_run(machine, 98);
    CHECK_EQUAL(unit, machine_get(machine, SYST_CVR), 1);
    CHECK_EQUAL(unit, core->xpsr & 0x1ffu, 0);
    machine_run(machine, 1 + 12);
    CHECK_EQUAL(unit, core->r[15], HANDLER(15));
    CHECK_EQUAL(unit, core->cycle, 112);
    CHECK_EQUAL(unit, machine_get(machine, SYST_CVR), 88);
    CHECK_EQUAL(unit, machine_get(machine, SYST_CSR), 0x10007);
    CHECK_EQUAL(unit, machine_get(machine, SYST_CSR), 7);
    CODE(machine, MAIN + 0x200, B(-0x100)); /* 3 cycles, to MAIN */
    core_run(core, 10012);
    CHECK_EQUAL(unit, core->stats[15].entries, 100);
    CHECK(unit, core->stats[15].wait_max <= 14);
}

static void test_tick_goes_on_in_sleep(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    CODE(machine, MAIN, WFI, B(-1));
    machine_set(machine, SYST_RVR, 9);
    machine_set(machine, SYST_CSR, 3); /* clock / 8 */
    machine_run(machine, 79);
    CHECK_EQUAL(unit, core->stats[15].entries, 0);
    CHECK_EQUAL(unit, machine_get(machine, SYST_CVR), 1);
    machine_run(machine, 13);
    CHECK_EQUAL(unit, core->r[15], HANDLER(15));
    CHECK_EQUAL(unit, core->cycle, 92);
    core_run(core, 80 * 1000 + 50);
    CHECK_EQUAL(unit, core->stats[15].entries, 1000);
    /* Without an interrupt nothing wakes it. */
    machine_set(machine, SYST_CSR, 1);
    CHECK_EQUAL(unit, machine_run(machine, 1000000), CORE_SLEEPS);
    CHECK_EQUAL(unit, machine_get(machine, SYST_CSR), 0x10001);
}

static void test_reset_request(struct unit *unit)
{
    struct machine *machine = machine_new();

    CODE(machine, MAIN, STR(0, 1, 0), NOP);
    machine->core.r[0] = 0x05fa0004;
    machine->core.r[1] = SCB_AIRCR;
    CHECK_EQUAL(unit, machine_run(machine, 100), CORE_RESETS);
    CHECK_EQUAL(unit, machine->core.cycle, 1);
    core_reset(&machine->core);
    CHECK_EQUAL(unit, machine->core.r[15], MAIN);
    CHECK_EQUAL(unit, machine_get(machine, 0xe000ed00u), 0x410fc241);
}

void check_exceptions(struct unit *unit)
{
    UNIT_RUN(unit, test_entry_and_return);
    UNIT_RUN(unit, test_frame_is_aligned);
    UNIT_RUN(unit, test_process_stack);
    UNIT_RUN(unit, test_nesting);
    UNIT_RUN(unit, test_group_and_subpriority);
    UNIT_RUN(unit, test_tail_chain);
    UNIT_RUN(unit, test_late_arrival);
    UNIT_RUN(unit, test_masks);
    UNIT_RUN(unit, test_sleep_under_primask);
    UNIT_RUN(unit, test_basepri_does_not_wake);
    UNIT_RUN(unit, test_levels);
    UNIT_RUN(unit, test_request_from_the_bus);
    UNIT_RUN(unit, test_it_block_is_resumed);
    UNIT_RUN(unit, test_tick);
    UNIT_RUN(unit, test_tick_goes_on_in_sleep);
    UNIT_RUN(unit, test_reset_request);
}
