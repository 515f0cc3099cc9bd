/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node's state during a job, and the steps that all policies share.
 *
 * Circuits of two phases may share a link. So results travel in time slots,
 * each for one phase (drawn in scatter/plan/slots.h).
 *
 * This is the circuit's memory during a job. Two heaps grow towards each other.
 * A received message stays until the job ends, but for a farm's chunks:
 *
 *             a follower                  the originator
 *   memory    +-------------------------+-------------------------+
 *             | the announcement        | the order: its tree, if |
 *             | round 0: head (pattern: |   any; load with halo   |
 *             |   part, tables, job;    | the announcement; the   |
 *             |   tree: job, branches), |   tree's copy, if any   |
 *             |   range with its halo   | pattern: tables of round|
 *             | round 1: shorter head,  |   0, job, later tables  |
 *             |   range with halo; ..   | tree: tables of rounds, |
 *             | of a farm: two buffers  |   result_ps, job        |
 *             |   for chunks, in turn   | farm: state, slots, job |
 *   free_from +--- moves down v --------+--- moves down v --------+
 *             | free: room for the next message, at free_from;    |
 *             | for a plan that the originator is making; for     |
 *             | outputs of children while results are gathered    |
 *   free_to   +--- moves up ^ ----------+--- moves up ^ ----------+
 *             | own output: the chunk   | own output: one chunk   |
 *             | of each round           |                         |
 *   room_end  +-------------------------+-------------------------+
 *             | struct scatter_memory: heads of announcements,    |
 *             | report, the kernel's work, incoming results,      |
 *             | results                                           |
 *             +---------------------------------------------------+
 *
 * If struct scatter_memory fits into a board's second memory, circuit.aside,
 * it lies there. room_end is then the end of the circuit's memory:
 *
 *   board         circuit's memory       scatter_memory    stack
 *   with window   the window, behind its end of the window the board's RAM
 *                 first 128 KiB
 *   serial ports  RAM that DMA reaches,  its end; aside,   RAM; aside, if
 *                 behind stack and node  if there is any   there is any
 *   native        host command's memory, end of the window the coroutine's
 *                 as a window
 */
#ifndef SCATTER_ENGINE_CORE_H
#define SCATTER_ENGINE_CORE_H

#include "hal/events.h"
#include "hal/nodiscard.h"
#include "hal/rows.h"
#include "kernels/kernel.h"
#include "scatter/plan/meanwhile.h"
#include "scatter/plan/slots.h"
#include "scatter/wire/wire.h"
#include "torus/pattern.h"
#include "torus/split.h"

/* Longest result of a kernel, and its scratch memory, bytes. */
#ifndef SCATTER_RESULT_MAX
#define SCATTER_RESULT_MAX 16384u
#endif
#define SCATTER_WORK_MAX 4096u

/* Longest argument, bytes, of a job whose rate is kept for the next job. */
#define SCATTER_RATE_ARG_MAX 64u

/* Memory that every job takes besides the load and outputs; 8-byte aligned. */
struct scatter_memory {
    /* Numbers of lost descendants, and how many; then the proof (prove.h). */
    _Alignas(8) uint16_t lost[WIRE_LOST_MAX + 2 + WIRE_PROOF_BYTES / 2];
    uint8_t announce_head[TORUS_PHASES_MAX][WIRE_ANNOUNCE_HEAD_BYTES];
    _Alignas(8)
        uint8_t report[WIRE_REPORT_BYTES_MAX +
                       WIRE_RANGES_MAX * WIRE_RANGE_BYTES + WIRE_PROOF_BYTES +
                       WIRE_RESULT_BYTES + KERNEL_RESULT_BESIDE_OUTPUT_MAX];
    uint64_t work[SCATTER_WORK_MAX / 8]; /* the kernel's scratch memory */
    /* Result of a child or of a later run, until it is merged; the answer to a
       probe. */
    _Alignas(8) uint8_t
        incoming[CIRCUIT_HEADER_BYTES + WIRE_RESULT_BYTES + SCATTER_RESULT_MAX +
                 2 * WIRE_LOST_MAX + 4 + WIRE_PROOF_BYTES];
    _Alignas(8) struct wire_result head; /* of `result`, which lies behind it */
    uint8_t result[SCATTER_RESULT_MAX];
};

/* Returns the bytes of a circuit's memory up to room_end. aside_bytes: length
   of the second memory; 0: none. */
#define SCATTER_ROOM(memory_bytes, aside_bytes)                                \
    ((memory_bytes) - ((aside_bytes) < sizeof(struct scatter_memory)           \
                           ? (uint32_t)sizeof(struct scatter_memory)           \
                           : 0u))

/* Least bytes of a circuit's memory; 16 KiB of it are for load and outputs. */
#define SCATTER_MEMORY_MIN (sizeof(struct scatter_memory) + 16384u)

/*
 * Times, ps, that a node's software takes on this board, counted on the target
 * (boot/<board>/costs.c). From a round's message until the wait for the next:
 *
 *   pattern | split_ps | queue_ps | round_start_ps | run() | round_end_ps |
 *
 *   tree    | branch_split_ps | branch_queue_ps for each child |
 *                                     | kernel_start_ps | run() |
 *
 * The originator's first round takes first_send_ps in place of split_ps and
 * queue_ps. Each of its later rounds takes queue_ps and round_overhead_ps.
 */
struct scatter_costs {
    /* On the pattern and along a tree. */
    uint32_t kernel_start_ps;   /* from the last queueing to run() */
    uint32_t round_end_ps;      /* from the end of run() until the next wait */
    uint32_t round_overhead_ps; /* the originator's time in a later round,
                                   without queueing */
    /* On the pattern. */
    uint32_t first_send_ps; /* from time zero until round 0 is queued */
    uint32_t own_start_ps;  /* from the originator's last queueing to run() */
    uint32_t split_ps; /* from a round's complete message to the queueing */
    uint32_t queue_ps; /* to queue sends of all phases; 0: the switch queues */
    uint32_t first_start_ps; /* from the first part's first bytes to run() */
    uint32_t round_start_ps; /* from the receive of an arrived part of a later
                                round to run() */
    uint32_t advance_ps; /* from an advance's sends to the next round's; 0: no
                            advance */
    /* Along a tree, and of a farm. */
    uint32_t branch_split_ps; /* from a complete message to the first send */
    uint32_t branch_queue_ps; /* to queue the send to one child */
    uint32_t demand_ps; /* to receive a demand and queue a chunk in answer */
    /* Of results. */
    uint32_t result_merge_ps; /* to receive and merge a child's result */
    uint32_t result_queue_ps; /* from the last merge until the result is sent */
    /* Of the originator's planning, approximate. */
    uint32_t plan_ps;        /* to plan one round */
    uint32_t plan_rounds_ps; /* to plan several rounds of the pattern */
    uint32_t try_rounds_ps;  /* to plan with one more number of rounds */
    uint32_t plan_tree_ps;   /* to plan along a tree, per node of the tree */
    /* Of the processor. */
    uint32_t instruction_ps; /* one instruction of a kernel */
    uint32_t port_byte_ps; /* per byte on a port; 0: ports need no processor */
    /* What this board's switch and memory allow. */
    uint16_t tree_sends; /* most sends of a tree's originator in a job */
    bool tree_holds;     /* a tree's originator can send at planned times */
    /* Most rounds of the pattern if no number is ordered; 0: no bound. */
    uint8_t rounds_most;
    /* meanwhile_plan(); NULL: outputs return only after all rounds. */
    int (*plan_meanwhile)(struct rounds_plan *plan, uint64_t *time_ps,
                          const struct plan_job *job, unsigned least,
                          unsigned most);
};

struct originator; /* scatter/engine/originator.h */
struct farm_state; /* scatter/engine/farm.h */
struct scatter;

/*
 * A policy says how the load moves. A node begins each job with the policy
 * that its identity names. A new policy needs a file of functions in this
 * directory; a row in policy_table.c; a number in enum wire_policy; its nodes'
 * state in struct scatter; its arithmetic in scatter/plan; and a schedule on
 * the host (qemu/schedule/registry.c). Functions are called in this order:
 *
 *   originator    prepare | order: announce | lead
 *   other nodes   prepare | each round: receive, compute | gather
 *
 * The first `receive` calls place, announce and expect when the announcement
 * comes. No policy waits for the end of a send. Functions of type int return 0
 * or the error.
 */
struct policy {
    /* Sets `layer`, and other state known before a job. ERR_RANGE if the policy
       does not fit the torus. */
    int (*prepare)(struct scatter *scatter);
    /* Reads this node's place from an announcement's head. Sets *head_bytes to
       the head's length. ERR_PLACE: for another node. ERR_LENGTH: `bytes` is
       too small. ERR_PLAN: outside of the torus. */
    int (*place)(struct scatter *scatter, const uint8_t *announcement,
                 uint32_t bytes, uint32_t *head_bytes);
    /* Queues an announcement to each child: the child's head, `shared`, `arg`.
       `originator`: NULL on other nodes. */
    int (*announce)(struct scatter *scatter, struct originator *originator,
                    struct circuit_segment shared, struct circuit_segment arg);
    /* Prepares for the first message of an announced job; NULL: no need to. */
    void (*expect)(struct scatter *scatter);
    /* Waits for this round's message. Reads this node's range from it, and sets
       split.share_units. Queues the sends of other nodes' ranges. */
    int (*receive)(struct scatter *scatter);
    /* Computes this node's share of the range that `receive` has set. */
    int (*compute)(struct scatter *scatter);
    /* Receives and merges results of nodes to which this node sent ranges. */
    int (*gather)(struct scatter *scatter);
    /* Adds the ranges that the originator sent to the descendant `number` and
       its descendants in all rounds (lost_range()). */
    int (*lost)(struct scatter *scatter, struct originator *originator,
                uint32_t number);
    /* Carries out an order: measures, plans, sends, computes and gathers. The
       order has been announced, unless the originator computes all of it. */
    int (*lead)(struct scatter *scatter, struct originator *originator);
    /* Whether nodes ask for units until none are left. */
    bool asks;
    /* Whether all units go out on demand. */
    bool unplanned;
};

/* Rows to which a job on the pattern may change. */
enum policy_row {
    POLICY_MEANWHILE = WIRE_POLICIES, /* outputs return during later rounds */
    POLICY_TAIL,                      /* the load has a tail */
    POLICY_ROWS
};

/* State of a node of the pattern (scatter/engine/pattern.h). */
struct scatter_pattern {
    struct circuit_cut cut; /* how the switch cuts a range into rows */
    uint8_t parent_port;   /* port out of which the parent sends to this node */
    uint32_t wanted;       /* mask of ports to receive the next part on */
    uint32_t wanted_later; /* `wanted` after round 0 */
    uint32_t place;        /* layer and port bits of the label */
    uint32_t label;        /* label of this node's parts, with round bits 0 */
};

/* State of a node of a tree or of a farm (scatter/engine/tree.h). */
struct scatter_tree {
    const uint8_t *branch; /* this node's piece of the tree */
    const uint8_t *tables; /* after round 0: each node's first unit, u32 */
    struct circuit_segment passed_on; /* number of a later round, as sent on */
};

/* State of a node that asks for chunks (scatter/engine/farm.h). */
struct scatter_worker {
    uint16_t number; /* index of this worker in its server's list */
    uint16_t chunks; /* number of chunks received, the empty one included */
    bool ended;      /* the empty chunk has come, the worker's last */
    uint8_t *chunk;  /* two adjacent buffers for chunks, used in turn */
    uint32_t stock_bytes;    /* length of each buffer */
    struct torus_path path;  /* to the worker's server */
    uint64_t computed_ps;    /* compute time since the last demand, ps */
    uint32_t computed_units; /* units computed since the last demand */
    /* Of a master only, a worker that serves other workers: */
    struct farm_state *group; /* the master's group; NULL: no master */
    uint32_t low_units;       /* number of units left at which a master asks */
    bool asked; /* the master waits for a chunk that it asked for */
};

/* Times of the last job's kernel at the originator. A job of the same kernel
   and argument takes them over. */
struct scatter_rate {
    uint64_t compute_ps; /* time to compute a unit, ps; 0: not known */
    uint64_t call_ps;    /* time of a run() of no units, ps */
    uint32_t unit_bytes; /* length of a unit of that job */
    uint32_t arg_bytes;  /* length of that job's argument */
    uint8_t arg[SCATTER_RATE_ARG_MAX];
    uint32_t kernel; /* index of that job's kernel in the image */
};

/* A node. Fields that most functions read come first: instructions that reach
   the first 128 bytes, or the first 32 for fields of one byte, are shorter. */
struct scatter {
    struct circuit *circuit;
    struct scatter_memory *memory;
    const struct policy *policy; /* a job may change it: policy_become() */
    const struct kernel *kernel; /* NULL: none is announced */
    uint8_t layer;   /* phase in which the parent sends to this node; 0: the
                        originator */
    bool has_result; /* a run of this job has set `result` */
    bool has_slots;  /* `slots` and `short_bytes` are set */
    uint8_t kernel_count;
    unsigned round; /* number of the current round, from 0 */

    /* The job. job.rounds is 0 until the job is known. */
    struct wire_job job;
    const uint8_t *job_data; /* the job's bytes in a message (wire/wire.h) */
    uint32_t job_bytes;      /* length of the stored job */

    /* The range of the current round, with its halo. The originator's range is
       what is left of the load:

         | before | own share | children's volumes | after |
                  ^ range_data
         |------->| range_before_bytes
                  |--------------------------------------->|
                            range_to_end_bytes                    */
    const uint8_t *range_data;
    uint32_t range_before_bytes;
    uint32_t range_to_end_bytes;
    uint32_t units;      /* number of units in the range */
    uint32_t first_unit; /* index of the range's first unit in the whole load */

    /* The memory, as drawn above. */
    uint8_t *free_from;
    uint8_t *free_to;
    uint8_t *outputs_end; /* end of the outputs not sent yet */
    uint8_t *room_end;

    struct torus_size size;
    const struct scatter_costs *costs;
    uint32_t computed_units; /* units whose results were merged into `result` */
    uint32_t lost;           /* number of entries of memory->lost */

    /* The announcement that a node received or, as the originator, sends. */
    struct wire_announce announced;
    uint16_t announced_job;
    uint8_t announced_by;      /* kind of its messages */
    uint8_t *announcement;     /* payload of the last announcement */
    struct kernel_terms terms; /* set by the kernel's begin() */
    struct kernel_range range; /* argument of the kernel's next run() */
    struct torus_split split;  /* shares of the range (torus/split.h) */

    /* Results and outputs. */
    struct kernel_result result; /* own, with the children's merged into it */
    uint16_t number;             /* of this node's result: wire_result.number */
    uint32_t short_bytes;   /* longest result that fits a short slot, bytes */
    uint8_t *child_outputs; /* outputs received from children so far */
    uint32_t child_outputs_bytes; /* length of these outputs */
    struct slots_of_phase slots;  /* times when this node's result may leave */
    uint32_t ports_us; /* time of the ports' interrupts during runs, us */
    /* How long children are waited for (lost.h), ps. */
    uint64_t begun_ps;     /* mesh time when the job was announced */
    uint64_t due_ps;       /* planned mesh time of the results */
    uint64_t wait_ps;      /* from then on until the first question */
    uint64_t wait_most_ps; /* longest time between two questions */

    /* The node's place in the mesh, as its policy sees it. */
    struct torus_path path_from_parent;
    union {
        struct scatter_pattern pattern;
        struct scatter_tree tree;
    };
    struct scatter_worker worker;

    /* message[i]: fields that all sends of phase i share; of a tree, i is 0. */
    struct circuit_message message[TORUS_PHASES_MAX + 1];
    struct circuit_message result_message; /* own result, to the parent */

    struct scatter_rate rate; /* stays from job to job */

    /* With announced.check_load (prove.h): */
    uint64_t proof;          /* of `result`, made when it was set */
    uint64_t proof_argument; /* of the argument, made after all runs */
    uint64_t run_sum;        /* sum of the last run */
    uint64_t sum;            /* sum of all that was computed */

    /* Set by scatter_init(), as circuit, memory and costs. */
    const struct policy *policies;
    const struct kernel *const *kernels;
};

/* Returns the row for a job's flags; POLICY_ROWS: no policy allows them. */
static inline unsigned policy_row(uint8_t flags)
{
    unsigned policy = WIRE_POLICY(flags);
    unsigned variant = flags & (WIRE_TAIL | WIRE_MEANWHILE);

    if (variant == 0) {
        return policy;
    }
    if (policy != WIRE_PATTERN || variant == (WIRE_TAIL | WIRE_MEANWHILE)) {
        return POLICY_ROWS;
    }
    return variant == WIRE_TAIL ? POLICY_TAIL : POLICY_MEANWHILE;
}

static inline void policy_become(struct scatter *scatter, unsigned row)
{
    scatter->policy = &scatter->policies[row];
}

static inline bool scatter_has_output(const struct scatter *scatter)
{
    return (scatter->job.flags & WIRE_OUTPUT) != 0;
}

/* Whether outputs of a round return while later rounds are computed. */
static inline bool scatter_returns_meanwhile(const struct scatter *scatter)
{
    return (scatter->job.flags & WIRE_MEANWHILE) != 0;
}

/* Whether outputs return only after all rounds are computed. */
static inline bool scatter_collects_outputs(const struct scatter *scatter)
{
    return (scatter->job.flags & (WIRE_OUTPUT | WIRE_MEANWHILE)) == WIRE_OUTPUT;
}

/* Whether messages of other jobs are dropped: a call may have ended a job while
   they were under way. */
static inline bool scatter_drops(const struct scatter *scatter)
{
    return scatter->announced_by == CIRCUIT_KIND_CALL;
}

static inline bool scatter_makes_output(const struct kernel_terms *terms)
{
    return terms->output_denominator != 0;
}

/* Instructions of merge() for 4 bytes. */
#define SCATTER_MERGE_WORD 5u

/* Results of this length, bytes, or less always fit a short slot. */
#define SCATTER_SHORT_BYTES 256u

/* Outputs, and results along trees, leave makespan / 128 after the plan. */
#define SCATTER_GATHER_GUARD 128u

/* Longest time between two questions for a child, ps: 13 days. */
#define SCATTER_WAIT_MAX_PS ((uint64_t)1 << 60)

/* Returns an estimate of the time, ps, of a kernel's merge(); 0: not known. */
static inline uint64_t scatter_merge_ps(const struct scatter *scatter)
{
    const struct kernel_terms *terms = &scatter->terms;

    return terms->result_fixed && scatter->costs->result_merge_ps > 0
               ? (uint64_t)scatter->costs->instruction_ps * SCATTER_MERGE_WORD *
                     (terms->result_bytes_max / 4)
               : 0;
}

/* Returns the time, ps, to receive and merge a result from each port. */
static inline uint64_t scatter_merges_ps(const struct scatter *scatter)
{
    return TORUS_PORTS *
           (scatter->costs->result_merge_ps + scatter_merge_ps(scatter));
}

/* Returns the length, bytes, of the head of a result message with outputs. */
static inline uint32_t
scatter_result_head_bytes(const struct kernel_terms *terms)
{
    return WIRE_RESULT_BYTES + WIRE_PAD4(terms->result_bytes_max);
}

/* Steps that all policies share. Functions of type int return 0 or an error. */

/* Asserts that the two heaps of the drawing do not overlap. */
void scatter_check_heap(const struct scatter *scatter);

/* Waits for a message on the port mask `ports`, and receives it at free_from.
   A caller that keeps the message moves free_from. Result: as
   circuit_receive(). */
NODISCARD int scatter_receive(struct scatter *scatter,
                              struct circuit_delivery *delivery,
                              unsigned ports);

/* Waits until every queued send has ended. A child that a message did not reach
   is missed when results are gathered (lost.h). Result: 0; as circuit_drain(),
   but for ERR_DEAD_LINK. */
NODISCARD int scatter_drain(struct scatter *scatter);

/* Queues a message, and drains a full queue first. Result: as circuit_send() or
   scatter_drain(). */
NODISCARD int scatter_send(struct scatter *scatter, unsigned ports,
                           const struct circuit_message *message);

/* Reads the job stored at `in`. Result: 0; ERR_LENGTH if `bytes` are too few;
   ERR_FIELD if a field is invalid, or differs from the kernel's terms. */
NODISCARD int scatter_read_job(struct scatter *scatter, const uint8_t *in,
                               uint32_t bytes);

/* Sets this node's range from `begin`, with halo, to `end`. Moves free_from
   behind it. Precondition: `units` and `first_unit` are set. Result: 0;
   ERR_LENGTH if the bytes are too few. */
NODISCARD int scatter_set_range(struct scatter *scatter, const uint8_t *begin,
                                const uint8_t *end);

/* Moves the range's beginning on by `units` units; scatter->units stays. */
void scatter_skip(struct scatter *scatter, uint32_t units);

/* Returns `units` units of the range with their halo. `skipped`: number of the
   range's units before them. */
struct circuit_segment scatter_cut(const struct scatter *scatter,
                                   uint32_t skipped, uint32_t units);

/* Calls the kernel's begin(), which sets `terms`. Result: 0; ERR_ARGUMENT if
   the kernel refuses the job's argument. */
NODISCARD int scatter_begin_kernel(struct scatter *scatter);

/* Adds an event with the present time to the node's log. */
void scatter_record(struct scatter *scatter, enum event_kind kind,
                    unsigned detail, uint32_t value);

#endif
