/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/option.h"

#include "qemu/base/option_help.h"
#include "qemu/base/option_value.h"
#include "qemu/base/edits.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of a command that is being parsed. */
struct entry {
    const struct option_row *row;
    const struct option_table *table;
    char *options;        /* its table's struct */
    const char *text;     /* the last value, "" for none; NULL: not given */
    const char **text_at; /* takes a copy of .text; or NULL */
};

/* A command line is gone through once to find the rows of its options, once to
   store their values, and once for the words that are no options. */
enum pass {
    PASS_NAMES,
    PASS_VALUES,
    PASS_WORDS
};

struct parse {
    const struct option_command *command;
    const char *mark; /* before a name in messages: "--"; "" in a list */
    void *options;
    struct entry *entry; /* of all tables; behind them those of `own` */
    size_t rows;         /* without those of `own` */
    enum pass pass;
    unsigned words; /* that were taken */
};

/* Options of every command. */
static const struct option_row own[] = {
    {.name = "help", .letter = '?', .value = "HOW", .optional = true},
    {.name = "usage", .letter = 'h'}};

#define OWN_ROWS (sizeof own / sizeof *own)

static bool take_word(struct parse *parse, const char *text)
{
    char allowed[64];

    if (parse->pass != PASS_WORDS) {
        return true;
    }
    if (parse->command->word != NULL) {
        parse->words += 1;
        return parse->command->word(parse->options, text) == 0;
    }
    snprintf(allowed, sizeof allowed, "%s takes only options",
             parse->command->name);
    return parse_report("argument", text, allowed) == 0;
}

/* ---- names ---- */

/* Prints what is wrong with the command line. Result: false. */
__attribute__((format(printf, 2, 3))) static bool
refuse(const struct parse *parse, const char *format, ...)
{
    va_list values;

    fprintf(stderr, "quincunx %s: ", parse->command->name);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fprintf(stderr, "\nTry `quincunx %s --help' for more information.\n",
            parse->command->name);
    return false;
}

static void print_help(const struct parse *parse, const char *how)
{
    const struct option_row **row =
        memory_or_exit(calloc(parse->rows + 1, sizeof *row));

    for (size_t i = 0; i < parse->rows; ++i) {
        row[i] = parse->entry[i].row;
    }
    option_help_print(parse->command, row, parse->rows, how);
    free(row);
}

/* Takes an option and its value, NULL for none. Result: whether all is well;
   else after a message. */
static bool take(struct parse *parse, struct entry *entry, const char *text)
{
    bool list = parse->mark[0] == '\0';
    char name[64];

    if (entry >= &parse->entry[parse->rows] && parse->pass == PASS_NAMES) {
        print_help(parse, entry->row->value == NULL ? "short"
                          : text == NULL            ? ""
                                                    : text);
        exit(0);
    }
    if (parse->pass != PASS_VALUES) {
        return true;
    }
    entry->text = text != NULL ? text : "";
    if (entry->text_at != NULL) {
        *entry->text_at = entry->text;
    }
    snprintf(name, sizeof name, "%s%s%s", list ? parse->command->name : "--",
             list ? ": " : "", entry->row->name);
    return option_store(entry->row, name, entry->options, text) == 0;
}

/* Refuses a name that no row has, with the row's that may be meant, or that is
   the beginning of several. */
static void refuse_name(const struct parse *parse, const char *word,
                        const char *name)
{
    struct edits_nearest nearest = {.word = name};
    size_t length = strlen(name);
    char names[1024] = "";
    size_t at = 0;

    for (size_t i = 0; i < parse->rows + OWN_ROWS; ++i) {
        const char *other = parse->entry[i].row->name;

        edits_offer(&nearest, other);
        if (strncmp(other, name, length) == 0 && at < sizeof names) {
            at += (size_t)snprintf(names + at, sizeof names - at, " '--%s'",
                                   other);
        }
    }
    if (at > 0) {
        refuse(parse, "option '--%s' is ambiguous; possibilities:%s", name,
               names);
    } else if (nearest.name != NULL) {
        fprintf(stderr,
                "quincunx %s: unrecognized option '--%s'; did you mean "
                "'--%s'?\n",
                parse->command->name, quote_shown(name), nearest.name);
    } else {
        refuse(parse, "unrecognized option '%s'", quote_shown(word));
    }
}

/* The entry of a name or, if there is only one, of a name's beginning. NULL
   after a message. */
static struct entry *entry_named(const struct parse *parse, const char *word)
{
    char name[EDITS_NAME_BYTES + 1];
    size_t length = strcspn(word + 2, "=");
    struct entry *found = NULL;
    unsigned count = 0;

    if (length > EDITS_NAME_BYTES) {
        refuse(parse, "unrecognized option '%s'", quote_shown(word));
        return NULL;
    }
    snprintf(name, sizeof name, "%.*s", (int)length, word + 2);
    for (size_t i = 0; i < parse->rows + OWN_ROWS; ++i) {
        struct entry *entry = &parse->entry[i];

        if (strcmp(entry->row->name, name) == 0) {
            return entry;
        }
        if (strncmp(entry->row->name, name, length) == 0) {
            found = entry;
            count += 1;
        }
    }
    if (count == 1) {
        return found;
    }
    refuse_name(parse, word, name);
    return NULL;
}

/* Takes "--name" or "--name=value", whose value may be the next word. Result:
   the words taken; 0 after a message. */
static int take_name(struct parse *parse, char *const *word)
{
    struct entry *entry = entry_named(parse, word[0]);
    const char *value = strchr(word[0], '=');
    bool next;

    if (entry == NULL) {
        return 0;
    }
    if (entry->row->value == NULL && value != NULL) {
        refuse(parse, "option '--%s' doesn't allow an argument",
               entry->row->name);
        return 0;
    }
    next = value == NULL && entry->row->value != NULL && !entry->row->optional;
    if (next && word[1] == NULL) {
        refuse(parse, "option '--%s' requires an argument", entry->row->name);
        return 0;
    }
    value = next ? word[1] : value != NULL ? value + 1 : NULL;
    return !take(parse, entry, value) ? 0 : next ? 2 : 1;
}

static struct entry *entry_lettered(const struct parse *parse, char letter)
{
    for (size_t i = 0; i < parse->rows + OWN_ROWS; ++i) {
        if (parse->entry[i].row->letter == letter) {
            return &parse->entry[i];
        }
    }
    refuse(parse, "invalid option -- '%c'", letter);
    return NULL;
}

/* Takes "-qo", "-ofile" or "-o", whose value may be the next word. Result: as
   of take_name(). */
static int take_letters(struct parse *parse, char *const *word)
{
    for (const char *at = word[0] + 1; *at != '\0'; ++at) {
        struct entry *entry = entry_lettered(parse, *at);
        const char *value = at[1] != '\0' ? at + 1 : word[1];

        if (entry == NULL) {
            return 0;
        }
        if (entry->row->value == NULL || entry->row->optional) {
            if (!take(parse, entry, NULL)) {
                return 0;
            }
            continue;
        }
        if (value == NULL) {
            refuse(parse, "option requires an argument -- '%c'", *at);
            return 0;
        }
        return !take(parse, entry, value) ? 0 : value == word[1] ? 2 : 1;
    }
    return 1;
}

/* Goes through the command line. Result: whether all is well; else after a
   message. */
static bool go_through(struct parse *parse, enum pass pass, char *const *word)
{
    bool options = true; /* until "--" */
    int words = 1;

    parse->pass = pass;
    for (; words > 0 && *word != NULL; word += words) {
        if (options && strcmp(*word, "--") == 0) {
            options = false;
            words = 1;
        } else if (!options || (*word)[0] != '-' || (*word)[1] == '\0') {
            words = take_word(parse, *word) ? 1 : 0;
        } else if ((*word)[1] == '-') {
            words = take_name(parse, word);
        } else {
            words = take_letters(parse, word);
        }
    }
    return words > 0;
}

/* ---- the options together ---- */

/* The entry of an option that was given, with another value than the usual, by
   a name at the beginning of a list; NULL: none. */
static const struct entry *given(const struct parse *parse, const char *name)
{
    size_t length = strcspn(name, " ");

    for (size_t i = 0; i < parse->rows; ++i) {
        const struct entry *entry = &parse->entry[i];
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

/* Bits of the features that the command line has and that the option is for;
   all bits if the option is for any. */
static unsigned kinds_of(const struct entry *entry)
{
    return entry->row->of == 0
               ? ~0u
               : entry->row->of & entry->table->has(entry->options);
}

/* What stands between a list's names, of which `left` follow. */
static const char *between(size_t left, const char *last)
{
    return left == 0 ? "" : left == 1 ? last : ", ";
}

/* Prints the names of kinds: "a, b or c". */
static void print_kinds(const struct entry *entry, unsigned bits)
{
    for (unsigned i = 0; bits != 0; ++i) {
        if ((bits >> i & 1u) != 0) {
            bits &= bits - 1;
            fprintf(stderr, "%s%s", entry->table->kinds[i],
                    between((size_t)__builtin_popcount(bits), " or "));
        }
    }
}

static bool is_missing(const struct parse *parse, const struct entry *entry)
{
    const struct option_row *row = entry->row;

    return row->required && entry->text == NULL &&
           (row->instead == NULL || given(parse, row->instead) == NULL) &&
           kinds_of(entry) != 0;
}

/* Whether options and words that must be there are, else after a message that
   names all that are not. */
static bool is_whole(const struct parse *parse)
{
    const struct option_command *command = parse->command;
    bool words = parse->words < command->words_least ||
                 (command->lacks != NULL && command->lacks(parse->options));
    const struct entry *first = NULL;
    size_t left = words;
    bool list = parse->mark[0] == '\0';

    for (size_t i = parse->rows; i-- > 0;) {
        if (is_missing(parse, &parse->entry[i])) {
            first = &parse->entry[i];
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
    for (; first != NULL && first < &parse->entry[parse->rows]; ++first) {
        const struct option_row *row = first->row;

        if (is_missing(parse, first)) {
            left -= 1;
            fprintf(stderr, "%s%s%s%s%s%s%s%s", parse->mark, row->name,
                    list ? "=" : " ", row->value,
                    row->instead != NULL ? " or " : "",
                    row->instead != NULL ? parse->mark : "",
                    row->instead != NULL ? row->instead : "",
                    between(left, " and "));
        }
    }
    fprintf(stderr, "%s%s\n", words ? command->missing : "",
            list ? "" : "; see --help");
    return false;
}

/* Prints "--name", or "--name 'value'". */
static void print_given(const struct parse *parse, const struct entry *entry)
{
    fprintf(stderr, "%s%s", parse->mark, entry->row->name);
    if (entry->text[0] != '\0') {
        fprintf(stderr, " '%s'", quote_shown(entry->text));
    }
}

/* Whether an option that was given does not go with the others, after a
   message. */
static bool is_amiss(const struct parse *parse, const struct entry *entry)
{
    const struct option_row *row = entry->row;
    const char *name = row->without != NULL ? row->without : "";
    const struct entry *other = NULL;

    if (kinds_of(entry) == 0) {
        fputs("quincunx: ", stderr);
        print_given(parse, entry);
        fputs(": is for ", stderr);
        print_kinds(entry, row->of);
        fputc('\n', stderr);
        return true;
    }
    if (row->needs != NULL && given(parse, row->needs) == NULL) {
        fprintf(stderr, "quincunx: %s: %s%s needs %s%s\n", parse->command->name,
                parse->mark, row->name, parse->mark, row->needs);
        return true;
    }
    for (; other == NULL && *name != '\0'; name += *name == ' ') {
        other = given(parse, name);
        name += strcspn(name, " ");
    }
    if (other != NULL) {
        fprintf(stderr, "quincunx: %s: ", parse->command->name);
        print_given(parse, entry);
        fputs(" goes without ", stderr);
        print_given(parse, other);
        fputc('\n', stderr);
    }
    return other != NULL;
}

/* Checks what the rows say of each other. Result: whether all is well; else
   after a message. */
static bool agree(const struct parse *parse)
{
    for (size_t i = 0; i < parse->rows; ++i) {
        const struct entry *entry = &parse->entry[i];

        if (given(parse, entry->row->name) != NULL && is_amiss(parse, entry)) {
            return false;
        }
    }
    return true;
}

/* ---- the whole ---- */

/* Lists the rows of a table whose struct is at `options`. */
static void list_rows(struct parse *parse, const struct option_table *table,
                      char *options)
{
    const char **text = (const char **)(void *)(options + table->texts);

    for (size_t i = 0; i < table->rows; ++i) {
        parse->entry[parse->rows++] =
            (struct entry){.row = &table->row[i],
                           .table = table,
                           .options = options,
                           .text_at = table->texts != 0 ? &text[i] : NULL};
    }
}

static void list_all(struct parse *parse)
{
    const struct option_command *command = parse->command;
    size_t rows = OWN_ROWS;

    for (size_t i = 0; command->part[i].table != NULL; ++i) {
        rows += command->part[i].table->rows;
    }
    parse->entry = memory_or_exit(calloc(rows, sizeof *parse->entry));
    for (size_t i = 0; command->part[i].table != NULL; ++i) {
        list_rows(parse, command->part[i].table,
                  (char *)parse->options + command->part[i].at);
    }
    for (size_t i = 0; i < OWN_ROWS; ++i) {
        parse->entry[parse->rows + i].row = &own[i];
    }
}

int option_parse(const struct option_command *command, int argc, char **argv,
                 void *options)
{
    struct parse parse = {.command = command, .mark = "--", .options = options};
    bool good;

    (void)argc;
    list_all(&parse);
    good = go_through(&parse, PASS_NAMES, argv + 1) &&
           go_through(&parse, PASS_VALUES, argv + 1) &&
           go_through(&parse, PASS_WORDS, argv + 1);
    for (size_t i = 0; good && command->part[i].table != NULL; ++i) {
        if (command->part[i].table->done != NULL) {
            command->part[i].table->done((char *)options + command->part[i].at);
        }
    }
    good = good && is_whole(&parse) && agree(&parse);
    free(parse.entry);
    return good ? 0 : EXIT_USAGE;
}

/* ---- lists ---- */

/* Ends the first word of a list at its comma; a backslash takes the meaning off
   the character behind it, and goes away. Result: the next word, or NULL. */
static char *cut_word(char *text)
{
    char *to = text;
    bool last;

    for (; *text != '\0' && *text != ','; ++text) {
        text += text[0] == '\\' && text[1] != '\0';
        *to++ = *text;
    }
    last = *text == '\0';
    *to = '\0';
    return last ? NULL : text + 1;
}

/* The entry of a key; NULL after a message. */
static struct entry *entry_keyed(const struct parse *parse, const char *key)
{
    char keys[OPTION_CHOICE_BYTES * OPTION_KEYS] = "";
    const struct option_row row = {
        .type = OPTION_CHOICE, .width = 1, .value = "KEY", .choices = keys};
    uint8_t place = 0;
    char name[64];
    size_t at = 0;

    for (size_t i = 0; i < parse->rows && at < sizeof keys; ++i) {
        at +=
            (size_t)snprintf(keys + at, sizeof keys - at, i == 0 ? "%s" : " %s",
                             parse->entry[i].row->name);
    }
    snprintf(name, sizeof name, "%s: key", parse->command->name);
    return option_store(&row, name, &place, key) == 0 ? &parse->entry[place]
                                                      : NULL;
}

/* Takes "KEY=VALUE". Result: whether all is well; else after a message. */
static bool take_pair(struct parse *parse, char *word)
{
    char *equals = strchr(word, '=');
    struct entry *entry;
    char name[64];

    if (equals != NULL) {
        *equals = '\0';
    }
    entry = entry_keyed(parse, word);
    if (entry == NULL) {
        return false;
    }
    snprintf(name, sizeof name, "%s: %s", parse->command->name, word);
    if (equals == NULL || entry->text != NULL) {
        return parse_report(name, equals != NULL ? equals + 1 : "",
                            equals == NULL ? "must be KEY=VALUE"
                                           : "is given twice") == 0;
    }
    return take(parse, entry, equals + 1);
}

int option_parse_list(const struct option_table *table, const char *name,
                      char *text, void *options)
{
    const struct option_command command = {.name = name, .part = {{table, 0}}};
    struct parse parse = {.command = &command,
                          .mark = "",
                          .options = options,
                          .pass = PASS_VALUES};
    bool good = true;

    list_all(&parse);
    for (char *word = text; good && word != NULL && *text != '\0';) {
        char *next = table->rows > 1 ? cut_word(word) : NULL;

        good = take_pair(&parse, word);
        word = next;
    }
    good = good && is_whole(&parse) && agree(&parse);
    free(parse.entry);
    return good ? 0 : EXIT_USAGE;
}
