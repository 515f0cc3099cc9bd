/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_FORMAT_TABLE_H
#define QEMU_FORMAT_TABLE_H

#include "qemu/format/format.h"

/* The format of a kernel; never NULL. */
const struct format *format_of(const char *kernel);

#endif
