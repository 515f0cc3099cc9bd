/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/check/machine.h"

#include "test/boards/chip/core_exceptions.h"

#include <string.h>

static struct machine the_machine;

static bool bus_read(void *context, uint32_t address, unsigned bytes,
                     uint32_t *value, unsigned *wait)
{
    const struct machine *machine = context;

    (void)bytes;
    *value = machine->device;
    *wait = machine->device_wait;
    return (address & ~3u) == DEVICE;
}

static bool bus_write(void *context, uint32_t address, unsigned bytes,
                      uint32_t value, unsigned *wait)
{
    struct machine *machine = context;

    (void)bytes;
    if ((address & ~3u) != DEVICE) {
        return false;
    }
    machine->device = value;
    *wait = machine->device_wait;
    if (machine->device_irq != 0) {
        core_set_irq(&machine->core, machine->device_irq, true);
    }
    return true;
}

static void put_word(struct machine *machine, uint32_t offset, uint32_t value)
{
    memcpy(machine->flash + offset, &value, sizeof value);
}

struct machine *machine_new(void)
{
    struct machine *machine = &the_machine;
    const struct core_config config = {
        .flash = machine->flash,
        .flash_bytes = sizeof machine->flash,
        .ram = machine->ram,
        .ram_bytes = sizeof machine->ram,
        .bus = {bus_read, bus_write, machine},
        .spent = machine->spent,
    };

    memset(machine, 0, sizeof *machine);
    for (uint32_t at = 0; at < sizeof machine->flash; at += 4) {
        put_word(machine, at, (uint32_t)NOP << 16 | NOP);
    }
    put_word(machine, 0, STACK);
    put_word(machine, 4, MAIN | 1u);
    for (uint32_t i = 2; i < CORE_EXCEPTIONS; ++i) {
        put_word(machine, 4u * i, HANDLER(i) | 1u);
        CODE(machine, HANDLER(i), BX_LR);
    }
    core_init(&machine->core, &config);
    return machine;
}

void machine_code(struct machine *machine, uint32_t at, const uint16_t *code)
{
    for (; *code != END; ++code) {
        memcpy(machine->flash + (at - CORE_FLASH_BASE), code, sizeof *code);
        at += 2;
    }
}

enum core_event machine_run(struct machine *machine, uint64_t cycles)
{
    return core_run(&machine->core, machine->core.cycle + cycles);
}

void machine_step(struct machine *machine, unsigned instructions)
{
    uint64_t end = machine->core.instructions + instructions;

    for (unsigned i = 0; i < 1000 && machine->core.instructions < end; ++i) {
        machine_run(machine, 1);
    }
}

void machine_go(struct machine *machine, uint32_t at)
{
    for (unsigned i = 0; i < 10000 && machine->core.r[15] != at; ++i) {
        machine_run(machine, 1);
    }
}

uint32_t machine_word(const struct machine *machine, uint32_t address)
{
    uint32_t value;

    memcpy(&value, machine->ram + (address - CORE_RAM_BASE), sizeof value);
    return value;
}

uint32_t machine_get(struct machine *machine, uint32_t address)
{
    uint32_t value;

    core_system_read(&machine->core, address, 4, &value);
    return value;
}

void machine_set(struct machine *machine, uint32_t address, uint32_t value)
{
    core_system_write(&machine->core, address, 4, value);
}

void machine_enable(struct machine *machine, unsigned irq, uint8_t priority)
{
    core_system_write(&machine->core, NVIC_IPR + irq, 1, priority);
    machine_set(machine, NVIC_ISER + irq / 32u * 4u, 1u << irq % 32u);
}

static void all(struct unit *unit)
{
    check_cycles(unit);
    check_exceptions(unit);
}

int main(int argc, char **argv)
{
    return unit_host(argc, argv, all);
}
