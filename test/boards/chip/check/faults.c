/* SPDX-License-Identifier: Apache-2.0 */
/* Faults: which exception comes, what the registers say, and lockup. */
#include "test/boards/chip/check/machine.h"

#include "test/boards/chip/core_exceptions.h"

#include <stddef.h>

#define ALL_FAULTS (7u << 16) /* of SHCSR */
#define FRAME (STACK - 32u)

/* Runs what is at MAIN with r0 to r3 as given until a handler has begun. */
static struct machine *fault(const uint16_t *code, uint32_t r0, uint32_t shcsr)
{
    struct machine *machine = machine_new();

    machine_code(machine, MAIN, code);
    machine_set(machine, SCB_SHCSR, shcsr);
    machine->core.r[0] = r0;
    for (unsigned i = 0; i < 100 && (machine->core.xpsr & 0x1ffu) == 0; ++i) {
        machine_run(machine, 1);
    }
    return machine;
}

#define FAULT(r0, ...)                                                         \
    fault((const uint16_t[]){__VA_ARGS__, END}, r0, ALL_FAULTS)

/* Which handler, of what, returning to MAIN + offset. */
#define CHECK_FAULT(unit, machine, exception, cfsr, offset)                    \
    do {                                                                       \
        CHECK_EQUAL(unit, (machine)->core.xpsr & 0x1ffu, exception);           \
        CHECK_EQUAL(unit, machine_get(machine, SCB_CFSR), cfsr);               \
        CHECK_EQUAL(unit, machine_word(machine, FRAME + 24), MAIN + (offset)); \
    } while (0)

static void test_usage(struct unit *unit)
{
    struct machine *machine;

    CHECK_FAULT(unit, FAULT(0, NOP, UDF), 6, CORE_CFSR_UNDEFINSTR, 2);
    /* vmov s0, r0 */
    CHECK_FAULT(unit, FAULT(0, NOP, 0xee00, 0x0a10), 6, CORE_CFSR_NOCP, 2);
    machine = FAULT(CORE_RAM_BASE + 2, 0xe9d0, 0x1200); /* ldrd r1, r2, [r0] */
    CHECK_FAULT(unit, machine, 6, CORE_CFSR_UNALIGNED, 0);
    machine = FAULT(DEVICE + 2, LDR(1, 0, 0));
    CHECK_FAULT(unit, machine, 6, CORE_CFSR_UNALIGNED, 0);
    /* The stacked pc is the target, the stacked xPSR has no T. */
    machine = FAULT(MAIN + 0x100, NOP, BX(0));
    CHECK_FAULT(unit, machine, 6, CORE_CFSR_INVSTATE, 0x100);
    CHECK_EQUAL(unit, machine_word(machine, FRAME + 28), 0);
    CHECK(unit, machine->core.complaint == NULL);
}

static void test_division_by_zero(struct unit *unit)
{
    struct machine *machine = machine_new();

    CODE(machine, MAIN, 0xfbb1, 0xf1f0); /* udiv r1, r1, r0 */
    machine->core.r[1] = 5;
    machine_step(machine, 1);
    CHECK_EQUAL(unit, machine->core.r[1], 0);
    machine_set(machine, SCB_CCR, CORE_CCR_DIV_0_TRP | CORE_CCR_STKALIGN);
    machine_set(machine, SCB_SHCSR, ALL_FAULTS);
    machine->core.r[15] = MAIN;
    machine_go(machine, HANDLER(6));
    CHECK_FAULT(unit, machine, 6, CORE_CFSR_DIVBYZERO, 0);
}

static void test_loads(struct unit *unit)
{
    struct machine *machine = FAULT(NOTHING, NOP, LDR(1, 0, 4));

    CHECK_FAULT(unit, machine, 5, CORE_CFSR_PRECISERR | CORE_CFSR_BFARVALID, 2);
    CHECK_EQUAL(unit, machine_get(machine, SCB_BFAR), NOTHING + 4);
    machine_set(machine, SCB_CFSR, 0xffff);
    CHECK_EQUAL(unit, machine_get(machine, SCB_CFSR), 0);
}

/* A load that faults writes nothing back; in an IT block, it is resumed. */
static void test_load_in_a_block(struct unit *unit)
{
    struct machine *machine;

    /* itt eq; moveq r1, r1; ldreq r2, [r0], #4 */
    machine = FAULT(NOTHING, 0x4280, 0xbf04, 0x4609, 0xf850, 0x2b04);
    CHECK_EQUAL(unit, machine->core.xpsr & 0x1ffu, 5);
    CHECK_EQUAL(unit, machine_word(machine, FRAME), NOTHING);
    CHECK_EQUAL(unit, machine_word(machine, FRAME + 24), MAIN + 6);
    CHECK_EQUAL(unit, machine_word(machine, FRAME + 28) & 0x0600fc00u, 0x0800);
}

/* The instruction behind the store executes, but for a barrier. */
static void test_stores(struct unit *unit)
{
    struct machine *machine =
        FAULT(NOTHING, STR(1, 0, 0), MOVS(2, 5), MOVS(2, 6));

    CHECK_FAULT(unit, machine, 5, CORE_CFSR_IMPRECISERR, 4);
    CHECK_EQUAL(unit, machine->core.r[2], 5);
    machine = FAULT(CORE_FLASH_BASE, STR(1, 0, 0), DSB, MOVS(2, 6));
    CHECK_FAULT(unit, machine, 5, CORE_CFSR_IMPRECISERR, 6);
    machine =
        fault((const uint16_t[]){STR(1, 0, 0), NOP, NOP, END}, NOTHING, 0);
    CHECK_FAULT(unit, machine, 3, CORE_CFSR_IMPRECISERR, 4);
    CHECK_EQUAL(unit, machine_get(machine, SCB_HFSR), CORE_HFSR_FORCED);
}

static void test_fetches(struct unit *unit)
{
    struct machine *machine = FAULT(CORE_CCM_BASE + 1u, BX(0));

    CHECK_EQUAL(unit, machine->core.xpsr & 0x1ffu, 5);
    CHECK_EQUAL(unit, machine_get(machine, SCB_CFSR), CORE_CFSR_IBUSERR);
    CHECK_EQUAL(unit, machine_word(machine, FRAME + 24), CORE_CCM_BASE);
    machine = FAULT(DEVICE + 1u, BX(0));
    CHECK_EQUAL(unit, machine->core.xpsr & 0x1ffu, 4);
    CHECK_EQUAL(unit, machine_get(machine, SCB_CFSR), CORE_CFSR_IACCVIOL);
}

static void test_escalation(struct unit *unit)
{
    struct machine *machine;

    machine = fault((const uint16_t[]){UDF, END}, 0, 0);
    CHECK_FAULT(unit, machine, 3, CORE_CFSR_UNDEFINSTR, 0);
    CHECK_EQUAL(unit, machine_get(machine, SCB_HFSR), CORE_HFSR_FORCED);
    machine = FAULT(0, CPSID_I, UDF);
    CHECK_FAULT(unit, machine, 3, CORE_CFSR_UNDEFINSTR, 2);
    machine = FAULT(0, CPSID_I, SVC);
    CHECK_FAULT(unit, machine, 3, 0, 4);
    machine = FAULT(0, BKPT);
    CHECK_FAULT(unit, machine, 3, 0, 0);
    CHECK_EQUAL(unit, machine_get(machine, SCB_HFSR), CORE_HFSR_DEBUGEVT);
    machine = FAULT(0, SVC);
    CHECK_FAULT(unit, machine, 11, 0, 2);
}

static void test_lockup(struct unit *unit)
{
    struct machine *machine = machine_new();

    CODE(machine, MAIN, UDF);
    CODE(machine, HANDLER(3), UDF);
    CHECK_EQUAL(unit, machine_run(machine, 100), CORE_LOCKED_UP);
    CHECK_EQUAL(unit, machine->core.cycle, 100);
    CHECK_EQUAL(unit, machine_run(machine, 100), CORE_LOCKED_UP);
    core_reset(&machine->core);
    CODE(machine, MAIN, NOP);
    machine = machine_new();
    CODE(machine, MAIN, CPSID_F, UDF);
    CHECK_EQUAL(unit, machine_run(machine, 100), CORE_LOCKED_UP);
    CHECK_EQUAL(unit, machine->core.stats[3].entries, 0);
}

/* EXC_RETURN that is none, and one to thread mode with two active. */
static void test_bad_return(struct unit *unit)
{
    struct machine *machine = machine_new();

    CODE(machine, HANDLER(11), BX(0));
    CODE(machine, MAIN, SVC);
    machine_set(machine, SCB_SHCSR, ALL_FAULTS);
    machine->core.r[0] = 0xfffffff0;
    machine_go(machine, HANDLER(11));
    machine_go(machine, HANDLER(6));
    CHECK_EQUAL(unit, machine_get(machine, SCB_CFSR), CORE_CFSR_INVPC);
    CHECK_EQUAL(unit, machine->core.r[13], FRAME);
    CHECK_EQUAL(unit, machine->core.r[14], 0xfffffff0);
    machine = machine_new();
    CODE(machine, HANDLER(11), NOP, BX(0));
    CODE(machine, MAIN, SVC);
    machine_set(machine, SCB_SHCSR, ALL_FAULTS);
    machine->core.r[0] = 0xfffffff1;
    machine_go(machine, HANDLER(11));
    machine_go(machine, HANDLER(6));
    CHECK_EQUAL(unit, machine_get(machine, SCB_CFSR), CORE_CFSR_INVPC);
}

/* With no stack left HardFault begins without a frame. */
static void test_stack_overflow(struct unit *unit)
{
    struct machine *machine = machine_new();

    CODE(machine, MAIN, SVC);
    machine->core.r[13] = CORE_RAM_BASE + 8;
    machine_go(machine, HANDLER(3));
    CHECK_EQUAL(unit, machine->core.xpsr & 0x1ffu, 3);
    CHECK_EQUAL(unit, machine_get(machine, SCB_CFSR), CORE_CFSR_STKERR);
    CHECK_EQUAL(unit, machine_get(machine, SCB_HFSR), CORE_HFSR_FORCED);
}

static void test_complaints(struct unit *unit)
{
    struct machine *machine = machine_new();

    CODE(machine, MAIN, LDR(1, 0, 0), NOP);
    machine->core.r[0] = 0xe000ed90u;
    machine_step(machine, 2);
    CHECK(unit, machine->core.complaint != NULL);
    CHECK_EQUAL(unit, machine->core.complaint_pc, MAIN);
    CHECK_EQUAL(unit, machine->core.r[1], 0);
}

/* Whatever it executes, the model does nothing undefined itself, and time
   passes. Half the registers point to RAM. */
static void test_random_code(struct unit *unit)
{
    uint32_t random = 12345;

    for (unsigned round = 0; round < 200; ++round) {
        struct machine *machine = machine_new();
        struct core *core = &machine->core;

        for (uint32_t i = 0x400; i < sizeof machine->flash; ++i) {
            random = random * 1664525u + 1013904223u;
            machine->flash[i] = (uint8_t)(random >> 24);
        }
        for (unsigned i = 0; i < 500; ++i) {
            uint64_t before = core->cycle;

            random = random * 1664525u + 1013904223u;
            core->r[random >> 28] = (random >> 8 & 1u) != 0
                                        ? random
                                        : CORE_RAM_BASE + (random & 0x3fffu);
            core->r[13] &= ~3u;
            core->r[15] = MAIN + (random >> 4 & 0xfffeu) / 2u * 2u;
            if (core_run(core, before + 30) >= CORE_RESETS) {
                core_reset(core);
            } else {
                CHECK(unit, core->cycle >= before + 30);
            }
        }
    }
}

void check_faults(struct unit *unit)
{
    UNIT_RUN(unit, test_usage);
    UNIT_RUN(unit, test_division_by_zero);
    UNIT_RUN(unit, test_loads);
    UNIT_RUN(unit, test_load_in_a_block);
    UNIT_RUN(unit, test_stores);
    UNIT_RUN(unit, test_fetches);
    UNIT_RUN(unit, test_escalation);
    UNIT_RUN(unit, test_lockup);
    UNIT_RUN(unit, test_bad_return);
    UNIT_RUN(unit, test_stack_overflow);
    UNIT_RUN(unit, test_complaints);
    UNIT_RUN(unit, test_random_code);
}
