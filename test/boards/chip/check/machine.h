/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A processor with 64 KB of flash, 16 KB of RAM and one register outside, for
 * tests that write their instructions one by one. Thread code begins at MAIN
 * with NOPs; the handler of exception n is at HANDLER(n) and returns at once.
 */
#ifndef TEST_BOARDS_CHIP_CHECK_MACHINE_H
#define TEST_BOARDS_CHIP_CHECK_MACHINE_H

#include "test/boards/chip/core.h"
#include "test/unit/unit.h"

#include <stdint.h>

#define MAIN (CORE_FLASH_BASE + 0x400u)
#define HANDLER(exception) (CORE_FLASH_BASE + 0x1000u + 0x40u * (exception))
#define IRQ(n) (16u + (n))
#define STACK (CORE_RAM_BASE + 0x4000u)
#define DEVICE 0x40000000u  /* reads as what was written */
#define NOTHING 0x50000000u /* no answer: a bus fault */

struct machine {
    struct core core;
    uint8_t flash[0x10000];
    uint8_t ram[0x4000];
    uint64_t spent[0x8000];
    uint32_t device;
    unsigned device_wait; /* of each access */
    unsigned device_irq;  /* raised by a write; 0: none */
};

/* One for all tests: reset, at MAIN. */
struct machine *machine_new(void);

/* Puts halfwords at an address of the flash; the last is END. */
#define END 0xffffu
void machine_code(struct machine *machine, uint32_t at, const uint16_t *code);
#define CODE(machine, at, ...)                                                 \
    machine_code((machine), (at), (const uint16_t[]){__VA_ARGS__, END})

/* So many cycles, instructions, or until the instruction at `at` is next (no
   more than 10,000 instructions). */
enum core_event machine_run(struct machine *machine, uint64_t cycles);
void machine_step(struct machine *machine, unsigned instructions);
void machine_go(struct machine *machine, uint32_t at);

uint32_t machine_word(const struct machine *machine, uint32_t address);

/* System registers, as a program would read and write them. */
uint32_t machine_get(struct machine *machine, uint32_t address);
void machine_set(struct machine *machine, uint32_t address, uint32_t value);

/* Enables an interrupt with a priority. */
void machine_enable(struct machine *machine, unsigned irq, uint8_t priority);

#define SYST_CSR 0xe000e010u
#define SYST_RVR 0xe000e014u
#define NVIC_ISER 0xe000e100u
#define NVIC_ICPR 0xe000e280u
#define NVIC_IPR 0xe000e400u
#define SCB_AIRCR 0xe000ed0cu
#define SCB_CCR 0xe000ed14u
#define SCB_CFSR 0xe000ed28u
#define SCB_HFSR 0xe000ed2cu
#define SCB_BFAR 0xe000ed38u

/* Instructions; registers are r0 to r7. */
#define NOP 0xbf00
#define NOP_W 0xf3af, 0x8000
#define UDF 0xde00
#define WFI 0xbf30
#define CPSID_I 0xb672
#define CPSIE_I 0xb662
#define MSR(special, r) (uint16_t)(0xf380 | (r)), 0x8800 | (special)
#define BASEPRI 17
#define BASEPRI_MAX 18
#define DSB 0xf3bf, 0x8f4f
#define BX_LR 0x4770
#define B(halfwords) (uint16_t)(0xe000 | (((halfwords)-2) & 0x7ff))
#define MOVS(r, imm) (uint16_t)(0x2000 | (r) << 8 | (imm))
#define ADDS(r, imm) (uint16_t)(0x3000 | (r) << 8 | (imm))
#define LDR(r, base, offset)                                                   \
    (uint16_t)(0x6800 | (offset) << 4 | (base) << 3 | (r))
#define STR(r, base, offset)                                                   \
    (uint16_t)(0x6000 | (offset) << 4 | (base) << 3 | (r))
#define LDR_PC(r, words) (uint16_t)(0x4800 | (r) << 8 | (words))

void check_cycles(struct unit *unit);
void check_exceptions(struct unit *unit);

#endif
