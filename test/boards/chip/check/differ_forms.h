/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encodings that the processor's model is compared with Unicorn on, as in
 * ARM DDI 0403, A5. A form is 16 or 32 bits, first halfword first; a letter is
 * a field, its bits in order of appearance:
 *
 *   d e   destinations, not the same; not a base, index, sp or pc
 *   n m a any register but sp and pc (of three bits: any)
 *   i     any bits; z: any but 0; c: a condition but AL
 *   L W   of bit fields: lowest bit, and highest; w: width - 1
 *   R     a list of r0 to r5: registers, at least two
 *
 * Bases are r7, a multiple of 4, and r9, which may be any, both in the middle
 * of RAM; sp is one, too; r6 is a small index.
 */
#ifndef TEST_BOARDS_CHIP_CHECK_DIFFER_FORMS_H
#define TEST_BOARDS_CHIP_CHECK_DIFFER_FORMS_H

#include <stdint.h>

/* Not in an IT block. */
#define DIFFER_ALONE 1u
/* A branch, over the one instruction of 16 bits that is put behind it. */
#define DIFFER_SKIPS 2u

struct differ_form {
    const char *name;
    const char *bits;
    unsigned flags;
};

extern const struct differ_form differ_forms[];
extern const unsigned differ_form_count;

struct differ_random {
    uint64_t state;
};

uint32_t differ_random(struct differ_random *random);

/* An instruction of the form: 1 or 2 halfwords. Result: how many. */
unsigned differ_make(uint16_t *code, const struct differ_form *form,
                     struct differ_random *random);

#endif
