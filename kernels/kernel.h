/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A divisible workload. A kernel is one file that defines one
 * `const struct kernel kernel_<file name>`; it knows nothing of the mesh.
 *
 * The load is a sequence of units of one size. The engine cuts it into
 * contiguous ranges; on each node it calls begin() once, run() on each of the
 * node's ranges (one in every round), and merge() for every further result,
 * its own or a child's, in any order. A run may also have an output, up to P/Q
 * bytes for each unit: outputs are kept apart from results and are put
 * together in the order of their ranges.
 *
 * All memory is the engine's; a kernel has no static data that it changes,
 * never allocates and never blocks.
 */
#ifndef KERNELS_KERNEL_H
#define KERNELS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The longest argument, bytes. */
#define KERNEL_ARG_MAX 65536u
#define KERNEL_NAME_MAX 15u
#define KERNEL_OUTPUT_MAX 65535u /* bytes of output for each unit */
/* The longest result of a kernel with an output, bytes. */
#define KERNEL_RESULT_BESIDE_OUTPUT_MAX 256u

enum kernel_error {
    KERNEL_OK = 0,
    KERNEL_ARGUMENT = -1, /* begin() refuses the argument */
    KERNEL_RESULT = -2    /* a result to be merged is malformed */
};

/* A job, for begin(). */
struct kernel_job {
    const uint8_t *arg;  /* 4-byte aligned; stays until the job's end */
    uint32_t arg_bytes;  /* at most KERNEL_ARG_MAX */
    uint32_t unit_bytes; /* 0: units are numbers, there is no data */
};

/* The terms of a job, which begin() sets. All fields are 0 before. */
struct kernel_terms {
    uint32_t before_bytes; /* bytes that run() reads before a range */
    uint32_t after_bytes;  /* bytes that run() reads after a range */
    /* The longest result of any range: at most 16384 bytes, on boards with
       serial ports 6144. */
    uint32_t result_bytes_max;
    /* P and Q of an output of P/Q bytes a unit, each 0 to KERNEL_OUTPUT_MAX; Q
       = 0: there is no output. Units b to e - 1 have ceil(e P/Q) - ceil(b P/Q)
       bytes of output, so that a byte of 8 bits belongs to the range with the
       unit of its first bit; if output_varies, at most as many. */
    uint16_t output_numerator;
    uint16_t output_denominator;
    bool output_varies;
    /* Every result has result_bytes_max bytes, and merge() takes equal time
       for each of their words. The return of results is planned with that. */
    bool result_fixed;
    /* Bytes by which 1000 units lengthen a result, roughly, up to
       result_bytes_max. */
    uint32_t result_bytes_per_1000_units;
    /* The time of a unit depends on its data, so that no plan can know it:
       `--schedule auto` gives units to nodes that ask for them. */
    bool cost_varies;
    /* Instructions for 1000 units on a Cortex-M3, roughly. Native nodes, which
       cannot count instructions, take their time from this estimate. */
    uint64_t instructions_per_1000_units;
};

/* The part of the load that one node computes. */
struct kernel_range {
    const uint8_t *data; /* 4-byte aligned only if all units are */
    uint32_t units;      /* units to process, 0 or more */
    uint32_t unit_bytes;
    /* Bytes that can be read before data and beyond the last unit: what the
       terms ask for, and less only where the load begins and ends. */
    uint32_t before_bytes;
    uint32_t after_bytes;
    uint64_t first_unit; /* position of data[0] in the whole load, in units */
    uint32_t load_units; /* number of units of the whole load */
};

static inline uint32_t kernel_range_bytes(const struct kernel_range *range)
{
    return range->units * range->unit_bytes;
}

/* Returns the byte at which the output of unit `position` begins; if a byte has
   several units, the first byte that begins there or later. */
static inline uint64_t kernel_output_at(const struct kernel_terms *terms,
                                        uint64_t position)
{
    uint32_t q = terms->output_denominator;

    return (position * terms->output_numerator + q - 1) / q;
}

/* Bytes: more than any memory has, even with the heads of messages. */
#define KERNEL_OUTPUT_ROOM_MAX 0xfff00000u

/* Returns the most bytes that the output of a range takes, at most
   KERNEL_OUTPUT_ROOM_MAX. Precondition: the terms have an output. */
static inline uint32_t kernel_output_room(const struct kernel_terms *terms,
                                          uint64_t first_unit, uint32_t units)
{
    uint64_t bytes = kernel_output_at(terms, first_unit + units) -
                     kernel_output_at(terms, first_unit);

    return bytes < KERNEL_OUTPUT_ROOM_MAX ? (uint32_t)bytes
                                          : KERNEL_OUTPUT_ROOM_MAX;
}

/* A result, in a format of the kernel's own, and an output. */
struct kernel_result {
    uint8_t *data; /* room for result_bytes_max bytes, 4-byte aligned */
    uint32_t bytes;
    uint8_t *output; /* room for kernel_output_room() bytes, 4-byte aligned;
                        NULL: the terms have no output */
    uint32_t output_bytes;
};

/* ---- an output that has a bit for each byte of the load ---- */

/* Sets the terms of such an output: bit i % 8 of byte i / 8 stands for byte i.
   A range then computes the bytes of kernel_bit_range(). Returns false if units
   are too long. Call it once the terms' after_bytes is set. */
static inline bool kernel_bit_terms(struct kernel_terms *terms,
                                    uint32_t unit_bytes)
{
    bool whole = unit_bytes % 8 == 0;

    terms->output_numerator = (uint16_t)(whole ? unit_bytes / 8 : unit_bytes);
    terms->output_denominator = whole ? 1 : 8;
    terms->after_bytes += 7;
    return terms->output_numerator == (whole ? unit_bytes / 8 : unit_bytes);
}

/* Returns the bytes whose bits the range's output has, as units of one byte:
   from a multiple of 8 up to one, or to the end of the load. */
static inline struct kernel_range
kernel_bit_range(const struct kernel_range *range)
{
    struct kernel_range bits = *range;
    uint32_t bytes = kernel_range_bytes(range);
    uint32_t first = (uint32_t)range->first_unit * range->unit_bytes;
    uint32_t skip = -first & 7u;
    uint32_t more = -(first + bytes) & 7u;

    more = more < range->after_bytes ? more : range->after_bytes;
    bits.units = bytes + more > skip ? bytes + more - skip : 0;
    bits.unit_bytes = 1;
    bits.data += skip;
    bits.before_bytes += skip;
    bits.after_bytes -= more;
    bits.first_unit = first + skip;
    return bits;
}

/* Clears the bits of a result's output, those of kernel_bit_range(). */
static inline void kernel_bit_clear(struct kernel_result *result,
                                    const struct kernel_range *bits)
{
    result->output_bytes = (bits->units + 7) / 8;
    memset(result->output, 0, result->output_bytes);
}

/* Sets the bit of byte `at` of kernel_bit_range(). */
static inline void kernel_bit_set(struct kernel_result *result, uint32_t at)
{
    result->output[at / 8] |= (uint8_t)(1u << at % 8);
}

/* Little-endian loads and stores at any alignment: one instruction for up to
   32 bits on a Cortex-M3. */
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "loads and stores are written for little-endian machines"
#endif

static inline uint32_t kernel_load_u16(const uint8_t *at)
{
    uint16_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint32_t kernel_load_u32(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint64_t kernel_load_u64(const uint8_t *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static inline void kernel_store_u16(uint8_t *at, uint16_t value)
{
    memcpy(at, &value, sizeof value);
}

static inline void kernel_store_u32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static inline void kernel_store_u64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

/* Adds `counts` u64 counts at `next` to those at `into`. */
static inline void kernel_add_counts(uint8_t *into, const uint8_t *next,
                                     uint32_t counts)
{
    for (uint32_t at = 0; at < 8 * counts; at += 8) {
        kernel_store_u64(into + at, kernel_load_u64(into + at) +
                                        kernel_load_u64(next + at));
    }
}

/* A merge() for a result that is one u64 count: the sum of both. */
static inline int kernel_merge_count(const void *work,
                                     struct kernel_result *into,
                                     const struct kernel_result *next)
{
    (void)work;
    if (next->bytes != 8) {
        return KERNEL_RESULT;
    }
    kernel_add_counts(into->data, next->data, 1);
    return KERNEL_OK;
}

/* ---- a result that has counts, and offsets in the load ----

   u32 counts; u64 counts; u32 offsets, ascending: the smallest ones, as many as
   fit. So merging in any order gives the same. */

/* Returns where the offsets begin in a result of `counts` counts. */
static inline uint32_t kernel_offsets_at(uint32_t counts)
{
    return 4 + 8 * counts;
}

/* Makes a result without offsets, whose counts are 0. */
static inline void kernel_offsets_begin(struct kernel_result *result,
                                        uint32_t counts)
{
    uint8_t *data = result->data;

    result->bytes = kernel_offsets_at(counts);
    kernel_store_u32(data, counts);
    for (uint32_t at = 4; at < result->bytes; at += 8) {
        kernel_store_u64(data + at, 0);
    }
}

/* Returns the sum of all counts. */
static inline uint64_t kernel_offsets_count(const struct kernel_result *result)
{
    uint32_t counts = kernel_load_u32(result->data);
    uint64_t count = 0;

    for (uint32_t i = 0; i < counts; ++i) {
        count += kernel_load_u64(result->data + kernel_offsets_at(i));
    }
    return count;
}

/* Returns how many bytes of `own` are among the smallest `most` bytes of two
   ascending lists. Each has at most that many, both together have more. */
static inline uint32_t kernel_offsets_kept(const uint8_t *own, uint32_t mine,
                                           const uint8_t *other,
                                           uint32_t others, uint32_t most)
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

/* Moves the offsets from `least` on of an ascending list to the same places of
   `to`, which may be in the list: the last ones first, four at a time. Returns
   the number of bytes that stay. */
static inline uint32_t kernel_offsets_move(uint8_t *to, const uint8_t *list,
                                           uint32_t bytes, uint32_t least)
{
    uint32_t block[4];
    const uint32_t size = sizeof block;

    while (bytes >= size && kernel_load_u32(list + bytes - size) >= least) {
        bytes -= size;
        memcpy(block, __builtin_assume_aligned(list + bytes, 4), size);
        memcpy(__builtin_assume_aligned(to + bytes, 4), block, size);
    }
    while (bytes > 0 && kernel_load_u32(list + bytes - 4) >= least) {
        bytes -= 4;
        kernel_store_u32(to + bytes, kernel_load_u32(list + bytes));
    }
    return bytes;
}

/* Merges `others` bytes of an ascending list into one of `mine` bytes, both of
   at most `most`, and keeps the first `most`. Ranges are contiguous, so that
   offsets come in blocks. Returns the number of bytes. */
static inline uint32_t kernel_offsets_join(uint8_t *own, uint32_t mine,
                                           const uint8_t *other,
                                           uint32_t others, uint32_t most)
{
    uint32_t bytes = mine + others;

    if (bytes > most) {
        bytes = most;
        mine = kernel_offsets_kept(own, mine, other, others, most);
        others = most - mine;
    }
    while (others > 0) {
        uint32_t least = kernel_load_u32(other + others - 4);

        mine = kernel_offsets_move(own + others, own, mine, least);
        least = mine > 0 ? kernel_load_u32(own + mine - 4) : 0;
        others = kernel_offsets_move(own + mine, other, others, least);
    }
    return bytes;
}

/* A merge() for such results, of at most `most` bytes. */
static inline int kernel_offsets_merge(struct kernel_result *into,
                                       const struct kernel_result *next,
                                       uint32_t counts, uint32_t most)
{
    uint32_t head = kernel_offsets_at(counts);

    if (next->bytes < head || (next->bytes - head) % 4 != 0 ||
        next->bytes > most || kernel_load_u32(next->data) != counts ||
        kernel_offsets_count(next) < (next->bytes - head) / 4) {
        return KERNEL_RESULT;
    }
    into->bytes =
        head + kernel_offsets_join(into->data + head, into->bytes - head,
                                   next->data + head, next->bytes - head,
                                   (most - head) / 4 * 4);
    kernel_add_counts(into->data + 4, next->data + 4, counts);
    return KERNEL_OK;
}

/* Receives the named values of a result, on the host only. */
struct kernel_sink {
    void *context;
    void (*integer)(void *context, const char *name, uint64_t value);
    void (*negative)(void *context, const char *name, uint64_t magnitude);
    void (*real)(void *context, const char *name, double value);
    void (*flag)(void *context, const char *name, int value);
    /* Unsigned values of 4 or 8 bytes, little-endian. */
    void (*list)(void *context, const char *name, const uint8_t *values,
                 unsigned value_bytes, uint32_t count);
    /* Lines, each ended by a newline. */
    void (*lines)(void *context, const char *name, const uint8_t *text,
                  uint32_t bytes);
};

/* Reports the offsets of a result that has `count` of them and its counts. */
static inline void kernel_offsets_report(const struct kernel_result *result,
                                         const struct kernel_sink *sink,
                                         uint64_t count)
{
    uint32_t head = kernel_offsets_at(kernel_load_u32(result->data));
    uint32_t listed = (result->bytes - head) / 4;

    sink->list(sink->context, "offsets", result->data + head, 4, listed);
    sink->flag(sink->context, "offsets_complete", listed == count);
}

/* A sum for a report, 128 bits on the host. A board makes no report: there 64
   bits compile. */
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 kernel_wide;
#else
typedef int64_t kernel_wide;
#endif

/* Returns 2^64 high + low. */
static inline kernel_wide kernel_wide_of(int64_t high, uint64_t low)
{
    return (kernel_wide)high * (INT64_C(1) << 32) * (INT64_C(1) << 32) +
           (kernel_wide)low;
}

/* Reports value / 10^decimals as a line of digits. */
static inline void kernel_report_wide(const struct kernel_sink *sink,
                                      const char *name, kernel_wide value,
                                      uint32_t decimals)
{
    uint8_t line[48];
    uint32_t at = sizeof line;
    uint32_t left = decimals + 1; /* digits to be written at least */
    bool negative = value < 0;

    line[--at] = '\n';
    do {
        int digit = (int)(value % 10);

        if (left == 1 && decimals > 0) {
            line[--at] = '.';
        }
        line[--at] = (uint8_t)('0' + (digit < 0 ? -digit : digit));
        value /= 10;
        left -= left > 0;
    } while (left > 0 || value != 0);
    if (negative) {
        line[--at] = '-';
    }
    sink->lines(sink->context, name, line + at, (uint32_t)sizeof line - at);
}

/* A text or function for people on the host; NULL in a board's image. */
#ifdef __arm__
#define KERNEL_FOR_PEOPLE(what) (1 ? NULL : (what))
#else
#define KERNEL_FOR_PEOPLE(what) (what)
#endif

/* A whole number of --arg, which has KEY=VALUE,KEY=VALUE. */
struct kernel_key {
    const char *name; /* KEY; NULL: the table ends */
    int64_t least;
    int64_t most;
    int64_t usual; /* the value if none is given */
    bool required;
};

#define KERNEL_KEYS_MAX 16u

/* Returns the value of key `index` of a kernel with a table of keys. */
static inline int64_t kernel_key_value(const struct kernel_job *job,
                                       uint32_t index)
{
    return (int64_t)kernel_load_u64(job->arg + 8u * index);
}

struct kernel {
    const char *name;     /* at most KERNEL_NAME_MAX characters */
    const char *argument; /* the meaning of --arg, for people */
    const char *summary;  /* the kernel's purpose, for people */
    /* Keys of --arg, at most KERNEL_KEYS_MAX, for kernels without a format: the
       host parses them, and the argument is an int64_t for each, in their
       order. NULL: the argument is --arg as it is. */
    const struct kernel_key *keys;
    uint32_t work_bytes; /* scratch memory that begin() fills for run(), at
                            most 4096 */

    /* Reads the argument; fills `work` (8-byte aligned) and the terms. Result:
       KERNEL_OK, or KERNEL_ARGUMENT if the kernel cannot use the argument. */
    int (*begin)(void *work, struct kernel_terms *terms,
                 const struct kernel_job *job);

    /* Writes the range's result, replacing what was there, and its output. A
       range may have 0 units. */
    void (*run)(const void *work, struct kernel_result *result,
                const struct kernel_range *range);

    /* Adds the result `next` of other ranges to `into`; outputs are not
       merged. Result: KERNEL_OK or KERNEL_RESULT. NULL: there are only
       outputs. */
    int (*merge)(const void *work, struct kernel_result *into,
                 const struct kernel_result *next);

    /* Tells `sink` the values of the final result, on the host only. */
    void (*report)(const struct kernel_result *result,
                   const struct kernel_sink *sink);
};

/* The kernels of this program; the build writes the table. The host command
   has all files of kernels/, an image those that KERNELS= names. */
extern const struct kernel *const kernel_table[];
extern const unsigned kernel_table_count;

#endif
