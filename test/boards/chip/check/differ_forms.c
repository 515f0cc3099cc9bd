/* SPDX-License-Identifier: Apache-2.0 */
#include "test/boards/chip/check/differ_forms.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Each form of 32 bits that an operation has: constant, shifted register. */
#define DATA(name, op)                                                         \
    {name " constant", "11110i0" op "0nnnn0iiiddddzzzzzzzz", 0},               \
        {name "s constant", "11110i0" op "1nnnn0iiiddddzzzzzzzz", 0},          \
        {name " register", "1110101" op "0nnnn0iiiddddiiiimmmm", 0},           \
    {                                                                          \
        name "s register", "1110101" op "1nnnn0iiiddddiiiimmmm", 0             \
    }
#define MOVES(name, op)                                                        \
    {name " constant", "11110i0" op "011110iiiddddzzzzzzzz", 0},               \
        {name "s constant", "11110i0" op "111110iiiddddzzzzzzzz", 0},          \
        {name " register", "1110101" op "011110iiiddddiiiimmmm", 0},           \
    {                                                                          \
        name "s register", "1110101" op "111110iiiddddiiiimmmm", 0             \
    }
#define COMPARES(name, op)                                                     \
    {name " constant", "11110i0" op "1nnnn0iii1111zzzzzzzz", 0},               \
    {                                                                          \
        name " register", "1110101" op "1nnnn0iii1111iiiimmmm", 0              \
    }
#define EXTENDS(name, op)                                                      \
    {name, "111110100" op "11111111dddd10iimmmm", 0},                          \
    {                                                                          \
        name " and add", "111110100" op "nnnn1111dddd10iimmmm", 0              \
    }
/* r7 or r9 as base, in all modes. */
#define TRANSFERS(name, top, op)                                               \
    {name ".w", "1111100" top "1" op "0111ddddiiiiiiiiiiii", 0},               \
        {name " down", "1111100" top "0" op "1001dddd1100iiiiiiii", 0},        \
        {name " index", "1111100" top "0" op "1001dddd000000ii0110", 0},       \
        {name " before", "1111100" top "0" op "1001dddd11i1iiiiiiii", 0},      \
        {name " after", "1111100" top "0" op "1001dddd10i1iiiiiiii", 0},       \
    {                                                                          \
        name " unprivileged", "1111100" top "0" op "1001dddd1110iiiiiiii", 0   \
    }

const struct differ_form differ_forms[] = {
    /* ---- 16 bits ---- */
    {"shift constant", "000iiiiiiiiiiddd", 0}, /* and ADD, SUB: 00011 */
    {"mov constant", "00100dddiiiiiiii", 0},
    {"cmp constant", "00101nnniiiiiiii", 0},
    {"add constant", "00110dddiiiiiiii", 0},
    {"sub constant", "00111dddiiiiiiii", 0},
    {"data", "010000iiiimmmddd", 0},
    {"add high", "01000100dmmmmddd", 0},
    {"cmp high", "010001011mmmm001", 0},
    {"mov high", "01000110dmmmmddd", 0},
    {"mov pc high", "01000110d1111ddd", 0},
    {"ldr literal", "01001dddiiiiiiii", 0},
    {"str index", "0101000110111ddd", 0},
    {"strh index", "0101001110111ddd", 0},
    {"strb index", "0101010110111ddd", 0},
    {"ldrsb index", "0101011110111ddd", 0},
    {"ldr index", "0101100110111ddd", 0},
    {"ldrh index", "0101101110111ddd", 0},
    {"ldrb index", "0101110110111ddd", 0},
    {"ldrsh index", "0101111110111ddd", 0},
    {"str, ldr", "0110iiiiii111ddd", 0},
    {"strb, ldrb", "0111iiiiii111ddd", 0},
    {"strh, ldrh", "1000iiiiii111ddd", 0},
    {"str, ldr sp", "1001idddiiiiiiii", 0},
    {"adr", "10100dddiiiiiiii", 0},
    {"add sp", "10101dddiiiiiiii", 0},
    {"sub sp, sp", "101100001000iiii", 0},
    {"add sp, sp", "101100000000iiii", 0},
    {"extend", "10110010iimmmddd", 0},
    {"rev", "1011101000mmmddd", 0},
    {"rev16", "1011101001mmmddd", 0},
    {"revsh", "1011101011mmmddd", 0},
    {"push", "1011010i00RRRRRR", 0},
    {"pop", "1011110000RRRRRR", 0},
    {"stm", "1100011100RRRRRR", 0},
    {"ldm", "1100111100RRRRRR", 0},
    {"nop", "1011111100000000", 0},
    {"beq and so on", "1101cccc00000000", DIFFER_ALONE | DIFFER_SKIPS},
    {"b", "1110000000000000", DIFFER_ALONE | DIFFER_SKIPS},
    {"cbz, cbnz", "1011i00100000nnn", DIFFER_ALONE | DIFFER_SKIPS},
    /* ---- 32 bits: data ---- */
    DATA("and", "0000"),
    DATA("bic", "0001"),
    DATA("orr", "0010"),
    DATA("orn", "0011"),
    DATA("eor", "0100"),
    DATA("add", "1000"),
    DATA("adc", "1010"),
    DATA("sbc", "1011"),
    DATA("sub", "1101"),
    DATA("rsb", "1110"),
    MOVES("mov", "0010"),
    MOVES("mvn", "0011"),
    COMPARES("tst", "0000"),
    COMPARES("teq", "0100"),
    COMPARES("cmn", "1000"),
    COMPARES("cmp", "1101"),
    {"addw", "11110i100000nnnn0iiiddddiiiiiiii", 0},
    {"subw", "11110i101010nnnn0iiiddddiiiiiiii", 0},
    {"adr.w", "11110i10000011110iiiddddiiiiiiii", 0},
    {"adr.w down", "11110i10101011110iiiddddiiiiiiii", 0},
    {"add sp constant", "11110i10000011010iiiddddiiiiiiii", 0},
    {"cmp sp", "11110i01101111010iii1111zzzzzzzz", 0},
    {"add sp register", "11101011000011010iiiddddiiiimmmm", 0},
    {"movw", "11110i100100iiii0iiiddddiiiiiiii", 0},
    {"movt", "11110i101100iiii0iiiddddiiiiiiii", 0},
    {"ssat", "111100110000nnnn0iiiddddii0iiiii", 0},
    {"ssat asr", "111100110010nnnn0zzzddddzz0iiiii", 0},
    {"usat", "111100111000nnnn0iiiddddii0iiiii", 0},
    {"usat asr", "111100111010nnnn0zzzddddzz0iiiii", 0},
    {"sbfx", "111100110100nnnn0LLLddddLL0wwwww", 0},
    {"ubfx", "111100111100nnnn0LLLddddLL0wwwww", 0},
    {"bfi", "111100110110nnnn0LLLddddLL0WWWWW", 0},
    {"bfc", "11110011011011110LLLddddLL0WWWWW", 0},
    /* ---- registers ---- */
    {"shift", "111110100ii0nnnn1111dddd0000mmmm", 0},
    {"shifts", "111110100ii1nnnn1111dddd0000mmmm", 0},
    EXTENDS("sxth", "000"),
    EXTENDS("uxth", "001"),
    EXTENDS("sxtb", "100"),
    EXTENDS("uxtb", "101"),
    {"uadd8", "111110101000nnnn1111dddd0100mmmm", 0},
    {"rev.w", "11111010100100111111dddd10ii0011", 0},
    {"sel", "111110101010nnnn1111dddd1000mmmm", 0},
    {"clz", "11111010101101001111dddd10000100", 0},
    /* ---- multiplication, division ---- */
    {"mul", "111110110000nnnn1111dddd0000mmmm", 0},
    {"mla", "111110110000nnnnaaaadddd0000mmmm", 0},
    {"mls", "111110110000nnnnaaaadddd0001mmmm", 0},
    {"smulxy", "111110110001nnnn1111dddd00iimmmm", 0},
    {"smull", "111110111000nnnnddddeeee0000mmmm", 0},
    {"sdiv", "111110111001nnnn1111dddd1111mmmm", 0},
    {"umull", "111110111010nnnnddddeeee0000mmmm", 0},
    {"udiv", "111110111011nnnn1111dddd1111mmmm", 0},
    {"smlal", "111110111100nnnnddddeeee0000mmmm", 0},
    {"smlalxy", "111110111100nnnnddddeeee10iimmmm", 0},
    {"umlal", "111110111110nnnnddddeeee0000mmmm", 0},
    /* ---- loads and stores ---- */
    TRANSFERS("strb", "0", "000"),
    TRANSFERS("strh", "0", "010"),
    TRANSFERS("str", "0", "100"),
    TRANSFERS("ldrb", "0", "001"),
    TRANSFERS("ldrh", "0", "011"),
    TRANSFERS("ldr", "0", "101"),
    TRANSFERS("ldrsb", "1", "001"),
    TRANSFERS("ldrsh", "1", "011"),
    {"ldr literal.w", "11111000i1011111dddd0000iiiiiiii", 0},
    {"ldrd, strd", "11101001i10i0111ddddeeee00iiiiii", 0},
    {"ldrd, strd before", "11101001i11i0111ddddeeee00iiiiii", 0},
    {"ldrd, strd after", "11101000i11i0111ddddeeee00iiiiii", 0},
    {"ldm.w", "1110100010i101110000000000RRRRRR", 0},
    {"ldmdb", "1110100100i101110000000000RRRRRR", 0},
    {"stm.w", "1110100010i001110i00000000RRRRRR", 0},
    {"stmdb", "1110100100i001110i00000000RRRRRR", 0},
    {"pld", "1111100010010111111100000000iiii", 0},
    /* ---- branches and flags ---- */
    {"b.w if", "11110000cc0000001000000000000001", DIFFER_ALONE | DIFFER_SKIPS},
    {"b.w", "11110000000000001011100000000001", DIFFER_ALONE | DIFFER_SKIPS},
    {"bl", "11110000000000001111100000000001", DIFFER_ALONE | DIFFER_SKIPS},
    {"mrs apsr", "11110011111011111000dddd00000000", 0},
    {"msr apsr", "111100111000nnnn1000110000000000", 0},
    {"msr nzcvq", "111100111000nnnn1000100000000000", 0},
};
const unsigned differ_form_count = sizeof differ_forms / sizeof *differ_forms;

uint32_t differ_random(struct differ_random *random)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random->state >> 33) ^ (uint32_t)(random->state >> 20);
}

static unsigned width_of(const char *bits, char letter)
{
    unsigned width = 0;

    for (; *bits != '\0'; ++bits) {
        width += *bits == letter ? 1u : 0u;
    }
    return width;
}

static bool is_reserved(uint32_t r)
{
    return r == 6 || r == 7 || r == 9 || r == 13 || r == 15;
}

/* Whether a field may have that value, the others being as in fields[]. */
static bool allowed(char letter, uint32_t value, unsigned width,
                    const uint32_t *fields)
{
    switch (letter) {
    case 'e':
        return !is_reserved(value) && value != fields['d'];
    case 'd':
        return !is_reserved(value);
    case 'n':
    case 'm':
    case 'a':
        return value != 13 && value != 15;
    case 'z':
        return value != 0;
    case 'c':
        return width < 4 || value < 14;
    case 'W':
        return value >= fields['L'];
    case 'w':
        return value + fields['L'] <= 31;
    case 'R':
        return (value & (value - 1u)) != 0;
    default:
        return true;
    }
}

unsigned differ_make(uint16_t *code, const struct differ_form *form,
                     struct differ_random *random)
{
    uint32_t fields[128] = {0}, word = 0;
    unsigned left[128] = {0};
    size_t bits = strlen(form->bits);

    for (const char *at = form->bits; *at != '\0'; ++at) {
        unsigned letter = (unsigned char)*at;

        if (letter <= '1') {
            word = word << 1 | (letter - '0');
            continue;
        }
        if (left[letter] == 0) {
            unsigned width = width_of(form->bits, *at);

            do {
                fields[letter] = differ_random(random) & ((1u << width) - 1u);
            } while (!allowed(*at, fields[letter], width, fields));
            left[letter] = width;
        }
        left[letter] -= 1;
        word = word << 1 | (fields[letter] >> left[letter] & 1u);
    }
    if (bits == 16) {
        code[0] = (uint16_t)word;
        return 1;
    }
    code[0] = (uint16_t)(word >> 16);
    code[1] = (uint16_t)word;
    return 2;
}
