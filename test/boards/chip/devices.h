/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The devices of the chip, with the registers and modes that images of this
 * project use (RM0090, in the section that each names).
 *
 * NAME_read() and NAME_write() return false where no register is modelled: the
 * bus then reports an error to the program, and the chip complains of the
 * address. `index` counts devices of one kind from 0.
 */
#ifndef TEST_BOARDS_CHIP_DEVICES_H
#define TEST_BOARDS_CHIP_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chip;

typedef bool device_read(struct chip *chip, unsigned index, unsigned offset,
                         uint32_t *value);
typedef bool device_write(struct chip *chip, unsigned index, unsigned offset,
                          uint32_t value);

/* What a read of a register gives that needs nothing else; NULL: there is no
   such register, which the result says. */
static inline bool device_give(const uint32_t *reg, uint32_t *value)
{
    *value = reg == NULL ? 0 : *reg;
    return reg != NULL;
}

/* ---- reset and clock control (7) ---- */

#define RCC_CSR_BORRSTF (1u << 25)
#define RCC_CSR_PINRSTF (1u << 26)
#define RCC_CSR_PORRSTF (1u << 27)
#define RCC_CSR_SFTRSTF (1u << 28)
#define RCC_CSR_IWDGRSTF (1u << 29)

/* Buses whose devices have a clock to be enabled. */
enum rcc_bus {
    RCC_AHB1,
    RCC_APB1,
    RCC_APB2,
    RCC_BUSES
};

struct rcc {
    uint32_t cr;
    uint32_t pllcfgr;
    uint32_t cfgr;
    uint32_t csr;
    uint32_t enr[RCC_BUSES];
    uint64_t enabled_fs[RCC_BUSES]; /* when a bit of enr was last set */
    uint32_t flash_acr;
    /* Derived; micro-Hz, with the oscillator's error. */
    uint64_t core_uhz;
    unsigned divider[RCC_BUSES]; /* processor cycles of one of the bus */
    /* The processor's cycle `anchor_cycle` began at anchor_fs. */
    uint64_t anchor_cycle;
    uint64_t anchor_fs;
    uint64_t hse_ready_fs; /* when it started to oscillate; 0: it does not */
};

/* After a reset: the 16 MHz oscillator, at this time. Flags of CSR are kept,
   and these are added. */
void rcc_reset(struct chip *chip, uint32_t flags, bool power);
device_read rcc_read;
device_write rcc_write;

/* CHIP_RCC_HSE, CHIP_RCC_PLL. */
void rcc_event(struct chip *chip, unsigned event);

/* FLASH_ACR or PWR_CR changed: limits of the clocks are checked again. */
void rcc_check(struct chip *chip);

/* The real frequency of the crystal in micro-Hz; 0: it does not oscillate. */
uint64_t rcc_hse_uhz(const struct chip *chip);

/* Times of the processor's clock. */
uint64_t rcc_fs_of(const struct rcc *rcc, uint64_t cycle);
uint64_t rcc_cycle_of(const struct rcc *rcc, uint64_t fs); /* rounded up */

/* Processor cycles in one of a bus's timers' (7.2: twice the bus's clock where
   that is divided). */
unsigned rcc_timer_cycles(const struct rcc *rcc, enum rcc_bus bus);

/* ---- pins (8), and the USARTs behind them (data sheet, table 9) ---- */

#define GPIO_COUNT 5u /* A to E */

struct gpio {
    uint32_t moder;
    uint32_t ospeedr;
    uint32_t pupdr;
    uint32_t odr;
    uint32_t afr[2];
    uint32_t edges; /* changes of outputs, of all pins */
};

/* Pin 3 of GPIOB is 0x13. */
static inline unsigned gpio_pin(unsigned port, unsigned number)
{
    return port << 4 | number;
}

void gpio_reset(struct chip *chip, unsigned index);
device_read gpio_read;
device_write gpio_write;

/* The pin that a USART's TX drives now; -1: none. */
int gpio_tx_pin(const struct chip *chip, unsigned usart);

/* The USART whose RX a pin is now; -1: none. */
int gpio_rx_usart(const struct chip *chip, unsigned pin);

/* ---- DMA (10): bytes between memory and USARTs ---- */

#define DMA_COUNT 2u
#define DMA_STREAMS 8u

struct dma_stream {
    uint32_t cr;
    uint32_t ndtr;
    uint32_t par;
    uint32_t m0ar;
    uint32_t items; /* NDTR when it was enabled */
    uint32_t moved; /* items since then, or since the last wrap */
    uint32_t flags; /* TEIF, HTIF, TCIF as in the first stream's bits of
                       LISR */
};

struct dma {
    struct dma_stream stream[DMA_STREAMS];
};

device_read dma_read;
device_write dma_write;

/* A USART's requests may have changed: serves them. */
void dma_serve_usart(struct chip *chip, unsigned usart);

/* ---- serial ports, asynchronous, 8N1 (30) ---- */

#define USART_COUNT 6u /* USART1, 2, 3, UART4, 5, USART6 */
#define USART_INCOMING 8u
#define USART_MISREAD 0x5au /* bits that a wrong baud changes */

/* A frame on the line. */
struct usart_frame {
    uint64_t start_fs;
    uint64_t bit_fs;
    uint8_t byte;
};

struct usart {
    uint32_t sr;
    uint32_t brr;
    uint32_t cr1;
    uint32_t cr3;
    uint8_t tdr;
    uint8_t rdr;
    bool sending; /* the shift register */
    bool tdr_full;
    bool sr_read;       /* the first step of clearing flags (30.6.1) */
    uint32_t seen;      /* flags at that read */
    uint64_t free_fs;   /* when the shift register is free, or TE's idle
                           frame over */
    uint64_t bit_fs;    /* of the present BRR; 0: none */
    uint64_t listen_fs; /* a start bit is looked for from then on */
    struct usart_frame incoming[USART_INCOMING];
    unsigned first;
    unsigned count;
    uint64_t received; /* bytes since power-on, as the next */
    uint64_t overruns;
};

void usart_reset(struct chip *chip, unsigned index);
device_read usart_read;
device_write usart_write;

/* A byte begins to arrive. */
void usart_frame(struct chip *chip, unsigned index,
                 const struct usart_frame *frame);

/* CHIP_SENT, CHIP_RECEIVED, CHIP_IDLE. */
void usart_sent(struct chip *chip, unsigned index);
void usart_received(struct chip *chip, unsigned index);
void usart_idle(struct chip *chip, unsigned index);

/* Whether a receiver whose bits are so long gets a byte of such bits. */
bool usart_understands(uint64_t own_fs, uint64_t bit_fs);

/* The clock of its bus has changed. */
void usart_retime(struct chip *chip, unsigned index);

/* For DMA: whether it asks for a byte to send, has received one; the bytes. */
bool usart_wants_tx(const struct chip *chip, unsigned index);
bool usart_wants_rx(const struct chip *chip, unsigned index);
uint8_t usart_take(struct chip *chip, unsigned index);
void usart_give(struct chip *chip, unsigned index, uint8_t byte);

/* ---- timers ---- */

/* TIM2 (18): 32 bits, counts up without end and compares. */
struct tim2 {
    uint32_t cr1;
    uint32_t dier;
    uint32_t sr;
    uint32_t psc;        /* as written */
    uint32_t psc_active; /* since the last update event */
    uint32_t ccr[2];
    uint32_t count; /* at cycle `since` */
    uint64_t since; /* of the processor */
};

void tim2_reset(struct chip *chip);
device_read tim2_read;
device_write tim2_write;
void tim2_event(struct chip *chip);

/* The clock is about to change, and has changed. */
void tim2_hold(struct chip *chip);
void tim2_retime(struct chip *chip);

/* TIM11 (19): captures edges of the crystal, which the RTC's prescaler
   divides (19.5.11, 7.3.3). */
struct tim11 {
    uint32_t cr1;
    uint32_t ccmr;
    uint32_t ccer;
    uint32_t option;
    uint64_t since;    /* processor cycle at which it began to count */
    uint64_t from_fs;  /* when the input was enabled; 0: it is not */
    uint64_t captured; /* edges that were read */
};

device_read tim11_read;
device_write tim11_write;

/* ---- ADC1 (13): its sensor and reference, converted by software ---- */

struct adc {
    uint32_t sr;
    uint32_t cr2;
    uint32_t smpr1;
    uint32_t sqr3;
    uint32_t dr;
    uint32_t ccr;   /* the common one */
    uint64_t on_fs; /* when ADON and TSVREFE were both set */
};

device_read adc_read;
device_write adc_write;

/* The factory's value at this address of system memory (data sheet, 5.3.22 and
   5.3.24); 0xffff: there is none. */
uint32_t adc_calibration(uint32_t address);

/* ---- the independent watchdog (21) ---- */

struct iwdg {
    uint32_t pr;
    uint32_t rlr;
    uint64_t busy_fs[2]; /* PVU, RVU: until then */
    bool unlocked;
    bool running;
};

device_read iwdg_read;
device_write iwdg_write;
void iwdg_event(struct chip *chip);

#endif
