/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/core_memory.h"

#include "test/boards/chip/core_exceptions.h"
#include "test/boards/chip/core_flash.h"
#include "test/boards/chip/core_system.h"

#define PRIVATE_BASE 0xe0000000u
#define PRIVATE_BYTES 0x00040000u /* the internal one; outside are devices */

enum result {
    DONE,
    NOTHING_THERE,
    FAULTED /* has raised a fault of its own */
};

static uint8_t *ccm_at(const struct core *core, uint32_t address,
                       uint32_t bytes)
{
    uint32_t offset = address - CORE_CCM_BASE;

    if (core->config.ccm != NULL && offset < core->config.ccm_bytes &&
        bytes <= core->config.ccm_bytes - offset) {
        return core->config.ccm + offset;
    }
    return NULL;
}

static bool is_private(uint32_t address)
{
    return address - PRIVATE_BASE < PRIVATE_BYTES;
}

/* Memory of the types Device and Strongly-ordered: every access aligned. */
static bool is_device(uint32_t address)
{
    return (address >= 0x40000000u && address < 0x60000000u) ||
           address >= 0xa0000000u;
}

/* A bus function may have made an event earlier. */
static void after_bus(struct core *core, unsigned wait)
{
    core->cycle += wait;
    if (core->until < core->limit) {
        core->limit = core->until;
    }
}

static bool bus_read(struct core *core, uint32_t address, unsigned bytes,
                     uint32_t *value)
{
    unsigned wait = 0;
    uint32_t got = 0;
    bool answered = core->config.bus.read(core->config.bus.context, address,
                                          bytes, &got, &wait);

    *value = got & (0xffffffffu >> (32u - 8u * bytes));
    after_bus(core, wait);
    return answered;
}

static bool bus_write(struct core *core, uint32_t address, unsigned bytes,
                      uint32_t value)
{
    unsigned wait = 0;
    bool answered = core->config.bus.write(
        core->config.bus.context, address, bytes,
        value & (0xffffffffu >> (32u - 8u * bytes)), &wait);

    after_bus(core, wait);
    return answered;
}

static bool read_flash(struct core *core, uint32_t offset, unsigned bytes,
                       uint32_t *value)
{
    if (bytes > core->config.flash_bytes - offset) {
        return false;
    }
    core_flash_data(core, offset);
    *value = 0;
    memcpy(value, core->config.flash + offset, bytes);
    return true;
}

/* Anything but the private peripheral bus; aligned. */
static bool read_there(struct core *core, uint32_t address, unsigned bytes,
                       uint32_t *value)
{
    const uint8_t *at = core_ram_at(core, address, bytes);
    uint32_t offset;

    if (at == NULL) {
        at = ccm_at(core, address, bytes);
    }
    if (at != NULL) {
        *value = 0;
        memcpy(value, at, bytes);
        return true;
    }
    if (core_in_flash(core, address, &offset)) {
        return read_flash(core, offset, bytes, value);
    }
    return bus_read(core, address, bytes, value);
}

static bool write_there(struct core *core, uint32_t address, unsigned bytes,
                        uint32_t value)
{
    uint8_t *at = core_ram_at(core, address, bytes);
    uint32_t offset;

    if (at == NULL) {
        at = ccm_at(core, address, bytes);
    }
    if (at != NULL) {
        memcpy(at, &value, bytes);
        return true;
    }
    if (core_in_flash(core, address, &offset)) {
        return false;
    }
    return bus_write(core, address, bytes, value);
}

bool core_peek_word(struct core *core, uint32_t address, uint32_t *value)
{
    return !is_private(address) && read_there(core, address, 4, value);
}

bool core_poke_word(struct core *core, uint32_t address, uint32_t value)
{
    return !is_private(address) && write_there(core, address, 4, value);
}

static bool is_unprivileged(const struct core *core)
{
    return core->exception == 0 && (core->control & 1u) != 0;
}

static enum result read_aligned(struct core *core, uint32_t address,
                                unsigned bytes, uint32_t *value)
{
    if (!is_private(address)) {
        return read_there(core, address, bytes, value) ? DONE : NOTHING_THERE;
    }
    if (is_unprivileged(core)) {
        return NOTHING_THERE;
    }
    core_system_read(core, address, bytes, value);
    return DONE;
}

static enum result write_aligned(struct core *core, uint32_t address,
                                 unsigned bytes, uint32_t value)
{
    if (!is_private(address)) {
        return write_there(core, address, bytes, value) ? DONE : NOTHING_THERE;
    }
    if (is_unprivileged(core)) {
        core_bus_fault(core, address);
        return FAULTED;
    }
    core_system_write(core, address, bytes, value);
    return DONE;
}

/* An unaligned access is two on the bus: a cycle more. Memory only: elsewhere
   it is a fault, and the result false. */
static bool split(struct core *core, uint32_t address)
{
    if ((core->system.ccr & CORE_CCR_UNALIGN_TRP) != 0 || is_device(address)) {
        core_fault(core, CORE_USAGE_FAULT, CORE_CFSR_UNALIGNED);
        return false;
    }
    core->cycle += 1;
    return true;
}

bool core_load(struct core *core, uint32_t address, unsigned bytes,
               uint32_t *value)
{
    enum result result = DONE;
    uint32_t whole = 0;

    if ((address & (bytes - 1u)) == 0) {
        result = read_aligned(core, address, bytes, &whole);
    } else if (!split(core, address)) {
        return false;
    } else {
        for (unsigned i = 0; i < bytes && result == DONE; ++i) {
            uint32_t byte = 0;

            result = read_aligned(core, address + i, 1, &byte);
            whole |= byte << 8 * i;
        }
    }
    if (result != DONE) {
        core_bus_fault(core, address);
        return false;
    }
    *value = whole;
    return true;
}

bool core_store(struct core *core, uint32_t address, unsigned bytes,
                uint32_t value)
{
    enum result result = DONE;

    if ((address & (bytes - 1u)) == 0) {
        result = write_aligned(core, address, bytes, value);
    } else if (!split(core, address)) {
        return false;
    } else {
        for (unsigned i = 0; i < bytes && result == DONE; ++i) {
            result = write_aligned(core, address + i, 1, value >> 8 * i & 255u);
        }
    }
    if (result == NOTHING_THERE) {
        core_bus_fault_later(core);
    }
    return result != FAULTED;
}

bool core_code_halfword(const struct core *core, uint32_t address,
                        uint32_t *half)
{
    const uint8_t *at = core_ram_at(core, address, 2);
    uint32_t offset;

    if (at == NULL && core_in_flash(core, address, &offset) &&
        core->config.flash_bytes - offset >= 2) {
        at = core->config.flash + offset;
    }
    if (at == NULL) {
        return false;
    }
    *half = (uint32_t)at[0] | (uint32_t)at[1] << 8;
    return true;
}
