/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many instructions a kernel's job takes on the board, and the same job
 * written plainly (references.h). Run under -icount shift=5, where an
 * instruction takes 32 ns of the clock, with a job in the PSRAM:
 *
 *    0  the kernel's name, 0 up to 16 bytes
 *   16  u32 bytes of a unit   20  u32 units
 *   24  u32 bytes of the argument   28  u32 where the load begins
 *   32  the argument
 *
 * The load lies at a multiple of four, and is whole: nothing is before or after
 * it. The frame around it is that of the unit tests on the target
 * (test/target), which calls unit_all(): here that is the table, one line for
 * the kernel, then one for each of its references:
 *
 *   name, instructions, CRC-32 of the result, of the output
 */
#include "hal/clock.h"
#include "hal/crc32.h"
#include "hal/mps2/registers.h"
#include "test/bench/count.h"
#include "test/bench/kernels/references.h"

#define NAME_BYTES 16u
#define ARG_AT 32u
#define OUTPUT_AT (PSRAM_BYTES / 2)
#define WORK_WORDS 1024u
#define RESULT_BYTES_MAX 16384u

extern const struct kernel kernel_conv;
extern const struct kernel kernel_dictionary;
extern const struct kernel kernel_fir;
extern const struct kernel kernel_matvec;
extern const struct kernel kernel_records;
extern const struct kernel kernel_search;
extern const struct kernel kernel_stats;

/* Volatile, so that a call remains a call. */
static const struct reference {
    const struct kernel *kernel;
    const char *name;
    reference_run *volatile run;
} references[] = {
    {&kernel_search, "memmem", reference_memmem},
    {&kernel_records, "state-machine", reference_records},
    {&kernel_stats, "sums", reference_stats},
    {&kernel_stats, "histogram", reference_histogram},
    {&kernel_fir, "direct", reference_fir},
    {&kernel_conv, "direct", reference_conv},
    {&kernel_matvec, "direct", reference_matvec},
    {&kernel_dictionary, "fips-180-4", reference_dictionary},
};

/* A job and the room that it needs. */
struct bench {
    const struct kernel *kernel;
    struct kernel_job job;
    struct kernel_range range;
    struct kernel_result result;
    uint32_t work[WORK_WORDS];
    uint8_t room[RESULT_BYTES_MAX];
};

static void put_result(unit_put *put, void *context, const char *name,
                       const struct kernel_result *result, uint64_t took_ps)
{
    const uint32_t numbers[] = {
        (uint32_t)(took_ps / PS_PER_INSTRUCTION),
        crc32_update(0, result->data, result->bytes),
        crc32_update(0, result->output, result->output_bytes)};

    put_line(put, context, name, numbers, 3);
}

static void clear_result(struct bench *bench)
{
    memset(bench->room, 0, sizeof bench->room);
    bench->result = (struct kernel_result){
        .data = bench->room, .output = (uint8_t *)(PSRAM_BASE + OUTPUT_AT)};
}

static int measure_kernel(unit_put *put, void *context, struct bench *bench)
{
    /* Volatile, so that a call remains a call. */
    void (*volatile run)(const void *, struct kernel_result *,
                         const struct kernel_range *) = bench->kernel->run;
    struct kernel_terms terms = {.before_bytes = 0};
    struct clock clock = {0};
    uint64_t took_ps;

    clear_result(bench);
    if (bench->kernel->begin(bench->work, &terms, &bench->job) != KERNEL_OK) {
        put(context, "Bail out! the kernel refuses the argument\n");
        return 1;
    }
    clock_start(&clock, 0);
    run(bench->work, &bench->result, &bench->range);
    took_ps = clock_stop(&clock);
    put_result(put, context, "kernel", &bench->result, took_ps);
    return 0;
}

static void measure_reference(unit_put *put, void *context, struct bench *bench,
                              const struct reference *reference)
{
    struct clock clock = {0};
    uint64_t took_ps;

    clear_result(bench);
    clock_start(&clock, 0);
    reference->run(&bench->result, &bench->range, &bench->job);
    took_ps = clock_stop(&clock);
    put_result(put, context, reference->name, &bench->result, took_ps);
}

/* Result: whether the job is for this kernel. */
static bool take_job(struct bench *bench, const struct kernel *kernel)
{
    const uint8_t *at = (const uint8_t *)PSRAM_BASE;

    if (strncmp((const char *)at, kernel->name, NAME_BYTES) != 0) {
        return false;
    }
    bench->kernel = kernel;
    bench->range =
        (struct kernel_range){.data = at + kernel_load_u32(at + 28),
                              .units = kernel_load_u32(at + 20),
                              .unit_bytes = kernel_load_u32(at + 16)};
    bench->job = (struct kernel_job){.arg = at + ARG_AT,
                                     .arg_bytes = kernel_load_u32(at + 24),
                                     .unit_bytes = bench->range.unit_bytes};
    return true;
}

int unit_all(unit_put *put, void *context)
{
    static struct bench bench;

    for (unsigned i = 0; i < sizeof references / sizeof *references; ++i) {
        const struct reference *reference = &references[i];

        if (!take_job(&bench, reference->kernel)) {
            continue;
        }
        if ((i == 0 || reference[-1].kernel != reference->kernel) &&
            measure_kernel(put, context, &bench) != 0) {
            return 1;
        }
        measure_reference(put, context, &bench, reference);
    }
    return 0;
}
