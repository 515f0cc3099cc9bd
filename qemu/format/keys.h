/* SPDX-License-Identifier: Apache-2.0 */
/* The argument of a kernel with a table of keys, and without a format. */
#ifndef QEMU_FORMAT_KEYS_H
#define QEMU_FORMAT_KEYS_H

#include "hal/nodiscard.h"
#include "qemu/format/format.h"

/* Makes load->arg, an int64_t for each key of load->kernel, of the text of
   --arg, "KEY=VALUE,KEY=VALUE". Returns 0, or 2 after a message. */
NODISCARD int keys_read(struct format_load *load, const uint8_t *arg,
                        uint32_t arg_bytes);

#endif
