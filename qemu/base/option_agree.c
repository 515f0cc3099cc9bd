/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/option_line.h"

#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <stdio.h>
#include <string.h>

/* Returns the entry of the option whose name is the first word of `name`, which
   may be a list. Returns NULL if the option is not given, or has the row's
   .usual value. */
static const struct option_entry *given(const struct option_line *line,
                                        const char *name)
{
    size_t length = strcspn(name, " ");

    for (size_t i = 0; i < line->rows; ++i) {
        const struct option_entry *entry = &line->entry[i];
        const struct option_row *row = entry->row;

        if (strlen(row->name) == length &&
            strncmp(row->name, name, length) == 0) {
            return entry->text == NULL || (row->usual != NULL &&
                                           strcmp(entry->text, row->usual) == 0)
                       ? NULL
                       : entry;
        }
    }
    return NULL;
}

/* Bits of row->of are the kinds of job that an option is for. Returns which of
   these kinds the command line's job has; all bits if row->of is 0. */
static unsigned kinds_of(const struct option_entry *entry)
{
    return entry->row->of == 0
               ? ~0u
               : entry->row->of & entry->table->has(entry->options);
}

/* Returns what separates a list's names if `left` more follow: ", ", or `last`
   before the last name. */
static const char *between(size_t left, const char *last)
{
    return left == 0 ? "" : left == 1 ? last : ", ";
}

static void print_kinds(const struct option_entry *entry, unsigned bits)
{
    for (unsigned i = 0; bits != 0; ++i) {
        if ((bits >> i & 1u) != 0) {
            bits &= bits - 1;
            fprintf(stderr, "%s%s", entry->table->kinds[i],
                    between((size_t)__builtin_popcount(bits), " or "));
        }
    }
}

static bool is_missing(const struct option_line *line,
                       const struct option_entry *entry)
{
    const struct option_row *row = entry->row;

    return row->required && entry->text == NULL &&
           (row->instead == NULL || given(line, row->instead) == NULL) &&
           kinds_of(entry) != 0;
}

static bool is_whole(const struct option_line *line)
{
    const struct option_command *command = line->command;
    bool words = command->word != NULL &&
                 (line->words < command->word->least ||
                  (command->lacks != NULL && command->lacks(line->options)));
    bool is_list = line->mark[0] == '\0';
    const struct option_entry *first = NULL;
    size_t left = words;

    for (size_t i = line->rows; i-- > 0;) {
        if (is_missing(line, &line->entry[i])) {
            first = &line->entry[i];
            left += 1;
        }
    }
    if (left == 0) {
        return true;
    }
    fputs("quincunx: ", stderr);
    if (first != NULL && first->row->of != 0) {
        print_kinds(first, kinds_of(first));
    } else {
        fputs(command->name, stderr);
    }
    fputs(" needs ", stderr);
    for (; first != NULL && first < &line->entry[line->rows]; ++first) {
        const struct option_row *row = first->row;

        if (is_missing(line, first)) {
            left -= 1;
            fprintf(stderr, "%s%s%s%s", line->mark, row->name,
                    is_list ? "=" : " ", row->value);
            if (row->instead != NULL) {
                fprintf(stderr, " or %s%s", line->mark, row->instead);
            }
            fputs(between(left, " and "), stderr);
        }
    }
    fprintf(stderr, "%s%s\n", words ? command->word->help : "",
            is_list ? "" : "; see --help");
    return false;
}

static void print_given(const struct option_line *line,
                        const struct option_entry *entry)
{
    fprintf(stderr, "%s%s", line->mark, entry->row->name);
    if (entry->text[0] != '\0') {
        fprintf(stderr, " '%s'", quote_shown(entry->text));
    }
}

/* Returns whether a given option excludes another option that is given, too, or
   needs one that is not. Prints a message then. */
static bool is_amiss(const struct option_line *line,
                     const struct option_entry *entry)
{
    const struct option_row *row = entry->row;
    const char *name = row->without != NULL ? row->without : "";
    const struct option_entry *other = NULL;

    if (kinds_of(entry) == 0) {
        fputs("quincunx: ", stderr);
        print_given(line, entry);
        fputs(": is for ", stderr);
        print_kinds(entry, row->of);
        fputc('\n', stderr);
        return true;
    }
    if (row->needs != NULL && given(line, row->needs) == NULL) {
        fprintf(stderr, "quincunx: %s: %s%s needs %s%s\n", line->command->name,
                line->mark, row->name, line->mark, row->needs);
        return true;
    }
    for (; other == NULL && *name != '\0'; name += *name == ' ') {
        other = given(line, name);
        name += strcspn(name, " ");
    }
    if (other != NULL) {
        fprintf(stderr, "quincunx: %s: ", line->command->name);
        print_given(line, entry);
        fputs(" goes without ", stderr);
        print_given(line, other);
        fputc('\n', stderr);
    }
    return other != NULL;
}

/* Checks which options the given ones need and exclude (.of, .needs, .without).
   Returns false after a message on the first conflict. */
static bool all_suit(const struct option_line *line)
{
    for (size_t i = 0; i < line->rows; ++i) {
        const struct option_entry *entry = &line->entry[i];

        if (given(line, entry->row->name) != NULL && is_amiss(line, entry)) {
            return false;
        }
    }
    return true;
}

/* Checks that all coordinates given lie inside the mesh, if its size is
   given. */
static bool are_inside(const struct option_line *line)
{
    const struct torus_size *size = NULL;

    for (size_t i = 0; i < line->rows; ++i) {
        enum option_type type = line->entry[i].row->type;

        size = type == OPTION_MESH || type == OPTION_SIDE
                   ? option_field(&line->entry[i])
                   : size;
    }
    for (size_t i = 0; i < line->rows && size != NULL && size->width > 0; ++i) {
        const struct option_entry *entry = &line->entry[i];
        struct option_place one;
        struct option_places places = {.place = &one};

        if (entry->row->type == OPTION_PLACES) {
            places = *(const struct option_places *)option_field(entry);
        } else if (entry->row->type == OPTION_COORD) {
            one.at = *(const struct torus_coord *)option_field(entry);
            places.count = 1;
        }
        for (uint32_t j = 0; j < places.count; ++j) {
            if (parse_report_outside(entry->name, places.place[j].at, *size) !=
                0) {
                return false;
            }
        }
    }
    return true;
}

bool option_agree(const struct option_line *line)
{
    return is_whole(line) && all_suit(line) && are_inside(line);
}
