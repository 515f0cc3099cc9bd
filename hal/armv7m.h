/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that every ARMv7-M processor has. Names and offsets are those of
   the architecture manual (ARM DDI 0403, B3.2 to B3.4). */
#ifndef HAL_ARMV7M_H
#define HAL_ARMV7M_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

struct armv7m_nvic {
    volatile uint32_t ISER[32];
    volatile uint32_t ICER[32];
    volatile uint32_t ISPR[32];
    volatile uint32_t ICPR[32];
    volatile uint32_t IABR[64];
    volatile uint8_t IPR[496];
};

static_assert(offsetof(struct armv7m_nvic, ICER) == 0x080, "B3.4.3");
static_assert(offsetof(struct armv7m_nvic, ISPR) == 0x100, "B3.4.3");
static_assert(offsetof(struct armv7m_nvic, ICPR) == 0x180, "B3.4.3");
static_assert(offsetof(struct armv7m_nvic, IPR) == 0x300, "B3.4.3");

#define NVIC ((struct armv7m_nvic *)0xE000E100u)

struct armv7m_scb {
    volatile uint32_t CPUID;
    volatile uint32_t ICSR;
    volatile uint32_t VTOR;
    volatile uint32_t AIRCR;
    volatile uint32_t SCR;
    volatile uint32_t CCR;
    volatile uint32_t SHPR1;
    volatile uint32_t SHPR2;
    volatile uint32_t SHPR3;
    volatile uint32_t SHCSR;
    volatile uint32_t CFSR;
    volatile uint32_t HFSR;
    volatile uint32_t DFSR;
    volatile uint32_t MMFAR;
    volatile uint32_t BFAR;
};

static_assert(offsetof(struct armv7m_scb, VTOR) == 0x08, "B3.2.2");
static_assert(offsetof(struct armv7m_scb, AIRCR) == 0x0c, "B3.2.2");
static_assert(offsetof(struct armv7m_scb, CFSR) == 0x28, "B3.2.2");
static_assert(offsetof(struct armv7m_scb, BFAR) == 0x38, "B3.2.2");

#define SCB ((struct armv7m_scb *)0xE000ED00u)
#define SCB_CCR_DIV_0_TRP (1u << 4)
#define SCB_AIRCR_VECTKEY (0x05fau << 16)
#define SCB_AIRCR_SYSRESETREQ (1u << 2)

struct armv7m_systick {
    volatile uint32_t CSR;
    volatile uint32_t RVR;
    volatile uint32_t CVR;
};

#define SYST ((struct armv7m_systick *)0xE000E010u)
#define SYST_CSR_ENABLE (1u << 0)
#define SYST_CSR_TICKINT (1u << 1)
#define SYST_CSR_CLKSOURCE (1u << 2) /* counts the processor's clock */
#define SCB_SHPR3_SYSTICK_SHIFT 24

static inline void armv7m_interrupt_enable(unsigned irq)
{
    NVIC->ISER[irq / 32] = 1u << irq % 32;
}

/* Makes the handler run as if the device had requested the interrupt. */
static inline void armv7m_interrupt_pend(unsigned irq)
{
    NVIC->ISPR[irq / 32] = 1u << irq % 32;
}

/* Sets an interrupt's priority; 0 is the most urgent. A chip implements only
   the upper bits of `priority`. */
static inline void armv7m_interrupt_priority(unsigned irq, uint8_t priority)
{
    NVIC->IPR[irq] = priority;
}

/* Masks all interrupts; calls nest. Result: argument for armv7m_unmask(). A
   test on the host has no interrupts to mask. */
static inline uint32_t armv7m_mask(void)
{
    uint32_t before = 0;

#ifdef __arm__
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before)::"memory");
#endif
    return before;
}

static inline void armv7m_unmask(uint32_t before)
{
#ifdef __arm__
    __asm volatile("msr primask, %0" ::"r"(before) : "memory");
#else
    (void)before;
#endif
}

/* Masks interrupts of this priority and less urgent ones; calls nest. Result:
   argument for armv7m_unmask_from(). An interrupt masked so does not end WFI.
 */
static inline uint32_t armv7m_mask_from(uint32_t priority)
{
    uint32_t before;

    __asm volatile("mrs %0, basepri\n\tmsr basepri_max, %1"
                   : "=&r"(before)
                   : "r"(priority)
                   : "memory");
    return before;
}

static inline void armv7m_unmask_from(uint32_t before)
{
    __asm volatile("msr basepri, %0" ::"r"(before) : "memory");
}

/* Waits until all earlier writes to memory are complete. */
static inline void armv7m_barrier(void)
{
#ifdef __arm__
    __asm volatile("dsb" ::: "memory");
#endif
}

/* Resets the processor and the chip around it (B3.2.6). */
static inline _Noreturn void armv7m_reset(void)
{
    armv7m_barrier();
    SCB->AIRCR = SCB_AIRCR_VECTKEY | SCB_AIRCR_SYSRESETREQ;
    armv7m_barrier();
    for (;;) {
    }
}

#endif
