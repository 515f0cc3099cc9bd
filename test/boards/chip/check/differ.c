/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processor's model against Unicorn, an independent one: differ [SEED]
 * [BATCHES]. Each batch begins with random registers and flags and executes 16
 * random instructions of the model's own table, some of them in IT blocks, on
 * both; then registers, flags and memory are the same. Batches stand one behind
 * another in the flash.
 *
 * Not compared is what has its own tests in exceptions.c and cycles.c: forms
 * that are CORE_APART. Prints TAP.
 */
#include "test/boards/chip/core.h"
#include "test/boards/chip/core_forms.h"
#include "test/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicorn/unicorn.h>

#define CODE_AT 0x10000u
#define CODE_HALVES 60000u
#define FLASH_BYTES 0x40000u
#define RAM_BYTES 0x10000u
#define BATCH 16u
#define FLAGS 0xf80f0000u /* NZCVQ, GE */

static uint8_t flash[FLASH_BYTES] __attribute__((aligned(4096)));
/* Theirs, and ours. */
static uint8_t ram[RAM_BYTES] __attribute__((aligned(4096)));
static uint8_t our_ram[RAM_BYTES];

static struct core core;
static uc_engine *uc;
static uint64_t seed = 1, batches = 12000;

struct state {
    uint32_t r[16];
    uint32_t flags;
};

struct batch {
    uint32_t from, to; /* addresses */
    struct state begin;
};

static const int registers[16] = {
    UC_ARM_REG_R0,  UC_ARM_REG_R1,  UC_ARM_REG_R2,  UC_ARM_REG_R3,
    UC_ARM_REG_R4,  UC_ARM_REG_R5,  UC_ARM_REG_R6,  UC_ARM_REG_R7,
    UC_ARM_REG_R8,  UC_ARM_REG_R9,  UC_ARM_REG_R10, UC_ARM_REG_R11,
    UC_ARM_REG_R12, UC_ARM_REG_R13, UC_ARM_REG_R14, UC_ARM_REG_R15,
};

/* ---- both machines ---- */

static void must(uc_err err, const char *what)
{
    if (err != UC_ERR_OK) {
        printf("Bail out! %s: %s\n", what, uc_strerror(err));
        exit(2);
    }
}

static void open_unicorn(void)
{
    if (uc != NULL) {
        uc_close(uc);
    }
    must(uc_open(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS, &uc), "open");
    must(uc_ctl_set_cpu_model(uc, UC_CPU_ARM_CORTEX_M4), "model");
    must(uc_mem_map_ptr(uc, CORE_FLASH_BASE, FLASH_BYTES, UC_PROT_ALL, flash),
         "flash");
    must(uc_mem_map_ptr(uc, CORE_RAM_BASE, RAM_BYTES, UC_PROT_ALL, ram), "ram");
}

static bool no_read(void *context, uint32_t address, unsigned bytes,
                    uint32_t *value, unsigned *wait)
{
    (void)context, (void)address, (void)bytes, (void)value, (void)wait;
    return false;
}

static bool no_write(void *context, uint32_t address, unsigned bytes,
                     uint32_t value, unsigned *wait)
{
    (void)context, (void)address, (void)bytes, (void)value, (void)wait;
    return false;
}

static void open_core(void)
{
    const struct core_config config = {
        .flash = flash,
        .flash_bytes = FLASH_BYTES,
        .ram = our_ram,
        .ram_bytes = RAM_BYTES,
        .bus = {no_read, no_write, NULL},
    };

    core_init(&core, &config);
}

/* Result: what went wrong, or NULL. */
static const char *run_theirs(const struct batch *batch, struct state *state)
{
    uc_err err;
    uint32_t xpsr = batch->begin.flags | 1u << 24;

    for (unsigned i = 0; i < 15; ++i) {
        must(uc_reg_write(uc, registers[i], &batch->begin.r[i]), "write");
    }
    must(uc_reg_write(uc, UC_ARM_REG_XPSR, &xpsr), "xpsr");
    err = uc_emu_start(uc, batch->from | 1u, batch->to, 0, 0);
    for (unsigned i = 0; i < 16; ++i) {
        must(uc_reg_read(uc, registers[i], &state->r[i]), "read");
    }
    must(uc_reg_read(uc, UC_ARM_REG_XPSR, &xpsr), "xpsr");
    state->flags = xpsr & FLAGS;
    return err == UC_ERR_OK ? NULL : uc_strerror(err);
}

static const char *run_ours(const struct batch *batch, struct state *state)
{
    unsigned left = 10u * BATCH;

    memcpy(core.r, batch->begin.r, sizeof core.r);
    core.r[15] = batch->from;
    core.xpsr = batch->begin.flags | 1u << 24;
    for (; left > 0 && core.r[15] != batch->to; --left) {
        if (core_run(&core, core.cycle + 1u) != CORE_RAN || core.fault) {
            break;
        }
    }
    memcpy(state->r, core.r, sizeof core.r);
    state->flags = core.xpsr & FLAGS;
    return core.fault ? "fault" : core.missing;
}

/* ---- batches ---- */

static uint64_t random_state;

static uint32_t random_word(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) ^ (uint32_t)(random_state >> 20);
}

static uint32_t any(uint32_t below)
{
    return random_word() % below;
}

/* Values at the edges are as frequent as all others. */
static uint32_t operand(void)
{
    static const uint32_t edges[] = {
        0,          1,          2,          0x7f,       0x80,       0xff,
        0x7fff,     0x8000,     0xffff,     0x7fffffff, 0x80000000, 0x80000001,
        0xffffffff, 0xfffffffe, 0x80008000, 0x7fff7fff, 0x80807f7f, 31,
        32,         33,         0x00010000, 0xffff0000, 0x40000000, 0xc0000000};

    if (any(2) == 0) {
        return edges[any(sizeof edges / sizeof *edges)];
    }
    return random_word() >> (any(4) == 0 ? any(32) : 0);
}

static void put(uint32_t *at, uint16_t half)
{
    flash[*at] = (uint8_t)half;
    flash[*at + 1u] = (uint8_t)(half >> 8);
    *at += 2;
}

/* ---- instructions ---- */

static bool is_branch(const struct core_form *form)
{
    return form->constant >= CORE_FORWARD;
}

/* Over the one instruction of 16 bits that is put behind it. */
static uint32_t skips(enum core_constant constant)
{
    switch (constant) {
    case CORE_FAR:
        return 1u << 12 | 1u << 11 | 1u; /* J1, J2 */
    case CORE_FAR_IF:
        return 1;
    default:
        return 0;
    }
}

static bool needs_aligned(const struct core_form *form)
{
    return form->constant == CORE_LIST || form->cycles == 3; /* LDRD, STRD */
}

/* A value for a field that keeps r6, a small index, and the bases r7, a
   multiple of 4, r9 and sp, all in the middle of RAM. */
static uint32_t field(const struct core_form *form, char letter, unsigned width)
{
    switch (letter) {
    case 'b':
        return width == 3 || needs_aligned(form) ? 7 : 9;
    case 'x':
        return 6;
    case 'R': /* at least two of r0 to r5 */
        return 3u << any(5) | any(64);
    case 'i':
        return is_branch(form) ? skips(form->constant) : any(1u << width);
    default:
        return any(1u << width);
    }
}

static bool is_kept(uint32_t r)
{
    return r == 6 || r == 7 || r == 9 || r == 13;
}

static bool may_be_made(const struct core_form *form,
                        const struct core_fields *f)
{
    const uint32_t *v = f->value;

    if (form->constant == CORE_EXPANDED && (v['i'] & 255u) == 0) {
        return false; /* to be repeated: UNPREDICTABLE */
    }
    if (f->width['b'] != 0 && f->width['a'] != 0 && v['a'] == v['b']) {
        return false; /* written back, and stored */
    }
    return !is_kept(v['d']) && !is_kept(v['D']) && !is_kept(v['q']) &&
           !is_kept(v['Q']) && !is_kept(v['e']);
}

static uint32_t make_form(const struct core_form *form)
{
    struct core_fields fields;
    uint32_t word;

    do {
        uint32_t value[128];
        unsigned width[128] = {0}, left = 32;

        for (const char *at = form->bits; *at != '\0'; ++at) {
            width[(unsigned char)*at] += 1;
        }
        word = 0;
        for (const char *at = form->bits; *at != '\0'; ++at) {
            unsigned letter = (unsigned char)*at;
            uint32_t bit = letter - '0';

            if (letter > '1') {
                if (strchr(form->bits, *at) == at) {
                    value[letter] = field(form, *at, width[letter]);
                }
                bit = value[letter] >> --width[letter] & 1u;
            }
            word |= bit << --left;
        }
    } while (!core_form_takes(form, word, &fields) ||
             !may_be_made(form, &fields));
    return word;
}

static const struct core_form *put_form(uint32_t *at, bool in_it)
{
    const struct core_form *form;
    uint32_t word;

    do {
        form = &core_forms[any(core_form_count)];
    } while ((form->flags & CORE_APART) != 0 || (in_it && is_branch(form)));
    word = make_form(form);
    put(at, (uint16_t)(word >> 16));
    if (strlen(form->bits) == 32) {
        put(at, (uint16_t)word);
    }
    return form;
}

/* An IT block of 1 to 4: condition and mask are any that are allowed. */
static unsigned put_block(uint32_t *at)
{
    uint32_t mask = 1u + any(15), condition = any(14);
    unsigned count = 4u - (unsigned)__builtin_ctz(mask);

    put(at, (uint16_t)(0xbf00u | condition << 4 | mask));
    for (unsigned i = 0; i < count; ++i) {
        put_form(at, true);
    }
    return count;
}

static void make_batch(struct batch *batch, uint32_t *at)
{
    batch->from = CORE_FLASH_BASE + *at;
    put(at, 0xfa81); /* uadd8 r0, r1, r2: Unicorn does not set GE */
    put(at, 0xf042);
    for (unsigned i = 0; i < BATCH; ++i) {
        if (any(6) == 0) {
            i += put_block(at);
        } else if (is_branch(put_form(at, false))) {
            put(at, (uint16_t)(0x2000u | any(6) << 8 | any(256)));
        }
    }
    batch->to = CORE_FLASH_BASE + *at;
    put(at, 0xbf00);
    for (unsigned i = 0; i < 15; ++i) {
        batch->begin.r[i] = operand();
    }
    batch->begin.r[6] = any(64);
    batch->begin.r[7] = CORE_RAM_BASE + RAM_BYTES / 2u + 4u * any(64);
    batch->begin.r[9] = CORE_RAM_BASE + RAM_BYTES / 2u + any(256);
    batch->begin.r[13] = CORE_RAM_BASE + RAM_BYTES / 2u + 4u * any(64);
    batch->begin.flags = any(32) << 27;
}

/* ---- comparison ---- */

static bool equal(const struct state *ours, const struct state *theirs)
{
    return memcmp(ours->r, theirs->r, sizeof ours->r) == 0 &&
           ours->flags == theirs->flags && memcmp(ram, our_ram, RAM_BYTES) == 0;
}

static void print_state(const char *whose, const char *error,
                        const struct state *state)
{
    printf("# %s %s:", whose, error != NULL ? error : "ran");
    for (unsigned i = 0; i < 16; ++i) {
        printf(" %x", (unsigned)state->r[i]);
    }
    printf(" flags %08x\n", (unsigned)state->flags);
}

static bool compare(const struct batch *batch)
{
    struct state ours, theirs;
    const char *their_error = run_theirs(batch, &theirs);
    const char *our_error = run_ours(batch, &ours);

    if (our_error == NULL && their_error == NULL && equal(&ours, &theirs)) {
        return true;
    }
    printf("# code at %08x:", (unsigned)batch->from);
    for (uint32_t at = batch->from; at < batch->to; at += 2) {
        const uint8_t *code = flash + (at - CORE_FLASH_BASE);

        printf(" %02x%02x", code[1], code[0]);
    }
    printf("\n");
    print_state("before", NULL, &batch->begin);
    print_state("ours", our_error, &ours);
    print_state("theirs", their_error, &theirs);
    return false;
}

static void test_as_unicorn(struct unit *unit)
{
    uint32_t at = FLASH_BYTES;

    random_state = seed;
    for (uint32_t i = 0; i < RAM_BYTES; ++i) {
        ram[i] = our_ram[i] = (uint8_t)any(256);
    }
    for (uint64_t i = 0; i < batches && unit->checks_failed == 0; ++i) {
        struct batch batch;

        if (at >= CODE_AT + 2u * CODE_HALVES) {
            at = CODE_AT;
            memset(flash, 0xff, sizeof flash);
            open_unicorn();
            open_core();
        }
        make_batch(&batch, &at);
        if (!compare(&batch)) {
            printf("# seed %llu batch %llu\n", (unsigned long long)seed,
                   (unsigned long long)i);
            CHECK(unit, false);
        }
    }
}

static void put_text(void *context, const char *text)
{
    fputs(text, (FILE *)context);
}

int main(int argc, char **argv)
{
    struct unit unit = {.put = put_text, .context = stdout};

    if (argc > 1) {
        seed = strtoull(argv[1], NULL, 0);
    }
    if (argc > 2) {
        batches = strtoull(argv[2], NULL, 0);
    }
    UNIT_RUN(&unit, test_as_unicorn);
    unit_plan(&unit);
    uc_close(uc);
    return unit.tests_failed != 0;
}
