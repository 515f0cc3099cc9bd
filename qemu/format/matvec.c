/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrices for kernels/matvec.c. INPUT is the matrix, --arg vector=FILE the
 * vector, both .npy and of one type: int32 gives int64, int16 is Q15 and gives
 * int16.
 */
#include "qemu/format/format.h"

#include "hal/bytes.h"
#include "kernels/kernel.h"
#include "qemu/format/npy.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

#define HEAD_BYTES 4u
#define COLUMNS_MAX ((KERNEL_ARG_MAX - HEAD_BYTES) / 4)

static const struct option_row rows[] = {
    {"vector", "FILE", 0, OPTION_TEXT, 0, sizeof(char *), .least = 1,
     .allowed = "must name a .npy file", .required = true}};

/* The number at a place of an array of int32. */
static int64_t number_at(const struct npy *array, uint64_t place)
{
    return (int32_t)bytes_load_u32(array->data + 4 * place);
}

/* Refuses a matrix of int32 with a row that, multiplied in any order, could go
   beyond 63 bits. */
static int check_sums(const struct npy *matrix, const struct npy *vector,
                      const char *path)
{
    for (uint64_t row = 0; row < matrix->size[0]; ++row) {
        kernel_wide sum = 0;

        for (uint64_t i = 0; i < vector->size[0]; ++i) {
            sum += llabs(number_at(matrix, row * vector->size[0] + i) *
                         number_at(vector, i));
        }
        if (sum > INT64_MAX) {
            return file_error(path,
                              "row %" PRIu64 ": the absolute values of its "
                              "products with the vector add up to 2^63 or more",
                              row);
        }
    }
    return 0;
}

static int check_product(const struct npy *matrix, const struct npy *vector,
                         const char *path, const char *vector_path)
{
    if (vector->element_bytes != matrix->element_bytes) {
        return file_error(vector_path,
                          "is of type %s; the matrix is of type %s",
                          npy_type(vector), npy_type(matrix));
    }
    if (vector->size[0] != matrix->size[1]) {
        return file_error(vector_path,
                          "has %" PRIu64 " elements; the matrix has %" PRIu64
                          " columns",
                          vector->size[0], matrix->size[1]);
    }
    if (matrix->size[1] > COLUMNS_MAX) {
        return file_error(path,
                          "has %" PRIu64 " columns; a vector of at most %u "
                          "goes out with a job",
                          matrix->size[1], COLUMNS_MAX);
    }
    return matrix->element_bytes == 4 ? check_sums(matrix, vector, path) : 0;
}

/* Makes the matrix the load. The kernel's argument is the size of its elements,
   and the vector, whose elements have 4 bytes whatever the matrix's. */
static void fill_load(struct format_load *load, const struct npy *matrix,
                      const struct npy *vector)
{
    uint32_t columns = (uint32_t)matrix->size[1];

    load->arg_bytes = HEAD_BYTES + 4 * columns;
    load->arg = memory_or_exit(calloc(load->arg_bytes, 1));
    load->arg[0] = (uint8_t)matrix->element_bytes;
    for (uint32_t i = 0; i < columns; ++i) {
        uint32_t element =
            matrix->element_bytes == 4
                ? bytes_load_u32(vector->data + 4 * i)
                : (uint32_t)(int16_t)bytes_load_u16(vector->data + 2 * i);

        bytes_store_u32(load->arg + HEAD_BYTES + 4 * i, element);
    }
    load->data = matrix->data;
    load->units = matrix->size[0];
    load->unit_bytes = columns * matrix->element_bytes;
}

static int read_matvec(struct format_load *load, const char *path,
                       const uint8_t *arg, uint32_t arg_bytes)
{
    const char *vector_path = NULL;
    struct npy matrix = {.data = NULL};
    struct npy vector = {.data = NULL};
    int status = format_parse_arg(load, OPTION_TABLE(rows), arg, arg_bytes,
                                  &vector_path);

    status = status == 0 ? npy_read(&matrix, load, path, 2) : status;
    status = status == 0 ? npy_read(&vector, load, vector_path, 1) : status;
    status = status == 0 ? check_product(&matrix, &vector, path, vector_path)
                         : status;
    if (status == 0) {
        fill_load(load, &matrix, &vector);
    } else {
        free(matrix.data);
    }
    free(vector.data);
    return status;
}

static int write_matvec(FILE *out, const struct format_load *load,
                        const char *path, const uint8_t *output, uint64_t bytes)
{
    (void)path;
    npy_write_vector(out, output, bytes, load->arg[0] == 4 ? 8 : 2);
    return 0;
}

const struct format format_matvec = {
    .kernel = "matvec",
    .example = "vector=v.npy",
    .done = "multiplied",
    .argument = "vector=FILE, .npy, of the matrix's type: int32 (gives int64) "
                "or int16 (Q15)",
    .input = "a matrix, .npy, int32 or int16 (Q15)",
    .output = "a vector, .npy",
    .suffixes = "npy",
    .read = read_matvec,
    .write = write_matvec,
};
