/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions that the model has, as in ARM DDI 0403, A5: one table, by
 * which core_decode() reads code and check/differ.c makes some to compare.
 *
 * A form's bits are 16 or 32, the first halfword first. A letter is a field,
 * its bits in order of appearance:
 *
 *   d      destination, or what is stored; e: the second one, another than d
 *   n m a  operands: a is an addend, or the second that is stored
 *   q      destination and first operand
 *   b x    base and index of an address
 *   D N M Q  the same, but may be sp
 *   i h    constant; h: its bits 15 to 12
 *   u      0: the constant is subtracted
 *   s      1: sets the flags
 *   k v    kind of a shift (LSL, LSR, ASR, ROR), and by how much
 *   z      the same amount, or a mask, but not 0
 *   w W    of a bit field that begins at v: width - 1, or its highest bit
 *   c      condition; y: writes the base back
 *   R l p  list of registers, with lr, with pc
 *
 * Fields of 4 bits that name a register name neither sp nor pc, but for b and
 * the capital letters, which may be sp. What no form takes (other registers
 * there, such as are UNPREDICTABLE, too) the model does not have.
 */
#ifndef TEST_BOARDS_CHIP_CORE_FORMS_H
#define TEST_BOARDS_CHIP_CORE_FORMS_H

#include "test/boards/chip/core.h"

#include <stdbool.h>
#include <stdint.h>

/* What is made of the constant. */
enum core_constant {
    CORE_PLAIN,
    CORE_TIMES_2,
    CORE_TIMES_4,
    CORE_DOWN,      /* is subtracted */
    CORE_EXPANDED,  /* of 12 bits: A5.3.2 */
    CORE_FROM_PC,   /* an address: that of the next word, and so much */
    CORE_FROM_PC_4, /* so many words */
    CORE_TABLE,     /* address + 4 */
    CORE_BLOCK,     /* of IT: condition and mask */
    CORE_LIST,
    /* Branches: halfwords from address + 4. */
    CORE_FORWARD,
    CORE_NEAR,
    CORE_FAR,
    CORE_FAR_IF
};

#define CORE_NOT_IN_IT 1u
#define CORE_TWICE 2u /* n and m are the same register */
#define CORE_APART 4u /* has tests of its own, not in check/differ.c */

struct core_form {
    const char *bits;
    core_op *execute[2]; /* [1]: sets the flags; of 16 bits, out of IT blocks */
    enum core_constant constant;
    uint8_t rd, rn; /* registers that have no field; else 0 */
    uint8_t fixed;  /* a shift's kind << 6, or CORE_LIST_... */
    uint8_t cycles; /* charged before it executes; 0: 1 */
    uint8_t flags;  /* CORE_NOT_IN_IT .. */
};

extern const struct core_form core_forms[];
extern const unsigned core_form_count;

/* The fields of an instruction, by their letters. */
struct core_fields {
    uint32_t value[128];
    uint8_t width[128]; /* bits; 0: the form has none of this letter */
};

/* An instruction of 16 bits is the upper half of `word`. Result: whether it is
   of the form; *fields: what it says. */
bool core_form_takes(const struct core_form *form, uint32_t word,
                     struct core_fields *fields);

/* The instruction at key's address, as core_decode(), whether it is marked or
   not. */
void core_decode_plain(struct core_instruction *to, const struct core *core,
                       uint32_t key);

/* The instruction at key's address; bit 0 of the key: it is in an IT block,
   where those of 16 bits do not set flags. Where the model has none: one that
   stops it. Never fails. */
void core_decode(struct core_instruction *to, const struct core *core,
                 uint32_t key);

/* The cycles that a taken branch costs besides its own. */
unsigned core_refill(const struct core *core, uint32_t target);

#endif
