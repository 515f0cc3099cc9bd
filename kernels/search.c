/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All occurrences of byte patterns, overlapping ones included. A range owns the
 * occurrences that begin in it, and sees the longest pattern's length - 1 bytes
 * beyond its end.
 *
 * Argument (qemu/format/search.c makes it):
 *
 *   u8 flags | u8 length, 1 to 255 | pattern | .. | 0 | 0 | 0
 *
 * Flags: FOLDS: letters of ASCII stand for both cases; OUTPUT: there is an
 * output, a bit for each byte of the load, which is set where a pattern begins.
 *
 * Result: counts of each pattern, or one of all, and offsets in the load
 * (kernel.h): the first OFFSETS_MAX of all patterns together; beside an output
 * only as many, and as many counts, as fit. Counts are exact.
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
#define FOLDS 1u
#define OUTPUT 2u
#define PATTERN_MAX 255u
#define PATTERNS_MAX 255u
#define TAIL 3u         /* bytes behind the patterns, which look() may read */
#define LONG_PATTERN 6u /* from here on two bytes allow longer skips */
#define ROWS 8u
/* A letter occurs OFTEN times in 1000 bytes of a text, roughly; OFTEN_MOST
   letters make up most of a text. */
#define OFTEN 65u
#define OFTEN_MOST 32u
#define LOOK 60u      /* instructions to compare a pattern, roughly */
#define STEPS 8u      /* skips of a window between two checks of its place */
#define HASHES 11000u /* instructions for 1000 bytes of hashes, roughly */
/* More patterns than MANY, and MANY_BYTE more for each byte of the shortest
   one, are listed by hashes. */
#define MANY 8u
#define MANY_BYTE 4u

/* COLD functions run once in a job. */
#define COLD __attribute__((cold))
#define NOINLINE __attribute__((noinline))

struct pattern {
    uint16_t at;   /* in the argument, behind the byte that has its length */
    uint8_t shift; /* bits of its first four bytes that are beyond its end */
    uint8_t next;  /* number of the next pattern of a list; 0: none */
};

/* The skip of a window that ends with two bytes is at `two bytes & TWO_MASK`
   of the rows: low bits of the second byte are the row. Lists of patterns fill
   a part of each row. */
#define TWO_MASK 0x073fu
#define FIRST_MASK 0x071fu /* a letter has one key in both cases */

#define SKIPS_BYTES 64u

struct row {
    uint8_t skip[SKIPS_BYTES]; /* by the first byte; 0: a pattern ends so */
    uint8_t first[32];         /* first pattern with this end; 0: none */
    uint8_t unused[160];
};
_Static_assert(sizeof(struct row) == 256, "rows are by bits 8 and up");

/* Lists of patterns by the hash of their first bytes: the first one's number;
   0: none. Bytes are hashed with the case bit set. */
#define HASH_BITS 11u
#define HASH_FACTOR 0x9e3779b1u /* 2^32 divided by the golden ratio */
#define HASH_BYTES 4u           /* bytes hashed at most */
#define SHORT_BYTES 2u          /* patterns up to this length are not hashed */
#define CASE_BITS 0x20202020u
/* Short patterns are listed by bits of the first and of the second byte. */
#define FIRST_BITS 5u
#define SECOND_BITS 4u

/* Patterns have the numbers 1 to `patterns`. */
struct search {
    const uint8_t *arg;
    uint32_t patterns;
    uint32_t shortest; /* length of a pattern: that of a window */
    uint32_t longest;
    uint32_t lead;        /* bytes of a window before its end */
    uint32_t after;       /* skip of a window whose patterns were compared */
    uint32_t begins;      /* bits: first bytes of patterns, modulo 32 */
    uint32_t compared;    /* bits of four bytes that tell patterns apart */
    uint32_t counts;      /* number of counts in a result */
    uint32_t count_bytes; /* between the counts of two patterns; 0: one count */
    uint32_t result_bytes_max;
    uint32_t factor;  /* of the hash */
    uint8_t case_bit; /* 0x20 if either case will do; or 0 */
    bool two;         /* a window's end is two bytes, not one */
    bool bits;        /* there is an output */
    bool many; /* patterns are listed by hashes, not by the ends of windows */
    struct pattern pattern[1 + PATTERNS_MAX];
    bool rest[1 + PATTERNS_MAX]; /* `compared` leaves something of a pattern */
    union {
        struct row row[ROWS];
        uint8_t hashed[1u << HASH_BITS];
    };
    union {
        uint8_t skip[256]; /* of one byte */
        uint8_t brief[1u << (FIRST_BITS + SECOND_BITS)];
    };
};

/* ---- the argument ---- */

static bool is_letter(uint32_t byte)
{
    return (byte | 0x20u) - 'a' < 26;
}

static inline const uint8_t *bytes_of(const struct search *search,
                                      uint32_t number)
{
    return search->arg + search->pattern[number].at;
}

/* Returns the length of a pattern, which stands before its bytes. */
static inline uint32_t length_of(const uint8_t *bytes)
{
    return bytes[-1];
}

static COLD void add_pattern(struct search *search, uint32_t at)
{
    uint32_t length = search->arg[at - 1];
    uint32_t number = ++search->patterns;

    search->pattern[number] = (struct pattern){
        (uint16_t)at, (uint8_t)(length < 4 ? 32 - 8 * length : 0), 0};
    search->rest[number] = length > 4;
    for (uint32_t i = at; i < at + length && search->case_bit != 0; ++i) {
        search->rest[number] |= !is_letter(search->arg[i]);
    }
    search->begins |= 1u << (search->arg[at] & 31u);
    search->shortest = length < search->shortest ? length : search->shortest;
    search->longest = length > search->longest ? length : search->longest;
}

/* Lists patterns up to TAIL bytes before the argument's end. Returns whether
   there are some, and not too many. */
static COLD bool list_patterns(struct search *search,
                               const struct kernel_job *job)
{
    uint32_t at = 1;

    search->patterns = 0;
    search->begins = 0;
    search->shortest = PATTERN_MAX;
    search->longest = 0;
    while (at + TAIL < job->arg_bytes) {
        uint32_t length = job->arg[at];

        if (length == 0 || at + length + TAIL >= job->arg_bytes ||
            search->patterns == PATTERNS_MAX) {
            return false;
        }
        add_pattern(search, at + 1);
        at += 1 + length;
    }
    return search->patterns > 0;
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
    return bytes_of(search, number) + search->lead;
}

/* Returns the place of the list of patterns with this end, in either case. */
static inline uint32_t list_of(const uint8_t *end, bool two)
{
    return (two ? two_at(end) : *end) & FIRST_MASK;
}

/* Returns the first pattern of that list. */
static inline uint32_t first_at(const struct search *search, const uint8_t *end,
                                bool two)
{
    uint32_t list = list_of(end, two);

    return search->row[list >> 8].first[list & 0xffu];
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
    for (uint32_t p = 1; p <= search->patterns; ++p) {
        lower_skips(search, p);
    }
    search->after = PATTERN_MAX;
    for (uint32_t p = 1; p <= search->patterns; ++p) {
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
    *list = (uint8_t)number;
}

/* Lists several patterns by their ends. */
static COLD void list_ends(struct search *search)
{
    for (uint32_t i = 0; i < ROWS; ++i) {
        memset(search->row[i].first, 0, sizeof search->row[i].first);
    }
    for (uint32_t p = 1; p <= search->patterns; ++p) {
        uint32_t list = list_of(end_of(search, p), search->two);

        list_pattern(search, &search->row[list >> 8].first[list & 0xffu], p);
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
    return four % (1u << FIRST_BITS) | (four >> 8) % (1u << SECOND_BITS)
                                           << FIRST_BITS;
}

/* Lists the patterns of this length among the short ones: one of a single byte
   with each second byte, before those of two bytes are listed. */
static COLD void list_short(struct search *search, uint32_t length)
{
    uint32_t seconds = length == 1 ? 1u << SECOND_BITS : 1;

    for (uint32_t p = 1; p <= search->patterns; ++p) {
        const uint8_t *bytes = bytes_of(search, p);
        uint32_t place = short_of(two_at(bytes));

        for (uint32_t i = 0; length_of(bytes) == length && i < seconds; ++i) {
            place = length == 1 ? *bytes % (1u << FIRST_BITS) | i << FIRST_BITS
                                : place;
            list_pattern(search, &search->brief[place], p);
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
    for (uint32_t p = 1; p <= search->patterns; ++p) {
        if (length_of(bytes_of(search, p)) == SHORT_BYTES + 1) {
            bytes = SHORT_BYTES + 1;
        }
    }
    /* Bytes beyond those are shifted out of the product. */
    search->factor = HASH_FACTOR << 8 * (HASH_BYTES - bytes);
    for (uint32_t p = 1; p <= search->patterns; ++p) {
        const uint8_t *begin = bytes_of(search, p);

        if (length_of(begin) > SHORT_BYTES) {
            uint32_t hash = hash_of(kernel_load_u32(begin), search->factor);

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
           (last >= 3 && bytes_of(search, 1)[last] == ' ');
}

/* Returns how often a pattern is compared in 1000 bytes of a text, roughly:
   hardly ever if patterns have more than one byte. */
static COLD uint32_t looks_of(const struct search *search)
{
    uint32_t patterns =
        search->patterns < OFTEN_MOST ? search->patterns : OFTEN_MOST;

    return search->shortest == 1 ? OFTEN * patterns : 0;
}

/* Sets how long a result may be. One that is beside an output has one count if
   those of all patterns do not fit. */
static COLD void set_result(struct search *search, struct kernel_terms *terms)
{
    uint32_t most;

    search->counts = search->patterns;
    most = kernel_offsets_at(search->counts) + 4 * OFFSETS_MAX;
    if (search->bits) {
        most = KERNEL_RESULT_BESIDE_OUTPUT_MAX;
        if (kernel_offsets_at(search->counts) > most) {
            search->counts = 1;
        }
    }
    search->count_bytes = search->counts > 1 ? 8 : 0;
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

    if (job->unit_bytes == 0 || job->arg_bytes == 0) {
        return KERNEL_ARGUMENT;
    }
    search->arg = job->arg;
    search->bits = (job->arg[0] & OUTPUT) != 0;
    search->case_bit = job->arg[0] & FOLDS ? 0x20 : 0;
    search->compared = job->arg[0] & FOLDS ? ~CASE_BITS : UINT32_MAX;
    if (!list_patterns(search, job)) {
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

/* Windows over a range. The place of a window is that of its end. */
struct scan {
    const uint8_t *data;
    const uint8_t *skip;
    uint32_t lead;
    uint32_t after;
    uint32_t begins;
    uint32_t safe; /* windows before this may skip STEPS times unchecked */
    uint32_t end;  /* behind the last window */
};

/* A range, and what is found in it. */
struct finds {
    struct kernel_result *result;
    const uint8_t *data;
    uint32_t bytes;     /* of the range */
    uint32_t seen;      /* bytes that can be read from `data` on */
    uint32_t first;     /* offset of data[0] in the load */
    uint8_t *count;     /* of pattern 0, which does not exist */
    uint8_t *offset;    /* where the next offset goes .. */
    const uint8_t *end; /* .. if it is before this */
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

        if (skip > 0 && at < scan->safe) {
            do {
                at += skip;
                for (uint32_t i = 2; i < STEPS; ++i) {
                    at += skip_of(scan, at, two);
                }
                skip = skip_of(scan, at, two);
            } while (skip > 0 && at < scan->safe);
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

/* Returns whether all bytes are those of a pattern, whose case may differ. */
static inline bool is_at(const uint8_t *bytes, const uint8_t *data,
                         uint32_t case_bit)
{
    uint32_t left = length_of(bytes);

    while (left >= 4 && kernel_load_u32(data) == kernel_load_u32(bytes)) {
        data += 4;
        bytes += 4;
        left -= 4;
    }
    while (left > 0 &&
           (*data == *bytes ||
            ((uint32_t)(*data ^ *bytes) == case_bit && is_letter(*data)))) {
        data += 1;
        bytes += 1;
        left -= 1;
    }
    return left == 0;
}

/* Counts a pattern at byte `at` of the range; keeps the offset if there is
   room. */
static inline void count_one(const struct search *search, struct finds *finds,
                             uint32_t number, uint32_t at)
{
    uint8_t *count = finds->count + search->count_bytes * number;
    uint8_t *offset = finds->offset;

    kernel_store_u32(count, kernel_load_u32(count) + 1);
    if (offset < finds->end) {
        kernel_store_u32(offset, finds->first + at);
        finds->offset = offset + 4;
    }
    if (search->bits) {
        kernel_bit_set(finds->result, at);
    }
}

/* Returns four bytes, with 0 for what is beyond `bytes`. */
static inline uint32_t four_at(const uint8_t *at, uint32_t bytes)
{
    uint32_t four = 0;

    if (bytes >= 4) {
        return kernel_load_u32(at);
    }
    for (uint32_t i = bytes; i > 0; --i) {
        four = four << 8 | at[i - 1];
    }
    return four;
}

/* Counts the patterns of a list that are at byte `at` of the range. Pattern
   `next` begins the list. Not inlined: the loops of the callers need the
   registers. */
static NOINLINE void look(const struct search *search, struct finds *finds,
                          uint32_t at, uint32_t next)
{
    const uint8_t *data = finds->data + at;
    uint32_t room = finds->seen - at;
    uint32_t four = four_at(data, room);

    do {
        const struct pattern *pattern = &search->pattern[next];
        const uint8_t *bytes = search->arg + pattern->at;
        uint32_t differ = (four ^ kernel_load_u32(bytes)) & search->compared;

        if (differ << pattern->shift == 0 && length_of(bytes) <= room &&
            (!search->rest[next] || is_at(bytes, data, search->case_bit))) {
            count_one(search, finds, next, at);
        }
        next = pattern->next;
    } while (next != 0);
}

static inline void look_if(const struct search *search, struct finds *finds,
                           uint32_t at, uint32_t next)
{
    if (next != 0) {
        look(search, finds, at, next);
    }
}

static struct scan scan_of(const struct search *search,
                           const struct finds *finds)
{
    uint32_t margin = STEPS * search->shortest;
    struct scan scan = {.data = finds->data,
                        .skip = search->two ? (const uint8_t *)search->row
                                            : search->skip,
                        .lead = search->lead,
                        .after = search->after,
                        .begins = search->begins};

    if (finds->seen >= search->shortest) {
        uint32_t windows = finds->seen - search->shortest + 1;

        scan.end =
            search->lead + (windows < finds->bytes ? windows : finds->bytes);
        scan.safe = scan.end > margin ? scan.end - margin : 0;
    }
    return scan;
}

static inline void scan_windows(const struct search *search,
                                struct finds *finds, bool two)
{
    struct scan scan = scan_of(search, finds);
    uint32_t at = scan.lead;

    for (;;) {
        uint32_t next = 1;

        at = seek(&scan, at, two);
        if (at >= scan.end) {
            return;
        }
        if (search->patterns > 1) {
            next = first_at(search, scan.data + at, two);
        }
        look_if(search, finds, at - scan.lead, next);
        at += scan.after;
    }
}

/* Looks at places in steps of four, as far as four bytes can be read. Returns
   the next place. */
static inline uint32_t scan_fours(const struct search *search,
                                  struct finds *finds, bool brief)
{
    const uint8_t *begin = finds->data;
    const uint8_t *data = begin;
    uint32_t most = finds->seen < 3 ? 0 : finds->seen - 3;
    const uint8_t *end = begin + (most < finds->bytes ? most : finds->bytes);
    uint32_t factor = search->factor;

#pragma GCC unroll 1
    for (; data + 4 <= end; data += 4) {
#pragma GCC unroll 4
        for (uint32_t i = 0; i < 4; ++i) {
            uint32_t at = (uint32_t)(data - begin) + i;
            uint32_t four = kernel_load_u32(data + i);

            look_if(search, finds, at, search->hashed[hash_of(four, factor)]);
            if (brief) {
                look_if(search, finds, at, search->brief[short_of(four)]);
            }
        }
    }
    return (uint32_t)(data - begin);
}

/* Looks at every place. */
static NOINLINE void scan_places(const struct search *search,
                                 struct finds *finds)
{
    uint32_t at = search->shortest <= SHORT_BYTES
                      ? scan_fours(search, finds, true)
                      : scan_fours(search, finds, false);

    for (; at < finds->bytes; ++at) {
        uint32_t four = four_at(finds->data + at, finds->seen - at);

        look_if(search, finds, at,
                search->hashed[hash_of(four, search->factor)]);
        look_if(search, finds, at, search->brief[short_of(four)]);
    }
}

/* Sets the range that is searched. */
static inline void set_range(struct finds *finds,
                             const struct kernel_range *range)
{
    finds->data = range->data;
    finds->bytes = kernel_range_bytes(range);
    finds->seen = finds->bytes + range->after_bytes;
    finds->first = (uint32_t)range->first_unit * range->unit_bytes;
}

static void search_run(const void *work, struct kernel_result *result,
                       const struct kernel_range *range)
{
    const struct search *search = (const struct search *)work;
    struct finds finds;

    kernel_offsets_begin(result, search->counts);
    if (search->bits) {
        struct kernel_range bits = kernel_bit_range(range);

        kernel_bit_clear(result, &bits);
        set_range(&finds, &bits);
    } else {
        set_range(&finds, range);
    }
    finds.result = result;
    finds.count = result->data + 4 - search->count_bytes;
    finds.offset = result->data + result->bytes;
    finds.end = result->data + search->result_bytes_max;
    if (search->many) {
        scan_places(search, &finds);
    } else if (search->two) {
        scan_windows(search, &finds, true);
    } else {
        scan_windows(search, &finds, false);
    }
    result->bytes = (uint32_t)(finds.offset - result->data);
}

/* ---- results ---- */

static COLD int search_merge(const void *work, struct kernel_result *into,
                             const struct kernel_result *next)
{
    const struct search *search = (const struct search *)work;

    return kernel_offsets_merge(into, next, search->counts,
                                search->result_bytes_max);
}

static void search_report(const struct kernel_result *result,
                          const struct kernel_sink *sink)
{
    uint32_t counts = kernel_load_u32(result->data);
    uint64_t count = kernel_offsets_count(result);

    sink->integer(sink->context, "count", count);
    if (counts > 1) {
        sink->list(sink->context, "counts", result->data + 4, 8, counts);
    }
    kernel_offsets_report(result, sink, count);
}

const struct kernel kernel_search = {
    .name = "search",
    .argument = KERNEL_FOR_PEOPLE(
        "patterns, as qemu/format/search.c makes them of --arg"),
    .summary = KERNEL_FOR_PEOPLE("finds all occurrences of byte patterns"),
    .work_bytes = sizeof(struct search),
    .begin = search_begin,
    .run = search_run,
    .merge = search_merge,
    .report = KERNEL_FOR_PEOPLE(search_report),
};
