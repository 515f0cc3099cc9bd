/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the messages of a job carry, behind the header of hal/circuit.h. All
 * fields are little-endian; `pad4` rounds up to a multiple of four bytes.
 *
 * WIRE_ORDER, host to originator:          WIRE_PART, node to child:
 *    0  u8[16] kernel, NUL-padded             0  u32  units
 *   16  u64 startup_ps                        4  u32  first unit
 *   24  u64 transfer_ps per byte              8  u8   layer of the receiver
 *   32  u64 hop_delay_ps                      9  u8   port it was sent out of
 *   40  u32 load_bytes                       10  u8   round, from 0
 *   44  u8  phases, or WIRE_BEST             11  u8   job_bytes / 4
 *   45  u8  rounds, or WIRE_BEST             12  job, see below
 *   46  u16 arg_bytes                         ..  units and overlap
 *   48  u32 tree_nodes, 0: none
 *   52  u8  ports at once                 WIRE_BRANCH, node to child:
 *   53  u8  flags, enum wire_flag            0  job, without tables: R = 0
 *   54  u16 unit_bytes                      ..  the child's piece of the tree
 *   56  arg, pad4; the tree; the load       ..  units and overlap
 *
 * A tree (scatter/tree.h) is for all that is not the pattern of a 5^k x 5^k
 * torus with four ports and equal nodes.
 *
 * The job is the same in every part of a round and is passed on as it came:
 *    0  u8  kernel's index in the image    8  u64 gather_ps
 *    1  u8  phases N                      16  u32 slack_ns
 *    2  u8  arg_bytes                     20  u16 overlap_bytes
 *                                         22  u16 unit_bytes
 *    3  u8  rounds R; 0: a tree           24  u32 share_units[0..N]
 *    4  u32 slot_us; 0: an output         ..  u32 volume_units[0..N]
 *                                         ..  u64 result_ps[0..N], if an output
 *                                         ..  arg, pad4
 *
 * WIRE_RESULT_OF(phase), child to parent: the kernel's result, as it is.
 *
 * WIRE_REPORT, originator to host:
 *    0  i32 error, enum err               40  u64 scatter_start_ps
 *    4  u8  phases N                      48  u64 gather_done_ps
 *    5  u8  phases_feasible               56  u64 overhead_ps
 *    6  u8  rounds R; 7 u8 output         64  u64 startup_ps[10]
 *    8  u64 compute_ps per unit          144  u64 received_ps[0..10]
 *   16  u64 makespan_ps                  232  u32 share_units[0..10]
 *   24  u64 begin_ps                     276  u32 volume_units[0..10]
 *   32  u64 plan_ps                      320  rounds, see below
 *
 * share_units and volume_units are of all rounds together; if R > 1, R times
 * (N + 1) pairs of u32 share, u32 volume follow, then the kernel's result.
 */
#ifndef SCATTER_WIRE_H
#define SCATTER_WIRE_H

#include "hal/bytes.h"
#include "hal/circuit.h"
#include "kernels/kernel.h"
#include "scatter/rounds.h"
#include "scatter/tree.h"
#include "torus/pattern.h"

#include <stdbool.h>

enum wire_kind {
    WIRE_ORDER = 1,
    WIRE_PART,
    WIRE_RESULT,
    WIRE_REPORT,
    WIRE_BRANCH
};

enum wire_flag {
    WIRE_STORE_AND_FORWARD = 1,
    WIRE_EQUAL_SHARES = 2
};

#define WIRE_BEST 0xffu
#define WIRE_NAME_BYTES 16u
#define WIRE_ORDER_BYTES 56u
#define WIRE_PART_BYTES 12u
#define WIRE_PART_AT_LAYER 8u
#define WIRE_JOB_BYTES 24u
#define WIRE_JOB_AT_PHASES 1u
#define WIRE_REPORT_BYTES 320u
#define WIRE_REPORT_BYTES_MAX                                                  \
    (WIRE_REPORT_BYTES + 8u * ROUNDS_MAX * (TORUS_PHASES_MAX + 1u))

/* A message's kind: what it is, and for a result the phase that it returns
   over, so that a parent can tell its children on one port apart. */
#define WIRE_RESULT_OF(phase) (0x0fu + (phase))
#define WIRE_KIND(kind) ((kind) >= 0x10u ? (unsigned)WIRE_RESULT : (kind))

/* Largest job: all phases and the longest argument. */
#define WIRE_JOB_BYTES_MAX                                                     \
    (WIRE_JOB_BYTES + 16u * (TORUS_PHASES_MAX + 1u) + KERNEL_ARG_MAX + 1u)

#define WIRE_PAD4(bytes) (((bytes) + 3u) & ~3u)

struct wire_order {
    char kernel[WIRE_NAME_BYTES];
    uint64_t startup_ps;
    uint64_t transfer_ps;
    uint64_t hop_delay_ps;
    uint32_t load_bytes;
    uint8_t phases;
    uint8_t rounds;
    uint16_t arg_bytes;
    uint16_t unit_bytes;
    uint32_t tree_nodes;
    uint8_t ports;
    uint8_t flags;
    const uint8_t *arg;  /* decoding: in the message, as the two below */
    const uint8_t *tree; /* 4-byte aligned if the message is */
    const uint8_t *load;
};

/* Bytes before the load; `out` takes that many. */
uint32_t wire_order_head_bytes(const struct wire_order *order);
void wire_order_store(uint8_t *out, const struct wire_order *order);

/* Result: 0 or ERR_PROTOCOL. `order` points into `in` afterwards. */
int wire_order_load(struct wire_order *order, const uint8_t *in,
                    uint32_t bytes);

struct wire_job {
    uint8_t kernel;
    uint8_t phases;
    uint8_t arg_bytes;
    uint8_t rounds;
    uint32_t slot_us;
    uint32_t slack_ns;
    uint16_t overlap_bytes; /* that every range needs beyond its end */
    uint16_t unit_bytes;
    uint64_t gather_ps;
    const uint8_t *arg;
};

struct wire_part {
    uint32_t units;
    uint32_t first_unit;
    uint8_t layer;
    uint8_t port;
    uint8_t round;
    uint16_t job_bytes;
};

/* Bytes of a job; `output`: with the times of results. */
uint32_t wire_job_bytes(unsigned phases, uint32_t arg_bytes, bool output);
uint32_t wire_tree_job_bytes(uint32_t arg_bytes);

/* Tables: index = layer, entries 0 to phases; result_ps, from gather_ps on, if
   slot_us is 0. `out`: wire_job_bytes(). */
void wire_job_store(uint8_t *out, const struct wire_job *job,
                    const uint32_t share_units[], const uint32_t volume_units[],
                    const uint64_t result_ps[]);

/* A job that goes with a tree; `out`: wire_tree_job_bytes(). */
void wire_tree_job_store(uint8_t *out, const struct wire_job *job);

/* The gather time alone, in a stored job. */
static inline void wire_job_store_gather(uint8_t *out, uint64_t gather_ps)
{
    bytes_store_u64(out + 8, gather_ps);
}

/* Result: 0 or ERR_PROTOCOL. `job` points into `in` afterwards. */
int wire_job_load(struct wire_job *job, const uint8_t *in, uint32_t bytes,
                  unsigned layer);
int wire_tree_job_load(struct wire_job *job, const uint8_t *in, uint32_t bytes);

/*
 * The tables of a stored job, read where they lie (index = layer): `in` is
 * 4-byte aligned, and this machine little-endian as hal/bytes.h asserts.
 */
static inline const uint32_t *wire_job_shares(const uint8_t *in)
{
    return (const uint32_t *)(const void *)(in + WIRE_JOB_BYTES);
}

static inline const uint32_t *wire_job_volumes(const uint8_t *in)
{
    return wire_job_shares(in) + in[WIRE_JOB_AT_PHASES] + 1;
}

/* When a layer's results leave, in a stored job with an output. */
static inline uint64_t wire_job_result_ps(const uint8_t *in, unsigned layer)
{
    const uint32_t *end = wire_job_volumes(in) + in[WIRE_JOB_AT_PHASES] + 1;

    return bytes_load_u64((const uint8_t *)end + 8 * layer);
}

/* What is the same in the parts of one phase, for wire_part_store(). */
static inline uint32_t wire_part_meta(unsigned layer, unsigned round,
                                      uint32_t job_bytes)
{
    return layer | round << 16 | job_bytes / 4 << 24;
}

static inline void wire_part_store(uint8_t *out, uint32_t units,
                                   uint32_t first_unit, uint32_t meta,
                                   unsigned port)
{
    bytes_store_u32(out, units);
    bytes_store_u32(out + 4, first_unit);
    bytes_store_u32(out + 8, meta | port << 8);
}

/* Result: 0 or ERR_PROTOCOL. */
int wire_part_load(struct wire_part *part, const uint8_t *in, uint32_t bytes);

struct wire_report {
    int32_t error;
    uint8_t phases;
    uint8_t phases_feasible;
    uint8_t rounds;
    bool output;
    uint64_t compute_ps;  /* measured, per unit */
    uint64_t makespan_ps; /* planned, with overhead_ps */
    uint64_t begin_ps;    /* measured: the kernel's begin() */
    uint64_t plan_ps;     /* measured: planning, before time zero */
    uint64_t scatter_start_ps;
    uint64_t gather_done_ps;
    uint64_t overhead_ps; /* of the originator before it computes */
    uint64_t startup_ps[TORUS_PHASES_MAX];
    uint64_t received_ps[TORUS_PHASES_MAX + 1]; /* planned, for each layer */
    uint32_t share_units[TORUS_PHASES_MAX + 1];
    uint32_t volume_units[TORUS_PHASES_MAX + 1];
};

/* Bytes before the kernel's result. */
uint32_t wire_report_bytes(const struct wire_report *report);

/* `out` takes wire_report_bytes(); the plan is looked at if rounds > 1. */
void wire_report_store(uint8_t *out, const struct wire_report *report,
                       const struct rounds_plan *plan);

/* Result: 0 or ERR_PROTOCOL. Of the plan the tables are filled in. */
int wire_report_load(struct wire_report *report, struct rounds_plan *plan,
                     const uint8_t *in, uint32_t bytes);

#endif
