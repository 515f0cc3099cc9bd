/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/format/records_table.h"

#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"

#include <csv.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define RECORD_MAX (1u << 20)
#define COLUMNS_MAX 65535u
#define REASON_BYTES 600
#define SHOWN_BYTES 176 /* 40 bytes of a field, each as \xNN */
/* What libcsv refuses, and that each empty line is told. */
#define OPTIONS (CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL | CSV_APPEND_NULL)
#define STANDS 3u /* bytes that stand for others */
#define ROWS_FIRST 256u
#define LEAD_MAX 1000u /* lines of comment before a header row */

struct name {
    char *text; /* malloc'd, with a final NUL */
    size_t bytes;
};

/* How a table differs from RFC 4180. */
struct dialect {
    uint8_t quote;  /* or RECORDS_NO_QUOTE */
    uint8_t escape; /* character that takes the meaning of the next one; or 0 */
    bool blanks;    /* blanks around fields are no part of them */
    bool row_names; /* each row has a name before its first column */
    uint64_t lead;  /* lines that begin with # before the header row */
};

/* What a table has that another dialect may explain. */
struct hints {
    uint64_t ragged; /* records with another number of fields */
    uint64_t ragged_line;
    uint32_t ragged_fields;
    uint64_t longer; /* records with one field more than the header row */
    bool filled;     /* the last field of one of these is not empty */
    uint64_t comments;
    bool single; /* a field of a ragged record begins with ' */
    bool escape; /* a backslash is before a quote in a field */
    bool blank;  /* a blank is before or behind a quoted field */
    bool lead;   /* the header row is a comment */
};

/* A used cell of the current record. */
struct cell {
    char *text; /* malloc'd */
    size_t bytes;
    size_t room;
    bool there;
};

struct scan {
    struct records_table table;
    struct records_look *look;
    const char *path;
    struct dialect dialect;
    struct hints hints;
    uint8_t stand[STANDS]; /* bytes for a newline, a quote and a separator */
    struct name *names;    /* malloc'd: names of the header row */
    uint32_t named;        /* number of names */
    uint32_t columns;      /* number of fields of each record */
    uint8_t hint;          /* separator that a first line sep= names; or 0 */
    uint64_t hint_bytes;   /* bytes of the line sep= */
    char *error;           /* malloc'd: the first error; or NULL */
    bool stop;             /* no further record can be read */
    bool replaced;         /* a newline in quotes was replaced */
    uint64_t line;         /* current line, from 1 */
    uint64_t record_line;  /* first line of the current record */
    uint64_t records;      /* finished records, with the header row */
    uint32_t fields;       /* fields of the current record so far */
    bool ended;            /* the line ended a record, or is empty */
    bool comment;          /* the current record begins with # */
    bool commented;        /* the header row begins with # */
    bool single;           /* a field of the record begins with ' */
    bool filled;           /* the record's last field is not empty */
    const char *divides;   /* divider_in() of the record's first field */
    struct cell cell[RECORDS_USES_MAX];
    uint64_t row_room;  /* rows that table.row has room for */
    uint64_t cell_room; /* bytes that table.cells has room for */
};

/* ---- fields ---- */

static bool is_same(const char *word, const char *text, size_t bytes)
{
    return strlen(word) == bytes && memcmp(word, text, bytes) == 0;
}

static const char *shown(char out[SHOWN_BYTES], const char *text, size_t bytes)
{
    size_t kept = bytes < 40 ? bytes : 40;
    size_t used = 0;
    size_t at = 0;

    while (kept < bytes && kept > 0 && ((unsigned char)text[kept] >> 6) == 2) {
        kept -= 1; /* so that no character is cut in two */
    }
    out[0] = '\0';
    while (at < kept) {
        char part[41] = "";
        size_t length = strnlen(text + at, kept - at);

        memcpy(part, text + at, length);
        at += length + 1;
        used += (size_t)snprintf(out + used, SHOWN_BYTES - used, "%s%s",
                                 quote_shown(part), at <= kept ? "\\0" : "");
    }
    snprintf(out + used, SHOWN_BYTES - used, "%s", kept < bytes ? "..." : "");
    return out;
}

/* ---- messages ---- */

/* Keeps the first error of a scan. */
__attribute__((format(printf, 3, 4))) static void
scan_error(struct scan *scan, uint64_t line, const char *format, ...)
{
    char reason[REASON_BYTES];
    va_list list;

    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    if (scan->error == NULL &&
        asprintf(&scan->error, "line %" PRIu64 ": %s", line, reason) < 0) {
        scan->error = memory_or_exit(NULL);
    }
}

/* Returns text for a message that suggests which separator the field has; or
   "". */
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

/* Returns a text on why a record may have the wrong fields; or "". */
static const char *cause_of(const struct scan *scan)
{
    if (scan->comment) {
        return "; it begins with #: comment=# leaves such lines out";
    }
    if (scan->records == 0 && scan->fields == 1 && scan->divides[0] != '\0') {
        return scan->divides;
    }
    return scan->single ? "; quote=' takes ' for quotes" : "";
}

/* Returns text for a message: why a field may be no number; or "". */
static const char *cause_of_field(const struct scan *scan,
                                  const struct records_use *use,
                                  const char *text, size_t bytes)
{
    if (records_number_looks_odd(text, bytes)) {
        return "; it has characters that are not ASCII";
    }
    if (is_same(use->name, text, bytes)) {
        return "; the header row is there again";
    }
    if (use->commas) {
        return "; other cells have a comma: decimal= and thousands= say how "
               "numbers are written";
    }
    return cause_of(scan);
}

/* ---- the header row ---- */

static void keep_name(struct scan *scan, const char *text, size_t bytes)
{
    struct name *name;

    scan->names = memory_or_exit(
        realloc(scan->names, (scan->named + 1u) * sizeof *scan->names));
    name = &scan->names[scan->named++];
    name->bytes = bytes;
    name->text = memory_or_exit(calloc(bytes + 1, 1));
    memcpy(name->text, text, bytes);
}

/* Finds a column by the name `bytes` bytes at `text`. Blanks around names of
   the header row do not matter if `trims`. */
static void match_names(struct scan *scan, struct records_use *use, bool trims)
{
    for (uint32_t i = 0; i < scan->named; ++i) {
        size_t bytes = scan->names[i].bytes;
        const char *text =
            trims ? records_number_trim(scan->names[i].text, &bytes)
                  : scan->names[i].text;

        if (!is_same(use->name, text, bytes)) {
            continue;
        }
        if (use->found) {
            scan_error(scan, scan->record_line, "column '%.60s' is there twice",
                       quote_shown(use->name));
        }
        use->found = true;
        use->index = i;
    }
}

/* Finds a column by its number, from 1: "3" or "#3". */
static void match_number(struct scan *scan, struct records_use *use)
{
    const char *digits = use->name + (use->name[0] == '#');
    char *end;
    unsigned long number = strtoul(digits, &end, 10);

    if (isdigit((unsigned char)digits[0]) && *end == '\0' && number > 0 &&
        number <= (scan->look->header ? scan->named : COLUMNS_MAX)) {
        use->found = true;
        use->index = (uint32_t)number - 1;
    }
}

/* Writes the names of the first columns, with unusual characters made
   visible. */
static void list_names(char *out, size_t room, const struct scan *scan)
{
    size_t used = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < scan->named && used < room; ++i) {
        char show[SHOWN_BYTES];

        shown(show, scan->names[i].text, scan->names[i].bytes);
        if (used + strlen(show) + 10 > room) {
            snprintf(out + used, room - used, ", ...");
            return;
        }
        used += (size_t)snprintf(out + used, room - used, "%s'%s'",
                                 used > 0 ? ", " : "", show);
    }
}

static void find_column(struct scan *scan, struct records_use *use)
{
    char names[200];

    match_names(scan, use, false);
    if (!use->found) {
        match_names(scan, use, true);
    }
    if (!use->found) {
        match_number(scan, use);
    }
    if (use->found) {
        use->index += scan->dialect.row_names;
    } else if (scan->look->header) {
        list_names(names, sizeof names, scan);
        scan_error(scan, scan->record_line,
                   "the header row has no column '%.60s' (of %u: %s)%s",
                   quote_shown(use->name), scan->named, names, cause_of(scan));
    } else {
        scan_error(scan, scan->line,
                   "column '%.60s' must be a number from 1, with header=no",
                   quote_shown(use->name));
    }
}

static void find_columns(struct scan *scan)
{
    for (uint32_t i = 0; i < scan->look->uses; ++i) {
        find_column(scan, &scan->look->use[i]);
    }
    scan->columns = scan->named + scan->dialect.row_names;
}

/* Refuses a table whose columns differ from the first table's. */
static int check_header(const struct scan *scan, const struct scan *first)
{
    if (scan->records == 0 || first->records == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < scan->named && i < first->named; ++i) {
        struct name name = scan->names[i];
        struct name other = first->names[i];
        const char *text = records_number_trim(name.text, &name.bytes);
        const char *first_text = records_number_trim(other.text, &other.bytes);
        char show[2][SHOWN_BYTES];

        if (name.bytes != other.bytes ||
            memcmp(text, first_text, name.bytes) != 0) {
            return file_error(scan->path,
                              "its header row is not that of the first table: "
                              "column %u is '%s', and '%s' there",
                              i + 1, shown(show[0], text, name.bytes),
                              shown(show[1], first_text, other.bytes));
        }
    }
    return scan->columns == first->columns
               ? 0
               : file_error(scan->path,
                            "its header row is not that of the first "
                            "table: it has %s columns",
                            scan->columns < first->columns ? "fewer" : "more");
}

/* ---- cells ---- */

/* Refuses a cell with more digits, with those before it, than any number. */
static void check_digits(struct scan *scan, const struct records_use *use,
                         const struct records_reading *reading,
                         const char *text, size_t bytes)
{
    char show[SHOWN_BYTES];

    if (reading->whole + reading->decimals > RECORDS_WIDE_DIGITS_MAX) {
        scan_error(scan, scan->record_line,
                   "column '%.60s': '%s' and what was before it need %u digits "
                   "before the point and %u behind it; together at most %u",
                   quote_shown(use->name), shown(show, text, bytes),
                   reading->whole, reading->decimals, RECORDS_WIDE_DIGITS_MAX);
    }
}

static void mark_spot(const struct scan *scan, struct records_spot *spot,
                      const char *text, size_t bytes)
{
    snprintf(spot->text, sizeof spot->text, "%.*s",
             (int)(bytes < sizeof spot->text ? bytes : sizeof spot->text - 1),
             text);
    spot->line = scan->record_line;
    spot->path = scan->path;
}

static void count_missing(struct scan *scan, struct records_use *use,
                          const char *text, size_t bytes)
{
    if (use->missing++ == 0) {
        mark_spot(scan, &use->first_missing, text, bytes);
    }
    if (scan->look->missing_fails) {
        scan_error(scan, scan->record_line,
                   "column '%.60s': '%s' is no number, and missing=fail",
                   quote_shown(use->name),
                   quote_shown(use->first_missing.text));
    }
}

/* Reads a cell in all styles that fit the cells before it. */
static void check_number(struct scan *scan, struct records_use *use,
                         const char *text, size_t bytes)
{
    struct records_number number;
    char show[SHOWN_BYTES];
    bool good = false;

    for (uint32_t i = 0; i < scan->look->styles; ++i) {
        struct records_reading *reading = &use->reading[i];
        enum records_kind kind =
            reading->fails ? RECORDS_OTHER
                           : records_number_read(&number, text, bytes,
                                                 &scan->look->style[i]);

        if (kind == RECORDS_MISSING) {
            count_missing(scan, use, text, bytes);
            return;
        }
        if (kind == RECORDS_OTHER) {
            reading->fails = true;
            continue;
        }
        good = true;
        use->rewritten = use->rewritten || (i == 0 && !number.plain);
        reading->whole =
            number.whole > reading->whole ? number.whole : reading->whole;
        reading->decimals = number.decimals > reading->decimals
                                ? number.decimals
                                : reading->decimals;
        check_digits(scan, use, reading, text, bytes);
    }
    if (!use->commas && memchr(text, ',', bytes) != NULL) {
        use->commas = true;
        mark_spot(scan, &use->first_comma, text, bytes);
    }
    if (!good) {
        scan->hints.single = scan->hints.single || scan->single;
        scan_error(scan, scan->record_line,
                   "column '%.60s': '%s' is no decimal number%s%s",
                   quote_shown(use->name), shown(show, text, bytes),
                   use->condition ? "; type=text compares it as text" : "",
                   cause_of_field(scan, use, text, bytes));
    }
}

static void look_at_text(struct records_use *use, const char *text,
                         size_t bytes)
{
    static const struct records_style plain = {'.', '\0'};
    struct records_number number;

    if (use->value == NULL) {
        return;
    }
    if (records_number_read(&number, text, bytes, &plain) == RECORDS_NUMBER) {
        use->seen_number = true;
    } else if (bytes > 0) {
        use->seen_text = true;
    }
    use->seen_value = use->seen_value || is_same(use->value, text, bytes);
}

/* Keeps a cell until the record's end. */
static void keep_cell(struct cell *cell, const char *text, size_t bytes)
{
    if (bytes >= cell->room) {
        cell->room = bytes * 2 + 1;
        cell->text = memory_or_exit(realloc(cell->text, cell->room));
    }
    if (bytes > 0) {
        memcpy(cell->text, text, bytes);
    }
    cell->bytes = bytes;
    cell->there = true;
}

/* Puts the characters back that others stand for while escapes are read. */
static void put_back(const struct scan *scan, char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) {
        text[i] = (uint8_t)text[i] == scan->stand[1] ? (char)scan->dialect.quote
                  : (uint8_t)text[i] == scan->stand[2]
                      ? (char)scan->table.separator
                      : text[i];
    }
}

static bool is_header(const struct scan *scan)
{
    return scan->records == 0 && scan->look->header;
}

/* libcsv calls this at a field's end. */
static void end_field(void *text, size_t bytes, void *context)
{
    struct scan *scan = (struct scan *)context;
    char *field = (char *)text;

    if (scan->dialect.escape != 0 && bytes > 0) {
        put_back(scan, field, bytes);
    }
    if (scan->fields == 0) {
        scan->comment = bytes > 0 && field[0] == '#';
        scan->single = false;
        scan->divides = divider_in(field, bytes);
    }
    scan->single = scan->single || (bytes > 0 && field[0] == '\'');
    scan->filled = bytes > 0;
    if (is_header(scan)) {
        keep_name(scan, bytes > 0 ? field : "", bytes);
    }
    for (uint32_t i = 0; i < scan->look->uses && !is_header(scan); ++i) {
        if (scan->look->use[i].index == scan->fields) {
            keep_cell(&scan->cell[i], bytes > 0 ? field : "", bytes);
        }
    }
    scan->fields += 1;
}

/* libcsv calls this at the end of a record. `end` is the byte that ends it, or
   -1 at the end of the file. */
static void end_record(int end, void *context)
{
    struct scan *scan = (struct scan *)context;

    scan->ended = end >= 0;
}

/* ---- records ---- */

/* Makes room for one more element of an array. */
static void *grow(void *array, uint64_t *room, uint64_t count, size_t size)
{
    if (count <= *room) {
        return array;
    }
    *room = count < ROWS_FIRST ? ROWS_FIRST : count * 2;
    return memory_or_exit(realloc(array, (size_t)*room * size));
}

/* Notes a record with another number of fields than the others. Returns whether
   it is a comment. */
static bool note_ragged(struct scan *scan)
{
    struct hints *hints = &scan->hints;

    hints->longer += scan->fields == scan->columns + 1;
    hints->filled =
        hints->filled || (scan->fields == scan->columns + 1 && scan->filled);
    hints->single = hints->single || scan->single;
    if (scan->comment) {
        hints->comments += 1;
        return true;
    }
    if (hints->ragged++ == 0) {
        hints->ragged_line = scan->record_line;
        hints->ragged_fields = scan->fields;
    }
    return false;
}

/* Checks the used cells of a record, and appends them to the table. */
static void add_cells(struct scan *scan, uint64_t at, uint64_t bytes)
{
    struct records_table *table = &scan->table;

    table->row =
        grow(table->row, &scan->row_room, table->rows + 1, sizeof *table->row);
    table->row[table->rows++] = (struct records_row){
        .at = at, .cells = table->cell_bytes, .bytes = (uint32_t)bytes};
    for (uint32_t i = 0; i < scan->look->uses; ++i) {
        struct cell *cell = &scan->cell[i];
        struct records_use *use = &scan->look->use[i];
        uint32_t length = cell->there ? (uint32_t)cell->bytes : RECORDS_ABSENT;
        size_t copied = cell->there ? cell->bytes : 0;

        if (!cell->there) {
            table->rewritten = true;
        } else if (use->number) {
            check_number(scan, use, cell->text, cell->bytes);
        } else {
            look_at_text(use, cell->text, cell->bytes);
        }
        table->cells = grow(table->cells, &scan->cell_room,
                            table->cell_bytes + sizeof length + copied, 1);
        memcpy(table->cells + table->cell_bytes, &length, sizeof length);
        table->cell_bytes += sizeof length;
        if (copied > 0) {
            memcpy(table->cells + table->cell_bytes, cell->text, copied);
        }
        table->cell_bytes += copied;
        cell->there = false;
    }
}

static void end_header(struct scan *scan)
{
    find_columns(scan);
    scan->commented = scan->comment;
    if (scan->columns > COLUMNS_MAX) {
        scan_error(scan, scan->record_line, "has over 65535 columns");
    }
    scan->stop = scan->error != NULL && !scan->comment;
}

/* Begins a table without a header row by its first record. */
static void begin_rows(struct scan *scan, uint64_t at)
{
    scan->table.header_bytes = at;
    scan->columns = scan->fields;
    for (uint32_t i = 0; i < scan->look->uses; ++i) {
        if (scan->look->use[i].index >= scan->columns) {
            scan_error(scan, scan->record_line,
                       "has %u columns; there is no column '%.60s'",
                       scan->columns, quote_shown(scan->look->use[i].name));
        }
    }
}

/* Returns whether the header row is a comment, by the record behind it. */
static bool is_lead(const struct scan *scan)
{
    return scan->records == 1 && scan->look->header && scan->commented &&
           (scan->comment || scan->fields != scan->columns);
}

/* Takes the finished record of `bytes` bytes at `at`. */
static void take_record(struct scan *scan, uint64_t at, uint64_t bytes)
{
    struct records_table *table = &scan->table;
    bool comment = false;

    if (is_header(scan)) {
        table->header_bytes = at + bytes;
        end_header(scan);
    } else {
        if (scan->records == 0) {
            begin_rows(scan, at);
        }
        if (is_lead(scan)) {
            scan->hints.lead = true;
            scan->stop = true;
            return;
        }
        comment = scan->fields != scan->columns && note_ragged(scan);
        if (comment) {
            table->rewritten = true;
        } else {
            add_cells(scan, at, bytes);
            table->longest =
                bytes > table->longest ? (uint32_t)bytes : table->longest;
        }
        table->last_bytes = (uint32_t)bytes;
    }
    for (uint32_t i = 0; i < scan->look->uses; ++i) {
        scan->cell[i].there = false;
    }
    scan->records += 1;
    scan->fields = 0;
}

static int no_space(unsigned char byte)
{
    (void)byte;
    return 0;
}

/* Returns the last byte of a line: its newline, or a carriage return without a
   newline. Every line has one. */
static uint8_t *line_end(uint8_t *at, const uint8_t *all)
{
    uint8_t *newline = memchr(at, '\n', (size_t)(all - at));
    uint8_t *end = memchr(at, '\r', (size_t)(newline - at));

    return end == NULL || end + 1 == newline ? newline : end;
}

/* Parses bytes of a line. A quote inside a field that does not begin with one
   is part of the field. */
static void scan_bytes(struct scan *scan, struct csv_parser *parser,
                       const uint8_t *at, size_t bytes, const uint8_t *line)
{
    while (!scan->stop && bytes > 0) {
        size_t done = csv_parse(parser, at, bytes, end_field, end_record, scan);
        bool quote = done < bytes && at[done] == csv_get_quote(parser);

        if (done == bytes) {
            return;
        }
        if (csv_error(parser) != CSV_EPARSE) {
            scan_error(scan, scan->line, "%s", csv_strerror(csv_error(parser)));
            scan->stop = true;
            return;
        }
        at += done;
        bytes -= done;
        scan->hints.blank =
            scan->hints.blank || *at == ' ' || (at > line && at[-1] == ' ');
        scan->hints.escape = scan->hints.escape ||
                             (at > line + 1 && at[-2] == '\\') ||
                             (quote && at > line && at[-1] == '\\');
        if (!quote) {
            scan_error(scan, scan->line,
                       "text behind the closing quote (the record begins on "
                       "line %" PRIu64 ")%s",
                       scan->record_line, divider_in((const char *)at, 1));
            scan->stop = true;
            return;
        }
        csv_set_opts(parser, (unsigned char)(OPTIONS & ~CSV_STRICT));
        (void)csv_parse(parser, at, 1, end_field, end_record, scan);
        csv_set_opts(parser, OPTIONS);
        at += 1;
        bytes -= 1;
    }
}

/* Parses one line and its end. */
static void scan_line(struct scan *scan, struct csv_parser *parser,
                      const uint8_t *at, size_t bytes)
{
    const uint8_t *end = at + bytes;
    const uint8_t *from = at;
    const uint8_t *escape;

    scan->ended = false;
    while (scan->dialect.escape != 0 &&
           (escape = memchr(from, scan->dialect.escape,
                            (size_t)(end - from))) != NULL) {
        uint8_t next = escape[1]; /* a line ends in a newline */
        uint8_t byte = next == scan->dialect.quote     ? scan->stand[1]
                       : next == scan->table.separator ? scan->stand[2]
                                                       : *escape;

        scan_bytes(scan, parser, from, (size_t)(escape - from), at);
        scan_bytes(scan, parser, &byte, 1, &byte);
        from = escape + 1 + (byte != *escape || next == *escape);
    }
    scan_bytes(scan, parser, from, (size_t)(end - from), at);
}

/* Replaces the newline of a line that ends inside quotes by the table's byte
   for it. */
static void replace_newline(struct scan *scan, uint8_t *end)
{
    if (*end == '\n') {
        *end = scan->table.newline;
        scan->replaced = true;
        if (scan->table.newline == '\n') {
            scan_error(scan, scan->line,
                       "a newline in quotes, and no byte that is not in the "
                       "file to stand for it");
            scan->stop = true;
        }
    }
}

/* Returns whether a line is left out: one before the table, or a comment. */
static bool is_left_out(struct scan *scan, uint8_t first)
{
    bool comment = scan->look->comment != 0 && first == scan->look->comment;
    bool lead = scan->records == 0 && first == '#' &&
                scan->hints.comments < scan->dialect.lead;

    if (scan->line - (scan->hint_bytes > 0) <= scan->look->skip) {
        return true;
    }
    scan->hints.comments += comment || lead;
    scan->table.rewritten =
        scan->table.rewritten || (comment && scan->records > 0);
    return comment || lead;
}

static void scan_lines(struct scan *scan, struct csv_parser *parser)
{
    struct records_table *table = &scan->table;
    uint8_t *data = table->text.data;
    uint64_t start = scan->hint_bytes; /* offset of the current record */

    scan->line = start > 0;
    for (uint64_t at = start; at < table->text.bytes && !scan->stop;) {
        uint8_t *end = line_end(data + at, data + table->text.bytes);
        uint64_t next = (uint64_t)(end + 1 - data);
        bool first = start == at;

        scan->line += 1;
        if (first) {
            scan->record_line = scan->line;
        }
        if (first && is_left_out(scan, data[at])) {
            start = at = next;
            continue;
        }
        scan_line(scan, parser, data + at, (size_t)(next - at));
        at = next;
        if (next - start > RECORD_MAX) {
            scan_error(scan, scan->record_line,
                       "the record has over 1048576 bytes");
            scan->stop = true;
        }
        if (!scan->ended) {
            replace_newline(scan, end);
            continue;
        }
        table->text.returns += *end == '\r';
        *end = '\n';
        if (scan->fields > 0) {
            take_record(scan, start, next - start);
        }
        start = next;
    }
}

/* Scans the table in the current dialect. */
static void scan_once(struct scan *scan)
{
    struct csv_parser parser;

    /* csv_init() fails only for a NULL parser. */
    csv_init(&parser, OPTIONS);
    csv_set_delim(&parser, scan->table.separator);
    csv_set_quote(&parser, scan->dialect.quote != RECORDS_NO_QUOTE
                               ? scan->dialect.quote
                               : scan->stand[1]);
    csv_set_space_func(&parser, scan->dialect.blanks ? NULL : no_space);
    scan_lines(scan, &parser);
    if (!scan->stop && csv_fini(&parser, end_field, end_record, scan) != 0) {
        scan_error(scan, scan->record_line,
                   "a quote in the record that begins here is not closed");
        scan->hints.escape =
            memmem(scan->table.text.data, (size_t)scan->table.text.bytes,
                   "\\\"", 2) != NULL;
    }
    csv_free(&parser);
    scan->table.rewritten = scan->table.rewritten ||
                            scan->dialect.quote != '"' ||
                            scan->dialect.escape != 0 || scan->dialect.blanks;
}

/* ---- dialects ---- */

/* Forgets what a scan found. */
static void forget(struct scan *scan)
{
    struct records_table *table = &scan->table;

    for (uint32_t i = 0; i < scan->named; ++i) {
        free(scan->names[i].text);
    }
    free(scan->names);
    free(scan->error);
    scan->names = NULL;
    scan->named = 0;
    scan->error = NULL;
    scan->stop = false;
    scan->hints = (struct hints){.ragged = 0};
    scan->records = 0;
    scan->fields = 0;
    table->header_bytes = 0;
    table->longest = 0;
    table->last_bytes = 0;
    table->rewritten = false;
    table->rows = 0;
    table->cell_bytes = 0;
    for (uint64_t i = 0; scan->replaced && i < table->text.bytes; ++i) {
        if (table->text.data[i] == table->newline) {
            table->text.data[i] = '\n';
        }
    }
    scan->replaced = false;
}

static bool is_clean(const struct scan *scan)
{
    return scan->error == NULL && scan->hints.ragged == 0;
}

/* Scans the table in another dialect, again and again while the header row is a
   comment. `uses` are those before this table. */
static void scan_as(struct scan *scan, const struct dialect *dialect,
                    const struct records_use uses[RECORDS_USES_MAX])
{
    scan->dialect = *dialect;
    do {
        scan->dialect.lead += scan->hints.lead;
        forget(scan);
        memcpy(scan->look->use, uses, sizeof scan->look->use);
        for (uint32_t i = 0; i < scan->look->uses; ++i) {
            scan->look->use[i].found = false;
        }
        if (!scan->look->header) {
            find_columns(scan);
        }
        scan_once(scan);
    } while (scan->hints.lead && scan->dialect.lead < LEAD_MAX);
}

/* Scans the table as RFC 4180 has it, or in the first other dialect in which
   all records have the same number of fields. */
static void scan_table(struct scan *scan)
{
    const struct records_look *look = scan->look;
    struct dialect base = {.quote = look->quote, .escape = look->escape};
    struct dialect other[4];
    uint32_t others = 0;
    struct records_use uses[RECORDS_USES_MAX];

    memcpy(uses, look->use, sizeof uses);
    scan_as(scan, &base, uses);
    base = scan->dialect;
    for (uint32_t i = 0; i < sizeof other / sizeof *other; ++i) {
        other[i] = base;
    }
    if (scan->hints.longer > 0 && scan->hints.filled && look->header &&
        scan->hints.longer == scan->hints.ragged &&
        scan->hints.ragged == scan->table.rows) {
        other[others++].row_names = true;
    }
    if (scan->hints.blank) {
        other[others++].blanks = true;
    }
    if (scan->hints.escape && !look->escape_given) {
        other[others++].escape = '\\';
    }
    if (scan->hints.single && !look->quote_given) {
        other[others++].quote = '\'';
    }
    for (uint32_t i = 0; i < others && !is_clean(scan); ++i) {
        scan_as(scan, &other[i], uses);
    }
    if (others > 0 && !is_clean(scan)) {
        scan_as(scan, &base, uses);
    }
}

/* Notes how a table was read. */
static void note_dialect(struct format_load *load, const struct scan *scan)
{
    const struct hints *hints = &scan->hints;
    const char *name = file_name(scan->path);

    if (hints->ragged > 0) {
        format_note(load,
                    "%s: %" PRIu64 " rows have more or fewer cells than the "
                    "table's %u, the first on line %" PRIu64 " (%u): cells "
                    "that are not there are missing.",
                    name, hints->ragged, scan->columns, hints->ragged_line,
                    hints->ragged_fields);
    }
    if (hints->comments > 0) {
        format_note(load, "%s: %" PRIu64 " lines of comment are left out.",
                    name, hints->comments);
    }
    if (scan->dialect.row_names) {
        format_note(load,
                    "%s: its rows have one cell more than the header row: the "
                    "first of each is the row's name.",
                    name);
    }
    if (scan->dialect.blanks) {
        format_note(load, "%s: blanks around cells are left out.", name);
    }
    if (scan->dialect.escape != 0 && !scan->look->escape_given) {
        format_note(load, "%s: a backslash escapes quotes in it.", name);
    }
    if (scan->dialect.quote == '\'' && !scan->look->quote_given) {
        format_note(load, "%s: ' encloses cells in it.", name);
    }
}

/* Reads a table. Returns 0; or 1 after a message. */
static int check_table(struct format_load *load, struct scan *scan)
{
    const char *other = text_other_ends(&scan->table.text);

    scan_table(scan);
    if (scan->error != NULL) {
        return file_error(scan->path, "%s", scan->error);
    }
    if (scan->table.rows == 0 && other != NULL) {
        return file_error(scan->path,
                          "has no record behind its header row; it is one line "
                          "with %s",
                          other);
    }
    note_dialect(load, scan);
    return 0;
}

/* ---- files ---- */

/* Returns whether a file's suffix says that tabs separate the table's fields:
   x.tsv, or compressed x.tsv.gz. */
static bool says_tabs(const char *path)
{
    size_t bytes = format_name_bytes(path);

    return bytes > 4 && (strncasecmp(path + bytes - 4, ".tsv", 4) == 0 ||
                         strncasecmp(path + bytes - 4, ".tab", 4) == 0);
}

/* Looks for a first line that tells the separator, as spreadsheets write it:
   sep=; or "sep=;". */
static void find_hint(struct scan *scan)
{
    uint8_t *data = scan->table.text.data;
    const char *line = (const char *)data;
    size_t bytes =
        scan->table.text.bytes < 10 ? (size_t)scan->table.text.bytes : 10;
    size_t quotes = bytes > 0 && line[0] == '"';
    size_t at = quotes + strlen("sep=?");

    if (bytes <= at + quotes || strncasecmp(line + quotes, "sep=", 4) != 0 ||
        (quotes > 0 && line[at++] != '"')) {
        return;
    }
    scan->hint = data[quotes + 4];
    at += line[at] == '\r';
    if (at < bytes && line[at] == '\n') {
        at += 1;
    } else if (line[at - 1] == '\r') {
        data[at - 1] = '\n';
    } else {
        scan->hint = 0;
    }
    scan->hint_bytes = scan->hint != 0 ? at : 0;
}

static int read_file(struct format_load *load, struct scan *scan)
{
    struct text *text = &scan->table.text;
    int status = format_read_text(load, text, scan->path);

    status = status == 0 ? text_check_narrow(text, scan->path) : status;
    if (status != 0) {
        return status;
    }
    if (!load->as_is) {
        text_drop_marks(text);
    }
    if (text->bytes > 0 && text->data[text->bytes - 1] == '\r') {
        text->data[text->bytes - 1] = '\n';
        text->returns += 1;
    }
    if (text->bytes > 0 && text->data[text->bytes - 1] != '\n') {
        text->data[text->bytes++] = '\n';
        scan->table.ended = true;
    }
    find_hint(scan);
    scan->table.separator = scan->look->separator != 0 ? scan->look->separator
                            : scan->hint != 0          ? scan->hint
                            : says_tabs(scan->path)    ? '\t'
                                                       : ',';
    return 0;
}

/* Finds bytes that no table contains; a newline stands for none. */
static void find_stands(uint8_t stand[STANDS], const bool used[256])
{
    uint32_t found = 0;

    memset(stand, '\n', STANDS);
    for (unsigned byte = 0; byte < 256 && found < STANDS; ++byte) {
        if (!used[byte]) {
            stand[found++] = (uint8_t)byte;
        }
    }
}

/* Reads all tables, and finds a byte that can replace newlines in quotes in all
   of them. */
static int read_files(struct format_load *load, struct scan scan[],
                      uint32_t count)
{
    bool used[256] = {['\n'] = true, ['\r'] = true, ['"'] = true, [','] = true};
    int status = 0;

    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        const struct text *text = &scan[i].table.text;

        status = read_file(load, &scan[i]);
        if (status == 0 && scan[i].table.separator != scan[0].table.separator) {
            status = file_error(scan[i].path,
                                "has another separator, by its %s, than the "
                                "first table",
                                scan[i].hint != 0 ? "first line" : "name");
        }
        for (uint64_t at = 0; status == 0 && at < text->bytes; ++at) {
            used[text->data[at]] = true;
        }
    }
    used[scan[0].table.separator] = true;
    for (uint32_t i = 0; i < count; ++i) {
        find_stands(scan[i].stand, used);
        scan[i].table.newline = scan[i].stand[0];
    }
    return status;
}

static uint64_t rows_of(const struct records_table *table)
{
    return table->text.bytes - table->header_bytes;
}

static int scan_tables(struct format_load *load, struct scan scan[],
                       uint32_t count)
{
    int status = 0;

    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        status = check_table(load, &scan[i]);
        status = status == 0 ? check_header(&scan[i], &scan[0]) : status;
        if (status == 0) {
            format_note_text(load, &scan[i].table.text, scan[i].path,
                             ", as is what is compared and returned of it",
                             NULL);
        }
    }
    return status;
}

static void append_rows(struct records_table *to,
                        const struct records_table *from)
{
    uint64_t bytes = rows_of(from);
    uint64_t rows = to->rows + from->rows;
    uint64_t cell_bytes = to->cell_bytes + from->cell_bytes;

    to->text.data = memory_or_exit(
        realloc(to->text.data, (size_t)(to->text.bytes + bytes + 1)));
    to->row =
        memory_or_exit(realloc(to->row, (size_t)(rows + 1) * sizeof *to->row));
    to->cells = memory_or_exit(realloc(to->cells, (size_t)cell_bytes + 1));
    memcpy(to->text.data + to->text.bytes, from->text.data + from->header_bytes,
           (size_t)bytes);
    if (from->cell_bytes > 0) {
        memcpy(to->cells + to->cell_bytes, from->cells,
               (size_t)from->cell_bytes);
    }
    for (uint64_t i = 0; i < from->rows; ++i) {
        to->row[to->rows + i] = (struct records_row){
            .at = from->row[i].at + to->text.bytes - from->header_bytes,
            .cells = from->row[i].cells + to->cell_bytes,
            .bytes = from->row[i].bytes};
    }
    to->text.bytes += bytes;
    to->rows = rows;
    to->cell_bytes = cell_bytes;
    to->rewritten = to->rewritten || from->rewritten;
    to->longest = from->longest > to->longest ? from->longest : to->longest;
    if (bytes > 0) {
        to->last_bytes = from->last_bytes;
        to->ended = from->ended;
    }
}

/* Joins all tables in scan[0]. The header row is that of the first table that
   is not empty. */
static void join_tables(struct format_load *load, struct scan scan[],
                        const char *const path[], uint32_t count)
{
    struct records_table empty = scan[0].table;
    uint32_t first = 0;

    format_list_files(load, path, count);
    for (uint32_t i = 0; i < count; ++i) {
        load->files[i].bytes = rows_of(&scan[i].table);
        load->files[i].at =
            i == 0 ? 0 : load->files[i - 1].at + load->files[i - 1].bytes;
    }
    while (first + 1 < count && scan[first].table.text.bytes == 0) {
        first += 1;
    }
    scan[0].table = scan[first].table;
    if (first > 0) {
        scan[first].table = empty;
    }
    for (uint32_t i = first + 1; i < count; ++i) {
        append_rows(&scan[0].table, &scan[i].table);
    }
}

/* ---- columns, once all tables are read ---- */

/* Decides how a column's numbers are written. */
static int choose_style(struct format_load *load, struct records_look *look,
                        struct records_use *use, const char *path)
{
    const struct records_reading *reading = use->reading;
    bool first = !reading[0].fails;

    if (first && look->styles > 1 && !reading[1].fails && use->commas) {
        return file_error(use->first_comma.path,
                          "line %" PRIu64 ": column '%.60s': the comma of '%s' "
                          "may be a decimal mark or one of thousands; "
                          "decimal=. or decimal=\\, says which",
                          use->first_comma.line, quote_shown(use->name),
                          quote_shown(use->first_comma.text));
    }
    use->style = !first;
    use->whole = reading[use->style].whole;
    use->decimals = reading[use->style].decimals;
    use->rewritten = use->rewritten || !first;
    if ((use->commas || !first) && look->styles > 1) {
        format_note(load, "%s: column '%.60s': %s.", file_name(path),
                    quote_shown(use->name),
                    first         ? "commas are marks of thousands"
                    : use->commas ? "a comma is the decimal mark"
                                  : "points are marks of thousands");
    }
    return 0;
}

static int choose_styles(struct format_load *load, struct records_look *look,
                         const char *path)
{
    int status = 0;

    for (uint32_t i = 0; status == 0 && i < look->uses; ++i) {
        struct records_use *use = &look->use[i];

        if (!use->number) {
            continue;
        }
        status = choose_style(load, look, use, path);
        if (status == 0 && use->missing > 0) {
            format_note(load,
                        "%s: column '%.60s' has %" PRIu64 " cells without a "
                        "number, the first on line %" PRIu64 " ('%s'): they "
                        "satisfy no condition and are in no sum.",
                        file_name(use->first_missing.path),
                        quote_shown(use->name), use->missing,
                        use->first_missing.line,
                        quote_shown(use->first_missing.text));
        }
    }
    return status;
}

/* ---- all ---- */

void records_table_free(struct records_table *table)
{
    free(table->text.data);
    free(table->row);
    free(table->cells);
    table->text.data = NULL;
    table->row = NULL;
    table->cells = NULL;
}

static void free_scan(struct scan *scan)
{
    forget(scan);
    records_table_free(&scan->table);
    for (uint32_t i = 0; i < RECORDS_USES_MAX; ++i) {
        free(scan->cell[i].text);
    }
}

int records_table_read(struct records_table *table, struct format_load *load,
                       struct records_look *look, const char *const path[],
                       uint32_t count)
{
    struct scan *scan = memory_or_exit(calloc(count, sizeof *scan));
    int status;

    for (uint32_t i = 0; i < count; ++i) {
        scan[i].path = path[i];
        scan[i].look = look;
    }
    status = read_files(load, scan, count);
    status = status == 0 ? scan_tables(load, scan, count) : status;
    status = status == 0 ? choose_styles(load, look, path[0]) : status;
    if (status == 0 && count > 1) {
        join_tables(load, scan, path, count);
    }
    if (status == 0) {
        *table = scan[0].table;
        scan[0].table =
            (struct records_table){.text = {.data = NULL}, .newline = 0};
        scan[0].replaced = false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        free_scan(&scan[i]);
    }
    free(scan);
    return status;
}
