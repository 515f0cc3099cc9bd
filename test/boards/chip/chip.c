/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/chip.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FACTORY 0x1fff7800u /* the part of system memory that is read */
#define UID 0x210u          /* offsets there */
#define CALIBRATION 0x228u
/* Indices of small_at(). */
enum small {
    FLASH,
    POWER,
    DBGMCU
};

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
    } else if (event == CHIP_TIM2) {
        tim2_event(chip);
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
    for (unsigned i = 0; i < chip->complaints; ++i) {
        if (strcmp(chip->complaint[i].text, text) == 0) {
            return;
        }
    }
    if (chip->complaints < CHIP_COMPLAINTS) {
        struct chip_complaint *c = &chip->complaint[chip->complaints++];

        snprintf(c->text, sizeof c->text, "%s", text);
        c->pc = pc;
    }
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

/* ---- devices of a register or two ---- */

/* FLASH_ACR (3.9.1). Bits that flush the caches are not modelled. */
static bool set_acr(struct chip *chip, uint32_t value)
{
    struct core_flash flash = {.wait_states = value & 7u,
                               .prefetch = (value >> 8 & 1u) != 0,
                               .instruction_cache = (value >> 9 & 1u) != 0,
                               .data_cache = (value >> 10 & 1u) != 0};

    chip->rcc.flash_acr = value;
    core_set_flash(&chip->core, &flash);
    return (value & ~0x707u) == 0;
}

/* FLASH_ACR, PWR_CR (5.4.1); DBGMCU's. NULL: there is none. */
static uint32_t *small_at(struct chip *chip, unsigned index, unsigned offset)
{
    if (index == DBGMCU) {
        return offset == 4 || offset == 8 ? &chip->dbgmcu[offset / 4] : NULL;
    }
    if (offset != 0) {
        return NULL;
    }
    return index == FLASH ? &chip->rcc.flash_acr : &chip->pwr_cr;
}

static bool small_read(struct chip *chip, unsigned index, unsigned offset,
                       uint32_t *value)
{
    const uint32_t *reg = small_at(chip, index, offset);

    return device_give(reg, value);
}

static bool small_write(struct chip *chip, unsigned index, unsigned offset,
                        uint32_t value)
{
    uint32_t *reg = small_at(chip, index, offset);
    bool known = reg != NULL;

    if (known) {
        *reg = value;
        known = index != FLASH || set_acr(chip, value);
        rcc_check(chip);
    }
    return known;
}

/* System memory: the chip's number (39.1) and the ADC's calibration. */
static bool factory_read(struct chip *chip, unsigned index, unsigned offset,
                         uint32_t *value)
{
    uint32_t address = FACTORY + offset;

    (void)index;
    if (offset >= UID && offset < UID + 12) {
        *value = chip->config.uid[(offset - UID) / 4];
        return true;
    }
    *value = adc_calibration(address) | adc_calibration(address + 2) << 16;
    return offset >= CALIBRATION && offset < CALIBRATION + 8;
}

/* ---- the bus (2.3) ---- */

#define NO_BIT 0xffu /* its clock is always on */

struct device {
    uint32_t base; /* of 1 KB */
    uint8_t bus;
    uint8_t bit; /* of the bus's ENR (7.3.10 to 7.3.14) */
    uint8_t index;
    const char *name;
    device_read *read;
    device_write *write;
};

static const struct device devices[] = {
    {0x40000000, RCC_APB1, 0, 0, "TIM2", tim2_read, tim2_write},
    {0x40026000, RCC_AHB1, 21, 0, "DMA1", dma_read, dma_write},
    {0x40026400, RCC_AHB1, 22, 1, "DMA2", dma_read, dma_write},
    {0x40011000, RCC_APB2, 4, 0, "USART1", usart_read, usart_write},
    {0x40004400, RCC_APB1, 17, 1, "USART2", usart_read, usart_write},
    {0x40004800, RCC_APB1, 18, 2, "USART3", usart_read, usart_write},
    {0x40004c00, RCC_APB1, 19, 3, "UART4", usart_read, usart_write},
    {0x40005000, RCC_APB1, 20, 4, "UART5", usart_read, usart_write},
    {0x40011400, RCC_APB2, 5, 5, "USART6", usart_read, usart_write},
    {0x40003000, RCC_APB1, NO_BIT, 0, "IWDG", iwdg_read, iwdg_write},
    {0x40012000, RCC_APB2, 8, 0, "ADC1", adc_read, adc_write},
    {0x40020000, RCC_AHB1, 0, 0, "GPIOA", gpio_read, gpio_write},
    {0x40020400, RCC_AHB1, 1, 1, "GPIOB", gpio_read, gpio_write},
    {0x40020800, RCC_AHB1, 2, 2, "GPIOC", gpio_read, gpio_write},
    {0x40020c00, RCC_AHB1, 3, 3, "GPIOD", gpio_read, gpio_write},
    {0x40021000, RCC_AHB1, 4, 4, "GPIOE", gpio_read, gpio_write},
    {0x40014800, RCC_APB2, 18, 0, "TIM11", tim11_read, tim11_write},
    {0x40023800, RCC_AHB1, NO_BIT, 0, "RCC", rcc_read, rcc_write},
    {0x40023c00, RCC_AHB1, NO_BIT, FLASH, "FLASH", small_read, small_write},
    {0x40007000, RCC_APB1, 28, POWER, "PWR", small_read, small_write},
    {0xe0042000, RCC_AHB1, NO_BIT, DBGMCU, "DBGMCU", small_read, small_write},
    {FACTORY, RCC_AHB1, NO_BIT, 0, "system memory", factory_read, NULL},
};

static const struct device *device_at(uint32_t address)
{
    for (unsigned i = 0; i < sizeof devices / sizeof *devices; ++i) {
        if ((address & ~0x3ffu) == devices[i].base) {
            return &devices[i];
        }
    }
    return NULL;
}

/* 7.2: after the enabling write, two cycles of the device's bus pass until its
   registers may be used. */
static bool is_clocked(struct chip *chip, const struct device *device)
{
    const struct rcc *rcc = &chip->rcc;

    if (device->bit == NO_BIT) {
        return true;
    }
    if ((rcc->enr[device->bus] >> device->bit & 1u) == 0) {
        chip_complain(chip, "%s is used without its clock", device->name);
        return false;
    }
    if (chip_now_fs(chip) - rcc->enabled_fs[device->bus] <
        chip_cycles_fs(chip, 2u * rcc->divider[device->bus])) {
        chip_complain(chip, "%s is used at once after its clock's start",
                      device->name);
    }
    return true;
}

/* Smaller reads see their part of the word. */
static bool bus_read(void *context, uint32_t address, unsigned bytes,
                     uint32_t *value, unsigned *wait)
{
    struct chip *chip = context;
    const struct device *device = device_at(address);

    *value = 0;
    *wait = device == NULL || device->bus == RCC_AHB1
                ? AHB_WAIT
                : APB_WAIT + 2u * chip->rcc.divider[device->bus];
    if (device != NULL && !is_clocked(chip, device)) {
        return true;
    }
    if (device == NULL ||
        !device->read(chip, device->index, address & 0x3fcu, value)) {
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
    const struct device *device = device_at(address);

    *wait = AHB_WAIT; /* buffered */
    if (bytes < 4) {
        chip_complain(chip, "a write of %u bytes at %08x", bytes, address);
    }
    if (device != NULL && !is_clocked(chip, device)) {
        return true;
    }
    if (device == NULL || device->write == NULL ||
        !device->write(chip, device->index, address & 0x3fcu, value)) {
        chip_complain(chip, "nothing is at %08x for %08x", address, value);
        return false;
    }
    return true;
}

uint8_t *chip_dma_memory(struct chip *chip, uint32_t address)
{
    uint32_t at = address - CORE_RAM_BASE;

    return at < CHIP_RAM_BYTES ? chip->ram + at : NULL;
}

/* ---- life ---- */

void chip_init(struct chip *chip, const struct chip_config *config,
               const uint8_t *flash)
{
    struct core_config core = {.flash = flash,
                               .flash_bytes = CHIP_FLASH_BYTES,
                               .ram = chip->ram,
                               .ram_bytes = CHIP_RAM_BYTES,
                               .ccm = chip->ccm,
                               .ccm_bytes = CHIP_CCM_BYTES,
                               .bus = {bus_read, bus_write, chip},
                               .marks = config->marks,
                               .passed = config->passed,
                               .context = config->context};

    memset(chip, 0, sizeof *chip);
    chip->config = *config;
    core_init(&chip->core, &core);
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
    tim2_reset(chip);
    for (unsigned irq = 0; irq < CORE_IRQS; ++irq) {
        core_set_irq(&chip->core, irq, false);
    }
    memset(chip->dma, 0, sizeof chip->dma);
    chip->tim11 = (struct tim11){0};
    chip->iwdg = (struct iwdg){.rlr = 0xfff};
    chip->adc = (struct adc){0};
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

/* A result that is not the chip's must not come of it. */
static _Noreturn void give_up(const struct core *core)
{
    fprintf(stderr, "the model has no %s %08x, at %08x\n", core->missing,
            (unsigned)core->missing_which, (unsigned)core->missing_pc);
    exit(EXIT_FAILURE);
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
        } else if (event == CORE_STOPS) {
            give_up(&chip->core);
        }
        call_due(chip);
    }
}

void chip_receive(struct chip *chip, unsigned pin, uint8_t byte,
                  uint64_t start_fs, uint64_t bit_fs)
{
    const struct usart_frame frame = {start_fs, bit_fs, byte};
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
