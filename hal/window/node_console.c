/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/window/node_console.h"

void console_write(struct node_log *log, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) {
        log->console[log->console_written++ % NODE_CONSOLE_BYTES] = text[i];
    }
}
