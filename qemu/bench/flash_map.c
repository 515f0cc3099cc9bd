/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/bench/flash_map.h"

#include "qemu/bench/openocd.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"
#include "qemu/base/text.h"

#include <assert.h>
#include <ctype.h>
#include <csv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 80        /* most characters shown of a field */
#define MISSING_SHOWN 8 /* most nodes that a message names */

enum column {
    COLUMN_PROBE, /* 0, 1, 2: the columns of enum flash_way */
    COLUMN_PORT,
    COLUMN_DFU,
    COLUMN_X,
    COLUMN_Y,
    COLUMN_UNIQUE,
    COLUMN_PINS,
    COLUMN_INTERFACE,
    COLUMNS
};

static const char *const names[COLUMNS] = {
    "probe", "port", "dfu", "x", "y", "unique", "pins", "interface"};
static_assert((unsigned)COLUMN_DFU == (unsigned)FLASH_DFU, "as the ways");

struct reader {
    const char *path;
    struct flash_map *map;
    struct torus_size size; /* width 0: not given */
    unsigned line;
    unsigned record_line;
    unsigned records; /* number of CSV records so far, with the header */
    unsigned field;
    bool ended;         /* true: the last line ended outside of quotes */
    int index[COLUMNS]; /* index of each column's field; -1: not in the file */
    bool have[COLUMNS]; /* have[i]: the record has a value in column i */
    struct flash_board next;
    int status;
};

/* Prints an error with the line at which the record began. Only the first error
   is printed. */
__attribute__((format(printf, 2, 3))) static void
print_error(struct reader *reader, const char *format, ...)
{
    va_list list;

    if (reader->status != 0) {
        return;
    }
    reader->status = 1;
    fprintf(stderr, "quincunx: %s:%u: ", quote_shown(reader->path),
            reader->record_line);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

static void parse_name(struct reader *reader, const char *field)
{
    for (unsigned column = 0; column < COLUMNS; ++column) {
        if (strcmp(field, names[column]) != 0) {
            continue;
        }
        if (reader->index[column] >= 0) {
            print_error(reader, "column '%s' is there twice", field);
        }
        reader->index[column] = (int)reader->field;
    }
}

/* Parses a coordinate. It must lie in the mesh, if the mesh's size is known. */
static uint16_t parse_number(struct reader *reader, enum column column,
                             const char *field)
{
    unsigned given =
        column == COLUMN_X ? reader->size.width : reader->size.height;
    unsigned most = given != 0 ? given - 1 : TORUS_SIDE_MAX - 1;
    uint64_t value = 0;

    if (parse_count(field, &value) != NULL || value > most) {
        print_error(reader, "%s '%.*s': must be 0 to %u", names[column], SHOWN,
                    field, most);
    }
    return (uint16_t)value;
}

/* Parses a board's probe, port or DFU device. A board may have only one of
   them. */
static const char *parse_way(struct reader *reader, enum flash_way way,
                             const char *field)
{
    struct flash_board *next = &reader->next;
    const char *allowed = flash_name_check(way, field);

    if (allowed == NULL) {
        if (next->name[0] != '\0') {
            print_error(reader, "has a %s and a %s: a board is reached one way",
                        flash_way_name(next->way), flash_way_name(way));
        }
        next->way = way;
        memcpy(next->name, field, strlen(field) + 1);
    }
    return allowed;
}

static const char *parse_unique(char unique[FLASH_UNIQUE_BYTES],
                                const char *text)
{
    size_t digits = strspn(text, "0123456789abcdefABCDEF");

    if (digits != FLASH_UNIQUE_BYTES - 1 || text[digits] != '\0') {
        return "must be a chip's unique number: 24 hexadecimal digits";
    }
    for (size_t i = 0; i <= digits; ++i) {
        unique[i] = (char)tolower((unsigned char)text[i]);
    }
    return NULL;
}

static const char *parse_pins(char pins[IMAGE_PINS_BYTES], const char *text)
{
    size_t bytes = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");

    if (bytes == 0 || bytes >= IMAGE_PINS_BYTES || text[bytes] != '\0') {
        return "must be the name that make PINS= takes: 1 to 15 of a-z, 0-9 "
               "and _";
    }
    memcpy(pins, text, bytes + 1);
    return NULL;
}

static const char *parse_column(struct reader *reader, enum column column,
                                const char *field)
{
    struct flash_board *next = &reader->next;

    switch (column) {
    case COLUMN_X:
        next->at.x = parse_number(reader, COLUMN_X, field);
        return NULL;
    case COLUMN_Y:
        next->at.y = parse_number(reader, COLUMN_Y, field);
        return NULL;
    case COLUMN_UNIQUE:
        return parse_unique(next->unique, field);
    case COLUMN_PINS:
        return parse_pins(next->pins, field);
    case COLUMN_INTERFACE:
        next->interface = flash_openocd_interface(field);
        return next->interface != NULL ? NULL
                                       : "must be " FLASH_OPENOCD_INTERFACES;
    default:
        return parse_way(reader, (enum flash_way)column, field);
    }
}

static void parse_value(struct reader *reader, const char *field)
{
    const char *allowed;

    for (unsigned column = 0; column < COLUMNS && field[0] != '\0'; ++column) {
        if (reader->index[column] != (int)reader->field) {
            continue;
        }
        reader->have[column] = true;
        allowed = parse_column(reader, column, field);
        if (allowed != NULL) {
            print_error(reader, "%s '%.*s': %s", names[column], SHOWN, field,
                        allowed);
        }
    }
}

static void end_field(void *text, size_t bytes, void *context)
{
    struct reader *reader = context;
    const char *field = text != NULL ? text : "";

    if (strlen(field) != bytes) {
        reader->record_line = reader->line;
        print_error(reader, "has a zero byte");
    } else if (reader->records == 0) {
        parse_name(reader, field);
    } else {
        parse_value(reader, field);
    }
    reader->field += 1;
}

static void check_header(struct reader *reader)
{
    const int *index = reader->index;

    if (index[COLUMN_PROBE] < 0 && index[COLUMN_PORT] < 0 &&
        index[COLUMN_DFU] < 0) {
        print_error(
            reader,
            "no column 'probe', 'port' or 'dfu'; the first line must name "
            "one of them, and x and y if places are known");
    }
    for (unsigned column = COLUMN_X; column <= COLUMN_Y; ++column) {
        if (index[column] < 0 && index[COLUMN_X + COLUMN_Y - column] >= 0) {
            print_error(reader, "no column '%s', but '%s'", names[column],
                        names[COLUMN_X + COLUMN_Y - column]);
        }
    }
}

/* Checks that no earlier board has the same coordinates, unique number, or
   probe, port or device. */
static void check_alone(struct reader *reader)
{
    const struct flash_board *next = &reader->next;

    for (unsigned i = 0; i < reader->map->count; ++i) {
        const struct flash_board *other = &reader->map->board[i];

        if (next->placed && other->placed && other->at.x == next->at.x &&
            other->at.y == next->at.y) {
            print_error(reader, "%u,%u is on line %u already", next->at.x,
                        next->at.y, other->line);
        }
        if (other->way == next->way && strcmp(other->name, next->name) == 0) {
            print_error(reader, "%s %s is on line %u already",
                        flash_way_name(next->way), next->name, other->line);
        }
        if (next->unique[0] != '\0' &&
            strcmp(other->unique, next->unique) == 0) {
            print_error(reader, "unique %s is on line %u already", next->unique,
                        other->line);
        }
    }
}

static void check_board(struct reader *reader)
{
    const bool *have = reader->have;

    if (reader->next.name[0] == '\0') {
        print_error(reader, "has no probe, port or dfu");
    }
    if (have[COLUMN_X] != have[COLUMN_Y]) {
        print_error(reader, "has no %s", have[COLUMN_X] ? "y" : "x");
    }
    if (have[COLUMN_INTERFACE] && !have[COLUMN_PROBE]) {
        print_error(reader, "has an interface, but no probe");
    }
    reader->next.placed = have[COLUMN_X];
    reader->next.line = reader->record_line;
}

static void add_board(struct reader *reader)
{
    struct flash_map *map = reader->map;

    check_board(reader);
    if (map->count == FLASH_BOARDS_MAX) {
        print_error(reader, "over %u boards", FLASH_BOARDS_MAX);
    }
    if (reader->status == 0) {
        check_alone(reader);
    }
    if (reader->status == 0) {
        map->placed += reader->next.placed;
        map->board[map->count++] = reader->next;
    }
}

/* libcsv also calls this at the end of an empty line. */
static void end_record(int end, void *context)
{
    struct reader *reader = context;

    (void)end;
    reader->ended = true;
    if (reader->field == 0) {
        return;
    }
    if (reader->records == 0) {
        check_header(reader);
    } else {
        add_board(reader);
    }
    reader->records += 1;
    reader->field = 0;
    memset(reader->have, 0, sizeof reader->have);
    memset(&reader->next, 0, sizeof reader->next);
}

/* Gives the file to the CSV parser line by line, so that lines can be
   counted. */
static void read_lines(struct reader *reader, struct csv_parser *parser,
                       const uint8_t *data, uint64_t bytes)
{
    reader->ended = true;
    for (uint64_t at = 0; at < bytes && reader->status == 0;) {
        const uint8_t *end = memchr(data + at, '\n', (size_t)(bytes - at));
        size_t length =
            (size_t)((end != NULL ? end + 1 : data + bytes) - (data + at));

        reader->line += 1;
        if (reader->ended) {
            reader->record_line = reader->line;
        }
        reader->ended = false;
        if (csv_parse(parser, data + at, length, end_field, end_record,
                      reader) != length) {
            reader->record_line = reader->line;
            print_error(reader, "is not CSV: %s",
                        csv_strerror(csv_error(parser)));
        }
        at += length;
    }
    if (csv_fini(parser, end_field, end_record, reader) != 0) {
        print_error(reader, "a quote is not closed");
    }
}

/* Returns the size of the mesh that has the largest coordinates, and their
   board's line in *line. */
static struct torus_size extent(const struct flash_map *map, unsigned *line)
{
    struct torus_size size = {0, 0};

    for (unsigned i = 0; i < map->count; ++i) {
        const struct flash_board *board = &map->board[i];

        if (board->placed && board->at.x >= size.width) {
            size.width = (uint16_t)(board->at.x + 1);
            *line = board->line;
        }
        if (board->placed && board->at.y >= size.height) {
            size.height = (uint16_t)(board->at.y + 1);
            *line = board->line;
        }
    }
    return size;
}

static bool is_there(const struct flash_map *map, struct torus_coord at)
{
    for (unsigned i = 0; i < map->count; ++i) {
        if (map->board[i].placed && map->board[i].at.x == at.x &&
            map->board[i].at.y == at.y) {
            return true;
        }
    }
    return false;
}

/* Prints an error if nodes of the mesh have no board: how many, and some of
   them. */
static void check_whole(struct reader *reader)
{
    const struct flash_map *map = reader->map;
    struct torus_size size = map->size;
    uint32_t nodes = torus_nodes(size);
    uint32_t missing = nodes - map->placed;
    uint32_t most = missing < MISSING_SHOWN ? missing : MISSING_SHOWN;
    char list[MISSING_SHOWN * 12 + 1] = "";
    size_t length = 0;

    for (uint32_t index = 0, shown = 0; shown < most; ++index) {
        struct torus_coord at = torus_coord_of(size, index);

        if (!is_there(map, at)) {
            length += (size_t)snprintf(list + length, sizeof list - length,
                                       " %u,%u", at.x, at.y);
            shown += 1;
        }
    }
    if (missing > 0) {
        print_error(
            reader,
            "makes a %ux%u mesh, and %u of its nodes have no board:%s%s "
            "(--partial allows that)",
            size.width, size.height, missing, list,
            missing > most ? " ..." : "");
    }
}

static void read_map(struct reader *reader, const uint8_t *data, uint64_t bytes)
{
    struct csv_parser parser;

    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL |
                              CSV_APPEND_NULL) != 0) {
        memory_or_exit(NULL);
    }
    read_lines(reader, &parser, data, bytes);
    csv_free(&parser);
    if (reader->records < 2) {
        reader->record_line = reader->line + (reader->line == 0);
        print_error(reader,
                    "no board: must be a line that names the columns, and a "
                    "line for each board");
    }
}

int flash_map_read(struct flash_map *map, const char *path,
                   struct torus_size size, bool partial)
{
    struct reader reader = {.path = path, .map = map, .size = size};
    struct text text;

    memset(reader.index, 0xff, sizeof reader.index); /* -1: not found */
    *map = (struct flash_map){.count = 0};
    map->board = memory_or_exit(calloc(FLASH_BOARDS_MAX, sizeof *map->board));
    if (text_read(&text, path) != 0) {
        return 1;
    }
    text_end_lines(&text, false);
    read_map(&reader, text.data, text.bytes);
    free(text.data);
    reader.record_line = reader.line;
    map->size = size.width != 0 ? size : extent(map, &reader.record_line);
    if (reader.status == 0 && !partial && map->placed > 0) {
        check_whole(&reader);
    }
    return reader.status;
}

void flash_map_free(struct flash_map *map)
{
    free(map->board);
    *map = (struct flash_map){.board = NULL};
}
