/* SPDX-License-Identifier: Apache-2.0 */
/* ADC1 with the temperature sensor and the internal reference (RM0090, 13):
   single conversions by software. */
#ifndef TEST_BOARDS_CHIP_ADC_H
#define TEST_BOARDS_CHIP_ADC_H

#include <stdbool.h>
#include <stdint.h>

struct chip;

struct adc {
    uint32_t sr;
    uint32_t cr1;
    uint32_t cr2;
    uint32_t smpr[2];
    uint32_t sqr[3];
    uint32_t dr;
    uint32_t ccr;      /* the common one */
    uint64_t on_fs;    /* when ADON was set: 3 us until it is stable */
    uint64_t sense_fs; /* when TSVREFE was set: 10 us */
};

void adc_reset(struct chip *chip);
uint32_t adc_read(struct chip *chip, unsigned offset);
void adc_write(struct chip *chip, unsigned offset, uint32_t value);
void adc_event(struct chip *chip);

/* What is in system memory: factory values (data sheet, 5.3.22 and 5.3.24). */
uint32_t adc_calibration(uint32_t address);

#endif
