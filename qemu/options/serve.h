/* SPDX-License-Identifier: Apache-2.0 */
/* The option of commands that show a page while they run: --serve[=PORT]. */
#ifndef QEMU_OPTIONS_SERVE_H
#define QEMU_OPTIONS_SERVE_H

#include "hal/nodiscard.h"

#include <stdbool.h>
#include <stdint.h>

struct serve_options {
    bool given;
    uint16_t port; /* 0: one that is free */
};

/* Parses the value of --serve, NULL if it has none, into a struct
   serve_options: an option row's set(). Result: 0, or EINVAL after a message.
 */
NODISCARD int serve_options_set(void *field, const char *option,
                                const char *text);

#endif
