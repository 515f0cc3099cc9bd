/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is tried of each kernel.
 *
 * read    parts with a line "%%" between: the text of --arg, INPUT, and one
 *         more file, which @ in the text stands for
 * begin   u32 unit bytes, u16 argument's bytes, argument, load
 * merge   u16 seed, of those that the corpus's files give; a result
 *
 * Each begins, runs, merges and reports with what the one before it gives; the
 * first also writes the output.
 */
#include "test/fuzz/targets.h"

#include "hal/bytes.h"
#include "hal/crc32.h"
#include "qemu/format/table.h"
#include "scatter/engine/core.h"
#include "test/fuzz/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MARK "\n%%\n"
#define PARTS 3u
#define BEGIN_HEAD 6u
#define MERGE_HEAD 2u
#define SEEDS_MAX 16u

struct part {
    const uint8_t *data;
    uint32_t bytes;
};

/* ---- files ---- */

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
    *load =
        (struct format_load){.wants_output = fuzz_hash(in, bytes) >> 32 & 1};
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

/* An image's name tells its kind, so these are written nowhere. */
static void write_output(const struct format *format,
                         const struct format_load *load, struct job *job)
{
    struct job_load whole = {load->data, (uint32_t)load->units};
    struct kernel_result result;
    FILE *out;

    if (format->write == NULL || format->check != NULL ||
        job->terms.output_denominator == 0 ||
        job_units(job, load->units) != load->units) {
        return;
    }
    job_run(job, &result, &whole, 0, whole.units, 0);
    out = fopen("/dev/null", "w");
    fuzz_check(out != NULL &&
                   format->write(out, load, "/dev/null", result.output,
                                 result.output_bytes) == 0 &&
                   fclose(out) == 0,
               "write() fails");
    job_forget(&result);
}

void kernels_try_read(const struct fuzz_target *target, const uint8_t *in,
                      uint32_t bytes)
{
    struct format_load load;
    struct job job;

    if (read_input(&load, target->kernel, in, bytes) == 0 && load.units > 0 &&
        load.arg_bytes <= KERNEL_ARG_MAX) {
        if (job_begin(&job, job_kernel(target->kernel), load.arg,
                      load.arg_bytes, load.unit_bytes)) {
            struct job_load whole = {load.data, job_units(&job, load.units)};

            job_scatter(&job, &whole, fuzz_hash(in, bytes));
            write_output(format_of(target->kernel), &load, &job);
        }
        job_end(&job);
    }
    format_free(&load);
}

/* ---- any argument ---- */

void kernels_try_begin(const struct fuzz_target *target, const uint8_t *in,
                       uint32_t bytes)
{
    uint64_t random = fuzz_hash(in, bytes);
    uint32_t unit_bytes = bytes < BEGIN_HEAD ? 1 : bytes_load_u32(in);
    uint32_t left = bytes < BEGIN_HEAD ? 0 : bytes - BEGIN_HEAD;
    uint32_t arg_bytes = bytes < BEGIN_HEAD ? 0 : bytes_load_u16(in + 4);
    const uint8_t *arg = in + (bytes < BEGIN_HEAD ? 0 : BEGIN_HEAD);
    struct job job;

    arg_bytes = arg_bytes < left ? arg_bytes : left;
    left -= arg_bytes;
    if (job_begin(&job, job_kernel(target->kernel), arg, arg_bytes,
                  unit_bytes)) {
        struct job_load load = {arg + arg_bytes,
                                unit_bytes > 0 ? left / unit_bytes : 1};
        struct kernel_result result;

        load.units = job_units(&job, load.units);
        job_run(&job, &result, &load, load.units / 3, load.units / 2,
                random & 3);
        job_merge(&job, &result, arg + arg_bytes, left);
        job_report(&job, &result);
        job_forget(&result);
    }
    job_end(&job);
}

/* The kernel whose inputs are made: add() knows nothing. */
static const char *seeding;

static void add_begin(const uint8_t *in, uint32_t bytes)
{
    uint8_t out[FUZZ_BYTES_MAX];
    struct format_load load;
    uint32_t room = sizeof out - BEGIN_HEAD;

    if (read_input(&load, seeding, in, bytes) == 0 && load.arg_bytes <= room) {
        uint64_t data = load.units * load.unit_bytes;

        room -= load.arg_bytes;
        data = data < room ? data : room;
        bytes_store_u32(out, load.unit_bytes);
        bytes_store_u16(out + 4, (uint16_t)load.arg_bytes);
        memcpy(out + BEGIN_HEAD, load.arg, load.arg_bytes);
        if (data > 0) {
            memcpy(out + BEGIN_HEAD + load.arg_bytes, load.data, data);
        }
        fuzz_add(out, BEGIN_HEAD + load.arg_bytes + (uint32_t)data);
    }
    format_free(&load);
}

static void each_input(const char *kernel,
                       void (*add)(const uint8_t *in, uint32_t bytes))
{
    char begin[32];

    seeding = kernel;
    snprintf(begin, sizeof begin, "read-%s", kernel);
    fuzz_each_file(begin, add);
}

void kernels_seed_begin(const struct fuzz_target *target)
{
    each_input(target->kernel, add_begin);
}

/* ---- any result ---- */

/* A job, and its result. */
struct made {
    struct format_load load;
    struct job job;
    struct kernel_result result;
};

static struct made made[SEEDS_MAX];
static uint32_t made_count;

static bool make(struct made *next, const uint8_t *in, uint32_t bytes)
{
    struct job_load whole;

    if (read_input(&next->load, seeding, in, bytes) != 0 ||
        next->load.units == 0) {
        format_free(&next->load);
        return false;
    }
    if (!job_begin(&next->job, job_kernel(seeding), next->load.arg,
                   next->load.arg_bytes, next->load.unit_bytes)) {
        job_end(&next->job);
        format_free(&next->load);
        return false;
    }
    whole = (struct job_load){next->load.data,
                              job_units(&next->job, next->load.units)};
    job_run(&next->job, &next->result, &whole, 0, whole.units, 0);
    return true;
}

static void add_merge(const uint8_t *in, uint32_t bytes)
{
    struct made *next = &made[made_count];
    uint8_t out[MERGE_HEAD + SCATTER_RESULT_MAX];

    if (made_count < SEEDS_MAX && make(next, in, bytes)) {
        bytes_store_u16(out, (uint16_t)made_count);
        memcpy(out + MERGE_HEAD, next->result.data, next->result.bytes);
        fuzz_add(out, MERGE_HEAD + next->result.bytes);
        made_count += 1;
    }
}

void kernels_seed_merge(const struct fuzz_target *target)
{
    each_input(target->kernel, add_merge);
}

/* After a finding, and for a replay, there is a new process. */
static void make_all(const char *kernel)
{
    if (made_count == 0) {
        each_input(kernel, add_merge);
    }
}

void kernels_try_merge(const struct fuzz_target *target, const uint8_t *in,
                       uint32_t bytes)
{
    struct kernel_result into;
    struct made *with;

    make_all(target->kernel);
    if (bytes < MERGE_HEAD || made_count == 0) {
        return;
    }
    with = &made[bytes_load_u16(in) % made_count];
    into =
        (struct kernel_result){.data = malloc(with->job.terms.result_bytes_max),
                               .bytes = with->result.bytes};
    memcpy(into.data, with->result.data, into.bytes);
    for (unsigned i = 0; i < 2; ++i) {
        job_merge(&with->job, &into, in + MERGE_HEAD, bytes - MERGE_HEAD);
        job_report(&with->job, &into);
    }
    free(into.data);
}
