/* SPDX-License-Identifier: Apache-2.0 */
#include "test/fuzz/job.h"

#include "hal/bytes.h"
#include "scatter/engine/core.h"
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* On a board; here it is a few milliseconds with sanitizers. */
#define INSTRUCTIONS_MAX 1000000u
#define UNITS_MAX 65536u
#define PIECES 4u
#define FILLER 0xa5

const struct kernel *job_kernel(const char *name)
{
    for (unsigned i = 0; i < kernel_table_count; ++i) {
        if (strcmp(kernel_table[i]->name, name) == 0) {
            return kernel_table[i];
        }
    }
    return NULL;
}

static void *filled(size_t bytes)
{
    void *memory = malloc(bytes);

    if (memory == NULL) {
        fuzz_check(false, "no memory");
    }
    memset(memory, FILLER, bytes);
    return memory;
}

/* What the engine relies upon. */
static void check_terms(const struct kernel_terms *terms)
{
    uint32_t most = terms->output_denominator != 0
                        ? KERNEL_RESULT_BESIDE_OUTPUT_MAX
                        : SCATTER_RESULT_MAX;

    fuzz_check(terms->result_bytes_max <= most, "results are too long");
    fuzz_check(terms->output_denominator != 0 || terms->output_numerator == 0,
               "an output of P/0");
}

bool job_begin(struct job *job, const struct kernel *kernel, const uint8_t *arg,
               uint32_t arg_bytes, uint32_t unit_bytes)
{
    struct kernel_job what = {.arg_bytes = arg_bytes, .unit_bytes = unit_bytes};

    *job = (struct job){.kernel = kernel,
                        .arg = filled(arg_bytes),
                        .arg_bytes = arg_bytes,
                        .unit_bytes = unit_bytes,
                        .work = filled(kernel->work_bytes)};
    fuzz_check(kernel->work_bytes <= SCATTER_WORK_MAX, "too much work memory");
    if (arg_bytes > 0) {
        memcpy(job->arg, arg, arg_bytes);
    }
    what.arg = job->arg;
    if (kernel->begin(job->work, &job->terms, &what) != KERNEL_OK) {
        return false;
    }
    check_terms(&job->terms);
    return true;
}

void job_end(struct job *job)
{
    free(job->arg);
    free(job->work);
}

/* What a format sees to and a kernel cannot: units that belong together, those
   of one plane of an image; and how many there are at most. */
static uint64_t plane_units(const struct job *job)
{
    return strcmp(job->kernel->name, "conv") == 0
               ? (uint64_t)bytes_load_u32(job->arg + 4) *
                     bytes_load_u32(job->arg + 8)
               : 1;
}

static uint64_t units_max(const struct job *job)
{
    return strcmp(job->kernel->name, "channels") == 0
               ? (uint64_t)bytes_load_u32(job->arg) *
                     bytes_load_u32(job->arg + 4)
               : UNITS_MAX;
}

uint32_t job_units(const struct job *job, uint64_t units)
{
    uint64_t cost = job->terms.instructions_per_1000_units;
    uint64_t most = units_max(job);

    most = most < UNITS_MAX ? most : UNITS_MAX;
    if (cost > 0 && INSTRUCTIONS_MAX * UINT64_C(1000) / cost < most) {
        most = INSTRUCTIONS_MAX * UINT64_C(1000) / cost;
    }
    units = units < most ? units : most;
    return (uint32_t)(units - units % plane_units(job));
}

/* A copy of the range's bytes and of what it may see around them. */
static uint8_t *cut_out(struct kernel_range *range, const struct job *job,
                        const struct job_load *load, unsigned offset)
{
    uint64_t unit_bytes = job->unit_bytes;
    uint64_t before = range->first_unit * unit_bytes;
    uint64_t bytes = range->units * unit_bytes;
    uint64_t after = load->units * unit_bytes - before - bytes;
    const uint8_t *from = load->data + before;
    uint8_t *copy;

    before =
        before < job->terms.before_bytes ? before : job->terms.before_bytes;
    after = after < job->terms.after_bytes ? after : job->terms.after_bytes;
    copy = filled(offset + before + bytes + after);
    if (load->data != NULL) {
        memcpy(copy + offset, from - before, before + bytes + after);
    }
    range->before_bytes = (uint32_t)before;
    range->after_bytes = (uint32_t)after;
    range->data = copy + offset + before;
    return copy;
}

static void check_result(const struct job *job,
                         const struct kernel_result *result, uint32_t room)
{
    fuzz_check(result->bytes <= job->terms.result_bytes_max,
               "a result is too long");
    if (job->terms.output_denominator != 0) {
        fuzz_check(result->output_bytes <= room, "an output is too long");
        fuzz_check(job->terms.output_varies || result->output_bytes == room,
                   "an output is too short");
    }
}

void job_run(struct job *job, struct kernel_result *result,
             const struct job_load *load, uint32_t first, uint32_t units,
             unsigned offset)
{
    const struct kernel_terms *terms = &job->terms;
    struct kernel_range range = {
        .units = units, .unit_bytes = job->unit_bytes, .first_unit = first};
    uint8_t *data = cut_out(&range, job, load, offset);
    uint32_t room = terms->output_denominator != 0
                        ? kernel_output_room(terms, first, units)
                        : 0;

    *result = (struct kernel_result){.data = filled(terms->result_bytes_max)};
    if (terms->output_denominator != 0) {
        result->output = filled(room);
    }
    job->kernel->run(job->work, result, &range);
    check_result(job, result, room);
    for (unsigned i = 0; i < offset; ++i) {
        fuzz_check(data[i] == FILLER, "bytes before the range are changed");
    }
    free(data);
}

void job_forget(struct kernel_result *result)
{
    free(result->data);
    free(result->output);
}

bool job_merge(struct job *job, struct kernel_result *into, const uint8_t *next,
               uint32_t bytes)
{
    struct kernel_result copy = {.data = filled(bytes), .bytes = bytes};
    bool merged;

    if (bytes > 0) {
        memcpy(copy.data, next, bytes);
    }
    merged = job->kernel->merge == NULL ||
             job->kernel->merge(job->work, into, &copy) == KERNEL_OK;
    fuzz_check(into->bytes <= job->terms.result_bytes_max,
               "a merged result is too long");
    free(copy.data);
    return merged;
}

/* ---- reports ---- */

static void sink_integer(void *context, const char *name, uint64_t value)
{
    (void)context;
    (void)name;
    (void)value;
}

static void sink_real(void *context, const char *name, double value)
{
    (void)context;
    (void)name;
    (void)value;
}

static void sink_flag(void *context, const char *name, int value)
{
    (void)context;
    (void)name;
    (void)value;
}

/* Looks at every byte. */
static void touch(const uint8_t *bytes, uint64_t count)
{
    uint8_t *copy = filled(count);

    memcpy(copy, bytes, count);
    free(copy);
}

static void sink_list(void *context, const char *name, const uint8_t *values,
                      unsigned value_bytes, uint32_t count)
{
    (void)context;
    (void)name;
    touch(values, (uint64_t)value_bytes * count);
}

static void sink_lines(void *context, const char *name, const uint8_t *text,
                       uint32_t bytes)
{
    (void)context;
    (void)name;
    touch(text, bytes);
}

void job_report(struct job *job, const struct kernel_result *result)
{
    static const struct kernel_sink sink = {
        .integer = sink_integer,
        .negative = sink_integer,
        .real = sink_real,
        .flag = sink_flag,
        .list = sink_list,
        .lines = sink_lines,
    };

    if (job->kernel->report != NULL) {
        job->kernel->report(result, &sink);
    }
}

/* ---- whole and in pieces ---- */

/* The pieces' outputs are those of the whole. */
static void check_outputs(const struct kernel_result *whole,
                          const struct kernel_result piece[PIECES])
{
    uint32_t at = 0;

    if (whole->output == NULL) {
        return;
    }
    for (unsigned i = 0; i < PIECES; ++i) {
        fuzz_check(piece[i].output_bytes <= whole->output_bytes - at &&
                       memcmp(whole->output + at, piece[i].output,
                              piece[i].output_bytes) == 0,
                   "a piece's output is not that of the whole load");
        at += piece[i].output_bytes;
    }
    fuzz_check(at == whole->output_bytes, "outputs are missing");
}

/* Merges all into the one where it begins. */
static void check_merged(struct job *job, const struct kernel_result *whole,
                         struct kernel_result piece[PIECES], uint64_t random)
{
    unsigned first = (unsigned)(random % PIECES);
    struct kernel_result *into = &piece[first];

    for (unsigned i = 1; i < PIECES; ++i) {
        unsigned step = (random & 8) != 0 ? i : PIECES - i;
        const struct kernel_result *next = &piece[(first + step) % PIECES];

        fuzz_check(job_merge(job, into, next->data, next->bytes),
                   "merge() does not take what run() gives");
    }
    fuzz_check(job->kernel->merge == NULL ||
                   (into->bytes == whole->bytes &&
                    memcmp(into->data, whole->data, whole->bytes) == 0),
               "the pieces' result is not that of the whole load");
}

void job_scatter(struct job *job, const struct job_load *load, uint64_t random)
{
    struct kernel_result whole;
    struct kernel_result piece[PIECES];
    uint32_t at = 0;

    job_run(job, &whole, load, 0, load->units, random & 3);
    job_report(job, &whole);
    for (unsigned i = 0; i < PIECES; ++i) {
        uint32_t left = load->units - at;
        uint32_t units = i + 1 < PIECES ? fuzz_below(&random, left + 1) : left;

        job_run(job, &piece[i], load, at, units, random & 3);
        at += units;
    }
    check_outputs(&whole, piece);
    check_merged(job, &whole, piece, random);
    for (unsigned i = 0; i < PIECES; ++i) {
        job_forget(&piece[i]);
    }
    job_forget(&whole);
}
