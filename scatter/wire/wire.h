/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The payloads of all messages, behind the header of hal/circuit.h: byte
 * offset, type, field. All fields are little-endian; `pad4` rounds up to a
 * multiple of four bytes. "before, units, and after" is a range with its halo:
 * the bytes of the load before it, its units, and the bytes after it. Stores
 * and loads serve nodes and the host alike.
 *
 * An order's profile says what the wires cost: a message takes
 *    startup_ps + hops * hop_delay_ps + bytes * transfer_ps
 * and on a mesh that stores and forwards startup and transfer once a hop. The
 * times of software are in struct scatter_costs (scatter/engine/core.h).
 *
 * WIRE_ORDER, host to originator:          WIRE_PART, node to child:
 *    0  u8[16] kernel, NUL-padded             0  u32  units
 *   16  u64 startup_ps                        4  u32  first unit
 *   24  u64 transfer_ps per byte              8  u32  label: hal/circuit.h
 *   32  u64 hop_delay_ps                     12  tables, see below
 *   40  u32 load_units                       ..  in one round, the job
 *   44  u8  phases, or WIRE_BEST             ..  before, units, and after
 *   45  u8  rounds, or WIRE_BEST; of a
 *           farm installments, see below
 *   46  u8  ports at once                 WIRE_BRANCH, node to child:
 *   47  u8  flags and policy, see below      0  job
 *   48  u16 tree_nodes, 0: none             ..  the child's piece of the tree
 *   50  u8  reserve, or WIRE_BEST; u8 0     ..  before, units, and after
 *   52  u32 unit_bytes
 *   56  u32 arg_bytes
 *   60  u32 first_unit
 *   64  u32 before_bytes
 *   68  u32 after_bytes
 *   72  u64 compute_ps per unit
 *   80  u64 call_ps
 *   88  arg, pad4; the tree; before, units, and after
 *
 * WIRE_BRANCH_ROUND, node to child, in every round but the first:
 *    0  u32  round, from 1
 *    4  u32[nodes + 1] first unit of the range of each node of the child's
 *            piece, in the order of branches; end of the child's range
 *   ..  before, units, and after
 *
 * WIRE_CHUNK, originator to worker:        WIRE_DEMAND, worker to originator:
 *    0  u32 units; 0: no more follow          0  u16 worker
 *    4  u32 first unit                        2  u16 number of the chunk that
 *    8  u16 worker                                   it asks for
 *   10  u16 number of the chunk, from 0       4  u32 units of the chunk before
 *   12  the job, with the first chunk                the one in hand, or 0
 *   ..  before, units, and after              8  u64 compute_ps of these
 *                                            16  with WIRE_OUTPUT: chunks of
 *                                                output that have not returned
 *
 * A chunk is at most the k-th part of what each node may still expect, k the
 * installments of the farm (scatter/plan/farm.h).
 *
 * Each policy has its own messages. The first is for 5^k x 5^k tori with four
 * ports and equal nodes; orders of the others have a tree (plan/tree.h).
 *    WIRE_PATTERN   WIRE_PART; with WIRE_TAIL, too, WIRE_CHUNK and WIRE_DEMAND
 *    WIRE_TREE      WIRE_BRANCH and WIRE_BRANCH_ROUND
 *    WIRE_FARM      WIRE_CHUNK and WIRE_DEMAND
 *
 * A part is cut into rows by switches (hal/rows.h). Its label names the layer
 * of the receiver (its form) and the job's phases N (its last form); its shared
 * segment begins with the tables of its round:
 *    0  u32 share_units[0..N]             ..  u32 volume_units[0..N]
 * In the first part of a job the job lies behind the tables. An advance
 * (scatter/plan/advance.h) is round 0 of a job that is not known yet: it has
 * tables alone, for all phases of the torus, and parts of round 1 have the job.
 *
 * An order's compute_ps and call_ps are the rate that an earlier job showed; if
 * compute_ps is 0, the originator measures. A report's are those that the plan
 * was made with; but where the originator's share did not take what the order's
 * rate promised, call_ps is measured afterwards.
 *
 * WIRE_ANNOUNCE, node to child, ahead of all parts of a job: a head, and a rest
 * that each node passes on unchanged. The head is the child's place: with
 * WIRE_PATTERN
 *    0  u8  layer of the receiver; u8[3] 0
 * and with WIRE_TREE
 *    0  the child's piece of the tree, whose units mean nothing yet
 * and the rest is:
 *   +0  u8  kernel's index in the image; u8[3] 0
 *   +4  u32 unit_bytes
 *   +8  u32 arg_bytes
 *  +12  arg, pad4
 *
 * A job, which nodes pass on unchanged, as they do tables:
 *    0  u8  phases N                       8  u64 gather_ps
 *    1  u8  rounds R, from 1              16  u32 short_units of 2^shift ps
 *    2  u8  flags and policy              20  u32 long_units
 *    3  u8  frames                        24  u32 early_units
 *    4  u16 short_bytes                   28  u32 before_bytes
 *    6  u8  shift; u8 0                   32  u32 after_bytes
 *   36  u64 result_ps[0..N], if WIRE_OUTPUT
 * A farm's job has no slots. Instead it has the terms with which its masters,
 * workers that serve others, plan:
 *    3  u8  installment                    8  u64 compute_ps per unit
 *                                         16  u32 demand_ps per demand
 *                                         20  u64 call_ps per run() besides
 *
 * Flags and policy share a byte: bits 0 to 3 are flags, enum wire_order_flag or
 * enum wire_job_flag, bits 4 to 7 the policy, enum wire_policy.
 *
 * WIRE_RESULT_OF(phase), child to parent: the kernel's result, and nothing
 * else; with WIRE_OUTPUT its length as u32, the result, padded to the longest
 * that the kernel's terms allow, and chunks of output, in any order:
 *
 *    0  u32 first unit    4  u32 bytes    8  the bytes, pad4
 *
 * WIRE_OUTPUTS_OF(phase), child to parent, with WIRE_MEANWHILE: message r, 1 to
 * R, has r as u32 and chunks of output: the child's own of round r - 1, and
 * those of its children's messages r - 1. The child sends it when it has its
 * part of round r; message R when all rounds are computed.
 *
 * WIRE_REPORT, originator to host:
 *    0  i32 error, enum err               40  u64 scatter_start_ps
 *    4  u8  phases N                      48  u64 gather_done_ps
 *    5  u8  phases_feasible               56  u64 overhead_ps
 *    6  u8  rounds R; 7 u8 flags          64  u64 startup_ps[10]
 *    8  u64 compute_ps per unit          144  u64 received_ps[0..10]
 *   16  u64 makespan_ps                  232  u32 share_units[0..10]
 *   24  u64 begin_ps                     276  u32 volume_units[0..10]
 *   32  u64 plan_ps                      320  u64 ordered_ps
 *                                        328  u64 measure_ps
 *                                        336  u32 measured_units
 *                                        340  u32 0
 *                                        344  u64 call_ps
 *                                        352  u64 announce_ps
 *                                        360  u64 sampled_ps
 *                                        368  rounds, see below
 *
 * Flags: 1: an output follows the result; 8: that output returned while later
 * parts of the load were computed; 4: the first round was an advance, so the
 * originator measured and planned after scatter_start_ps; 2: all nodes of a
 * layer get the same, so received_ps, share_units, volume_units (of all rounds
 * together) and startup_ps are set, else they are 0. With flag 2 and R > 1
 * follow R times (N + 1) pairs of u32 share, u32 volume; then always the
 * kernel's result.
 *
 * Probes (scatter/engine/probe.h). All times are in ps; the node that reads a
 * time does so by its own clock.
 *
 * WIRE_MEASURE, host to originator: entries as below, one after the other.
 *
 * WIRE_PROBE, originator to the node at the path's end: the entry, then bytes
 * without a meaning.
 *    0  u8  port          6  u16 count: probes, one after the other
 *    1  u8  turn          8  u32 bytes of each, this entry included
 *    2  u16 hops         12  u32 ready_delay_ns: from when the sender reads its
 *    4  u16 hops_after           clock until t1, of the answer t3
 *                        16  u32 what is asked, enum wire_asks
 *
 * WIRE_ANSWER, over the reversed path:
 *    0  u64 t2: the probe's receipt      8  u64 t3: the answer is ready
 *   16  for WIRE_ASKS_TIME: bytes without a meaning, as many as make it as
 *       long as the probe, so that both take equally long
 *   16  for WIRE_ASKS_LOG: u32 events ever, u32 events that follow, each a
 *       struct node_event as hal/node.h pins it
 *
 * WIRE_MEASURED, originator to host:
 *    0  i32 error, enum err              4  u32 rows
 *    8  for each row, in order: u64 t1: the probe is ready; u64 t4: the
 *       answer's receipt; the answer without bytes that have no meaning
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
    /* 14 and 15 are those of hal/serial/errand.h. */
};

/* An order has these flags. */
enum wire_order_flag {
    WIRE_STORE_AND_FORWARD = 1, /* each hop stores a message and sends it on;
                                   not set: circuits, from end to end */
    WIRE_EQUAL_SHARES = 2,      /* all nodes get equally many units */
    WIRE_MORE = 8               /* another order follows; a job has it, too */
};

/* A job has these flags. */
enum wire_job_flag {
    WIRE_TAIL = 1,      /* nodes ask for the load behind the planned rounds */
    WIRE_MEANWHILE = 2, /* outputs of a round return during the next one; only
                           with WIRE_OUTPUT and WIRE_PATTERN */
    WIRE_OUTPUT = 4     /* the kernel has an output besides its result */
};

/* A policy says how the load moves: a row of scatter/engine/policy_table.c. */
enum wire_policy {
    WIRE_PATTERN,
    WIRE_TREE,
    WIRE_FARM,
    WIRE_POLICIES
};

/* Makes the byte of flags and policy, and takes the policy from one. */
#define WIRE_FLAGS(flags, policy) ((uint8_t)((flags) | (policy) << 4))
#define WIRE_POLICY(flags) ((flags) >> 4)

/* A probe asks for an answer with times, or with more: */
enum wire_asks {
    WIRE_ASKS_TIME,
    WIRE_ASKS_LOG /* the node's events since its last job began */
};

#define WIRE_BEST 0xffu      /* in an order: the originator chooses */
#define WIRE_RESERVE_MAX 90u /* percent of the load */
#define WIRE_NAME_BYTES 16u
#define WIRE_ORDER_BYTES 88u
#define WIRE_PART_BYTES 12u
#define WIRE_PART_AT_LABEL 8u
#define WIRE_JOB_BYTES 36u
#define WIRE_OUTPUT_CHUNK_BYTES 8u
#define WIRE_OUTPUTS_BYTES 4u /* the round, ahead of outputs meanwhile */
#define WIRE_CHUNK_BYTES 12u  /* without job and units */
#define WIRE_DEMAND_BYTES 16u
#define WIRE_ANNOUNCE_BYTES 12u     /* without head and argument */
#define WIRE_ANNOUNCE_HEAD_BYTES 4u /* with WIRE_PATTERN */
#define WIRE_REPORT_BYTES 368u
/* Offsets of times in the report: u64, ps, by the originator's clock. */
#define WIRE_REPORT_AT_START 40u
#define WIRE_REPORT_AT_GATHERED 48u
#define WIRE_REPORT_AT_ORDERED 320u
#define WIRE_REPORT_BYTES_MAX                                                  \
    (WIRE_REPORT_BYTES + 8u * ROUNDS_MAX * (TORUS_PHASES_MAX + 1u))

#define WIRE_ENTRY_BYTES 20u
#define WIRE_ANSWER_BYTES 16u
#define WIRE_LOG_BYTES 8u /* ahead of an answer's events */
#define WIRE_MEASURED_BYTES 8u
#define WIRE_ROW_BYTES 32u /* without a log */

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

/* The longest call_ps of an order, 34 ms: with a board's costs it stays below
   2^36 ps, which planners of trees count with. */
#define WIRE_CALL_MAX_PS ((uint64_t)1 << 35)

/* Length of the largest job of the pattern, with its tables. */
#define WIRE_JOB_BYTES_MAX (WIRE_JOB_BYTES + 16u * (TORUS_PHASES_MAX + 1u))

#define WIRE_PAD4(bytes) (((bytes) + 3u) & ~3u)

struct wire_order {
    char kernel[WIRE_NAME_BYTES]; /* the kernel's name */
    uint64_t startup_ps;          /* per circuit */
    uint64_t transfer_ps;         /* per byte */
    uint64_t hop_delay_ps;        /* per hop */
    uint32_t load_units;
    uint8_t phases;        /* or WIRE_BEST; 0: the originator alone */
    uint8_t rounds;        /* or WIRE_BEST; of a farm its installment */
    uint8_t ports;         /* ports that a node uses at once: 1, 2 or 4 */
    uint8_t flags;         /* enum wire_order_flag */
    uint8_t policy;        /* enum wire_policy */
    uint8_t reserve;       /* percent of the load for nodes that ask for it
                              behind the rounds, to WIRE_RESERVE_MAX; WIRE_BEST
                              along a tree: all may be, as on a farm */
    uint32_t tree_nodes;   /* in the tree; 0: none */
    uint32_t unit_bytes;   /* 0: the load has no data */
    uint32_t arg_bytes;    /* to KERNEL_ARG_MAX */
    uint32_t first_unit;   /* place of this order's units in the whole load */
    uint32_t before_bytes; /* of the load, sent before these units */
    uint32_t after_bytes;  /* of the load, sent after them, to the terms' */
    uint64_t compute_ps;   /* per unit, to PLANNER_TIME_MAX_PS; 0: measure it */
    uint64_t call_ps;      /* per run() besides, to WIRE_CALL_MAX_PS */
    const uint8_t *arg;    /* the kernel's argument */
    const uint8_t *tree;   /* 4-byte aligned if the message is */
    const uint8_t *load;   /* the first unit */
};

/* Returns the length of the order's units with the bytes before and after. */
uint64_t wire_order_load_bytes(const struct wire_order *order);

/* Returns the length of an order before those bytes. wire_order_store() writes
   that head to `out`. */
uint32_t wire_order_head_bytes(const struct wire_order *order);
void wire_order_store(uint8_t *out, const struct wire_order *order);

/* Loads an order of `bytes` bytes; arg, tree and load point into `in`. Result:
   0, ERR_LENGTH or ERR_FIELD. */
NODISCARD int wire_order_load(struct wire_order *order, const uint8_t *in,
                              uint32_t bytes);

/* Slots say when results may travel (scatter/plan/slots.h). */
struct wire_slots {
    uint64_t gather_ps;   /* mesh time, ps, from which slots count (end_ps in
                             slots.h), with an output result_ps[] */
    uint32_t short_units; /* length of a short slot in 2^shift ps; 0: none */
    uint32_t long_units;  /* length of a long slot in 2^shift ps; 0: none */
    uint32_t early_units; /* from the first slot to gather_ps, 2^shift ps */
    uint16_t short_bytes; /* the longest result of a short slot */
    uint8_t frames;       /* frames of short slots between two long slots */
    uint8_t shift;
};

struct wire_job {
    uint8_t phases;        /* from 1 */
    uint8_t rounds;        /* from 1, to ROUNDS_MAX */
    uint8_t flags;         /* WIRE_FLAGS(enum wire_job_flag, policy) */
    uint32_t before_bytes; /* of the load, read by the kernel before a range */
    uint32_t after_bytes;  /* of the load, read after a range */
    struct wire_slots slots; /* stored; wire_job_slots() loads them */
};

/* A job's announcement: all that is known of a job when it is ordered. */
struct wire_announce {
    uint8_t kernel; /* index in the image */
    uint32_t unit_bytes;
    uint32_t arg_bytes;
    const uint8_t *arg; /* the kernel's argument */
};

struct wire_part {
    uint32_t units;
    uint32_t first_unit; /* place of the part in the whole load */
    uint32_t label;      /* wire_part_place() and more: hal/circuit.h */
};

/* Stores WIRE_ANNOUNCE_BYTES, which lie between head and argument. */
void wire_announce_store(uint8_t *out, const struct wire_announce *announce);

/* Loads the `bytes` of an announcement behind its head; arg points into `in`.
   Result: 0, ERR_LENGTH or ERR_FIELD. */
NODISCARD int wire_announce_load(struct wire_announce *announce,
                                 const uint8_t *in, uint32_t bytes);

/* Bytes of the tables of shares and volumes. */
#define WIRE_TABLES_BYTES(phases) (8u * ((phases) + 1u))

/* Returns the length of a stored job. Inline, as it is on the hot path; (flags
   & WIRE_OUTPUT) / WIRE_OUTPUT is 0 or 1 without a jump. */
__attribute__((always_inline)) static inline uint32_t
wire_job_bytes(const struct wire_job *job)
{
    return WIRE_JOB_BYTES +
           (job->flags & WIRE_OUTPUT) / WIRE_OUTPUT * 8u * (job->phases + 1u);
}

/* Stores wire_job_bytes() at `out`. result_ps[0..phases], of a job with an
   output: time from gather_ps until a layer's results leave, ps. */
void wire_job_store(uint8_t *out, const struct wire_job *job,
                    const uint64_t result_ps[]);

/* Stores the tables of a round, WIRE_TABLES_BYTES(), at `out`; the index is the
   layer, 0 to `phases`. */
void wire_tables_store(uint8_t *out, unsigned phases,
                       const uint32_t share_units[],
                       const uint32_t volume_units[]);

/* The terms with which a farm's masters plan. */
struct wire_farm_terms {
    uint64_t compute_ps; /* per unit, from 1 to PLANNER_TIME_MAX_PS */
    uint32_t demand_ps;  /* to serve one demand */
    uint8_t installment; /* from 1 */
    uint64_t call_ps;    /* per run() besides */
};

/* Sets a farm's terms in a stored job. */
void wire_job_store_farm(uint8_t *out, const struct wire_farm_terms *terms);

/* Loads a farm's terms from a stored job. Result: 0 or ERR_FIELD. */
NODISCARD int wire_job_farm(struct wire_farm_terms *terms, const uint8_t *in);

/* Changes gather_ps alone in a stored job. */
static inline void wire_job_store_gather(uint8_t *out, uint64_t gather_ps)
{
    bytes_store_u64(out + 8, gather_ps);
}

/* Loads a job without its slots, which a node needs only when it has a result
   (wire_job_slots()). `bytes` may be more than the job's. Result: 0, ERR_LENGTH
   or ERR_FIELD. */
NODISCARD int wire_job_load(struct wire_job *job, const uint8_t *in,
                            uint32_t bytes);

/*
 * Return stored tables as arrays, where they lie; the index is the layer. They
 * are 4-byte aligned, and this machine is little-endian (hal/bytes.h).
 */
static inline const uint32_t *wire_shares(const uint8_t *tables)
{
    return (const uint32_t *)(const void *)tables;
}

static inline const uint32_t *wire_volumes(const uint8_t *tables,
                                           unsigned phases)
{
    return wire_shares(tables) + phases + 1;
}

struct wire_slots wire_job_slots(const uint8_t *in);

/* Returns the time from gather_ps until a layer's results leave, ps, from a
   stored job with an output. */
uint64_t wire_job_result_ps(const uint8_t *in, unsigned layer);

/* This bit of its label makes a part an advance. */
#define WIRE_ADVANCE (1u << 24)

/* Returns the bits CIRCUIT_LABEL_POSTED of a part's label: which node and round
   it is for. */
static inline uint32_t wire_part_place(unsigned layer, unsigned port,
                                       unsigned round)
{
    return layer | port << 8 | round << 16;
}

/* Result: 0 or ERR_LENGTH. The receiver checks the label. */
NODISCARD int wire_part_load(struct wire_part *part, const uint8_t *in,
                             uint32_t bytes);

struct wire_chunk {
    uint32_t units;      /* 0: no more follow */
    uint32_t first_unit; /* place of the chunk in the whole load */
    uint16_t worker;     /* the receiver, as the sender counts its workers */
    uint16_t number;     /* of this worker's chunks, from 0 */
};

/* Stores WIRE_CHUNK_BYTES at `out`. */
void wire_chunk_store(uint8_t *out, const struct wire_chunk *chunk);

/* Result: 0 or ERR_LENGTH. The receiver checks the fields. */
NODISCARD int wire_chunk_load(struct wire_chunk *chunk, const uint8_t *in,
                              uint32_t bytes);

struct wire_demand {
    uint16_t worker;     /* the sender, as the receiver counts its workers */
    uint16_t number;     /* of the chunk that the worker asks for */
    uint32_t units;      /* of the chunk before the one in hand, or 0 */
    uint64_t compute_ps; /* compute time of these units */
};

/* Stores WIRE_DEMAND_BYTES at `out`. */
void wire_demand_store(uint8_t *out, const struct wire_demand *demand);

/* Result: 0 or ERR_LENGTH. The receiver checks the fields. */
NODISCARD int wire_demand_load(struct wire_demand *demand, const uint8_t *in,
                               uint32_t bytes);

struct wire_report {
    int32_t error; /* enum err */
    uint8_t phases;
    uint8_t phases_feasible; /* the most that a plan may have */
    uint8_t rounds;
    bool output;          /* an output follows the result */
    bool meanwhile;       /* the output returned during later rounds */
    bool advance;         /* round 0 left before measuring and planning */
    bool layers;          /* all nodes of a layer get the same number of units;
                             else the arrays below say nothing */
    uint64_t compute_ps;  /* per unit: measured, or the order's */
    uint64_t call_ps;     /* per run() besides */
    uint64_t makespan_ps; /* planned, overhead_ps included */
    uint64_t ordered_ps;  /* mesh time when the order was complete */
    /* Between ordered_ps and scatter_start_ps, without an advance: */
    uint64_t announce_ps; /* time to queue the announcement */
    uint64_t begin_ps;    /* time of the kernel's begin() */
    uint64_t measure_ps;  /* time of all runs that measured */
    uint64_t sampled_ps;  /* of these, of runs whose results were dropped */
    uint64_t plan_ps;     /* time to plan */
    uint64_t scatter_start_ps; /* mesh time of time zero */
    uint64_t gather_done_ps;   /* mesh time when all results were merged */
    uint64_t overhead_ps;    /* from time zero until the originator computes */
    uint32_t measured_units; /* computed by measuring, not in the plan */
    /* By phase, from 1, and by layer; set if `layers`. */
    uint64_t startup_ps[TORUS_PHASES_MAX];
    uint64_t received_ps[TORUS_PHASES_MAX + 1];  /* planned, from time zero */
    uint32_t share_units[TORUS_PHASES_MAX + 1];  /* of a node, in all rounds */
    uint32_t volume_units[TORUS_PHASES_MAX + 1]; /* with its descendants' */
};

/* Returns the length of a report before the kernel's result. */
uint32_t wire_report_bytes(const struct wire_report *report);

/* Stores wire_report_bytes() at `out`, with the plan's tables if rounds > 1 and
   all nodes of a layer get the same. */
void wire_report_store(uint8_t *out, const struct wire_report *report,
                       const struct rounds_plan *plan);

/* An entry of a list of probes; each of its probes begins with the entry. */
struct wire_entry {
    struct torus_path path;  /* from the originator to the node that answers */
    uint16_t count;          /* of probes, one after the other */
    uint32_t bytes;          /* of each, this entry included */
    uint32_t ready_delay_ns; /* from the clock's reading to t1, or to t3 */
    uint32_t asks;           /* enum wire_asks */
};

/* Store and load WIRE_ENTRY_BYTES. */
void wire_entry_store(uint8_t *out, const struct wire_entry *entry);
struct wire_entry wire_entry_load(const uint8_t *in);

/* Loads a report with its plan's tables. Result: 0, ERR_LENGTH or ERR_FIELD. */
NODISCARD int wire_report_load(struct wire_report *report,
                               struct rounds_plan *plan, const uint8_t *in,
                               uint32_t bytes);

#endif
