/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the conditions and the table of kernel records, writes its output, and
 * reports its sums. The load is the table without its header row, or its used
 * cells (records_load.h).
 */
#include "qemu/format/format.h"

#include "kernels/kernel.h"
#include "qemu/format/records_load.h"
#include "qemu/format/records_table.h"
#include "qemu/base/file.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEXT_MAX 255u
#define ARG_BYTES 16u
#define CONDITION_BYTES 8u
#define NOT_GIVEN 1u /* value of a character that --arg does not name */

/* The kernel's argument and results. */
#define FLAG_SUM 2u
#define FLAG_ROWS 8u
#define BEGINS 8u
#define ANYTHING 7u /* accepted: less, equal, greater */
#define NO_SUM 255u
#define NARROW_BYTES 40u
#define WIDE_HEAD_BYTES 12u

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

/* A condition of --arg. */
struct asked {
    const char *name;
    const char *value;
    uint8_t op;   /* index in `operators` */
    uint8_t type; /* enum type */
};

/* The values of --arg; the load owns the strings. */
struct request {
    struct asked one; /* the condition that is parsed */
    struct asked asked[RECORDS_CONDITIONS_MAX];
    struct records_number number[RECORDS_CONDITIONS_MAX]; /* of the values */
    struct records_roles roles;
    struct records_look look;
    const char *sum;
    const char *by;
    uint8_t decimal;
    uint8_t thousands;
    bool rows; /* return rows */
};

/* What write() and report() need of the table but the load does not hold. The
   bytes are the rows of struct records_row, the text before the first record,
   the original records, and the groups' names. */
struct kept {
    bool mark;       /* UTF-8 mark before the header */
    bool is_csv;     /* the file's name says CSV */
    bool ended;      /* the file lacked the last newline */
    uint8_t newline; /* stands for a newline in quotes; '\n': none */
    uint8_t separator;
    uint32_t last_bytes; /* bytes of the last record */
    uint64_t rows;       /* 0: the load has the original records */
    uint64_t header_bytes;
    uint64_t text_bytes;  /* bytes of header and original records */
    uint64_t names_bytes; /* 0: there are no groups */
    struct records_row row[];
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

/* Sets a character, or 0 for none. */
static int set_mark(void *field, const char *option, const char *text)
{
    bool none = strcmp(text, "none") == 0;
    bool good = none || (strlen(text) == 1 && (unsigned char)text[0] > 1 &&
                         strchr("\r\n", text[0]) == NULL);

    *(uint8_t *)field = none ? '\0' : (uint8_t)text[0];
    return parse_report(option, text,
                        good ? NULL : "must be a character or none");
}

static int set_decimal(void *field, const char *option, const char *text)
{
    *(uint8_t *)field = (uint8_t)text[0];
    return parse_report(option, text,
                        strcmp(text, ".") == 0 || strcmp(text, ",") == 0
                            ? NULL
                            : "must be . or \\,");
}

#define FIELD(name) OPTION_AT(struct request, name)
#define CONDITION_ROWS 4u /* rows of a condition, the first three required */

static const struct option_row rows[] = {
    {"name", "COLUMN", 0, OPTION_TEXT, FIELD(one.name), .least = 0},
    {"op", "OP", 0, OPTION_CHOICE, FIELD(one.op), .choice = operator_name},
    {"value", "VALUE", 0, OPTION_TEXT, FIELD(one.value), .least = 0},
    {"type", "TYPE", 0, OPTION_CHOICE, FIELD(one.type),
     .choices = "text number"},
    {"sum", "COLUMN", 0, OPTION_TEXT, FIELD(sum), .least = 0},
    {"by", "COLUMN", 0, OPTION_TEXT, FIELD(by), .least = 0},
    {"rows", "YES", 0, OPTION_CHOICE, FIELD(rows), .choices = "no yes"},
    {"missing", "HOW", 0, OPTION_CHOICE, FIELD(look.missing_fails),
     .choices = "skip fail"},
    {"sep", "C", 0, OPTION_SET, FIELD(look.separator), .set = set_separator},
    {"header", "YES", 0, OPTION_CHOICE, FIELD(look.header),
     .choices = "no yes"},
    {"decimal", "C", 0, OPTION_SET, FIELD(decimal), .set = set_decimal},
    {"thousands", "C", 0, OPTION_SET, FIELD(thousands), .set = set_mark},
    {"quote", "C", 0, OPTION_SET, FIELD(look.quote), .set = set_mark},
    {"escape", "C", 0, OPTION_SET, FIELD(look.escape), .set = set_mark},
    {"comment", "C", 0, OPTION_SET, FIELD(look.comment), .set = set_mark},
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

static bool has_key(const char *word, size_t bytes, const char *key)
{
    size_t length = strlen(key);

    return bytes > length && memcmp(word, key, length) == 0 &&
           word[length] == '=';
}

/* Appends a word to a list, and a comma in place of an empty character. */
static void append_word(char *list, const char *word, size_t bytes)
{
    static const char *const marks[] = {"sep", "decimal", "thousands"};
    char *end = list + strlen(list);

    if (end > list) {
        *end++ = ',';
    }
    memcpy(end, word, bytes);
    end[bytes] = '\0';
    for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i) {
        if (has_key(word, bytes, marks[i]) && word[bytes - 1] == '=') {
            strcat(end, "\\,");
        }
    }
}

/* Splits --arg at its words `and`, into lists[0 .. count). Keys that belong to
   no condition go to the first one. Lists beyond `most` are counted only. */
static uint32_t split_list(char *lists[], uint32_t most, const char *arg)
{
    uint32_t count = 1;
    bool mark = false; /* the word before was a key without a character */

    for (const char *at = arg;;) {
        size_t bytes = word_bytes(at);
        bool own = false;

        for (size_t i = 0; i < CONDITION_ROWS; ++i) {
            own = own || has_key(at, bytes, rows[i].name);
        }
        if (bytes == 3 && memcmp(at, "and", 3) == 0) {
            count += 1;
        } else if ((bytes > 0 || !mark) && count <= most) {
            append_word(lists[own ? count - 1 : 0], at, bytes);
        }
        mark = bytes > 0 && at[bytes - 1] == '=';
        if (at[bytes] == '\0') {
            return count;
        }
        at += bytes + 1;
    }
}

/* Returns whether a list has a key of a condition. */
static bool has_condition(const char *list)
{
    for (const char *at = list;; at += word_bytes(at) + 1) {
        for (size_t i = 0; i < CONDITION_ROWS; ++i) {
            if (has_key(at, word_bytes(at), rows[i].name)) {
                return true;
            }
        }
        if (at[word_bytes(at)] == '\0') {
            return false;
        }
    }
}

/* Parses --arg: conditions, with the word `and` between them, and the rest. */
static int parse_arg(struct format_load *load, struct request *request,
                     const uint8_t *arg, uint32_t arg_bytes)
{
    char *lists[RECORDS_CONDITIONS_MAX];
    size_t room = 2 * (size_t)arg_bytes + 4;
    struct option_row row[ROWS];
    const struct option_table table = {.row = row, .rows = ROWS};
    uint32_t count;
    int status = 0;

    memcpy(row, rows, sizeof rows);
    if (strlen((const char *)arg) != arg_bytes) {
        return format_parse_arg(load, &table, arg, arg_bytes, request);
    }
    load->words = memory_or_exit(calloc(RECORDS_CONDITIONS_MAX, room));
    for (uint32_t i = 0; i < RECORDS_CONDITIONS_MAX; ++i) {
        lists[i] = load->words + i * room;
    }
    count = split_list(lists, RECORDS_CONDITIONS_MAX, (const char *)arg);
    if (count > RECORDS_CONDITIONS_MAX) {
        return usage_error("--arg: has %u conditions; at most %u are allowed",
                           count, RECORDS_CONDITIONS_MAX);
    }
    for (uint32_t i = 0; status == 0 && i < count; ++i) {
        bool condition = count > 1 || has_condition(lists[i]);

        for (size_t j = 0; j + 1 < CONDITION_ROWS; ++j) {
            row[j].required = condition;
        }
        request->one = (struct asked){.type = TYPE_OPEN};
        status = *lists[i] != '\0' || condition
                     ? option_parse_list(&table, "--arg", lists[i], request)
                     : 0;
        if (condition) {
            request->asked[request->roles.conditions++] = request->one;
        }
    }
    return status;
}

/* Returns whether the operator is eq or ne. */
static bool compares_equal(const struct asked *asked)
{
    uint32_t accepted = operators[asked->op].accepted;

    return accepted == 2 || accepted == 5;
}

/* Checks a condition's VALUE, and decides whether numbers are compared. */
static int check_value(struct request *request, uint32_t index)
{
    static const struct records_style plain = {'.', '\0'};
    struct asked *asked = &request->asked[index];
    struct records_number *number = &request->number[index];
    struct records_use *use = &request->look.use[index];
    bool compares = operators[asked->op].accepted < BEGINS;
    size_t bytes = strlen(asked->value);
    bool is_number = records_number_read(number, asked->value, bytes,
                                         request->look.styles == 1
                                             ? &request->look.style[0]
                                             : &plain) == RECORDS_NUMBER;
    bool is_open = asked->type == TYPE_OPEN;
    const char *wrong = NULL;

    (void)records_number_trim(asked->value, &bytes);
    if (is_open && compares_equal(asked) && !number->plain &&
        strpbrk(asked->value, "eExX") != NULL) {
        is_number = false; /* may be a code */
    }
    use->condition = true;
    use->name = asked->name;
    use->value = asked->value;
    use->number = is_number && compares && asked->type != TYPE_TEXT;
    if (asked->type == TYPE_NUMBER && !use->number) {
        wrong = "must be a decimal number, and op a comparison, with "
                "type=number";
    } else if (!is_number && is_open && compares && !compares_equal(asked)) {
        wrong = records_number_looks_odd(asked->value, bytes)
                    ? "is no decimal number: it has characters that are not "
                      "ASCII; type=text compares text"
                    : "is no decimal number; type=text compares text";
    } else if (use->number &&
               number->whole + number->decimals > RECORDS_WIDE_DIGITS_MAX) {
        wrong = "must have at most 180 digits";
    } else if (!use->number && strlen(asked->value) > TEXT_MAX) {
        wrong = "must have at most 255 bytes";
    } else if (!compares && asked->value[0] == '\0') {
        wrong = "must not be empty with this op";
    }
    for (uint32_t i = 0; use->number && i < RECORDS_STYLES; ++i) {
        use->reading[i].whole = number->whole;
        use->reading[i].decimals = number->decimals;
    }
    return parse_report("--arg: value", asked->value, wrong);
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

        if ((request->decimal == NOT_GIVEN ||
             request->decimal == (uint8_t)decimal) &&
            decimal != thousands) {
            look->style[look->styles++] =
                (struct records_style){decimal, thousands};
        }
    }
    return look->styles > 0
               ? 0
               : usage_error("--arg: decimal and thousands must differ");
}

/* Makes the uses of columns of the request. */
static int list_uses(struct request *request)
{
    struct records_look *look = &request->look;
    struct records_roles *roles = &request->roles;
    int status = list_styles(request);

    look->quote_given = look->quote != NOT_GIVEN;
    look->quote = look->quote_given ? look->quote : '"';
    look->escape_given = look->escape != NOT_GIVEN;
    look->escape = look->escape_given ? look->escape : 0;
    for (uint32_t i = 0; status == 0 && i < roles->conditions; ++i) {
        status = check_value(request, i);
    }
    look->uses = roles->conditions;
    if (request->sum == NULL && roles->conditions > 0 && look->use[0].number) {
        request->sum = request->asked[0].name;
    }
    if (request->sum != NULL) {
        roles->sum = look->uses++;
        look->use[roles->sum].name = request->sum;
        look->use[roles->sum].number = true;
    }
    if (request->by != NULL) {
        roles->by = look->uses++;
        look->use[roles->by].name = request->by;
    }
    return status;
}

/* ---- kernel argument ---- */

/* Appends a condition to the kernel's argument: numbers, if it has decimals,
   or text. */
static void add_condition(struct format_load *load, uint32_t column,
                          uint32_t accepted, const uint32_t *decimals,
                          const void *value, size_t bytes)
{
    size_t room = CONDITION_BYTES + ((bytes + 3) & ~(size_t)3);
    uint8_t *at;

    load->arg = memory_or_exit(realloc(load->arg, load->arg_bytes + room));
    at = load->arg + load->arg_bytes;
    memset(at, 0, room);
    kernel_store_u16(at, (uint16_t)column);
    at[2] = (uint8_t)accepted;
    at[3] = decimals != NULL;
    at[4] = decimals != NULL ? (uint8_t)*decimals : 0;
    at[5] = (uint8_t)bytes;
    memcpy(at + CONDITION_BYTES, value, bytes);
    load->arg_bytes += (uint32_t)room;
}

static void add_conditions(struct format_load *load,
                           const struct request *request,
                           const struct records_load *made)
{
    for (uint32_t i = 0; i < request->roles.conditions; ++i) {
        const struct records_use *use = &request->look.use[i];
        const struct records_number *number = &request->number[i];
        uint32_t accepted = operators[request->asked[i].op].accepted;
        char wide[2 * RECORDS_WIDE_BYTES_MAX];
        int64_t value;

        if (made->wide[i] > 0) {
            records_number_widen(wide, number, use->decimals, made->wide[i]);
            add_condition(load, made->column[i], accepted, NULL, wide,
                          2 * made->wide[i]);
        } else if (use->number) {
            value = records_number_scaled(number, use->decimals);
            add_condition(load, made->column[i], accepted, &use->decimals,
                          &value, sizeof value);
        } else {
            add_condition(load, made->column[i], accepted, NULL, use->value,
                          strlen(use->value));
        }
    }
    if (request->roles.conditions == 0) {
        add_condition(load, 0, ANYTHING, NULL, "", 0);
    }
}

/* Returns a word that tells the groups' names from others. */
static uint32_t checksum_of(const struct records_load *made)
{
    uint32_t sum = 2166136261u;

    for (const char *at = made->names; at != NULL && *at != '\0'; ++at) {
        sum = (sum ^ (uint8_t)*at) * 16777619u;
    }
    return made->names != NULL ? (sum >> 16 ^ sum) << 16 : 0;
}

static void fill_arg(struct format_load *load, const struct request *request,
                     const struct records_load *made, uint8_t newline)
{
    uint32_t sum = request->roles.sum;
    bool has_sum = sum != RECORDS_ABSENT;
    uint32_t wide = has_sum ? made->wide[sum] : 0;
    uint32_t column = has_sum                         ? made->column[sum]
                      : request->roles.conditions > 0 ? made->column[0]
                                                      : 0;
    uint32_t label = has_sum ? request->look.use[sum].decimals : NO_SUM;
    uint8_t *arg = memory_or_exit(malloc(ARG_BYTES));

    arg[0] = made->separator;
    arg[1] = newline;
    arg[2] = (has_sum ? FLAG_SUM : 0) | (request->rows ? FLAG_ROWS : 0);
    arg[3] = (uint8_t)wide;
    kernel_store_u16(arg + 4, (uint16_t)column);
    kernel_store_u16(arg + 6, (uint16_t)made->groups);
    kernel_store_u32(arg + 8, made->longest);
    kernel_store_u32(arg + 12, label | wide << 8 | checksum_of(made));
    load->arg = arg;
    load->arg_bytes = ARG_BYTES;
    add_conditions(load, request, made);
}

/* Keeps what write() and report() need. */
static void keep(struct format_load *load, const struct request *request,
                 const struct records_table *table,
                 const struct records_load *made, const char *path)
{
    const char *dot = strrchr(path, '.');
    bool original = request->rows && made->row != NULL;
    uint64_t rows = original ? made->rows : 0;
    uint64_t text_bytes = original ? table->text.bytes : table->header_bytes;
    uint64_t names_bytes = made->names != NULL ? strlen(made->names) + 1 : 0;
    struct kept *kept =
        memory_or_exit(malloc(sizeof *kept + (size_t)rows * sizeof *kept->row +
                              (size_t)(text_bytes + names_bytes)));
    uint8_t *text = (uint8_t *)&kept->row[rows];

    *kept = (struct kept){.mark = table->text.encoding != NULL &&
                                  !table->text.converted,
                          .is_csv = dot != NULL && strcasecmp(dot, ".csv") == 0,
                          .ended = table->ended,
                          .newline = table->newline,
                          .separator = table->separator,
                          .last_bytes = table->last_bytes,
                          .rows = rows,
                          .header_bytes = table->header_bytes,
                          .text_bytes = text_bytes,
                          .names_bytes = names_bytes};
    if (rows > 0) {
        memcpy(kept->row, made->row, (size_t)rows * sizeof *kept->row);
    }
    if (text_bytes > 0) {
        memcpy(text, table->text.data, (size_t)text_bytes);
    }
    if (names_bytes > 0) {
        memcpy(text + text_bytes, made->names, (size_t)names_bytes);
    }
    load->context = kept;
}

/* Returns whether VALUE may be a number, however numbers are written. */
static bool may_be_number(const struct asked *asked)
{
    static const struct records_style styles[] = {{'.', ','}, {',', '.'}};
    struct records_number number;
    size_t bytes = strlen(asked->value);

    return records_number_read(&number, asked->value, bytes, &styles[0]) ==
               RECORDS_NUMBER ||
           records_number_read(&number, asked->value, bytes, &styles[1]) ==
               RECORDS_NUMBER;
}

/* Notes that numbers were compared as text though type=text was not given:
   VALUE may be a number or a code; or the column is all numbers; or VALUE has a
   digit and equals no cell. */
static void note_comparison(struct format_load *load, const struct asked *asked,
                            const struct records_use *use)
{
    size_t bytes = strlen(asked->value);

    (void)records_number_trim(asked->value, &bytes);
    if (!use->number && asked->type == TYPE_OPEN && compares_equal(asked) &&
        use->seen_number && may_be_number(asked)) {
        format_note(load,
                    "--arg: column '%.60s' has numbers, and value '%.60s' was "
                    "compared as text, as it may be a code; type=number "
                    "compares numbers.",
                    quote_shown(use->name), quote_shown(asked->value));
    } else if (!use->number && asked->type == TYPE_OPEN &&
               compares_equal(asked) && bytes > 0 && use->seen_number &&
               !use->seen_value &&
               (!use->seen_text ||
                strpbrk(asked->value, "0123456789") != NULL)) {
        format_note(load,
                    "--arg: column '%.60s' has numbers, and value '%.60s' is "
                    "no decimal number: they were compared as text.",
                    quote_shown(use->name), quote_shown(asked->value));
    }
}

/* Gives the summed column the digits of the first condition, if both are one.
 */
static void share_digits(struct request *request)
{
    const struct records_use *first = &request->look.use[0];

    if (records_load_shares(&request->look, &request->roles)) {
        struct records_use *sum = &request->look.use[request->roles.sum];

        sum->whole = first->whole;
        sum->decimals = first->decimals;
    }
}

static int read_several(struct format_load *load, const char *const path[],
                        uint32_t count, const uint8_t *arg, uint32_t arg_bytes)
{
    struct request request = {
        .rows = load->wants_output,
        .decimal = NOT_GIVEN,
        .thousands = NOT_GIVEN,
        .roles = {.sum = RECORDS_ABSENT, .by = RECORDS_ABSENT},
        .look = {.header = true, .quote = NOT_GIVEN, .escape = NOT_GIVEN}};
    struct records_table table;
    struct records_load made = {.names = NULL};
    int status = parse_arg(load, &request, arg, arg_bytes);

    status = status == 0 ? list_uses(&request) : status;
    if (status == 0 && request.by != NULL && request.rows) {
        status = usage_error("--arg: by= makes groups, which are no rows: it "
                             "goes without -o and rows=yes");
    }
    status = status == 0
                 ? records_table_read(&table, load, &request.look, path, count)
                 : status;
    if (status != 0) {
        return status;
    }
    share_digits(&request);
    status = records_load_make(&made, &table, &request.look, &request.roles,
                               path[0]);
    if (status == 0) {
        fill_arg(load, &request, &made, table.newline);
        keep(load, &request, &table, &made, path[0]);
        for (uint32_t i = 0; i < request.roles.conditions; ++i) {
            note_comparison(load, &request.asked[i], &request.look.use[i]);
        }
    }
    load->data = made.data;
    load->units = made.bytes;
    load->unit_bytes = 1;
    free(made.names);
    records_table_free(&table);
    return status;
}

static int read_records(struct format_load *load, const char *path,
                        const uint8_t *arg, uint32_t arg_bytes)
{
    return read_several(load, &path, 1, arg, arg_bytes);
}

/* ---- the report ---- */

static const uint8_t *kept_text(const struct kept *kept)
{
    return (const uint8_t *)&kept->row[kept->rows];
}

/* Writes number `index` of a group's totals, sum, least or greatest, as text.
   `count` > 0 asks for the sum's mean. */
static char *number_text(const uint8_t *totals, uint32_t index, uint32_t count)
{
    uint32_t label = kernel_load_u32(totals + 8);
    uint32_t wide = label >> 8 & 255;
    uint32_t bytes = wide > 0 ? wide : 12;
    uint8_t big[RECORDS_WIDE_BYTES_MAX];

    if (wide > 0) {
        memcpy(big, totals + WIDE_HEAD_BYTES + index * wide, wide);
        /* Each value of the sum brought the offset. */
        big[0] ^= index > 0 || kernel_load_u32(totals + 4) % 2 == 1 ? 0x80 : 0;
    } else {
        uint64_t low = kernel_load_u64(totals + 16 + 8 * index);
        uint32_t high = index == 0         ? kernel_load_u32(totals + 12)
                        : (int64_t)low < 0 ? UINT32_MAX
                                           : 0;

        for (uint32_t i = 0; i < bytes; ++i) {
            big[i] = (uint8_t)(i < 4 ? high >> (8 * (3 - i))
                                     : low >> (8 * (11 - i)));
        }
    }
    return records_number_text(big, bytes, label & 255, count);
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

/* Writes a group's line: its name, the number of rows, sum, mean, least and
   greatest. */
static void write_group(FILE *out, const char *name, size_t name_bytes,
                        const uint8_t *totals)
{
    uint32_t values = kernel_load_u32(totals + 4);
    bool summed = (kernel_load_u32(totals + 8) & 255) != NO_SUM;

    fwrite(name, 1, name_bytes, out);
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

static void report_groups(const struct kept *kept,
                          const struct kernel_result *result,
                          const struct kernel_sink *sink)
{
    const char *name = (const char *)kept_text(kept) + kept->text_bytes;
    uint32_t label = kernel_load_u32(result->data + 8);
    uint32_t wide = label >> 8 & 255;
    uint32_t entry = wide > 0 ? WIDE_HEAD_BYTES + 3 * wide : NARROW_BYTES;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = memory_or_exit(open_memstream(&text, &bytes));

    fputs((label & 255) != NO_SUM ? "group,count,sum,mean,min,max\n"
                                  : "group,count\n",
          out);
    for (uint32_t at = 0; at < result->bytes && *name != '\0'; at += entry) {
        size_t length = strcspn(name, "\n");

        write_group(out, name, length, result->data + at);
        name += length + 1;
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
    const struct kept *kept = (const struct kept *)load->context;

    if (kept->names_bytes > 0) {
        report_groups(kept, result, sink);
    } else if ((kernel_load_u32(result->data + 8) & 255) != NO_SUM) {
        report_total(result->data, sink);
    }
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
    uint64_t last = kept->ended ? kept->last_bytes : 0;

    return last > 0 && bytes >= last &&
           memcmp(output + bytes - last, load->data + load->units - last,
                  (size_t)last) == 0 &&
           (bytes == last || output[bytes - last - 1] == '\n');
}

/* Writes the original rows of the returned records. Equal records get equal
   answers: each returned one is the first of the load that equals it and is
   behind the one before. */
static void write_originals(FILE *out, const struct format_load *load,
                            const uint8_t *output, uint64_t bytes)
{
    const struct kept *kept = (const struct kept *)load->context;
    const uint8_t *text = kept_text(kept);
    const uint8_t *record = load->data;

    for (uint64_t i = 0; i < kept->rows && bytes > 0; ++i) {
        const struct records_row *row = &kept->row[i];
        const uint8_t *end = (const uint8_t *)rawmemchr(record, '\n') + 1;
        uint64_t length = (uint64_t)(end - record);

        if (length <= bytes && memcmp(record, output, (size_t)length) == 0) {
            bool last = kept->ended && row->at + row->bytes == kept->text_bytes;
            uint8_t *copy = memory_or_exit(malloc(row->bytes));

            restore(copy, text + row->at, row->bytes, kept->newline);
            fwrite(copy, 1, row->bytes - last, out);
            free(copy);
            output += length;
            bytes -= length;
        }
        record = end;
    }
}

/* Refuses a file name whose suffix does not fit the rows' separator. */
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
    uint32_t separator = kept->separator;

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
    uint64_t more = kept->rows > 0 ? 0 : bytes;
    uint64_t all = kept->header_bytes + more;
    uint8_t *text = memory_or_exit(malloc((size_t)all + 1));

    (void)path;
    fputs(kept->mark ? "\xef\xbb\xbf" : "", out);
    restore(text, kept_text(kept), kept->header_bytes, kept->newline);
    restore(text + kept->header_bytes, output, more, kept->newline);
    all -= more > 0 && ends_with_last(load, output, bytes);
    fwrite(text, 1, (size_t)all, out);
    free(text);
    if (kept->rows > 0) {
        write_originals(out, load, output, bytes);
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
