/* SPDX-License-Identifier: Apache-2.0 */
/* DMA (RM0090, 10): direct mode, peripheral to memory and back, one item a
   request, circular and double buffers. */
#ifndef TEST_BOARDS_CHIP_DMA_H
#define TEST_BOARDS_CHIP_DMA_H

#include <stdbool.h>
#include <stdint.h>

struct chip;

#define DMA_COUNT 2u
#define DMA_STREAMS 8u

struct dma_stream {
    uint32_t cr;
    uint32_t ndtr;
    uint32_t par;
    uint32_t m0ar;
    uint32_t m1ar;
    uint32_t fcr;
    uint32_t items; /* NDTR when it was enabled */
    uint32_t moved; /* items since then, or since the last wrap */
    uint32_t flags; /* FEIF, DMEIF, TEIF, HTIF, TCIF as in the first stream's
                       bits of LISR */
};

struct dma {
    struct dma_stream stream[DMA_STREAMS];
};

void dma_reset(struct chip *chip, unsigned index);
uint32_t dma_read(struct chip *chip, unsigned index, unsigned offset);
void dma_write(struct chip *chip, unsigned index, unsigned offset,
               uint32_t value);

/* Devices' requests may have changed: serves them. */
void dma_serve_usart(struct chip *chip, unsigned usart);

#endif
