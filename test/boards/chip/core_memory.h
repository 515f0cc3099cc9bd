/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the processor's loads, stores and fetches find at an address. An access
 * that fails has raised its fault: the caller returns and changes nothing.
 *
 * The flash accelerator (RM0090, 3.5.2). The flash reads one line of 16 bytes
 * at a time, which takes wait_states + 1 cycles:
 *
 *   cycle       0   1   2   3   4   5   6   7
 *   no stall    [fetch]                        wait_states 0, or a hit
 *   a miss      [read line .......... ]        wait_states 5: 5 stalls
 *   prefetch                          [read the line behind it ...
 *
 * Instructions: the line that the last one came from is at hand; then the 64
 * lines of the cache, least recently used out first; then the prefetch buffer,
 * which begins to read the line behind the one that execution enters, unless
 * the cache has it. A line that execution enters is put into the cache,
 * wherever it came from. Data: 8 lines of cache; without it every read is one
 * of the flash. A read in flight is never broken off.
 */
#ifndef TEST_BOARDS_CHIP_CORE_MEMORY_H
#define TEST_BOARDS_CHIP_CORE_MEMORY_H

#include "test/boards/chip/core.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* bytes: 1, 2 or 4; any address. Wait cycles and stalls are charged. */
bool core_load(struct core *core, uint32_t address, unsigned bytes,
               uint32_t *value);

/* A store that nothing takes is a bus fault later: the instruction after it
   executes, too, unless it is a barrier. */
void core_store(struct core *core, uint32_t address, unsigned bytes,
                uint32_t value);

/* The same, aligned and without a fault: false if nothing answers. */
bool core_read(struct core *core, uint32_t address, unsigned bytes,
               uint32_t *value);
bool core_write(struct core *core, uint32_t address, unsigned bytes,
                uint32_t value);

/* Code of the flash, at an even address; false: nothing is fetched from there.
 */
bool core_code_halfword(const struct core *core, uint32_t address,
                        uint32_t *half);

/* Charges the stalls of fetching the instruction. */
void core_flash_fetch(struct core *core, const struct core_instruction *of);

/* Charges the stalls of reading data there; offset: into the flash. */
void core_flash_data(struct core *core, uint32_t offset);

/* Nothing is cached, nothing is in flight. */
void core_flash_reset(struct core *core);

/* Whether the address is the flash's; *offset: into it. */
static inline bool core_in_flash(const struct core *core, uint32_t address,
                                 uint32_t *offset)
{
    *offset = address >= CORE_FLASH_BASE ? address - CORE_FLASH_BASE : address;
    return *offset < core->config.flash_bytes;
}

/* Where `bytes` bytes from the address are, if they are all in RAM. */
static inline uint8_t *core_ram_at(const struct core *core, uint32_t address,
                                   uint32_t bytes)
{
    uint32_t offset = address - CORE_RAM_BASE;

    if (offset < core->config.ram_bytes &&
        bytes <= core->config.ram_bytes - offset) {
        return core->config.ram + offset;
    }
    return NULL;
}

/* The first, most frequent try: aligned, in RAM. */
static inline bool core_load_quick(struct core *core, uint32_t address,
                                   unsigned bytes, uint32_t *value)
{
    const uint8_t *at = core_ram_at(core, address, bytes);

    if (at == NULL || (address & (bytes - 1u)) != 0) {
        return core_load(core, address, bytes, value);
    }
    if (bytes == 4) {
        memcpy(value, at, 4);
    } else if (bytes == 2) {
        *value = (uint32_t)at[0] | (uint32_t)at[1] << 8;
    } else {
        *value = *at;
    }
    return true;
}

static inline void core_store_quick(struct core *core, uint32_t address,
                                    unsigned bytes, uint32_t value)
{
    uint8_t *at = core_ram_at(core, address, bytes);

    if (at == NULL || (address & (bytes - 1u)) != 0) {
        core_store(core, address, bytes, value);
    } else {
        /* Host and target are both little-endian. */
        memcpy(at, &value, bytes);
    }
}

#endif
