/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/workers.h"

#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"
#include "qemu/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"
#define NAME_CHARS 8

struct reader {
    struct theory_workers *workers;
    const struct theory_line *form;
    unsigned line; /* from 1 */
};

/* Prints what is wrong with a line; `column` and `text` may be NULL. Result:
   false. */
static bool complain(const struct reader *reader, const char *column,
                     const char *text, const char *allowed)
{
    fprintf(stderr, "quincunx: %s:%u: ", quote_shown(reader->workers->path),
            reader->line);
    if (column != NULL) {
        fprintf(stderr, "%s ", column);
    }
    if (text != NULL) {
        fprintf(stderr, "'%s': ", quote_shown(text));
    }
    fprintf(stderr, "%s\n", allowed);
    return false;
}

/* Makes room for one more worker, whose numbers are 0. */
static bool add_worker(struct reader *reader)
{
    struct theory_workers *workers = reader->workers;
    size_t count = workers->count + 1;
    char allowed[80];

    if (count > reader->form->workers_max) {
        snprintf(allowed, sizeof allowed, "must be at most %zu workers",
                 reader->form->workers_max);
        return complain(reader, NULL, NULL, allowed);
    }
    workers->numbers = memory_or_exit(
        realloc(workers->numbers, count * sizeof *workers->numbers));
    workers->line =
        memory_or_exit(realloc(workers->line, count * sizeof *workers->line));
    memset(workers->numbers[workers->count], 0, sizeof *workers->numbers);
    workers->line[workers->count] = reader->line;
    workers->count = count;
    return true;
}

/* Sets `name` to the column's in the form, "G" for 2 of "g w [G [W]]". */
static void name_column(char name[NAME_CHARS], const struct theory_line *form,
                        unsigned column)
{
    const char *word = form->words;
    size_t length;

    for (unsigned i = 0; i < column; ++i) {
        word += strcspn(word, " ");
        word += strspn(word, " [");
    }
    length = strcspn(word, " []");
    snprintf(name, NAME_CHARS, "%.*s", (int)length, word);
}

static bool read_number(const struct reader *reader, unsigned column,
                        const char *text)
{
    const struct theory_workers *workers = reader->workers;
    quad *value = &workers->numbers[workers->count - 1][column];
    const char *allowed = reader->form->positive[column]
                              ? theory_number_positive(value, text)
                              : theory_number_natural(value, text);
    char name[NAME_CHARS];

    name_column(name, reader->form, column);
    return allowed == NULL || complain(reader, name, text, allowed);
}

/* One line: its numbers, or nothing; `#` begins a comment. */
static bool read_line(struct reader *reader, char *text)
{
    const struct theory_line *form = reader->form;
    char *rest = text;
    unsigned words = 0;
    char allowed[80];

    text[strcspn(text, "#")] = '\0';
    snprintf(allowed, sizeof allowed, "must be a line %s", form->words);
    for (char *word; (word = strsep(&rest, BLANKS)) != NULL;) {
        if (*word == '\0') {
            continue;
        }
        if (words == form->most) {
            return complain(reader, NULL, word, allowed);
        }
        if ((words == 0 && !add_worker(reader)) ||
            !read_number(reader, words, word)) {
            return false;
        }
        words += 1;
    }
    return words == 0 || words >= form->least ||
           complain(reader, NULL, NULL, allowed);
}

static bool read_lines(struct reader *reader, FILE *file)
{
    char *text = NULL;
    size_t room = 0;
    bool good = true;

    for (ssize_t bytes; good && (bytes = getline(&text, &room, file)) >= 0;) {
        reader->line += 1;
        good = strlen(text) == (size_t)bytes
                   ? read_line(reader, text)
                   : complain(reader, NULL, NULL, "must have no bytes of 0");
    }
    free(text);
    return good;
}

/* Whether the file has a worker. */
static bool check_end(const struct reader *reader)
{
    if (reader->workers->count == 0) {
        fprintf(stderr,
                "quincunx: %s: has no worker: must have at least one line\n",
                quote_shown(reader->workers->path));
        return false;
    }
    return true;
}

int theory_workers_read(struct theory_workers *workers, const char *path,
                        const struct theory_line *line)
{
    struct reader reader = {.workers = workers, .form = line};
    FILE *file = text_open(path);
    bool read;

    *workers = (struct theory_workers){.path = path};
    if (file == NULL) {
        return EXIT_USAGE;
    }
    read = read_lines(&reader, file) && check_end(&reader);
    fclose(file);
    return read ? 0 : EXIT_USAGE;
}

void theory_workers_free(struct theory_workers *workers)
{
    free(workers->numbers);
    free(workers->line);
}
