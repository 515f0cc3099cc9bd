/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/chip.h"

enum offset {
    SR = 0x00,
    CR2 = 0x08,
    SMPR1 = 0x0c,
    SQR3 = 0x34,
    DR = 0x4c,
    COMMON_CCR = 0x304
};

#define SR_EOC (1u << 1)
#define CR2_ADON (1u << 0)
#define CR2_SWSTART (1u << 30)
#define CCR_TSVREFE (1u << 23)
#define CHANNEL_SENSOR 16u
#define CHANNEL_REFERENCE 17u
#define CLOCK_HZ_MAX 36000000u     /* data sheet, table 67 */
#define SAMPLE_NS 9900u            /* 5.3.22: 10 us, 1 % less */
#define START_FS (10u * FS_PER_US) /* the same, until the sensor is stable */
#define REFERENCE_MV 1210u         /* 5.3.24 */
#define CALIBRATED_MV 3300u
#define FULL 4095u

/* 5.3.22: 0.76 V at 25 degrees, 2.5 mV a degree; in uV. */
static uint32_t sensor_uv(int celsius)
{
    return (uint32_t)(760000 + 2500 * (celsius - 25));
}

static uint32_t code_of(uint32_t uv, uint32_t supply_mv)
{
    return (uint32_t)(((uint64_t)uv * FULL + supply_mv * 500u) /
                      (supply_mv * 1000u));
}

uint32_t adc_calibration(uint32_t address)
{
    switch (address) {
    case 0x1fff7a2a:
        return code_of(REFERENCE_MV * 1000u, CALIBRATED_MV);
    case 0x1fff7a2c:
        return code_of(sensor_uv(30), CALIBRATED_MV);
    case 0x1fff7a2e:
        return code_of(sensor_uv(110), CALIBRATED_MV);
    default:
        return 0xffff;
    }
}

/* What the manual wants when a conversion starts: the clock's limit, a sensor
   that has started, and 10 us of sampling. */
static void check(struct chip *chip, unsigned channel)
{
    static const uint16_t cycles[] = {3, 15, 28, 56, 84, 112, 144, 480};
    const struct adc *adc = &chip->adc;
    uint64_t divider = 2u * ((adc->ccr >> 16 & 3u) + 1u);
    uint64_t clock_fs =
        chip_cycles_fs(chip, chip->rcc.divider[RCC_APB2] * divider);
    unsigned sampling = cycles[adc->smpr1 >> 3 * (channel - 10u) & 7u];

    if ((adc->cr2 & CR2_ADON) == 0 || (adc->ccr & CCR_TSVREFE) == 0 ||
        chip_now_fs(chip) < adc->on_fs + START_FS) {
        chip_complain(chip, "the ADC and its sensor are not on for 10 us");
    }
    if (FS_PER_S / clock_fs > CLOCK_HZ_MAX ||
        sampling * clock_fs < SAMPLE_NS * (FS_PER_US / 1000u)) {
        chip_complain(chip, "the ADC's clock is too fast");
    }
}

/* The result is there at once: who starts a conversion looks for it much
   later. */
static void convert(struct chip *chip)
{
    struct adc *adc = &chip->adc;
    unsigned channel = adc->sqr3 & 0x1fu;

    if (channel != CHANNEL_SENSOR && channel != CHANNEL_REFERENCE) {
        chip_complain(chip, "the ADC has no channel %u here", channel);
        return;
    }
    check(chip, channel);
    adc->dr =
        code_of(channel == CHANNEL_SENSOR ? sensor_uv(chip->config.celsius)
                                          : REFERENCE_MV * 1000u,
                chip->config.supply_mv);
    adc->sr |= SR_EOC;
}

static uint32_t *at(struct adc *adc, unsigned offset)
{
    switch (offset) {
    case SR:
        return &adc->sr;
    case CR2:
        return &adc->cr2;
    case SMPR1:
        return &adc->smpr1;
    case SQR3:
        return &adc->sqr3;
    case DR:
        return &adc->dr;
    case COMMON_CCR:
        return &adc->ccr;
    default:
        return NULL;
    }
}

bool adc_read(struct chip *chip, unsigned index, unsigned offset,
              uint32_t *value)
{
    const uint32_t *reg = at(&chip->adc, offset);

    (void)index;
    if (reg == NULL) {
        return false;
    }
    *value = *reg;
    if (offset == DR) {
        chip->adc.sr &= ~SR_EOC;
    }
    return true;
}

bool adc_write(struct chip *chip, unsigned index, unsigned offset,
               uint32_t value)
{
    struct adc *adc = &chip->adc;
    uint32_t *reg = at(adc, offset);

    (void)index;
    if (reg == NULL || offset == SR || offset == DR) {
        return false;
    }
    if ((offset == CR2 && (value & ~adc->cr2 & CR2_ADON) != 0) ||
        (offset == COMMON_CCR && (value & ~adc->ccr & CCR_TSVREFE) != 0)) {
        adc->on_fs = chip_now_fs(chip);
    }
    *reg = value;
    if (offset == CR2 && (value & CR2_SWSTART) != 0) {
        adc->cr2 &= ~CR2_SWSTART;
        convert(chip);
    }
    return true;
}
