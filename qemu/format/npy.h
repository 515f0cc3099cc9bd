/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrices and vectors in NumPy's .npy files, which NumPy itself reads and
 * writes: /usr/bin/python3 runs qemu/format/npy.py, a copy of which is in this
 * program, for at most a minute.
 *
 * Allowed are arrays of int32 or int16, little-endian, in C order; nothing
 * that is pickled is ever loaded.
 */
#ifndef QEMU_FORMAT_NPY_H
#define QEMU_FORMAT_NPY_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A matrix and a vector that it can be multiplied by. */
struct npy_product {
    uint8_t *data; /* malloc'd: the matrix, row by row, then the vector */
    uint32_t element_bytes; /* 4 or 2, of both */
    uint32_t rows;          /* at least 1 */
    uint32_t columns;       /* at least 1; of the vector too */
};

/* Reads both, as the load says. Every product of int32 fits 63 bits. Result: 0;
   or 1, after a message on stderr that names the file and the reason. */
NODISCARD int npy_read_product(struct npy_product *product,
                               struct format_load *load, const char *matrix,
                               const char *vector);

/* Writes integers of 8 or 2 bytes as an array of one dimension; `path` is for
   messages. Result: 0 or 1, as above; a write that fails only leaves its mark
   on the stream. */
NODISCARD int npy_write_vector(FILE *out, const char *path, const uint8_t *data,
                               uint64_t bytes, uint32_t element_bytes);

#endif
