/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QEMU_FORMAT_TABLE_H
#define QEMU_FORMAT_TABLE_H

#include "qemu/format/format.h"

/* Returns a kernel's format; never NULL. */
const struct format *format_of(const char *kernel);

#endif
