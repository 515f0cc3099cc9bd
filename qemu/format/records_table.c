/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/records_table.h"

#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"
#include "qemu/base/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COLUMNS_MAX 65535u
#define SHOWN_BYTES 176 /* 40 bytes of a cell, each as \xNN */
#define NAMES_BYTES 200

/* Ways to read a table: the first as it is asked for, then others in which all
   of its rows may have equally many cells. */
static const struct way {
    bool row_names; /* each row has a name before its first column */
    char escape;
    char quote;
    const char *note; /* tells that the table was read so */
} ways[] = {
    {.note = NULL},
    {.row_names = true,
     .note = "its rows have one cell more than the header row: the first of "
             "each is the row's name"},
    {.escape = '\\', .note = "a backslash escapes quotes in it"},
    {.quote = '\'', .note = "' encloses cells in it"}};

struct records_source {
    const char *path;
    struct text text;
    uint32_t added; /* bytes of a line end that the file lacked */
    uint8_t separator;
    uint32_t hint_bytes;         /* length of a first line sep=; */
    struct records_reader begin; /* the header row; else before all rows */
    struct records_reader rows;
    /* Of the last scan: */
    const struct way *way;
    char *error;      /* malloc'd: the first error; or NULL */
    bool rewritten;   /* the boards cannot read the rows as they are */
    bool filled;      /* the last cell of a row is not empty */
    uint32_t columns; /* cells of each row; 0: not yet known */
    uint64_t count;   /* rows */
    uint64_t comments;
    uint64_t ragged; /* rows with another number of cells */
    uint64_t ragged_line;
    uint32_t ragged_cells;
};

/* ---- messages ---- */

/* Shows up to 40 bytes of a text, and no byte behind one of 0. */
static const char *shown(char out[SHOWN_BYTES], const char *text, size_t bytes)
{
    size_t kept = strnlen(text, bytes < 40 ? bytes : 40);
    bool zero = kept < bytes && text[kept] == '\0';
    char part[41] = "";

    while (kept < bytes && kept > 0 && ((unsigned char)text[kept] >> 6) == 2) {
        kept -= 1; /* so that no character is cut in two */
    }
    memcpy(part, text, kept);
    snprintf(out, SHOWN_BYTES, "%s%s%s", quote_shown(part), zero ? "\\0" : "",
             kept + zero < bytes ? "..." : "");
    return out;
}

/* Keeps the first error of a scan. */
__attribute__((format(printf, 3, 4))) static void
scan_error(struct records_source *source, uint64_t line, const char *format,
           ...)
{
    char *reason = NULL;
    va_list list;

    va_start(list, format);
    if (vasprintf(&reason, format, list) < 0) {
        reason = memory_or_exit(NULL);
    }
    va_end(list);
    if (source->error == NULL &&
        asprintf(&source->error, "line %" PRIu64 ": %s", line, reason) < 0) {
        source->error = memory_or_exit(NULL);
    }
    free(reason);
}

/* Returns text for a message that suggests which separator a text has; or "".
 */
static const char *divider_in(const char *text, size_t bytes)
{
    static const struct {
        char separator;
        const char *cause;
    } dividers[] = {{';', "; sep=; would divide it"},
                    {'\t', "; sep=tab would divide it"},
                    {'|', "; sep=| would divide it"},
                    {',', "; sep=\\, would divide it"}};

    for (size_t i = 0; i < sizeof dividers / sizeof *dividers; ++i) {
        if (memchr(text, dividers[i].separator, bytes) != NULL) {
            return dividers[i].cause;
        }
    }
    return "";
}

static bool is_same(const char *word, const struct records_cell *cell)
{
    return strlen(word) == cell->bytes &&
           memcmp(word, cell->text, cell->bytes) == 0;
}

/* Returns a text on why a record, or the cell of a use, may be wrong; or "". */
static const char *cause_of(const struct records_reader *record,
                            const struct records_use *use,
                            const struct records_cell *cell)
{
    if (use != NULL && records_number_looks_odd(cell->text, cell->bytes)) {
        return "; it has characters that are not ASCII";
    }
    if (use != NULL && is_same(use->name, cell)) {
        return "; the header row is there again";
    }
    if (use != NULL && use->commas) {
        return "; other cells have a comma: decimal= and thousands= say how "
               "numbers are written";
    }
    if (records_reader_begins(record, 0, '#')) {
        return "; it begins with #: comment=# leaves such lines out";
    }
    if (record->cells == 1 &&
        divider_in(record->cell->text, record->cell->bytes)[0] != '\0') {
        return divider_in(record->cell->text, record->cell->bytes);
    }
    for (uint32_t i = 0; i < record->cells; ++i) {
        if (records_reader_begins(record, i, '\'')) {
            return "; quote=' takes ' for quotes";
        }
    }
    return "";
}

/* ---- the header row ---- */

/* Finds a column by its name. */
static bool match_name(struct records_source *source, struct records_use *use)
{
    const struct records_reader *head = &source->begin;
    bool found = false;

    for (uint32_t i = 0; i < head->cells; ++i) {
        if (!is_same(use->name, &head->cell[i])) {
            continue;
        }
        if (found) {
            scan_error(source, head->first_line,
                       "column '%.60s' is there twice", quote_shown(use->name));
        }
        found = true;
        use->index = i;
    }
    return found;
}

/* Finds a column by its number, from 1: "3" or "#3". */
static bool match_number(const struct records_source *source,
                         struct records_use *use, bool header)
{
    const char *digits = use->name + (use->name[0] == '#');
    char *end;
    unsigned long number = strtoul(digits, &end, 10);

    use->index = (uint32_t)number - 1;
    return isdigit((unsigned char)digits[0]) && *end == '\0' && number > 0 &&
           number <= (header ? source->begin.cells : COLUMNS_MAX);
}

/* Lists the names of the first columns. */
static const char *list_names(char out[NAMES_BYTES],
                              const struct records_reader *head)
{
    char show[SHOWN_BYTES];
    size_t used = 0;

    for (uint32_t i = 0; i < head->cells; ++i) {
        shown(show, head->cell[i].text, head->cell[i].bytes);
        if (used + strlen(show) + 10 > NAMES_BYTES) {
            strcpy(out + used, ", ...");
            break;
        }
        used += (size_t)sprintf(out + used, "%s'%s'", i > 0 ? ", " : "", show);
    }
    return out;
}

static void find_columns(struct records_source *source,
                         struct records_look *look)
{
    const struct records_reader *head = &source->begin;
    char names[NAMES_BYTES];

    for (uint32_t i = 0; i < look->uses; ++i) {
        struct records_use *use = &look->use[i];

        if (match_name(source, use) ||
            match_number(source, use, look->header)) {
            continue;
        }
        if (!look->header) {
            scan_error(source, head->line,
                       "column '%.60s' must be a number from 1, with header=no",
                       quote_shown(use->name));
            return;
        }
        scan_error(source, head->first_line,
                   "the header row has no column '%.60s' (of %u: %s)%s",
                   quote_shown(use->name), head->cells, list_names(names, head),
                   cause_of(head, NULL, NULL));
    }
}

/* Makes the reader begin at a place, with the memory that it has. */
static void begin_reader(struct records_reader *reader,
                         const struct records_reader *at)
{
    *reader = (struct records_reader){.dialect = at->dialect,
                                      .at = at->at,
                                      .end = at->end,
                                      .line = at->line,
                                      .cell = reader->cell,
                                      .room = reader->room,
                                      .copy = reader->copy};
}

/* Reads the header row. A first line that begins with # is a comment if the
   next one does, too, or has another number of cells. */
static void read_header(struct records_source *source,
                        struct records_look *look)
{
    struct records_reader *head = &source->begin;
    struct records_reader *next = &source->rows;

    while (records_reader_next(head)) {
        begin_reader(next, head);
        if (!records_reader_begins(head, 0, '#') ||
            !records_reader_next(next) ||
            (!records_reader_begins(next, 0, '#') &&
             next->cells == head->cells)) {
            break;
        }
        source->comments += 1;
    }
    if (head->cells == 0 || head->error != NULL) {
        return;
    }
    source->columns = head->cells + source->way->row_names;
    if (source->columns > COLUMNS_MAX) {
        scan_error(source, head->first_line, "has over 65535 columns");
    }
    find_columns(source, look);
}

/* Refuses a table whose columns differ from the first table's. */
static int check_header(const struct records_source *source,
                        const struct records_source *first)
{
    const struct records_reader *head = &source->begin;
    const struct records_reader *other = &first->begin;
    uint32_t columns = source->columns - source->way->row_names;
    uint32_t first_columns = first->columns - first->way->row_names;

    for (uint32_t i = 0; i < head->cells && i < other->cells; ++i) {
        const struct records_cell *name = &head->cell[i];
        const struct records_cell *own = &other->cell[i];
        char show[2][SHOWN_BYTES];

        if (name->bytes != own->bytes ||
            memcmp(name->text, own->text, own->bytes) != 0) {
            return file_error(source->path,
                              "its header row is not that of the first table: "
                              "column %u is '%s', and '%s' there",
                              i + 1, shown(show[0], name->text, name->bytes),
                              shown(show[1], own->text, own->bytes));
        }
    }
    return columns == first_columns
               ? 0
               : file_error(source->path,
                            "its header row is not that of the first "
                            "table: it has %s columns",
                            columns < first_columns ? "fewer" : "more");
}

/* ---- cells ---- */

static void mark_spot(const struct records_source *source,
                      struct records_spot *spot,
                      const struct records_cell *cell)
{
    snprintf(spot->text, sizeof spot->text, "%.*s",
             (int)(cell->bytes < sizeof spot->text ? cell->bytes
                                                   : sizeof spot->text - 1),
             cell->text);
    spot->line = source->rows.first_line;
    spot->path = source->path;
}

static void count_missing(struct records_source *source,
                          const struct records_look *look,
                          struct records_use *use,
                          const struct records_cell *cell)
{
    if (use->missing++ == 0) {
        mark_spot(source, &use->first_missing, cell);
    }
    if (look->missing_fails) {
        scan_error(source, source->rows.first_line,
                   "column '%.60s': '%s' is no number, and missing=fail",
                   quote_shown(use->name),
                   quote_shown(use->first_missing.text));
    }
}

/* Takes a number's digits into a column's, and refuses more than any number
   has. */
static void count_digits(struct records_source *source,
                         const struct records_use *use,
                         struct records_reading *reading,
                         const struct records_number *number,
                         const struct records_cell *cell)
{
    char show[SHOWN_BYTES];

    if (number->whole > reading->whole) {
        reading->whole = number->whole;
    }
    if (number->decimals > reading->decimals) {
        reading->decimals = number->decimals;
    }
    if (reading->whole + reading->decimals > RECORDS_WIDE_DIGITS_MAX) {
        scan_error(source, source->rows.first_line,
                   "column '%.60s': '%s' and what was before it need %u digits "
                   "before the point and %u behind it; together at most %u",
                   quote_shown(use->name), shown(show, cell->text, cell->bytes),
                   reading->whole, reading->decimals, RECORDS_WIDE_DIGITS_MAX);
    }
}

/* Reads a cell in all styles that fit the cells before it. */
static void check_number(struct records_source *source,
                         const struct records_look *look,
                         struct records_use *use,
                         const struct records_cell *cell)
{
    struct records_number number;
    char show[SHOWN_BYTES];
    bool comma = memchr(cell->text, ',', cell->bytes) != NULL;
    bool good = false;

    for (uint32_t i = 0; i < look->styles; ++i) {
        struct records_reading *reading = &use->reading[i];
        enum records_kind kind =
            reading->fails ? RECORDS_OTHER
                           : records_number_read(&number, cell->text,
                                                 cell->bytes, &look->style[i]);

        if (kind == RECORDS_MISSING) {
            count_missing(source, look, use, cell);
            return;
        }
        if (kind == RECORDS_OTHER) {
            comma = comma || !reading->fails;
            reading->fails = true;
            continue;
        }
        good = true;
        use->rewritten = use->rewritten || (i == 0 && !number.plain);
        count_digits(source, use, reading, &number, cell);
    }
    if (comma && use->mark.path == NULL) {
        mark_spot(source, &use->mark, cell);
    }
    if (!good) {
        scan_error(source, source->rows.first_line,
                   "column '%.60s': '%s' is no decimal number%s%s",
                   quote_shown(use->name), shown(show, cell->text, cell->bytes),
                   use->value != NULL ? "; type=text compares it as text" : "",
                   cause_of(&source->rows, use, cell));
    }
    use->commas = use->commas || memchr(cell->text, ',', cell->bytes) != NULL;
}

static void look_at_text(struct records_use *use,
                         const struct records_cell *cell)
{
    static const struct records_style plain = {'.', '\0'};
    struct records_number number;

    if (use->value == NULL) {
        return;
    }
    use->seen_number = use->seen_number ||
                       records_number_read(&number, cell->text, cell->bytes,
                                           &plain) == RECORDS_NUMBER;
    use->seen_value = use->seen_value || is_same(use->value, cell);
    use->seen_latin =
        use->seen_latin || !utf8_is_valid(cell->text, cell->bytes);
}

/* Returns the cell of a use in the current row; .text NULL: it has none. */
static struct records_cell cell_of(const struct records_source *source,
                                   const struct records_use *use)
{
    uint32_t index = use->index + source->way->row_names;

    return index < source->rows.cells ? source->rows.cell[index]
                                      : (struct records_cell){.text = NULL};
}

static void check_row(const struct records_table *table,
                      struct records_source *source)
{
    struct records_look *look = table->look;
    const struct records_reader *row = &source->rows;

    for (uint32_t i = 0; i < look->uses; ++i) {
        struct records_use *use = &look->use[i];
        struct records_cell cell = cell_of(source, use);

        use->rewritten = use->rewritten || cell.text == NULL || cell.trimmed;
        if (use->index >= source->columns) {
            scan_error(source, row->first_line,
                       "has %u columns; there is no column '%.60s'",
                       source->columns, quote_shown(use->name));
        } else if (cell.text != NULL && use->number) {
            check_number(source, look, use, &cell);
        } else if (cell.text != NULL) {
            look_at_text(use, &cell);
        }
    }
    if (row->line > row->first_line + 1 && table->newline == '\n') {
        scan_error(source, row->first_line,
                   "a newline in quotes, and no byte that is not in the file "
                   "to stand for it");
    }
    source->count += 1;
    source->text.returns += row->returns;
    source->rewritten = source->rewritten || row->odd;
    source->filled = source->filled || row->cell[row->cells - 1].bytes > 0;
}

/* ---- rows ---- */

/* Reads the next row. A line that begins with # and has another number of cells
   is a comment. */
static bool next_row(struct records_source *source)
{
    struct records_reader *row = &source->rows;

    while (records_reader_next(row)) {
        if (source->columns == 0) {
            source->columns = row->cells;
        }
        if (row->cells == source->columns) {
            return true;
        }
        if (!records_reader_begins(row, 0, '#')) {
            if (source->ragged++ == 0) {
                source->ragged_line = row->first_line;
                source->ragged_cells = row->cells;
            }
            return true;
        }
        source->comments += 1;
    }
    return false;
}

/* Keeps the error with which a reader ended. */
static void check_end(struct records_source *source,
                      const struct records_reader *reader)
{
    if (reader->error != NULL && reader->behind) {
        scan_error(source, reader->line,
                   "%s (the record begins on line %" PRIu64 ")%s",
                   reader->error, reader->first_line,
                   divider_in((const char *)reader->at, 1));
    } else if (reader->error != NULL) {
        scan_error(source, reader->first_line, "%s", reader->error);
    }
}

/* Scans a table in one way. */
static void scan_as(const struct records_table *table,
                    struct records_source *source, const struct way *way)
{
    struct records_look *look = table->look;
    struct records_reader *begin = &source->begin;
    struct records_reader start = {.dialect = look->dialect,
                                   .at = source->text.data + source->hint_bytes,
                                   .end =
                                       source->text.data + source->text.bytes,
                                   .line = 1 + (source->hint_bytes > 0)};

    free(source->error);
    source->error = NULL;
    source->way = way;
    source->rewritten = source->filled = false;
    source->columns = 0;
    source->count = source->comments = source->ragged = 0;
    source->text.returns = 0;
    start.dialect.separator = source->separator;
    start.dialect.quote = way->quote != '\0' ? '\'' : start.dialect.quote;
    start.dialect.escape = way->escape != '\0' ? '\\' : start.dialect.escape;
    begin_reader(begin, &start);
    for (uint64_t i = 0; i < look->skip; ++i) {
        records_reader_skip_line(begin);
    }
    if (look->header) {
        read_header(source, look);
    } else {
        find_columns(source, look);
    }
    check_end(source, begin);
    begin_reader(&source->rows, begin);
    while (source->error == NULL && next_row(source)) {
        check_row(table, source);
    }
    check_end(source, &source->rows);
    source->comments += begin->comments + source->rows.comments;
    source->text.returns += begin->returns;
    source->rewritten = source->rewritten || start.dialect.quote != '"' ||
                        start.dialect.escape != 0;
}

/* Scans a table as it is asked for, or in the first other way in which all
   rows have equally many cells. */
static void scan_source(const struct records_table *table,
                        struct records_source *source)
{
    struct records_look *look = table->look;
    struct records_use uses[RECORDS_USES_MAX];

    memcpy(uses, look->use, sizeof uses);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        const struct way *way = &ways[i];

        if ((way->row_names && !look->header) ||
            (way->escape != '\0' && look->escape_given) ||
            (way->quote != '\0' && look->quote_given)) {
            continue;
        }
        memcpy(look->use, uses, sizeof uses);
        scan_as(table, source, way);
        if (source->error == NULL && source->ragged == 0 &&
            (!way->row_names || source->filled)) {
            return;
        }
    }
    memcpy(look->use, uses, sizeof uses);
    scan_as(table, source, &ways[0]);
}

/* Notes how a table was read. */
static void note_source(struct format_load *load,
                        const struct records_source *source)
{
    const char *name = file_name(source->path);

    if (source->ragged > 0) {
        format_note(load,
                    "%s: %" PRIu64 " rows have more or fewer cells than the "
                    "table's %u, the first on line %" PRIu64 " (%u): cells "
                    "that are not there are missing.",
                    name, source->ragged, source->columns, source->ragged_line,
                    source->ragged_cells);
    }
    if (source->comments > 0) {
        format_note(load, "%s: %" PRIu64 " lines of comment are left out.",
                    name, source->comments);
    }
    if (source->rows.outside) {
        format_note(load, "%s: blanks around cells in quotes are left out.",
                    name);
    }
    if (source->way->note != NULL) {
        format_note(load, "%s: %s.", name, source->way->note);
    }
    format_note_text(load, &source->text, source->path,
                     ", as is what is compared and returned of it", NULL);
}

/* ---- files ---- */

uint8_t records_table_separator(const char *path, const char **plural)
{
    static const struct {
        const char *suffix;
        uint8_t separator;
        const char *plural;
    } kinds[] = {
        {".tsv", '\t', "tabs"}, {".tab", '\t', "tabs"}, {".psv", '|', "|"}};
    size_t bytes = format_name_bytes(path);

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        if (bytes > 4 &&
            strncasecmp(path + bytes - 4, kinds[i].suffix, 4) == 0) {
            *plural = kinds[i].plural;
            return kinds[i].separator;
        }
    }
    return 0;
}

/* Looks for a first line that tells the separator, as spreadsheets write it:
   sep=; or "sep=;". */
static void find_hint(struct records_source *source)
{
    char line[12] = "";
    size_t quotes;
    size_t at;
    size_t ends;

    memcpy(line, source->text.data,
           source->text.bytes < sizeof line ? (size_t)source->text.bytes
                                            : sizeof line - 1);
    quotes = line[0] == '"';
    at = quotes + strlen("sep=?") + quotes;
    ends = line[at] == '\r' && line[at + 1] == '\n' ? 2 : 1;
    if (strncasecmp(line + quotes, "sep=", 4) == 0 &&
        strchr("\r\n", line[at - quotes - 1]) == NULL &&
        (quotes == 0 || line[at - 1] == '"') &&
        (line[at] == '\r' || line[at] == '\n')) {
        source->separator = (uint8_t)line[at - quotes - 1];
        source->hint_bytes = (uint32_t)(at + ends);
    }
}

/* Ends the last line as the first one. */
static void end_text(struct records_source *source)
{
    struct text *text = &source->text;
    const uint8_t *first = memchr(text->data, '\n', (size_t)text->bytes);
    uint8_t last = text->bytes > 0 ? text->data[text->bytes - 1] : '\n';

    if (last == '\n' || last == '\r') {
        return;
    }
    source->added =
        first != NULL && first > text->data && first[-1] == '\r' ? 2 : 1;
    text->data = memory_or_exit(
        realloc(text->data, (size_t)text->bytes + source->added));
    memcpy(text->data + text->bytes, source->added == 2 ? "\r\n" : "\n",
           source->added);
    text->bytes += source->added;
}

int records_table_open(struct records_table *table, struct format_load *load,
                       const char *const path[], uint32_t count)
{
    int status = 0;

    *table = (struct records_table){
        .source = memory_or_exit(calloc(count, sizeof *table->source)),
        .sources = count};
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        struct records_source *source = &table->source[i];
        struct text *text = &source->text;

        source->path = path[i];
        status = format_read_text(load, text, path[i]);
        status = status == 0 ? text_check_narrow(text, path[i]) : status;
        if (status == 0) {
            if (!load->as_is) {
                text_drop_marks(text);
            }
            end_text(source);
        }
    }
    return status;
}

/* Finds the separators of all files, which must be equal, and a byte that none
   of them has. */
static int find_bytes(struct records_table *table)
{
    bool used[256] = {['\n'] = true, ['\r'] = true, ['"'] = true, [','] = true};
    const char *plural;

    for (uint32_t i = 0; i < table->sources; ++i) {
        struct records_source *source = &table->source[i];
        const struct text *text = &source->text;
        uint8_t named = records_table_separator(source->path, &plural);

        source->separator = named != 0 ? named : ',';
        find_hint(source);
        if (table->look->dialect.separator != 0) {
            source->separator = table->look->dialect.separator;
        }
        if (source->separator != table->source[0].separator) {
            const char both[2][2] = {{(char)source->separator},
                                     {(char)table->source[0].separator}};

            return file_error(source->path,
                              "has another separator than the first table, "
                              "'%s' and not '%s'",
                              quote_shown(both[0]), quote_shown(both[1]));
        }
        used[source->separator] = true;
        for (uint64_t at = 0; at < text->bytes; ++at) {
            used[text->data[at]] = true;
        }
    }
    table->separator = table->source[0].separator;
    table->newline = '\n';
    for (unsigned byte = 256; byte-- > 0;) {
        table->newline = used[byte] ? table->newline : (uint8_t)byte;
    }
    return 0;
}

/* ---- columns, once all tables are read ---- */

/* Decides how a column's numbers are written. */
static int choose_style(struct format_load *load, struct records_look *look,
                        struct records_use *use)
{
    bool first = !use->reading[0].fails;

    if (first && look->styles > 1 && !use->reading[1].fails && use->commas) {
        return file_error(use->mark.path,
                          "line %" PRIu64 ": column '%.60s': the comma of '%s' "
                          "may be a decimal mark or one of thousands; "
                          "decimal=. or decimal=\\, says which",
                          use->mark.line, quote_shown(use->name),
                          quote_shown(use->mark.text));
    }
    use->style = !first;
    use->digits = use->reading[use->style];
    use->rewritten =
        use->rewritten || !first || use->missing > 0 ||
        use->digits.whole + use->digits.decimals > RECORDS_DIGITS_MAX;
    if ((use->commas || !first) && look->styles > 1) {
        format_note(load, "%s: column '%.60s': %s.", file_name(use->mark.path),
                    quote_shown(use->name),
                    first         ? "commas are marks of thousands"
                    : use->commas ? "a comma is the decimal mark"
                                  : "points are marks of thousands");
    }
    if (use->missing > 0) {
        format_note(load,
                    "%s: column '%.60s' has %" PRIu64 " cells without a "
                    "number, the first on line %" PRIu64 " ('%s'): they "
                    "satisfy no condition and are in no sum.",
                    file_name(use->first_missing.path), quote_shown(use->name),
                    use->missing, use->first_missing.line,
                    quote_shown(use->first_missing.text));
    }
    return 0;
}

/* ---- all ---- */

/* Finds what is before all rows, and the line end that the last one lacks. */
static void find_head(struct records_table *table,
                      const struct records_source *first)
{
    uint8_t *head = first->text.data;

    table->head = head;
    table->head_bytes = (uint64_t)(first->begin.at - head);
    for (uint64_t i = 0; i < table->head_bytes; ++i) {
        if (head[i] == '\r' && head[i + 1] != '\n') {
            head[i] = '\n';
        }
    }
    table->names = first->way->row_names;
    table->mark = first->text.encoding != NULL && !first->text.converted;
    for (uint32_t i = 0; i < table->sources; ++i) {
        if (table->source[i].count > 0) {
            table->added = table->source[i].added;
        }
    }
}

int records_table_scan(struct records_table *table, struct format_load *load,
                       struct records_look *look)
{
    const struct records_source *first = NULL; /* first that is not empty */
    int status;

    table->look = look;
    status = find_bytes(table);
    for (uint32_t i = 0; status == 0 && i < table->sources; ++i) {
        struct records_source *source = &table->source[i];
        const char *other = text_other_ends(&source->text);

        scan_source(table, source);
        if (source->error != NULL) {
            return file_error(source->path, "%s", source->error);
        }
        if (source->count == 0 && other != NULL) {
            return file_error(source->path,
                              "has no record behind its header row; it is one "
                              "line with %s",
                              other);
        }
        if (source->columns > 0) {
            first = first != NULL ? first : source;
            status = check_header(source, first);
            table->rewritten = table->rewritten || source->rewritten ||
                               source->way->row_names != first->way->row_names;
        }
        note_source(load, source);
    }
    for (uint32_t i = 0; status == 0 && i < look->uses; ++i) {
        struct records_use *use = &look->use[i];

        status = use->number ? choose_style(load, look, use) : 0;
        table->rewritten = table->rewritten || use->rewritten;
    }
    if (status == 0) {
        find_head(table, first != NULL ? first : table->source);
    }
    return status;
}

void records_table_rewind(struct records_table *table)
{
    table->at = 0;
    for (uint32_t i = 0; i < table->sources; ++i) {
        begin_reader(&table->source[i].rows, &table->source[i].begin);
    }
}

bool records_table_next(struct records_table *table)
{
    while (!next_row(&table->source[table->at])) {
        if (table->at + 1 == table->sources) {
            return false;
        }
        table->at += 1;
    }
    for (uint32_t i = 0; i < table->look->uses; ++i) {
        table->cell[i] =
            cell_of(&table->source[table->at], &table->look->use[i]);
    }
    table->row = table->source[table->at].rows.text;
    table->row_bytes = table->source[table->at].rows.bytes;
    table->path = table->source[table->at].path;
    return true;
}

void records_table_free(struct records_table *table)
{
    for (uint32_t i = 0; i < table->sources; ++i) {
        free(table->source[i].text.data);
        free(table->source[i].error);
        records_reader_free(&table->source[i].begin);
        records_reader_free(&table->source[i].rows);
    }
    free(table->source);
    table->source = NULL;
    table->sources = 0;
}
