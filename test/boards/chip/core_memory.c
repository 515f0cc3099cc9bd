/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/core_memory.h"

#include "test/boards/chip/core_exceptions.h"

#define PRIVATE_BASE 0xe0000000u
#define PRIVATE_BYTES 0x00040000u /* the internal one; outside are devices */

/* RAM, either. */
static uint8_t *memory_at(const struct core *core, uint32_t address,
                          uint32_t bytes)
{
    uint8_t *at = core_ram_at(core, address, bytes);
    uint32_t offset = address - CORE_CCM_BASE;

    if (at == NULL && offset < core->config.ccm_bytes &&
        bytes <= core->config.ccm_bytes - offset) {
        at = core->config.ccm + offset;
    }
    return at;
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

bool core_read(struct core *core, uint32_t address, unsigned bytes,
               uint32_t *value)
{
    const uint8_t *at = memory_at(core, address, bytes);
    uint32_t offset;

    *value = 0;
    if (at == NULL && core_in_flash(core, address, &offset)) {
        core_flash_data(core, offset);
        at = core->config.flash + offset;
    }
    if (at != NULL) {
        memcpy(value, at, bytes);
        return true;
    }
    if (address - PRIVATE_BASE < PRIVATE_BYTES) {
        core_system_read(core, address, bytes, value);
        return true;
    }
    return bus_read(core, address, bytes, value);
}

bool core_write(struct core *core, uint32_t address, unsigned bytes,
                uint32_t value)
{
    uint8_t *at = memory_at(core, address, bytes);
    uint32_t offset;

    if (at != NULL) {
        memcpy(at, &value, bytes);
        return true;
    }
    if (address - PRIVATE_BASE < PRIVATE_BYTES) {
        core_system_write(core, address, bytes, value);
        return true;
    }
    return !core_in_flash(core, address, &offset) &&
           bus_write(core, address, bytes, value);
}

/* An unaligned access is two on the bus: a cycle more. Memory only. */
static void split(struct core *core, uint32_t address)
{
    if (is_device(address)) {
        core_stop(core, "unaligned access", address);
    }
    core->cycle += 1;
}

bool core_load(struct core *core, uint32_t address, unsigned bytes,
               uint32_t *value)
{
    uint32_t whole = 0;
    bool done = true;

    if ((address & (bytes - 1u)) == 0) {
        done = core_read(core, address, bytes, &whole);
    } else {
        split(core, address);
        for (unsigned i = 0; i < bytes && done; ++i) {
            uint32_t byte;

            done = core_read(core, address + i, 1, &byte);
            whole |= byte << 8 * i;
        }
    }
    if (done) {
        *value = whole;
    } else {
        core_bus_fault(core, address);
    }
    return done;
}

void core_store(struct core *core, uint32_t address, unsigned bytes,
                uint32_t value)
{
    bool done = true;

    if ((address & (bytes - 1u)) == 0) {
        done = core_write(core, address, bytes, value);
    } else {
        split(core, address);
        for (unsigned i = 0; i < bytes && done; ++i) {
            done = core_write(core, address + i, 1, value >> 8 * i & 255u);
        }
    }
    if (!done) {
        core_bus_fault_later(core);
    }
}

bool core_code_halfword(const struct core *core, uint32_t address,
                        uint32_t *half)
{
    uint32_t offset;

    if (!core_in_flash(core, address, &offset)) {
        return false;
    }
    *half = (uint32_t)core->config.flash[offset] |
            (uint32_t)core->config.flash[offset + 1u] << 8;
    return true;
}
