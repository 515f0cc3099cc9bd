/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The payloads of all messages, behind the header of hal/circuit.h.
 *
 *    message            from        to          carries
 *    WIRE_ORDER         host        originator  a job, its kernel, the load
 *    WIRE_ANNOUNCE      node        child       the kernel and its argument
 *    WIRE_PART          node        child       a range, by WIRE_PATTERN
 *    WIRE_BRANCH        node        child       a range of round 0, by
 * WIRE_TREE WIRE_BRANCH_ROUND  node        child       a range of a later round
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
 * Other layouts are drawn: byte offset, type, field. `pad4` is what rounds a
 * length up to a multiple of 4. "Before, units, and after" is a range of the
 * load between the bytes that the kernel reads before it and after it.
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
    /* 14 and 15 are the kinds of hal/serial/errand.h. */
};

/* The kind of a message with a result or with outputs depends on the phase over
   which it returns: so a parent tells apart its children on one port.
   WIRE_KIND() is WIRE_RESULT for all these kinds. */
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
    WIRE_STORE_AND_FORWARD = 1, /* each hop stores a message and sends it on;
                                   not set: circuits, from end to end */
    WIRE_EQUAL_SHARES = 2,      /* all nodes get equally many units */
    WIRE_MORE = 8               /* another order follows; a job has it, too */
};

enum wire_job_flag {
    WIRE_TAIL = 1,      /* after the planned rounds nodes get the reserve of the
                           load on demand, by WIRE_CHUNK */
    WIRE_MEANWHILE = 2, /* outputs of a round return during the next one; only
                           with WIRE_OUTPUT and WIRE_PATTERN */
    WIRE_OUTPUT = 4     /* the kernel has an output besides its result */
};

/* The byte of flags, bits 0 to 3, and policy, bits 4 to 7; its policy. */
#define WIRE_FLAGS(flags, policy) ((uint8_t)((flags) | (policy) << 4))
#define WIRE_POLICY(flags) ((flags) >> 4)

#define WIRE_PAD4(bytes) (((bytes) + 3u) & ~3u)

/* Copies the fields of a struct from the message `in`. Result: 0, or ERR_LENGTH
   if the message is shorter than the struct. */
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
#define WIRE_ORDER_BYTES 88u
#define WIRE_BEST 0xffu      /* in an order: the originator chooses */
#define WIRE_RESERVE_MAX 90u /* percent of the load */

/* The longest call_ps of an order, 34 ms: with the costs of a board added it
   stays below the 2^36 ps that planners take (scatter/plan/job.h). */
#define WIRE_CALL_MAX_PS ((uint64_t)1 << 35)

/*
 * WIRE_ORDER: fields up to call_ps; the argument, pad4; the tree, of tree_nodes
 * branches (scatter/plan/tree.h); before, units, and after.
 *
 * A message of `bytes` bytes over `hops` links takes
 *    startup_ps + hops * hop_delay_ps + bytes * transfer_ps
 * and with WIRE_STORE_AND_FORWARD startup and transfer once a hop. Times of
 * software are in struct scatter_costs (scatter/engine/core.h). compute_ps and
 * call_ps are what an earlier job measured.
 */
struct wire_order {
    char kernel[WIRE_NAME_BYTES]; /* name of the kernel, padded with NUL */
    uint64_t startup_ps;          /* time of a circuit, ps */
    uint64_t transfer_ps;         /* time of a byte, ps */
    uint64_t hop_delay_ps;        /* time of a hop, ps */
    uint32_t load_units;
    uint8_t phases;        /* phases, or WIRE_BEST; 0: the originator alone */
    uint8_t rounds;        /* rounds, or WIRE_BEST; with WIRE_FARM the farm's
                              installment k (scatter/plan/farm.h) */
    uint8_t ports;         /* ports that a node uses at once: 1, 2 or 4 */
    unsigned flags : 4;    /* enum wire_order_flag */
    unsigned policy : 4;   /* enum wire_policy */
    uint16_t tree_nodes;   /* branches of the tree; 0: no tree */
    uint8_t reserve;       /* percent of the load for WIRE_TAIL, at most
                              WIRE_RESERVE_MAX, or WIRE_BEST; with WIRE_TREE
                              WIRE_BEST lets the originator make it a farm */
    uint8_t zero;          /* 0 */
    uint32_t unit_bytes;   /* bytes of a unit; 0: the load has no data */
    uint32_t arg_bytes;    /* bytes of `arg`, at most KERNEL_ARG_MAX */
    uint32_t first_unit;   /* place of this order's units in the whole load */
    uint32_t before_bytes; /* bytes of the load sent before these units */
    uint32_t after_bytes;  /* bytes of the load sent after these units */
    uint64_t compute_ps;   /* time of a unit, ps, at most PLANNER_TIME_MAX_PS;
                              0: the originator measures it */
    uint64_t call_ps;      /* fixed time of a run() besides its units, ps, at
                              most WIRE_CALL_MAX_PS */
    const uint8_t *arg;    /* the kernel's argument */
    const uint8_t *tree;   /* 4-byte aligned if the message is */
    const uint8_t *load;   /* the first unit */
};
static_assert(offsetof(struct wire_order, tree_nodes) == 48 &&
                  offsetof(struct wire_order, arg) == WIRE_ORDER_BYTES,
              "an order has no gaps");

/* Returns the length of before, units, and after. */
uint64_t wire_order_load_bytes(const struct wire_order *order);

/* Returns the length of an order ahead of before, units, and after.
   wire_order_store() stores these bytes at `out`. */
uint32_t wire_order_head_bytes(const struct wire_order *order);
void wire_order_store(uint8_t *out, const struct wire_order *order);

/* Loads an order of `bytes` bytes; arg, tree and load point into `in`. Result:
   0, ERR_LENGTH or ERR_FIELD. */
NODISCARD int wire_order_load(struct wire_order *order, const uint8_t *in,
                              uint32_t bytes);

/* ---- jobs ---- */

#define WIRE_JOB_BYTES 36u

/* Length of the longest job of WIRE_PATTERN, with the tables of a round. */
#define WIRE_JOB_BYTES_MAX (WIRE_JOB_BYTES + 16u * (TORUS_PHASES_MAX + 1u))

/*
 * A job tells every node what the originator knows. It lies in the first
 * message with a range that a node gets, and nodes pass it on unchanged.
 *
 *    0  u8  phases                         8  u64 gather_ps
 *    1  u8  rounds                        16  u32 short_units
 *    2  u8  flags and policy              20  u32 long_units
 *    3  u8  frames                        24  u32 early_units
 *    4  u16 short_bytes                   28  u32 before_bytes
 *    6  u8  shift; u8 0                   32  u32 after_bytes
 *   36  u64 result_ps[0..phases], with WIRE_OUTPUT
 *
 * With WIRE_FARM struct wire_farm_terms takes the place of the slots:
 *
 *    3  u8  installment                    8  u64 compute_ps
 *                                         16  u32 demand_ps
 *                                         20  u64 call_ps
 *
 * result_ps[layer] is the time from gather_ps until results of a layer leave.
 */

/* The slots, which are the times when results may travel; a drawing is in
   scatter/plan/slots.h. */
struct wire_slots {
    uint64_t gather_ps;   /* mesh time of the drawing's end_ps, ps */
    uint32_t short_units; /* length of a short slot in 2^shift ps; 0: none */
    uint32_t long_units;  /* length of a long slot in 2^shift ps; 0: none */
    uint32_t early_units; /* time of slots before gather_ps in 2^shift ps */
    uint16_t short_bytes; /* the longest result of a short slot */
    uint8_t frames;       /* times that each phase has a short slot between two
                             long slots */
    uint8_t shift;        /* unit of the lengths above, as a power of 2 in ps */
};

struct wire_job {
    uint8_t phases;          /* phases, at least 1 */
    uint8_t rounds;          /* rounds, 1 to ROUNDS_MAX */
    uint8_t flags;           /* WIRE_FLAGS(enum wire_job_flag, policy) */
    uint32_t before_bytes;   /* bytes that the kernel reads before a range */
    uint32_t after_bytes;    /* bytes that the kernel reads after a range */
    struct wire_slots slots; /* wire_job_store() reads them, wire_job_load()
                                leaves them to wire_job_slots() */
};

/* The terms by which masters plan: workers of a farm that serve others. */
struct wire_farm_terms {
    uint64_t compute_ps; /* time of a unit, ps, 1 to PLANNER_TIME_MAX_PS */
    uint32_t demand_ps;  /* time to serve a demand, ps */
    uint8_t installment; /* k of scatter/plan/farm.h, at least 1 */
    uint64_t call_ps;    /* fixed time of a run(), ps */
};

/* Returns the length of a stored job. Inline, as it is on the hot path; (flags
   & WIRE_OUTPUT) / WIRE_OUTPUT is 0 or 1 without a jump. */
__attribute__((always_inline)) static inline uint32_t
wire_job_bytes(const struct wire_job *job)
{
    return WIRE_JOB_BYTES +
           (job->flags & WIRE_OUTPUT) / WIRE_OUTPUT * 8u * (job->phases + 1u);
}

/* Stores wire_job_bytes() at `out`; result_ps[] is read with WIRE_OUTPUT. */
void wire_job_store(uint8_t *out, const struct wire_job *job,
                    const uint64_t result_ps[]);

/* Loads a job without its slots. `bytes` may be more than the job's. Result: 0,
   ERR_LENGTH or ERR_FIELD. */
NODISCARD int wire_job_load(struct wire_job *job, const uint8_t *in,
                            uint32_t bytes);

/* Return the slots and result_ps[layer] of a stored job. */
struct wire_slots wire_job_slots(const uint8_t *in);
uint64_t wire_job_result_ps(const uint8_t *in, unsigned layer);

/* Changes gather_ps alone in a stored job. */
static inline void wire_job_store_gather(uint8_t *out, uint64_t gather_ps)
{
    bytes_store_u64(out + 8, gather_ps);
}

/* Sets a farm's terms in a stored job. */
void wire_job_store_farm(uint8_t *out, const struct wire_farm_terms *terms);

/* Loads a farm's terms from a stored job. Result: 0 or ERR_FIELD. */
NODISCARD int wire_job_farm(struct wire_farm_terms *terms, const uint8_t *in);

/* ---- announcements ---- */

#define WIRE_ANNOUNCE_BYTES 12u
#define WIRE_ANNOUNCE_HEAD_BYTES 4u /* with WIRE_PATTERN */

/*
 * WIRE_ANNOUNCE goes ahead of all ranges of a job, so that nodes call the
 * kernel's begin() while the originator plans. The child's place is first: with
 * WIRE_PATTERN u8 layer, u8[3] 0; with WIRE_TREE the child's piece of the tree,
 * whose units are not set yet. Then follow the fields up to arg_bytes and the
 * argument, pad4, which nodes pass on unchanged.
 */
struct wire_announce {
    uint32_t kernel;     /* index of the kernel in the image */
    uint32_t unit_bytes; /* bytes of a unit */
    uint32_t arg_bytes;  /* bytes of `arg` */
    const uint8_t *arg;  /* the kernel's argument */
};
static_assert(offsetof(struct wire_announce, arg_bytes) ==
                  WIRE_ANNOUNCE_BYTES - 4,
              "an announcement has no gaps");

/* Loads an announcement, its place left out, of `bytes` bytes; arg points into
   `in`. Result: 0, ERR_LENGTH or ERR_FIELD. */
NODISCARD int wire_announce_load(struct wire_announce *announce,
                                 const uint8_t *in, uint32_t bytes);

/* ---- parts and branches ---- */

#define WIRE_PART_BYTES 12u

/* A part with this bit in its label is an advance, which leaves before the
   originator has planned the rest of the load (scatter/plan/advance.h). */
#define WIRE_ADVANCE (1u << 24)

/*
 * WIRE_PART: these fields; the tables of the round; in the first part the job;
 * before, units, and after. Switches cut a part into the parts of its children
 * and write the fields (hal/rows.h); tables and job pass unchanged:
 *
 *    0  u32  share_units[0..N]            ..  u32  volume_units[0..N]
 *
 * N is the number of phases, and element i is for a node of layer i. An advance
 * is round 0 of a job that is not known yet: its tables are for all phases of
 * the torus, and parts of round 1 have the job.
 */
struct wire_part {
    uint32_t units;
    uint32_t first_unit; /* place of the part in the whole load */
    uint32_t label;      /* wire_part_place(), WIRE_ADVANCE, and what switches
                            need: phases, length of tables and job */
};
static_assert(sizeof(struct wire_part) == WIRE_PART_BYTES, "no gaps");

/*
 * WIRE_BRANCH: the job; the child's piece of the tree; before, units, after.
 *
 * WIRE_BRANCH_ROUND, in every round but the first:
 *    0  u32  round, 1 or more
 *    4  u32[nodes + 1] first unit of the range of each node in the child's
 *            piece of the tree; end of the child's range
 *   ..  before, units, and after
 */

/* Returns the bits CIRCUIT_LABEL_POSTED of a part's label: which node and round
   the part is for. */
static inline uint32_t wire_part_place(unsigned layer, unsigned port,
                                       unsigned round)
{
    return layer | port << 8 | round << 16;
}

/* Bytes of the tables of shares and volumes. */
#define WIRE_TABLES_BYTES(phases) (8u * ((phases) + 1u))

/* Stores the tables of a round, WIRE_TABLES_BYTES(), at `out`. */
void wire_tables_store(uint8_t *out, unsigned phases,
                       const uint32_t share_units[],
                       const uint32_t volume_units[]);

/* Return stored tables, 4-byte aligned, as arrays where they lie. */
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

/* WIRE_CHUNK: these fields; the job, with a worker's first chunk; before,
   units, and after. */
struct wire_chunk {
    uint32_t units;      /* 0: no more chunks follow */
    uint32_t first_unit; /* place of the chunk in the whole load */
    uint16_t worker;     /* index of the worker in its server's list */
    uint16_t number;     /* index of the chunk among this worker's */
};
static_assert(sizeof(struct wire_chunk) == WIRE_CHUNK_BYTES, "no gaps");

/* WIRE_DEMAND: these fields; with WIRE_OUTPUT chunks of output that have not
   returned. */
struct wire_demand {
    uint16_t worker;     /* index of the worker in its server's list */
    uint16_t number;     /* index of the chunk that the worker asks for */
    uint32_t units;      /* units computed since the last demand, or 0 */
    uint64_t compute_ps; /* time to compute these units, ps */
};
static_assert(sizeof(struct wire_demand) == WIRE_DEMAND_BYTES, "no gaps");

/* ---- results and outputs ---- */

/*
 * WIRE_RESULT_OF(phase): the kernel's result; but with WIRE_OUTPUT the result's
 * length as u32, the result, padded to the longest that the kernel's terms
 * allow, and chunks of output in any order:
 *
 *    0  u32 first unit    4  u32 bytes    8  the bytes, pad4
 *
 * WIRE_OUTPUTS_OF(phase), with WIRE_MEANWHILE, R times: message r, 1 to the
 * number of rounds R, has r as u32 and chunks of output: the child's own of
 * round r - 1, and those of its children's messages r - 1. The child sends
 * message r when its part of round r has come, and message R when all rounds
 * are computed.
 */
#define WIRE_OUTPUT_CHUNK_BYTES 8u /* ahead of a chunk's bytes */
#define WIRE_OUTPUTS_BYTES 4u /* ahead of the chunks, with WIRE_MEANWHILE */

/* ---- reports ---- */

#define WIRE_REPORT_BYTES 368u
#define WIRE_REPORT_BYTES_MAX                                                  \
    (WIRE_REPORT_BYTES + 8u * ROUNDS_MAX * (TORUS_PHASES_MAX + 1u))

/*
 * WIRE_REPORT: these fields; with `layers` and several rounds u32 share and u32
 * volume of each layer, round after round; the kernel's result; chunks of
 * output. Mesh times are by the originator's clock. Time zero of the plan is
 * scatter_start_ps:
 *
 *    |-- announce, begin, measure, plan --|-- makespan --|-- results return --|
 *    ordered_ps            scatter_start_ps                      gather_done_ps
 *
 * With `advance` the originator measures and plans after scatter_start_ps.
 */
struct wire_report {
    int32_t error; /* enum err */
    uint8_t phases;
    uint8_t phases_feasible; /* the most phases that a plan may have */
    uint8_t rounds;
    bool output : 1;      /* an output follows the result */
    bool layers : 1;      /* all nodes of a layer get equally many units; not
                             set: the arrays below are 0 */
    bool advance : 1;     /* round 0 is an advance */
    bool meanwhile : 1;   /* outputs returned during later rounds */
    uint64_t compute_ps;  /* time of a unit in the plan, ps */
    uint64_t makespan_ps; /* from time zero until all nodes have computed,
                             ps, as planned */
    uint64_t begin_ps;    /* time of the kernel's begin(), ps */
    uint64_t plan_ps;     /* time to plan, ps */
    uint64_t scatter_start_ps; /* mesh time when the scatter begins */
    uint64_t gather_done_ps;   /* mesh time when all results are merged */
    uint64_t overhead_ps; /* from time zero until the originator computes, ps */
    uint64_t startup_ps[TORUS_PHASES_MAX];       /* of phase index + 1, ps */
    uint64_t received_ps[TORUS_PHASES_MAX + 1];  /* from time zero until a layer
                                                    has its range, as planned */
    uint32_t share_units[TORUS_PHASES_MAX + 1];  /* units of a layer's node in
                                                    all rounds together */
    uint32_t volume_units[TORUS_PHASES_MAX + 1]; /* units of a layer's node and
                                                    its descendants */
    uint64_t ordered_ps;     /* mesh time when the order is complete */
    uint64_t measure_ps;     /* time of all runs that measured, ps */
    uint32_t measured_units; /* units computed by measuring, not in the plan */
    uint32_t zero;           /* 0 */
    uint64_t call_ps; /* fixed time of a run(), ps: as in the plan, or, where
                         that did not fit the originator's share, measured
                         afterwards */
    uint64_t announce_ps; /* time to queue the announcement, ps */
    uint64_t sampled_ps;  /* time of those runs whose results were dropped */
};
static_assert(sizeof(struct wire_report) == WIRE_REPORT_BYTES, "no gaps");

/* Returns the length of a report before the kernel's result. */
uint32_t wire_report_bytes(const struct wire_report *report);

/* Stores wire_report_bytes() at `out`; tables of `plan` are read with `layers`
   and several rounds. */
void wire_report_store(uint8_t *out, const struct wire_report *report,
                       const struct rounds_plan *plan);

/* Loads a report with its plan's tables. Result: 0, ERR_LENGTH or ERR_FIELD. */
NODISCARD int wire_report_load(struct wire_report *report,
                               struct rounds_plan *plan, const uint8_t *in,
                               uint32_t bytes);

/* ---- probes; scatter/engine/probe.h draws their times t1 to t4 ---- */

#define WIRE_ENTRY_BYTES 20u
#define WIRE_ANSWER_BYTES 16u
#define WIRE_LOG_BYTES 8u /* ahead of an answer's events */
#define WIRE_MEASURED_BYTES 8u
#define WIRE_ROW_BYTES 32u /* without a log */

enum wire_asks {
    WIRE_ASKS_TIME, /* the probe asks for times alone */
    WIRE_ASKS_LOG   /* and for the node's events since its last job began */
};

/* WIRE_MEASURE: entries. WIRE_PROBE: one entry, then bytes without a
   meaning. */
struct wire_entry {
    struct torus_path path;  /* from the originator to the node that answers */
    uint16_t count;          /* number of probes, one after the other */
    uint32_t bytes;          /* length of a probe */
    uint32_t ready_delay_ns; /* from when the sender reads its clock until the
                                probe leaves at t1, the answer at t3 */
    uint32_t asks;           /* enum wire_asks */
};
static_assert(sizeof(struct wire_entry) == WIRE_ENTRY_BYTES, "no gaps");

/*
 * WIRE_ANSWER, over the reversed path:
 *    0  u64 t2, when the probe came       8  u64 t3, when the answer is ready
 *   16  for WIRE_ASKS_TIME: bytes without a meaning, which make the answer as
 *       long as the probe, so that both take equally long
 *   16  for WIRE_ASKS_LOG: u32 events ever, u32 events that follow, each a
 *       struct node_event as hal/node.h pins it
 *
 * WIRE_MEASURED:
 *    0  i32 error, enum err               4  u32 rows
 *    8  for each row, in order: u64 t1, when the probe is ready; u64 t4, when
 *       the answer came; the answer without bytes that have no meaning
 */

#endif
