/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a matrix and a vector for kernels/matvec.c. INPUT is the matrix, --arg
   vector=FILE the vector. Both are .npy files with elements of one type. The
   product of int32 is int64. int16 means Q15 (fractions of 2^15), and its
   product is int16. */
#include "qemu/format/format.h"

#include "hal/bytes.h"
#include "kernels/kernel.h"
#include "qemu/format/npy.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES 4u
#define COLUMNS_MAX ((KERNEL_ARG_MAX - HEAD_BYTES) / 4)

static const struct option_row rows[] = {
    {"vector", "FILE", 0, OPTION_TEXT, 0, sizeof(char *), .least = 1,
     .allowed = "must name a .npy file", .required = true}};

/* Writes the kernel's argument: the bytes of a matrix element, then the vector,
   whose elements always have 4 bytes. */
static void store_arg(uint8_t *out, const struct npy_product *product,
                      const uint8_t *vector)
{
    out[0] = (uint8_t)product->element_bytes;
    for (uint32_t i = 0; i < product->columns; ++i) {
        uint32_t element =
            product->element_bytes == 4
                ? bytes_load_u32(vector + 4 * i)
                : (uint32_t)(int16_t)bytes_load_u16(vector + 2 * i);

        bytes_store_u32(out + HEAD_BYTES + 4 * i, element);
    }
}

static int fill_load(struct format_load *load, struct npy_product *product,
                     const char *path)
{
    size_t row = (size_t)product->columns * product->element_bytes;

    if (product->columns > COLUMNS_MAX) {
        return file_error(
            path, "has %u columns; a vector of at most %u goes out with a job",
            product->columns, COLUMNS_MAX);
    }
    load->arg_bytes = HEAD_BYTES + 4 * product->columns;
    load->arg = memory_or_exit(calloc(load->arg_bytes, 1));
    store_arg(load->arg, product, product->data + row * product->rows);
    load->units = product->rows;
    load->unit_bytes = (uint32_t)row;
    load->data = product->data;
    product->data = NULL;
    return 0;
}

static int read_matvec(struct format_load *load, const char *path,
                       const uint8_t *arg, uint32_t arg_bytes)
{
    const char *vector = NULL;
    struct npy_product product;
    int status =
        format_parse_arg(load, OPTION_TABLE(rows), arg, arg_bytes, &vector);

    if (status != 0) {
        return status;
    }
    status = npy_read_product(&product, load, path, vector);
    if (status == 0) {
        status = fill_load(load, &product, path);
        free(product.data);
    }
    return status;
}

static int write_matvec(FILE *out, const struct format_load *load,
                        const char *path, const uint8_t *output, uint64_t bytes)
{
    return npy_write_vector(out, path, output, bytes,
                            load->arg[0] == 4 ? 8 : 2);
}

const struct format format_matvec = {
    .kernel = "matvec",
    .example = "vector=v.npy",
    .done = "multiplied",
    .argument = "vector=FILE, .npy, of the matrix's type: int32 (gives int64) "
                "or int16 (Q15)",
    .arg_file = "vector=",
    .input = "a matrix, .npy, int32 or int16 (Q15)",
    .output = "a vector, .npy",
    .suffixes = "npy",
    .read = read_matvec,
    .write = write_matvec,
};
