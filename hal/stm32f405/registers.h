/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of the STM32F405/407, as in RM0090 Rev 19; comments name sections.
   Unused registers are left out, or are in fields `unused_OFFSET`. */
#ifndef HAL_STM32F405_REGISTERS_H
#define HAL_STM32F405_REGISTERS_H

#include "hal/armv7m.h"

#define REGISTER_AT(group, name, offset)                                       \
    static_assert(offsetof(struct group, name) == (offset), "RM0090")

/* ---- memory map, 2.3 ---- */

#define CCM_BASE 0x10000000u
#define UID_BASE 0x1FFF7A10u /* unique id, 96 bits, 39.1 */
/* Addresses of the factory's 12-bit ADC readings at 3.3 V: the reference, and
   the temperature sensor at 30 and 110 degrees (data sheet, 5.3.22, 5.3.24). */
#define VREFIN_CAL 0x1FFF7A2Au
#define TS_CAL1 0x1FFF7A2Cu
#define TS_CAL2 0x1FFF7A2Eu

/* ---- power, 5.4 ---- */

#define PWR_CR (*(volatile uint32_t *)0x40007000u)
#define PWR_CR_VOS (1u << 14) /* scale 1: needed above 144 MHz */

/* ---- reset and clocks, 7.3 ---- */

struct stm32_rcc {
    volatile uint32_t CR;
    volatile uint32_t PLLCFGR;
    volatile uint32_t CFGR;
    uint32_t unused_0c[9];
    volatile uint32_t AHB1ENR;
    uint32_t unused_34[3];
    volatile uint32_t APB1ENR;
    volatile uint32_t APB2ENR;
    uint32_t unused_48[11];
    volatile uint32_t CSR;
};

REGISTER_AT(stm32_rcc, AHB1ENR, 0x30);
REGISTER_AT(stm32_rcc, APB1ENR, 0x40);
REGISTER_AT(stm32_rcc, APB2ENR, 0x44);
REGISTER_AT(stm32_rcc, CSR, 0x74);

#define RCC ((struct stm32_rcc *)0x40023800u)
#define RCC_CR_HSION (1u << 0)
#define RCC_CR_HSIRDY (1u << 1)
#define RCC_CR_HSEON (1u << 16)
#define RCC_CR_HSERDY (1u << 17)
#define RCC_CR_HSEBYP (1u << 18)
#define RCC_CR_PLLON (1u << 24)
#define RCC_CR_PLLRDY (1u << 25)
#define RCC_PLLCFGR_PLLN_SHIFT 6
#define RCC_PLLCFGR_PLLSRC_HSE (1u << 22)
#define RCC_PLLCFGR_PLLQ_SHIFT 24
#define RCC_CFGR_SW_PLL 2u
#define RCC_CFGR_SW_MASK 3u
#define RCC_CFGR_SWS_SHIFT 2
#define RCC_CFGR_RTCPRE_SHIFT 16
#define RCC_CFGR_RTCPRE_MASK 31u
#define RCC_CFGR_PPRE1_DIV4 (5u << 10)
#define RCC_CFGR_PPRE2_DIV2 (4u << 13)
#define RCC_AHB1ENR_GPIOAEN (1u << 0) /* of bank A; bit n is for bank n */
#define RCC_AHB1ENR_DMA1EN (1u << 21)
#define RCC_AHB1ENR_DMA2EN (1u << 22)
#define RCC_APB1ENR_TIM2EN (1u << 0)
#define RCC_APB1ENR_USART2EN (1u << 17)
#define RCC_APB1ENR_USART3EN (1u << 18)
#define RCC_APB1ENR_UART4EN (1u << 19)
#define RCC_APB1ENR_UART5EN (1u << 20)
#define RCC_APB1ENR_PWREN (1u << 28)
#define RCC_APB2ENR_USART1EN (1u << 4)
#define RCC_APB2ENR_USART6EN (1u << 5)
#define RCC_APB2ENR_ADC1EN (1u << 8)
#define RCC_APB2ENR_TIM11EN (1u << 18)
#define RCC_CSR_RMVF (1u << 24)
#define RCC_CSR_BORRSTF (1u << 25)
#define RCC_CSR_PINRSTF (1u << 26)
#define RCC_CSR_PORRSTF (1u << 27)
#define RCC_CSR_SFTRSTF (1u << 28)
#define RCC_CSR_IWDGRSTF (1u << 29)
#define RCC_CSR_WWDGRSTF (1u << 30)
#define RCC_CSR_LPWRRSTF (1u << 31)

/* ---- flash interface, 3.9 ---- */

#define FLASH_ACR (*(volatile uint32_t *)0x40023C00u)
#define FLASH_ACR_LATENCY_5WS 5u
#define FLASH_ACR_LATENCY_MASK 7u
#define FLASH_ACR_PRFTEN (1u << 8)
#define FLASH_ACR_ICEN (1u << 9)
#define FLASH_ACR_DCEN (1u << 10)

/* ---- pins, 8.4 ---- */

struct stm32_gpio {
    volatile uint32_t MODER;
    uint32_t unused_04;
    volatile uint32_t OSPEEDR;
    volatile uint32_t PUPDR;
    uint32_t unused_10[2];
    volatile uint32_t BSRR;
    uint32_t unused_1c;
    volatile uint32_t AFRL; /* pins 0 to 7, four bits each */
    volatile uint32_t AFRH; /* pins 8 to 15 */
};

REGISTER_AT(stm32_gpio, BSRR, 0x18);
REGISTER_AT(stm32_gpio, AFRL, 0x20);
REGISTER_AT(stm32_gpio, AFRH, 0x24);

#define GPIOA ((struct stm32_gpio *)0x40020000u)
#define GPIOB ((struct stm32_gpio *)0x40020400u)
#define GPIOC ((struct stm32_gpio *)0x40020800u)
#define GPIOD ((struct stm32_gpio *)0x40020C00u)
#define GPIOE ((struct stm32_gpio *)0x40021000u)
#define GPIO_MODER_OUTPUT 1u
#define GPIO_MODER_ALTERNATE 2u
#define GPIO_MODER_MASK 3u
#define GPIO_OSPEEDR_HIGH 2u
#define GPIO_PUPDR_UP 1u

/* ---- serial ports, 30.6 ---- */

struct stm32_usart {
    volatile uint32_t SR;
    volatile uint32_t DR;
    volatile uint32_t BRR;
    volatile uint32_t CR1;
    uint32_t unused_10;
    volatile uint32_t CR3;
};

REGISTER_AT(stm32_usart, CR3, 0x14);

#define USART1 ((struct stm32_usart *)0x40011000u)
#define USART2 ((struct stm32_usart *)0x40004400u)
#define USART3 ((struct stm32_usart *)0x40004800u)
#define UART4 ((struct stm32_usart *)0x40004C00u)
#define UART5 ((struct stm32_usart *)0x40005000u)
#define USART6 ((struct stm32_usart *)0x40011400u)
#define USART_SR_FE (1u << 1)
#define USART_SR_NF (1u << 2)
#define USART_SR_ORE (1u << 3)
#define USART_SR_IDLE (1u << 4)
#define USART_SR_RXNE (1u << 5)
#define USART_SR_TC (1u << 6)
#define USART_SR_TXE (1u << 7)
#define USART_CR1_RE (1u << 2)
#define USART_CR1_TE (1u << 3)
#define USART_CR1_IDLEIE (1u << 4)
#define USART_CR1_RXNEIE (1u << 5)
#define USART_CR1_TXEIE (1u << 7)
#define USART_CR1_UE (1u << 13)
#define USART_CR1_OVER8 (1u << 15)
#define USART_CR3_EIE (1u << 0)
#define USART_CR3_DMAR (1u << 6)
#define USART_CR3_DMAT (1u << 7)

/* ---- DMA, 10.5 ---- */

struct stm32_dma_stream {
    volatile uint32_t CR;
    volatile uint32_t NDTR;
    volatile uint32_t PAR;
    volatile uint32_t M0AR;
    uint32_t unused_10[2];
};

/* Flags of streams 0 to 3 are in [0] (LISR, LIFCR), of 4 to 7 in [1]. */
struct stm32_dma {
    volatile uint32_t ISR[2];
    volatile uint32_t IFCR[2];
    struct stm32_dma_stream S[8];
};

REGISTER_AT(stm32_dma, S[0], 0x10);
REGISTER_AT(stm32_dma, S[7].M0AR, 0xc4);

#define DMA1 ((struct stm32_dma *)0x40026000u)
#define DMA2 ((struct stm32_dma *)0x40026400u)
#define DMA_CR_EN (1u << 0)
#define DMA_CR_DMEIE (1u << 1)
#define DMA_CR_TEIE (1u << 2)
#define DMA_CR_TCIE (1u << 4)
#define DMA_CR_DIR_TO_PERIPHERAL (1u << 6)
#define DMA_CR_CIRC (1u << 8)
#define DMA_CR_MINC (1u << 10)
#define DMA_CR_CHSEL_SHIFT 25
#define DMA_ISR_DMEIF (1u << 2)
#define DMA_ISR_TEIF (1u << 3)
#define DMA_ISR_HTIF (1u << 4)
#define DMA_ISR_TCIF (1u << 5)
#define DMA_ISR_ALL 0x3du

/* ---- TIM2 (18.4) and TIM11 (19.5), which has fewer registers ---- */

struct stm32_tim {
    volatile uint32_t CR1;
    uint32_t unused_04[2];
    volatile uint32_t DIER;
    volatile uint32_t SR;
    volatile uint32_t EGR;
    volatile uint32_t CCMR1;
    uint32_t unused_1c;
    volatile uint32_t CCER;
    volatile uint32_t CNT;
    volatile uint32_t PSC;
    volatile uint32_t ARR;
    uint32_t unused_30;
    volatile uint32_t CCR[4]; /* CCR1 to CCR4 */
    uint32_t unused_44[3];
    volatile uint32_t OR;
};

REGISTER_AT(stm32_tim, EGR, 0x14);
REGISTER_AT(stm32_tim, CNT, 0x24);
REGISTER_AT(stm32_tim, CCR, 0x34);
REGISTER_AT(stm32_tim, OR, 0x50);

#define TIM2 ((struct stm32_tim *)0x40000000u) /* counts with 32 bits */
#define TIM11 ((struct stm32_tim *)0x40014800u)
#define TIM_CR1_CEN (1u << 0)
#define TIM_DIER_CC1IE (1u << 1)
#define TIM_SR_CC1IF (1u << 1)
#define TIM_CCMR1_CC1S_TI1 (1u << 0)
#define TIM_CCMR1_IC1PSC_8 (3u << 2)
#define TIM_CCER_CC1E (1u << 0)
#define TIM11_OR_HSE_RTC 2u
#define TIM_EGR_UG (1u << 0)

/* ---- analog to digital, 13.13 ---- */

struct stm32_adc {
    volatile uint32_t SR;
    uint32_t unused_04;
    volatile uint32_t CR2;
    volatile uint32_t SMPR1;
    uint32_t unused_10[9];
    volatile uint32_t SQR3;
    uint32_t unused_38[5];
    volatile uint32_t DR;
};

REGISTER_AT(stm32_adc, SQR3, 0x34);
REGISTER_AT(stm32_adc, DR, 0x4c);

#define ADC1 ((struct stm32_adc *)0x40012000u)
#define ADC_CCR (*(volatile uint32_t *)0x40012304u)
#define ADC_SR_EOC (1u << 1)
#define ADC_CR2_ADON (1u << 0)
#define ADC_CR2_SWSTART (1u << 30)
#define ADC_CCR_ADCPRE_DIV4 (1u << 16)
#define ADC_CCR_TSVREFE (1u << 23)

/* ---- independent watchdog, 21.4 ---- */

struct stm32_iwdg {
    volatile uint32_t KR;
    volatile uint32_t PR;
    volatile uint32_t RLR;
    volatile uint32_t SR;
};

#define IWDG ((struct stm32_iwdg *)0x40003000u)
#define IWDG_KR_UNLOCK 0x5555u
#define IWDG_KR_FEED 0xAAAAu
#define IWDG_KR_START 0xCCCCu
#define IWDG_PR_DIV64 4u
#define IWDG_SR_PVU (1u << 0)
#define IWDG_SR_RVU (1u << 1)

/* ---- debug support, 38.16 ---- */

struct stm32_dbgmcu {
    uint32_t unused_00;
    volatile uint32_t CR;
    volatile uint32_t APB1_FZ;
};

#define DBGMCU ((struct stm32_dbgmcu *)0xE0042000u)
#define DBGMCU_CR_DBG_SLEEP (1u << 0)
#define DBGMCU_APB1_FZ_IWDG_STOP (1u << 12)

/* ---- interrupts, table 62 ---- */

enum stm32_irq {
    DMA1_Stream3_IRQ = 14,
    DMA1_Stream4_IRQ = 15,
    DMA1_Stream6_IRQ = 17,
    TIM2_IRQ = 28,
    USART1_IRQ = 37,
    USART2_IRQ = 38,
    USART3_IRQ = 39,
    DMA1_Stream7_IRQ = 47,
    UART4_IRQ = 52,
    UART5_IRQ = 53,
    DMA2_Stream6_IRQ = 69,
    DMA2_Stream7_IRQ = 70,
    USART6_IRQ = 71,
    STM32_IRQS = 82
};

#endif
