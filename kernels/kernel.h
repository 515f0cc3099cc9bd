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

/* The argument's bytes that a job message carries at most. */
#define KERNEL_ARG_MAX 65536u
#define KERNEL_NAME_MAX 15u
#define KERNEL_OUTPUT_MAX 65535u
/* Results that come with an output are no longer than this. */
#define KERNEL_RESULT_BESIDE_OUTPUT_MAX 256u

enum kernel_error {
    KERNEL_OK = 0,
    KERNEL_ARGUMENT = -1, /* begin() refuses the argument */
    KERNEL_RESULT = -2    /* a result to be merged is malformed */
};

/* What begin() is told of the job. */
struct kernel_job {
    const uint8_t *arg;  /* 4-byte aligned; stays until the job's end */
    uint32_t arg_bytes;  /* to KERNEL_ARG_MAX */
    uint32_t unit_bytes; /* 0: units are numbers, there is no data */
};

/* What begin() says of it. All fields are 0 before. */
struct kernel_terms {
    uint32_t before_bytes; /* that a range needs before its beginning */
    uint32_t after_bytes;  /* and beyond its end */
    /* Of any result, however large the range: at most 16384, on an stm32f405
       6144. */
    uint32_t result_bytes_max;
    /* Output of P/Q bytes a unit, each 0 to KERNEL_OUTPUT_MAX; Q = 0: none. The
       output of units b to e has floor(e P/Q) - floor(b P/Q) bytes; or if it
       varies, at most that many. */
    uint16_t output_numerator;
    uint16_t output_denominator;
    bool output_varies;
    /* Every result has result_bytes_max bytes, and merge() adds or compares
       them word by word: their way back is planned so. */
    bool result_fixed;
    /* A result that varies grows by so many bytes, roughly, until it is as long
       as it may be. */
    uint32_t result_bytes_per_1000_units;
    /* A unit costs what its data says, in a way that no plan can know: `auto`
       gives units to who asks. */
    bool cost_varies;
    /* Instructions for 1000 units on a Cortex-M3, roughly: the time that the
       native build accounts for, since it cannot count instructions. */
    uint64_t instructions_per_1000_units;
};

/* The part of the load that one node computes. */
struct kernel_range {
    const uint8_t *data; /* 4-byte aligned only if all units are */
    uint32_t units;      /* to process; may be 0 */
    uint32_t unit_bytes;
    /* Bytes that can be read before data and beyond the last unit: what the
       terms ask for, and less only where the load begins and ends. */
    uint32_t before_bytes;
    uint32_t after_bytes;
    uint64_t first_unit; /* position of data[0] in the whole load, in units */
};

static inline uint32_t kernel_range_bytes(const struct kernel_range *range)
{
    return range->units * range->unit_bytes;
}

/* Where the output of unit `position` begins. */
static inline uint64_t kernel_output_at(const struct kernel_terms *terms,
                                        uint64_t position)
{
    return position * terms->output_numerator / terms->output_denominator;
}

/* More than any memory has, even with the heads of messages. */
#define KERNEL_OUTPUT_ROOM_MAX 0xfff00000u

/* The most that a range's output takes, in bytes; there is one. An output whose
   length takes more than 32 bits, KERNEL_OUTPUT_ROOM_MAX. */
static inline uint32_t kernel_output_room(const struct kernel_terms *terms,
                                          uint64_t first_unit, uint32_t units)
{
    uint64_t bytes = kernel_output_at(terms, first_unit + units) -
                     kernel_output_at(terms, first_unit);

    return bytes < KERNEL_OUTPUT_ROOM_MAX ? (uint32_t)bytes
                                          : KERNEL_OUTPUT_ROOM_MAX;
}

/* A result in the kernel's own wire format, little-endian; its output. */
struct kernel_result {
    uint8_t *data; /* result_bytes_max of room, 4-byte aligned */
    uint32_t bytes;
    uint8_t *output; /* kernel_output_room(), 4-byte aligned, or NULL */
    uint32_t output_bytes;
};

/* Little-endian and at any alignment: one instruction on a Cortex-M3. */
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

/* A merge() for a result that is one u64 count: the sum of both. */
static inline int kernel_merge_count(const void *work,
                                     struct kernel_result *into,
                                     const struct kernel_result *next)
{
    (void)work;
    if (next->bytes != 8) {
        return KERNEL_RESULT;
    }
    kernel_store_u64(into->data,
                     kernel_load_u64(into->data) + kernel_load_u64(next->data));
    return KERNEL_OK;
}

/* Takes a finished result apart for people: called on the host only. */
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

/* What only people on the host see is left out of a board's image. */
#ifdef __arm__
#define KERNEL_FOR_PEOPLE(what) (1 ? NULL : (what))
#else
#define KERNEL_FOR_PEOPLE(what) (what)
#endif

struct kernel {
    const char *name;     /* at most KERNEL_NAME_MAX characters */
    const char *argument; /* what --arg means, for people */
    const char *summary;  /* for people too */
    uint32_t work_bytes;  /* scratch memory that begin() fills for run(), at
                             most 4096 */

    /* Reads the argument; fills `work` (4-byte aligned) and the terms.
       KERNEL_OK, or KERNEL_ARGUMENT if it is not what `argument` says. */
    int (*begin)(void *work, struct kernel_terms *terms,
                 const struct kernel_job *job);

    /* Writes the range's result, replacing what was there, and its output. */
    void (*run)(const void *work, struct kernel_result *result,
                const struct kernel_range *range);

    /* Takes in the result of other ranges, not their output. KERNEL_OK or
       KERNEL_RESULT. NULL if there are only outputs. */
    int (*merge)(const void *work, struct kernel_result *into,
                 const struct kernel_result *next);

    void (*report)(const struct kernel_result *result,
                   const struct kernel_sink *sink);
};

/* Every file of kernels/, sorted by name: the build writes this table, the
   same for the firmware and for the host. */
extern const struct kernel *const kernel_table[];
extern const unsigned kernel_table_count;

#endif
