/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All occurrences of byte patterns, overlapping ones included. A range owns the
 * occurrences that begin in it, and sees the longest pattern's length - 1 bytes
 * beyond its end.
 *
 * Argument: one pattern as it is, 1 to 255 bytes; or options and patterns:
 *
 *   "(?" ["i"] ["o"] [separator] ")" pattern { separator pattern }
 *
 * i: letters of ASCII stand for both cases. o: there is an output, a bit for
 * each byte of the load, which is set where a pattern begins. The separator is
 * any byte but a letter, a digit of ASCII and ")". So "(?)" begins a pattern
 * that would be taken for options. Everything else that begins with "(?" is one
 * pattern.
 *
 * Result: u32 counts; u64 counts of each pattern, or one of all; u32 offsets in
 * the load, ascending, of all together: the first OFFSETS_MAX of them; beside
 * an output only as many, and as many counts, as fit. Counts are exact.
 *
 * Horspool's search (R. N. Horspool, Practical fast searching in strings,
 * 1980): look at the end of a window as long as the shortest pattern and skip
 * by what it allows. The end is one byte; or for several and for long patterns
 * two, hashed (S. Wu and U. Manber, A fast algorithm for multi-pattern
 * searching, 1994).
 *
 * Many patterns allow no skips. Then the first three or four bytes at each
 * place are hashed, and the patterns listed under the hash are compared (R. M.
 * Karp and M. O. Rabin, Efficient randomized pattern-matching algorithms,
 * 1987). Patterns of one and two bytes are listed apart, by these.
 */
#include "kernels/kernel.h"

#define OFFSETS_MAX 1024u
#define HEAD_BYTES 4u
#define PATTERN_MAX 255u
#define PATTERNS_MAX 255u
#define LONG_PATTERN 6u /* from here on two bytes allow longer skips */
#define ROWS 8u
#define FEW 16u
/* A letter occurs OFTEN times in 1000 bytes of a text, roughly; OFTEN_MOST
   letters make up most of a text. */
#define OFTEN 65u
#define OFTEN_MOST 32u
#define LOOK 100u     /* instructions to compare a pattern, roughly */
#define STEPS 8u      /* skips of a window between two checks of its place */
#define HASHES 11000u /* instructions for 1000 bytes of hashes, roughly */
/* More patterns than MANY, and MANY_BYTE more for each byte of the shortest
   one, are listed by hashes. */
#define MANY 8u
#define MANY_BYTE 4u

/* COLD functions run once in a job. */
#define COLD __attribute__((cold))
#define HOT __attribute__((hot))
#define NOINLINE __attribute__((noinline))

struct pattern {
    uint16_t at; /* in the argument */
    uint8_t length;
    uint8_t next; /* next pattern of a list: its number + 1; 0: none */
};

/* The skip of a window that ends with two bytes is at `two bytes & TWO_MASK`
   of the rows: low bits of the second byte are the row. Lists of patterns fill
   a part of each row. */
#define TWO_MASK 0x073fu
#define FIRST_MASK 0x071fu /* a letter has one key in both cases */

#define SKIPS_BYTES 64u

struct row {
    uint8_t skip[SKIPS_BYTES]; /* by the first byte; 0: a pattern ends so */
    uint8_t first[32]; /* a pattern with this end: its number + 1; 0: none */
    uint8_t unused[160];
};
_Static_assert(sizeof(struct row) == 256, "rows are by bits 8 and up");

/* Lists of patterns by the hash of their first bytes: a number + 1; 0: none.
   Bytes are hashed with the case bit set. */
#define HASH_BITS 11u
#define HASH_FACTOR 0x9e3779b1u /* 2^32 divided by the golden ratio */
#define HASH_BYTES 4u           /* bytes hashed at most */
#define SHORT_BYTES 2u          /* patterns up to this length are not hashed */
#define CASE_BITS 0x20202020u
/* Lists of short patterns by five bits of the first byte and four of the
   second. */
#define SHORT_MASK 0x0f1fu
#define LETTERS 32u
#define SHORTS (16 * LETTERS)

struct search {
    const uint8_t *arg;
    uint32_t patterns;
    uint32_t shortest; /* length of a pattern: that of a window */
    uint32_t longest;
    uint32_t lead;     /* bytes of a window before its end */
    uint32_t after;    /* skip of a window whose patterns were compared */
    uint32_t case_bit; /* 0x20 if either case will do; or 0 */
    uint32_t begins;   /* bits: first bytes of patterns, modulo 32 */
    uint32_t counts;   /* number of counts in a result */
    uint32_t result_bytes_max;
    bool two;  /* a window's end is two bytes, not one */
    bool bits; /* there is an output */
    bool many; /* patterns are listed by hashes, not by the ends of windows */
    uint32_t factor; /* of the hash */
    _Alignas(4) struct pattern pattern[PATTERNS_MAX];
    uint8_t last[PATTERNS_MAX + 1]; /* byte of each pattern */
    union {
        struct row row[ROWS];
        uint8_t hashed[1u << HASH_BITS];
    };
    union {
        uint8_t skip[256]; /* of one byte */
        uint8_t brief[SHORTS];
    };
};

/* ---- the argument ---- */

static bool is_letter(uint32_t byte)
{
    return (byte | 0x20u) - 'a' < 26;
}

/* Returns the length of the options, 0 if there are none; sets case_bit, and
   `separator` if they have it. */
static COLD uint32_t options(struct search *search, int32_t *separator,
                             const struct kernel_job *job)
{
    const uint8_t *arg = job->arg;
    uint32_t bytes = job->arg_bytes;
    uint32_t folds = bytes > 2 && arg[2] == 'i';
    uint32_t bits = bytes > 2 + folds && arg[2 + folds] == 'o';
    uint32_t at = 2 + folds + bits;
    bool separates = at < bytes && arg[at] != ')' && !is_letter(arg[at]) &&
                     arg[at] - (uint32_t)'0' > 9;

    at += separates;
    if (at >= bytes || arg[at] != ')' || memcmp(arg, "(?", 2) != 0) {
        return 0;
    }
    search->case_bit = 0x20u * folds;
    search->bits = bits;
    if (separates) {
        *separator = arg[at - 1];
    }
    return at + 1;
}

/* Adds the pattern at `at` of the argument. Returns false if there are too
   many or its length is not 1 to PATTERN_MAX. */
static COLD bool add_pattern(struct search *search, uint32_t at,
                             uint32_t length)
{
    if (length == 0 || length > PATTERN_MAX ||
        search->patterns == PATTERNS_MAX) {
        return false;
    }
    search->pattern[search->patterns] =
        (struct pattern){(uint16_t)at, (uint8_t)length, 0};
    search->last[search->patterns] = search->arg[at + length - 1];
    search->patterns += 1;
    search->begins |= 1u << (search->arg[at] & 31u);
    search->shortest = length < search->shortest ? length : search->shortest;
    search->longest = length > search->longest ? length : search->longest;
    return true;
}

static COLD bool list_patterns(struct search *search,
                               const struct kernel_job *job)
{
    int32_t separator = -1;
    uint32_t from = options(search, &separator, job);
    uint32_t at = separator < 0 ? job->arg_bytes : from;
    bool fine = true;

    for (; at <= job->arg_bytes && fine; ++at) {
        if (at == job->arg_bytes || job->arg[at] == separator) {
            fine = add_pattern(search, from, at - from);
            from = at + 1;
        }
    }
    return fine;
}

/* ---- skips ---- */

/* Returns two bytes as a number. */
static inline uint32_t two_at(const uint8_t *bytes)
{
    uint16_t two;

    memcpy(&two, bytes, 2);
    return two;
}

static const uint8_t *end_of(const struct search *search, uint32_t number)
{
    return search->arg + search->pattern[number].at + search->lead;
}

/* Returns the first of the patterns with this end, in either case. */
static inline uint32_t first_at(const struct search *search, const uint8_t *end)
{
    uint32_t key = (search->two ? two_at(end) : *end) & FIRST_MASK;

    return search->row[key >> 8].first[key & 0xffu];
}

static inline uint8_t *skips_of(struct search *search)
{
    return search->two ? search->row[0].skip : search->skip;
}

/* Returns the place in the table of skips of windows with this end. */
static inline uint32_t key_of(const uint8_t *end, bool two)
{
    return two ? two_at(end) & TWO_MASK : *end;
}

/* Returns the key of an end whose first byte is in the other case. The key of
   a second byte does not depend on the case. */
static inline uint32_t other_case(const struct search *search,
                                  const uint8_t *end, uint32_t key)
{
    return is_letter(*end) ? key ^ search->case_bit : key;
}

/* Lowers the skips of windows that end inside of this pattern's window, so
   that they do not skip its end. */
static inline void lower_skips(struct search *search, uint32_t number)
{
    uint8_t *skips = skips_of(search);
    bool two = search->two;
    bool folds = search->case_bit != 0;
    const uint8_t *end = end_of(search, number) - search->lead;

    for (uint32_t ahead = search->lead; ahead > 0; --ahead, ++end) {
        uint32_t key = key_of(end, two);

        if (skips[key] > ahead) {
            skips[key] = (uint8_t)ahead;
        }
        if (folds) {
            key = other_case(search, end, key);
            if (skips[key] > ahead) {
                skips[key] = (uint8_t)ahead;
            }
        }
    }
}

/* Sets the skip of windows that end like a pattern to 0, and lowers `after` to
   the skip that it was. */
static inline void end_skip(struct search *search, uint8_t *skip)
{
    if (*skip > 0 && *skip < search->after) {
        search->after = *skip;
    }
    *skip = 0;
}

/* Fills the table of skips: first with the skip of an end that no pattern has.
 */
static NOINLINE COLD void fill_skips(struct search *search)
{
    uint8_t *skips = skips_of(search);
    uint32_t stride = search->two ? sizeof(struct row) : SKIPS_BYTES;
    const uint8_t *end = skips + (search->two ? ROWS : 4) * stride;

    memset(skips, (int)(search->lead + 1), SKIPS_BYTES);
    for (uint8_t *at = skips + stride; at < end; at += stride) {
        memcpy(__builtin_assume_aligned(at, 4),
               __builtin_assume_aligned(skips, 4), SKIPS_BYTES);
    }
    for (uint32_t p = 0; p < search->patterns; ++p) {
        lower_skips(search, p);
    }
    search->after = PATTERN_MAX;
    for (uint32_t p = 0; p < search->patterns; ++p) {
        const uint8_t *end = end_of(search, p);
        uint32_t key = key_of(end, search->two);

        end_skip(search, &skips[key]);
        end_skip(search, &skips[other_case(search, end, key)]);
    }
}

/* Puts a pattern at the head of a list. */
static inline void list_pattern(struct search *search, uint8_t *list,
                                uint32_t number)
{
    search->pattern[number].next = *list;
    *list = (uint8_t)(number + 1);
}

/* Lists several patterns by their ends. */
static COLD void list_ends(struct search *search)
{
    for (uint32_t i = 0; i < ROWS; ++i) {
        memset(search->row[i].first, 0, sizeof search->row[i].first);
    }
    for (uint32_t p = 0; p < search->patterns; ++p) {
        const uint8_t *end = end_of(search, p);
        uint32_t key = (search->two ? two_at(end) : *end) & FIRST_MASK;

        list_pattern(search, &search->row[key >> 8].first[key & 0xffu], p);
    }
}

/* ---- hashes ---- */

/* Returns the place of a list of patterns that begin with these four bytes. */
static inline uint32_t hash_of(uint32_t four, uint32_t factor)
{
    return (four | CASE_BITS) * factor >> (32 - HASH_BITS);
}

/* Returns the place of a list of short patterns that begin so. */
static inline uint32_t short_of(uint32_t four)
{
    uint32_t two = four & SHORT_MASK;

    return (two ^ two >> 3) % SHORTS;
}

/* Returns up to four bytes at `at`, with 0 for what is beyond `bytes`. */
static inline uint32_t four_at(const uint8_t *at, uint32_t bytes)
{
    uint32_t four = 0;

    memcpy(&four, at, bytes < 4 ? bytes : 4);
    return four;
}

/* Lists the patterns of this length among the short ones: one of a single byte
   with each second byte, before those of two bytes are listed. */
static COLD void list_short(struct search *search, uint32_t length)
{
    uint32_t seconds = length == 1 ? SHORTS / LETTERS : 1;

    for (uint32_t p = 0; p < search->patterns; ++p) {
        const struct pattern *pattern = &search->pattern[p];
        uint32_t two = four_at(search->arg + pattern->at, length);

        for (uint32_t i = 0; pattern->length == length && i < seconds; ++i) {
            list_pattern(search, &search->brief[short_of(two + (i << 8))], p);
        }
    }
}

static COLD void list_hashes(struct search *search)
{
    uint32_t bytes = HASH_BYTES;

    memset(search->hashed, 0, sizeof search->hashed);
    memset(search->brief, 0, sizeof search->brief);
    for (uint32_t length = 1; length <= SHORT_BYTES; ++length) {
        list_short(search, length);
    }
    for (uint32_t p = 0; p < search->patterns; ++p) {
        if (search->pattern[p].length == SHORT_BYTES + 1) {
            bytes = SHORT_BYTES + 1;
        }
    }
    /* Bytes beyond those are shifted out of the product. */
    search->factor = HASH_FACTOR << 8 * (HASH_BYTES - bytes);
    for (uint32_t p = 0; p < search->patterns; ++p) {
        const struct pattern *pattern = &search->pattern[p];
        uint32_t hash =
            hash_of(four_at(search->arg + pattern->at, bytes), search->factor);

        if (pattern->length > SHORT_BYTES) {
            list_pattern(search, &search->hashed[hash], p);
        }
    }
}

/* ---- terms ---- */

/* Returns whether a window's end is two bytes. They take longer and skip one
   byte less, but a single byte is found too often where patterns are long or
   several, or where it is a space. */
static COLD bool looks_at_two(const struct search *search)
{
    uint32_t last = search->shortest - 1;

    return search->shortest >= LONG_PATTERN ||
           (search->patterns > 1 && last > 0) ||
           (last >= 3 && search->arg[search->pattern[0].at + last] == ' ');
}

/* Returns how often a pattern is compared in 1000 bytes of a text, roughly:
   hardly ever if patterns have more than one byte. */
static COLD uint32_t looks_of(const struct search *search)
{
    uint32_t patterns =
        search->patterns < OFTEN_MOST ? search->patterns : OFTEN_MOST;

    return search->shortest == 1 ? OFTEN * patterns : 0;
}

/* Returns where the offsets begin in a result of `counts` counts. */
static uint32_t offsets_at(uint32_t counts)
{
    return HEAD_BYTES + 8 * counts;
}

/* Sets how long a result may be. One that is beside an output has one count if
   those of all patterns do not fit. */
static COLD void set_result(struct search *search, struct kernel_terms *terms)
{
    uint32_t most;

    search->counts = search->patterns;
    most = offsets_at(search->counts) + 4 * OFFSETS_MAX;
    if (search->bits) {
        most = KERNEL_RESULT_BESIDE_OUTPUT_MAX;
        if (offsets_at(search->counts) > most) {
            search->counts = 1;
        }
    }
    search->result_bytes_max = most;
    terms->result_bytes_max = most;
}

static COLD void fill_windows(struct search *search)
{
    search->two = looks_at_two(search);
    search->lead = search->shortest - (search->two ? 2 : 1);
    fill_skips(search);
    if (search->patterns > 1) {
        list_ends(search);
    }
}

static COLD int search_begin(void *work, struct kernel_terms *terms,
                             const struct kernel_job *job)
{
    struct search *search = (struct search *)work;

    memset(search, 0, offsetof(struct search, pattern));
    search->arg = job->arg;
    search->shortest = PATTERN_MAX;
    if (job->unit_bytes == 0 || !list_patterns(search, job)) {
        return KERNEL_ARGUMENT;
    }
    search->many = search->patterns > MANY + MANY_BYTE * search->shortest;
    if (search->many) {
        list_hashes(search);
    } else {
        fill_windows(search);
    }
    set_result(search, terms);
    terms->after_bytes = search->longest - 1;
    terms->result_bytes_per_1000_units = 4 * looks_of(search) * job->unit_bytes;
    terms->instructions_per_1000_units =
        ((search->many ? HASHES : 30 + 5700 / search->shortest) +
         LOOK * looks_of(search)) *
        job->unit_bytes;
    return search->bits && !kernel_bit_terms(terms, job->unit_bytes)
               ? KERNEL_ARGUMENT
               : KERNEL_OK;
}

/* ---- the scan ---- */

/* A range as it is searched. The place of a window is that of its end. */
struct scan {
    const uint8_t *data;
    const uint8_t *skip;
    uint32_t lead;
    uint32_t after;
    uint32_t begins;
    uint32_t safe; /* windows before this may skip STEPS times unchecked */
    uint32_t end;  /* behind the last window */
};

static inline uint32_t skip_of(const struct scan *scan, uint32_t at, bool two)
{
    const uint8_t *end = scan->data + at;

    return scan->skip[two ? two_at(end) & TWO_MASK : *end];
}

/* Returns the next window from `at` on that ends like a pattern, and begins
   like one; scan->end or more: there is none. A skip of 0 does not move. */
static inline uint32_t seek(const struct scan *scan, uint32_t at, bool two)
{
    while (at < scan->end) {
        uint32_t skip = skip_of(scan, at, two);

        while (skip > 0 && at < scan->safe) {
            at += skip;
            for (uint32_t i = 2; i < STEPS; ++i) {
                at += skip_of(scan, at, two);
            }
            skip = skip_of(scan, at, two);
        }
        if (skip == 0) {
            if (scan->begins >> (scan->data[at - scan->lead] & 31u) & 1u) {
                break;
            }
            skip = scan->after;
        }
        at += skip;
    }
    return at;
}

static inline bool is_at(const struct search *search,
                         const struct pattern *pattern, const uint8_t *data)
{
    const uint8_t *bytes = search->arg + pattern->at;
    uint32_t length = pattern->length;
    uint32_t i = 0;

    while (i + 4 <= length &&
           kernel_load_u32(data + i) == kernel_load_u32(bytes + i)) {
        i += 4;
    }
    while (i < length &&
           (data[i] == bytes[i] ||
            ((data[i] ^ bytes[i]) == search->case_bit && is_letter(data[i])))) {
        i += 1;
    }
    return i == length;
}

/* Counts a pattern at byte `at` of the range; keeps the offset if there is
   room. */
static inline void count_one(const struct search *search,
                             struct kernel_result *result, uint32_t number,
                             uint32_t first, uint32_t at)
{
    uint8_t *count =
        result->data + HEAD_BYTES + (search->counts > 1 ? 8 * number : 0);
    uint32_t bytes = result->bytes;

    kernel_store_u32(count, kernel_load_u32(count) + 1);
    if (search->bits) {
        kernel_bit_set(result, at);
    }
    if (bytes + 4 <= search->result_bytes_max) {
        kernel_store_u32(result->data + bytes, first + at);
        result->bytes = bytes + 4;
    }
}

/* Counts a pattern if it is at byte `at` of the range. Not inlined, as the next
   functions: the loops of their callers need the registers. */
static NOINLINE void look_for_one(const struct search *search,
                                  struct kernel_result *result,
                                  const struct kernel_range *range, uint32_t at,
                                  uint32_t number)
{
    if (is_at(search, &search->pattern[number], range->data + at)) {
        count_one(search, result, number, (uint32_t)range->first_unit, at);
    }
}

/* Counts the patterns of a list that are at byte `at` of the range. The list
   begins with pattern next - 1; 0: it is empty. */
static NOINLINE void look_for_several(const struct search *search,
                                      struct kernel_result *result,
                                      const struct kernel_range *range,
                                      uint32_t at, uint32_t next)
{
    const uint8_t *data = range->data + at;
    uint32_t room = range->units + range->after_bytes - at;

    while (next != 0) {
        const struct pattern *pattern = &search->pattern[next - 1];

        if (pattern->length <= room && is_at(search, pattern, data)) {
            count_one(search, result, next - 1, (uint32_t)range->first_unit,
                      at);
        }
        next = pattern->next;
    }
}

static struct scan scan_of(const struct search *search,
                           const struct kernel_range *range)
{
    uint32_t seen = range->units + range->after_bytes;
    uint32_t margin = STEPS * search->shortest;
    struct scan scan = {.data = range->data,
                        .skip = search->two ? (const uint8_t *)search->row
                                            : search->skip,
                        .lead = search->lead,
                        .after = search->after,
                        .begins = search->begins};

    if (seen >= search->shortest) {
        uint32_t windows = seen - search->shortest + 1;

        scan.end =
            search->lead + (windows < range->units ? windows : range->units);
        scan.safe = scan.end > margin ? scan.end - margin : 0;
    }
    return scan;
}

static void scan_windows(const struct search *search,
                         struct kernel_result *result,
                         const struct kernel_range *range)
{
    struct scan scan = scan_of(search, range);
    uint32_t at = scan.lead;

    for (;;) {
        at = search->two ? seek(&scan, at, true) : seek(&scan, at, false);
        if (at >= scan.end) {
            return;
        }
        if (search->patterns == 1) {
            look_for_one(search, result, range, at - scan.lead, 0);
        } else {
            look_for_several(search, result, range, at - scan.lead,
                             first_at(search, scan.data + at));
        }
        at += scan.after;
    }
}

/* What look_in_list() needs besides. */
struct places {
    const struct search *search;
    struct kernel_result *result;
    const struct kernel_range *range;
};

/* Whether the last byte of a pattern and the byte there differ in more than
   their case: most patterns are told apart by it. */
static inline bool ends_differ(const struct search *search, uint32_t number,
                               const uint8_t *data)
{
    return ((data[search->pattern[number].length - 1u] ^ search->last[number]) &
            ~search->case_bit) != 0;
}

/* Counts the patterns of a list that are at `data`, where all of them can be
   read. The list is not empty. */
static HOT NOINLINE void look_in_list(const struct places *places,
                                      const struct search *search,
                                      const uint8_t *data, uint32_t next)
{
    do {
        uint32_t number = next - 1;

        if (!ends_differ(search, number, data)) {
            look_for_one(search, places->result, places->range,
                         (uint32_t)(data - places->range->data), number);
        }
        next = search->pattern[number].next;
    } while (next != 0);
}

/* Looks at places from `data` on before `end`, but for the last three. Returns
   the next one. */
static inline const uint8_t *scan_fours(const struct places *places,
                                        const uint8_t *data, const uint8_t *end,
                                        bool brief)
{
    const struct search *search = places->search;
    uint32_t factor = search->factor;

#pragma GCC unroll 1
    for (; data + 4 <= end; data += 4) {
#pragma GCC unroll 4
        for (uint32_t i = 0; i < 4; ++i) {
            uint32_t four = kernel_load_u32(data + i);
            uint32_t next = search->hashed[hash_of(four, factor)];

            if (next != 0) {
                look_in_list(places, search, data + i, next);
            }
            if (brief) {
                next = search->brief[short_of(four)];
                if (next != 0) {
                    look_in_list(places, search, data + i, next);
                }
            }
        }
    }
    return data;
}

/* Looks at every place: in steps of four as far as every pattern can be read,
   then one by one. */
static NOINLINE void scan_places(const struct search *search,
                                 struct kernel_result *result,
                                 const struct kernel_range *range)
{
    struct places places = {search, result, range};
    uint32_t seen = range->units + range->after_bytes;
    uint32_t reach = search->longest < 4 ? 4 : search->longest;
    uint32_t whole = seen < reach ? 0 : seen - reach + 1;
    const uint8_t *end =
        range->data + (whole < range->units ? whole : range->units);
    const uint8_t *data = search->shortest <= SHORT_BYTES
                              ? scan_fours(&places, range->data, end, true)
                              : scan_fours(&places, range->data, end, false);

    for (uint32_t at = (uint32_t)(data - range->data); at < range->units;
         ++at) {
        uint32_t four = four_at(range->data + at, seen - at);

        look_for_several(search, result, range, at,
                         search->hashed[hash_of(four, search->factor)]);
        look_for_several(search, result, range, at,
                         search->brief[short_of(four)]);
    }
}

static void search_run(const void *work, struct kernel_result *result,
                       const struct kernel_range *units)
{
    const struct search *search = (const struct search *)work;
    struct kernel_range range = *units;

    result->bytes = offsets_at(search->counts);
    memset(result->data, 0, result->bytes);
    kernel_store_u32(result->data, search->counts);
    if (search->bits) {
        range = kernel_bit_range(units);
        kernel_bit_clear(result, &range);
    } else {
        range.units = kernel_range_bytes(units);
        range.first_unit *= units->unit_bytes;
    }
    if (search->many) {
        scan_places(search, result, &range);
    } else {
        scan_windows(search, result, &range);
    }
}

/* ---- results ---- */

static uint32_t offsets_of(const struct kernel_result *result)
{
    return offsets_at(kernel_load_u32(result->data));
}

static uint64_t count_in(const struct kernel_result *result)
{
    uint64_t count = 0;

    for (uint32_t at = HEAD_BYTES; at < offsets_of(result); at += 8) {
        count += kernel_load_u64(result->data + at);
    }
    return count;
}

static uint32_t stored_in(const struct kernel_result *result)
{
    return (result->bytes - offsets_of(result)) / 4;
}

/* Returns how many offsets of an ascending list are below `offset`. */
static HOT uint32_t below(const uint8_t *list, uint32_t count, uint32_t offset)
{
    uint32_t from = 0;

    while (from < count) {
        uint32_t middle = (from + count) / 2;

        if (kernel_load_u32(list + 4 * middle) < offset) {
            from = middle + 1;
        } else {
            count = middle;
        }
    }
    return from;
}

/* Returns how many bytes of `own` are kept if the `most` bytes of smallest
   offsets of two ascending lists, which have more together, are kept. */
static HOT uint32_t kept_of(const uint8_t *own, uint32_t mine,
                            const uint8_t *other, uint32_t others,
                            uint32_t most)
{
    uint32_t from = most - others;

    while (from < mine) {
        uint32_t middle = (from + mine) / 8 * 4;

        if (kernel_load_u32(own + middle) <
            kernel_load_u32(other + most - 4 - middle)) {
            from = middle + 4;
        } else {
            mine = middle;
        }
    }
    return from;
}

/* Returns where the offsets from `offset` on begin in a list, if they are more
   than FEW; else the end of the list. */
static inline uint32_t long_block(const uint8_t *list, uint32_t bytes,
                                  uint32_t offset)
{
    return bytes > 4 * FEW && kernel_load_u32(list + bytes - 4 * FEW) >= offset
               ? 4 * below(list, bytes / 4 - FEW, offset)
               : bytes;
}

/*
 * Merges `others` bytes of an ascending list into one of `mine` bytes that has
 * room for both. Ranges are contiguous, so offsets come in blocks. From the
 * ends of the lists on each block is moved to its place, a short block offset
 * by offset.
 */
static HOT void merge_offsets(uint8_t *own, uint32_t mine, const uint8_t *other,
                              uint32_t others)
{
    while (others > 0 && mine > 0) {
        uint32_t last = kernel_load_u32(other + others - 4);
        uint32_t from = long_block(own, mine, last);

        if (from < mine) {
            memmove(own + from + others, own + from, mine - from);
            mine = from;
        }
        while (mine > 0 && kernel_load_u32(own + mine - 4) > last) {
            mine -= 4;
            kernel_store_u32(own + mine + others, kernel_load_u32(own + mine));
        }
        if (mine == 0) {
            break;
        }
        last = kernel_load_u32(own + mine - 4);
        from = long_block(other, others, last);
        if (from < others) {
            memcpy(own + mine + from, other + from, others - from);
            others = from;
        }
        while (others > 0 && kernel_load_u32(other + others - 4) >= last) {
            others -= 4;
            kernel_store_u32(own + mine + others,
                             kernel_load_u32(other + others));
        }
    }
    memcpy(own, other, others);
}

/* Adds the offsets of another result; the smallest of both are kept, up to
   `most` bytes. */
static void add_offsets(struct kernel_result *into,
                        const struct kernel_result *next, uint32_t head,
                        uint32_t most)
{
    uint8_t *own = into->data + head;
    const uint8_t *other = next->data + head;
    uint32_t mine = into->bytes - head;
    uint32_t others = next->bytes - head;

    if (mine + others > most) {
        mine = kept_of(own, mine, other, others, most);
        others = most - mine;
    }
    into->bytes = head + mine + others;
    merge_offsets(own, mine, other, others);
}

static COLD int search_merge(const void *work, struct kernel_result *into,
                             const struct kernel_result *next)
{
    const struct search *search = (const struct search *)work;
    uint32_t head = offsets_at(search->counts);

    if (next->bytes < head || (next->bytes - head) % 4 != 0 ||
        next->bytes > search->result_bytes_max ||
        kernel_load_u32(next->data) != search->counts ||
        count_in(next) < stored_in(next)) {
        return KERNEL_RESULT;
    }
    add_offsets(into, next, head, search->result_bytes_max - head);
    kernel_add_counts(into->data + HEAD_BYTES, next->data + HEAD_BYTES,
                      search->counts);
    return KERNEL_OK;
}

static void search_report(const struct kernel_result *result,
                          const struct kernel_sink *sink)
{
    uint64_t count = count_in(result);
    uint32_t counts = kernel_load_u32(result->data);

    sink->integer(sink->context, "count", count);
    if (counts > 1) {
        sink->list(sink->context, "counts", result->data + HEAD_BYTES, 8,
                   counts);
    }
    sink->list(sink->context, "offsets", result->data + offsets_of(result), 4,
               stored_in(result));
    sink->flag(sink->context, "offsets_complete", stored_in(result) == count);
}

const struct kernel kernel_search = {
    .name = "search",
    .argument = KERNEL_FOR_PEOPLE(
        "a byte pattern, 1 to 255 bytes; (?i)PATTERN for ASCII letters of "
        "either case; (?|)ONE|TWO|... for up to 255 patterns, or another "
        "separator than |; (?f)FILE for the lines of a file as patterns; "
        "(?lines), (?offsets) and (?offsets=u64) for what -o gets; several as "
        "in (?i,offsets|)ONE|TWO; (?)PATTERN for a pattern that begins like "
        "these"),
    .summary = KERNEL_FOR_PEOPLE("finds all occurrences of byte patterns"),
    .work_bytes = sizeof(struct search),
    .begin = search_begin,
    .run = search_run,
    .merge = search_merge,
    .report = KERNEL_FOR_PEOPLE(search_report),
};
