/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts that follow from a USART's number: its bus (RM0090, 2.3), the alternate
 * function of its pins (data sheet, table 9), and the DMA streams and channels
 * that can serve it (RM0090, tables 42 and 43). Streams are chosen so that all
 * six USARTs can send and receive by DMA.
 */
#ifndef HAL_STM32F405_USARTS_H
#define HAL_STM32F405_USARTS_H

/*                             device  bus  function DMA  TX stream, channel
                                                          RX stream, channel */
#define USARTS_1(FACTS) FACTS(USART1, APB2, 7, DMA2, 7, 4, 2, 4)
#define USARTS_2(FACTS) FACTS(USART2, APB1, 7, DMA1, 6, 4, 5, 4)
#define USARTS_3(FACTS) FACTS(USART3, APB1, 7, DMA1, 3, 4, 1, 4)
#define USARTS_4(FACTS) FACTS(UART4, APB1, 8, DMA1, 4, 4, 2, 4)
#define USARTS_5(FACTS) FACTS(UART5, APB1, 8, DMA1, 7, 4, 0, 4)
#define USARTS_6(FACTS) FACTS(USART6, APB2, 8, DMA2, 6, 5, 1, 5)

/* Expands to FACTS(...) of the USART `number`, which may be a macro. */
#define USARTS_FACTS(number, FACTS) USARTS_PASTE(number, FACTS)
#define USARTS_PASTE(number, FACTS) USARTS_##number(FACTS)

/* Interrupts (RM0090, table 62) of a USART and of its sending DMA stream. */
#define USARTS_IRQ(number) USARTS_FACTS(number, USARTS_FACT_IRQ)
#define USARTS_TX_IRQ(number) USARTS_FACTS(number, USARTS_FACT_TX_IRQ)

#define USARTS_FACT_IRQ(device, ...) device##_IRQ
#define USARTS_FACT_TX_IRQ(device, bus, function, dma, tx, ...)                \
    dma##_Stream##tx##_IRQ

#endif
