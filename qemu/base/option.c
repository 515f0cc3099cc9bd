/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/option.h"

#include "qemu/base/option_files.h"
#include "qemu/base/option_help.h"
#include "qemu/base/option_value.h"
#include "qemu/base/edits.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of the option tables, and the value that the command line gives it. */
struct entry {
    const struct option_row *row;
    const struct option_table *table;
    char *options; /* struct in which the fields of the table's rows lie */
    /* last value given; "": given without a value; NULL: not given */
    const char *text;
    const char **text_at; /* where .text is stored, too; or NULL */
};

/* An option with its value, or a word, as the command line gives it. */
struct given {
    struct entry *entry;
    const char *text;
};

struct parse {
    const struct option_command *command;
    /* text before a name in messages: "--", or "" for keys of --arg */
    const char *mark;
    void *options;
    /* one entry for each row of all tables, then for each of own[] */
    struct entry *entry;
    size_t rows; /* number of rows of all tables */
    /* entry of words that are no options; .row NULL: none allowed */
    struct entry word;
    struct given *given;
    size_t count;
    unsigned words;
};

/* Options that every command has. */
static const struct option_row own[] = {
    {.name = "help", .letter = '?', .value = "HOW", .optional = true},
    {.name = "usage", .letter = 'h'}};

#define OWN_ROWS (sizeof own / sizeof *own)

static bool is_list(const struct parse *parse)
{
    return parse->mark[0] == '\0';
}

/* Writes the name of an option or word, as messages show it. */
static void name_entry(char name[OPTION_NAME_BYTES], const struct parse *parse,
                       const struct entry *entry)
{
    snprintf(name, OPTION_NAME_BYTES, "%s%s%s",
             is_list(parse) ? parse->command->name : "",
             is_list(parse)          ? ": "
             : entry == &parse->word ? ""
                                     : parse->mark,
             entry->row->name);
}

/* ---- names ---- */

/* Prints an error of the command line. Returns false. */
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

/* Refuses an option that is unknown or whose short form fits several. Suggests
   the option with the closest name. */
static bool refuse_name(const struct parse *parse, const char *word)
{
    char name[EDITS_NAME_BYTES + 1];
    size_t length = strcspn(word + 2, "=");
    struct edits_nearest nearest = {.word = name};
    char names[1024] = "";
    size_t at = 0;

    snprintf(name, sizeof name, "%.*s", (int)length, word + 2);
    for (size_t i = 0; i < parse->rows + OWN_ROWS && length <= EDITS_NAME_BYTES;
         ++i) {
        const char *other = parse->entry[i].row->name;

        edits_offer(&nearest, other);
        if (strncmp(other, name, length) == 0 && at < sizeof names) {
            at += (size_t)snprintf(names + at, sizeof names - at, " '--%s'",
                                   other);
        }
    }
    if (at > 0) {
        return refuse(parse, "option '--%s' is ambiguous; possibilities:%s",
                      name, names);
    }
    if (nearest.name == NULL) {
        return refuse(parse, "unrecognized option '%s'", quote_shown(word));
    }
    fprintf(stderr,
            "quincunx %s: unrecognized option '--%s'; did you mean '--%s'?\n",
            parse->command->name, quote_shown(name), nearest.name);
    return false;
}

/* getopt_long()'s code for entry i, if the option has no letter, is FIRST_NAME
   + i. Letters have smaller codes. */
#define FIRST_NAME 256

static bool has_value(const struct option_row *row)
{
    return row->value != NULL && !row->optional;
}

static struct entry *entry_of(const struct parse *parse, int code)
{
    size_t i = 0;

    if (code >= FIRST_NAME) {
        return &parse->entry[code - FIRST_NAME];
    }
    while (parse->entry[i].row->letter != code) {
        i += 1;
    }
    return &parse->entry[i];
}

/* Adds an option or word to the list of those given. A repeated flag is listed
   once. */
static void add_given(struct parse *parse, struct entry *entry,
                      const char *text)
{
    bool is_flag = entry != &parse->word && entry->row->type == OPTION_FLAG;

    for (size_t i = 0; is_flag && i < parse->count; ++i) {
        if (parse->given[i].entry == entry) {
            return;
        }
    }
    parse->given = memory_or_exit(
        realloc(parse->given, (parse->count + 1) * sizeof *parse->given));
    parse->given[parse->count++] = (struct given){entry, text};
}

/* Takes one option that getopt_long() has returned. Returns false after a
   message. */
static bool take(struct parse *parse, int code, char *const *argv)
{
    const char *word = argv[optind - 1];
    const char *name =
        optopt >= FIRST_NAME ? entry_of(parse, optopt)->row->name : NULL;

    if (code == 1) {
        add_given(parse, &parse->word, optarg);
    } else if (code == ':' && name != NULL) {
        return refuse(parse, "option '--%s' requires an argument", name);
    } else if (code == ':') {
        return refuse(parse, "option requires an argument -- '%c'", optopt);
    } else if (code == '?' && name != NULL) {
        return refuse(parse, "option '--%s' doesn't allow an argument", name);
    } else if (code == '?' && optopt == 0) {
        return refuse_name(parse, word);
    } else if (code == '?' && optopt != own[0].letter) {
        return refuse(parse, "invalid option -- '%c'", optopt);
    } else {
        struct entry *entry = entry_of(parse, code);

        if (entry >= &parse->entry[parse->rows]) {
            print_help(parse, entry->row->value == NULL ? "short"
                              : optarg == NULL          ? ""
                                                        : optarg);
            exit(0);
        }
        add_given(parse, entry, optarg);
    }
    return true;
}

/* Lists the options and words of the command line. Returns false after a
   message. */
static bool read_line(struct parse *parse, int argc, char **argv)
{
    size_t rows = parse->rows + OWN_ROWS;
    struct option *name = memory_or_exit(calloc(rows + 1, sizeof *name));
    char *letters = memory_or_exit(malloc(2 * rows + sizeof "-:"));
    /* "-" makes getopt_long() return words, too; ":" silences it */
    char *letter = stpcpy(letters, "-:");
    bool good = true;
    int code = 0;

    for (size_t i = 0; i < rows; ++i) {
        const struct option_row *row = parse->entry[i].row;

        name[i] = (struct option){.name = row->name,
                                  .has_arg = has_value(row)  ? required_argument
                                             : row->optional ? optional_argument
                                                             : no_argument,
                                  .val = FIRST_NAME + (int)i};
        if (row->letter != '\0' && row->letter != own[0].letter) {
            *letter++ = row->letter;
            letter = stpcpy(letter, has_value(row) ? ":" : "");
        }
    }
    *letter = '\0';
    optind = 0; /* restarts getopt_long() */
    while (good && code >= 0) {
        optopt = 0;
        code = getopt_long(argc, argv, letters, name, NULL);
        good = code < 0 || take(parse, code, argv);
    }
    for (; good && optind < argc; ++optind) {
        add_given(parse, &parse->word, argv[optind]); /* words after "--" */
    }
    free(letters);
    free(name);
    return good;
}

/* Stores the value of an option or word in its field. Returns false after a
   message. */
static bool store_given(struct parse *parse, const struct given *given)
{
    struct entry *entry = given->entry;
    char name[OPTION_NAME_BYTES];

    if (entry->row == NULL) {
        snprintf(name, sizeof name, "%s takes only options",
                 parse->command->name);
        return parse_report("argument", given->text, name) == 0;
    }
    name_entry(name, parse, entry);
    if (entry == &parse->word) {
        parse->words += 1;
        if (entry->row->type == OPTION_INPUT && entry->text != NULL) {
            return parse_report(name, given->text, "only one is allowed") == 0;
        }
    }
    entry->text = given->text != NULL ? given->text : "";
    if (entry->text_at != NULL) {
        *entry->text_at = entry->text;
    }
    return option_store(entry->row, name, entry->options, given->text) == 0;
}

static bool store_all(struct parse *parse)
{
    bool good = true;

    for (int words = 0; words < 2; ++words) {
        for (size_t i = 0; good && i < parse->count; ++i) {
            if ((parse->given[i].entry == &parse->word) == words) {
                good = store_given(parse, &parse->given[i]);
            }
        }
    }
    return good;
}

/* ---- the options together ---- */

/* Returns the entry of the option whose name is the first word of `name`, which
   may be a list. Returns NULL if the option is not given, or has the row's
   .usual value. */
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

/* Bits of row->of are the kinds of job that an option is for. Returns which of
   these kinds the command line's job has; all bits if row->of is 0. */
static unsigned kinds_of(const struct entry *entry)
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

/* Prints the names of kinds of jobs (the table's .kinds): "a, b or c". */
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

/* Returns whether all required options and words are given. Prints what is
   missing. */
static bool is_whole(const struct parse *parse)
{
    const struct option_command *command = parse->command;
    bool words = command->word != NULL &&
                 (parse->words < command->word->least ||
                  (command->lacks != NULL && command->lacks(parse->options)));
    const struct entry *first = NULL;
    size_t left = words;

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
                    is_list(parse) ? "=" : " ", row->value,
                    row->instead != NULL ? " or " : "",
                    row->instead != NULL ? parse->mark : "",
                    row->instead != NULL ? row->instead : "",
                    between(left, " and "));
        }
    }
    fprintf(stderr, "%s%s\n", words ? command->word->help : "",
            is_list(parse) ? "" : "; see --help");
    return false;
}

static void print_given(const struct parse *parse, const struct entry *entry)
{
    fprintf(stderr, "%s%s", parse->mark, entry->row->name);
    if (entry->text[0] != '\0') {
        fprintf(stderr, " '%s'", quote_shown(entry->text));
    }
}

/* Returns whether a given option excludes another option that is given, too, or
   needs one that is not. Prints a message then. */
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

/* Checks which options the given ones need and exclude (.of, .needs, .without).
   Returns false after a message on the first conflict. */
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

/* ---- places and files ---- */

static void *field_of(const struct entry *entry)
{
    return entry->options + entry->row->at;
}

/* Checks that all coordinates given lie inside the mesh, if its size is
   given. */
static bool are_inside(const struct parse *parse)
{
    const struct torus_size *size = NULL;

    for (size_t i = 0; i < parse->rows; ++i) {
        enum option_type type = parse->entry[i].row->type;

        size = type == OPTION_MESH || type == OPTION_SIDE
                   ? field_of(&parse->entry[i])
                   : size;
    }
    for (size_t i = 0; i < parse->rows && size != NULL && size->width > 0;
         ++i) {
        const struct entry *entry = &parse->entry[i];
        struct option_place one;
        struct option_places places = {.place = &one};
        char name[OPTION_NAME_BYTES];

        if (entry->row->type == OPTION_PLACES) {
            places = *(const struct option_places *)field_of(entry);
        } else if (entry->row->type == OPTION_COORD) {
            one.at = *(const struct torus_coord *)field_of(entry);
            places.count = 1;
        }
        name_entry(name, parse, entry);
        for (uint32_t j = 0; j < places.count; ++j) {
            if (parse_report_outside(name, places.place[j].at, *size) != 0) {
                return false;
            }
        }
    }
    return true;
}

/* Returns a sort key of files for option_files_check(): 0 for files to read, 1
   for the standard output of a flag, 2 for files to write, 3 for files to read
   and write. */
static unsigned rank_of(const struct option_row *row)
{
    return row->type == OPTION_UPDATE                                  ? 3
           : row->type == OPTION_OUTPUT || row->type == OPTION_OUTPUTS ? 2
           : row->prints                                               ? 1
                                                                       : 0;
}

/* Returns the path of the file that an option or word names, or NULL if it
   names none. Paths of output files come from file_output_name(). */
static const char *file_of(const struct given *given)
{
    const struct option_row *row = given->entry->row;
    const char *text = given->text;

    if (row->type < OPTION_LISTS && text != given->entry->text) {
        return NULL; /* a later value replaces this one */
    }
    switch (row->type) {
    case OPTION_INPUT:
    case OPTION_PATH:
    case OPTION_UPDATE:
    case OPTION_INPUTS:
        return text;
    case OPTION_OUTPUT:
    case OPTION_OUTPUTS:
        return file_output_name(text);
    case OPTION_PLACES:
        text = strstr(row->value, "FILE") != NULL ? strchr(text, '=') : NULL;
        return text != NULL ? text + 1 : NULL;
    default:
        return row->file != NULL       ? row->file(given->entry->options, text)
               : row->suffixes != NULL ? text
                                       : NULL;
    }
}

static struct option_file describe_file(const struct parse *parse,
                                        const struct given *given)
{
    const struct entry *entry = given->entry;
    const struct option_row *row = entry->row;
    struct option_file file = {
        .path = row->prints ? file_output_name("-") : file_of(given),
        .suffixes = row->suffixes_of != NULL ? row->suffixes_of(entry->options)
                                             : row->suffixes,
        .written = rank_of(row) > 0};

    name_entry(file.option, parse, entry);
    if (row->letter != '\0') {
        snprintf(file.option, sizeof file.option, "-%c", row->letter);
    }
    return file;
}

/* Checks the files of all given options and words. Sets the command's .people
   to stdout, or to stderr if stdout is an output. Returns 0, or an exit status
   after a message. */
static int check_files(const struct parse *parse)
{
    const struct option_command *command = parse->command;
    struct option_file *file =
        memory_or_exit(calloc(parse->count + 1, sizeof *file));
    size_t count = 0;
    int status;

    for (unsigned rank = 0; rank < 4; ++rank) {
        for (size_t i = 0; i < parse->count; ++i) {
            if (rank_of(parse->given[i].entry->row) == rank) {
                file[count] = describe_file(parse, &parse->given[i]);
                count += file[count].path != NULL;
            }
        }
    }
    status = option_files_check(file, count);
    if (command->people != 0) {
        *(FILE **)(void *)((char *)parse->options + command->people) =
            option_files_standard(file, count) ? stderr : stdout;
    }
    free(file);
    return status;
}

/* ---- the whole ---- */

/* Adds an entry for each row of a table. The rows' fields lie in the struct
   `options`. */
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

static struct parse begin(const struct option_command *command, void *options)
{
    struct parse parse = {.command = command,
                          .mark = "--",
                          .options = options,
                          .word = {.row = command->word, .options = options}};
    size_t rows = OWN_ROWS;

    for (size_t i = 0; command->part[i].table != NULL; ++i) {
        rows += command->part[i].table->rows;
    }
    parse.entry = memory_or_exit(calloc(rows, sizeof *parse.entry));
    for (size_t i = 0; command->part[i].table != NULL; ++i) {
        list_rows(&parse, command->part[i].table,
                  (char *)options + command->part[i].at);
    }
    for (size_t i = 0; i < OWN_ROWS; ++i) {
        parse.entry[parse.rows + i].row = &own[i];
    }
    return parse;
}

int option_parse(const struct option_command *command, int argc, char **argv,
                 void *options)
{
    struct parse parse = begin(command, options);
    bool good;
    int status;

    good = read_line(&parse, argc, argv) && store_all(&parse);
    for (size_t i = 0; good && command->part[i].table != NULL; ++i) {
        if (command->part[i].table->done != NULL) {
            command->part[i].table->done((char *)options + command->part[i].at);
        }
    }
    good = good && is_whole(&parse) && agree(&parse) && are_inside(&parse);
    status = good ? check_files(&parse) : EXIT_USAGE;
    free(parse.given);
    free(parse.entry);
    return status;
}

void option_free(const struct option_command *command, void *options)
{
    struct parse parse = begin(command, options);

    for (size_t i = 0; i <= parse.rows; ++i) {
        const struct entry *entry =
            i < parse.rows ? &parse.entry[i] : &parse.word;

        if (entry->row != NULL && entry->row->type >= OPTION_LISTS) {
            free(*(void **)field_of(entry));
        }
    }
    free(parse.entry);
}

int option_run(const struct option_command *command, int argc, char **argv)
{
    char *options = memory_or_exit(calloc(1, command->bytes + 1));
    char *line = quote_command(argc, argv);
    int status;

    if (command->usual != NULL) {
        memcpy(options, command->usual, command->bytes);
    }
    if (command->begin != NULL) {
        command->begin(options, line);
    }
    status = option_parse(command, argc, argv, options);
    status = status == 0 ? command->run(options) : status;
    if (command->end != NULL) {
        command->end(options);
    }
    option_free(command, options);
    free(line);
    free(options);
    return status;
}

/* ---- lists ---- */

/* Ends `text` at its first comma without a backslash before it. Removes the
   backslashes that stand before commas and backslashes. Returns the text after
   the comma, or NULL. */
static char *cut_word(char *text)
{
    char *to = text;
    bool last;

    for (; *text != '\0' && *text != ','; ++text) {
        text += text[0] == '\\' && (text[1] == ',' || text[1] == '\\');
        *to++ = *text;
    }
    last = *text == '\0';
    *to = '\0';
    return last ? NULL : text + 1;
}

/* Returns the entry of the row that KEY of "KEY=VALUE" names, or NULL after a
   message. */
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

/* Stores VALUE of "KEY=VALUE" in its field. Returns false after a message. */
static bool take_pair(struct parse *parse, char *word)
{
    char *equals = strchr(word, '=');
    struct entry *entry;
    char name[OPTION_NAME_BYTES];

    if (equals != NULL) {
        *equals = '\0';
    }
    entry = entry_keyed(parse, word);
    if (entry == NULL) {
        return false;
    }
    name_entry(name, parse, entry);
    if (equals == NULL || entry->text != NULL) {
        return parse_report(name, equals != NULL ? equals + 1 : "",
                            equals == NULL ? "must be KEY=VALUE"
                                           : "is given twice") == 0;
    }
    return store_given(parse, &(struct given){entry, equals + 1});
}

int option_parse_list(const struct option_table *table, const char *name,
                      char *text, void *options)
{
    const struct option_command command = {.name = name, .part = {{table, 0}}};
    struct parse parse = begin(&command, options);
    bool good = true;

    parse.mark = "";
    for (char *word = text; good && word != NULL && *text != '\0';) {
        char *next = table->rows > 1 ? cut_word(word) : NULL;

        good = take_pair(&parse, word);
        word = next;
    }
    good = good && is_whole(&parse) && agree(&parse);
    free(parse.entry);
    return good ? 0 : EXIT_USAGE;
}
