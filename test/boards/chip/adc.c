/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/adc.h"

#include "test/boards/chip/chip.h"

enum offset {
    SR = 0x00,
    CR1 = 0x04,
    CR2 = 0x08,
    SMPR1 = 0x0c,
    SMPR2 = 0x10,
    SQR1 = 0x2c,
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

void adc_reset(struct chip *chip)
{
    chip->adc = (struct adc){0};
    chip_at(chip, CHIP_ADC, CHIP_NEVER);
}

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

/* Processor cycles of one of the converter's. */
static unsigned clock_cycles(const struct chip *chip)
{
    return rcc_bus_cycles(&chip->rcc, 1) * 2u *
           ((chip->adc.ccr >> 16 & 3u) + 1u);
}

static unsigned sampling(const struct adc *adc, unsigned channel)
{
    static const uint16_t cycles[] = {3, 15, 28, 56, 84, 112, 144, 480};
    uint32_t bits = channel >= 10 ? adc->smpr[0] >> 3 * (channel - 10)
                                  : adc->smpr[1] >> 3 * channel;

    return cycles[bits & 7u];
}

static void convert(struct chip *chip)
{
    struct adc *adc = &chip->adc;
    unsigned channel = adc->sqr[2] & 0x1fu;
    uint64_t now_fs = chip_now_fs(chip);
    uint64_t clock_fs = chip_cycles_fs(chip, clock_cycles(chip));
    uint64_t sample_fs = sampling(adc, channel) * clock_fs;

    if ((adc->cr2 & CR2_ADON) == 0 || now_fs < adc->on_fs + STABLE_FS) {
        chip_complain(chip, "the ADC is not on for 3 us");
        return;
    }
    if (FS_PER_S / clock_fs > CLOCK_HZ_MAX + CLOCK_HZ_MAX / 100) {
        chip_complain(chip, "the ADC's clock is above %u Hz", CLOCK_HZ_MAX);
    }
    if (channel == CHANNEL_SENSOR || channel == CHANNEL_REFERENCE) {
        if ((adc->ccr & CCR_TSVREFE) == 0 ||
            now_fs < adc->sense_fs + SENSE_FS) {
            chip_complain(chip, "the ADC's sensor is not on for 10 us");
        }
        if (sample_fs < SENSE_FS - SENSE_FS / 100) {
            chip_complain(chip, "the ADC's sensor needs 10 us of sampling");
        }
    }
    adc->sr |= SR_STRT;
    chip_at(chip, CHIP_ADC, now_fs + sample_fs + 12u * clock_fs);
}

void adc_event(struct chip *chip)
{
    struct adc *adc = &chip->adc;
    unsigned channel = adc->sqr[2] & 0x1fu;
    uint32_t mv = chip->config.supply_mv;

    adc->dr = 0;
    if (channel == CHANNEL_SENSOR) {
        adc->dr = code_of(sensor_uv(chip->config.celsius), mv);
    } else if (channel == CHANNEL_REFERENCE) {
        adc->dr = code_of(REFERENCE_MV * 1000u, mv);
    }
    adc->sr |= SR_EOC;
}

uint32_t adc_read(struct chip *chip, unsigned offset)
{
    struct adc *adc = &chip->adc;

    switch (offset) {
    case SR:
        return adc->sr;
    case CR1:
        return adc->cr1;
    case CR2:
        return adc->cr2;
    case SMPR1:
    case SMPR2:
        return adc->smpr[(offset - SMPR1) / 4];
    case SQR1:
    case SQR1 + 4:
    case SQR3:
        return adc->sqr[(offset - SQR1) / 4];
    case DR:
        adc->sr &= ~SR_EOC;
        return adc->dr;
    case COMMON_CCR:
        return adc->ccr;
    default:
        return 0;
    }
}

static void write_cr2(struct chip *chip, uint32_t value)
{
    struct adc *adc = &chip->adc;

    if ((value & ~adc->cr2 & CR2_ADON) != 0) {
        adc->on_fs = chip_now_fs(chip);
    }
    adc->cr2 = value & ~CR2_SWSTART;
    if ((value & CR2_SWSTART) != 0) {
        convert(chip);
    }
}

void adc_write(struct chip *chip, unsigned offset, uint32_t value)
{
    struct adc *adc = &chip->adc;

    switch (offset) {
    case SR:
        adc->sr &= value;
        break;
    case CR1:
        adc->cr1 = value;
        break;
    case CR2:
        write_cr2(chip, value);
        break;
    case SMPR1:
    case SMPR2:
        adc->smpr[(offset - SMPR1) / 4] = value;
        break;
    case SQR1:
    case SQR1 + 4:
    case SQR3:
        adc->sqr[(offset - SQR1) / 4] = value;
        break;
    case COMMON_CCR:
        if ((value & ~adc->ccr & CCR_TSVREFE) != 0) {
            adc->sense_fs = chip_now_fs(chip);
        }
        adc->ccr = value;
        break;
    default:
        chip_complain(chip, "ADC: a write at %03x", offset);
        break;
    }
}
