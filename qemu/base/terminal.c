/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/terminal.h"

#include <string.h>
#include <sys/ioctl.h>

#define COLUMNS 80u

size_t terminal_columns(int descriptor)
{
    struct winsize window;

    return ioctl(descriptor, TIOCGWINSZ, &window) == 0 && window.ws_col > 0
               ? window.ws_col
               : COLUMNS;
}

size_t terminal_fitting(const char *text, size_t length, size_t room)
{
    size_t at = room;

    if (length <= room) {
        return length;
    }
    while (at > 0 && text[at] != ' ') {
        at -= 1;
    }
    return at > 0 ? at : strcspn(text, " \n");
}

void terminal_print(FILE *out, const char *text, size_t length, size_t column,
                    size_t indent, size_t columns)
{
    for (;;) {
        size_t room = column < columns ? columns - column : 0;
        size_t some = terminal_fitting(text, length, room);

        fprintf(out, "%.*s", (int)some, text);
        some += some < length;
        text += some;
        length -= some;
        if (length == 0) {
            return;
        }
        fprintf(out, "\n%*s", (int)indent, "");
        column = indent;
    }
}
