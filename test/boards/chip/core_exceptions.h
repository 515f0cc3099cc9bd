/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions (ARM DDI 0403, B1.5): HardFault, SysTick and interrupts; entry,
 * return, priorities, faults, and how long interrupts are kept waiting.
 *
 * Cycles: an entry takes 12 from the end of the instruction before it to the
 * begin of the handler's first; a return 10, besides the one of BX or those of
 * POP or LDR; a tail-chain 6 from the end of that instruction. A more urgent
 * exception that comes within an entry takes its place and costs nothing more
 * (late arrival); one that comes within a return is taken after it.
 *
 * Registers of the private peripheral bus (ARM DDI 0403, B3.2 to B3.4), as the
 * firmware uses them:
 *
 *   SysTick  CSR, RVR, CVR written, the last two read, by the processor's clock
 *   NVIC     ISER, ICER, ISPR, ICPR written; a priority's byte read, written
 *   system   VTOR, a reset by AIRCR written; CCR.DIV_0_TRP, SHPR1 to SHPR3,
 *            CFSR, HFSR read and written; MMFAR, BFAR read
 */
#ifndef TEST_BOARDS_CHIP_CORE_EXCEPTIONS_H
#define TEST_BOARDS_CHIP_CORE_EXCEPTIONS_H

#include "test/boards/chip/core.h"

#include <stdbool.h>
#include <stdint.h>

#define CORE_HARD_FAULT 3u
#define CORE_FIRST_IRQ 16u

#define CORE_CCR_DIV_0_TRP (1u << 4)
#define CORE_CCR_STKALIGN (1u << 9)

#define CORE_CFSR_PRECISERR (1u << 9)
#define CORE_CFSR_IMPRECISERR (1u << 10)
#define CORE_CFSR_STKERR (1u << 12)
#define CORE_CFSR_BFARVALID (1u << 15)
#define CORE_CFSR_UNDEFINSTR (1u << 16)
#define CORE_CFSR_DIVBYZERO (1u << 25)

#define CORE_HFSR_FORCED (1u << 30)

/* Nothing active, nothing pending, only what cannot be disabled enabled. */
void core_exceptions_reset(struct core *core);

/* The image needs what the model has not: it stands still, CORE_STOPS. The
   first stays. */
void core_stop(struct core *core, const char *what, uint32_t which);

/* The instruction under way has failed: it will not have executed, and
   HardFault comes next. cfsr: bits to be set. */
void core_fault(struct core *core, uint32_t cfsr);

/* A load's precise bus fault; and a store's, which comes when the instruction
   after it has executed. */
void core_bus_fault(struct core *core, uint32_t address);
void core_bus_fault_later(struct core *core);

/* A barrier: such a bus fault comes before the next instruction. */
void core_bus_fault_now(struct core *core);

void core_pend(struct core *core, unsigned exception);
void core_unpend(struct core *core, unsigned exception);
void core_enable(struct core *core, unsigned exception, bool enabled);
void core_set_priority(struct core *core, unsigned exception, uint8_t priority);

/* Priorities or what masks them have changed. */
void core_priority_changed(struct core *core);

/* The instruction was a branch to EXC_RETURN in a handler. */
void core_exception_return(struct core *core, uint32_t exc_return);

/* WFI. */
void core_sleep(struct core *core);

/* Between instructions: begins or goes on with what is due. Result: false:
   core_run() ends, with *event. */
bool core_attend(struct core *core, enum core_event *event);

/* Aligned. Whatever else stops the model. */
void core_system_read(struct core *core, uint32_t address, unsigned bytes,
                      uint32_t *value);
void core_system_write(struct core *core, uint32_t address, unsigned bytes,
                       uint32_t value);

/* Brings SysTick up to core->cycle: its flag, and its exception if pending. */
void core_tick(struct core *core);

/* When SysTick pends its exception next; UINT64_MAX: it does not. */
uint64_t core_tick_next(const struct core *core);

#endif
