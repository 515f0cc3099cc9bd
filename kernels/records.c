/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a table (CSV, RFC 4180) that satisfy all of some conditions: how
 * many, a column's sum, least and greatest, of all or of each group of rows,
 * and, if asked for, the rows themselves.
 *
 * The load is the table without its header row. Every record ends with a
 * newline, or with a carriage return and a newline. The host replaces a newline
 * inside quotes by a byte that the table does not contain, and checks that
 * every record has the columns that are asked for, and numbers where numbers
 * are needed; a summed cell may be empty. With groups, a record begins with the
 * number of its group. A load without these gives a wrong result, but is never
 * read outside its bounds. Empty lines are no records.
 *
 * A range owns the records that begin in it. Of the output it owns its bytes:
 * a row that lies in two ranges is judged by both, and each returns the part
 * that lies in it. So a range never returns more bytes than it has.
 *
 * Numbers are decimal, up to 18 digits, as int64 times 10^decimals. Text is
 * compared byte by byte, after quotes are taken off. Other numbers the host
 * writes as letters: of each 32-bit word eight, one of a to p for four bits,
 * after half of the range is added. Their order is that of text.
 *
 * Argument: the first fields of struct records, ARG_BYTES. For each condition
 * the first fields of struct condition, CONDITION_BYTES; then the number as
 * i64, or the text, which is not empty for CONTAINS, and bytes up to a multiple
 * of 4. Result: struct totals of each group. Output: rows.
 */
#include "kernels/kernel.h"

#define ARG_BYTES 16u
#define CONDITION_BYTES 8u
#define CONDITIONS_MAX 8u
#define TEXT_MAX 255u
#define WORDS_MAX 19u /* 32-bit words of a number */
#define NARROW_WORDS 2u
#define RESULT_MAX 16384u
#define DECIMALS_MAX 18u
#define RECORD_MAX (1u << 20)
#define NO_SUM 255u
#define SHORT_DIGITS 9u /* digits that 32 bits always hold */

#define FLAG_SUM 2u  /* a column is summed */
#define FLAG_ROWS 8u /* rows are returned */

#define LESS 1u
#define EQUAL 2u
#define GREATER 4u
#define BEGINS 8u
#define CONTAINS 16u

/* A function that is inlined wherever it is called, and one that never is, so
   that the code of most records stays short. */
#define INLINE static inline __attribute__((always_inline))
#define APART static __attribute__((noinline))

/* A word with `byte` in all four bytes. */
#define EVERYWHERE(byte) ((byte)*0x01010101u)

struct condition {
    uint16_t column;  /* index of the column */
    uint8_t accepted; /* bits of LESS to CONTAINS that are accepted */
    uint8_t numbers;  /* not 0: numbers are compared; 0: text */
    uint8_t decimals; /* decimals of the column */
    uint8_t bytes;    /* length of the text; 8: of the number */
    uint8_t unused[2];

    int64_t number;
    const uint8_t *text;
    uint8_t stops[256]; /* by byte; not 0: the text may begin or the field end
                           with it */
};

struct records {
    uint8_t separator; /* byte between two columns */
    uint8_t newline;   /* byte for a newline in quotes; '\n': there is none */
    uint8_t flags;     /* FLAG_SUM and FLAG_ROWS */
    uint8_t letters; /* words of a summed number in letters; 0: it is decimal */
    uint16_t sum;    /* index of the summed column */
    uint16_t groups; /* number of groups; 0: there are none */
    uint32_t longest; /* bytes of the longest record */
    uint32_t label;   /* returned in each result: the summed column's decimals
                         or NO_SUM, 256 times .words, and a checksum of the
                         groups' names from bit 16 on */

    uint32_t separators; /* the separator in all four bytes */
    uint32_t conditions;
    uint32_t first;   /* index of the first column that is read */
    uint32_t between; /* columns from the first one read to the other */
    bool sum_first;   /* the summed column is before the first condition's */
    uint32_t words;   /* words of a summed number */
    uint32_t entry;   /* bytes of the totals of a group */
    uint32_t result_bytes;
    struct condition condition[CONDITIONS_MAX];
};

/* What accepted records of a group add up to. Numbers are times 10^decimals, in
   two's complement, the lowest word first. */
struct totals {
    uint32_t count;
    uint32_t values; /* number of summed cells that are not empty */
    uint32_t label;
    uint32_t word[]; /* .words + 1 of the sum, .words of the least number, and
                        .words of the greatest */
};

/* The numbers of totals with NARROW_WORDS; results are only 4-byte aligned. */
struct __attribute__((packed, aligned(4), may_alias)) narrow {
    uint64_t sum;
    uint32_t sum_high;
    int64_t least;
    int64_t greatest;
};

/* ---- the argument ---- */

static void set_stops(const struct records *records,
                      struct condition *condition)
{
    uint8_t *stops = condition->stops;

    memset(stops, 0, sizeof condition->stops);
    if (condition->bytes > 0) {
        stops[condition->text[0]] = 1;
    }
    stops[records->newline] = 1;
    stops[records->separator] = 1;
    stops['"'] = 1;
    stops['\r'] = 1;
    stops['\n'] = 1;
}

/* Loads a condition from at most `left` bytes. Returns their number that it
   takes, or 0. */
static uint32_t load_condition(const struct records *records,
                               struct condition *condition, const uint8_t *at,
                               uint32_t left)
{
    bool numbers;
    uint32_t bytes;

    if (left < CONDITION_BYTES) {
        return 0;
    }
    memcpy(condition, at, CONDITION_BYTES);
    numbers = condition->numbers != 0;
    bytes = CONDITION_BYTES + ((condition->bytes + 3u) & ~3u);
    if (left < bytes || condition->decimals > DECIMALS_MAX ||
        (numbers && (condition->bytes != 8 || condition->accepted >= BEGINS)) ||
        (condition->bytes == 0 && condition->accepted == CONTAINS)) {
        return 0;
    }
    if (numbers) {
        condition->number = (int64_t)kernel_load_u64(at + CONDITION_BYTES);
    } else {
        condition->text = at + CONDITION_BYTES;
        set_stops(records, condition);
    }
    return bytes;
}

/* Loads one condition or more. */
static int load_conditions(struct records *records, const uint8_t *at,
                           uint32_t left)
{
    records->conditions = 0;
    do {
        uint32_t bytes =
            records->conditions < CONDITIONS_MAX
                ? load_condition(records,
                                 &records->condition[records->conditions], at,
                                 left)
                : 0;

        if (bytes == 0) {
            return KERNEL_ARGUMENT;
        }
        records->conditions += 1;
        at += bytes;
        left -= bytes;
    } while (left > 0);
    return KERNEL_OK;
}

/* Returns the length of the totals of numbers of so many words. */
static uint32_t entry_bytes(uint32_t words)
{
    return (uint32_t)sizeof(struct totals) + 4 * (3 * words + 1);
}

/* Fills in the fields that are not of the argument. */
static void prepare(struct records *records)
{
    uint32_t column = records->condition[0].column;
    uint32_t groups = records->groups > 0 ? records->groups : 1;

    records->sum_first = records->sum < column;
    records->first = records->sum_first ? records->sum : column;
    records->between =
        records->sum_first ? column - records->sum : records->sum - column;
    records->words = records->letters > 0 ? records->letters : NARROW_WORDS;
    records->entry = entry_bytes(records->words);
    records->result_bytes = groups * records->entry;
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
    if (records->longest > RECORD_MAX || records->letters > WORDS_MAX ||
        (records->letters == 0 && (records->label & 255) > DECIMALS_MAX &&
         (records->flags & FLAG_SUM) != 0)) {
        return KERNEL_ARGUMENT;
    }
    records->separators = EVERYWHERE(records->separator);
    if (load_conditions(records, job->arg + ARG_BYTES,
                        job->arg_bytes - ARG_BYTES) != KERNEL_OK) {
        return KERNEL_ARGUMENT;
    }
    prepare(records);
    /* A cell that is compared as a number is summed as one. */
    if (records->result_bytes > RESULT_MAX ||
        (records->letters > 0 && records->between == 0 &&
         records->condition[0].numbers != 0)) {
        return KERNEL_ARGUMENT;
    }
    terms->before_bytes = 1;
    terms->after_bytes = records->longest;
    terms->result_bytes_max = records->result_bytes;
    terms->result_fixed = records->groups > 0;
    terms->instructions_per_1000_units = 7000 * job->unit_bytes;
    if ((records->flags & FLAG_ROWS) != 0) {
        terms->before_bytes = records->longest;
        terms->output_numerator = (uint16_t)job->unit_bytes;
        terms->output_denominator = 1;
        terms->output_varies = true;
    }
    return KERNEL_OK;
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
            at = find(at, last, records->separators);
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
INLINE int64_t number_at(const uint8_t **place, uint32_t decimals)
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

APART int64_t number_of(const uint8_t *at, uint32_t decimals)
{
    return number_at(&at, decimals);
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
        return byte == records->separator || byte == '\r' ? TEXT_END : byte;
    }
    if (byte == '"') {
        return *(*at)++ == '"' ? byte : TEXT_END;
    }
    return byte == records->newline ? '\n' : byte;
}

/* Compares a field's text from `at` on with the condition's. Returns LESS or
   GREATER, or, if the field begins with the condition's text, BEGINS and one
   of EQUAL and GREATER. */
static uint32_t compare(const struct records *records,
                        const struct condition *condition, const uint8_t *at,
                        bool quoted)
{
    uint32_t byte;

    for (uint32_t i = 0; i < condition->bytes; ++i) {
        byte = next_byte(records, &at, quoted);
        if (byte != condition->text[i]) {
            return byte == TEXT_END || byte < condition->text[i] ? LESS
                                                                 : GREATER;
        }
    }
    byte = next_byte(records, &at, quoted);
    return BEGINS | (byte == TEXT_END ? EQUAL : GREATER);
}

/* Returns whether a field has the condition's text; `place` moves on in it. */
INLINE bool contains(const struct records *records,
                     const struct condition *condition, const uint8_t **place,
                     bool quoted)
{
    const uint8_t *at = *place;
    bool found = false;

    for (;;) {
        const uint8_t *here;

        while (condition->stops[*at] == 0) {
            at += 1;
        }
        *place = at;
        found = (quoted || *at == condition->text[0]) &&
                compare(records, condition, at, quoted) >= BEGINS;
        here = at;
        if (found || next_byte(records, &here, quoted) == TEXT_END) {
            return found;
        }
        at = here;
    }
}

/* ---- records ---- */

/* Judges the text at `place`, which may move on in it. */
APART bool accepts_text(const struct records *records,
                        const struct condition *condition,
                        const uint8_t **place)
{
    const uint8_t *at = *place;
    bool quoted = *at == '"';

    at += quoted;
    if (condition->accepted == CONTAINS) {
        *place = at;
        return contains(records, condition, place, quoted);
    }
    return (condition->accepted & compare(records, condition, at, quoted)) != 0;
}

/* Judges the field at `place`, which may move on in it. */
INLINE bool accepted(const struct records *records,
                     const struct condition *condition, const uint8_t **place,
                     int64_t *value)
{
    if (condition->numbers == 0) {
        return accepts_text(records, condition, place);
    }
    *value = number_at(place, condition->decimals);
    return (condition->accepted & (*value < condition->number    ? LESS
                                   : *value == condition->number ? EQUAL
                                                                 : GREATER)) !=
           0;
}

/* Returns whether the record at `from` satisfies all conditions but the first.
 */
APART bool meets_others(const struct records *records, const uint8_t *from,
                        const uint8_t *last)
{
    for (uint32_t i = 1; i < records->conditions; ++i) {
        const struct condition *condition = &records->condition[i];
        const uint8_t *at = skip_fields(records, from, last, condition->column);
        int64_t value;

        if (!accepted(records, condition, &at, &value)) {
            return false;
        }
    }
    return true;
}

static void add_narrow(struct totals *totals, int64_t value)
{
    struct narrow *sums = (struct narrow *)(void *)totals->word;

    totals->values += 1;
    sums->sum += (uint64_t)value;
    sums->sum_high +=
        (value < 0 ? UINT32_MAX : 0) + (sums->sum < (uint64_t)value);
    sums->least = value < sums->least ? value : sums->least;
    sums->greatest = value > sums->greatest ? value : sums->greatest;
}

/* Takes a number over if it is less, or greater, than the one that is there. */
static void take_end(uint32_t *end, const uint32_t *number, uint32_t words,
                     bool less)
{
    uint32_t sign = 0x80000000u; /* flips the order of the highest words */
    uint32_t at = words;
    uint32_t own;
    uint32_t other;

    do {
        at -= 1;
        own = end[at] ^ sign;
        other = number[at] ^ sign;
        sign = 0;
    } while (at > 0 && own == other);
    if (less ? other < own : other > own) {
        memcpy(end, number, words * sizeof *end);
    }
}

/* Adds a sum of words + 1 words, a least and a greatest number. */
static void add_numbers(struct totals *totals, const uint32_t *sum,
                        const uint32_t *least, const uint32_t *greatest,
                        uint32_t words)
{
    uint32_t *word = totals->word;
    uint64_t carry = 0;

    for (uint32_t i = 0; i <= words; ++i) {
        carry += (uint64_t)word[i] + sum[i];
        word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    take_end(word + words + 1, least, words, true);
    take_end(word + 2 * words + 1, greatest, words, false);
}

/* Adds the cell at `at`, a number in letters. */
APART void add_letters(struct totals *totals, const uint8_t *at, uint32_t words)
{
    uint32_t value[WORDS_MAX + 1];
    uint32_t word = 0;

    for (uint32_t i = words * 8; i-- > 0;) {
        word = word << 4 | (((uint32_t)*at++ - 'a') & 15);
        value[i / 8] = word;
    }
    value[words - 1] ^= 0x80000000u;
    value[words] = (value[words - 1] >> 31) != 0 ? UINT32_MAX : 0;
    totals->values += 1;
    add_numbers(totals, value, value, value, words);
}

/* Returns where in the result the totals of the record's group are. */
APART uint32_t group_at(const struct records *records, const uint8_t *record)
{
    uint32_t group = (uint32_t)number_of(record, 0);

    return group < records->groups ? group * records->entry : 0;
}

static bool is_empty(const struct records *records, const uint8_t *at)
{
    return *at == records->separator || *at == '\r' || *at == '\n';
}

/* Adds the summed cell at `at` to the totals. */
static void add_cell(const struct records *records, struct totals *totals,
                     const uint8_t *at, const uint8_t *last)
{
    if (is_empty(records, at)) {
        return;
    }
    if (records->letters == 0) {
        add_narrow(totals, number_of(at, records->label & 255));
    } else if (last - at >= 8 * records->letters) {
        add_letters(totals, at, records->letters);
    }
}

/*
 * Judges the record at `place`, counts it if it is owned and accepted, and
 * moves on to some field of it. Result: whether it is accepted.
 */
static bool judge(const struct records *records, uint8_t *result,
                  const uint8_t **place, const uint8_t *last, bool owned)
{
    const struct condition *condition = &records->condition[0];
    const uint8_t *from = *place;
    const uint8_t *sum_at = from;
    struct totals *totals;
    int64_t value = 0;

    if (records->first > 0) {
        sum_at = skip_fields(records, sum_at, last, records->first);
    }
    *place = sum_at;
    if (records->sum_first) {
        *place = skip_fields(records, sum_at, last, records->between);
    }
    if (!accepted(records, condition, place, &value) ||
        (records->conditions > 1 && !meets_others(records, from, last))) {
        return false;
    }
    if (!owned) {
        return true;
    }
    if (records->groups > 0) {
        result += group_at(records, from);
    }
    totals = (struct totals *)(void *)result;
    totals->count += 1;
    if ((records->flags & FLAG_SUM) == 0) {
        return true;
    }
    if (records->between == 0 && condition->numbers != 0) {
        add_narrow(totals, value);
        return true;
    }
    if (!records->sum_first) {
        sum_at = skip_fields(records, sum_at, last, records->between);
        *place = sum_at;
    }
    add_cell(records, totals, sum_at, last);
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

/* Writes the totals of no rows. */
static void clear(const struct records *records, struct kernel_result *result)
{
    memset(result->data, 0, records->result_bytes);
    for (uint32_t at = 0; at < records->result_bytes; at += records->entry) {
        struct totals *totals = (struct totals *)(void *)(result->data + at);
        uint32_t *least = totals->word + records->words + 1;
        uint32_t *greatest = least + records->words;

        totals->label = records->label;
        memset(least, 255, records->words * sizeof *least);
        least[records->words - 1] = INT32_MAX;
        greatest[records->words - 1] = 1u << 31;
    }
    result->bytes = records->result_bytes;
    result->output_bytes = 0;
}

static void records_run(const void *work, struct kernel_result *result,
                        const struct kernel_range *range)
{
    const struct records *records = (const struct records *)work;
    const uint8_t *stop = range->data + kernel_range_bytes(range);
    const uint8_t *end = stop + range->after_bytes;
    bool rows = (records->flags & FLAG_ROWS) != 0;
    const uint8_t *at = rows ? record_before(range) : range->data;
    /* Whether the line at `at` began before this range. */
    bool foreign = !rows && range->before_bytes > 0 && at[-1] != '\n';

    clear(records, result);
    while (end > at && end[-1] != '\n') {
        end -= 1; /* bytes after the last newline are of no whole record */
    }
    while (at < stop && at < end) {
        const uint8_t *from = at;
        bool wanted =
            !foreign && *at != '\n' && *at != '\r' &&
            judge(records, result->data, &at, end - 1, from >= range->data);

        at = find(at, end - 1, EVERYWHERE((uint32_t)'\n')) + 1;
        if (wanted && rows) {
            copy_row(result, range, from, at);
        }
        foreign = false;
    }
}

/* ---- results ---- */

static int records_merge(const void *work, struct kernel_result *into,
                         const struct kernel_result *next)
{
    const struct records *records = (const struct records *)work;

    if (next->bytes != into->bytes || into->bytes != records->result_bytes) {
        return KERNEL_RESULT;
    }
    for (uint32_t at = 0; at < into->bytes; at += records->entry) {
        struct totals *totals = (struct totals *)(void *)(into->data + at);
        const struct totals *more =
            (const struct totals *)(const void *)(next->data + at);

        if (more->label != totals->label) {
            return KERNEL_RESULT;
        }
        totals->count += more->count;
        totals->values += more->values;
        add_numbers(totals, more->word, more->word + records->words + 1,
                    more->word + 2 * records->words + 1, records->words);
    }
    return KERNEL_OK;
}

/* Reports the number of rows; qemu/format/records.c reports the numbers. */
static void records_report(const struct kernel_result *result,
                           const struct kernel_sink *sink)
{
    uint32_t entry = entry_bytes(kernel_load_u32(result->data + 8) >> 8 & 255);
    uint64_t count = 0;

    for (uint32_t at = 0; at < result->bytes; at += entry) {
        count += kernel_load_u32(result->data + at);
    }
    sink->integer(sink->context, "count", count);
}

const struct kernel kernel_records = {
    .name = "records",
    .argument =
        KERNEL_FOR_PEOPLE("conditions on columns, a column to be summed"),
    .summary = KERNEL_FOR_PEOPLE(
        "selects the rows of a table that satisfy conditions"),
    .work_bytes = sizeof(struct records),
    .begin = records_begin,
    .run = records_run,
    .merge = records_merge,
    .report = KERNEL_FOR_PEOPLE(records_report),
};
