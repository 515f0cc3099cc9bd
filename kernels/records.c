/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a table (CSV, RFC 4180) whose column satisfies a condition: how many,
 * a column's sum, least and greatest, and, if asked for, the rows themselves.
 *
 * The load is the table without its header row. Every record ends with a
 * newline, or with a carriage return and a newline. The host replaces a newline
 * inside quotes by a byte that the table does not contain, and checks that
 * every record has the columns that are asked for, and numbers where numbers
 * are needed. A load without these gives a wrong result, but is never read
 * outside its bounds. Empty lines are no records.
 *
 * A range owns the records that begin in it. Of the output it owns its bytes:
 * a row that lies in two ranges is judged by both, and each returns the part
 * that lies in it. So a range never returns more bytes than it has.
 *
 * Numbers are decimal, up to 18 digits, as int64 times 10^decimals. Text is
 * compared byte by byte, after quotes are taken off.
 *
 * Argument: the first fields of struct records, ARG_BYTES; then the number as
 * i64, or the text, which is not empty for BEGINS and CONTAINS. Result: struct
 * totals. Output: rows.
 */
#include "kernels/kernel.h"

#define ARG_BYTES 36u
#define TEXT_MAX 255u
#define DECIMALS_MAX 18u
#define RECORD_MAX (1u << 20)
#define NO_SUM 255u
#define SHORT_DIGITS 9u /* digits that 32 bits always hold */

#define FLAG_NUMBER 1u    /* the condition compares numbers; not set: text */
#define FLAG_SUM 2u       /* a column is summed */
#define FLAG_SUM_FIRST 4u /* the summed column is before the condition's */
#define FLAG_ROWS 8u      /* rows are returned */

#define LESS 1u
#define EQUAL 2u
#define GREATER 4u
#define BEGINS 8u
#define CONTAINS 16u

/* A word with `byte` in all four bytes. */
#define EVERYWHERE(byte) ((byte)*0x01010101u)

struct records {
    uint32_t separator; /* byte between two columns; begin() repeats it four
                           times */
    uint32_t newline;   /* byte for a newline in quotes; '\n': there is none */
    uint32_t accepted;  /* bits of LESS to CONTAINS that are accepted */
    uint32_t flags;     /* bits of FLAG_NUMBER to FLAG_ROWS */
    uint32_t first;     /* index of the first column that is read */
    uint32_t between;   /* columns from the first one read to the other */
    uint32_t decimals;  /* decimals of the condition's column */
    uint32_t sum_decimals; /* decimals of the summed column */
    uint32_t longest;      /* bytes of the longest record */

    int64_t number;
    const uint8_t *text;
    uint32_t text_bytes;
    uint8_t stops[256]; /* by byte; not 0: the text may begin or the field end
                           with it */
};

/* What accepted records add up to: numbers times 10^decimals. */
struct totals {
    uint64_t count;
    uint64_t sum;      /* lowest 64 of 96 bits */
    uint32_t sum_high; /* highest 32 bits */
    uint32_t decimals; /* NO_SUM: there is no summed column */
    int64_t least;
    int64_t greatest;
};
_Static_assert(sizeof(struct totals) == 40, "a result has no gaps");

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

/* Loads the number or the text of the condition. */
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

    if (job->arg_bytes < ARG_BYTES || job->unit_bytes == 0 ||
        job->unit_bytes > KERNEL_OUTPUT_MAX) {
        return KERNEL_ARGUMENT;
    }
    memcpy(records, job->arg, ARG_BYTES);
    if (records->newline > 255 || records->decimals > DECIMALS_MAX ||
        records->sum_decimals > DECIMALS_MAX || records->longest > RECORD_MAX) {
        return KERNEL_ARGUMENT;
    }
    records->separator = EVERYWHERE(records->separator & 255);
    terms->before_bytes = 1;
    terms->after_bytes = records->longest;
    terms->result_bytes_max = sizeof(struct totals);
    terms->instructions_per_1000_units = 7000 * job->unit_bytes;
    if ((records->flags & FLAG_ROWS) != 0) {
        terms->before_bytes = records->longest;
        terms->output_numerator = (uint16_t)job->unit_bytes;
        terms->output_denominator = 1;
        terms->output_varies = true;
    }
    return load_value(records, job->arg + ARG_BYTES,
                      job->arg_bytes - ARG_BYTES);
}

/* ---- fields: `last` is at the last newline ---- */

/* Returns the first place of the byte that `everywhere` repeats, or `last`.
   Looks at four bytes at once: the lowest bit set in `zero` is of the first
   byte that matches. */
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

/* Returns where the field that is `count` fields after `at` begins, or `last`.
 */
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

/* Returns a number times 10^decimals: up to 18 digits, at most `decimals` of
   them behind a point. */
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

/* Returns the number at `place` times 10^decimals; `place` moves to its end.
   Nearly all numbers fit 32 bits and have all their decimals. */
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

/* Returns the next byte of a field's text, or TEXT_END; *at moves on. */
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

/* Compares a field's text from `at` on with the condition's. Returns LESS or
   GREATER, or, if the field begins with the condition's text, BEGINS and one
   of EQUAL and GREATER. */
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

/* Returns whether a field has the condition's text; `place` moves on in it. */
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

/* Returns the begin of the record in which the range begins. */
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

static void records_run(const void *work, struct kernel_result *result,
                        const struct kernel_range *range)
{
    const struct records *records = (const struct records *)work;
    const uint8_t *stop = range->data + kernel_range_bytes(range);
    const uint8_t *end = stop + range->after_bytes;
    bool rows = (records->flags & FLAG_ROWS) != 0;
    struct totals totals = {.least = INT64_MAX, .greatest = INT64_MIN};
    const uint8_t *at = rows ? record_before(range) : range->data;
    /* Whether the line at `at` began before this range. */
    bool foreign = !rows && range->before_bytes > 0 && at[-1] != '\n';

    result->output_bytes = 0;
    while (end > at && end[-1] != '\n') {
        end -= 1; /* bytes after the last newline are of no whole record */
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
    totals.decimals =
        (records->flags & FLAG_SUM) != 0 ? records->sum_decimals : NO_SUM;
    memcpy(result->data, &totals, sizeof totals);
    result->bytes = sizeof totals;
}

/* ---- results ---- */

static int records_merge(const void *work, struct kernel_result *into,
                         const struct kernel_result *next)
{
    struct totals totals;
    struct totals more;

    (void)work;
    memcpy(&totals, into->data, sizeof totals);
    if (next->bytes != sizeof more) {
        return KERNEL_RESULT;
    }
    memcpy(&more, next->data, sizeof more);
    if (more.decimals != totals.decimals) {
        return KERNEL_RESULT;
    }
    totals.count += more.count;
    totals.sum += more.sum;
    totals.sum_high += more.sum_high + (totals.sum < more.sum);
    totals.least = more.least < totals.least ? more.least : totals.least;
    totals.greatest =
        more.greatest > totals.greatest ? more.greatest : totals.greatest;
    memcpy(into->data, &totals, sizeof totals);
    return KERNEL_OK;
}

static void records_report(const struct kernel_result *result,
                           const struct kernel_sink *sink)
{
    struct totals totals;

    memcpy(&totals, result->data, sizeof totals);
    sink->integer(sink->context, "count", totals.count);
    if (totals.decimals <= DECIMALS_MAX && totals.count > 0) {
        kernel_wide sum = kernel_wide_of((int32_t)totals.sum_high, totals.sum);

        kernel_report_wide(sink, "sum", sum, totals.decimals);
        kernel_report_wide(sink, "min", totals.least, totals.decimals);
        kernel_report_wide(sink, "max", totals.greatest, totals.decimals);
    }
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
