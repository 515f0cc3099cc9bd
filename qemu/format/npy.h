/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes arrays in NumPy's .npy files, versions 1 to 3:
 *
 *    0  "\x93NUMPY", u8 version, u8 0
 *    8  length of the header: u16, or u32 from version 2 on
 *       the header: {'descr': '<i4', 'fortran_order': False, 'shape': (10, 4)}
 *       the elements, without gaps
 *
 * Elements are bool, integers or floats, of either byte order; long doubles are
 * those of x86. Records and Python objects are refused.
 */
#ifndef QEMU_FORMAT_NPY_H
#define QEMU_FORMAT_NPY_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NPY_DIMENSIONS 32u
#define NPY_SHAPE_BYTES 720u /* longest text of a shape */

struct npy {
    const char *path;
    uint8_t *file;       /* malloc'd: the whole file */
    const uint8_t *data; /* first element */
    char kind;           /* 'b', 'i', 'u' or 'f' */
    uint32_t bytes;      /* bytes of an element, 1 to 16 */
    bool swapped;        /* elements are big-endian */
    bool fortran;        /* the first index runs fastest, else the last one */
    uint32_t dimensions;
    uint64_t shape[NPY_DIMENSIONS];
};

/* Reads a file. Returns 0; or 1, after a message on stderr. The caller frees
   array->file in either case. `path` must outlive the array. */
NODISCARD int npy_read(struct npy *array, struct format_load *load,
                       const char *path);

/* Returns an element, exactly. `index` counts in C order: the last index of the
   shape runs fastest. */
long double npy_element(const struct npy *array, uint64_t index);

/* Writes a shape as Python does: "(10, 4)". */
void npy_print_shape(char text[NPY_SHAPE_BYTES], const uint64_t shape[],
                     uint32_t dimensions);

/* Writes what comes before the elements of a file in C order, byte for byte as
   NumPy does. `type` is such as "<i8". */
void npy_write_head(FILE *out, const char *type, const uint64_t shape[],
                    uint32_t dimensions);

#endif
