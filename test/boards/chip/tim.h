/* SPDX-License-Identifier: Apache-2.0 */
/* Timers 2 to 7, 10 and 11 (RM0090, 18 to 20): counting up, compare, and input
   capture of TIM11's channel 1 from the crystal (19.4.? OR, 7.2.12). */
#ifndef TEST_BOARDS_CHIP_TIM_H
#define TEST_BOARDS_CHIP_TIM_H

#include <stdbool.h>
#include <stdint.h>

struct chip;

enum tim_index {
    TIM_2,
    TIM_3,
    TIM_4,
    TIM_5,
    TIM_6,
    TIM_7,
    TIM_10,
    TIM_11,
    TIM_COUNT
};

struct tim {
    uint32_t cr1;
    uint32_t cr2;
    uint32_t smcr;
    uint32_t dier;
    uint32_t sr;
    uint32_t ccmr[2];
    uint32_t ccer;
    uint32_t psc;        /* as written */
    uint32_t psc_active; /* since the last update */
    uint32_t arr;
    uint32_t ccr[4];
    uint32_t option;
    uint32_t count;           /* at cycle `since` */
    uint64_t since;           /* of the processor */
    uint64_t capture_from_fs; /* when the input was enabled; 0: it is not */
    uint64_t captured;        /* edges that were read */
};

void tim_reset(struct chip *chip, unsigned index);
uint32_t tim_read(struct chip *chip, unsigned index, unsigned offset);
void tim_write(struct chip *chip, unsigned index, unsigned offset,
               uint32_t value);
void tim_event(struct chip *chip, unsigned index);

/* The clock is about to change, and has changed. */
void tim_hold(struct chip *chip, unsigned index);
void tim_retime(struct chip *chip, unsigned index);

#endif
