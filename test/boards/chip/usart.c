/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/usart.h"

#include "test/boards/chip/chip.h"

#include <string.h>

enum offset {
    SR = 0x00,
    DR = 0x04,
    BRR = 0x08,
    CR1 = 0x0c,
    CR2 = 0x10,
    CR3 = 0x14,
    GTPR = 0x18
};

#define SR_PE (1u << 0)
#define SR_FE (1u << 1)
#define SR_NF (1u << 2)
#define SR_ORE (1u << 3)
#define SR_IDLE (1u << 4)
#define SR_RXNE (1u << 5)
#define SR_TC (1u << 6)
#define SR_TXE (1u << 7)
#define SR_RESET (SR_TC | SR_TXE)
#define SR_BY_SEQUENCE (SR_PE | SR_FE | SR_NF | SR_ORE | SR_IDLE)
#define CR1_RE (1u << 2)
#define CR1_TE (1u << 3)
#define CR1_IDLEIE (1u << 4)
#define CR1_RXNEIE (1u << 5)
#define CR1_TCIE (1u << 6)
#define CR1_TXEIE (1u << 7)
#define CR1_PEIE (1u << 8)
#define CR1_M (1u << 12)
#define CR1_PCE (1u << 10)
#define CR1_UE (1u << 13)
#define CR1_OVER8 (1u << 15)
#define CR2_STOP (3u << 12)
#define CR3_EIE (1u << 0)
#define CR3_DMAR (1u << 6)
#define CR3_DMAT (1u << 7)

#define FRAME_BITS 10u
#define DATA_BITS 8u

/* Bus, bit of its ENR, interrupt (7.3.13, 7.3.14, table 62). */
static const struct {
    uint8_t apb;
    uint8_t bit;
    uint8_t irq;
    char name[7];
} places[USART_COUNT] = {
    {1, 4, 37, "USART1"}, {0, 17, 38, "USART2"}, {0, 18, 39, "USART3"},
    {0, 19, 52, "UART4"}, {0, 20, 53, "UART5"},  {1, 5, 71, "USART6"},
};

static bool is_clocked(struct chip *chip, unsigned index)
{
    return chip_clocked(chip,
                        places[index].apb != 0 ? RCC_APB2ENR : RCC_APB1ENR,
                        places[index].bit, places[index].name);
}

/* 30.6.4, with 30.6.6 for DMA's errors. */
static void update_irq(struct chip *chip, unsigned index)
{
    const struct usart *u = &chip->usart[index];
    bool asks =
        ((u->cr1 & CR1_TXEIE) != 0 && (u->sr & SR_TXE) != 0) ||
        ((u->cr1 & CR1_TCIE) != 0 && (u->sr & SR_TC) != 0) ||
        ((u->cr1 & CR1_RXNEIE) != 0 && (u->sr & (SR_RXNE | SR_ORE)) != 0) ||
        ((u->cr1 & CR1_IDLEIE) != 0 && (u->sr & SR_IDLE) != 0) ||
        ((u->cr1 & CR1_PEIE) != 0 && (u->sr & SR_PE) != 0) ||
        ((u->cr3 & CR3_EIE) != 0 && (u->cr3 & CR3_DMAR) != 0 &&
         (u->sr & (SR_FE | SR_ORE | SR_NF)) != 0);

    core_set_irq(&chip->core, places[index].irq, asks);
}

/* A flag that DMA clears at once is a pulse on the interrupt's line all the
   same, which the NVIC keeps (ARM DDI 0403, B3.4.1). */
static void changed(struct chip *chip, unsigned index)
{
    update_irq(chip, index);
    dma_serve_usart(chip, index);
    update_irq(chip, index);
}

bool usart_wants_tx(const struct chip *chip, unsigned index)
{
    const struct usart *u = &chip->usart[index];

    return (u->cr3 & CR3_DMAT) != 0 && (u->sr & SR_TXE) != 0 &&
           (u->cr1 & (CR1_UE | CR1_TE)) == (CR1_UE | CR1_TE);
}

bool usart_wants_rx(const struct chip *chip, unsigned index)
{
    const struct usart *u = &chip->usart[index];

    return (u->cr3 & CR3_DMAR) != 0 && (u->sr & SR_RXNE) != 0;
}

/* ---- the bit ---- */

/* 30.3.4: bus clocks for a bit. */
static unsigned divider(const struct usart *u)
{
    if ((u->cr1 & CR1_OVER8) != 0) {
        return (u->brr >> 4) * 8u + (u->brr & 7u);
    }
    return u->brr;
}

void usart_retime(struct chip *chip, unsigned index)
{
    struct usart *u = &chip->usart[index];
    unsigned cycles = rcc_bus_cycles(&chip->rcc, places[index].apb);

    u->bit_fs = chip_cycles_fs(chip, (uint64_t)divider(u) * cycles);
}

static void check_setting(struct chip *chip, unsigned index)
{
    const struct usart *u = &chip->usart[index];
    const char *name = places[index].name;

    if ((u->cr1 & CR1_UE) == 0) {
        return;
    }
    if (divider(u) < ((u->cr1 & CR1_OVER8) != 0 ? 8u : 16u)) {
        chip_complain(chip, "%s: BRR %04x is too small", name, u->brr);
    }
    if ((u->cr1 & CR1_OVER8) != 0 && (u->brr & 8u) != 0) {
        chip_complain(chip, "%s: BRR %04x has bit 3 with OVER8", name, u->brr);
    }
    if ((u->cr1 & (CR1_M | CR1_PCE)) != 0 || (u->cr2 & CR2_STOP) != 0) {
        chip_complain(chip, "%s is not 8N1", name);
    }
    if ((u->cr1 & CR1_RE) != 0) {
        gpio_check_rx(chip, index);
    }
}

/* ---- sending ---- */

static void begin(struct chip *chip, unsigned index, uint64_t start_fs)
{
    struct usart *u = &chip->usart[index];
    unsigned pins[4];
    unsigned count = gpio_tx_pins(chip, index, pins);

    if (count == 0) {
        chip_complain(chip, "%s sends to no pin", places[index].name);
    }
    for (unsigned i = 0; i < count; ++i) {
        chip->config.transmit(chip->config.context, pins[i], u->tdr, start_fs,
                              u->bit_fs);
    }
    u->sending = true;
    u->tdr_full = false;
    u->sr |= SR_TXE;
    u->sent += 1;
    u->free_fs = start_fs + FRAME_BITS * u->bit_fs;
    chip_at(chip, CHIP_SENT + index, u->free_fs);
}

/* The shift register is free: the stop bit, or TE's idle frame, is over. */
void usart_sent(struct chip *chip, unsigned index)
{
    struct usart *u = &chip->usart[index];

    u->sending = false;
    if (u->tdr_full) {
        begin(chip, index, u->free_fs);
    } else {
        u->sr |= SR_TC;
    }
    changed(chip, index);
}

static void write_dr(struct chip *chip, unsigned index, uint32_t value)
{
    struct usart *u = &chip->usart[index];
    uint64_t now_fs = chip_now_fs(chip);

    if ((u->cr1 & (CR1_UE | CR1_TE)) != (CR1_UE | CR1_TE)) {
        chip_complain(chip, "%s: a byte is sent while it is off",
                      places[index].name);
        return;
    }
    if (u->tdr_full) {
        chip_complain(chip, "%s: a byte is written over another",
                      places[index].name);
    }
    u->tdr = (uint8_t)value;
    u->tdr_full = true;
    u->sr &= ~SR_TXE;
    u->sr &= ~(u->seen & SR_TC);
    if (u->sending) {
        return;
    }
    if (now_fs >= u->free_fs) {
        begin(chip, index, now_fs);
    } else {
        u->sending = true;
        chip_at(chip, CHIP_SENT + index, u->free_fs);
    }
}

/* ---- receiving ---- */

static bool level(const struct usart *u, uint64_t at_fs)
{
    for (unsigned i = 0; i < u->count; ++i) {
        const struct usart_frame *f =
            &u->incoming[(u->first + i) % USART_INCOMING];
        uint64_t bit;

        if (at_fs < f->start_fs) {
            break;
        }
        bit = (at_fs - f->start_fs) / f->bit_fs;
        if (bit == 0) {
            return false;
        }
        if (bit <= DATA_BITS) {
            return (f->byte >> (bit - 1) & 1u) != 0;
        }
    }
    return true;
}

/* The first falling edge at or after u->listen_fs; CHIP_NEVER: none. */
static uint64_t next_start(const struct usart *u)
{
    for (unsigned i = 0; i < u->count; ++i) {
        const struct usart_frame *f =
            &u->incoming[(u->first + i) % USART_INCOMING];

        for (unsigned bit = 0; bit <= DATA_BITS; ++bit) {
            uint64_t at_fs = f->start_fs + bit * f->bit_fs;

            if (at_fs >= u->listen_fs && !level(u, at_fs) &&
                (bit == 0 || level(u, at_fs - 1))) {
                return at_fs;
            }
        }
    }
    return CHIP_NEVER;
}

static void forget_heard(struct usart *u)
{
    while (u->count > 0) {
        const struct usart_frame *f = &u->incoming[u->first];

        if (f->start_fs + FRAME_BITS * f->bit_fs > u->listen_fs) {
            break;
        }
        u->first = (u->first + 1) % USART_INCOMING;
        u->count -= 1;
    }
}

/* A byte is complete in the middle of its stop bit (30.3.3). */
static void listen(struct chip *chip, unsigned index)
{
    struct usart *u = &chip->usart[index];
    uint64_t start_fs = next_start(u);

    if (start_fs == CHIP_NEVER || u->bit_fs == 0) {
        chip_at(chip, CHIP_RECEIVED + index, CHIP_NEVER);
        return;
    }
    u->listen_fs = start_fs;
    chip_at(chip, CHIP_RECEIVED + index,
            start_fs + u->bit_fs * 19 / 2 + u->bit_fs / 8);
}

void usart_frame(struct chip *chip, unsigned index,
                 const struct usart_frame *frame)
{
    struct usart *u = &chip->usart[index];

    if ((u->cr1 & (CR1_UE | CR1_RE)) != (CR1_UE | CR1_RE)) {
        return;
    }
    if (u->count == USART_INCOMING) {
        chip_complain(chip, "model: too many frames on a line");
        return;
    }
    u->incoming[(u->first + u->count++) % USART_INCOMING] = *frame;
    if (chip->due_fs[CHIP_RECEIVED + index] == CHIP_NEVER) {
        listen(chip, index);
    }
}

/* Whether the line's samples disagree in the frame that is read. */
static bool is_doubtful(const struct usart *u)
{
    for (unsigned i = 0; i < u->count; ++i) {
        const struct usart_frame *f =
            &u->incoming[(u->first + i) % USART_INCOMING];

        if (f->damaged && f->start_fs <= u->listen_fs &&
            u->listen_fs < f->start_fs + FRAME_BITS * f->bit_fs) {
            return true;
        }
    }
    return false;
}

/* Samples the frame whose start bit began at u->listen_fs. */
static uint8_t sample(const struct usart *u, uint32_t *flags)
{
    uint8_t byte = 0;

    for (unsigned bit = 0; bit < DATA_BITS; ++bit) {
        uint64_t middle = u->listen_fs + u->bit_fs * (2 * bit + 3) / 2;

        byte |= (uint8_t)((unsigned)level(u, middle) << bit);
        if (level(u, middle - u->bit_fs / 16) !=
            level(u, middle + u->bit_fs / 16)) {
            *flags |= SR_NF;
        }
    }
    if (!level(u, u->listen_fs + u->bit_fs * 19 / 2)) {
        *flags |= SR_FE;
    }
    if (is_doubtful(u)) {
        *flags |= SR_NF;
    }
    return byte;
}

void usart_received(struct chip *chip, unsigned index)
{
    struct usart *u = &chip->usart[index];
    uint32_t flags = SR_RXNE;
    uint8_t byte;

    if ((u->cr1 & (CR1_UE | CR1_RE)) != (CR1_UE | CR1_RE)) {
        u->count = 0;
        return;
    }
    byte = sample(u, &flags);
    if ((u->sr & SR_RXNE) != 0) {
        u->sr |= SR_ORE;
        u->overruns += 1;
    } else {
        u->rdr = byte;
        u->sr |= flags;
        u->received += 1;
    }
    u->listen_fs += u->bit_fs * 19 / 2 + u->bit_fs / 8;
    forget_heard(u);
    listen(chip, index);
    chip_at(chip, CHIP_IDLE + index,
            u->listen_fs + (FRAME_BITS + 1u) * u->bit_fs);
    changed(chip, index);
}

/* A whole frame of silence behind the last one (30.3.3, idle character). */
void usart_idle(struct chip *chip, unsigned index)
{
    struct usart *u = &chip->usart[index];

    if (chip->due_fs[CHIP_RECEIVED + index] == CHIP_NEVER) {
        u->sr |= SR_IDLE;
        changed(chip, index);
    }
}

/* ---- registers ---- */

void usart_reset(struct chip *chip, unsigned index)
{
    struct usart *u = &chip->usart[index];
    struct usart before = *u;

    memset(u, 0, sizeof *u);
    u->sr = SR_RESET;
    u->received = before.received;
    u->sent = before.sent;
    u->overruns = before.overruns;
    chip_at(chip, CHIP_SENT + index, CHIP_NEVER);
    chip_at(chip, CHIP_RECEIVED + index, CHIP_NEVER);
    chip_at(chip, CHIP_IDLE + index, CHIP_NEVER);
}

static uint32_t read_dr(struct chip *chip, unsigned index)
{
    struct usart *u = &chip->usart[index];
    uint32_t cleared = SR_RXNE;

    if (u->sr_read) {
        cleared |= u->seen & SR_BY_SEQUENCE;
    }
    u->sr_read = false;
    u->sr &= ~cleared;
    changed(chip, index);
    return u->rdr;
}

uint32_t usart_read(struct chip *chip, unsigned index, unsigned offset)
{
    struct usart *u = &chip->usart[index];

    if (!is_clocked(chip, index)) {
        return 0;
    }
    switch (offset) {
    case SR:
        u->sr_read = true;
        u->seen = u->sr;
        return u->sr;
    case DR:
        return read_dr(chip, index);
    case BRR:
        return u->brr;
    case CR1:
        return u->cr1;
    case CR2:
        return u->cr2;
    case CR3:
        return u->cr3;
    case GTPR:
        return u->gtpr;
    default:
        return 0;
    }
}

/* TE sends an idle frame first (30.3.2). */
static void write_cr1(struct chip *chip, unsigned index, uint32_t value)
{
    struct usart *u = &chip->usart[index];
    uint32_t before = u->cr1;

    u->cr1 = value;
    usart_retime(chip, index);
    if ((value & ~before & CR1_TE) != 0) {
        u->free_fs = chip_now_fs(chip) + FRAME_BITS * u->bit_fs;
    }
    if ((value & ~before & CR1_RE) != 0) {
        u->count = 0;
        u->listen_fs = chip_now_fs(chip);
    }
    check_setting(chip, index);
}

void usart_write(struct chip *chip, unsigned index, unsigned offset,
                 uint32_t value)
{
    struct usart *u = &chip->usart[index];

    if (!is_clocked(chip, index)) {
        return;
    }
    switch (offset) {
    case SR: /* what may be cleared by writing 0 */
        u->sr &= value | ~(SR_RXNE | SR_TC);
        break;
    case DR:
        write_dr(chip, index, value);
        break;
    case BRR:
        if ((u->cr1 & CR1_UE) != 0) {
            chip_complain(chip, "%s: BRR is written while it is on",
                          places[index].name);
        }
        u->brr = value;
        usart_retime(chip, index);
        break;
    case CR1:
        write_cr1(chip, index, value);
        break;
    case CR2:
        u->cr2 = value;
        check_setting(chip, index);
        break;
    case CR3:
        u->cr3 = value;
        break;
    case GTPR:
        u->gtpr = value;
        break;
    default:
        chip_complain(chip, "%s: a write at %02x", places[index].name, offset);
        break;
    }
    changed(chip, index);
}
