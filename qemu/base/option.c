/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/base/option.h"

#include "qemu/base/option_help.h"
#include "qemu/base/option_line.h"
#include "qemu/base/option_value.h"
#include "qemu/base/edits.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that every command has. */
static const struct option_row own[] = {
    {.name = "help", .letter = '?', .value = "HOW", .optional = true},
    {.name = "usage", .letter = 'h'}};

#define OWN_ROWS (sizeof own / sizeof *own)

/* ---- names ---- */

/* Prints an error of the command line. Returns false. */
__attribute__((format(printf, 2, 3))) static bool
refuse(const struct option_line *line, const char *format, ...)
{
    va_list values;

    fprintf(stderr, "quincunx %s: ", line->command->name);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fprintf(stderr, "\nTry `quincunx %s --help' for more information.\n",
            line->command->name);
    return false;
}

static void print_help(const struct option_line *line, const char *how)
{
    const struct option_row **row =
        memory_or_exit(calloc(line->rows + 1, sizeof *row));

    for (size_t i = 0; i < line->rows; ++i) {
        row[i] = line->entry[i].row;
    }
    option_help_print(line->command, row, line->rows, how);
    free(row);
}

/* Refuses an option that is unknown or whose short form fits several. Suggests
   the option with the closest name. */
static bool refuse_name(const struct option_line *line, const char *word)
{
    char name[EDITS_NAME_BYTES + 1];
    size_t length = strcspn(word + 2, "=");
    struct edits_nearest nearest = {.word = name};
    char names[1024] = "";
    size_t at = 0;

    snprintf(name, sizeof name, "%.*s", (int)length, word + 2);
    for (size_t i = 0; i < line->rows + OWN_ROWS && length <= EDITS_NAME_BYTES;
         ++i) {
        const char *other = line->entry[i].row->name;

        edits_offer(&nearest, other);
        if (strncmp(other, name, length) == 0 && at < sizeof names) {
            at += (size_t)snprintf(names + at, sizeof names - at, " '--%s'",
                                   other);
        }
    }
    if (at > 0) {
        return refuse(line, "option '--%s' is ambiguous; possibilities:%s",
                      name, names);
    }
    if (nearest.name == NULL) {
        return refuse(line, "unrecognized option '%s'", quote_shown(word));
    }
    fprintf(stderr,
            "quincunx %s: unrecognized option '--%s'; did you mean '--%s'?\n",
            line->command->name, quote_shown(name), nearest.name);
    return false;
}

/* getopt_long()'s code for entry i, if the option has no letter, is FIRST_NAME
   + i. Letters have smaller codes. */
#define FIRST_NAME 256

static bool has_value(const struct option_row *row)
{
    return row->value != NULL && !row->optional;
}

static struct option_entry *entry_of(const struct option_line *line, int code)
{
    size_t i = 0;

    if (code >= FIRST_NAME) {
        return &line->entry[code - FIRST_NAME];
    }
    while (line->entry[i].row->letter != code) {
        i += 1;
    }
    return &line->entry[i];
}

/* Adds an option or word to the list of those given. A repeated flag is listed
   once. */
static void add_given(struct option_line *line, struct option_entry *entry,
                      const char *text)
{
    bool is_flag = entry->row != NULL && entry->row->type == OPTION_FLAG;

    for (size_t i = 0; is_flag && i < line->count; ++i) {
        if (line->given[i].entry == entry) {
            return;
        }
    }
    line->given = memory_or_exit(
        realloc(line->given, (line->count + 1) * sizeof *line->given));
    line->given[line->count++] = (struct option_given){entry, text};
}

static bool take(struct option_line *line, int code, char *const *argv)
{
    const char *word = argv[optind - 1];
    const char *name =
        optopt >= FIRST_NAME ? entry_of(line, optopt)->row->name : NULL;

    if (code == 1) {
        add_given(line, &line->word, optarg);
    } else if (code == ':' && name != NULL) {
        return refuse(line, "option '--%s' requires an argument", name);
    } else if (code == ':') {
        return refuse(line, "option requires an argument -- '%c'", optopt);
    } else if (code == '?' && name != NULL) {
        return refuse(line, "option '--%s' doesn't allow an argument", name);
    } else if (code == '?' && optopt == 0) {
        return refuse_name(line, word);
    } else if (code == '?' && optopt != own[0].letter) {
        return refuse(line, "invalid option -- '%c'", optopt);
    } else {
        struct option_entry *entry = entry_of(line, code);

        if (entry >= &line->entry[line->rows]) {
            print_help(line, entry->row->value == NULL ? "short"
                             : optarg == NULL          ? ""
                                                       : optarg);
            exit(0);
        }
        add_given(line, entry, optarg);
    }
    return true;
}

static bool read_line(struct option_line *line, int argc, char **argv)
{
    size_t rows = line->rows + OWN_ROWS;
    struct option *name = memory_or_exit(calloc(rows + 1, sizeof *name));
    char *letters = memory_or_exit(malloc(2 * rows + sizeof "-:"));
    /* "-" makes getopt_long() return words, too; ":" silences it */
    char *letter = stpcpy(letters, "-:");
    bool good = true;
    int code = 0;

    for (size_t i = 0; i < rows; ++i) {
        const struct option_row *row = line->entry[i].row;

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
        good = code < 0 || take(line, code, argv);
    }
    for (; good && optind < argc; ++optind) {
        add_given(line, &line->word, argv[optind]); /* words after "--" */
    }
    free(letters);
    free(name);
    return good;
}

static bool store_given(struct option_line *line,
                        const struct option_given *given)
{
    struct option_entry *entry = given->entry;
    char allowed[64];

    if (entry->row == NULL) {
        snprintf(allowed, sizeof allowed, "%s takes only options",
                 line->command->name);
        return parse_report("argument", given->text, allowed) == 0;
    }
    if (entry == &line->word) {
        line->words += 1;
        if (entry->row->type == OPTION_INPUT && entry->text != NULL) {
            return parse_report(entry->name, given->text,
                                "only one is allowed") == 0;
        }
    }
    entry->text = given->text != NULL ? given->text : "";
    if (entry->text_at != NULL) {
        *entry->text_at = entry->text;
    }
    return option_store(entry->row, entry->name, entry->options, given->text) ==
           0;
}

static bool store_all(struct option_line *line)
{
    bool good = true;

    for (int words = 0; words < 2; ++words) {
        for (size_t i = 0; good && i < line->count; ++i) {
            if ((line->given[i].entry == &line->word) == words) {
                good = store_given(line, &line->given[i]);
            }
        }
    }
    return good;
}

/* ---- the whole ---- */

static void list_rows(struct option_line *line,
                      const struct option_table *table, char *options)
{
    const char **text = (const char **)(void *)(options + table->texts);
    bool is_list = line->mark[0] == '\0';

    for (size_t i = 0; i < table->rows; ++i) {
        struct option_entry *entry = &line->entry[line->rows++];

        *entry = (struct option_entry){.row = &table->row[i],
                                       .table = table,
                                       .options = options,
                                       .text_at =
                                           table->texts != 0 ? &text[i] : NULL};
        snprintf(entry->name, sizeof entry->name, "%s%s%s",
                 is_list ? line->command->name : "",
                 is_list ? ": " : line->mark, table->row[i].name);
    }
}

/* Returns a line without options; `mark` as in struct option_line. */
static struct option_line begin(const struct option_command *command,
                                const char *mark, void *options)
{
    struct option_line line = {
        .command = command,
        .mark = mark,
        .options = options,
        .word = {.row = command->word, .options = options}};
    size_t rows = OWN_ROWS;

    for (size_t i = 0; command->part[i].table != NULL; ++i) {
        rows += command->part[i].table->rows;
    }
    line.entry = memory_or_exit(calloc(rows, sizeof *line.entry));
    for (size_t i = 0; command->part[i].table != NULL; ++i) {
        list_rows(&line, command->part[i].table,
                  (char *)options + command->part[i].at);
    }
    for (size_t i = 0; i < OWN_ROWS; ++i) {
        line.entry[line.rows + i].row = &own[i];
    }
    if (command->word != NULL) {
        snprintf(line.word.name, sizeof line.word.name, "%s",
                 command->word->name);
    }
    return line;
}

int option_parse(const struct option_command *command, int argc, char **argv,
                 void *options)
{
    struct option_line line = begin(command, "--", options);
    bool good;
    int status;

    good = read_line(&line, argc, argv) && store_all(&line);
    for (size_t i = 0; good && command->part[i].table != NULL; ++i) {
        if (command->part[i].table->done != NULL) {
            command->part[i].table->done((char *)options + command->part[i].at);
        }
    }
    good = good && option_agree(&line);
    status = good ? option_files_check(&line) : EXIT_USAGE;
    free(line.given);
    free(line.entry);
    return status;
}

int option_check_read(const struct option_command *command, void *options,
                      const char *option, const char *path)
{
    struct option_line line = begin(command, "--", options);
    int status = option_files_check_read(&line, option, path);

    free(line.entry);
    return status;
}

void option_free(const struct option_command *command, void *options)
{
    struct option_line line = begin(command, "--", options);

    for (size_t i = 0; i <= line.rows; ++i) {
        const struct option_entry *entry =
            i < line.rows ? &line.entry[i] : &line.word;

        if (entry->row != NULL && entry->row->type >= OPTION_LISTS) {
            free(*(void **)option_field(entry));
        }
    }
    free(line.entry);
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
static struct option_entry *entry_keyed(const struct option_line *line,
                                        const char *key)
{
    char keys[OPTION_CHOICE_BYTES * OPTION_KEYS] = "";
    const struct option_row row = {
        .type = OPTION_CHOICE, .width = 1, .value = "KEY", .choices = keys};
    uint8_t place = 0;
    char name[64];
    size_t at = 0;

    for (size_t i = 0; i < line->rows && at < sizeof keys; ++i) {
        at += (size_t)snprintf(keys + at, sizeof keys - at,
                               i == 0 ? "%s" : " %s", line->entry[i].row->name);
    }
    snprintf(name, sizeof name, "%s: key", line->command->name);
    return option_store(&row, name, &place, key) == 0 ? &line->entry[place]
                                                      : NULL;
}

static bool take_pair(struct option_line *line, char *word)
{
    char *equals = strchr(word, '=');
    struct option_entry *entry;

    if (equals != NULL) {
        *equals = '\0';
    }
    entry = entry_keyed(line, word);
    if (entry == NULL) {
        return false;
    }
    if (equals == NULL || entry->text != NULL) {
        return parse_report(entry->name, equals != NULL ? equals + 1 : "",
                            equals == NULL ? "must be KEY=VALUE"
                                           : "is given twice") == 0;
    }
    return store_given(line, &(struct option_given){entry, equals + 1});
}

int option_parse_list(const struct option_table *table, const char *name,
                      char *text, void *options)
{
    const struct option_command command = {.name = name, .part = {{table, 0}}};
    struct option_line line = begin(&command, "", options);
    bool good = true;

    for (char *word = text; good && word != NULL && *text != '\0';) {
        char *next = table->rows > 1 ? cut_word(word) : NULL;

        good = take_pair(&line, word);
        word = next;
    }
    good = good && option_agree(&line);
    free(line.entry);
    return good ? 0 : EXIT_USAGE;
}
