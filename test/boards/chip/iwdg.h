/* SPDX-License-Identifier: Apache-2.0 */
/* The independent watchdog (RM0090, 21). */
#ifndef TEST_BOARDS_CHIP_IWDG_H
#define TEST_BOARDS_CHIP_IWDG_H

#include <stdbool.h>
#include <stdint.h>

struct chip;

struct iwdg {
    uint32_t pr;
    uint32_t rlr;
    uint64_t busy_fs[2]; /* PVU, RVU: until then */
    bool unlocked;
    bool running;
};

void iwdg_reset(struct chip *chip);
uint32_t iwdg_read(struct chip *chip, unsigned offset);
void iwdg_write(struct chip *chip, unsigned offset, uint32_t value);
void iwdg_event(struct chip *chip);

#endif
