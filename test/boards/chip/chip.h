/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model of the chip STM32F405 as the firmware sees it: the processor (core.h)
 * and the devices that this project's images use, written from the reference
 * manual RM0090 Rev 19 and the data sheet DS8626, whose sections the comments
 * name, and from nothing of hal/. It executes the image that is flashed to
 * boards, unchanged, in the chip's own time.
 *
 * A device does what the manual says. What the manual forbids, or leaves open,
 * is a complaint, which is kept and fails the test that finds it; so is a
 * register that no image uses, which is not there.
 *
 * Time is in femtoseconds since the mesh was powered, one for all boards; each
 * board's clocks run from its own crystal. A device asks to be called at a time
 * with chip_at(); there is one such time for each enum chip_event.
 */
#ifndef TEST_BOARDS_CHIP_CHIP_H
#define TEST_BOARDS_CHIP_CHIP_H

#include "test/boards/chip/core.h"
#include "test/boards/chip/devices.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHIP_FLASH_BYTES (1024u * 1024u)
#define CHIP_RAM_BYTES (128u * 1024u)
#define CHIP_CCM_BYTES (64u * 1024u)
#define CHIP_COMPLAINTS 32u
#define CHIP_COMPLAINT_BYTES 96u
#define FS_PER_S 1000000000000000u
#define FS_PER_US 1000000000u
#define CHIP_NEVER UINT64_MAX

enum chip_event {
    CHIP_RCC_HSE,
    CHIP_RCC_PLL,
    CHIP_IWDG,
    CHIP_TIM2,
    CHIP_SENT, /* and one for each USART, as the next two */
    CHIP_RECEIVED = CHIP_SENT + USART_COUNT,
    CHIP_IDLE = CHIP_RECEIVED + USART_COUNT,
    CHIP_EVENTS = CHIP_IDLE + USART_COUNT
};

/* What is at the pins OSC_IN and OSC_OUT (7.2.1). */
enum chip_hse {
    CHIP_HSE_NONE,
    CHIP_HSE_CRYSTAL,
    CHIP_HSE_EXTERNAL /* a clock from outside: needs HSEBYP */
};

/* One board as it was made. */
struct chip_config {
    uint32_t uid[3];
    enum chip_hse hse;
    uint32_t hse_hz;    /* nominal */
    double hse_ppm;     /* by how much the real one is faster */
    double hsi_ppm;     /* likewise, of the 16 MHz oscillator */
    uint32_t lsi_hz;    /* 17 to 47 kHz (data sheet, 5.3.9) */
    bool pll_dead;      /* never locks */
    unsigned supply_mv; /* VDDA */
    int celsius;
    uint32_t seed; /* of what RAM holds at power-on */
    /* A byte begins to leave pin `pin` (enum as gpio_pin()) at start_fs. */
    void (*transmit)(void *context, unsigned pin, uint8_t byte,
                     uint64_t start_fs, uint64_t bit_fs);
    /* A marked function is called, or has returned: core_mark(). */
    struct core_marks *marks;
    void (*passed)(void *context, uint32_t call, bool returned);
    void *context;
};

struct chip_complaint {
    char text[CHIP_COMPLAINT_BYTES];
    uint32_t pc;
};

struct chip {
    struct chip_config config;
    struct core core;
    struct rcc rcc;
    struct gpio gpio[GPIO_COUNT];
    struct usart usart[USART_COUNT];
    struct dma dma[DMA_COUNT];
    struct tim2 tim2;
    struct tim11 tim11;
    struct iwdg iwdg;
    struct adc adc;
    uint32_t pwr_cr;
    uint32_t dbgmcu[4]; /* 38.16: CR and APB1_FZ are the second and third */
    uint64_t due_fs[CHIP_EVENTS];
    uint64_t next_fs; /* the earliest of them */
    bool powered;
    bool serving;   /* DMA; see dma.c */
    bool dma_fails; /* the next byte that it is to send: a bus error */
    uint32_t resets;
    struct chip_complaint complaint[CHIP_COMPLAINTS];
    unsigned complaints; /* different ones, the first CHIP_COMPLAINTS of them */
    const uint8_t *flash;
    uint8_t ram[CHIP_RAM_BYTES];
    uint8_t ccm[CHIP_CCM_BYTES];
};

/* flash: CHIP_FLASH_BYTES, which stay as they are while the chip is used. */
void chip_init(struct chip *chip, const struct chip_config *config,
               const uint8_t *flash);

/* The supply comes on, at this time: RAM holds anything, the program starts. */
void chip_power_on(struct chip *chip, uint64_t at_fs);
void chip_power_off(struct chip *chip);

/* Reset by the pin NRST (RCC_CSR's PINRSTF alone). */
void chip_reset_pin(struct chip *chip);

/* Lives until this time. What comes in at the pins meanwhile must have been
   given before: chip_receive(). */
void chip_run(struct chip *chip, uint64_t until_fs);

/* The earliest time at which this chip can do anything by itself: now, unless
   it sleeps. */
uint64_t chip_wakes_fs(const struct chip *chip);

/* A byte's start bit begins at a pin at start_fs; its bits are so long. */
void chip_receive(struct chip *chip, unsigned pin, uint8_t byte,
                  uint64_t start_fs, uint64_t bit_fs);

/* ---- for devices ---- */

/* The processor's time. */
uint64_t chip_now_fs(const struct chip *chip);

/* Calls the device's chip_event at this time; CHIP_NEVER: not. */
void chip_at(struct chip *chip, unsigned event, uint64_t at_fs);

/* So many cycles of the processor's clock, as it is now. */
uint64_t chip_cycles_fs(const struct chip *chip, uint64_t cycles);

/* Keeps a complaint, once each text. */
void chip_complain(struct chip *chip, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Why a reset: flags of RCC_CSR. Takes effect when the core returns. */
void chip_reset(struct chip *chip, uint32_t flags);

/* Memory that DMA reaches at this address (2.1, figure 1): neither CCM nor the
   flash here; NULL: it reaches nothing there. */
uint8_t *chip_dma_memory(struct chip *chip, uint32_t address);

#endif
