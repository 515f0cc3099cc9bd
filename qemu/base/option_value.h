/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options, which rows describe. */
#ifndef QEMU_BASE_OPTION_VALUE_H
#define QEMU_BASE_OPTION_VALUE_H

#include "hal/nodiscard.h"
#include "qemu/base/option_row.h"

/* Stores a value in the row's field of a table's struct, `options`. `text`:
   NULL where an optional one was left out. `name` is for messages: "--count".
   Result: 0, or EXIT_USAGE after a message. */
NODISCARD int option_store(const struct option_row *row, const char *name,
                           void *options, const char *text);

#endif
