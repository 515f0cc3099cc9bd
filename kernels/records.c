/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a table (CSV, RFC 4180) whose column satisfies a condition: how many,
 * a column's sum, least and greatest, and, if asked for, the rows themselves.
 *
 * The load is the table without its header row. Every record ends with a
 * newline, or with a carriage return and a newline; there are no others: the
 * host puts a byte that the table does not contain in the place of a newline
 * inside quotes. It has also seen to it that every record has the columns that
 * are asked for, and numbers where numbers are needed; a load that has not
 * gives a wrong result, but is never read outside its bounds. Empty lines are
 * no records.
 *
 * A range owns the records that begin in it. Of the output it owns its bytes:
 * a row that lies in two ranges is judged by both, and each returns the part
 * that lies in it. So a range never returns more bytes than it has.
 *
 * Numbers are decimal, up to 18 digits, as int64 times 10^decimals. Text is
 * compared byte by byte, after quotes are taken off.
 *
 * Argument: u32 separator (a byte), u32 what stands for a newline inside quotes
 * (a newline if nothing does), u32 condition (bits: what of LESS to CONTAINS is
 * accepted), u32 flags, u32 first column needed, u32 how far behind it the
 * other one is, u32 decimals of the condition's and of the summed column, u32
 * bytes of the longest record; then an i64 number, or a text of up to 255
 * bytes, which is not empty for BEGINS and CONTAINS.
 *
 * Result: u64 count, u64 and i32 sum (96 bits), u32 decimals (or NO_SUM), i64
 * least, i64 greatest. Output: P/Q = 1, varying.
 */
#include "kernels/kernel.h"

#include <string.h>

#define ARG_BYTES 36u
#define TEXT_MAX 255u
#define DECIMALS_MAX 18u
#define RECORD_MAX (1u << 20)
#define NO_SUM 255u
#define RESULT_BYTES 40u
#define SHORT_DIGITS 9u /* that 32 bits always hold */

/* The condition compares numbers, else text; there is a column to be summed,
   which may come before the condition's; rows are returned. */
#define FLAG_NUMBER 1u
#define FLAG_SUM 2u
#define FLAG_SUM_FIRST 4u
#define FLAG_ROWS 8u

#define LESS 1u
#define EQUAL 2u
#define GREATER 4u
#define BEGINS 8u
#define CONTAINS 16u

/* A byte in all four places. */
#define EVERYWHERE(byte) ((byte)*0x01010101u)

struct records {
    uint32_t separator; /* in all four bytes */
    uint32_t newline;   /* what stands for one inside quotes */
    uint32_t accepted;
    uint32_t flags;
    uint32_t first;   /* column needed .. */
    uint32_t between; /* .. and how far behind it the other one is */
    uint32_t decimals;
    uint32_t sum_decimals;
    int64_t number;
    const uint8_t *text;
    uint32_t text_bytes;
    uint8_t stops[256]; /* not 0: the text may begin or the field end here */
};

/* What is found in a range. */
struct totals {
    uint64_t count;
    uint64_t sum;
    uint32_t sum_high;
    int64_t least;
    int64_t greatest;
};

/* ---- the argument ---- */

static void set_stops(struct records *records)
{
    memset(records->stops, 0, sizeof records->stops);
    if (records->text_bytes > 0) {
        records->stops[records->text[0]] = 1;
    }
    records->stops[records->newline] = 1;
    records->stops[records->separator & 255] = 1;
    records->stops['"'] = 1;
    records->stops['\r'] = 1;
    records->stops['\n'] = 1;
}

/* What the condition compares with. */
static int load_value(struct records *records, const uint8_t *at,
                      uint32_t bytes)
{
    if ((records->flags & FLAG_NUMBER) != 0) {
        if (bytes != 8 || records->accepted >= BEGINS) {
            return KERNEL_ARGUMENT;
        }
        records->number = (int64_t)kernel_load_u64(at);
        return KERNEL_OK;
    }
    if (bytes > TEXT_MAX || (bytes == 0 && records->accepted >= BEGINS)) {
        return KERNEL_ARGUMENT;
    }
    records->text = at;
    records->text_bytes = bytes;
    set_stops(records);
    return KERNEL_OK;
}

static int records_begin(void *work, struct kernel_terms *terms,
                         const struct kernel_job *job)
{
    struct records *records = (struct records *)work;
    const uint8_t *arg = job->arg;
    uint32_t longest;

    if (job->arg_bytes < ARG_BYTES || job->unit_bytes == 0 ||
        job->unit_bytes > KERNEL_OUTPUT_MAX) {
        return KERNEL_ARGUMENT;
    }
    records->separator = EVERYWHERE(arg[0]);
    records->newline = kernel_load_u32(arg + 4);
    records->accepted = kernel_load_u32(arg + 8);
    records->flags = kernel_load_u32(arg + 12);
    records->first = kernel_load_u32(arg + 16);
    records->between = kernel_load_u32(arg + 20);
    records->decimals = kernel_load_u32(arg + 24);
    records->sum_decimals = kernel_load_u32(arg + 28);
    longest = kernel_load_u32(arg + 32);
    if (records->newline > 255 || records->decimals > DECIMALS_MAX ||
        records->sum_decimals > DECIMALS_MAX || longest > RECORD_MAX) {
        return KERNEL_ARGUMENT;
    }
    terms->before_bytes = 1;
    terms->after_bytes = longest;
    terms->result_bytes_max = RESULT_BYTES;
    terms->instructions_per_1000_units = 7000 * job->unit_bytes;
    if ((records->flags & FLAG_ROWS) != 0) {
        terms->before_bytes = longest;
        terms->output_numerator = (uint16_t)job->unit_bytes;
        terms->output_denominator = 1;
        terms->output_varies = true;
    }
    return load_value(records, arg + ARG_BYTES, job->arg_bytes - ARG_BYTES);
}

/* ---- fields: `end` is behind a newline ---- */

/* The first such byte, four at a time; or `last`. Little-endian: the lowest
   bit set tells the first byte that is 0. */
static inline const uint8_t *find(const uint8_t *at, const uint8_t *last,
                                  uint32_t everywhere)
{
    for (int32_t left = (int32_t)(last - at) - 4; left >= 0; left -= 4) {
        uint32_t word = kernel_load_u32(at) ^ everywhere;
        uint32_t zero = (word - EVERYWHERE(1u)) & ~word & EVERYWHERE(0x80u);

        if (zero != 0) {
            return at + ((unsigned)__builtin_ctz(zero) >> 3);
        }
        at += 4;
    }
    while (at < last && *at != (everywhere & 255)) {
        at += 1;
    }
    return at;
}

/* Where the field `count` fields further begins, or `last`. */
static const uint8_t *skip_fields(const struct records *records,
                                  const uint8_t *at, const uint8_t *last,
                                  uint32_t count)
{
    while (count > 0 && at < last) {
        if (*at == '"') {
            /* Two quotes inside quotes look like an end and a beginning. */
            do {
                at += 1;
            } while (at < last && *at != '"');
        } else {
            at = find(at, last, records->separator);
            count -= 1;
        }
        at += at < last;
    }
    return at;
}

/* Up to 18 digits, at most `decimals` of them behind a point. */
static uint64_t long_number(const uint8_t *at, uint32_t decimals)
{
    uint64_t value = 0;
    bool fraction = false;

    for (;; ++at) {
        uint32_t digit = *at - (uint32_t)'0';

        if (digit <= 9) {
            value = value * 10 + digit;
            decimals -= fraction;
        } else if (*at == '.') {
            fraction = true;
        } else {
            break;
        }
    }
    for (; decimals - 1 < DECIMALS_MAX; --decimals) {
        value *= 10;
    }
    return value;
}

/* The number at `place`, which moves to its end. Nearly all numbers fit 32 bits
   and have all their decimals. */
static int64_t number_at(const uint8_t **place, uint32_t decimals)
{
    const uint8_t *at = *place;
    const uint8_t *from;
    const uint8_t *point = NULL;
    uint32_t value = 0;
    uint32_t digit;
    uint64_t magnitude;
    bool negative = false;

    digit = *at - (uint32_t)'0';
    if (digit > 9) {
        at += *at == '"';
        negative = *at == '-';
        at += negative || *at == '+';
        digit = *at - (uint32_t)'0';
    }
    from = at;
    for (;;) {
        if (digit <= 9) {
            do {
                value = value * 10 + digit;
                digit = *++at - (uint32_t)'0';
            } while (digit <= 9);
        }
        if (*at != '.') {
            break;
        }
        point = at;
        digit = *++at - (uint32_t)'0';
    }
    *place = at;
    magnitude =
        (uint32_t)(at - from) <= SHORT_DIGITS &&
                (point != NULL ? (uint32_t)(at - point) - 1 : 0) == decimals
            ? value
            : long_number(from, decimals);
    return (int64_t)(negative ? 0 - magnitude : magnitude);
}

#define TEXT_END 256u

/* The next byte of a field's text, or TEXT_END. */
static inline uint32_t next_byte(const struct records *records,
                                 const uint8_t **at, bool quoted)
{
    uint32_t byte = *(*at)++;

    if (byte == '\n') {
        return TEXT_END;
    }
    if (!quoted) {
        return byte == (records->separator & 255) || byte == '\r' ? TEXT_END
                                                                  : byte;
    }
    if (byte == '"') {
        return *(*at)++ == '"' ? byte : TEXT_END;
    }
    return byte == records->newline ? '\n' : byte;
}

/* The field's text from here on, compared with that of the condition. */
static uint32_t compare(const struct records *records, const uint8_t *at,
                        bool quoted)
{
    uint32_t byte;

    for (uint32_t i = 0; i < records->text_bytes; ++i) {
        byte = next_byte(records, &at, quoted);
        if (byte != records->text[i]) {
            return byte == TEXT_END || byte < records->text[i] ? LESS : GREATER;
        }
    }
    byte = next_byte(records, &at, quoted);
    return BEGINS | (byte == TEXT_END ? EQUAL : GREATER);
}

/* Looks for the condition's text from `place` on, which moves. */
static bool contains(const struct records *records, const uint8_t **place,
                     bool quoted)
{
    const uint8_t *at = *place;
    bool found = false;

    for (;;) {
        const uint8_t *here;

        while (records->stops[*at] == 0) {
            at += 1;
        }
        *place = at;
        found = compare(records, at, quoted) >= BEGINS;
        here = at;
        if (found || next_byte(records, &here, quoted) == TEXT_END) {
            return found;
        }
        at = here;
    }
}

/* ---- records ---- */

/* Judges the field at `place`, which may move on in it. */
static bool accepted(const struct records *records, const uint8_t **place,
                     int64_t *value)
{
    const uint8_t *at = *place;
    bool quoted = *at == '"';

    if ((records->flags & FLAG_NUMBER) != 0) {
        *value = number_at(place, records->decimals);
        return (records->accepted & (*value < records->number    ? LESS
                                     : *value == records->number ? EQUAL
                                                                 : GREATER)) !=
               0;
    }
    at += quoted;
    if (records->accepted == CONTAINS) {
        *place = at;
        return contains(records, place, quoted);
    }
    return (records->accepted & compare(records, at, quoted)) != 0;
}

static void add(struct totals *totals, int64_t value)
{
    totals->sum += (uint64_t)value;
    totals->sum_high +=
        (value < 0 ? UINT32_MAX : 0) + (totals->sum < (uint64_t)value);
    totals->least = value < totals->least ? value : totals->least;
    totals->greatest = value > totals->greatest ? value : totals->greatest;
}

/*
 * Judges the record at `place`, counts it if it is owned and accepted, and
 * moves on to some field of it. Result: whether it is accepted.
 */
static bool judge(const struct records *records, struct totals *totals,
                  const uint8_t **place, const uint8_t *last, bool owned)
{
    const uint8_t *sum_at = *place;
    int64_t value = 0;

    if (records->first > 0) {
        sum_at = skip_fields(records, sum_at, last, records->first);
    }
    *place = sum_at;
    if ((records->flags & FLAG_SUM_FIRST) != 0) {
        *place = skip_fields(records, sum_at, last, records->between);
    }
    if (!accepted(records, place, &value)) {
        return false;
    }
    if (!owned) {
        return true;
    }
    totals->count += 1;
    if ((records->flags & FLAG_SUM) == 0) {
        return true;
    }
    if (records->between > 0 || (records->flags & FLAG_NUMBER) == 0) {
        if ((records->flags & FLAG_SUM_FIRST) == 0) {
            sum_at = skip_fields(records, sum_at, last, records->between);
            *place = sum_at;
        }
        value = number_at(&sum_at, records->sum_decimals);
    }
    add(totals, value);
    return true;
}

/* Where the record begins in which the range begins. */
static const uint8_t *record_before(const struct kernel_range *range)
{
    const uint8_t *at = range->data;
    const uint8_t *first = at - range->before_bytes;

    while (at > first && at[-1] != '\n') {
        at -= 1;
    }
    return at;
}

static void copy_row(struct kernel_result *result,
                     const struct kernel_range *range, const uint8_t *from,
                     const uint8_t *to)
{
    const uint8_t *stop = range->data + kernel_range_bytes(range);

    from = from < range->data ? range->data : from;
    to = to > stop ? stop : to;
    memcpy(result->output + result->output_bytes, from, (size_t)(to - from));
    result->output_bytes += (uint32_t)(to - from);
}

static void store(const struct records *records, struct kernel_result *result,
                  const struct totals *totals)
{
    uint8_t *out = result->data;

    kernel_store_u64(out, totals->count);
    kernel_store_u64(out + 8, totals->sum);
    kernel_store_u32(out + 16, totals->sum_high);
    kernel_store_u32(out + 20, (records->flags & FLAG_SUM) != 0
                                   ? records->sum_decimals
                                   : NO_SUM);
    kernel_store_u64(out + 24, (uint64_t)totals->least);
    kernel_store_u64(out + 32, (uint64_t)totals->greatest);
    result->bytes = RESULT_BYTES;
}

static void records_run(const void *work, struct kernel_result *result,
                        const struct kernel_range *range)
{
    const struct records *records = (const struct records *)work;
    const uint8_t *stop = range->data + kernel_range_bytes(range);
    const uint8_t *end = stop + range->after_bytes;
    bool rows = (records->flags & FLAG_ROWS) != 0;
    struct totals totals = {.least = INT64_MAX, .greatest = INT64_MIN};
    const uint8_t *at = rows ? record_before(range) : range->data;
    /* Whether the line at hand is no record of this range. */
    bool foreign = !rows && range->before_bytes > 0 && at[-1] != '\n';

    result->output_bytes = 0;
    while (end > at && end[-1] != '\n') {
        end -= 1; /* what is behind it belongs to nobody here */
    }
    while (at < stop && at < end) {
        const uint8_t *from = at;
        bool wanted =
            !foreign && *at != '\n' && *at != '\r' &&
            judge(records, &totals, &at, end - 1, from >= range->data);

        at = find(at, end - 1, EVERYWHERE((uint32_t)'\n')) + 1;
        if (wanted && rows) {
            copy_row(result, range, from, at);
        }
        foreign = false;
    }
    store(records, result, &totals);
}

/* ---- results ---- */

static void load(struct totals *totals, const uint8_t *at)
{
    totals->count = kernel_load_u64(at);
    totals->sum = kernel_load_u64(at + 8);
    totals->sum_high = kernel_load_u32(at + 16);
    totals->least = (int64_t)kernel_load_u64(at + 24);
    totals->greatest = (int64_t)kernel_load_u64(at + 32);
}

static int records_merge(const void *work, struct kernel_result *into,
                         const struct kernel_result *next)
{
    struct totals totals;
    struct totals more;

    if (next->bytes != RESULT_BYTES ||
        kernel_load_u32(next->data + 20) != kernel_load_u32(into->data + 20)) {
        return KERNEL_RESULT;
    }
    load(&totals, into->data);
    load(&more, next->data);
    totals.count += more.count;
    totals.sum += more.sum;
    totals.sum_high += more.sum_high + (totals.sum < more.sum);
    totals.least = more.least < totals.least ? more.least : totals.least;
    totals.greatest =
        more.greatest > totals.greatest ? more.greatest : totals.greatest;
    store((const struct records *)work, into, &totals);
    return KERNEL_OK;
}

/* "-12.50" and a newline: digits of 96 bits, from the last. */
static void report_number(const struct kernel_sink *sink, const char *name,
                          uint64_t low, uint32_t high, uint32_t decimals)
{
    uint8_t line[40];
    uint32_t at = sizeof line;
    bool negative = high >> 31 != 0;
    uint32_t word[3] = {(uint32_t)low, (uint32_t)(low >> 32), high};
    uint32_t carry = negative;
    uint32_t left = decimals + 1;

    for (unsigned i = 0; i < 3 && negative; ++i) {
        word[i] = ~word[i] + carry;
        carry = carry != 0 && word[i] == 0;
    }
    line[--at] = '\n';
    do {
        uint64_t rest = 0;

        if (left == 1 && decimals > 0) {
            line[--at] = '.';
        }
        for (unsigned i = 3; i-- > 0;) {
            rest = rest << 32 | word[i];
            word[i] = (uint32_t)(rest / 10);
            rest %= 10;
        }
        line[--at] = (uint8_t)('0' + rest);
        left -= left > 0;
    } while (left > 0 || (word[0] | word[1] | word[2]) != 0);
    if (negative) {
        line[--at] = '-';
    }
    sink->lines(sink->context, name, line + at, (uint32_t)sizeof line - at);
}

static void records_report(const struct kernel_result *result,
                           const struct kernel_sink *sink)
{
    struct totals totals;
    uint32_t decimals = kernel_load_u32(result->data + 20);

    load(&totals, result->data);
    sink->integer(sink->context, "count", totals.count);
    if (decimals > DECIMALS_MAX || totals.count == 0) {
        return;
    }
    report_number(sink, "sum", totals.sum, totals.sum_high, decimals);
    report_number(sink, "min", (uint64_t)totals.least,
                  totals.least < 0 ? UINT32_MAX : 0, decimals);
    report_number(sink, "max", (uint64_t)totals.greatest,
                  totals.greatest < 0 ? UINT32_MAX : 0, decimals);
}

const struct kernel kernel_records = {
    .name = "records",
    .argument = KERNEL_FOR_PEOPLE("a column, a condition and a value"),
    .summary = KERNEL_FOR_PEOPLE(
        "selects the rows of a table whose column satisfies a condition"),
    .work_bytes = sizeof(struct records),
    .begin = records_begin,
    .run = records_run,
    .merge = records_merge,
    .report = KERNEL_FOR_PEOPLE(records_report),
};
