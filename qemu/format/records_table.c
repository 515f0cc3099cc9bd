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

struct name {
    char *text; /* malloc'd, with a final NUL */
    size_t bytes;
};

struct scan {
    struct records_table table;
    struct records_look *look;
    const char *path;
    struct name *names; /* malloc'd: the columns' names, from the header row */
    uint32_t columns;   /* number of names */
    uint8_t hint;       /* separator in a first line "sep="; 0: there is none */
    uint64_t hint_bytes; /* length of the line "sep=" */
    int status;
    uint64_t line;        /* number of the current line, from 1 */
    uint64_t record_line; /* number of the current record's first line */
    uint64_t records;     /* number of complete records, with the header row */
    uint32_t fields;      /* number of fields so far in the current record */
    bool ended;           /* true: the line has ended a record, or is empty */
    bool comment;         /* true: the current record begins with # */
    bool single;          /* true: a field of the record begins with ' */
    const char *divides;  /* divider_in() of the record's first field */
};

/* ---- fields ---- */

bool records_table_number(const char *text, size_t bytes, uint32_t *whole,
                          uint32_t *decimals)
{
    static const char digits[] = "0123456789";
    const char *first = text + (text[0] == '-' || text[0] == '+');
    const char *at = first + strspn(first, "0");
    bool point;

    *whole = (uint32_t)strspn(at, digits);
    at += *whole;
    point = *at == '.';
    at += point;
    *decimals = point ? (uint32_t)strspn(at, digits) : 0;
    at += *decimals;
    return at == text + bytes && at > first + point;
}

bool records_table_looks_odd(const char *text, size_t bytes)
{
    bool other = false;

    for (size_t i = 0; i < bytes; ++i) {
        if (isalpha((unsigned char)text[i])) {
            return false;
        }
        other = other || (text[i] & 0x80) != 0;
    }
    return other;
}

const char *records_table_trim(const char *text, size_t *bytes)
{
    size_t front = strspn(text, " \t");

    text += front;
    *bytes -= front;
    while (*bytes > 0 &&
           (text[*bytes - 1] == ' ' || text[*bytes - 1] == '\t')) {
        *bytes -= 1;
    }
    return text;
}

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

__attribute__((format(printf, 3, 4))) static void
scan_error(struct scan *scan, uint64_t line, const char *format, ...)
{
    char reason[REASON_BYTES];
    va_list list;

    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    if (scan->status == 0) {
        scan->status =
            file_error(scan->path, "line %" PRIu64 ": %s", line, reason);
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

/* Returns text for a message: why a record may have the wrong number of fields;
   or "". */
static const char *cause_of(const struct scan *scan)
{
    if (scan->comment) {
        return "; it begins with #, but a table has no lines of comment";
    }
    if (scan->records == 0 && scan->fields == 1 && scan->divides[0] != '\0') {
        return scan->divides;
    }
    return scan->single ? "; ' does not enclose a field, only \" does" : "";
}

/* Returns text for a message: why a field may be no number; or "". */
static const char *cause_of_field(const struct scan *scan,
                                  const struct records_column *column,
                                  const char *text, size_t bytes)
{
    uint32_t whole;
    uint32_t decimals;
    size_t inner = bytes;
    const char *trim = records_table_trim(text, &inner);

    if (records_table_looks_odd(text, bytes)) {
        return "; it has characters that are not ASCII";
    }
    if (inner < bytes && records_table_number(trim, inner, &whole, &decimals)) {
        return "; it has blanks around it";
    }
    if (is_same(column->name, text, bytes)) {
        return "; the header row is there again";
    }
    return cause_of(scan);
}

/* ---- the header row ---- */

static void keep_name(struct scan *scan, const char *text, size_t bytes)
{
    struct name *name;

    scan->names = memory_or_exit(
        realloc(scan->names, (scan->columns + 1u) * sizeof *scan->names));
    name = &scan->names[scan->columns++];
    name->bytes = bytes;
    name->text = memory_or_exit(calloc(bytes + 1, 1));
    memcpy(name->text, text, bytes);
}

static void match_name(struct scan *scan, struct records_column *column,
                       const char *name, size_t bytes)
{
    if (column->name == NULL || !is_same(column->name, name, bytes)) {
        return;
    }
    if (column->found) {
        scan_error(scan, scan->record_line, "column '%.60s' is there twice",
                   quote_shown(column->name));
    }
    column->found = true;
    column->index = scan->fields;
}

/* Writes the names of the first columns, with unusual characters made
   visible. */
static void list_names(char *out, size_t room, const struct scan *scan)
{
    size_t used = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < scan->columns && used < room; ++i) {
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

static void check_found(struct scan *scan, const struct records_column *column)
{
    char names[200];

    if (column->name != NULL && !column->found) {
        list_names(names, sizeof names, scan);
        scan_error(scan, scan->record_line,
                   "the header row has no column '%.60s' (of %u: %s)%s",
                   quote_shown(column->name), scan->columns, names,
                   cause_of(scan));
    }
}

static int check_header(const struct scan *scan, const struct scan *first)
{
    for (uint32_t i = 0; i < scan->columns && i < first->columns; ++i) {
        const struct name *name = &scan->names[i];
        const struct name *other = &first->names[i];
        char show[2][SHOWN_BYTES];

        if (name->bytes != other->bytes ||
            memcmp(name->text, other->text, name->bytes) != 0) {
            return file_error(scan->path,
                              "its header row is not that of the first table: "
                              "column %u is '%s', and '%s' there",
                              i + 1, shown(show[0], name->text, name->bytes),
                              shown(show[1], other->text, other->bytes));
        }
    }
    return scan->columns == first->columns
               ? 0
               : file_error(scan->path,
                            "its header row is not that of the first "
                            "table: it has %s columns",
                            scan->columns < first->columns ? "fewer" : "more");
}

/* ---- records ---- */

static void check_number(struct scan *scan, struct records_column *column,
                         const char *text, size_t bytes)
{
    uint32_t whole;
    uint32_t decimals;
    char show[SHOWN_BYTES];

    if (!records_table_number(text, bytes, &whole, &decimals)) {
        scan_error(scan, scan->record_line,
                   "column '%.60s': '%s' is no decimal number%s%s",
                   quote_shown(column->name), shown(show, text, bytes),
                   column == &scan->look->column
                       ? "; type=text compares it as text"
                       : "",
                   cause_of_field(scan, column, text, bytes));
        return;
    }
    column->whole = whole > column->whole ? whole : column->whole;
    column->decimals =
        decimals > column->decimals ? decimals : column->decimals;
    if (column->whole + column->decimals > RECORDS_DIGITS_MAX) {
        scan_error(scan, scan->record_line,
                   "column '%.60s': '%s' and what was before it need %u digits "
                   "before the point and %u behind it; together at most %u",
                   quote_shown(column->name), shown(show, text, bytes),
                   column->whole, column->decimals, RECORDS_DIGITS_MAX);
    }
}

static void look_at_text(struct records_look *look, const char *text,
                         size_t bytes)
{
    uint32_t whole;
    uint32_t decimals;

    if (records_table_number(text, bytes, &whole, &decimals)) {
        look->seen_number = true;
    } else if (bytes > 0) {
        look->seen_text = true;
    }
    look->seen_value = look->seen_value || is_same(look->value, text, bytes);
}

static void check_cell(struct scan *scan, struct records_column *column,
                       const char *text, size_t bytes)
{
    if (column->name == NULL || scan->fields != column->index) {
        return;
    }
    if (column->number) {
        check_number(scan, column, text, bytes);
    } else {
        look_at_text(scan->look, text, bytes);
    }
}

static void end_field(void *text, size_t bytes, void *context)
{
    struct scan *scan = (struct scan *)context;
    const char *field = text != NULL ? (const char *)text : "";

    if (scan->fields == 0) {
        scan->comment = field[0] == '#';
        scan->single = false;
        scan->divides = divider_in(field, bytes);
    }
    scan->single = scan->single || field[0] == '\'';
    if (scan->records == 0) {
        keep_name(scan, field, bytes);
        match_name(scan, &scan->look->column, field, bytes);
        match_name(scan, &scan->look->sum, field, bytes);
    } else {
        check_cell(scan, &scan->look->column, field, bytes);
        check_cell(scan, &scan->look->sum, field, bytes);
    }
    scan->fields += 1;
}

/* libcsv calls this at the end of a record. `end` is the byte that ends it, or
   -1 at the end of the file. */
static void end_record(int end, void *context)
{
    struct scan *scan = (struct scan *)context;

    scan->ended = end >= 0;
    if (scan->fields == 0) {
        return;
    }
    if (scan->records == 0) {
        check_found(scan, &scan->look->column);
        check_found(scan, &scan->look->sum);
        if (scan->columns > COLUMNS_MAX) {
            scan_error(scan, scan->record_line, "has over 65535 columns");
        }
    } else if (scan->fields != scan->columns) {
        scan_error(scan, scan->record_line,
                   "the record has %u fields, the header row %u%s",
                   scan->fields, scan->columns, cause_of(scan));
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

/* Gives one line and its end to libcsv. */
static void scan_line(struct scan *scan, struct csv_parser *parser,
                      const uint8_t *at, uint64_t bytes)
{
    size_t done;

    scan->ended = false;
    done = csv_parse(parser, at, bytes, end_field, end_record, scan);
    if (done != bytes && csv_error(parser) == CSV_EPARSE) {
        scan_error(scan, scan->line,
                   "a quote in a field that does not begin with one, or text "
                   "behind the closing quote (the record begins on line "
                   "%" PRIu64 ")%s",
                   scan->record_line, divider_in((const char *)at + done, 1));
    } else if (done != bytes) {
        scan_error(scan, scan->line, "%s", csv_strerror(csv_error(parser)));
    }
}

/* Replaces the newline of a line that ends inside quotes by the table's byte
   for it. */
static void replace_newline(struct scan *scan, uint8_t *end)
{
    if (*end == '\n') {
        *end = scan->table.newline;
        if (scan->table.newline == '\n') {
            scan_error(scan, scan->line,
                       "a newline in quotes, and no byte that is not in the "
                       "file to stand for it");
        }
    }
}

static void scan_lines(struct scan *scan, struct csv_parser *parser)
{
    struct records_table *table = &scan->table;
    uint8_t *data = table->text.data;
    uint64_t start = scan->hint_bytes; /* offset of the current record */

    scan->line = start > 0;
    for (uint64_t at = start; at < table->text.bytes && scan->status == 0;) {
        uint8_t *end = line_end(data + at, data + table->text.bytes);
        uint64_t next = (uint64_t)(end + 1 - data);

        scan->line += 1;
        if (start == at) {
            scan->record_line = scan->line;
        }
        scan_line(scan, parser, data + at, next - at);
        at = next;
        if (next - start > RECORD_MAX) {
            scan_error(scan, scan->record_line,
                       "the record has over 1048576 bytes");
        }
        if (!scan->ended) {
            replace_newline(scan, end);
            continue;
        }
        table->text.returns += *end == '\r';
        *end = '\n';
        if (table->header_bytes == 0 && scan->records > 0) {
            table->header_bytes = next;
        } else if (next - start > table->longest) {
            table->longest = (uint32_t)(next - start);
        }
        table->last_bytes = (uint32_t)(next - start);
        start = next;
    }
}

/* Checks a table. It must have at least `least` records, with the header
   row. */
static int scan_table(struct scan *scan, uint64_t least)
{
    const char *other = text_other_ends(&scan->table.text);
    struct csv_parser parser;

    scan->look->column.found = false;
    scan->look->sum.found = false;
    /* csv_init() fails only if the parser is NULL. */
    csv_init(&parser,
             CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL | CSV_APPEND_NULL);
    csv_set_delim(&parser, scan->table.separator);
    csv_set_space_func(&parser, no_space);
    scan_lines(scan, &parser);
    if (scan->status == 0 &&
        csv_fini(&parser, end_field, end_record, scan) != 0) {
        scan_error(scan, scan->record_line,
                   "a quote in the record that begins here is not closed");
    }
    csv_free(&parser);
    if (scan->status == 0 && scan->records < least) {
        return file_error(scan->path,
                          scan->records == 0
                              ? "has no header row"
                              : "has no record behind its header row%s%s",
                          other != NULL ? "; it is one line with " : "",
                          other != NULL ? other : "");
    }
    return scan->status;
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

static uint8_t unused_byte(const bool used[256])
{
    for (unsigned byte = 0; byte < 256; ++byte) {
        if (!used[byte]) {
            return (uint8_t)byte;
        }
    }
    return '\n';
}

/* Reads all tables, and finds a byte that can replace newlines in quotes in all
   of them. */
static int read_files(struct format_load *load, struct scan scan[],
                      uint32_t count)
{
    bool used[256] = {['\n'] = true, ['\r'] = true, ['"'] = true};
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
        scan[i].table.newline = unused_byte(used);
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
    uint64_t rows = 0;
    int status = 0;

    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        status = scan_table(&scan[i], count == 1 ? 2 : 1);
        status = status == 0 ? check_header(&scan[i], &scan[0]) : status;
        if (status == 0) {
            format_note_text(load, &scan[i].table.text, scan[i].path,
                             ", as is what is compared and returned of it",
                             NULL);
            rows += rows_of(&scan[i].table);
        }
    }
    return status == 0 && rows == 0
               ? file_error(scan[0].path,
                            "has no record behind its header row, as all "
                            "others")
               : status;
}

static void append_rows(struct records_table *to,
                        const struct records_table *from)
{
    uint64_t bytes = rows_of(from);

    to->text.data = memory_or_exit(
        realloc(to->text.data, (size_t)(to->text.bytes + bytes)));
    memcpy(to->text.data + to->text.bytes, from->text.data + from->header_bytes,
           (size_t)bytes);
    to->text.bytes += bytes;
    to->longest = from->longest > to->longest ? from->longest : to->longest;
    if (bytes > 0) {
        to->last_bytes = from->last_bytes;
        to->ended = from->ended;
    }
}

static void join_tables(struct format_load *load, struct scan scan[],
                        const char *const path[], uint32_t count)
{
    format_list_files(load, path, count);
    load->files[0].bytes = rows_of(&scan[0].table);
    for (uint32_t i = 1; i < count; ++i) {
        load->files[i].bytes = rows_of(&scan[i].table);
        load->files[i].at = rows_of(&scan[0].table);
        append_rows(&scan[0].table, &scan[i].table);
    }
}

static void free_scan(struct scan *scan)
{
    free(scan->table.text.data);
    for (uint32_t i = 0; i < scan->columns; ++i) {
        free(scan->names[i].text);
    }
    free(scan->names);
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
    if (status == 0 && count > 1) {
        join_tables(load, scan, path, count);
    }
    if (status == 0) {
        *table = scan[0].table;
        scan[0].table.text.data = NULL;
    }
    for (uint32_t i = 0; i < count; ++i) {
        free_scan(&scan[i]);
    }
    free(scan);
    return status;
}
