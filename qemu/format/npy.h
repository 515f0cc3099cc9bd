/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays in NumPy's .npy files, of versions 1.0 and 2.0 (numpy.lib.format):
 * int32 or int16, little-endian, in C order. Nothing that is pickled is loaded.
 */
#ifndef QEMU_FORMAT_NPY_H
#define QEMU_FORMAT_NPY_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"

#include <stdint.h>
#include <stdio.h>

#define NPY_DIMENSIONS_MAX 2u

struct npy {
    uint8_t *data; /* malloc'd, the caller's: the elements, row by row */
    uint64_t size[NPY_DIMENSIONS_MAX]; /* of each dimension, at least 1 */
    uint32_t element_bytes;            /* 4 or 2 */
};

/* Reads an array of so many dimensions, 1 or 2, as the load says. Result: 0; or
   1 and no data, after a message that names the file and the reason. */
NODISCARD int npy_read(struct npy *array, struct format_load *load,
                       const char *path, unsigned dimensions);

/* "int32" or "int16". */
const char *npy_type(const struct npy *array);

/* Writes `bytes` of integers of 8 or 2 bytes as an array of one dimension. A
   write that fails leaves its mark on the stream. */
void npy_write_vector(FILE *out, const uint8_t *data, uint64_t bytes,
                      uint32_t element_bytes);

#endif
