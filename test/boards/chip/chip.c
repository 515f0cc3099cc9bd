/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/chip.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEM_MEMORY 0x1fff0000u
#define SYSTEM_MEMORY_END 0x1fff7a10u
#define UID 0x1fff7a10u
#define FLASH_SIZE 0x1fff7a22u
#define DBGMCU 0xe0042000u
#define IDCODE 0x10076413u /* 38.6.1: STM32F405, revision 1007 */
#define PWR_CR_RESET 0x00004000u

/* Cycles of an access beyond one to RAM, on AHB and through a bridge: an
   estimate from its two clocks, since no manual tells. */
#define AHB_WAIT 1u
#define APB_WAIT 2u /* and two of the bus's own clocks */

/* ---- time ---- */

uint64_t chip_now_fs(const struct chip *chip)
{
    return rcc_fs_of(&chip->rcc, chip->core.cycle);
}

uint64_t chip_cycles_fs(const struct chip *chip, uint64_t cycles)
{
    const struct rcc *rcc = &chip->rcc;

    return rcc_fs_of(rcc, rcc->anchor_cycle + cycles) - rcc->anchor_fs;
}

static void find_next(struct chip *chip)
{
    chip->next_fs = CHIP_NEVER;
    for (unsigned i = 0; i < CHIP_EVENTS; ++i) {
        if (chip->due_fs[i] < chip->next_fs) {
            chip->next_fs = chip->due_fs[i];
        }
    }
}

void chip_at(struct chip *chip, unsigned event, uint64_t at_fs)
{
    uint64_t before = chip->due_fs[event];
    uint64_t cycle;

    chip->due_fs[event] = at_fs;
    if (at_fs < chip->next_fs) {
        chip->next_fs = at_fs;
        cycle = rcc_cycle_of(&chip->rcc, at_fs);
        if (cycle < chip->core.until) {
            chip->core.until = cycle;
        }
    } else if (before == chip->next_fs && at_fs != before) {
        find_next(chip);
    }
}

static void call(struct chip *chip, unsigned event)
{
    chip->due_fs[event] = CHIP_NEVER;
    if (event >= CHIP_IDLE) {
        usart_idle(chip, event - CHIP_IDLE);
    } else if (event >= CHIP_RECEIVED) {
        usart_received(chip, event - CHIP_RECEIVED);
    } else if (event >= CHIP_SENT) {
        usart_sent(chip, event - CHIP_SENT);
    } else if (event >= CHIP_TIM) {
        tim_event(chip, event - CHIP_TIM);
    } else if (event == CHIP_ADC) {
        adc_event(chip);
    } else if (event == CHIP_IWDG) {
        iwdg_event(chip);
    } else {
        rcc_event(chip, event);
    }
}

/* Everything that is due, the earliest first. */
static void call_due(struct chip *chip)
{
    uint64_t now_fs = chip_now_fs(chip);

    while (chip->next_fs <= now_fs) {
        for (unsigned i = 0; i < CHIP_EVENTS; ++i) {
            if (chip->due_fs[i] == chip->next_fs) {
                call(chip, i);
                break;
            }
        }
        find_next(chip);
    }
}

/* ---- complaints ---- */

static void keep(struct chip *chip, const char *text, uint32_t pc)
{
    for (unsigned i = 0; i < chip->complaints && i < CHIP_COMPLAINTS; ++i) {
        if (strcmp(chip->complaint[i].text, text) == 0) {
            chip->complaint[i].count += 1;
            return;
        }
    }
    if (chip->complaints < CHIP_COMPLAINTS) {
        struct chip_complaint *c = &chip->complaint[chip->complaints];

        snprintf(c->text, sizeof c->text, "%s", text);
        c->pc = pc;
        c->at_fs = chip_now_fs(chip);
        c->count = 1;
    }
    chip->complaints += 1;
}

void chip_complain(struct chip *chip, const char *format, ...)
{
    char text[CHIP_COMPLAINT_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    keep(chip, text, chip->core.r[15]);
}

/* 7.2: after the enabling write, two cycles of the device's bus pass until its
   registers may be used. */
bool chip_clocked(struct chip *chip, unsigned offset, unsigned bit,
                  const char *name)
{
    const struct rcc *rcc = &chip->rcc;
    unsigned cycles = 2;

    if ((rcc->reg[offset / 4] >> bit & 1u) == 0) {
        chip_complain(chip, "%s is used without its clock", name);
        return false;
    }
    if (offset != RCC_AHB1ENR) {
        cycles *= rcc_bus_cycles(rcc, offset == RCC_APB2ENR);
    }
    if (chip_now_fs(chip) - rcc->enabled_fs[offset / 4] <
        chip_cycles_fs(chip, cycles)) {
        chip_complain(chip, "%s is used at once after its clock's start", name);
    }
    return true;
}

/* ---- the bus (2.3) ---- */

static bool is_gpio(uint32_t address)
{
    return address >= 0x40020000u &&
           address < 0x40020000u + GPIO_COUNT * 0x400u;
}

static int usart_at(uint32_t address)
{
    static const uint32_t bases[USART_COUNT] = {
        0x40011000, 0x40004400, 0x40004800, 0x40004c00, 0x40005000, 0x40011400};

    for (unsigned i = 0; i < USART_COUNT; ++i) {
        if ((address & ~0x3ffu) == bases[i]) {
            return (int)i;
        }
    }
    return -1;
}

static int tim_at(uint32_t address)
{
    static const uint32_t bases[TIM_COUNT] = {
        [TIM_2] = 0x40000000,  [TIM_3] = 0x40000400, [TIM_4] = 0x40000800,
        [TIM_5] = 0x40000c00,  [TIM_6] = 0x40001000, [TIM_7] = 0x40001400,
        [TIM_10] = 0x40014400, [TIM_11] = 0x40014800};

    for (unsigned i = 0; i < TIM_COUNT; ++i) {
        if ((address & ~0x3ffu) == bases[i]) {
            return (int)i;
        }
    }
    return -1;
}

/* What is read here and never written. */
static bool read_memory(const struct chip *chip, uint32_t address,
                        uint32_t *value)
{
    if (address >= UID && address < UID + 12) {
        *value = chip->config.uid[(address - UID) / 4];
        return true;
    }
    if (address >= SYSTEM_MEMORY && address < SYSTEM_MEMORY + 0x7c00u) {
        *value = address < SYSTEM_MEMORY_END
                     ? 0
                     : adc_calibration(address) | adc_calibration(address + 2)
                                                      << 16;
        if (address == (FLASH_SIZE & ~3u)) {
            *value = CHIP_FLASH_BYTES / 1024 << 16;
        }
        return true;
    }
    return false;
}

static bool read_system(struct chip *chip, uint32_t address, uint32_t *value)
{
    if (address >= 0x40007000u && address < 0x40007400u) {
        if (chip_clocked(chip, RCC_APB1ENR, 28, "PWR")) {
            *value = (address & 0xffu) == 0 ? chip->pwr_cr : 0x4000u;
        }
        return true;
    }
    if (address >= 0x40003000u && address < 0x40003400u) {
        *value = iwdg_read(chip, address & 0x3ffu);
        return true;
    }
    if (address >= 0x40012000u && address < 0x40012400u) {
        if (chip_clocked(chip, RCC_APB2ENR, 8, "ADC1")) {
            *value = adc_read(chip, address & 0x3ffu);
        }
        return true;
    }
    if (address >= 0x40023800u && address < 0x40023c00u) {
        *value = rcc_read(chip, address & 0x3ffu);
        return true;
    }
    if (address == 0x40023c00u) {
        *value = chip->rcc.flash_acr;
        return true;
    }
    if (address >= DBGMCU && address < DBGMCU + 16) {
        *value =
            address == DBGMCU ? IDCODE : chip->dbgmcu[(address - DBGMCU) / 4];
        return true;
    }
    return read_memory(chip, address, value);
}

static bool read_word(struct chip *chip, uint32_t address, uint32_t *value)
{
    int usart = usart_at(address);
    int tim = tim_at(address);
    unsigned offset = address & 0x3ffu;

    *value = 0;
    if (usart >= 0) {
        *value = usart_read(chip, (unsigned)usart, offset);
        return true;
    }
    if (tim >= 0) {
        *value = tim_read(chip, (unsigned)tim, offset);
        return true;
    }
    if (is_gpio(address)) {
        unsigned port = (address - 0x40020000u) / 0x400u;
        const char name[] = {'G', 'P', 'I', 'O', (char)('A' + port), '\0'};

        if (chip_clocked(chip, RCC_AHB1ENR, port, name)) {
            *value = gpio_read(chip, port, offset);
        }
        return true;
    }
    if (address >= 0x40026000u && address < 0x40026800u) {
        *value = dma_read(chip, (address - 0x40026000u) / 0x400u, offset);
        return true;
    }
    return read_system(chip, address, value);
}

/* FLASH_ACR (3.9.1): caches are flushed while they are off. */
static void write_acr(struct chip *chip, uint32_t value)
{
    struct core_flash flash = {.wait_states = value & 7u,
                               .prefetch = (value >> 8 & 1u) != 0,
                               .instruction_cache = (value >> 9 & 1u) != 0,
                               .data_cache = (value >> 10 & 1u) != 0};

    if (((value >> 11 & 1u) != 0 && flash.instruction_cache) ||
        ((value >> 12 & 1u) != 0 && flash.data_cache)) {
        chip_complain(chip, "FLASH_ACR: a cache is flushed while it is on");
    }
    chip->rcc.flash_acr = value & 0x1f07u;
    core_set_flash(&chip->core, &flash);
    core_flush(&chip->core, (value >> 11 & 1u) != 0, (value >> 12 & 1u) != 0);
    rcc_check(chip);
}

static bool write_system(struct chip *chip, uint32_t address, uint32_t value)
{
    if (address >= 0x40007000u && address < 0x40007400u) {
        if (chip_clocked(chip, RCC_APB1ENR, 28, "PWR") &&
            (address & 0xffu) == 0) {
            chip->pwr_cr = value;
            rcc_check(chip);
        }
        return true;
    }
    if (address >= 0x40003000u && address < 0x40003400u) {
        iwdg_write(chip, address & 0x3ffu, value);
        return true;
    }
    if (address >= 0x40012000u && address < 0x40012400u) {
        if (chip_clocked(chip, RCC_APB2ENR, 8, "ADC1")) {
            adc_write(chip, address & 0x3ffu, value);
        }
        return true;
    }
    if (address >= 0x40023800u && address < 0x40023c00u) {
        rcc_write(chip, address & 0x3ffu, value);
        return true;
    }
    if (address == 0x40023c00u) {
        write_acr(chip, value);
        return true;
    }
    if (address > DBGMCU && address < DBGMCU + 16) {
        chip->dbgmcu[(address - DBGMCU) / 4] = value;
        return true;
    }
    return false;
}

static bool write_word(struct chip *chip, uint32_t address, uint32_t value)
{
    int usart = usart_at(address);
    int tim = tim_at(address);
    unsigned offset = address & 0x3ffu;

    if (usart >= 0) {
        usart_write(chip, (unsigned)usart, offset, value);
        return true;
    }
    if (tim >= 0) {
        tim_write(chip, (unsigned)tim, offset, value);
        return true;
    }
    if (is_gpio(address)) {
        unsigned port = (address - 0x40020000u) / 0x400u;
        const char name[] = {'G', 'P', 'I', 'O', (char)('A' + port), '\0'};

        if (chip_clocked(chip, RCC_AHB1ENR, port, name)) {
            gpio_write(chip, port, offset, value);
        }
        return true;
    }
    if (address >= 0x40026000u && address < 0x40026800u) {
        dma_write(chip, (address - 0x40026000u) / 0x400u, offset, value);
        return true;
    }
    return write_system(chip, address, value);
}

static unsigned wait_of(const struct chip *chip, uint32_t address)
{
    if (address < 0x40000000u || address >= 0x40020000u) {
        return AHB_WAIT;
    }
    return APB_WAIT + 2u * rcc_bus_cycles(&chip->rcc, address >= 0x40010000u);
}

/* Smaller reads see their part of the word. */
static bool bus_read(void *context, uint32_t address, unsigned bytes,
                     uint32_t *value, unsigned *wait)
{
    struct chip *chip = context;

    *wait = wait_of(chip, address);
    if (!read_word(chip, address & ~3u, value)) {
        chip_complain(chip, "nothing is at %08x", address);
        return false;
    }
    *value >>= 8 * (address & 3u);
    if (bytes < 4) {
        *value &= (1u << 8 * bytes) - 1u;
    }
    return true;
}

static bool bus_write(void *context, uint32_t address, unsigned bytes,
                      uint32_t value, unsigned *wait)
{
    struct chip *chip = context;

    *wait = AHB_WAIT; /* buffered */
    if (bytes < 4 && usart_at(address) < 0) {
        chip_complain(chip, "a write of %u bytes at %08x", bytes, address);
    }
    if (!write_word(chip, address & ~3u, value)) {
        chip_complain(chip, "nothing is at %08x", address);
        return false;
    }
    return true;
}

uint8_t *chip_dma_memory(struct chip *chip, uint32_t address, unsigned bytes,
                         bool write)
{
    if (address >= CORE_RAM_BASE &&
        address - CORE_RAM_BASE + bytes <= CHIP_RAM_BYTES) {
        return chip->ram + (address - CORE_RAM_BASE);
    }
    if (!write && address >= CORE_FLASH_BASE &&
        address - CORE_FLASH_BASE + bytes <= CHIP_FLASH_BYTES) {
        return chip->flash + (address - CORE_FLASH_BASE);
    }
    return NULL;
}

static void bus_mark(void *context, uint32_t address)
{
    struct chip *chip = context;

    chip->config.mark(chip->config.context, address, chip_now_fs(chip));
}

/* ---- life ---- */

bool chip_init(struct chip *chip, const struct chip_config *config,
               const uint8_t *image, uint32_t bytes)
{
    struct core_config core = {.flash_bytes = CHIP_FLASH_BYTES,
                               .ram_bytes = CHIP_RAM_BYTES,
                               .ccm_bytes = CHIP_CCM_BYTES,
                               .bus = {bus_read, bus_write, chip, bus_mark}};

    memset(chip, 0, sizeof *chip);
    chip->config = *config;
    chip->flash = malloc(CHIP_FLASH_BYTES);
    chip->ram = malloc(CHIP_RAM_BYTES);
    chip->ccm = malloc(CHIP_CCM_BYTES);
    if (chip->flash == NULL || chip->ram == NULL || chip->ccm == NULL ||
        bytes > CHIP_FLASH_BYTES) {
        chip_free(chip);
        return false;
    }
    memset(chip->flash, 0xff, CHIP_FLASH_BYTES);
    memcpy(chip->flash, image, bytes);
    core.flash = chip->flash;
    core.ram = chip->ram;
    core.ccm = chip->ccm;
    core_init(&chip->core, &core);
    return true;
}

void chip_free(struct chip *chip)
{
    free(chip->flash);
    free(chip->ram);
    free(chip->ccm);
    chip->flash = NULL;
    chip->ram = NULL;
    chip->ccm = NULL;
}

/* What a reset sets anew; IWDG and flags of RCC_CSR know why. */
static void reset_devices(struct chip *chip, uint32_t flags, bool power)
{
    for (unsigned i = 0; i < CHIP_EVENTS; ++i) {
        chip->due_fs[i] = CHIP_NEVER;
    }
    chip->next_fs = CHIP_NEVER;
    rcc_reset(chip, flags, power);
    for (unsigned i = 0; i < GPIO_COUNT; ++i) {
        gpio_reset(chip, i);
    }
    for (unsigned i = 0; i < USART_COUNT; ++i) {
        usart_reset(chip, i);
    }
    for (unsigned i = 0; i < DMA_COUNT; ++i) {
        dma_reset(chip, i);
    }
    for (unsigned i = 0; i < TIM_COUNT; ++i) {
        tim_reset(chip, i);
    }
    for (unsigned irq = 0; irq < CORE_IRQS; ++irq) {
        core_set_irq(&chip->core, irq, false);
    }
    iwdg_reset(chip);
    adc_reset(chip);
    chip->pwr_cr = PWR_CR_RESET;
    memset(chip->dbgmcu, 0, sizeof chip->dbgmcu);
}

void chip_reset(struct chip *chip, uint32_t flags)
{
    const struct core_flash slow = {0};

    chip->resets += 1;
    reset_devices(chip, flags, false);
    core_set_flash(&chip->core, &slow);
    core_flush(&chip->core, true, true);
    core_reset(&chip->core);
}

/* What SRAM holds at power-on is anybody's guess. */
static void fill(uint8_t *memory, uint32_t bytes, uint32_t *seed)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        *seed = *seed * 1664525u + 1013904223u;
        memory[i] = (uint8_t)(*seed >> 24);
    }
}

void chip_power_on(struct chip *chip, uint64_t at_fs)
{
    uint32_t seed = chip->config.seed;

    fill(chip->ram, CHIP_RAM_BYTES, &seed);
    fill(chip->ccm, CHIP_CCM_BYTES, &seed);
    chip->powered = true;
    chip->rcc.anchor_fs = at_fs;
    chip->rcc.anchor_cycle = chip->core.cycle;
    chip->rcc.core_uhz = 1;
    reset_devices(chip, RCC_CSR_PORRSTF | RCC_CSR_BORRSTF | RCC_CSR_PINRSTF,
                  true);
    core_reset(&chip->core);
}

void chip_power_off(struct chip *chip)
{
    chip->powered = false;
}

void chip_reset_pin(struct chip *chip)
{
    chip_reset(chip, RCC_CSR_PINRSTF);
}

void chip_run(struct chip *chip, uint64_t until_fs)
{
    while (chip->powered && chip_now_fs(chip) < until_fs) {
        uint64_t to_fs = chip->next_fs < until_fs ? chip->next_fs : until_fs;
        uint64_t cycle = rcc_cycle_of(&chip->rcc, to_fs);
        enum core_event event = core_run(&chip->core, cycle);

        if (event == CORE_RESETS) {
            chip_reset(chip, RCC_CSR_SFTRSTF | RCC_CSR_PINRSTF);
        } else if (event == CORE_LOCKED_UP) {
            chip_complain(chip, "the processor is locked up");
            chip->core.cycle = cycle;
        }
        call_due(chip);
    }
}

void chip_receive(struct chip *chip, unsigned pin, uint8_t byte, bool damaged,
                  uint64_t start_fs, uint64_t bit_fs)
{
    const struct usart_frame frame = {.start_fs = start_fs,
                                      .bit_fs = bit_fs,
                                      .byte = byte,
                                      .damaged = damaged};
    int usart = chip->powered ? gpio_rx_usart(chip, pin) : -1;

    if (usart >= 0) {
        usart_frame(chip, (unsigned)usart, &frame);
    }
}

uint64_t chip_wakes_fs(const struct chip *chip)
{
    const struct core *core = &chip->core;
    uint64_t tick_fs = CHIP_NEVER;

    if (!chip->powered) {
        return CHIP_NEVER;
    }
    if (!core->sleeping) {
        return chip_now_fs(chip);
    }
    if (core->system.tick_zero_at != 0) {
        tick_fs = rcc_fs_of(&chip->rcc, core->system.tick_zero_at);
    }
    return tick_fs < chip->next_fs ? tick_fs : chip->next_fs;
}
