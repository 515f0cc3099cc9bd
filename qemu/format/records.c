/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables for kernel records: CSV as in RFC 4180, checked by libcsv record by
 * record, so that the kernel needs no case for what is malformed. The load is
 * the table without its header row. A carriage return alone that ends a record
 * becomes a newline. Newlines inside quotes are replaced by a byte that the
 * table does not contain, so that on the mesh a newline always ends a record,
 * and put back in the output.
 */
#include "qemu/format/format.h"

#include "kernels/kernel.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"

#include <csv.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIGITS_MAX 18u
#define TEXT_MAX 255u
#define RECORD_MAX (1u << 20)
#define COLUMNS_MAX 65535u
#define ARG_BYTES 36u
#define REASON_BYTES 600
#define SHOWN_BYTES 176 /* of 40 bytes of a field, each as \xNN */

/* Of the kernel's argument. */
#define FLAG_NUMBER 1u
#define FLAG_SUM 2u
#define FLAG_SUM_FIRST 4u
#define FLAG_ROWS 8u
#define BEGINS 8u

static const struct {
    const char *name;
    uint32_t accepted; /* as the kernel counts: less 1, equal 2, greater 4 */
} operators[] = {{"lt", 1}, {"le", 3}, {"eq", 2},     {"ne", 5},
                 {"ge", 6}, {"gt", 4}, {"begins", 8}, {"contains", 16}};

/* A column that is needed, and what its numbers need. */
struct column {
    const char *name; /* NULL: there is none */
    bool number;
    bool found;
    uint32_t index;
    uint32_t whole;    /* digits before the point, */
    uint32_t decimals; /* and behind it, at most */
};

/* --arg, taken apart; the strings are its own. */
struct request {
    char *text;
    /* The cells of `column` where it compares text: some are numbers, and some
       are neither that nor empty. */
    bool seen_number;
    bool seen_text;
    bool seen_value; /* one of them is VALUE */
    const char *op;
    const char *value;
    const char *separator;
    const char *type;
    const char *rows;
    struct column column;
    struct column sum;
    uint32_t accepted;
};

/* The parts of the table that the load does not have, kept for write(). */
struct kept {
    bool mark;       /* of UTF-8, before the header */
    bool is_csv;     /* as its name says */
    uint8_t newline; /* what stands for one; a newline if nothing does */
    /* Bytes of the last record if its newline is not the file's, else 0. */
    uint32_t last_bytes;
    uint32_t header_bytes;
    uint8_t header[];
};

/* The names of the columns: of each its bytes' number, u32, and these. */
struct header {
    uint8_t *names; /* malloc'd */
    size_t bytes;
};

/* One pass over the table. */
struct scan {
    const char *path;
    struct request *request;
    int status;
    uint64_t line;        /* at hand, from 1 */
    uint64_t record_line; /* where the record at hand begins */
    uint64_t records;     /* ended, the header row included */
    uint32_t fields;      /* of the record at hand, so far */
    uint32_t columns;
    bool ended;   /* a record by this line's end, or the line is empty */
    bool comment; /* the record at hand begins with # */
    bool single;  /* and a field of it with a single quote */
    char divider; /* in its only field, of those that divide other tables; 0 */
    struct header *header; /* gets the header row's names */
};

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

/* A field as a message can show it, at most its first 40 bytes. */
static const char *shown(char out[SHOWN_BYTES], const char *text, size_t bytes)
{
    size_t kept = bytes < 40 ? bytes : 40;
    size_t used = 0;
    size_t at = 0;

    while (kept < bytes && kept > 0 && ((unsigned char)text[kept] >> 6) == 2) {
        kept -= 1; /* no character is cut in two */
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

/* ---- the argument ---- */

/* Ends the first of several parts at its comma; the next one, or NULL. A
   backslash takes the meaning off what follows it. */
static char *cut(char *text)
{
    char *to = text;

    while (*text != '\0' && *text != ',') {
        text += text[0] == '\\' && text[1] != '\0';
        *to++ = *text++;
    }
    if (*text == '\0') {
        *to = '\0';
        return NULL;
    }
    *to = '\0';
    return text + 1;
}

static int set_key(struct request *request, const char *key, const char *value)
{
    const struct {
        const char *key;
        const char **value;
    } keys[] = {{"name", &request->column.name}, {"op", &request->op},
                {"value", &request->value},      {"sum", &request->sum.name},
                {"sep", &request->separator},    {"type", &request->type},
                {"rows", &request->rows}};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        if (strcmp(keys[i].key, key) == 0) {
            if (*keys[i].value != NULL) {
                return format_key_error(key, value, "is given twice");
            }
            *keys[i].value = value;
            return 0;
        }
    }
    return format_key_error("key", key,
                            "must be name, op, value, sum, sep, type or rows");
}

static int split(struct request *request)
{
    char *part = request->text;
    int status = 0;

    while (part != NULL && status == 0) {
        char *next = cut(part);
        char *equals = strchr(part, '=');

        if (equals == NULL) {
            return format_key_error("part", part, "must be KEY=VALUE");
        }
        *equals = '\0';
        status = set_key(request, part, equals + 1);
        part = next;
    }
    return status;
}

/* Cuts blanks off both ends. */
static const char *trimmed(const char *text, size_t *bytes)
{
    while (*bytes > 0 && (text[0] == ' ' || text[0] == '\t')) {
        text += 1;
        *bytes -= 1;
    }
    while (*bytes > 0 &&
           (text[*bytes - 1] == ' ' || text[*bytes - 1] == '\t')) {
        *bytes -= 1;
    }
    return text;
}

/* Whether blanks, signs or digits may only look like those of ASCII: text that
   has letters is a word. */
static bool is_not_ascii(const char *text, size_t bytes)
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

/* "-12.50": the digits before and behind the point; false if it is none. */
static bool number_shape(const char *text, size_t bytes, uint32_t *whole,
                         uint32_t *decimals)
{
    size_t at = bytes > 0 && (text[0] == '-' || text[0] == '+');
    size_t zeros;
    size_t point;
    size_t start = at;

    while (at < bytes && text[at] == '0') {
        at += 1;
    }
    zeros = at;
    while (at < bytes && isdigit((unsigned char)text[at])) {
        at += 1;
    }
    *whole = (uint32_t)(at - zeros);
    *decimals = 0;
    if (at < bytes && text[at] == '.') {
        point = ++at;
        while (at < bytes && isdigit((unsigned char)text[at])) {
            at += 1;
        }
        *decimals = (uint32_t)(at - point);
        start += 1;
    }
    return at == bytes && at > start;
}

/* Whether op is eq or ne: any VALUE has an answer to that. */
static bool compares_equal(const struct request *request)
{
    return request->accepted == 2 || request->accepted == 5;
}

static int check_type(struct request *request)
{
    size_t bytes = strlen(request->value);
    const char *value = trimmed(request->value, &bytes);
    uint32_t whole;
    uint32_t decimals;
    bool number = number_shape(value, bytes, &whole, &decimals);

    if (request->type != NULL && strcmp(request->type, "text") != 0 &&
        strcmp(request->type, "number") != 0) {
        return format_key_error("type", request->type,
                                "must be text or number");
    }
    if (request->type != NULL && strcmp(request->type, "number") == 0 &&
        (!number || request->accepted >= BEGINS)) {
        return format_key_error(
            "value", request->value,
            "must be a decimal number, and op a comparison, "
            "with type=number");
    }
    if (!number && request->type == NULL && request->accepted < BEGINS &&
        !compares_equal(request)) {
        return format_key_error(
            "value", request->value,
            is_not_ascii(value, bytes)
                ? "is no decimal number: it has characters that are not "
                  "ASCII; type=text compares text"
                : "is no decimal number; type=text compares text");
    }
    request->column.number =
        number && request->accepted < BEGINS &&
        (request->type == NULL || strcmp(request->type, "number") == 0);
    if (request->column.number) {
        request->value = value; /* blanks behind it count nowhere */
    }
    if (request->column.number && whole + decimals > DIGITS_MAX) {
        return format_key_error("value", request->value,
                                "must have at most 18 digits");
    }
    request->column.whole = whole;
    request->column.decimals = decimals;
    return 0;
}

static int check_value(struct request *request)
{
    if (!request->column.number && strlen(request->value) > TEXT_MAX) {
        return format_key_error("value", request->value,
                                "must have at most 255 bytes");
    }
    if (request->accepted >= BEGINS && request->value[0] == '\0') {
        return format_key_error("value", "", "must not be empty with this op");
    }
    if (request->rows != NULL && strcmp(request->rows, "yes") != 0 &&
        strcmp(request->rows, "no") != 0) {
        return format_key_error("rows", request->rows, "must be yes or no");
    }
    return 0;
}

static int check_request(struct request *request)
{
    if (request->column.name == NULL || request->op == NULL ||
        request->value == NULL) {
        fputs("quincunx: --arg: name, op and value are required: "
              "name=price,op=lt,value=100\n",
              stderr);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; ++i) {
        if (strcmp(operators[i].name, request->op) == 0) {
            request->accepted = operators[i].accepted;
        }
    }
    if (request->accepted == 0) {
        return format_key_error(
            "op", request->op,
            "must be lt, le, eq, ne, ge, gt, contains or begins");
    }
    return 0;
}

/* Whether a table's name says that tabs are between its fields: x.tsv, also
   compressed, as x.tsv.gz. */
static bool says_tabs(const char *path)
{
    static const char *const packed[] = {".gz",  ".bz2", ".xz", ".zst",
                                         ".lz4", ".lz",  ".z",  ".zip"};
    const char *dot = strrchr(path, '.');
    size_t bytes = strlen(path);

    for (size_t i = 0; dot != NULL && i < sizeof packed / sizeof *packed; ++i) {
        if (strcasecmp(dot, packed[i]) == 0) {
            bytes = (size_t)(dot - path);
        }
    }
    return bytes > 4 && (strncasecmp(path + bytes - 4, ".tsv", 4) == 0 ||
                         strncasecmp(path + bytes - 4, ".tab", 4) == 0);
}

/* The byte between fields; 0 if there is none of that name. `hint`: as the
   table's first line says, or 0. */
static uint8_t separator_of(const struct request *request, const char *path,
                            uint8_t hint)
{
    const char *name = request->separator;

    if (name == NULL && hint != 0) {
        return hint;
    }
    if (name == NULL) {
        return says_tabs(path) ? '\t' : ',';
    }
    if (strcmp(name, "tab") == 0) {
        return '\t';
    }
    return strlen(name) == 1 && strchr("\"\r\n", name[0]) == NULL
               ? (uint8_t)name[0]
               : 0;
}

static int read_request(struct request *request, const uint8_t *arg,
                        uint32_t arg_bytes)
{
    int status;

    request->text = memory_or_exit(strdup((const char *)arg));
    if (strlen(request->text) != arg_bytes) {
        return format_key_error("value", request->text, "contains a 0 byte");
    }
    status = split(request);
    status = status == 0 ? check_request(request) : status;
    status = status == 0 ? check_type(request) : status;
    status = status == 0 ? check_value(request) : status;
    request->sum.number = true;
    if (status == 0 && request->sum.name == NULL && request->column.number) {
        request->sum.name = request->column.name;
    }
    return status;
}

/* ---- the table ---- */

/* How --arg has the character that would divide a record, as a cause. */
static const char *would_divide(char divider)
{
    return divider == ';'    ? "; sep=; would divide it"
           : divider == '|'  ? "; sep=| would divide it"
           : divider == '\t' ? "; sep=tab would divide it"
           : divider == ','  ? "; sep=\\, would divide it"
                             : "";
}

/* What may be the cause where a record has the wrong fields; or "". */
static const char *cause_of(const struct scan *scan)
{
    if (scan->comment) {
        return "; it begins with #, but a table has no lines of comment";
    }
    if (scan->records == 0 && scan->fields == 1 && scan->divider != '\0') {
        return would_divide(scan->divider);
    }
    return scan->single ? "; ' does not enclose a field, only \" does" : "";
}

/* The same of a field that is no number. */
static const char *cause_of_field(const struct scan *scan,
                                  const struct column *column, const char *text,
                                  size_t bytes)
{
    uint32_t whole;
    uint32_t decimals;
    size_t inner = bytes;
    const char *trim = trimmed(text, &inner);

    if (is_not_ascii(text, bytes)) {
        return "; it has characters that are not ASCII";
    }
    if (inner < bytes && number_shape(trim, inner, &whole, &decimals)) {
        return "; it has blanks around it";
    }
    if (strlen(column->name) == bytes &&
        memcmp(column->name, text, bytes) == 0) {
        return "; the header row is there again";
    }
    return cause_of(scan);
}

static void match_name(struct scan *scan, struct column *column,
                       const char *name, size_t bytes)
{
    if (column->name == NULL || strlen(column->name) != bytes ||
        memcmp(column->name, name, bytes) != 0) {
        return;
    }
    if (column->found) {
        scan_error(scan, scan->record_line, "column '%.60s' is there twice",
                   quote_shown(column->name));
    }
    column->found = true;
    column->index = scan->fields;
}

static void check_number(struct scan *scan, struct column *column,
                         const char *text, size_t bytes)
{
    uint32_t whole = 0;
    uint32_t decimals = 0;
    char show[SHOWN_BYTES];

    if (column->name == NULL || scan->fields != column->index) {
        return;
    }
    if (!column->number) {
        bool number = number_shape(text, bytes, &whole, &decimals);

        scan->request->seen_number = scan->request->seen_number || number;
        scan->request->seen_text =
            scan->request->seen_text || (!number && bytes > 0);
        scan->request->seen_value =
            scan->request->seen_value ||
            (strlen(scan->request->value) == bytes &&
             memcmp(scan->request->value, text, bytes) == 0);
        return;
    }
    if (!number_shape(text, bytes, &whole, &decimals)) {
        scan_error(scan, scan->record_line,
                   "column '%.60s': '%s' is no decimal number%s%s",
                   quote_shown(column->name), shown(show, text, bytes),
                   column == &scan->request->column
                       ? "; type=text compares it as text"
                       : "",
                   cause_of_field(scan, column, text, bytes));
        return;
    }
    column->whole = whole > column->whole ? whole : column->whole;
    column->decimals =
        decimals > column->decimals ? decimals : column->decimals;
    if (column->whole + column->decimals > DIGITS_MAX) {
        scan_error(scan, scan->record_line,
                   "column '%.60s': '%s' and what was before it need %u digits "
                   "before the point and %u behind it; together at most %u",
                   quote_shown(column->name), shown(show, text, bytes),
                   column->whole, column->decimals, DIGITS_MAX);
    }
}

static void keep_name(struct header *header, const char *name, size_t bytes)
{
    header->names =
        memory_or_exit(realloc(header->names, header->bytes + 4 + bytes));
    kernel_store_u32(header->names + header->bytes, (uint32_t)bytes);
    memcpy(header->names + header->bytes + 4, name, bytes);
    header->bytes += 4 + bytes;
}

/* What would divide the text in another kind of table; 0: nothing. */
static char divider_in(const char *text, size_t bytes)
{
    static const char dividers[] = ";\t|,";

    for (const char *at = dividers; *at != '\0'; ++at) {
        if (memchr(text, *at, bytes) != NULL) {
            return *at;
        }
    }
    return '\0';
}

static void end_field(void *text, size_t bytes, void *context)
{
    struct scan *scan = (struct scan *)context;
    const char *field = text != NULL ? (const char *)text : "";

    if (scan->fields == 0) {
        scan->comment = bytes > 0 && field[0] == '#';
        scan->single = false;
        scan->divider = divider_in(field, bytes);
    }
    scan->single = scan->single || (bytes > 0 && field[0] == '\'');
    if (scan->records == 0) {
        keep_name(scan->header, field, bytes);
        match_name(scan, &scan->request->column, field, bytes);
        match_name(scan, &scan->request->sum, field, bytes);
    } else {
        check_number(scan, &scan->request->column, field, bytes);
        check_number(scan, &scan->request->sum, field, bytes);
    }
    scan->fields += 1;
}

/* The first names of a header row, which show what is odd about it. */
static void list_names(char *out, size_t room, const struct header *header)
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t at = 0; at < header->bytes && used < room;) {
        char show[SHOWN_BYTES];
        uint32_t bytes = kernel_load_u32(header->names + at);

        shown(show, (const char *)header->names + at + 4, bytes);
        if (used + strlen(show) + 10 > room) {
            snprintf(out + used, room - used, ", ...");
            return;
        }
        used += (size_t)snprintf(out + used, room - used, "%s'%s'",
                                 used > 0 ? ", " : "", show);
        at += 4 + bytes;
    }
}

static void check_found(struct scan *scan, const struct column *column)
{
    char names[200];

    if (column->name != NULL && !column->found) {
        list_names(names, sizeof names, scan->header);
        scan_error(scan, scan->record_line,
                   "the header row has no column '%.60s' (of %u: %s)%s",
                   quote_shown(column->name), scan->fields, names,
                   cause_of(scan));
    }
}

/* `end` is the byte that ends the record, or -1 at the end of the file. */
static void end_record(int end, void *context)
{
    struct scan *scan = (struct scan *)context;

    scan->ended = end >= 0;
    if (scan->fields == 0) {
        return;
    }
    if (scan->records == 0) {
        scan->columns = scan->fields;
        check_found(scan, &scan->request->column);
        check_found(scan, &scan->request->sum);
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

/* `byte`: the first that cannot be there. */
static void malformed(struct scan *scan, char byte)
{
    scan_error(scan, scan->line,
               "a quote in a field that does not begin with one, or text "
               "behind the closing quote (the record begins on line %" PRIu64
               ")%s",
               scan->record_line, would_divide(byte));
}

/* A byte that no table contains, or a newline if they have all. */
static uint8_t unused_byte(const bool used[256])
{
    for (unsigned byte = 0; byte < 256; ++byte) {
        if (!used[byte]) {
            return (uint8_t)byte;
        }
    }
    return '\n';
}

struct table {
    struct text text; /* data and bytes, as changed since */
    struct header header;
    uint64_t hint_bytes;   /* of a first line such as sep=; */
    uint8_t hint;          /* the separator that it names, or 0 */
    uint64_t header_bytes; /* of the first line and the header row */
    uint32_t longest;
    uint32_t last_bytes;
    uint8_t separator;
    uint8_t newline;
    bool ended; /* its last newline is not the file's */
};

/* The last byte of the line: its newline, or a carriage return that no newline
   follows. There is a newline behind all lines. */
static uint8_t *line_end(uint8_t *at, const uint8_t *all)
{
    uint8_t *newline = memchr(at, '\n', (size_t)(all - at));
    uint8_t *end = memchr(at, '\r', (size_t)(newline - at));

    return end == NULL || end + 1 == newline ? newline : end;
}

/* One line, with what ends it. */
static void scan_line(struct scan *scan, struct csv_parser *parser,
                      const uint8_t *at, uint64_t bytes)
{
    size_t done;

    scan->ended = false;
    done = csv_parse(parser, at, bytes, end_field, end_record, scan);
    if (done != bytes) {
        if (csv_error(parser) == CSV_EPARSE) {
            malformed(scan, (char)at[done]);
        } else {
            scan_error(scan, scan->line, "%s", csv_strerror(csv_error(parser)));
        }
    }
}

/* A line that ends inside of quotes: another byte stands for its newline. */
static void replace_newline(struct scan *scan, struct table *table,
                            uint8_t *end)
{
    if (*end == '\n') {
        *end = table->newline;
        if (table->newline == '\n') {
            scan_error(scan, scan->line,
                       "a newline in quotes, and no byte that is not in the "
                       "file to stand for it");
        }
    }
}

/* Goes over the whole table, line by line. */
static void scan_table(struct scan *scan, struct csv_parser *parser,
                       struct table *table)
{
    uint8_t *data = table->text.data;
    uint64_t start = table->hint_bytes; /* of the record */

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
            replace_newline(scan, table, end);
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

/* `least`: records, the header row included, that the table must have. */
static int check_table(struct scan *scan, struct table *table, uint64_t least)
{
    const char *other = text_other_ends(&table->text);
    struct csv_parser parser;

    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL) != 0) {
        return file_error(scan->path, "memory ran out");
    }
    csv_set_delim(&parser, table->separator);
    csv_set_space_func(&parser, no_space);
    scan_table(scan, &parser, table);
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

/* ---- what the kernel gets ---- */

/* A number of this shape, times 10^decimals. */
static int64_t scaled(const char *text, uint32_t decimals)
{
    int64_t value = 0;
    bool fraction = false;

    for (const char *at = text; *at != '\0'; ++at) {
        if (*at == '.') {
            fraction = true;
        } else if (isdigit((unsigned char)*at)) {
            value = value * 10 + (*at - '0');
            decimals -= fraction;
        }
    }
    for (; decimals > 0; --decimals) {
        value *= 10;
    }
    return text[0] == '-' ? -value : value;
}

static uint32_t flags_of(const struct request *request, bool rows)
{
    return (request->column.number ? FLAG_NUMBER : 0) |
           (request->sum.name != NULL ? FLAG_SUM : 0) |
           (request->sum.index < request->column.index ? FLAG_SUM_FIRST : 0) |
           (rows ? FLAG_ROWS : 0);
}

static void fill_arg(struct format_load *load, const struct request *request,
                     const struct table *table, bool rows)
{
    uint32_t a = request->column.index;
    uint32_t b = request->sum.index;
    uint32_t text_bytes =
        request->column.number ? 8 : (uint32_t)strlen(request->value);
    uint8_t *arg = memory_or_exit(malloc(ARG_BYTES + text_bytes + 1u));

    kernel_store_u32(arg, table->separator);
    kernel_store_u32(arg + 4, table->newline);
    kernel_store_u32(arg + 8, request->accepted);
    kernel_store_u32(arg + 12, flags_of(request, rows));
    kernel_store_u32(arg + 16, a < b ? a : b);
    kernel_store_u32(arg + 20, a < b ? b - a : a - b);
    kernel_store_u32(arg + 24, request->column.decimals);
    kernel_store_u32(arg + 28, request->sum.decimals);
    kernel_store_u32(arg + 32, table->longest);
    if (request->column.number) {
        kernel_store_u64(
            arg + ARG_BYTES,
            (uint64_t)scaled(request->value, request->column.decimals));
    } else {
        memcpy(arg + ARG_BYTES, request->value, text_bytes);
    }
    load->arg = arg;
    load->arg_bytes = ARG_BYTES + text_bytes;
}

/* Keeps the header row for write(); what is left of the table is the load. */
static void fill_load(struct format_load *load, struct table *table,
                      const char *path)
{
    uint64_t bytes = table->header_bytes;
    const char *dot = strrchr(path, '.');
    struct kept *kept = memory_or_exit(malloc(sizeof *kept + (size_t)bytes));

    kept->mark = table->text.encoding != NULL && !table->text.converted;
    kept->is_csv = dot != NULL && strcasecmp(dot, ".csv") == 0;
    kept->newline = table->newline;
    kept->last_bytes = table->ended ? table->last_bytes : 0;
    kept->header_bytes = (uint32_t)bytes;
    memcpy(kept->header, table->text.data, (size_t)bytes);
    memmove(table->text.data, table->text.data + bytes,
            (size_t)(table->text.bytes - bytes));
    load->context = kept;
    load->data = table->text.data;
    load->units = table->text.bytes - bytes;
    load->unit_bytes = 1;
    table->text.data = NULL;
}

/* Decimals that both columns share where they are one. */
static void settle(struct request *request)
{
    if (request->sum.name == NULL) {
        request->sum.index = request->column.index;
    }
    if (request->sum.index == request->column.index && request->column.number) {
        request->sum.decimals = request->column.decimals;
    }
}

/* Finds a first line that names the separator, sep=;, as spreadsheets have it,
   which may be quoted. */
static void find_hint(struct table *table)
{
    const char *line = (const char *)table->text.data;
    size_t bytes = table->text.bytes < 10 ? (size_t)table->text.bytes : 10;
    size_t quotes = bytes > 0 && line[0] == '"';
    size_t at = quotes + strlen("sep=?");

    if (bytes <= at + quotes || strncasecmp(line + quotes, "sep=", 4) != 0 ||
        (quotes > 0 && line[at++] != '"')) {
        return;
    }
    table->hint = (uint8_t)line[quotes + 4];
    at += line[at] == '\r';
    if (at < bytes && line[at] == '\n') {
        at += 1;
    } else if (line[at - 1] == '\r') {
        table->text.data[at - 1] = '\n';
    } else {
        table->hint = 0;
    }
    table->hint_bytes = table->hint != 0 ? at : 0;
}

/* Reads a file; its last record gets the newline that it may lack. */
static int read_file(struct format_load *load, struct table *table,
                     const char *path)
{
    struct text *text = &table->text;
    int status = format_read_text(load, text, path);

    status = status == 0 ? text_check_narrow(text, path) : status;
    if (status == 0 && !load->as_is) {
        text_drop_marks(text);
    }
    if (status == 0 && text->bytes > 0 && text->data[text->bytes - 1] == '\r') {
        text->data[text->bytes - 1] = '\n';
        text->returns += 1;
    }
    /* There is room for one byte. */
    if (status == 0 && text->bytes > 0 && text->data[text->bytes - 1] != '\n') {
        text->data[text->bytes++] = '\n';
        table->ended = true;
    }
    if (status == 0) {
        find_hint(table);
    }
    return status;
}

/* Refuses a table whose columns are others than the first one's. */
static int check_header(const struct header *header, const struct header *first,
                        const char *path)
{
    size_t at = 0;

    for (unsigned column = 1; at < header->bytes && at < first->bytes;
         ++column) {
        uint32_t bytes = kernel_load_u32(header->names + at);
        uint32_t other = kernel_load_u32(first->names + at);

        if (bytes != other ||
            memcmp(header->names + at + 4, first->names + at + 4, bytes) != 0) {
            char show[2][SHOWN_BYTES];

            return file_error(
                path,
                "its header row is not that of the first table: "
                "column %u is '%s', and '%s' there",
                column, shown(show[0], (char *)header->names + at + 4, bytes),
                shown(show[1], (char *)first->names + at + 4, other));
        }
        at += 4 + bytes;
    }
    return header->bytes == first->bytes
               ? 0
               : file_error(path,
                            "its header row is not that of the first "
                            "table: it has %s columns",
                            header->bytes < first->bytes ? "fewer" : "more");
}

/* Checks the rows of a further table of `tables`, which must have the first
   one's columns. */
static int check_next(struct request *request, const char *path,
                      struct table *table, const struct table *first,
                      uint64_t least)
{
    struct scan scan = {
        .path = path, .request = request, .header = &table->header};
    int status;

    request->column.found = false;
    request->sum.found = false;
    status = check_table(&scan, table, least);
    return status == 0 ? check_header(&table->header, &first->header, path)
                       : status;
}

/* What is to be said of how a table was read. */
static void note_table(struct format_load *load, const struct text *text,
                       const char *path)
{
    if (text->converted) {
        format_note(
            load,
            "%s: converted from %s to UTF-8, as is what is compared and "
            "returned of it.",
            file_name(path), text->encoding);
    }
    format_note_text(load, text, path);
}

/* Says that numbers were compared as text, which was not asked for: all of the
   column are, or VALUE, which has a digit, is not there as it is. */
static void note_comparison(struct format_load *load,
                            const struct request *request)
{
    size_t bytes = strlen(request->value);

    (void)trimmed(request->value, &bytes);
    if (!request->column.number && request->type == NULL &&
        compares_equal(request) && bytes > 0 && request->seen_number &&
        !request->seen_value &&
        (!request->seen_text ||
         strpbrk(request->value, "0123456789") != NULL)) {
        format_note(load,
                    "--arg: column '%.60s' has numbers, and value '%.60s' is "
                    "no decimal number: they were compared as text.",
                    quote_shown(request->column.name),
                    quote_shown(request->value));
    }
}

/* Bytes of all records behind the header row. */
static uint64_t rows_of(const struct table *table)
{
    return table->text.bytes - table->header_bytes;
}

/* Appends the rows of a table to those of the first. */
static void append_rows(struct table *to, const struct table *from)
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

/* Checks all tables, and makes one of them, the first; the others stay. */
static int join_tables(struct format_load *load, struct request *request,
                       struct table table[], const char *const path[],
                       uint32_t count)
{
    uint64_t rows = 0;
    int status = 0;

    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        status = check_next(request, path[i], &table[i], &table[0],
                            count == 1 ? 2 : 1);
        rows += rows_of(&table[i]);
        if (status == 0) {
            note_table(load, &table[i].text, path[i]);
        }
    }
    if (status == 0 && rows == 0) {
        status = file_error(path[0], "has no record behind its header row, as "
                                     "all others");
    }
    if (status == 0 && count > 1) {
        format_list_files(load, path, count);
    }
    for (uint32_t i = 0; status == 0 && i < load->file_count; ++i) {
        load->files[i].bytes = rows_of(&table[i]);
        load->files[i].at = rows_of(&table[0]);
        if (i > 0) {
            append_rows(&table[0], &table[i]);
        }
    }
    if (load->file_count > 0) {
        load->files[0].at = 0;
    }
    return status;
}

/* Reads the files; finds the byte that stands for newlines in all of them. */
static int read_files(struct format_load *load, struct request *request,
                      struct table table[], const char *const path[],
                      uint32_t count)
{
    bool used[256] = {['\n'] = true, ['\r'] = true, ['"'] = true};
    int status = 0;

    if (separator_of(request, path[0], 0) == 0) {
        return format_key_error("sep", request->separator,
                                "must be a character or tab");
    }
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        status = read_file(load, &table[i], path[i]);
        table[i].separator = separator_of(request, path[i], table[i].hint);
        if (status == 0 && table[i].separator != table[0].separator) {
            status = file_error(path[i],
                                "has another separator, by its %s, than the "
                                "first table",
                                table[i].hint != 0 ? "first line" : "name");
        }
        for (uint64_t at = 0; status == 0 && at < table[i].text.bytes; ++at) {
            used[table[i].text.data[at]] = true;
        }
    }
    used[table[0].separator] = true;
    for (uint32_t i = 0; i < count; ++i) {
        table[i].newline = unused_byte(used);
    }
    return status;
}

static int read_tables(struct format_load *load, struct request *request,
                       const char *const path[], uint32_t count, bool rows)
{
    struct table *table = memory_or_exit(calloc(count, sizeof *table));
    int status = read_files(load, request, table, path, count);

    if (status == 0) {
        status = join_tables(load, request, table, path, count);
    }
    if (status == 0) {
        settle(request);
        fill_arg(load, request, &table[0], rows);
        fill_load(load, &table[0], path[0]);
        note_comparison(load, request);
    }
    for (uint32_t i = 0; i < count; ++i) {
        free(table[i].text.data);
        free(table[i].header.names);
    }
    free(table);
    return status;
}

static int read_several(struct format_load *load, const char *const path[],
                        uint32_t count, const uint8_t *arg, uint32_t arg_bytes)
{
    struct request request = {.text = NULL};
    int status = read_request(&request, arg, arg_bytes);

    if (status == 0) {
        bool rows = request.rows != NULL ? strcmp(request.rows, "yes") == 0
                                         : load->wants_output;

        status = read_tables(load, &request, path, count, rows);
    }
    free(request.text);
    return status;
}

static int read_records(struct format_load *load, const char *path,
                        const uint8_t *arg, uint32_t arg_bytes)
{
    return read_several(load, &path, 1, arg, arg_bytes);
}

static void restore(uint8_t *to, const uint8_t *from, uint64_t bytes,
                    uint8_t newline)
{
    for (uint64_t i = 0; i < bytes; ++i) {
        to[i] = from[i] == newline ? '\n' : from[i];
    }
}

/*
 * Whether the file's last row is among those returned. It is if the last one
 * returned looks like it: what they are judged by is the same.
 */
static bool ends_with_last(const struct format_load *load,
                           const uint8_t *output, uint64_t bytes)
{
    const struct kept *kept = (const struct kept *)load->context;
    uint64_t last = kept->last_bytes;

    return last > 0 && bytes >= last &&
           memcmp(output + bytes - last, load->data + load->units - last,
                  (size_t)last) == 0 &&
           (bytes == last || output[bytes - last - 1] == '\n');
}

/* The rows keep their separator: a name that says another one is refused. */
static int check_records(const struct format_load *load, const char *path)
{
    static const struct {
        const char *suffix;
        uint32_t separator;
        const char *has_none;
    } kinds[] = {
        {".tsv", '\t', "tabs"}, {".tab", '\t', "tabs"}, {".psv", '|', "|"}};
    const struct kept *kept = (const struct kept *)load->context;
    const char *dot = strrchr(path, '.');
    uint32_t separator = kernel_load_u32(load->arg);

    if (dot != NULL && separator == '\t' && !kept->is_csv &&
        strcasecmp(dot, ".csv") == 0) {
        return file_error(path, "the rows have tabs, as INPUT; the name must "
                                "end in .tsv or .txt");
    }
    for (size_t i = 0; dot != NULL && i < sizeof kinds / sizeof *kinds; ++i) {
        if (strcasecmp(dot, kinds[i].suffix) == 0 &&
            separator != kinds[i].separator) {
            return file_error(path,
                              "the rows have no %s, as INPUT; the name must "
                              "end in .csv or .txt",
                              kinds[i].has_none);
        }
    }
    return 0;
}

/* The header row and the rows as they were in the file. */
static int write_records(FILE *out, const struct format_load *load,
                         const char *path, const uint8_t *output,
                         uint64_t bytes)
{
    const struct kept *kept = (const struct kept *)load->context;
    uint64_t all = kept->header_bytes + bytes;
    uint8_t *text = memory_or_exit(malloc((size_t)all + 1));

    (void)path;
    fputs(kept->mark ? "\xef\xbb\xbf" : "", out);
    restore(text, kept->header, kept->header_bytes, kept->newline);
    restore(text + kept->header_bytes, output, bytes, kept->newline);
    all -= ends_with_last(load, output, bytes);
    fwrite(text, 1, (size_t)all, out);
    free(text);
    return 0;
}

const struct format format_records = {
    .kernel = "records",
    .example = "name=city,op=eq,value=Basel",
    .done = "looked through",
    .thing = "row",
    .things = "rows",
    .argument =
        "name=COLUMN,op=lt|le|eq|ne|ge|gt|contains|begins,value=VALUE and "
        "optionally sum=COLUMN, type=text|number, sep=C|tab, rows=yes|no; "
        "a backslash before a comma that belongs to a name or value",
    .input = "CSV or TSV (RFC 4180) with a header row; several with the same",
    .output = "the rows, with the header row",
    .suffixes = "csv tsv tab psv txt",
    .read = read_records,
    .check = check_records,
    .read_several = read_several,
    .write = write_records};
