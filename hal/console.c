/* SPDX-License-Identifier: Apache-2.0 */
#include "hal/console.h"

void console_write(struct window *window, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) {
        window->console[window->console_written++ % WINDOW_CONSOLE_BYTES] =
            text[i];
    }
}
