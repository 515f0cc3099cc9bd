/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes matrices and vectors in NumPy's .npy files, by NumPy:
 * /usr/bin/python3 runs qemu/format/npy.py, which this program contains, for at
 * most a minute.
 *
 * Arrays must be int32 or int16, little-endian, in C order. Pickled data is
 * never loaded.
 */
#ifndef QEMU_FORMAT_NPY_H
#define QEMU_FORMAT_NPY_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A matrix and a vector that can be multiplied. */
struct npy_product {
    uint8_t *data; /* malloc'd: the matrix, row by row, then the vector */
    uint32_t element_bytes; /* bytes of an element: 4 or 2 */
    uint32_t rows;          /* at least 1 */
    uint32_t columns;       /* matrix columns, vector elements; 1 or more */
};

/* Reads matrix and vector; refuses int32 whose product needs more than 63 bits.
   Returns 0; or 1, after a message on stderr that names file and reason. */
NODISCARD int npy_read_product(struct npy_product *product,
                               struct format_load *load, const char *matrix,
                               const char *vector);

/* Writes integers of 8 or 2 bytes as an array of one dimension; `path` is for
   messages. Returns 0, or 1 after a message; the caller also checks the stream
   for write errors. */
NODISCARD int npy_write_vector(FILE *out, const char *path, const uint8_t *data,
                               uint64_t bytes, uint32_t element_bytes);

#endif
