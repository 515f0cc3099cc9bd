/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/support/quote.h"

#include "qemu/support/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands for itself wherever it is in a word. */
#define PLAIN                                                                  \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"           \
    "_-+./:=,@%"

static void write_word(FILE *out, const char *word)
{
    if (*word != '\0' && word[strspn(word, PLAIN)] == '\0') {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word != '\0'; ++word) {
        if (*word == '\'') {
            fputs("'\\''", out);
        } else {
            fputc(*word, out);
        }
    }
    fputc('\'', out);
}

char *quote_command(int argc, char *const argv[])
{
    char *text = NULL;
    size_t bytes;
    FILE *out = memory_or_exit(open_memstream(&text, &bytes));

    fputs(argv[0], out);
    for (int i = 1; i < argc; ++i) {
        fputc(' ', out);
        write_word(out, argv[i]);
    }
    fclose(out);
    return memory_or_exit(text);
}
