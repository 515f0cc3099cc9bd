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
#define SR_STRT (1u << 4)
#define CR2_ADON (1u << 0)
#define CR2_SWSTART (1u << 30)
#define CCR_TSVREFE (1u << 23)
#define CHANNEL_SENSOR 16u
#define CHANNEL_REFERENCE 17u
#define CLOCK_HZ_MAX 36000000u     /* data sheet, table 67 */
#define STABLE_FS (3u * FS_PER_US) /* the same: tSTAB */
#define SENSE_FS (10u * FS_PER_US) /* 5.3.22: start, and sampling time */
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

/* Of channels 10 to 18, in the converter's cycles. */
static unsigned sampling(const struct adc *adc, unsigned channel)
{
    static const uint16_t cycles[] = {3, 15, 28, 56, 84, 112, 144, 480};

    return cycles[adc->smpr1 >> 3 * (channel - 10u) & 7u];
}

static void convert(struct chip *chip)
{
    struct adc *adc = &chip->adc;
    unsigned channel = adc->sqr3 & 0x1fu;
    unsigned divider = 2u * ((adc->ccr >> 16 & 3u) + 1u);
    uint64_t now_fs = chip_now_fs(chip);
    uint64_t clock_fs =
        chip_cycles_fs(chip, (uint64_t)chip->rcc.divider[RCC_APB2] * divider);
    uint64_t sample_fs;

    if (channel != CHANNEL_SENSOR && channel != CHANNEL_REFERENCE) {
        chip_complain(chip, "the ADC has no channel %u here", channel);
        return;
    }
    if ((adc->cr2 & CR2_ADON) == 0 || now_fs < adc->on_fs + STABLE_FS) {
        chip_complain(chip, "the ADC is not on for 3 us");
        return;
    }
    if (FS_PER_S / clock_fs > CLOCK_HZ_MAX + CLOCK_HZ_MAX / 100) {
        chip_complain(chip, "the ADC's clock is above %u Hz", CLOCK_HZ_MAX);
    }
    if ((adc->ccr & CCR_TSVREFE) == 0 || now_fs < adc->sense_fs + SENSE_FS) {
        chip_complain(chip, "the ADC's sensor is not on for 10 us");
    }
    sample_fs = sampling(adc, channel) * clock_fs;
    if (sample_fs < SENSE_FS - SENSE_FS / 100) {
        chip_complain(chip, "the ADC's sensor needs 10 us of sampling");
    }
    adc->sr |= SR_STRT;
    chip_at(chip, CHIP_ADC, now_fs + sample_fs + 12u * clock_fs);
}

void adc_event(struct chip *chip)
{
    struct adc *adc = &chip->adc;
    bool sensor = (adc->sqr3 & 0x1fu) == CHANNEL_SENSOR;

    adc->dr =
        code_of(sensor ? sensor_uv(chip->config.celsius) : REFERENCE_MV * 1000u,
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
    if (offset == CR2 && (value & ~adc->cr2 & CR2_ADON) != 0) {
        adc->on_fs = chip_now_fs(chip);
    }
    if (offset == COMMON_CCR && (value & ~adc->ccr & CCR_TSVREFE) != 0) {
        adc->sense_fs = chip_now_fs(chip);
    }
    *reg = value;
    if (offset == CR2 && (value & CR2_SWSTART) != 0) {
        adc->cr2 &= ~CR2_SWSTART;
        convert(chip);
    }
    return true;
}
