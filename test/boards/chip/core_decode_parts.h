/* SPDX-License-Identifier: Apache-2.0 */
/* What core_decode.c (16 bits, and all of it) and core_decode_32.c share. */
#ifndef TEST_BOARDS_CHIP_CORE_DECODE_PARTS_H
#define TEST_BOARDS_CHIP_CORE_DECODE_PARTS_H

#include "test/boards/chip/core.h"
#include "test/boards/chip/core_decode.h"
#include "test/boards/chip/core_execute.h"

#include <stdbool.h>
#include <stdint.h>

#define EITHER(set_flags, name) ((set_flags) ? name##_s : name)

/* What is decoded: an instruction's halfwords, and where they stand. */
struct source {
    const struct core *core;
    uint32_t address;
    uint32_t first;
    uint32_t second; /* of an instruction of 32 bits */
    bool in_it;
};

/* A field of the bits high to low. */
static inline uint32_t bits(uint32_t value, unsigned high, unsigned low)
{
    return value >> low & (0xffffffffu >> (31u - high + low));
}

static inline uint32_t sign_extend(uint32_t value, unsigned width)
{
    uint32_t sign = 1u << (width - 1u);

    return (value ^ sign) - sign;
}

/* Registers that most instructions of 32 bits must not name. */
static inline bool bad(uint32_t r)
{
    return r == 13 || r == 15;
}

static inline void set(struct core_instruction *to, core_op *execute,
                       uint32_t rd, uint32_t rn, uint32_t rm)
{
    to->execute = execute;
    to->rd = (uint8_t)rd;
    to->rn = (uint8_t)rn;
    to->rm = (uint8_t)rm;
}

static inline void set_imm(struct core_instruction *to, core_op *execute,
                           uint32_t rd, uint32_t rn, uint32_t imm)
{
    set(to, execute, rd, rn, 0);
    to->imm = imm;
    to->ra = CORE_CARRY_AS_IT_WAS;
}

static inline void set_branch(struct core_instruction *to,
                              const struct source *from, core_op *execute,
                              uint32_t offset)
{
    to->execute = execute;
    to->imm = from->address + 4u + offset;
    to->refill = (uint8_t)core_refill(from->core, to->imm);
}

/* Kind 3 by 0 is RRX; the other kinds by 0 are by 32, but LSL, by none. */
static inline uint8_t fixed_shift(uint32_t kind, uint32_t amount)
{
    if (amount == 0 && (kind == 1 || kind == 2)) {
        amount = 32;
    }
    return (uint8_t)(kind << 6 | amount);
}

/* A constant from the instruction's own neighbourhood. */
static inline uint32_t aligned_pc(const struct source *from)
{
    return (from->address + 4u) & ~3u;
}

/* Loads or stores rn's list of registers; how: CORE_LIST_... */
void core_decode_list(struct core_instruction *to, core_op *execute,
                      uint32_t rn, uint32_t list, unsigned how);

/* IT, or a hint such as WFI: 1011 1111 and 8 bits. */
void core_decode_hint(struct core_instruction *to, const struct source *from);

void core_decode_32(struct core_instruction *to, const struct source *from);

#endif
