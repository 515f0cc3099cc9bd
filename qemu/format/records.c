/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the condition and the table of the kernel `records`, and writes its
   output. The load is the table without its header row. */
#include "qemu/format/format.h"

#include "kernels/kernel.h"
#include "qemu/format/records_table.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEXT_MAX 255u
#define ARG_BYTES 36u

/* Flags in the kernel's argument. */
#define FLAG_NUMBER 1u
#define FLAG_SUM 2u
#define FLAG_SUM_FIRST 4u
#define FLAG_ROWS 8u
#define BEGINS 8u

static const struct {
    const char *name;
    /* as in the kernel: 16 contains, 8 begins; else the sum of 1 less, 2 equal,
       4 greater */
    uint32_t accepted;
} operators[] = {{"lt", 1}, {"le", 3}, {"eq", 2},        {"ne", 5},
                 {"ge", 6}, {"gt", 4}, {"contains", 16}, {"begins", BEGINS}};

enum type {
    TYPE_TEXT,
    TYPE_NUMBER,
    TYPE_OPEN /* no type= is given: VALUE decides */
};

/* What --arg asks for. The strings are the load's. */
struct request {
    struct records_look look;
    uint8_t op;   /* index in `operators` */
    uint8_t type; /* enum type */
    bool rows;    /* return rows */
};

/* What write() needs to know of the table besides the load. */
struct kept {
    bool mark;       /* true: a UTF-8 byte order mark is before the header */
    bool is_csv;     /* true: the file's name says CSV */
    uint8_t newline; /* byte that replaces a newline in quotes; '\n': none */
    /* Length of the last record if the file lacked its newline; else 0. */
    uint32_t last_bytes;
    uint32_t header_bytes;
    uint8_t header[];
};

/* ---- the argument ---- */

static const char *operator_name(size_t index)
{
    return index < sizeof operators / sizeof *operators ? operators[index].name
                                                        : NULL;
}

static int set_separator(void *field, const char *option, const char *text)
{
    bool tab = strcmp(text, "tab") == 0;
    bool good = tab || (strlen(text) == 1 && strchr("\"\r\n", text[0]) == NULL);

    *(uint8_t *)field = tab ? '\t' : (uint8_t)text[0];
    return parse_report(option, text,
                        good ? NULL : "must be a character or tab");
}

#define FIELD(name) OPTION_AT(struct request, name)

static const struct option_row rows[] = {
    {"name", "COLUMN", 0, OPTION_TEXT, FIELD(look.column.name),
     .required = true},
    {"op", "OP", 0, OPTION_CHOICE, FIELD(op), .choice = operator_name,
     .required = true},
    {"value", "VALUE", 0, OPTION_TEXT, FIELD(look.value), .required = true},
    {"sum", "COLUMN", 0, OPTION_TEXT, FIELD(look.sum.name), .least = 0},
    {"sep", "C", 0, OPTION_SET, FIELD(look.separator), .set = set_separator},
    {"type", "TYPE", 0, OPTION_CHOICE, FIELD(type), .choices = "text number"},
    {"rows", "YES", 0, OPTION_CHOICE, FIELD(rows), .choices = "no yes"},
};

static bool compares_equal(const struct request *request)
{
    uint32_t accepted = operators[request->op].accepted;

    return accepted == 2 || accepted == 5;
}

/* Checks VALUE, and decides whether numbers or texts are compared. */
static int check_value(struct request *request)
{
    struct records_column *column = &request->look.column;
    bool compares = operators[request->op].accepted < BEGINS;
    size_t bytes = strlen(request->look.value);
    const char *value = records_table_trim(request->look.value, &bytes);
    bool number =
        records_table_number(value, bytes, &column->whole, &column->decimals);
    const char *wrong = NULL;

    column->number = number && compares && request->type != TYPE_TEXT;
    if (request->type == TYPE_NUMBER && !column->number) {
        wrong = "must be a decimal number, and op a comparison, with "
                "type=number";
    } else if (!number && request->type == TYPE_OPEN && compares &&
               !compares_equal(request)) {
        wrong = records_table_looks_odd(value, bytes)
                    ? "is no decimal number: it has characters that are not "
                      "ASCII; type=text compares text"
                    : "is no decimal number; type=text compares text";
    } else if (column->number &&
               column->whole + column->decimals > RECORDS_DIGITS_MAX) {
        wrong = "must have at most 18 digits";
    } else if (!column->number && strlen(request->look.value) > TEXT_MAX) {
        wrong = "must have at most 255 bytes";
    } else if (!compares && request->look.value[0] == '\0') {
        wrong = "must not be empty with this op";
    }
    if (column->number) {
        request->look.value =
            value; /* has no blanks before it; blanks after it do not matter */
    }
    return parse_report("--arg: value", request->look.value, wrong);
}

/* ---- kernel argument ---- */

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

static uint32_t flags_of(const struct request *request)
{
    return (request->look.column.number ? FLAG_NUMBER : 0) |
           (request->look.sum.name != NULL ? FLAG_SUM : 0) |
           (request->look.sum.index < request->look.column.index
                ? FLAG_SUM_FIRST
                : 0) |
           (request->rows ? FLAG_ROWS : 0);
}

static void fill_arg(struct format_load *load, const struct request *request,
                     const struct records_table *table)
{
    uint32_t a = request->look.column.index;
    uint32_t b = request->look.sum.index;
    uint32_t text_bytes =
        request->look.column.number ? 8 : (uint32_t)strlen(request->look.value);
    uint8_t *arg = memory_or_exit(malloc(ARG_BYTES + text_bytes + 1u));

    kernel_store_u32(arg, table->separator);
    kernel_store_u32(arg + 4, table->newline);
    kernel_store_u32(arg + 8, operators[request->op].accepted);
    kernel_store_u32(arg + 12, flags_of(request));
    kernel_store_u32(arg + 16, a < b ? a : b);
    kernel_store_u32(arg + 20, a < b ? b - a : a - b);
    kernel_store_u32(arg + 24, request->look.column.decimals);
    kernel_store_u32(arg + 28, request->look.sum.decimals);
    kernel_store_u32(arg + 32, table->longest);
    if (request->look.column.number) {
        kernel_store_u64(arg + ARG_BYTES,
                         (uint64_t)scaled(request->look.value,
                                          request->look.column.decimals));
    } else {
        memcpy(arg + ARG_BYTES, request->look.value, text_bytes);
    }
    load->arg = arg;
    load->arg_bytes = ARG_BYTES + text_bytes;
}

static void fill_load(struct format_load *load, struct records_table *table,
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

/* Adds a note if numbers are compared as text without type=text: all cells of
   the column are numbers, or VALUE has a digit and no cell equals it. */
static void note_comparison(struct format_load *load,
                            const struct request *request)
{
    size_t bytes = strlen(request->look.value);

    (void)records_table_trim(request->look.value, &bytes);
    if (!request->look.column.number && request->type == TYPE_OPEN &&
        compares_equal(request) && bytes > 0 && request->look.seen_number &&
        !request->look.seen_value &&
        (!request->look.seen_text ||
         strpbrk(request->look.value, "0123456789") != NULL)) {
        format_note(load,
                    "--arg: column '%.60s' has numbers, and value '%.60s' is "
                    "no decimal number: they were compared as text.",
                    quote_shown(request->look.column.name),
                    quote_shown(request->look.value));
    }
}

static int read_several(struct format_load *load, const char *const path[],
                        uint32_t count, const uint8_t *arg, uint32_t arg_bytes)
{
    struct request request = {.type = TYPE_OPEN, .rows = load->wants_output};
    struct records_column *column = &request.look.column;
    struct records_column *sum = &request.look.sum;
    struct records_table table;
    int status =
        format_parse_arg(load, OPTION_TABLE(rows), arg, arg_bytes, &request);

    status = status == 0 ? check_value(&request) : status;
    if (status != 0) {
        return status;
    }
    sum->number = true;
    if (sum->name == NULL && column->number) {
        sum->name = column->name;
    }
    status = records_table_read(&table, load, &request.look, path, count);
    if (status != 0) {
        return status;
    }
    if (sum->name == NULL) {
        sum->index = column->index;
    }
    if (sum->index == column->index && column->number) {
        sum->decimals = column->decimals;
    }
    fill_arg(load, &request, &table);
    fill_load(load, &table, path[0]);
    note_comparison(load, &request);
    return 0;
}

static int read_records(struct format_load *load, const char *path,
                        const uint8_t *arg, uint32_t arg_bytes)
{
    return read_several(load, &path, 1, arg, arg_bytes);
}

/* ---- the output ---- */

static void restore(uint8_t *to, const uint8_t *from, uint64_t bytes,
                    uint8_t newline)
{
    for (uint64_t i = 0; i < bytes; ++i) {
        to[i] = from[i] == newline ? '\n' : from[i];
    }
}

/* Returns whether the file's last row is in the output. Equal rows are all in
   the output or none is, so it is enough to compare the output's last row. */
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

/* Refuses a file name with a suffix for another separator than the rows
   have. */
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
