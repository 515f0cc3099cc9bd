/* SPDX-License-Identifier: Apache-2.0 */
/* See RM0090, chapter 13; factory's values: data sheet, 5.3.22 and 5.3.24. */
#include "hal/stm32f405/sensor.h"

#include "hal/serial/board.h"
#include "hal/stm32f405/registers.h"
#include "hal/switch/peek.h"

#define CHANNEL_SENSOR 16u
#define CHANNEL_REFERENCE 17u
#define CALIBRATED_MV 3300u
#define COLD_CELSIUS 30
#define HOT_CELSIUS 110

/* 480 cycles at 21 MHz or less take 23 us or more; both channels need 10 us. */
#define SAMPLE_480 7u
#define SAMPLES                                                                \
    (SAMPLE_480 << 3 * (CHANNEL_SENSOR - 10u) |                                \
     SAMPLE_480 << 3 * (CHANNEL_REFERENCE - 10u))

/* Last results of the ADC, 12 bits; 0: none yet. */
static struct {
    volatile uint16_t sensor;
    volatile uint16_t reference;
} last;

static uint32_t factory(uintptr_t address)
{
    return *(const volatile uint16_t *)address;
}

void sensor_start(void)
{
    RCC->APB2ENR |= RCC_APB2ENR_ADC1EN;
    (void)RCC->APB2ENR; /* the clock arrives two cycles late (7.3) */
    ADC_CCR = ADC_CCR_ADCPRE_DIV4 | ADC_CCR_TSVREFE;
    ADC1->SMPR1 = SAMPLES;
    ADC1->SQR3 = CHANNEL_REFERENCE;
    ADC1->CR2 = ADC_CR2_ADON;
}

/* The first tick comes later than the 10 us that the sensor needs to start. */
void sensor_tick(void)
{
    if ((ADC1->SR & ADC_SR_EOC) != 0) {
        uint16_t code = (uint16_t)ADC1->DR;

        if (ADC1->SQR3 == CHANNEL_SENSOR) {
            last.sensor = code;
            ADC1->SQR3 = CHANNEL_REFERENCE;
        } else {
            last.reference = code;
            ADC1->SQR3 = CHANNEL_SENSOR;
        }
    }
    ADC1->CR2 |= ADC_CR2_SWSTART;
}

static int16_t celsius_of(uint32_t sensor, uint32_t reference)
{
    int32_t cold = (int32_t)factory(TS_CAL1);
    int32_t span = (int32_t)factory(TS_CAL2) - cold;
    /* The sensor's code at a supply of 3.3 V. */
    int32_t code = (int32_t)(sensor * factory(VREFIN_CAL) / reference);

    return span > 0
               ? (int16_t)((code - cold) * (HOT_CELSIUS - COLD_CELSIUS) / span +
                           COLD_CELSIUS)
               : PEEK_NO_CELSIUS;
}

/* Reads the factory's values only if there are results: QEMU has none. */
void board_measure(uint16_t *supply_mv, int16_t *celsius)
{
    uint32_t sensor = last.sensor;
    uint32_t reference = last.reference;

    *supply_mv = 0;
    *celsius = PEEK_NO_CELSIUS;
    if (reference > 0) {
        *supply_mv =
            (uint16_t)(CALIBRATED_MV * factory(VREFIN_CAL) / reference);
    }
    if (sensor > 0 && reference > 0) {
        *celsius = celsius_of(sensor, reference);
    }
}
