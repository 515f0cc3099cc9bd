/* SPDX-License-Identifier: Apache-2.0 */
/* The argp of glibc 2.36 writes the left margin of a line ahead of what waits
   in its buffer, if that is full then. So it gets to print lines that have no
   margin and never end, with the text of options far to the right; here they
   are broken. */
#include "qemu/options/help.h"

#include "qemu/support/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 79u
#define OPTION_COLUMN 29u /* of the text of options */
#define FAR_COLUMN 300u   /* where argp is told to let it begin */
#define LAYOUT "rmargin=9000,header-col=0,opt-doc-col=300"

static bool is_option(const char *line)
{
    return strncmp(line, "  -", 3) == 0 || strncmp(line, "      -", 7) == 0;
}

/* The length of what of a text goes into so much room: whole words, or the
   first, if that is longer. */
static size_t fitting(const char *text, size_t length, size_t room)
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

/* The rest of a line that has `column` characters; more lines begin at
   `indent`. */
static void print_text(const char *text, size_t length, size_t column,
                       size_t indent)
{
    for (;;) {
        size_t some = fitting(text, length, LINE - column);

        printf("%.*s\n", (int)some, text);
        some += some < length;
        text += some;
        length -= some;
        if (length == 0) {
            return;
        }
        printf("%*s", (int)indent, "");
        column = indent;
    }
}

static void print_option(const char *line, size_t length)
{
    size_t column = length < FAR_COLUMN ? length : FAR_COLUMN;
    const char *text = line + column;

    while (column > 0 && line[column - 1] == ' ') {
        column -= 1;
    }
    printf("%.*s", (int)column, line);
    if (length <= FAR_COLUMN) {
        putchar('\n');
        return;
    }
    if (column > OPTION_COLUMN + 2) {
        printf("\n%*s", (int)OPTION_COLUMN, "");
        column = OPTION_COLUMN;
    } else {
        size_t gap = column + 2 < OPTION_COLUMN ? OPTION_COLUMN - column : 3;

        printf("%*s", (int)gap, "");
        column += gap;
    }
    print_text(text, (size_t)(line + length - text), column, OPTION_COLUMN);
}

static void print_lines(const char *line)
{
    while (*line != '\0') {
        size_t length = strcspn(line, "\n");
        const char *next = line + length + (line[length] == '\n');

        while (length > 0 && line[length - 1] == ' ') {
            length -= 1;
        }
        if (is_option(line)) {
            print_option(line, length);
        } else if (line[0] > ' ' && is_option(next)) { /* a group's heading */
            putchar(' ');
            print_text(line, length, 1, 1);
        } else {
            print_text(line, length, 0, 0);
        }
        line = next;
    }
}

void help_print(const struct argp *argp, const char *name)
{
    char *own_name = memory_or_exit(strdup(name));
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = memory_or_exit(open_memstream(&text, &bytes));

    (void)setenv("ARGP_HELP_FMT", LAYOUT, 1);
    argp_help(argp, out, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK,
              own_name);
    fclose(out);
    print_lines(memory_or_exit(text));
    free(text);
    free(own_name);
}
