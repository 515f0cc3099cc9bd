/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the model of the processor is: bench IMAGE.bin [MILLISECONDS] runs a
 * firmware's image for so much of its time, with 5 wait states and no devices.
 * All of them read 0 (so the firmware takes the board for an emulated one), but
 * for the status of serial lines, which are ready to send. Without an image: a
 * loop of several kinds of instructions. Exit status: 1 if the image has
 * faulted, or done what the architecture does not define.
 */
#include "test/boards/chip/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FLASH_BYTES 0x100000u
#define RAM_BYTES 0x20000u
#define CCM_BYTES 0x10000u
#define CLOCK_HZ 168000000u
#define LOOP_CYCLES 400000000u

static uint8_t flash[FLASH_BYTES], ram[RAM_BYTES], ccm[CCM_BYTES];

static bool is_serial(uint32_t address)
{
    uint32_t page = address & ~0x3ffu;

    return page == 0x40011000u || page == 0x40011400u ||
           (page >= 0x40004400u && page < 0x40005400u);
}

static bool bus_read(void *context, uint32_t address, unsigned bytes,
                     uint32_t *value, unsigned *wait)
{
    (void)context;
    (void)bytes;
    (void)wait;
    *value = is_serial(address) && (address & 0x3ffu) == 0 ? 0xc0u : 0;
    return address < 0x60000000u;
}

static bool bus_write(void *context, uint32_t address, unsigned bytes,
                      uint32_t value, unsigned *wait)
{
    (void)context;
    (void)bytes;
    (void)value;
    (void)wait;
    return address < 0x60000000u;
}

/* Loads, stores, arithmetic, shifts, an IT block, a call and branches. */
static const uint16_t loop[] = {
    0x4c0d,         /*     ldr r4, =0x20000000 */
    0x2500,         /*     movs r5, #0 */
    0x6820,         /* 1:  ldr r0, [r4] */
    0x6861,         /*     ldr r1, [r4, #4] */
    0x1840,         /*     adds r0, r0, r1 */
    0x00c2,         /*     lsls r2, r0, #3 */
    0x404a,         /*     eors r2, r1 */
    0x60a2,         /*     str r2, [r4, #8] */
    0x2800,         /*     cmp r0, #0 */
    0xbfb8,         /*     it lt */
    0x4240,         /*     rsblt r0, r0, #0 */
    0xeb05, 0x1560, /* add r5, r5, r0, asr #5 */
    0xf000, 0xf804, /* bl 2f */
    0x3601,         /*     adds r6, #1 */
    0xb2b3,         /*     uxth r3, r6 */
    0x6063,         /*     str r3, [r4, #4] */
    0xe7ee,         /*     b 1b */
    0xb410,         /* 2:  push {r4} */
    0x7820,         /*     ldrb r0, [r4] */
    0x4343,         /*     muls r3, r0 */
    0xf3c3, 0x1307, /* ubfx r3, r3, #4, #8 */
    0xbc10,         /*     pop {r4} */
    0x4770,         /*     bx lr */
    0xbf00, 0xbf00, /* nops */
    0x0000, 0x2000, /* .word 0x20000000 */
};

static void load_loop(void)
{
    const uint32_t vectors[2] = {CORE_RAM_BASE + RAM_BYTES,
                                 CORE_FLASH_BASE + 0x201u};

    memcpy(flash, vectors, sizeof vectors);
    memcpy(flash + 0x200, loop, sizeof loop);
}

static bool load_image(const char *name)
{
    FILE *file = fopen(name, "rb");
    size_t bytes;

    if (file == NULL) {
        perror(name);
        return false;
    }
    bytes = fread(flash, 1, sizeof flash, file);
    fclose(file);
    return bytes > 8;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Result: an exit status. */
static int report(const struct core *core, enum core_event event, double took)
{
    bool faulted = event == CORE_LOCKED_UP || core->stats[3].entries != 0;

    printf("instructions %llu cycles %llu\n",
           (unsigned long long)core->instructions,
           (unsigned long long)core->cycle);
    printf("M instructions/s %.1f\n", 1e-6 * (double)core->instructions / took);
    if (core->complaint != NULL) {
        printf("complaint %s at %08x\n", core->complaint,
               (unsigned)core->complaint_pc);
    }
    if (faulted) {
        printf("faulted at %08x\n", (unsigned)core->r[15]);
    }
    return faulted || core->complaint != NULL;
}

int main(int argc, char **argv)
{
    const struct core_config config = {
        .flash = flash,
        .flash_bytes = FLASH_BYTES,
        .ram = ram,
        .ram_bytes = RAM_BYTES,
        .ccm = ccm,
        .ccm_bytes = CCM_BYTES,
        .bus = {bus_read, bus_write, NULL},
    };
    const struct core_flash accelerator = {5, true, true, true};
    static struct core core;
    uint64_t cycles = LOOP_CYCLES;
    enum core_event event;
    double began;

    memset(flash, 0xff, sizeof flash);
    if (argc < 2) {
        load_loop();
    } else if (load_image(argv[1])) {
        cycles = CLOCK_HZ / 1000u * strtoull(argc > 2 ? argv[2] : "200", 0, 0);
    } else {
        return 2;
    }
    core_init(&core, &config);
    core_reset(&core);
    core_set_flash(&core, &accelerator);
    began = seconds();
    event = core_run(&core, cycles);
    return report(&core, event, seconds() - began);
}
