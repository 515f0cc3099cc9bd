/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/workers.h"

#include "qemu/base/exit_status.h"
#include "qemu/base/quote.h"
#include "qemu/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS (THEORY_COLUMNS_MAX + 1)
#define SHOWN_BYTES 80 /* most bytes of a wrong word that a message shows */

bool theory_line_complain(const struct theory_line *line, const char *column,
                          const char *word, const char *allowed)
{
    fprintf(stderr, "quincunx: %s:%u: ", quote_shown(line->path), line->number);
    if (column != NULL) {
        fprintf(stderr, "%s ", column);
    }
    if (word != NULL) {
        fprintf(stderr, "'%.*s%s': ", SHOWN_BYTES, quote_shown(word),
                strlen(word) > SHOWN_BYTES ? "..." : "");
    }
    fprintf(stderr, "%s\n", allowed);
    return false;
}

static unsigned split(char *word[WORDS], char *text)
{
    unsigned words = 0;

    text[strcspn(text, "#")] = '\0';
    while (words < WORDS && text != NULL) {
        word[words] = strsep(&text, " \t\r\n");
        words += *word[words] != '\0';
    }
    return words;
}

int theory_lines_read(const char *path,
                      bool (*take)(void *own, const struct theory_line *line,
                                   char *const word[], unsigned words),
                      void *own)
{
    struct theory_line line = {.path = path};
    FILE *file = text_open(path);
    char *text = NULL;
    size_t room = 0;
    bool good = file != NULL;

    for (ssize_t bytes; good && (bytes = getline(&text, &room, file)) >= 0;) {
        char *word[WORDS];
        unsigned words;

        line.number += 1;
        if (strlen(text) != (size_t)bytes) {
            good = theory_line_complain(&line, NULL, NULL,
                                        "must have no bytes of 0");
            break;
        }
        words = split(word, text);
        good = words == 0 || take(own, &line, word, words);
    }
    free(text);
    if (file != NULL) {
        fclose(file);
    }
    return good ? 0 : EXIT_USAGE;
}

struct reader {
    struct theory_workers *workers;
    const struct theory_form *form;
};

static bool take_worker(void *own, const struct theory_line *line,
                        char *const word[], unsigned words)
{
    const struct reader *reader = own;
    const struct theory_form *form = reader->form;
    struct theory_workers *workers = reader->workers;
    char allowed[80];

    if (workers->count == THEORY_WORKERS_MAX) {
        return theory_line_complain(line, NULL, NULL,
                                    "must be at most 1000 workers");
    }
    workers->line[workers->count] = line->number;
    for (unsigned i = 0; i < words && i < form->most; ++i) {
        quad *number = &workers->numbers[workers->count][i];
        const char *wrong = form->positive[i]
                                ? theory_number_positive(number, word[i])
                                : theory_number_natural(number, word[i]);

        if (wrong != NULL) {
            return theory_line_complain(line, form->column[i], word[i], wrong);
        }
    }
    workers->count += 1;
    snprintf(allowed, sizeof allowed, "must be a line %s", form->words);
    return (words >= form->least && words <= form->most) ||
           theory_line_complain(line, NULL,
                                words > form->most ? word[form->most] : NULL,
                                allowed);
}

int theory_workers_read(struct theory_workers *workers, const char *path,
                        const struct theory_form *form)
{
    struct reader reader = {workers, form};
    int status;

    *workers = (struct theory_workers){.path = path};
    status = theory_lines_read(path, take_worker, &reader);
    if (status == 0 && workers->count == 0) {
        fprintf(stderr,
                "quincunx: %s: has no worker: must have at least one line\n",
                quote_shown(path));
        status = EXIT_USAGE;
    }
    return status;
}

static int compare(const void *left, const void *right)
{
    const struct theory_key *one = left;
    const struct theory_key *other = right;
    int order = theory_number_compare(one->first, other->first);

    if (order == 0) {
        order = theory_number_compare(one->second, other->second);
    }
    return order != 0
               ? order
               : (one->worker > other->worker) - (one->worker < other->worker);
}

void theory_keys_sort(struct theory_key *keys, size_t count)
{
    qsort(keys, count, sizeof *keys, compare);
}

void theory_order_first(size_t *order, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        order[i] = i;
    }
}

static void swap(size_t *one, size_t *other)
{
    size_t kept = *one;

    *one = *other;
    *other = kept;
}

size_t theory_order_next(size_t *order, size_t count)
{
    size_t rise = count - 1;
    size_t above = count - 1;
    size_t changed;

    while (rise > 0 && order[rise - 1] > order[rise]) {
        rise -= 1;
    }
    if (rise == 0) {
        return count;
    }
    changed = rise - 1;
    while (order[above] < order[changed]) {
        above -= 1;
    }
    swap(&order[above], &order[changed]);
    for (size_t end = count - 1; rise < end; ++rise, --end) {
        swap(&order[rise], &order[end]);
    }
    return changed;
}
