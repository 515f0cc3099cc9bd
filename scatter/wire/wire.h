/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The payloads of all messages, behind the header of hal/circuit.h.
 *
 *    message            from        to          carries
 *    WIRE_ORDER         host        originator  a job, its kernel, the load
 *    WIRE_ANNOUNCE      node        child       the kernel and its argument
 *    WIRE_PART          node        child       a range, on the pattern
 *    WIRE_BRANCH        node        child       a piece of a tree, and a range
 *    WIRE_BRANCH_ROUND  node        child       a range of a later round
 *    WIRE_CHUNK         server      worker      a range for the worker
 *    WIRE_DEMAND        worker      server      a request for the next chunk
 *    WIRE_RESULT_OF()   child       parent      a result; outputs
 *    WIRE_OUTPUTS_OF()  child       parent      outputs of earlier rounds
 *    WIRE_REPORT        originator  host        the plan, times, the result
 *    WIRE_MEASURE       host        originator  a list of probes
 *    WIRE_PROBE         originator  node        bytes without a meaning
 *    WIRE_ANSWER        node        originator  times of the probe
 *    WIRE_MEASURED      originator  host        times of all probes
 *
 * The range that a node sends to a child is for the child and its descendants.
 * A worker's server is the originator or, in a large farm, another worker. All
 * fields are little-endian, as boards and hosts are, and all times are in ps.
 *
 * A struct whose length a static_assert pins lies in its message as in memory.
 * Other layouts are drawn: byte offset, type, field. `pad4` rounds a length up
 * to a multiple of 4. The data of a message are a range of the load with its
 * halo: bytes that the kernel reads before the units; the units; bytes behind.
 */
#ifndef SCATTER_WIRE_WIRE_H
#define SCATTER_WIRE_WIRE_H

#include "hal/bytes.h"
#include "hal/circuit.h"
#include "hal/nodiscard.h"
#include "kernels/kernel.h"
#include "scatter/plan/rounds.h"
#include "scatter/plan/tree.h"
#include "torus/pattern.h"

#include <stdbool.h>

enum wire_kind {
    WIRE_ORDER = 1,
    WIRE_PART,
    WIRE_RESULT,
    WIRE_REPORT,
    WIRE_BRANCH,
    WIRE_MEASURE,
    WIRE_PROBE,
    WIRE_ANSWER,
    WIRE_MEASURED,
    WIRE_ANNOUNCE,
    WIRE_BRANCH_ROUND,
    WIRE_CHUNK,
    WIRE_DEMAND
    /* No number is free: hal/serial/errand.h has 14 and 15, results and outputs
       have 16 to 253. */
};

/* Results and outputs have a kind for each phase, 1 or more. WIRE_KIND() of all
   these kinds is WIRE_RESULT; WIRE_KIND_PHASE() is the phase. */
#define WIRE_RESULT_OF(phase) (0x0fu + (phase))
#define WIRE_OUTPUTS_OF(phase) (WIRE_RESULT_OF(TREE_PHASES_MAX) + (phase))
#define WIRE_KIND(kind) ((kind) >= 0x10u ? (unsigned)WIRE_RESULT : (kind))
#define WIRE_KIND_PHASE(kind)                                                  \
    ((kind) < WIRE_OUTPUTS_OF(1u) ? (kind)-WIRE_RESULT_OF(0u)                  \
                                  : (kind)-WIRE_OUTPUTS_OF(0u))
static_assert(WIRE_OUTPUTS_OF(TORUS_PHASES_MAX) <= CIRCUIT_KIND_MAX,
              "each phase has kinds of its own");

/* A policy says how the load moves: a row of scatter/engine/policy_table.c. */
enum wire_policy {
    WIRE_PATTERN, /* by WIRE_PART, on 5^k x 5^k nodes of equal speed */
    WIRE_TREE,    /* by WIRE_BRANCH along the order's tree */
    WIRE_FARM,    /* by WIRE_CHUNK, to each worker that sends WIRE_DEMAND */
    WIRE_POLICIES
};

enum wire_order_flag {
    WIRE_STORE_AND_FORWARD = 1, /* hops store messages; not set: circuits */
    WIRE_EQUAL_SHARES = 2,      /* all nodes get equally many units */
    WIRE_MORE = 8               /* another order follows; also a flag of jobs */
};

enum wire_job_flag {
    WIRE_TAIL = 1,      /* nodes ask for a reserve of units after all rounds */
    WIRE_MEANWHILE = 2, /* outputs return during later rounds */
    WIRE_OUTPUT = 4     /* the kernel has an output besides its result */
};

/* Flags (bits 0 to 3) and policy (bits 4 to 7) in a byte. */
#define WIRE_FLAGS(flags, policy) ((uint8_t)((flags) | (policy) << 4))
#define WIRE_POLICY(flags) ((flags) >> 4)

#define WIRE_PAD4(bytes) (((bytes) + 3u) & ~3u)

/* Copies a struct from `in`. Result: 0; ERR_LENGTH if `in` is shorter. */
NODISCARD static inline int wire_load(void *fields, uint32_t fields_bytes,
                                      const uint8_t *in, uint32_t bytes)
{
    if (bytes < fields_bytes) {
        return ERR_LENGTH;
    }
    (void)memcpy(fields, in, fields_bytes);
    return ERR_OK;
}

/* ---- orders ---- */

#define WIRE_NAME_BYTES 16u
#define WIRE_ORDER_BYTES 96u
#define WIRE_BEST 0xffu      /* in an order: the originator chooses */
#define WIRE_RESERVE_MAX 90u /* largest reserve, percent of the load */

/* Longest time of a run() of no units in an order, ps. */
#define WIRE_CALL_MAX_PS ((uint64_t)1 << 35)

/*
 * WIRE_ORDER, or a call: fields up to call_ps; the argument, pad4; the tree, of
 * tree_nodes branches (scatter/plan/tree.h); the data.
 *
 * A message of `bytes` bytes over `hops` links takes
 *    startup_ps + hops * hop_delay_ps + bytes * transfer_ps
 * With WIRE_STORE_AND_FORWARD startup_ps and bytes * transfer_ps count once for
 * each hop. compute_ps and call_ps are times that an earlier job measured.
 */
struct wire_order {
    char kernel[WIRE_NAME_BYTES]; /* name of the kernel, padded with NUL */
    uint64_t startup_ps;          /* fixed time of a circuit, ps */
    uint64_t transfer_ps;         /* time of a byte on a link, ps */
    uint64_t hop_delay_ps;        /* time that each link adds, ps */
    uint32_t load_units;          /* number of units of the load */
    uint8_t phases; /* number of phases, or WIRE_BEST; 0: originator alone */
    uint8_t rounds; /* number of rounds, or WIRE_BEST; of a farm: chunks in a
                       worker's part */
    uint8_t ports;  /* ports that a node uses at once: 1, 2 or 4 */
    unsigned flags : 4;  /* enum wire_order_flag */
    unsigned policy : 4; /* enum wire_policy */
    uint16_t tree_nodes; /* number of nodes of the tree; 0: no tree */
    uint8_t reserve;     /* reserve of units, percent; WIRE_BEST: the originator
                            chooses */
    uint8_t check_load;  /* 1: nodes prove what they computed; else 0 */
    uint32_t unit_bytes; /* length of a unit; 0: the load has no data */
    uint32_t arg_bytes;  /* length of `arg`, at most KERNEL_ARG_MAX */
    uint32_t first_unit; /* index of `load`'s first unit in the whole load */
    uint32_t before_bytes; /* length of the halo in front of the units */
    uint32_t after_bytes;  /* length of the halo behind the units */
    uint32_t whole_units; /* number of units of the whole load, of all orders */
    uint32_t zero_too;    /* always 0 */
    uint64_t compute_ps;  /* time to compute a unit, ps; 0: not known */
    uint64_t call_ps;     /* time of a run() of no units, ps */
    const uint8_t *arg;   /* the kernel's argument */
    const uint8_t *tree;  /* first branch of the tree */
    const uint8_t *load;  /* first byte of the first unit */
};
static_assert(offsetof(struct wire_order, tree_nodes) == 48 &&
                  offsetof(struct wire_order, arg) == WIRE_ORDER_BYTES,
              "an order has no gaps");

/* Returns the length, bytes, of an order's data: the units and their halo. */
uint64_t wire_order_load_bytes(const struct wire_order *order);

/* Returns the length, bytes, of an order without its data. */
uint32_t wire_order_head_bytes(const struct wire_order *order);

/* Stores an order without its data, wire_order_head_bytes(), at `out`. */
void wire_order_store(uint8_t *out, const struct wire_order *order);

/* Loads an order; arg, tree and load point into `in`. Result: 0; ERR_LENGTH if
   `bytes` is not the order's length; ERR_FIELD if a field is out of range. */
NODISCARD int wire_order_load(struct wire_order *order, const uint8_t *in,
                              uint32_t bytes);

/* ---- jobs ---- */

#define WIRE_JOB_BYTES 36u

/* Bytes of the longest job of WIRE_PATTERN and of a round's tables together. */
#define WIRE_JOB_BYTES_MAX (WIRE_JOB_BYTES + 16u * (TORUS_PHASES_MAX + 1u))

/*
 * A job tells every node what the originator has planned. It lies in the first
 * message with a range that a node gets, and nodes pass it on unchanged.
 *
 *    0  u8  phases                         8  u64 gather_ps
 *    1  u8  rounds                        16  u32 short_units
 *    2  u8  flags and policy              20  u32 long_units
 *    3  u8  frames                        24  u32 early_units
 *    4  u16 short_bytes                   28  u32 before_bytes
 *    6  u8  shift                         32  u32 after_bytes
 *    7  u8  0                             36  u64 result_ps[0..phases]
 *
 * In a job of WIRE_FARM bytes 3 to 27 are struct wire_farm_terms instead:
 *
 *    3  u8  installment                   16  u32 demand_ps
 *    8  u64 compute_ps                    20  u64 call_ps
 *
 * result_ps[i], only with WIRE_OUTPUT, is the time from gather_ps, then the
 * scatter's start, until nodes of layer i send their results; 0: at once.
 */

/* The slots: times when results may travel (drawn in scatter/plan/slots.h). */
struct wire_slots {
    uint64_t gather_ps;   /* mesh time of the planned end, ps; with WIRE_OUTPUT,
                             of the start */
    uint32_t short_units; /* length of a short slot in 2^shift ps; 0: none */
    uint32_t long_units;  /* length of a long slot in 2^shift ps; 0: none */
    uint32_t early_units; /* time with slots before gather_ps, in 2^shift ps */
    uint16_t short_bytes; /* longest result that fits a short slot, bytes */
    uint8_t frames;       /* short frames in a period, before its long slot */
    uint8_t shift;        /* the three times in _units count 2^shift ps */
};

struct wire_job {
    uint8_t phases;          /* number of phases, 1 or more */
    uint8_t rounds;          /* number of rounds, 1 to ROUNDS_MAX */
    uint8_t flags;           /* wire_job_flag, WIRE_MORE; bits 4 to 7 policy */
    uint32_t before_bytes;   /* bytes that the kernel reads before a range */
    uint32_t after_bytes;    /* bytes that the kernel reads behind a range */
    struct wire_slots slots; /* not loaded by wire_job_load() */
};

/* Terms by which a master, a worker that serves other workers, plans. */
struct wire_farm_terms {
    uint64_t compute_ps; /* time to compute a unit, ps, 1 to 2^40 */
    uint32_t demand_ps;  /* time in which a server serves a demand, ps */
    uint8_t installment; /* number of chunks to cut a worker's part into */
    uint64_t call_ps;    /* time of a kernel's run() of no units, ps */
};

/* Returns the length of a stored job, bytes. Each round calls it. */
__attribute__((always_inline)) static inline uint32_t
wire_job_bytes(const struct wire_job *job)
{
    return WIRE_JOB_BYTES +
           (job->flags & WIRE_OUTPUT) / WIRE_OUTPUT * 8u * (job->phases + 1u);
}

/* Stores a job, wire_job_bytes(job) bytes, at `out`. result_ps[] is read only
   if the flag WIRE_OUTPUT is set. */
void wire_job_store(uint8_t *out, const struct wire_job *job,
                    const uint64_t result_ps[]);

/* Loads a job without its slots. Result: 0; ERR_LENGTH if `bytes` is less than
   the job's length; ERR_FIELD if phases or rounds are out of range. */
NODISCARD int wire_job_load(struct wire_job *job, const uint8_t *in,
                            uint32_t bytes);

/* Return the slots and the time result_ps[layer] of the job stored at `in`. */
struct wire_slots wire_job_slots(const uint8_t *in);
uint64_t wire_job_result_ps(const uint8_t *in, unsigned layer);

static inline void wire_job_store_gather(uint8_t *out, uint64_t gather_ps)
{
    bytes_store_u64(out + 8, gather_ps);
}

/* Store a farm's terms in a stored job; load them. Result: 0 or ERR_FIELD. */
void wire_job_store_farm(uint8_t *out, const struct wire_farm_terms *terms);
NODISCARD int wire_job_farm(struct wire_farm_terms *terms, const uint8_t *in);

/* ---- announcements ---- */

#define WIRE_ANNOUNCE_BYTES 12u
#define WIRE_ANNOUNCE_HEAD_BYTES 4u /* length of a place on the pattern */

/* WIRE_ANNOUNCE goes ahead of all ranges of a job, so that nodes call the
   kernel's begin() while the originator plans. The child's place is first: on
   the pattern u8 layer, u8[3] 0; on a tree the child's piece of the tree, whose
   units are not set yet. Then follow the fields up to arg_bytes and the
   argument, pad4, which nodes pass on unchanged. */
struct wire_announce {
    uint32_t unit_bytes;     /* length of a unit */
    uint32_t load_units;     /* number of units of the whole load */
    unsigned arg_bytes : 23; /* length of `arg` */
    unsigned check_load : 1; /* nodes prove what they computed */
    unsigned kernel : 8;     /* index of the kernel in the image */
    const uint8_t *arg;      /* the kernel's argument */
};
static_assert(offsetof(struct wire_announce, load_units) ==
                  WIRE_ANNOUNCE_BYTES - 8,
              "an announcement has no gaps");

/* Loads an announcement from the `bytes` bytes behind the child's place, which
   begin at `in`; arg points into them. Result: 0; ERR_LENGTH; ERR_FIELD. */
NODISCARD int wire_announce_load(struct wire_announce *announce,
                                 const uint8_t *in, uint32_t bytes);

/* ---- parts and branches ---- */

#define WIRE_PART_BYTES 12u

/* Label bit of an advance (scatter/plan/advance.h). */
#define WIRE_ADVANCE (1u << 24)

/*
 * WIRE_PART: these fields; the tables of the round; in a node's first part the
 * job; the data. The tables are
 *
 *    0  u32  share_units[0..N]            ..  u32  volume_units[0..N]
 *
 * N: number of phases. share_units[i]: units that a node of layer i keeps.
 * volume_units[i]: these units and those of its descendants. An advance, round
 * 0, leaves before there is a job: its tables are for all phases of the torus,
 * and the parts of round 1 bring the job.
 */
struct wire_part {
    uint32_t units;      /* number of units in the part */
    uint32_t first_unit; /* index of the part's first unit in the whole load */
    uint32_t label;      /* layer, port, round, ..: bits as in hal/rows.h */
};
static_assert(sizeof(struct wire_part) == WIRE_PART_BYTES, "no gaps");

/*
 * WIRE_BRANCH: the job; the child's piece of the tree, which is the child's
 * branch and its descendants' branches; the data.
 *
 * WIRE_BRANCH_ROUND, in every round but the first:
 *    0  u32  round, 1 or more
 *    4  u32[nodes + 1] index, in the whole load, of the first unit of each
 *            node of the child's piece; then of the first unit behind them all
 *   ..  the data
 */

/* Returns a label with only the receiver's layer, sender's port and round. */
static inline uint32_t wire_part_place(unsigned layer, unsigned port,
                                       unsigned round)
{
    return layer | port << 8 | round << 16;
}

/* Length, bytes, of a round's two tables, of shares and of volumes. */
#define WIRE_TABLES_BYTES(phases) (8u * ((phases) + 1u))

/* Stores a round's tables, WIRE_TABLES_BYTES(phases) bytes, at `out`. */
void wire_tables_store(uint8_t *out, unsigned phases,
                       const uint32_t share_units[],
                       const uint32_t volume_units[]);

/* Return a table inside a round's stored tables, which are 4-byte aligned. */
static inline const uint32_t *wire_shares(const uint8_t *tables)
{
    return (const uint32_t *)(const void *)tables;
}

static inline const uint32_t *wire_volumes(const uint8_t *tables,
                                           unsigned phases)
{
    return wire_shares(tables) + phases + 1;
}

/* ---- chunks and demands: WIRE_FARM, or WIRE_PATTERN with WIRE_TAIL ---- */

#define WIRE_CHUNK_BYTES 12u
#define WIRE_DEMAND_BYTES 16u

/* WIRE_CHUNK: these fields; in a worker's first chunk the job; the data. */
struct wire_chunk {
    uint32_t units;      /* number of units; 0: no more chunks follow */
    uint32_t first_unit; /* index of the chunk's first unit in the whole load */
    uint16_t worker;     /* index of the worker in its server's list */
    uint16_t number;     /* chunks that the worker got before this chunk */
};
static_assert(sizeof(struct wire_chunk) == WIRE_CHUNK_BYTES, "no gaps");

/* WIRE_DEMAND: these fields; if WIRE_OUTPUT is set, the chunks of output that
   the worker has not sent yet. */
struct wire_demand {
    uint16_t worker;     /* index of the worker in its server's list */
    uint16_t number;     /* chunks that the worker has got so far */
    uint32_t units;      /* units computed since the last demand; may be 0 */
    uint64_t compute_ps; /* time in which the worker computed them, ps */
};
static_assert(sizeof(struct wire_demand) == WIRE_DEMAND_BYTES, "no gaps");

/* ---- results and outputs ---- */

/*
 * WIRE_RESULT_OF(phase): struct wire_result; the kernel's result. If
 * WIRE_OUTPUT is set, the result is padded to the longest that the kernel's
 * terms allow, and chunks of output follow in any order, each
 *
 *    0  u32 first unit    4  u32 bytes    8  the bytes, pad4
 *
 * With WIRE_LACKS come last, pad4 and each u16, numbers of the descendants
 * whose results did not come, and how many numbers these are; what they and
 * their descendants computed is missing. The numbers count from the sender
 * (scatter/engine/lost.h). Of a result that lacks something and is of no units
 * the sender, too, counts as lost: there is nothing to merge.
 *
 * If the announcement says check_load, WIRE_PROOF_BYTES are behind all that:
 *
 *    0  u64 sum of all that was computed  8  u64 proof of head and result
 *
 * WIRE_OUTPUTS_OF(phase), if WIRE_MEANWHILE is set: u32 r; chunks of output. A
 * child sends messages r = 1, 2, .. to R, the number of rounds. Message r has
 * the child's own output of round r - 1, and all outputs that its children's
 * messages r - 1 brought. It leaves when the part of round r has come; message
 * R, only of a child with children, when all rounds are computed.
 */
#define WIRE_RESULT_BYTES 8u
#define WIRE_PROOF_BYTES 16u
#define WIRE_LOST_MAX 32u          /* most numbers of a result */
#define WIRE_LACKS 0x8000u         /* added to wire_result.bytes */
#define WIRE_OUTPUT_CHUNK_BYTES 8u /* first unit and length, before output */
#define WIRE_OUTPUTS_BYTES 4u      /* length of the round's number, r */

struct wire_result {
    uint16_t bytes;  /* length of the kernel's result; WIRE_LACKS */
    uint16_t number; /* a worker's index in its server's list; others: 0 */
    uint32_t units;  /* units that the sender and descendants computed */
};
static_assert(sizeof(struct wire_result) == WIRE_RESULT_BYTES, "no gaps");

/* ---- reports ---- */

#define WIRE_REPORT_BYTES 368u
#define WIRE_RANGES_MAX 128u
#define WIRE_RANGE_BYTES 8u
#define WIRE_REPORT_BYTES_MAX                                                  \
    (WIRE_REPORT_BYTES + 8u * ROUNDS_MAX * (TORUS_PHASES_MAX + 1u))

/*
 * WIRE_REPORT: these fields; if `layers` is set and there are several rounds,
 * for each round and in it for each layer, u32 share and u32 volume; `ranges`
 * times struct wire_range, what the result lacks; if `proved`, the proof as of
 * a result, without a head; the kernel's result; chunks of output. Mesh times
 * are by the originator's clock. Time zero of the plan is scatter_start_ps:
 *
 *    |-- announce, begin, measure, plan --|-- makespan --|-- results return --|
 *    ordered_ps            scatter_start_ps                      gather_done_ps
 *
 * With `advance` the originator measures and plans after scatter_start_ps.
 */
struct wire_report {
    int32_t error;           /* enum err */
    uint8_t phases;          /* number of phases of the plan */
    uint8_t phases_feasible; /* most phases with which a plan was possible */
    uint8_t rounds;          /* number of rounds */
    bool output : 1;         /* an output follows the result */
    bool layers : 1; /* nodes of a layer get equally many units; 0: no arrays */
    bool advance : 1;          /* round 0 is an advance */
    bool meanwhile : 1;        /* outputs returned during later rounds */
    bool proved : 1;           /* WIRE_PROOF_BYTES precede the result */
    uint64_t compute_ps;       /* time to compute a unit, as planned with, ps */
    uint64_t makespan_ps;      /* planned time until all have computed, ps */
    uint64_t begin_ps;         /* time that the kernel's begin() took, ps */
    uint64_t plan_ps;          /* time that planning took, ps */
    uint64_t scatter_start_ps; /* time zero of the plan, mesh time, ps */
    uint64_t gather_done_ps;   /* mesh time when all results are merged, ps */
    uint64_t overhead_ps; /* from time zero until the originator computes, ps */
    /* startup_ps[i]: startup of a circuit in phase i + 1, ps. Element i of the
       other arrays: for a node of layer i. */
    uint64_t startup_ps[TORUS_PHASES_MAX];
    uint64_t received_ps[TORUS_PHASES_MAX + 1]; /* from time zero until the node
                                                   has its range, ps */
    uint32_t share_units[TORUS_PHASES_MAX + 1]; /* units the node keeps */
    uint32_t volume_units[TORUS_PHASES_MAX + 1]; /* these and descendants' */
    uint64_t ordered_ps; /* mesh time when the whole order has come in, ps */
    uint64_t measure_ps; /* time of all runs of the kernel to measure it, ps */
    uint32_t measured_units; /* units computed to measure; not in the plan */
    uint32_t ranges;         /* number of ranges that nobody computed */
    uint64_t call_ps;        /* time of a run() of no units, ps */
    uint64_t announce_ps;    /* time in which the announcement was queued, ps */
    uint64_t sampled_ps;     /* time of samples, ps, a part of measure_ps */
};
static_assert(sizeof(struct wire_report) == WIRE_REPORT_BYTES, "no gaps");

/* A range of the whole load. */
struct wire_range {
    uint32_t first_unit;
    uint32_t units; /* 1 or more */
};
static_assert(sizeof(struct wire_range) == WIRE_RANGE_BYTES, "no gaps");

/* Returns the length, bytes, of a report up to the ranges. */
uint32_t wire_report_bytes(const struct wire_report *report);

/* Stores wire_report_bytes() bytes at `out`. Reads `plan` only if the report
   has tables of several rounds. */
void wire_report_store(uint8_t *out, const struct wire_report *report,
                       const struct rounds_plan *plan);

/* Loads a report and its plan's tables. Result: 0; ERR_LENGTH; ERR_FIELD. */
NODISCARD int wire_report_load(struct wire_report *report,
                               struct rounds_plan *plan, const uint8_t *in,
                               uint32_t bytes);

/* ---- probes; scatter/engine/probe.h draws their times t1 to t4 ---- */

#define WIRE_ENTRY_BYTES 20u
#define WIRE_ANSWER_BYTES 16u
#define WIRE_LOG_BYTES 8u /* two numbers of events, before the events */
#define WIRE_MEASURED_BYTES 8u
#define WIRE_ROW_BYTES 32u /* length of a row without events */

enum wire_asks {
    WIRE_ASKS_TIME, /* the probe asks for times alone */
    WIRE_ASKS_LOG   /* the probe asks for events since the last job began */
};

/* WIRE_MEASURE: entries. WIRE_PROBE: one entry, then bytes of no meaning. */
struct wire_entry {
    struct torus_path path;  /* from the originator to the node that answers */
    uint16_t count;          /* number of probes to send, one by one */
    uint32_t bytes;          /* length of a probe */
    uint32_t ready_delay_ns; /* time from reading the clock until the message
                                leaves, ns */
    uint32_t asks;           /* enum wire_asks */
};
static_assert(sizeof(struct wire_entry) == WIRE_ENTRY_BYTES, "no gaps");

/*
 * WIRE_ANSWER, over the reversed path:
 *    0  u64 t2, when the probe came       8  u64 t3, when the answer is ready
 *   16  for WIRE_ASKS_TIME: bytes of no meaning, which make the answer as long
 *       as the probe, so that both take equally long
 *   16  for WIRE_ASKS_LOG: u32 number of events since the last job began; u32
 *       number of events that follow; events, each a struct node_event
 *
 * WIRE_MEASURED:
 *    0  i32 error, enum err               4  u32 rows
 *    8  for each row, in order: u64 t1, when the probe is ready; u64 t4, when
 *       the answer came; the answer's t2 and t3; for WIRE_ASKS_LOG the rest
 */

#endif
