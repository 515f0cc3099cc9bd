/* SPDX-License-Identifier: Apache-2.0 */
/* How long interrupts of each level are kept waiting. */
#include "test/boards/chip/check/machine.h"

static void test_primask(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    CODE(machine, MAIN, CPSID_I, NOP, NOP, NOP, CPSIE_I, NOP);
    machine_step(machine, 6);
    for (unsigned level = 0; level < CORE_PRIORITIES; ++level) {
        CHECK_EQUAL(unit, core->held_max[level], 4);
        CHECK_EQUAL(unit, core->held_at[level], MAIN + 8);
    }
    core_forget(core);
    CHECK_EQUAL(unit, core->held_max[3], 0);
}

static void test_basepri(struct unit *unit)
{
    struct machine *machine = machine_new();

    /* msr basepri, r1; nop; msr basepri, r2 */
    CODE(machine, MAIN, 0xf381, 0x8811, NOP, 0xf382, 0x8811);
    machine->core.r[1] = 0x50;
    machine_step(machine, 3);
    CHECK_EQUAL(unit, machine->core.held_max[4], 0);
    CHECK_EQUAL(unit, machine->core.held_max[5], 3);
    CHECK_EQUAL(unit, machine->core.held_max[15], 3);
}

static void test_handler(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    CODE(machine, HANDLER(IRQ(4)), NOP, NOP, BX_LR);
    machine_enable(machine, 4, 0x60);
    core_set_irq(core, 4, true);
    core_set_irq(core, 4, false);
    machine_go(machine, HANDLER(IRQ(4)));
    machine_go(machine, MAIN);
    CHECK_EQUAL(unit, core->held_max[5], 0);
    CHECK_EQUAL(unit, core->held_max[6], 12 + 2 + 11);
    CHECK_EQUAL(unit, core->held_max[15], 12 + 2 + 11);
    CHECK_EQUAL(unit, core->held_at[6], HANDLER(IRQ(4)) + 4);
}

/* A chain: level 6 could begin between the two, level 7 not. */
static void test_chain(struct unit *unit)
{
    struct machine *machine = machine_new();
    struct core *core = &machine->core;

    machine_enable(machine, 4, 0x60);
    machine_enable(machine, 5, 0x60);
    core_set_irq(core, 4, true);
    core_set_irq(core, 4, false);
    core_set_irq(core, 5, true);
    core_set_irq(core, 5, false);
    machine_go(machine, HANDLER(IRQ(5)));
    machine_go(machine, MAIN);
    CHECK_EQUAL(unit, core->held_max[6], 6 + 11);
    CHECK_EQUAL(unit, core->held_max[7], 12 + 1 + 6 + 11);
}

void check_held(struct unit *unit)
{
    UNIT_RUN(unit, test_primask);
    UNIT_RUN(unit, test_basepri);
    UNIT_RUN(unit, test_handler);
    UNIT_RUN(unit, test_chain);
}
