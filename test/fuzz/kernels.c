/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is tried of each kernel: what its format reads begins, runs whole and in
 * pieces, is merged, reported and written. An input has parts with a line "%%"
 * between: the text of --arg, INPUT, and one more file, which @ in the text
 * stands for. All memory that a kernel gets is exactly as long as promised, so
 * that the sanitizer sees every step beyond.
 */
#include "test/fuzz/targets.h"

#include "hal/bytes.h"
#include "hal/crc32.h"
#include "qemu/format/table.h"
#include "scatter/engine/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MARK "\n%%\n"
#define PARTS 3u

struct part {
    const uint8_t *data;
    uint32_t bytes;
};

static const char *const paths[PARTS] = {NULL, "/proc/self/fd/198",
                                         "/proc/self/fd/199"};
static const int descriptors[PARTS] = {-1, 198, 199};

static void put_file(unsigned number, const uint8_t *data, uint32_t bytes)
{
    int file = descriptors[number];

    if (lseek(file, 0, SEEK_CUR) < 0) {
        int made = memfd_create("fuzz", MFD_CLOEXEC);

        fuzz_check(made >= 0 && dup2(made, file) == file, "no file in memory");
        close(made);
    }
    fuzz_check(ftruncate(file, 0) == 0 &&
                   pwrite(file, data, bytes, 0) == (ssize_t)bytes,
               "a file in memory cannot be written");
}

/* Makes the checksums of a PNG's chunks right: few mutations would pass. */
static void mend_png(uint8_t *data, uint32_t bytes)
{
    uint32_t at = 8;

    if (bytes < 8 || memcmp(data, "\x89PNG\r\n\x1a\n", 8) != 0) {
        return;
    }
    while (bytes - at >= 12) {
        uint32_t length = (uint32_t)data[at] << 24 |
                          (uint32_t)data[at + 1] << 16 |
                          (uint32_t)data[at + 2] << 8 | data[at + 3];
        uint32_t crc;

        if (length > bytes - at - 12) {
            return;
        }
        crc = crc32_update(0, data + at + 4, length + 4);
        for (uint32_t i = 0; i < 4; ++i) {
            data[at + 8 + length + i] = (uint8_t)(crc >> (24 - 8 * i));
        }
        at += length + 12;
    }
}

static void split(struct part part[PARTS], const uint8_t *in, uint32_t bytes)
{
    for (unsigned i = 0; i < PARTS; ++i) {
        const uint8_t *mark = memmem(in, bytes, MARK, strlen(MARK));
        uint32_t skip = (uint32_t)strlen(MARK);

        if (mark == NULL || i == PARTS - 1) {
            mark = in + bytes;
            skip = 0;
        }
        part[i] = (struct part){in, (uint32_t)(mark - in)};
        bytes -= part[i].bytes + skip;
        in = mark + skip;
    }
}

/* --arg, with a 0 behind it; the first @ becomes the second file's path. */
static uint8_t *arg_of(uint32_t *bytes, const struct part *part)
{
    const uint8_t *at = memchr(part->data, '@', part->bytes);
    uint32_t ahead = at != NULL ? (uint32_t)(at - part->data) : part->bytes;
    uint32_t behind = at != NULL ? part->bytes - ahead - 1 : 0;
    uint32_t path = at != NULL ? (uint32_t)strlen(paths[2]) : 0;
    uint8_t *arg = malloc(ahead + path + behind + 1u);

    memcpy(arg, part->data, ahead);
    memcpy(arg + ahead, paths[2], path);
    if (at != NULL) {
        memcpy(arg + ahead + path, at + 1, behind);
    }
    *bytes = ahead + path + behind;
    arg[*bytes] = '\0';
    return arg;
}

static const struct kernel *kernel_named(const char *name)
{
    unsigned i = 0;

    while (strcmp(kernel_table[i]->name, name) != 0) {
        i += 1;
    }
    return kernel_table[i];
}

/* What the format makes of an input: 0 or its status. */
static int read_input(struct format_load *load, const char *kernel,
                      const uint8_t *in, uint32_t bytes)
{
    const struct format *format = format_of(kernel);
    struct part part[PARTS];
    uint8_t *copy = malloc(bytes);
    uint8_t *arg;
    uint32_t arg_bytes;
    int status;

    memcpy(copy, in, bytes);
    split(part, copy, bytes);
    if ((fuzz_hash(in, bytes) & 3) != 0) {
        mend_png(copy + (part[1].data - copy), part[1].bytes);
    }
    put_file(1, part[1].data, part[1].bytes);
    put_file(2, part[2].data, part[2].bytes);
    arg = arg_of(&arg_bytes, &part[0]);
    *load = (struct format_load){.wants_output = fuzz_hash(in, bytes) >> 32 & 1,
                                 .kernel = kernel_named(kernel)};
    status = format->read(load, format->input != NULL ? paths[1] : NULL, arg,
                          arg_bytes);
    fuzz_check(status >= 0 && status <= 2, "read() has another status");
    if (status == 0 && load->file != NULL) {
        struct file_piece piece = format_piece(load, 0);

        load->data = malloc(load->units + 1);
        fuzz_check(file_piece_copy(load->data, &piece, load->units) == 0,
                   "the file cannot be read");
    }
    free(arg);
    free(copy);
    return status;
}

/* ---- a kernel with its argument, as one node has it ---- */

/* On a board; here it is a few milliseconds with sanitizers. */
#define INSTRUCTIONS_MAX 1000000u
#define UNITS_MAX 65536u
#define PIECES 4u
#define FILLER 0xa5

struct job {
    const struct kernel *kernel;
    uint8_t *arg;
    uint32_t unit_bytes;
    uint32_t *work;
    struct kernel_terms terms;
    const uint8_t *load; /* NULL if there is none; .. */
    uint32_t units; /* .. as many as make a load and do not take too long */
};

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

static uint32_t job_units(const struct job *job, uint64_t units)
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

/* Whether begin() takes the argument, which is copied. */
static bool begin(struct job *job, const char *name,
                  const struct format_load *load)
{
    struct kernel_job what = {.arg_bytes = load->arg_bytes,
                              .unit_bytes = load->unit_bytes};
    const struct kernel *kernel = kernel_named(name);

    *job = (struct job){.kernel = kernel,
                        .arg = filled(load->arg_bytes),
                        .unit_bytes = load->unit_bytes,
                        .work = filled(kernel->work_bytes),
                        .load = load->data};
    fuzz_check(job->kernel->work_bytes <= SCATTER_WORK_MAX,
               "too much work memory");
    if (load->arg_bytes > 0) {
        memcpy(job->arg, load->arg, load->arg_bytes);
    }
    what.arg = job->arg;
    if (job->kernel->begin(job->work, &job->terms, &what) != KERNEL_OK) {
        return false;
    }
    check_terms(&job->terms);
    job->units = job_units(job, load->units);
    return true;
}

/* A copy of the range's bytes and of what it may see around them. */
static uint8_t *cut_out(struct kernel_range *range, const struct job *job,
                        unsigned offset)
{
    uint64_t unit_bytes = job->unit_bytes;
    uint64_t before = range->first_unit * unit_bytes;
    uint64_t bytes = range->units * unit_bytes;
    uint64_t after = job->units * unit_bytes - before - bytes;
    const uint8_t *from = job->load + before;
    uint8_t *copy;

    before =
        before < job->terms.before_bytes ? before : job->terms.before_bytes;
    after = after < job->terms.after_bytes ? after : job->terms.after_bytes;
    copy = filled(offset + before + bytes + after);
    if (job->load != NULL) {
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

/* Runs a range, whose data has this offset from an aligned address. */
static void run(struct job *job, struct kernel_result *result, uint32_t first,
                uint32_t units, unsigned offset)
{
    const struct kernel_terms *terms = &job->terms;
    struct kernel_range range = {.units = units,
                                 .unit_bytes = job->unit_bytes,
                                 .first_unit = first,
                                 .load_units = job->units};
    uint8_t *data = cut_out(&range, job, offset);
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

static void forget(struct kernel_result *result)
{
    free(result->data);
    free(result->output);
}

/* Merges a copy of `next`. */
static void merge(struct job *job, struct kernel_result *into,
                  const struct kernel_result *next)
{
    struct kernel_result copy = {.data = filled(next->bytes),
                                 .bytes = next->bytes};

    memcpy(copy.data, next->data, next->bytes);
    fuzz_check(job->kernel->merge == NULL ||
                   job->kernel->merge(job->work, into, &copy) == KERNEL_OK,
               "merge() does not take what run() gives");
    fuzz_check(into->bytes <= job->terms.result_bytes_max,
               "a merged result is too long");
    free(copy.data);
}

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

/* Shows a result to nobody. */
static void report(const struct job *job, const struct kernel_result *result)
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

        merge(job, into, next);
    }
    fuzz_check(job->kernel->merge == NULL ||
                   (into->bytes == whole->bytes &&
                    memcmp(into->data, whole->data, whole->bytes) == 0),
               "the pieces' result is not that of the whole load");
}

/* Runs the load, whole and in pieces that are merged in any order: the same
   must come out. `random` says which pieces. */
static void scatter(struct job *job, struct kernel_result *whole,
                    uint64_t random)
{
    struct kernel_result piece[PIECES];
    uint32_t at = 0;

    run(job, whole, 0, job->units, random & 3);
    report(job, whole);
    for (unsigned i = 0; i < PIECES; ++i) {
        uint32_t left = job->units - at;
        uint32_t units = i + 1 < PIECES ? fuzz_below(&random, left + 1) : left;

        run(job, &piece[i], at, units, random & 3);
        at += units;
    }
    check_outputs(whole, piece);
    check_merged(job, whole, piece, random);
    for (unsigned i = 0; i < PIECES; ++i) {
        forget(&piece[i]);
    }
}

/* An image's name tells its kind, so these are written nowhere. */
static void write_output(const struct format *format,
                         const struct format_load *load,
                         const struct kernel_result *whole)
{
    FILE *out;

    if (format->write == NULL || format->check != NULL ||
        whole->output == NULL) {
        return;
    }
    out = fopen("/dev/null", "w");
    fuzz_check(out != NULL &&
                   format->write(out, load, "/dev/null", whole->output,
                                 whole->output_bytes) == 0 &&
                   fclose(out) == 0,
               "write() fails");
}

void kernels_try_read(const struct fuzz_target *target, const uint8_t *in,
                      uint32_t bytes)
{
    struct format_load load;
    struct job job = {.kernel = NULL};

    if (read_input(&load, target->kernel, in, bytes) == 0 && load.units > 0 &&
        load.arg_bytes <= KERNEL_ARG_MAX &&
        begin(&job, target->kernel, &load)) {
        struct kernel_result whole;

        scatter(&job, &whole, fuzz_hash(in, bytes));
        if (job.units == load.units) {
            write_output(format_of(target->kernel), &load, &whole);
        }
        forget(&whole);
    }
    free(job.arg);
    free(job.work);
    format_free(&load);
}
