/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes matrices and vectors in .npy files of NumPy, by NumPy:
 * /usr/bin/python3 runs qemu/format/npy.py, which this program contains, for a
 * minute at most.
 *
 * Elements must be int32 or int16, little-endian, in C order. Pickled data is
 * never loaded.
 */
#ifndef QEMU_FORMAT_NPY_H
#define QEMU_FORMAT_NPY_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A matrix, and a vector by which it can be multiplied. */
struct npy_product {
    uint8_t *data; /* malloc'd: the matrix, row by row; then the vector */
    uint32_t element_bytes; /* bytes of an element: 4 or 2 */
    uint32_t rows;          /* at least 1 */
    uint32_t columns; /* of the matrix; elements of the vector; 1 or more */
};

/* Reads the matrix and the vector. Refuses int32 whose product would need more
   than 63 bits. Returns 0; or 1 after a message on stderr that names file and
   reason. */
NODISCARD int npy_read_product(struct npy_product *product,
                               struct format_load *load, const char *matrix,
                               const char *vector);

/* Writes integers of 8 or 2 bytes as an array of one dimension. Messages name
   `path`. Returns 0, or 1 after a message. The caller checks the stream for
   errors. */
NODISCARD int npy_write_vector(FILE *out, const char *path, const uint8_t *data,
                               uint64_t bytes, uint32_t element_bytes);

#endif
