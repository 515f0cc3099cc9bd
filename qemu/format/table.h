/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_FORMAT_TABLE_H
#define QEMU_FORMAT_TABLE_H

#include "qemu/format/format.h"

/* All formats; NULL is behind the last one. The build writes the table: a
   kernel's format is in qemu/format/NAME.c, or in NAME_format.c of a folder of
   KERNEL_PATH, and is called format_NAME. */
extern const struct format *const format_table[];

/* The format of all other kernels. */
extern const struct format format_raw;

/* Returns a kernel's format; never NULL. */
const struct format *format_of(const char *kernel);

#endif
