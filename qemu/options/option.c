/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/options/option.h"

#include "qemu/options/guess.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/file.h"
#include "qemu/support/memory.h"
#include "qemu/support/parse.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys of options without a letter: the first row's, of all tables. */
#define KEY_FIRST 0x1000

#define OPTION_ROOM 128 /* bytes of a text, such as what is allowed */

/* A command line that is being parsed. */
struct parse {
    const struct option_command *command;
    void *options;
    bool *given; /* by the row's number, counted over all tables */
};

/* The row with a number, and its table's struct; NULL behind the last. */
static const struct option_row *row_at(const struct parse *parse, size_t number,
                                       char **options)
{
    const struct option_table *table = parse->command->table;

    for (size_t i = 0; i < OPTION_TABLES && table[i].row != NULL; ++i) {
        if (number < table[i].rows) {
            *options = (char *)parse->options + table[i].at;
            return &table[i].row[number];
        }
        number -= table[i].rows;
    }
    return NULL;
}

/* argp's keys of headings are 0. */
static int key_of(const struct option_row *row, size_t number)
{
    if (row->name == NULL) {
        return 0;
    }
    return row->letter != '\0' ? row->letter : KEY_FIRST + (int)number;
}

/* Stores a number in the row's field. */
static void store_number(const struct option_row *row, void *field,
                         uint64_t number)
{
    switch (row->width) {
    case sizeof(uint8_t):
        *(uint8_t *)field = (uint8_t)number;
        break;
    case sizeof(uint16_t):
        *(uint16_t *)field = (uint16_t)number;
        break;
    case sizeof(uint32_t):
        *(uint32_t *)field = (uint32_t)number;
        break;
    default:
        *(uint64_t *)field = number;
    }
}

/* Stores a number between the row's bounds, or the row's word. Result: NULL or
   what is allowed, in `room` unless the row says it. */
static const char *set_number(const struct option_row *row, void *field,
                              const char *text, char room[OPTION_ROOM])
{
    uint64_t number = row->word_value;
    bool word = row->word != NULL && strcmp(text, row->word) == 0;
    const char *allowed = word ? NULL
                          : row->type == OPTION_COUNT
                              ? parse_count(text, &number)
                              : parse_size(text, &number);

    if (allowed == NULL && (word || row->most == 0 ||
                            (number >= row->least && number <= row->most))) {
        store_number(row, field, number);
        return NULL;
    }
    if (row->most == 0) {
        return allowed;
    }
    snprintf(room, OPTION_ROOM, "must be %" PRIu64 " to %" PRIu64, row->least,
             row->most);
    return row->allowed != NULL ? row->allowed : room;
}

/* Appends a list's names, which have blanks between them, to a text: `before`
   ahead of each, commas between them, and `last` ahead of the last. */
static void list_names(char room[OPTION_ROOM], const char *names,
                       const char *before, const char *last)
{
    size_t at = strlen(room);

    while (*names != '\0' && at < OPTION_ROOM) {
        size_t length = strcspn(names, " ");
        const char *next = names + length + (names[length] == ' ');

        at += (size_t)snprintf(room + at, OPTION_ROOM - at, "%s%.*s%s", before,
                               (int)length, names,
                               *next == '\0'               ? ""
                               : strchr(next, ' ') == NULL ? last
                                                           : ", ");
        names = next;
    }
}

/* Stores the place of a word among the row's choices. Result: as set_number().
 */
static const char *set_choice(const struct option_row *row, void *field,
                              const char *text, char room[OPTION_ROOM])
{
    const char *choice = row->choices;

    for (unsigned i = 0; *choice != '\0'; ++i) {
        size_t length = strcspn(choice, " ");

        if (strlen(text) == length && strncmp(text, choice, length) == 0) {
            store_number(row, field, i);
            return NULL;
        }
        choice += length + (choice[length] == ' ');
    }
    snprintf(room, OPTION_ROOM, "must be ");
    list_names(room, row->choices, "", " or ");
    return room;
}

/* Stores a value. Result: 0, or EINVAL after a message. */
static int store(const struct option_row *row, char *options, char *text)
{
    void *field = options + row->at;
    const char *allowed = NULL;
    char name[64];
    char room[OPTION_ROOM];

    if (row->given != 0) {
        *(bool *)(void *)(options + row->given) = true;
    }
    switch (row->type) {
    case OPTION_FLAG:
        *(bool *)field = true;
        break;
    case OPTION_TEXT:
        *(const char **)field = text;
        break;
    case OPTION_OUTPUT:
        *(const char **)field = file_output_name(text);
        break;
    case OPTION_COUNT:
    case OPTION_SIZE:
        allowed = set_number(row, field, text, room);
        break;
    case OPTION_CHOICE:
        allowed = set_choice(row, field, text, room);
        break;
    case OPTION_MESH:
        allowed = parse_mesh(text, field);
        break;
    case OPTION_SIDE:
        allowed = parse_side(text, field);
        break;
    case OPTION_COORD:
        allowed = parse_coord(text, field);
        break;
    case OPTION_SET:
        return row->set(options, text);
    }
    snprintf(name, sizeof name, "--%s", row->name);
    return parse_report(name, text, allowed);
}

static int take_word(const struct parse *parse, const char *text)
{
    char allowed[64];

    if (parse->command->word != NULL) {
        return parse->command->word(parse->options, text);
    }
    snprintf(allowed, sizeof allowed, "%s takes only options",
             parse->command->name);
    return parse_report("argument", text, allowed);
}

static error_t parse_one(int key, char *text, struct argp_state *state)
{
    const struct parse *parse = state->input;
    const struct option_row *row;
    char *options;

    if (key == ARGP_KEY_ARG) {
        return take_word(parse, text);
    }
    for (size_t i = 0; (row = row_at(parse, i, &options)) != NULL; ++i) {
        if (key != 0 && key == key_of(row, i)) {
            parse->given[i] = true;
            return store(row, options, text);
        }
    }
    return ARGP_ERR_UNKNOWN;
}

/* ---- the options together ---- */

static bool is_given(const struct parse *parse, const char *name, size_t length)
{
    const struct option_row *row;
    char *options;

    for (size_t i = 0; (row = row_at(parse, i, &options)) != NULL; ++i) {
        if (parse->given[i] && row->name != NULL &&
            strlen(row->name) == length &&
            strncmp(row->name, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether one of the names, which have blanks between them, was given. */
static bool any_given(const struct parse *parse, const char *names)
{
    while (*names != '\0') {
        size_t length = strcspn(names, " ");

        if (is_given(parse, names, length)) {
            return true;
        }
        names += length + (names[length] == ' ');
    }
    return false;
}

/* Checks what the rows say of each other. Result: whether all is well; if not,
   a message was printed. */
static bool agree(const struct parse *parse)
{
    const char *command = parse->command->name;
    const struct option_row *row;
    char names[OPTION_ROOM] = "";
    char *options;

    for (size_t i = 0; (row = row_at(parse, i, &options)) != NULL; ++i) {
        if (row->required && !parse->given[i]) {
            fprintf(stderr, "quincunx: %s needs --%s; see --help\n", command,
                    row->name);
            return false;
        }
        if (!parse->given[i]) {
            continue;
        }
        if (row->without != NULL && any_given(parse, row->without)) {
            list_names(names, row->without, "--", " and ");
            fprintf(stderr, "quincunx: %s: --%s goes without %s\n", command,
                    row->name, names);
            return false;
        }
        if (row->needs != NULL && !any_given(parse, row->needs)) {
            fprintf(stderr, "quincunx: %s: --%s needs --%s\n", command,
                    row->name, row->needs);
            return false;
        }
    }
    return true;
}

/* ---- argp ---- */

static size_t count_rows(const struct parse *parse)
{
    size_t count = 0;
    char *options;

    while (row_at(parse, count, &options) != NULL) {
        count += 1;
    }
    return count;
}

/* Returns the rows as argp has them, to be freed. */
static struct argp_option *argp_options(const struct parse *parse, size_t count)
{
    const struct option_row *row;
    struct argp_option *all;
    char *options;

    all = memory_or_exit(calloc(count + 1, sizeof *all));
    for (size_t i = 0; (row = row_at(parse, i, &options)) != NULL; ++i) {
        all[i] = (struct argp_option){
            .name = row->name,
            .key = key_of(row, i),
            .arg = row->value,
            .flags = row->optional ? OPTION_ARG_OPTIONAL : 0,
            .doc = row->help,
            .group = row->group};
    }
    return all;
}

int option_parse(const struct option_command *command, int argc, char **argv,
                 void *options)
{
    struct parse parse = {.command = command, .options = options};
    size_t count = count_rows(&parse);
    struct argp_option *all = argp_options(&parse, count);
    struct argp argp = {all,  parse_one, command->words, command->text, NULL,
                        NULL, NULL};
    bool good;

    parse.given = memory_or_exit(calloc(count + 1, sizeof *parse.given));
    good = guess_parse(&argp, command->options_first ? ARGP_IN_ORDER : 0, argc,
                       argv, &parse) == 0 &&
           agree(&parse);
    free(parse.given);
    free(all);
    for (size_t i = 0; good && i < OPTION_TABLES; ++i) {
        if (command->table[i].done != NULL) {
            command->table[i].done((char *)options + command->table[i].at);
        }
    }
    return good ? 0 : EXIT_USAGE;
}
