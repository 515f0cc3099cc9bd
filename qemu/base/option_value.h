/* SPDX-License-Identifier: Apache-2.0 */
/* Stores the values of options in the fields that their rows name. */
#ifndef QEMU_BASE_OPTION_VALUE_H
#define QEMU_BASE_OPTION_VALUE_H

#include "hal/nodiscard.h"
#include "qemu/base/option_row.h"

/* Stores an option's value in its field of `options`, the struct of the row's
   table. `text` is NULL if an optional value is left out. Messages have the
   `name`: "--count". Returns 0, or EXIT_USAGE after a message. */
NODISCARD int option_store(const struct option_row *row, const char *name,
                           void *options, const char *text);

#endif
