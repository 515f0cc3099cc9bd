/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the conditions of kernel records, writes its output, and reports its
 * sums.
 */
#include "qemu/format/format.h"

#include "kernels/kernel.h"
#include "qemu/format/records_load.h"
#include "qemu/format/records_table.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"
#include "qemu/base/utf8.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEXT_MAX 255u
#define NOT_GIVEN 1u /* value of a character that --arg does not name */

static const struct {
    const char *name;
    /* as in the kernel: 16 contains, 8 begins; else the sum of 1 less, 2 equal,
       4 greater */
    uint8_t accepted;
} operators[] = {{"lt", 1}, {"le", 3}, {"eq", 2},        {"ne", 5},
                 {"ge", 6}, {"gt", 4}, {"contains", 16}, {"begins", 8}};

#define OPERATORS (sizeof operators / sizeof *operators)
#define EQUAL 2u
#define NOT_EQUAL 5u
#define BEGINS 8u /* this and more compares text alone */

enum type {
    TYPE_TEXT,
    TYPE_NUMBER,
    TYPE_OPEN /* no type= is given: VALUE decides */
};

/* The values of --arg; the load owns the strings. */
struct request {
    /* of the condition that is parsed */
    const char *name;
    const char *value;
    uint8_t op;   /* index in `operators`; OPERATORS: none */
    uint8_t type; /* enum type */

    const char *sum;
    const char *by;
    uint8_t decimal;   /* 0 point, 1 comma; 2 not given */
    uint8_t thousands; /* or NOT_GIVEN */
    bool rows;         /* return rows */
    struct records_look look;
};

/* ---- the argument ---- */

static const char *operator_name(size_t index)
{
    return index < OPERATORS ? operators[index].name : NULL;
}

/* Sets a character that is none of `others`, or the one that `word` means. */
static int set_character(uint8_t *field, const char *option, const char *text,
                         const char *word, char meant, const char *others)
{
    bool is_word = strcmp(text, word) == 0;
    bool good = is_word || (strlen(text) == 1 && strchr(others, *text) == NULL);
    char allowed[40];

    *field = (uint8_t)(is_word ? meant : *text);
    snprintf(allowed, sizeof allowed, "must be a character or %s", word);
    return parse_report(option, text, good ? NULL : allowed);
}

static int set_separator(void *field, const char *option, const char *text)
{
    return set_character(field, option, text, "tab", '\t', "\"\r\n");
}

static int set_mark(void *field, const char *option, const char *text)
{
    return set_character(field, option, text, "none", '\0', "\1\r\n");
}

#define FIELD(name) OPTION_AT(struct request, name)

static const struct option_row rows[] = {
    {"name", "COLUMN", 0, OPTION_TEXT, FIELD(name), .least = 0},
    {"op", "OP", 0, OPTION_CHOICE, FIELD(op), .choice = operator_name},
    {"value", "VALUE", 0, OPTION_TEXT, FIELD(value), .least = 0},
    {"type", "TYPE", 0, OPTION_CHOICE, FIELD(type), .choices = "text number"},
    {"sum", "COLUMN", 0, OPTION_TEXT, FIELD(sum), .least = 0},
    {"by", "COLUMN", 0, OPTION_TEXT, FIELD(by), .least = 0},
    {"rows", "YES", 0, OPTION_CHOICE, FIELD(rows), .choices = "no yes"},
    {"missing", "HOW", 0, OPTION_CHOICE, FIELD(look.missing_fails),
     .choices = "skip fail"},
    {"sep", "C", 0, OPTION_SET, FIELD(look.dialect.separator),
     .set = set_separator},
    {"header", "YES", 0, OPTION_CHOICE, FIELD(look.header),
     .choices = "no yes"},
    {"decimal", "C", 0, OPTION_CHOICE, FIELD(decimal), .choices = ". ,"},
    {"thousands", "C", 0, OPTION_SET, FIELD(thousands), .set = set_mark},
    {"quote", "C", 0, OPTION_SET, FIELD(look.dialect.quote), .set = set_mark},
    {"escape", "C", 0, OPTION_SET, FIELD(look.dialect.escape), .set = set_mark},
    {"comment", "C", 0, OPTION_SET, FIELD(look.dialect.comment),
     .set = set_mark},
    {"skip", "LINES", 0, OPTION_COUNT, FIELD(look.skip), .least = 0},
};

#define ROWS (sizeof rows / sizeof *rows)

/* Returns the length of the first word of a list; a backslash takes the meaning
   of a comma behind it. */
static size_t word_bytes(const char *at)
{
    size_t bytes = 0;

    while (at[bytes] != '\0' && at[bytes] != ',') {
        bytes += at[bytes] == '\\' && at[bytes + 1] != '\0' ? 2 : 1;
    }
    return bytes;
}

/* Returns whether a word is a key whose character is the comma behind it. */
static bool is_comma(const char *word, size_t bytes)
{
    static const char *const keys[] = {"sep=", "decimal=", "thousands="};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        if (strlen(keys[i]) == bytes && memcmp(keys[i], word, bytes) == 0) {
            return word[bytes] == ',';
        }
    }
    return false;
}

/* Copies --arg, with a final NUL in place of each of its words `and`, and a
   backslash before a comma that is a key's character. Returns the number of
   parts between these. */
static uint32_t split(char *to, const char *arg)
{
    uint32_t parts = 1;
    bool begins = true; /* no word of the part is copied */

    for (const char *at = arg;; at += *at == ',') {
        size_t bytes = word_bytes(at);
        bool comma = is_comma(at, bytes);

        if (bytes == 3 && memcmp(at, "and", 3) == 0) {
            to += 1;
            parts += 1;
            begins = true;
        } else {
            to = stpcpy(to, begins ? "" : ",");
            to = mempcpy(to, at, bytes);
            to = stpcpy(to, comma ? "\\," : "");
            begins = false;
        }
        *to = '\0';
        at += bytes + comma;
        if (*at == '\0') {
            return parts;
        }
    }
}

/* Returns whether a condition's operator is eq or ne. */
static bool compares_equal(const struct records_use *use)
{
    return use->accepted == EQUAL || use->accepted == NOT_EQUAL;
}

/* Decides whether a condition compares numbers, and checks its VALUE. */
static int check_value(const struct records_look *look, struct records_use *use)
{
    static const struct records_style plain = {'.', '\0'};
    struct records_number *number = &use->wanted;
    size_t bytes = strlen(use->value);
    bool compares = use->accepted < BEGINS;
    bool is_number =
        records_number_read(number, use->value, bytes,
                            look->styles == 1 ? &look->style[0] : &plain) ==
        RECORDS_NUMBER;
    bool open = use->type == TYPE_OPEN;
    const char *wrong = NULL;

    if (open && compares_equal(use) && !number->plain &&
        strpbrk(use->value, "eExX") != NULL) {
        is_number = false; /* may be a code */
    }
    use->number = is_number && compares && use->type != TYPE_TEXT;
    if (use->type == TYPE_NUMBER && !use->number) {
        wrong = "must be a decimal number, and op a comparison, with "
                "type=number";
    } else if (!is_number && open && compares && !compares_equal(use)) {
        wrong = records_number_looks_odd(use->value, bytes)
                    ? "is no decimal number: it has characters that are not "
                      "ASCII; type=text compares text"
                    : "is no decimal number; type=text compares text";
    } else if (use->number &&
               number->whole + number->decimals > RECORDS_WIDE_DIGITS_MAX) {
        wrong = "must have at most 180 digits";
    } else if (!use->number && bytes > TEXT_MAX) {
        wrong = "must have at most 255 bytes";
    } else if (!compares && bytes == 0) {
        wrong = "must not be empty with this op";
    }
    for (uint32_t i = 0; use->number && i < RECORDS_STYLES; ++i) {
        use->reading[i].whole = number->whole;
        use->reading[i].decimals = number->decimals;
    }
    return parse_report("--arg: value", use->value, wrong);
}

/* Parses a part of --arg: a condition and other keys. A part alone may have no
   condition. */
static int parse_part(struct request *request, char *part, bool alone)
{
    static const struct option_table table = {.row = rows, .rows = ROWS};
    struct option_row row[ROWS];
    const struct option_table lacks = {.row = row, .rows = ROWS};
    struct records_look *look = &request->look;
    int status;

    request->name = request->value = NULL;
    request->op = OPERATORS;
    request->type = TYPE_OPEN;
    status = option_parse_list(&table, "--arg", part, request);
    if (status != 0 ||
        (alone && request->name == NULL && request->value == NULL &&
         request->op == OPERATORS && request->type == TYPE_OPEN)) {
        return status;
    }
    memcpy(row, rows, sizeof rows);
    row[0].required = request->name == NULL;
    row[1].required = request->op == OPERATORS;
    row[2].required = request->value == NULL;
    if (row[0].required || row[1].required || row[2].required) {
        return option_parse_list(&lacks, "--arg", (char[1]){'\0'}, request);
    }
    look->use[look->conditions++] =
        (struct records_use){.name = request->name,
                             .value = request->value,
                             .accepted = operators[request->op].accepted,
                             .type = request->type};
    return 0;
}

/* Lists the ways in which numbers may be written. */
static int list_styles(struct request *request)
{
    struct records_look *look = &request->look;

    for (uint32_t i = 0; i < RECORDS_STYLES; ++i) {
        char decimal = i == 0 ? '.' : ',';
        char thousands = request->thousands != NOT_GIVEN
                             ? (char)request->thousands
                         : i == 0 ? ','
                                  : '.';

        if ((request->decimal == i || request->decimal == RECORDS_STYLES) &&
            decimal != thousands) {
            look->style[look->styles++] =
                (struct records_style){decimal, thousands};
        }
    }
    return look->styles > 0
               ? 0
               : usage_error("--arg: decimal and thousands must differ");
}

/* Adds a use that is no condition. Returns its index, or RECORDS_NONE for a
   column without a name. */
static uint32_t add_use(struct records_look *look, const char *name,
                        bool number)
{
    if (name == NULL) {
        return RECORDS_NONE;
    }
    look->use[look->uses] =
        (struct records_use){.name = name, .number = number};
    return look->uses++;
}

/* Parses --arg: parts with the word `and` between them. */
static int parse_arg(struct format_load *load, struct request *request,
                     const uint8_t *arg, uint32_t arg_bytes)
{
    static const struct option_table table = {.row = rows, .rows = ROWS};
    struct records_look *look = &request->look;
    const char *text = (const char *)arg;
    char *part;
    uint32_t parts;
    int status = 0;

    if (strlen(text) != arg_bytes) {
        return format_parse_arg(load, &table, arg, arg_bytes, request);
    }
    load->words = memory_or_exit(malloc(2 * (size_t)arg_bytes + 2));
    parts = split(load->words, text);
    if (parts > RECORDS_CONDITIONS_MAX) {
        return usage_error("--arg: has %u conditions; at most %u are allowed",
                           parts, RECORDS_CONDITIONS_MAX);
    }
    part = load->words;
    for (uint32_t i = 0; status == 0 && i < parts; ++i) {
        char *next = part + strlen(part) + 1;

        status = parse_part(request, part, parts == 1);
        part = next;
    }
    look->quote_given = look->dialect.quote != NOT_GIVEN;
    look->dialect.quote = look->quote_given ? look->dialect.quote : '"';
    look->escape_given = look->dialect.escape != NOT_GIVEN;
    look->dialect.escape = look->escape_given ? look->dialect.escape : 0;
    status = status == 0 ? list_styles(request) : status;
    for (uint32_t i = 0; status == 0 && i < look->conditions; ++i) {
        status = check_value(look, &look->use[i]);
    }
    look->uses = look->conditions;
    if (request->sum == NULL && look->conditions > 0 && look->use[0].number) {
        look->sum = 0;
    } else {
        look->sum = add_use(look, request->sum, true);
    }
    look->by = add_use(look, request->by, false);
    if (status == 0 && request->by != NULL && request->rows) {
        status = usage_error("--arg: by= makes groups, which are no rows: it "
                             "goes without -o and rows=yes");
    }
    return status;
}

/* ---- the tables ---- */

static bool is_csv(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot != NULL && strcasecmp(dot, ".csv") == 0;
}

/* Notes that text was compared where something else may be meant. */
static void note_comparison(struct format_load *load,
                            const struct records_use *use)
{
    const char *value = use->value;
    size_t bytes = strlen(value);
    bool number = isdigit((unsigned char)value[strspn(value, "+-., ")]) != 0;
    bool ascii = true;

    for (size_t i = 0; i < bytes; ++i) {
        ascii = ascii && (uint8_t)value[i] < 0x80;
    }
    if (use->seen_latin && !ascii && utf8_is_valid(value, bytes)) {
        format_note(load,
                    "--arg: column '%.60s' has text that is no UTF-8, with "
                    "which value '%.60s' was compared as UTF-8; --arg-hex "
                    "gives other bytes.",
                    quote_shown(use->name), quote_shown(value));
    }
    if (!use->number && use->type == TYPE_OPEN && compares_equal(use) &&
        use->seen_number && strpbrk(value, "0123456789") != NULL &&
        (number || !use->seen_value)) {
        format_note(load,
                    "--arg: column '%.60s' has numbers, and value '%.60s' was "
                    "compared as text, as it may be a code; type=number "
                    "compares numbers.",
                    quote_shown(use->name), quote_shown(value));
    }
}

static int read_several(struct format_load *load, const char *const path[],
                        uint32_t count, const uint8_t *arg, uint32_t arg_bytes)
{
    struct request request = {
        .rows = load->wants_output,
        .decimal = RECORDS_STYLES,
        .thousands = NOT_GIVEN,
        .look = {.header = true,
                 .dialect = {.quote = NOT_GIVEN, .escape = NOT_GIVEN}}};
    struct records_look *look = &request.look;
    struct records_table table;
    int status = parse_arg(load, &request, arg, arg_bytes);

    if (status != 0) {
        return status;
    }
    status = records_table_open(&table, load, path, count);
    status = status == 0 ? records_table_scan(&table, load, look) : status;
    if (status == 0 && look->conditions > 0 && look->use[0].number &&
        look->sum != RECORDS_NONE &&
        look->use[look->sum].index == look->use[0].index) {
        look->sum = 0;
    }
    if (status == 0) {
        if (count > 1) {
            format_list_files(load, path, count);
        }
        status = records_load_make(load, &table, request.rows);
        ((struct records_kept *)load->context)->tabs =
            table.separator == '\t' && !is_csv(path[0]);
        for (uint32_t i = 0; i < look->conditions; ++i) {
            note_comparison(load, &look->use[i]);
        }
    }
    records_table_free(&table);
    return status;
}

static int read_records(struct format_load *load, const char *path,
                        const uint8_t *arg, uint32_t arg_bytes)
{
    return read_several(load, &path, 1, arg, arg_bytes);
}

/* ---- the report ---- */

/* Returns the decimals of the sum of totals, or RECORDS_NO_SUM. */
static uint32_t decimals_of(const uint8_t *totals)
{
    return kernel_load_u32(totals + 8) & 255;
}

/* Returns the words of the numbers of totals. */
static uint32_t words_of(const uint8_t *totals)
{
    return kernel_load_u32(totals + 8) >> 8 & 255;
}

/* Writes number `index` of totals, sum, least or greatest, as text. `count` > 0
   asks for the sum's mean. */
static char *number_text(const uint8_t *totals, uint32_t index, uint32_t count)
{
    uint32_t words = words_of(totals);
    const uint8_t *numbers = totals + RECORDS_HEAD_BYTES;

    return index == 0 ? records_number_text(numbers, words + 1,
                                            decimals_of(totals), count)
                      : records_number_text(numbers + 4 * (words * index + 1),
                                            words, decimals_of(totals), 0);
}

/* Reports sum, least and greatest of all rows. */
static void report_total(const uint8_t *totals, const struct kernel_sink *sink)
{
    static const char *const names[] = {"sum", "min", "max"};

    for (uint32_t i = 0; i < 3 && kernel_load_u32(totals + 4) > 0; ++i) {
        char *text = number_text(totals, i, 0);
        size_t bytes = strlen(text);

        text[bytes] = '\n'; /* in place of the 0 */
        sink->lines(sink->context, names[i], (const uint8_t *)text,
                    (uint32_t)bytes + 1);
        free(text);
    }
}

/* Writes what follows a group's name: the number of rows, sum, mean, least and
   greatest. */
static void write_group(FILE *out, const uint8_t *totals)
{
    uint32_t values = kernel_load_u32(totals + 4);
    bool summed = decimals_of(totals) != RECORDS_NO_SUM;

    fprintf(out, ",%u", kernel_load_u32(totals));
    for (uint32_t i = 0; i < 4 && summed; ++i) {
        char *text = values > 0 ? number_text(totals, i > 1 ? i - 1 : 0,
                                              i == 1 ? values : 0)
                                : NULL;

        fprintf(out, ",%s", text != NULL ? text : "");
        free(text);
    }
    fputc('\n', out);
}

/* Reports a line of each group; blanks stand for zeros of names. */
static void report_groups(const struct records_kept *kept,
                          const struct kernel_result *result,
                          const struct kernel_sink *sink)
{
    const char *name = (const char *)(kept + 1) + kept->head_bytes;
    const char *names_end = name + kept->bytes;
    uint32_t entry = records_entry_bytes(words_of(result->data));
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = memory_or_exit(open_memstream(&text, &bytes));

    fputs(decimals_of(result->data) != RECORDS_NO_SUM
              ? "group,count,sum,mean,min,max\n"
              : "group,count\n",
          out);
    while (name < names_end) {
        uint32_t index = kernel_load_u32((const uint8_t *)name);
        const char *end;

        name += sizeof index;
        end = rawmemchr(name, '\n');
        for (; name < end; ++name) {
            fputc(*name != '\0' ? *name : ' ', out);
        }
        write_group(out, result->data + index * entry);
        name = end + 1;
    }
    fclose(out);
    sink->lines(sink->context, "groups", (const uint8_t *)text,
                (uint32_t)bytes);
    free(text);
}

static void report_records(const struct format_load *load,
                           const struct kernel_result *result,
                           const struct kernel_sink *sink)
{
    const struct records_kept *kept =
        (const struct records_kept *)load->context;

    if (kept->groups) {
        report_groups(kept, result, sink);
    } else if (decimals_of(result->data) != RECORDS_NO_SUM) {
        report_total(result->data, sink);
    }
}

/* ---- the output ---- */

/* Refuses a file name whose suffix does not fit the rows' separator. */
static int check_records(const struct format_load *load, const char *path)
{
    const struct records_kept *kept =
        (const struct records_kept *)load->context;
    const char *plural;
    uint8_t separator = records_table_separator(path, &plural);

    if (separator != 0 && separator != kept->separator) {
        return file_error(path,
                          "the rows have no %s, as INPUT; the name must end in "
                          ".csv or .txt",
                          plural);
    }
    return kept->tabs && is_csv(path)
               ? file_error(path, "the rows have tabs, as INPUT; the name must "
                                  "end in .tsv or .txt")
               : 0;
}

/* Writes the text before the first row, and the original rows of the returned
   records. Equal records get equal answers: each returned one is the first of
   the load that equals it and is behind the one before. */
static int write_records(FILE *out, const struct format_load *load,
                         const char *path, const uint8_t *output,
                         uint64_t bytes)
{
    const struct records_kept *kept =
        (const struct records_kept *)load->context;
    const uint8_t *record = load->data;
    const uint8_t *row = (const uint8_t *)(kept + 1) + kept->head_bytes;
    const uint8_t *end = row + kept->bytes;

    (void)path;
    fputs(kept->mark ? "\xef\xbb\xbf" : "", out);
    fwrite(kept + 1, 1, (size_t)kept->head_bytes, out);
    while (bytes > 0 && row < end) {
        uint32_t row_bytes = kernel_load_u32(row);
        const uint8_t *next = (const uint8_t *)rawmemchr(record, '\n') + 1;
        uint64_t length = (uint64_t)(next - record);

        row += sizeof row_bytes;
        if (length <= bytes && memcmp(record, output, (size_t)length) == 0) {
            fwrite(row, 1,
                   row_bytes - (row + row_bytes == end ? kept->added : 0), out);
            output += length;
            bytes -= length;
        }
        row += row_bytes;
        record = next;
    }
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
        "optionally type=text|number, for each condition, with the word `and' "
        "between them, or none; sum=COLUMN, by=COLUMN (groups), rows=yes|no, "
        "missing=skip|fail, sep=C|tab, header=yes|no, decimal=C, thousands=C, "
        "quote=C|none, escape=C, comment=C, skip=LINES; a COLUMN is a name or "
        "a number; a backslash before a comma that belongs to a name or value",
    .input = "CSV or TSV; several with the same columns",
    .output = "the rows, with the header row",
    .suffixes = "csv tsv tab psv txt",
    .read = read_records,
    .check = check_records,
    .read_several = read_several,
    .write = write_records,
    .report = report_records};
