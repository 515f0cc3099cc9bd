/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/chip.h"

enum offset {
    LISR = 0x00,
    HISR = 0x04,
    LIFCR = 0x08,
    HIFCR = 0x0c,
    STREAMS = 0x10,
    STREAM_BYTES = 0x18,
    S_CR = 0x00,
    S_NDTR = 0x04,
    S_PAR = 0x08,
    S_M0AR = 0x0c
};

#define CR_EN (1u << 0)
#define CR_INTERRUPTS 0x1eu /* TCIE, HTIE, TEIE, DMEIE */
#define CR_DIR_OUT (1u << 6)
#define CR_CIRC (1u << 8)
#define CR_MINC (1u << 10)
#define CR_CHANNEL (7u << 25)
#define CR_MODELLED                                                            \
    (CR_EN | CR_INTERRUPTS | CR_DIR_OUT | CR_CIRC | CR_MINC | CR_CHANNEL)
#define FLAG_TE (1u << 3)
#define FLAG_HT (1u << 4)
#define FLAG_TC (1u << 5)
#define FLAGS 0x3du

/* Tables 42 and 43: who asks stream `stream` by channel `channel`. */
static const struct {
    uint8_t dma;
    uint8_t stream;
    uint8_t channel;
    uint8_t usart;
    bool out;
} requests[] = {
    {0, 1, 4, 2, false}, {0, 3, 4, 2, true},  {0, 4, 7, 2, true},
    {0, 5, 4, 1, false}, {0, 6, 4, 1, true},  {0, 2, 4, 3, false},
    {0, 4, 4, 3, true},  {0, 0, 4, 4, false}, {0, 7, 4, 4, true},
    {1, 2, 4, 0, false}, {1, 5, 4, 0, false}, {1, 7, 4, 0, true},
    {1, 1, 5, 5, false}, {1, 2, 5, 5, false}, {1, 6, 5, 5, true},
    {1, 7, 5, 5, true},
};

#define REQUESTS (sizeof requests / sizeof *requests)

/* Table 62. */
static unsigned irq_of(unsigned dma, unsigned stream)
{
    static const uint8_t irqs[DMA_COUNT][DMA_STREAMS] = {
        {11, 12, 13, 14, 15, 16, 17, 47}, {56, 57, 58, 59, 60, 68, 69, 70}};

    return irqs[dma][stream];
}

static void update_irq(struct chip *chip, unsigned dma, unsigned stream)
{
    const struct dma_stream *s = &chip->dma[dma].stream[stream];
    /* TCIE is bit 4 and TCIF bit 5; HT, TE and DME likewise. */
    uint32_t enabled = (s->cr & CR_INTERRUPTS) << 1;

    core_set_irq(&chip->core, irq_of(dma, stream), (s->flags & enabled) != 0);
}

/* ---- transfers ---- */

static void fail(struct chip *chip, struct dma_stream *s, const char *why)
{
    s->flags |= FLAG_TE;
    s->cr &= ~CR_EN;
    chip_complain(chip, "DMA: %s", why);
}

/* The item was the last, or the one in the middle. */
static void count(struct dma_stream *s)
{
    s->moved += 1;
    s->ndtr -= 1;
    if (s->ndtr == s->items / 2) {
        s->flags |= FLAG_HT;
    }
    if (s->ndtr == 0) {
        s->flags |= FLAG_TC;
        if ((s->cr & CR_CIRC) != 0) {
            s->ndtr = s->items;
            s->moved = 0;
        } else {
            s->cr &= ~CR_EN;
        }
    }
}

/* Addresses of the USARTs' data registers (2.3). */
static uint32_t data_register(unsigned usart)
{
    static const uint32_t bases[USART_COUNT] = {
        0x40011000, 0x40004400, 0x40004800, 0x40004c00, 0x40005000, 0x40011400};

    return bases[usart] + 4;
}

/* One byte, as a USART's data are. False: the stream failed. */
static bool move(struct chip *chip, struct dma_stream *s, unsigned usart,
                 bool out)
{
    uint32_t address = s->m0ar + ((s->cr & CR_MINC) != 0 ? s->moved : 0);
    uint8_t *memory = chip_dma_memory(chip, address);

    if (out && chip->dma_fails) {
        chip->dma_fails = false;
        s->flags |= FLAG_TE;
        s->cr &= ~CR_EN;
        return false;
    }
    if (memory == NULL) {
        fail(chip, s, "it does not reach this memory");
        return false;
    }
    if (s->par != data_register(usart)) {
        fail(chip, s, "PAR is not that of the device that asks");
        return false;
    }
    if (out) {
        usart_give(chip, usart, *memory);
    } else {
        *memory = usart_take(chip, usart);
    }
    count(s);
    return true;
}

static bool asked(const struct chip *chip, const struct dma_stream *s,
                  unsigned request)
{
    bool out = requests[request].out;

    return (s->cr & CR_EN) != 0 &&
           (s->cr >> 25 & 7u) == requests[request].channel &&
           ((s->cr & CR_DIR_OUT) != 0) == out &&
           (out ? usart_wants_tx(chip, requests[request].usart)
                : usart_wants_rx(chip, requests[request].usart));
}

/* A device that is written to asks again at once: the outermost call serves
   that, too. */
void dma_serve_usart(struct chip *chip, unsigned usart)
{
    if (chip->serving) {
        return;
    }
    chip->serving = true;
    for (unsigned i = 0; i < REQUESTS; ++i) {
        struct dma_stream *s =
            &chip->dma[requests[i].dma].stream[requests[i].stream];

        if (requests[i].usart != usart) {
            continue;
        }
        while (asked(chip, s, i) && move(chip, s, usart, requests[i].out)) {
        }
        update_irq(chip, requests[i].dma, requests[i].stream);
    }
    chip->serving = false;
}

/* ---- registers ---- */

static unsigned flags_shift(unsigned stream)
{
    static const uint8_t shifts[] = {0, 6, 16, 22};

    return shifts[stream % 4];
}

static uint32_t read_flags(const struct dma *dma, unsigned half)
{
    uint32_t flags = 0;

    for (unsigned i = 4 * half; i < 4 * half + 4; ++i) {
        flags |= dma->stream[i].flags << flags_shift(i);
    }
    return flags;
}

static void clear_flags(struct chip *chip, unsigned index, unsigned half,
                        uint32_t value)
{
    for (unsigned i = 4 * half; i < 4 * half + 4; ++i) {
        chip->dma[index].stream[i].flags &= ~(value >> flags_shift(i) & FLAGS);
        update_irq(chip, index, i);
    }
}

/* NULL: there is none that is but set. */
static uint32_t *setting(struct dma *dma, unsigned stream, unsigned offset)
{
    struct dma_stream *s = &dma->stream[stream];

    switch (offset) {
    case S_NDTR:
        return &s->ndtr;
    case S_PAR:
        return &s->par;
    case S_M0AR:
        return &s->m0ar;
    default:
        return NULL;
    }
}

bool dma_read(struct chip *chip, unsigned index, unsigned offset,
              uint32_t *value)
{
    struct dma *dma = &chip->dma[index];
    unsigned stream = (offset - STREAMS) / STREAM_BYTES;
    const uint32_t *reg;

    if (offset < STREAMS) {
        *value = read_flags(dma, offset / 4);
        return offset == LISR || offset == HISR;
    }
    if (stream >= DMA_STREAMS) {
        return false;
    }
    offset = (offset - STREAMS) % STREAM_BYTES;
    reg =
        offset == S_CR ? &dma->stream[stream].cr : setting(dma, stream, offset);
    return device_give(reg, value);
}

/* 10.3.17: what must hold when a stream is enabled. */
static void enable(struct chip *chip, unsigned index, unsigned stream)
{
    struct dma_stream *s = &chip->dma[index].stream[stream];

    if (s->flags != 0) {
        chip_complain(chip, "DMA%u stream %u: enabled with flags %02x",
                      index + 1, stream, s->flags);
    }
    if (s->ndtr == 0) {
        chip_complain(chip, "DMA%u stream %u: enabled for 0 items", index + 1,
                      stream);
        s->cr &= ~CR_EN;
    }
    s->items = s->ndtr;
    s->moved = 0;
}

static void write_cr(struct chip *chip, unsigned index, unsigned stream,
                     uint32_t value)
{
    struct dma_stream *s = &chip->dma[index].stream[stream];
    bool was_on = (s->cr & CR_EN) != 0;

    if (was_on && (value & CR_EN) != 0 &&
        ((s->cr ^ value) & ~CR_INTERRUPTS) != 0) {
        chip_complain(chip, "DMA%u stream %u: CR changes while it is on",
                      index + 1, stream);
        return;
    }
    s->cr = value;
    if (!was_on && (value & CR_EN) != 0) {
        enable(chip, index, stream);
    }
}

static bool write_stream(struct chip *chip, unsigned index, unsigned stream,
                         unsigned offset, uint32_t value)
{
    uint32_t *reg = setting(&chip->dma[index], stream, offset);

    if (offset == S_CR) {
        write_cr(chip, index, stream, value);
        return (value & ~CR_MODELLED) == 0;
    }
    if ((chip->dma[index].stream[stream].cr & CR_EN) != 0) {
        chip_complain(chip, "DMA%u stream %u: %02x is written while it is on",
                      index + 1, stream, offset);
    } else if (reg != NULL) {
        *reg = value;
    }
    return reg != NULL;
}

bool dma_write(struct chip *chip, unsigned index, unsigned offset,
               uint32_t value)
{
    unsigned stream = (offset - STREAMS) / STREAM_BYTES;

    if (offset == LIFCR || offset == HIFCR) {
        clear_flags(chip, index, (offset - LIFCR) / 4, value);
        return true;
    }
    if (offset < STREAMS || stream >= DMA_STREAMS ||
        !write_stream(chip, index, stream, (offset - STREAMS) % STREAM_BYTES,
                      value)) {
        return false;
    }
    update_irq(chip, index, stream);
    for (unsigned usart = 0; usart < USART_COUNT; ++usart) {
        dma_serve_usart(chip, usart);
    }
    return true;
}
