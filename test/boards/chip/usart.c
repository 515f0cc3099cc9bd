/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/chip.h"

#include <string.h>

enum offset {
    SR = 0x00,
    DR = 0x04,
    BRR = 0x08,
    CR1 = 0x0c,
    CR3 = 0x14
};

#define SR_FE (1u << 1)
#define SR_NF (1u << 2)
#define SR_ORE (1u << 3)
#define SR_IDLE (1u << 4)
#define SR_RXNE (1u << 5)
#define SR_TC (1u << 6)
#define SR_TXE (1u << 7)
#define SR_RESET (SR_TC | SR_TXE)
#define SR_BY_SEQUENCE (SR_FE | SR_NF | SR_ORE | SR_IDLE)
#define CR1_RE (1u << 2)
#define CR1_TE (1u << 3)
#define CR1_IDLEIE (1u << 4)
#define CR1_RXNEIE (1u << 5)
#define CR1_TXEIE (1u << 7)
#define CR1_UE (1u << 13)
#define CR1_OVER8 (1u << 15)
#define CR1_MODELLED                                                           \
    (CR1_RE | CR1_TE | CR1_IDLEIE | CR1_RXNEIE | CR1_TXEIE | CR1_UE | CR1_OVER8)
#define CR3_EIE (1u << 0)
#define CR3_DMAR (1u << 6)
#define CR3_DMAT (1u << 7)
#define CR3_MODELLED (CR3_EIE | CR3_DMAR | CR3_DMAT)

#define FRAME_BITS 10u
#define TOLERANCE 30u /* of 1000: what a receiver's baud may be off */

/* Bus, and interrupt (table 62). */
static const struct {
    enum rcc_bus bus;
    uint8_t irq;
} places[USART_COUNT] = {{RCC_APB2, 37}, {RCC_APB1, 38}, {RCC_APB1, 39},
                         {RCC_APB1, 52}, {RCC_APB1, 53}, {RCC_APB2, 71}};

/* 30.6.4, with 30.6.6 for DMA's errors. */
static void update_irq(struct chip *chip, unsigned index)
{
    const struct usart *u = &chip->usart[index];
    bool asks =
        ((u->cr1 & CR1_TXEIE) != 0 && (u->sr & SR_TXE) != 0) ||
        ((u->cr1 & CR1_RXNEIE) != 0 && (u->sr & (SR_RXNE | SR_ORE)) != 0) ||
        ((u->cr1 & CR1_IDLEIE) != 0 && (u->sr & SR_IDLE) != 0) ||
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
    unsigned cycles = chip->rcc.divider[places[index].bus];

    u->bit_fs = chip_cycles_fs(chip, (uint64_t)divider(u) * cycles);
}

static void check_setting(struct chip *chip, unsigned index)
{
    const struct usart *u = &chip->usart[index];
    unsigned name = index + 1;

    if ((u->cr1 & CR1_UE) == 0) {
        return;
    }
    if (divider(u) < ((u->cr1 & CR1_OVER8) != 0 ? 8u : 16u)) {
        chip_complain(chip, "USART%u: BRR %04x is too small", name, u->brr);
    }
    if ((u->cr1 & CR1_OVER8) != 0 && (u->brr & 8u) != 0) {
        chip_complain(chip, "USART%u: BRR %04x has bit 3 with OVER8", name,
                      u->brr);
    }
}

/* ---- sending ---- */

static void begin(struct chip *chip, unsigned index, uint64_t start_fs)
{
    struct usart *u = &chip->usart[index];
    int pin = gpio_tx_pin(chip, index);

    if (pin < 0) {
        chip_complain(chip, "USART%u sends to no pin", index + 1);
    } else {
        chip->config.transmit(chip->config.context, (unsigned)pin, u->tdr,
                              start_fs, u->bit_fs);
    }
    u->sending = true;
    u->tdr_full = false;
    u->sr |= SR_TXE;
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

static void take_byte(struct chip *chip, unsigned index, uint8_t byte)
{
    struct usart *u = &chip->usart[index];
    uint64_t now_fs = chip_now_fs(chip);

    if ((u->cr1 & (CR1_UE | CR1_TE)) != (CR1_UE | CR1_TE)) {
        chip_complain(chip, "USART%u: a byte is sent while it is off",
                      index + 1);
        return;
    }
    if (u->tdr_full) {
        chip_complain(chip, "USART%u: a byte is written over another",
                      index + 1);
    }
    u->tdr = byte;
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

void usart_give(struct chip *chip, unsigned index, uint8_t byte)
{
    take_byte(chip, index, byte);
    changed(chip, index);
}

/* ---- receiving ---- */

/* A byte is complete in the middle of its stop bit (30.3.3), by the receiver's
   own baud. One that began before the last was complete is not seen. */
static void listen(struct chip *chip, unsigned index)
{
    struct usart *u = &chip->usart[index];

    while (u->count > 0 && u->incoming[u->first].start_fs < u->listen_fs) {
        u->first = (u->first + 1) % USART_INCOMING;
        u->count -= 1;
    }
    if (u->count == 0 || u->bit_fs == 0) {
        chip_at(chip, CHIP_RECEIVED + index, CHIP_NEVER);
        return;
    }
    u->listen_fs =
        u->incoming[u->first].start_fs + u->bit_fs * 19 / 2 + u->bit_fs / 8;
    chip_at(chip, CHIP_RECEIVED + index, u->listen_fs);
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

bool usart_understands(uint64_t own_fs, uint64_t bit_fs)
{
    uint64_t off_fs = bit_fs > own_fs ? bit_fs - own_fs : own_fs - bit_fs;

    return off_fs * 1000 <= own_fs * TOLERANCE;
}

void usart_received(struct chip *chip, unsigned index)
{
    struct usart *u = &chip->usart[index];
    struct usart_frame frame = u->incoming[u->first];

    if ((u->cr1 & (CR1_UE | CR1_RE)) != (CR1_UE | CR1_RE)) {
        u->count = 0;
        return;
    }
    if ((u->sr & SR_RXNE) != 0) {
        u->sr |= SR_ORE;
        u->overruns += 1;
    } else {
        u->rdr = frame.byte;
        u->sr |= SR_RXNE;
        if (!usart_understands(u->bit_fs, frame.bit_fs)) {
            u->rdr ^= USART_MISREAD;
            u->sr |= SR_FE;
        }
        u->received += 1;
    }
    u->first = (u->first + 1) % USART_INCOMING;
    u->count -= 1;
    chip_at(chip, CHIP_IDLE + index,
            u->listen_fs + (FRAME_BITS + 1u) * u->bit_fs);
    listen(chip, index);
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
    u->overruns = before.overruns;
    chip_at(chip, CHIP_SENT + index, CHIP_NEVER);
    chip_at(chip, CHIP_RECEIVED + index, CHIP_NEVER);
    chip_at(chip, CHIP_IDLE + index, CHIP_NEVER);
}

uint8_t usart_take(struct chip *chip, unsigned index)
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

bool usart_read(struct chip *chip, unsigned index, unsigned offset,
                uint32_t *value)
{
    struct usart *u = &chip->usart[index];

    switch (offset) {
    case SR:
        u->sr_read = true;
        u->seen = u->sr;
        *value = u->sr;
        return true;
    case DR:
        *value = usart_take(chip, index);
        return true;
    case CR1:
        *value = u->cr1;
        return true;
    default:
        return false;
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

static bool write_plainly(struct chip *chip, unsigned index, unsigned offset,
                          uint32_t value)
{
    struct usart *u = &chip->usart[index];

    switch (offset) {
    case DR:
        take_byte(chip, index, (uint8_t)value);
        return true;
    case BRR:
        if ((u->cr1 & CR1_UE) != 0) {
            chip_complain(chip, "USART%u: BRR is written while it is on",
                          index + 1);
        }
        u->brr = value;
        usart_retime(chip, index);
        return true;
    case CR1:
        write_cr1(chip, index, value);
        return (value & ~CR1_MODELLED) == 0;
    case CR3:
        u->cr3 = value;
        return (value & ~CR3_MODELLED) == 0;
    default:
        return false;
    }
}

bool usart_write(struct chip *chip, unsigned index, unsigned offset,
                 uint32_t value)
{
    bool known = write_plainly(chip, index, offset, value);

    changed(chip, index);
    return known;
}
