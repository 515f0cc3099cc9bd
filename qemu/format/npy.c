/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/npy.h"

#include "hal/bytes.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/process.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PYTHON "/usr/bin/python3"
#define LIMIT_MS 60000u
#define HEAD_BYTES 12u

/* Exit statuses of npy.py, which explains them. */
enum end {
    END_WELL = 0,
    END_FIRST = 10,
    END_SECOND = 11,
    END_NO_NUMPY = 12,
    END_NO_PYTHON = 127,
    END_UNKNOWN = 256 /* the script was killed, or did not start */
};

/* Text of the script, with a NUL. */
extern const char npy_script[] __attribute__((visibility("hidden")));
__asm__(".pushsection .rodata\n"
        "npy_script: .incbin \"qemu/format/npy.py\"\n"
        ".byte 0\n"
        ".popsection");

struct bytes {
    uint8_t *data;
    size_t bytes;
};

struct call {
    const char *mode;
    char number[24];
    struct bytes in[2]; /* two inputs, one after the other */
    struct bytes out;   /* malloc'd, with a final NUL */
    enum end end;
};

static bool read_all(struct bytes *part, int file)
{
    struct stat is;
    size_t at = 0;

    if (fstat(file, &is) != 0) {
        return false;
    }
    part->bytes = (size_t)is.st_size;
    part->data = memory_or_exit(calloc(part->bytes + 1, 1));
    while (at < part->bytes) {
        ssize_t got = pread(file, part->data + at, part->bytes - at, (off_t)at);

        if (got <= 0) {
            return false;
        }
        at += (size_t)got;
    }
    return true;
}

static enum end run_script(const struct call *call, int in, int out)
{
    char *argv[] = {PYTHON,
                    "-I",
                    "-c",
                    (char *)npy_script,
                    (char *)call->mode,
                    (char *)call->number,
                    NULL};
    int status = process_run(
        &(struct process_config){
            .argv = argv, .input = in, .log = out, .error = -1},
        NULL, LIMIT_MS);

    return status >= 0 && WIFEXITED(status) ? (enum end)WEXITSTATUS(status)
                                            : END_UNKNOWN;
}

/* Runs the script, with files in memory, since full pipes might block. */
static void run_call(struct call *call)
{
    const struct bytes *part = call->in;
    int in = process_memory();
    int out = process_memory();

    call->end = END_UNKNOWN;
    if (in >= 0 && out >= 0 &&
        process_memory_write(in, part[0].data, part[0].bytes, 0) &&
        process_memory_write(in, part[1].data, part[1].bytes, part[0].bytes)) {
        call->end = run_script(call, in, out);
        if (!read_all(&call->out, out)) {
            call->end = END_UNKNOWN;
        }
    }
    close(in);
    close(out);
}

static int print_error(const struct call *call, const char *first,
                       const char *second)
{
    switch (call->end) {
    case END_FIRST:
        return file_error(first, "%s", (const char *)call->out.data);
    case END_SECOND:
        return file_error(second, "%s", (const char *)call->out.data);
    case END_NO_NUMPY:
    case END_NO_PYTHON:
        return file_error(first, ".npy files need " PYTHON
                                 " with numpy; on Debian: apt-get "
                                 "install python3-numpy");
    default:
        return file_error(first, "numpy failed, or took longer than a "
                                 "minute");
    }
}

static bool parse_product(struct npy_product *product, struct bytes *out)
{
    uint64_t want;

    if (out->bytes < HEAD_BYTES) {
        return false;
    }
    product->element_bytes = bytes_load_u32(out->data);
    product->rows = bytes_load_u32(out->data + 4);
    product->columns = bytes_load_u32(out->data + 8);
    want = ((uint64_t)product->rows + 1) * product->columns;
    if (want > SIZE_MAX / 8 ||
        out->bytes - HEAD_BYTES != want * product->element_bytes) {
        return false;
    }
    memmove(out->data, out->data + HEAD_BYTES, out->bytes - HEAD_BYTES);
    product->data = out->data;
    out->data = NULL;
    return true;
}

int npy_read_product(struct npy_product *product, struct format_load *load,
                     const char *matrix, const char *vector)
{
    struct call call = {.mode = "product"};
    uint64_t bytes[2] = {0, 0};
    int status = format_read_file(load, &call.in[0].data, &bytes[0], matrix);

    product->data = NULL;
    if (status == 0) {
        status = format_read_file(load, &call.in[1].data, &bytes[1], vector);
    }
    if (status == 0) {
        call.in[0].bytes = (size_t)bytes[0];
        call.in[1].bytes = (size_t)bytes[1];
        snprintf(call.number, sizeof call.number, "%zu", call.in[0].bytes);
        run_call(&call);
        if (call.end == END_WELL && !parse_product(product, &call.out)) {
            call.end = END_UNKNOWN;
        }
        status = call.end == END_WELL ? 0 : print_error(&call, matrix, vector);
    }
    free(call.in[0].data);
    free(call.in[1].data);
    free(call.out.data);
    return status;
}

int npy_write_vector(FILE *out, const char *path, const uint8_t *data,
                     uint64_t bytes, uint32_t element_bytes)
{
    struct call call = {.mode = "vector",
                        .in = {{(uint8_t *)data, (size_t)bytes}}};
    int status = 0;

    snprintf(call.number, sizeof call.number, "%u", element_bytes);
    run_call(&call);
    if (call.end == END_WELL) {
        fwrite(call.out.data, 1, call.out.bytes, out);
    } else {
        status = print_error(&call, path, path);
    }
    free(call.out.data);
    return status;
}
