/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processor of the chip model: a Cortex-M4 without floating point (ARM DDI
 * 0403, ARMv7-M; ARM 100166, its Technical Reference Manual), its exceptions,
 * NVIC, SysTick and system registers, and the flash accelerator that its
 * instructions and constants come through (RM0090, 3.5.2). It executes an image
 * instruction by instruction and counts the cycles that each takes.
 *
 * No I/O, no memory of its own, no global state: a process may hold any number
 * of them. Everything outside the three memories and the private peripheral bus
 * is asked of the caller (struct core_bus).
 *
 * What a cycle count is worth: an instruction's cycles are those of table 3-1
 * of the manual; where that gives a range (a taken branch takes 1 to 3 more)
 * this model takes what core_control.c (branches), core_transfer.c (loads and
 * stores), core_data.c (division) and core_exceptions.h say. The flash
 * accelerator is modelled line by line (core_memory.h).
 *
 * Not modelled: bus contention with DMA (the caller may charge wait cycles),
 * folding of IT, a load that waits for the one before it, breaking off or
 * resuming LDM, STM and division for an interrupt (they end first), and the
 * order in which the bus matrix serves.
 *
 * It has what the product's images need: the instructions of core_forms.c, the
 * registers that core_exceptions.h names, PRIMASK, BASEPRI, MSP and IPSR,
 * HardFault, SysTick and interrupts, code in the flash. An image that needs
 * more stops the model (CORE_STOPS), which says of what; most of what the
 * manual calls UNPREDICTABLE does, too.
 *
 * A store that nothing answers, or one to the flash, is an imprecise bus fault:
 * HardFault is pended when the instruction behind the store has executed, or by
 * a barrier before it.
 */
#ifndef TEST_BOARDS_CHIP_CORE_H
#define TEST_BOARDS_CHIP_CORE_H

#include <stdbool.h>
#include <stdint.h>

#define CORE_IRQS 82u /* of an STM32F405: RM0090, table 62 */
#define CORE_EXCEPTIONS (16u + CORE_IRQS)
#define CORE_SYSTICK 15u
#define CORE_PRIORITIES 16u /* four bits: level n is priority n << 4 */

#define CORE_FLASH_BASE 0x08000000u /* also seen at 0 */
#define CORE_RAM_BASE 0x20000000u
#define CORE_CCM_BASE 0x10000000u /* data only: nothing is fetched from it */

/*
 * Everything else: peripherals and what is not there. bytes: 1, 2 or 4, the
 * address aligned to it. *wait: cycles beyond those of an access to RAM, 0
 * before the call. Result: false: nothing answers, a bus fault.
 */
struct core_bus {
    bool (*read)(void *context, uint32_t address, unsigned bytes,
                 uint32_t *value, unsigned *wait);
    bool (*write)(void *context, uint32_t address, unsigned bytes,
                  uint32_t value, unsigned *wait);
    void *context;
};

/*
 * Functions of the image whose calls and returns are told, such as a kernel's:
 * all cores that share a table of instructions share one, too. To be told
 * costs the processor no cycle.
 */
#define CORE_MARKS 32u
struct core_marks {
    uint32_t count;
    struct {
        uint32_t at;   /* an instruction's address */
        uint32_t call; /* the function's, whose return is there; or `at` */
    } mark[CORE_MARKS];
};

/* The caller's memories; they stay as long as the core does. Sizes are
   multiples of 4, the flash 8 bytes to 1 MB. */
struct core_config {
    const uint8_t *flash; /* what is not written reads as 0xff; must not change
                             after core_init(), which decodes it once */
    uint32_t flash_bytes;
    uint8_t *ram;
    uint32_t ram_bytes;
    uint8_t *ccm; /* NULL: there is none */
    uint32_t ccm_bytes;
    struct core_bus bus;
    uint64_t *spent; /* NULL, or cycles charged to each halfword of flash */
    struct core_marks *marks; /* NULL: none */
    /* The marked function is called, or has returned to who called it. */
    void (*passed)(void *context, uint32_t call, bool returned);
    void *context; /* of passed() */
};

/* How the flash is read now: what FLASH_ACR says. */
struct core_flash {
    unsigned wait_states;
    bool prefetch;
    bool instruction_cache;
    bool data_cache;
};

/* An instruction as it was decoded: what executes it, and on what. */
struct core;
struct core_instruction;
typedef void core_op(struct core *core, const struct core_instruction *of);

struct core_instruction {
    core_op *execute;
    uint32_t key;  /* its address, bit 0 set in an IT block; CORE_NO_KEY */
    uint32_t line; /* of the flash, or CORE_MANY_LINES */
    uint32_t imm;  /* operand, offset, target or list of registers */
    uint8_t rd;    /* also Rt */
    uint8_t rn;
    uint8_t rm;
    uint8_t ra;    /* also RdHi, Rt2, or the carry of an immediate */
    uint8_t shift; /* of rm: kind << 6 | amount; 0: none */
    uint8_t bytes;
    uint8_t cycles; /* charged before it executes */
    uint8_t refill; /* charged if it branches to a known target */
};

#define CORE_DECODED 16384u     /* halfwords: 32 KB of code at a time */
#define CORE_FLASH_LINES 65536u /* of 16 bytes: 1 MB */
#define CORE_NO_LINE 0xffffffffu
#define CORE_MANY_LINES 0xfffffffeu /* two, or not in the flash */
#define CORE_NO_KEY 0xffffffffu
#define CORE_NOT_HELD UINT64_MAX

enum core_event {
    CORE_RAN,       /* `until` has come */
    CORE_SLEEPS,    /* WFI, and nothing is pending that would wake it */
    CORE_RESETS,    /* SYSRESETREQ: the caller resets the chip */
    CORE_LOCKED_UP, /* a fault in HardFault: stands still until a reset */
    CORE_STOPS      /* the image needs what the model has not: for good */
};

/* Opaque to the caller but for the first part, which may be read (and the
   registers written, in a test of single instructions). */
struct core {
    uint32_t r[16]; /* r[15]: of the next instruction; r[13]: the active sp */
    uint64_t cycle; /* of the processor's clock, since core_init(); while it
                       sleeps, too */
    uint64_t until; /* see core_run(); a bus function may lower it */
    uint64_t instructions;
    uint64_t slept; /* cycles of them in WFI */
    uint32_t xpsr;  /* flags, GE, IT and exception number, all up to date
                       outside core_run() */
    uint32_t primask;
    uint32_t basepri;
    /* The longest stretch of cycles in which an interrupt of this level could
       not have begun, since core_forget(). From
       the begin of an entry to the end of a return; a tail-chain ends it for
       levels as urgent as the next handler. A sleep that the interrupt would
       end does not count, though PRIMASK may be set. */
    uint64_t held_max[CORE_PRIORITIES];
    /* What the image needs and the model has not; NULL: nothing. Which (the
       instruction, the address, the register), and the instruction's place. */
    const char *missing;
    uint32_t missing_which;
    uint32_t missing_pc;

    struct core_config config;
    struct core_flash flash;

    /* ---- the implementation's own ---- */

    uint64_t limit;    /* instructions run without a look around until then */
    uint32_t at;       /* the instruction under way */
    uint32_t line;     /* of the flash, that the last instruction came from */
    uint32_t it;       /* ITSTATE; 0: not in an IT block */
    uint32_t it_at;    /* and before the instruction under way */
    uint32_t negative; /* N is its bit 31 */
    uint32_t zero;     /* Z is set if it is 0 */
    uint32_t carry;    /* 0 or 1, as are overflow and saturated (Q) */
    uint32_t overflow;
    uint32_t saturated;
    uint32_t ge;        /* 4 bits */
    uint32_t exception; /* IPSR */
    uint64_t piped_at;  /* when the last single load or store ended */
    bool sleeping;
    bool resets;
    bool locked_up;
    bool fault;            /* synchronous, to be taken next */
    uint64_t imprecise_at; /* a bus fault of a store is pended; 0: none */
    struct core_exceptions {
        int priority; /* that executes now: -1 to 256 */
        uint8_t of[CORE_EXCEPTIONS];
        uint32_t pending[4]; /* bit n % 32 of word n / 32 is exception n */
        uint32_t enabled[4];
        uint32_t active[4];
        uint32_t high[4];                     /* request lines */
        bool entering;                        /* a frame is being pushed */
        uint64_t entry_ends;                  /* at this cycle */
        uint32_t entry_lr;                    /* EXC_RETURN */
        uint64_t held_since[CORE_PRIORITIES]; /* CORE_NOT_HELD: it is not */
    } exceptions;
    struct core_system {
        uint32_t vtor;
        uint32_t ccr;
        uint32_t cfsr;
        uint32_t hfsr;
        uint32_t bfar;
        uint32_t tick_ctrl; /* SysTick */
        uint32_t tick_load;
        uint32_t tick_value;     /* while it stands still */
        uint64_t tick_zero_at;   /* reaches 0 at this cycle; 0: stands still */
        uint64_t tick_reload_at; /* and is 0 before this one */
    } system;
    struct core_accelerator {
        uint64_t free_at;       /* the flash reads a line until this cycle */
        uint32_t prefetched;    /* a line, or CORE_NO_LINE */
        uint64_t prefetched_at; /* can be had from then on */
        uint32_t instruction_lines[64];
        uint8_t newer[64]; /* by slot: a ring of the lines by their last use */
        uint8_t older[64];
        uint8_t newest;
        uint64_t uses;
        uint32_t data_lines[8];
        uint64_t data_used[8];
        uint8_t slot[CORE_FLASH_LINES]; /* of a line that the cache of
                                           instructions has there */
    } accelerator;
    uint32_t loaded;                  /* what goes to pc */
    struct core_instruction *decoded; /* own[], or another core's */
    struct core_instruction own[CORE_DECODED];
};

/* From now on both use one table of decoded instructions, which stays in
   `other`: for cores of one process and thread that have the same flash. Saves
   the host's caches. After core_init(), before core_run(). */
void core_share(struct core *core, const struct core *other);

/* Marks a function. False: there are too many. */
bool core_mark(struct core *core, uint32_t address);

/* Everything as at power-on, but registers that a reset leaves unknown are 0.
   Does not start: core_reset(). */
void core_init(struct core *core, const struct core_config *config);

/* The processor's reset: takes sp and pc from the vectors at 0 (flash). Keeps
   cycle, instructions and statistics. */
void core_reset(struct core *core);

/* From the next instruction on. Changing the wait states or disabling a cache
   loses nothing; the caches are flushed by core_flush(). */
void core_set_flash(struct core *core, const struct core_flash *flash);
void core_flush(struct core *core, bool instructions, bool data);

/*
 * Executes until core->cycle >= until, sleeping through WFI if something is
 * pending by then only: CORE_SLEEPS says that it sleeps, with cycle at `until`
 * unless SysTick or core_set_irq() would wake it before. (A sleeping core is
 * run on by the same call: its SysTick goes on counting.) A bus function that
 * has made an event earlier than `until` lowers core->until.
 */
enum core_event core_run(struct core *core, uint64_t until);

/* A device's request line: pends the interrupt on a rising edge, and again at
   the return from its handler while it is high (ARM DDI 0403, B3.4.1). Any
   time, also from a bus function. */
void core_set_irq(struct core *core, unsigned irq, bool high);

/* held_max: begins anew. What is under way counts from now. */
void core_forget(struct core *core);

#endif
