/* SPDX-License-Identifier: Apache-2.0 */
/* Serial ports, asynchronous, 8N1 (RM0090, 30). Bytes on a line have a start
   time and a bit's length; a receiver samples at its own (30.3.3). */
#ifndef TEST_BOARDS_CHIP_USART_H
#define TEST_BOARDS_CHIP_USART_H

#include <stdbool.h>
#include <stdint.h>

struct chip;

#define USART_COUNT 6u /* USART1, 2, 3, UART4, 5, USART6 */
#define USART_INCOMING 8u

/* A frame on the line. */
struct usart_frame {
    uint64_t start_fs;
    uint64_t bit_fs;
    uint8_t byte;
    bool damaged; /* its samples disagree: NF */
};

struct usart {
    uint32_t sr;
    uint32_t brr;
    uint32_t cr1;
    uint32_t cr2;
    uint32_t cr3;
    uint32_t gtpr;
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
    uint64_t received; /* bytes since power-on */
    uint64_t sent;
    uint64_t overruns;
};

void usart_reset(struct chip *chip, unsigned index);
uint32_t usart_read(struct chip *chip, unsigned index, unsigned offset);
void usart_write(struct chip *chip, unsigned index, unsigned offset,
                 uint32_t value);
void usart_frame(struct chip *chip, unsigned index,
                 const struct usart_frame *frame);

/* CHIP_SENT, CHIP_RECEIVED, CHIP_IDLE. */
void usart_sent(struct chip *chip, unsigned index);
void usart_received(struct chip *chip, unsigned index);
void usart_idle(struct chip *chip, unsigned index);

/* The bus's clock changed. */
void usart_retime(struct chip *chip, unsigned index);

/* Whether DMA is asked for now: to send, to receive. */
bool usart_wants_tx(const struct chip *chip, unsigned index);
bool usart_wants_rx(const struct chip *chip, unsigned index);

#endif
