/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/chip.h"

enum offset {
    KR = 0x00,
    PR = 0x04,
    RLR = 0x08,
    SR = 0x0c
};

#define KEY_UNLOCK 0x5555u
#define KEY_FEED 0xaaaau
#define KEY_START 0xccccu
#define UPDATE_CYCLES 5u /* of LSI (21.4.4) */

static uint64_t lsi_fs(const struct chip *chip, uint64_t cycles)
{
    return cycles * (FS_PER_S / chip->config.lsi_hz);
}

static void feed(struct chip *chip)
{
    const struct iwdg *iwdg = &chip->iwdg;

    if (iwdg->running) {
        chip_at(chip, CHIP_IWDG,
                chip_now_fs(chip) + lsi_fs(chip, (uint64_t)(iwdg->rlr + 1u)
                                                     << (2u + iwdg->pr)));
    }
}

static bool busy(const struct chip *chip, unsigned which)
{
    return chip->iwdg.busy_fs[which] > chip_now_fs(chip);
}

bool iwdg_read(struct chip *chip, unsigned index, unsigned offset,
               uint32_t *value)
{
    (void)index;
    *value = (uint32_t)busy(chip, 0) | (uint32_t)busy(chip, 1) << 1;
    return offset == SR;
}

static void write_key(struct chip *chip, uint32_t key)
{
    struct iwdg *iwdg = &chip->iwdg;

    iwdg->unlocked = key == KEY_UNLOCK;
    if (key == KEY_START) {
        iwdg->running = true;
    } else if (key != KEY_UNLOCK && key != KEY_FEED) {
        chip_complain(chip, "IWDG_KR %04x is none", key);
        return;
    }
    if (key != KEY_UNLOCK) {
        feed(chip);
    }
}

/* PR (0) or RLR (1). */
static void write_field(struct chip *chip, unsigned which, uint32_t value)
{
    struct iwdg *iwdg = &chip->iwdg;

    if (!iwdg->unlocked || busy(chip, which)) {
        chip_complain(chip, "IWDG: no key, or the last write is under way");
        return;
    }
    if (which == 0) {
        iwdg->pr = value & 7u;
    } else {
        iwdg->rlr = value & 0xfffu;
    }
    iwdg->busy_fs[which] = chip_now_fs(chip) + lsi_fs(chip, UPDATE_CYCLES);
}

bool iwdg_write(struct chip *chip, unsigned index, unsigned offset,
                uint32_t value)
{
    (void)index;
    if (offset == KR) {
        write_key(chip, value & 0xffffu);
    } else if (offset == PR || offset == RLR) {
        write_field(chip, offset == RLR, value);
    } else {
        return false;
    }
    return true;
}

void iwdg_event(struct chip *chip)
{
    chip_reset(chip, RCC_CSR_IWDGRSTF | RCC_CSR_PINRSTF);
}
