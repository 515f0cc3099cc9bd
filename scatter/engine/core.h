/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node's state during a job, and the steps that all policies share.
 *
 * Results travel in slots of time. Circuits of one phase share no link, but
 * circuits of two phases may. So the time before and after the planned end is
 * divided into slots, each for one phase (drawn in scatter/plan/slots.h), and a
 * node sends its result in the next slot of its own phase.
 *
 * The circuit's memory during a job is drawn with the first address on top.
 * Messages are received into it, and sent from where their bytes lie
 * (hal/circuit.h). Two heaps grow towards each other. A received message stays
 * until the job ends, as sends of it may be queued; a farm's chunks do not:
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
 *             | struct scatter_memory: results, incoming results, |
 *             | heads of announcements, report, the kernel's work |
 *             +---------------------------------------------------+
 *
 * Some boards have a second memory, circuit.aside. If struct scatter_memory
 * fits into it, the struct lies there, and room_end is the end of the circuit's
 * memory. The stack lies elsewhere:
 *
 *   board      circuit's memory        scatter_memory   stack
 *   mps2       window, behind its      end of the       RAM at 0x20000000
 *              first 128 KiB (PSRAM)   window
 *   stm32f405  SRAM below 0x2001E000   CCM (aside)      CCM, at its beginning
 *     no CCM   SRAM, behind stack and  SRAM, its end    SRAM at 0x20000000
 *              node, to 0x2001E000     at 0x2001E000
 *   native     host command's memory,  end of the       the coroutine's
 *              as a window on mps2     window
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

/* Most bytes of a kernel's result (the build of a board with little memory sets
   fewer), and of a kernel's scratch memory. */
#ifndef SCATTER_RESULT_MAX
#define SCATTER_RESULT_MAX 16384u
#endif
#define SCATTER_WORK_MAX 4096u

/* Longest argument, bytes, of a job whose rate is kept for the next job. */
#define SCATTER_RATE_ARG_MAX 64u

/* Memory that every job takes besides the load and outputs; 4-byte aligned. */
struct scatter_memory {
    uint8_t result_bytes[4]; /* length of `result`, u32; a job with an output
                                sends these bytes before `result` */
    uint8_t result[SCATTER_RESULT_MAX];
    /* Holds a child's result message, or the result of a run after the first,
       until that result is merged. Also holds the answer to a probe. */
    uint8_t incoming[CIRCUIT_HEADER_BYTES + SCATTER_RESULT_MAX];
    uint8_t report[WIRE_REPORT_BYTES_MAX + 4 + KERNEL_RESULT_BESIDE_OUTPUT_MAX];
    uint8_t announce_head[TORUS_PHASES_MAX][WIRE_ANNOUNCE_HEAD_BYTES];
    uint32_t work[SCATTER_WORK_MAX / 4]; /* the kernel's scratch memory */
};

/* Bytes up to room_end, as drawn above, of memory_bytes bytes of a circuit's
   memory. aside_bytes: length of the second memory; 0: there is none. */
#define SCATTER_ROOM(memory_bytes, aside_bytes)                                \
    ((memory_bytes) - ((aside_bytes) < sizeof(struct scatter_memory)           \
                           ? (uint32_t)sizeof(struct scatter_memory)           \
                           : 0u))

/* Least bytes of a circuit's memory; 16 KiB of it are for load and outputs. */
#define SCATTER_MEMORY_MIN (sizeof(struct scatter_memory) + 16384u)

/*
 * Times, ps, that a node's software takes on this board, counted on the target
 * (boot/<board>/costs.c). Planners count these times as part of the startups.
 * From a round's complete message until a node waits for the next round:
 *
 *   pattern | split_ps | queue_ps | round_start_ps | run() | round_end_ps |
 *
 *   tree    | branch_split_ps | branch_queue_ps for each child |
 *                                     | kernel_start_ps | run() |
 *
 * On the pattern the sends of all phases are queued together; nodes of the last
 * layer queue none. split_ps is a time of the switch if the switch sends ranges
 * on by itself. The originator's first round takes first_send_ps in place of
 * split_ps and queue_ps; each of its further rounds takes queue_ps and
 * round_overhead_ps.
 */
struct scatter_costs {
    /* On the pattern and along a tree. */
    uint32_t kernel_start_ps;   /* from when the last send is queued to run() */
    uint32_t round_end_ps;      /* from the end of run() until the next wait */
    uint32_t round_overhead_ps; /* the originator's software, without queueing,
                                   in each round after the first */
    /* On the pattern. */
    uint32_t first_send_ps; /* from the plan's time zero until the originator
                               has queued the sends of round 0 */
    uint32_t own_start_ps;  /* from the originator's last queueing to run() */
    uint32_t split_ps; /* from a round's complete message to the queueing */
    uint32_t queue_ps; /* to queue sends of all phases; 0: the switch queues */
    uint32_t first_start_ps; /* from the first part's first bytes to run() */
    uint32_t round_start_ps; /* from the call that receives a part after round
                                0, if the part has already arrived, to run() */
    uint32_t advance_ps;     /* from an advance's sends to the sends of the next
                                round; 0: this board sends no advance */
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
    /* Most rounds to plan on the pattern if no number is ordered; 0: no bound.
       1: nodes send a round on only when they have computed the one before. */
    uint8_t rounds_most;
    /* meanwhile_plan(), for outputs that return during later rounds; NULL: this
       board's switch does not keep a message until a receive takes it. */
    int (*plan_meanwhile)(struct rounds_plan *plan, uint64_t *time_ps,
                          const struct plan_job *job, unsigned least,
                          unsigned most);
};

struct originator; /* scatter/engine/originator.h */
struct farm_state; /* scatter/engine/farm.h */
struct scatter;

/*
 * A policy says how the load moves; it is a row of the table in policy_table.c.
 * A node begins each job with the policy that its identity names
 * (identity.policy, hal/node.h). A new policy needs a file of functions in this
 * directory; a row in policy_table.c; a number in enum wire_policy of wire.h;
 * its nodes' state in the union of struct scatter; its arithmetic in
 * scatter/plan; and a schedule on the host (qemu/schedule/registry.c). The
 * functions are called in this order:
 *
 *   originator    prepare | order: announce | lead
 *   other nodes   prepare | each round: receive, compute | gather
 *
 * The first `receive` waits in await_message(), which calls place, announce and
 * expect when the announcement comes. In the end a node that is not the
 * originator returns its result (gather.h). No policy waits for the end of a
 * send: the switch works through its queue of sends while the node computes
 * (hal/circuit.h). Functions of type int return 0 or the error.
 */
struct policy {
    /* Sets `layer`, which is 0 at the originator, and all other state that is
       known before a job. ERR_RANGE if the policy does not fit the torus. */
    int (*prepare)(struct scatter *scatter);
    /* Reads this node's place from the head of an announcement, and sets
       *head_bytes to the head's length. ERR_PLACE if the announcement is for
       another node; ERR_LENGTH if `bytes` is too small; ERR_PLAN if the place
       is not in the torus. */
    int (*place)(struct scatter *scatter, const uint8_t *announcement,
                 uint32_t bytes, uint32_t *head_bytes);
    /* Queues an announcement (announce.h) to each node to which this node
       sends: the receiver's own head, then `shared` and `arg`. `originator` is
       NULL on other nodes; a tree's originator reads places from the order. */
    int (*announce)(struct scatter *scatter, struct originator *originator,
                    struct circuit_segment shared, struct circuit_segment arg);
    /* Prepares for the first message of an announced job, when the kernel's
       terms are known; NULL: nothing to prepare. */
    void (*expect)(struct scatter *scatter);
    /* Waits for this round's message; while waiting, takes the announcement and
       answers probes (await_message()). Reads the job and this node's range,
       sets split.share_units, and queues the sends of other nodes' ranges
       unless the switch sends these ranges by itself. */
    int (*receive)(struct scatter *scatter);
    /* Computes this node's share of the range that `receive` has set. */
    int (*compute)(struct scatter *scatter);
    /* Receives and merges results of nodes to which this node sent ranges. */
    int (*gather)(struct scatter *scatter);
    /* Carries out an order: measures the kernel, plans, and writes the job;
       sets time zero, the plan's start; then sends, computes and gathers.
       The order has been announced before, unless the originator computes all
       of it. */
    int (*lead)(struct scatter *scatter, struct originator *originator);
    /* Whether nodes ask for units until none are left: a node's job then ends
       with a chunk of no units, not with a last round. */
    bool asks;
    /* Whether all units go out on demand and none by a plan: the originator
       measures little, and keeps no small load for itself. */
    bool unplanned;
};

/* Rows of the table that no order names: an order names a row of enum
   wire_policy. A job on the pattern goes on with one of these rows if its
   outputs return during later rounds, or if its load has a tail. */
enum policy_row {
    POLICY_MEANWHILE = WIRE_POLICIES, /* scatter/engine/meanwhile.h */
    POLICY_TAIL,                      /* scatter/engine/tail.h */
    POLICY_ROWS
};

/* State of a node of the pattern (scatter/engine/pattern.h). */
struct scatter_pattern {
    struct circuit_cut cut; /* how the switch cuts a range into rows */
    uint8_t parent_port;   /* port out of which the parent sends to this node */
    uint32_t wanted;       /* mask of ports to receive the next part on; with
                              CIRCUIT_HEAD(), to return at its first bytes */
    uint32_t wanted_later; /* what `wanted` becomes after round 0 */
    uint32_t place; /* the layer and port bits in labels of this node's parts */
    uint32_t label; /* label of this node's parts, with round bits 0 */
};

/* State of a node of a tree or of a farm (scatter/engine/tree.h). */
struct scatter_tree {
    const uint8_t *branch; /* this node's piece of the tree: its own branch and
                              those of all its descendants (plan/tree.h) */
    const uint8_t *tables; /* after round 0, u32: for each node of the piece the
                              index of its range's first unit; then the end */
    struct circuit_segment passed_on; /* after round 0: the round's number, the
                                         4 bytes received, for the children */
};

/* State of a node that asks for chunks (scatter/engine/farm.h). */
struct scatter_worker {
    uint16_t number; /* index of this worker in its server's list */
    uint16_t chunks; /* number of chunks received, the empty one included */
    bool ended;      /* the empty chunk has come, the worker's last */
    uint8_t *chunk;  /* two adjacent buffers, in turn, for chunks' messages */
    uint32_t stock_bytes;    /* length of each of the two buffers */
    struct torus_path path;  /* from this worker to its server */
    uint64_t computed_ps;    /* compute time since the last demand, ps */
    uint32_t computed_units; /* units computed since the last demand */
    /* Of a master only, a worker that serves other workers: */
    struct farm_state *group; /* the master's group; NULL: no master */
    uint32_t low_units;       /* a master asks when at most so many are left */
    bool asked; /* the master has asked, and the chunk has not come */
};

/* A unit's time, as the originator's share of the last job showed. A job takes
   this time over if its kernel and argument are those of the last job. */
struct scatter_rate {
    uint64_t compute_ps; /* time to compute a unit, ps; 0: not known */
    uint64_t call_ps;    /* time of a run() of no units, ps */
    uint32_t unit_bytes; /* length of a unit of that job */
    uint32_t arg_bytes;  /* length of that job's argument */
    uint8_t arg[SCATTER_RATE_ARG_MAX];
    uint32_t kernel; /* index of that job's kernel in the image */
};

/* A node. */
struct scatter {
    /* Set by scatter_init(), and the same in all jobs. */
    struct circuit *circuit;
    const struct policy *policies;
    struct scatter_memory *memory;
    const struct kernel *const *kernels;
    const struct scatter_costs *costs;
    struct torus_size size;
    uint8_t kernel_count;

    /* The memory, as drawn above. */
    uint8_t *free_from;
    uint8_t *free_to;
    uint8_t *room_end;
    uint8_t *outputs_end; /* own outputs from free_to to this address are not
                             sent yet; outputs after this address are */

    /* The node's place in the mesh, as its policy sees it. */
    const struct policy *policy; /* a job may change it: policy_become() */
    uint8_t layer; /* phase in which the parent sends to this node; 0: the
                      originator */
    struct torus_path path_from_parent;
    union {
        struct scatter_pattern pattern;
        struct scatter_tree tree;
    };
    struct scatter_worker worker;

    /* The announcement that a node received or, as the originator, sends. */
    struct wire_announce announced;
    uint16_t announced_job;
    uint8_t *announcement;       /* payload of the last announcement */
    const struct kernel *kernel; /* NULL: none is announced */
    struct kernel_terms terms;   /* set by the kernel's begin() */

    /* The job. Until the job is known, job.rounds is 0 and, on the pattern,
       job.phases is the number of phases of the torus: an advance, which comes
       before the job, has tables for all these phases. */
    struct wire_job job;
    const uint8_t *job_data; /* the job's bytes in a message (wire/wire.h) */
    uint32_t job_bytes;      /* length of the stored job */
    unsigned round;          /* number of the current round, from 0 */

    /* The range of the current round; the originator's is the load without the
       units computed or sent so far. Around it lies the halo, as far as the
       kernel needs it:

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
    struct torus_split split;  /* shares of the range (torus/split.h) */
    struct kernel_range range; /* argument of the kernel's next run() */

    /* Results and outputs. */
    struct kernel_result result; /* own, with the children's merged into it */
    bool has_result;             /* a run of this job has set `result` */
    bool has_slots;              /* `slots` and `short_bytes` are set */
    struct slots_of_phase slots; /* times when this node's result may leave */
    uint32_t short_bytes;   /* longest result that fits a short slot, bytes */
    uint8_t *child_outputs; /* outputs received from children so far */
    uint32_t child_outputs_bytes; /* length of these outputs */
    uint32_t ports_us; /* time of the ports' interrupts during runs, us */

    /* message[i]: fields that all sends of phase i share. On the pattern path
       and kind of message[i] are form i of the switch's rows (hal/rows.h). All
       sends of a tree share message[0]. */
    struct circuit_message message[TORUS_PHASES_MAX + 1];
    struct circuit_message result_message; /* own result, to the parent */

    struct scatter_rate rate; /* stays from job to job */
};

/* Returns the row, of enum wire_policy or policy_row, for a job whose flags are
   `flags`; POLICY_ROWS if no policy allows these flags together. */
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

static inline bool scatter_makes_output(const struct kernel_terms *terms)
{
    return terms->output_denominator != 0;
}

/* Instructions of merge() for 4 bytes, if all results are equally long. */
#define SCATTER_MERGE_WORD 5u

/* Results of this length, bytes, or less always fit a short slot. */
#define SCATTER_SHORT_BYTES 256u

/* Outputs, and results along trees, are sent later than the planned end, by the
   makespan / 128, so that nodes that finish a little late are still on time. */
#define SCATTER_GATHER_GUARD 128u

/* Returns an estimate of the time, ps, of a kernel's merge(); result_merge_ps
   excludes this time. 0 if results may differ in length, or the costs are 0. */
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

/* Returns the length, bytes, of the head of a result message with outputs: 4
   for the result's length, then the length of the longest result, padded. */
static inline uint32_t
scatter_result_head_bytes(const struct kernel_terms *terms)
{
    return 4 + WIRE_PAD4(terms->result_bytes_max);
}

/* Steps that all policies share. Functions of type int return 0 or an error. */

/* Asserts that the two heaps of the drawing do not overlap; called before each
   receive into the free memory between them. */
void scatter_check_heap(const struct scatter *scatter);

/* Waits for a message on the port mask `ports` and receives it at free_from;
   a caller that keeps the message then moves free_from. Sets the node's state
   to NODE_STATE_WAITING. Result: as circuit_receive(). */
NODISCARD int scatter_receive(struct scatter *scatter,
                              struct circuit_delivery *delivery,
                              unsigned ports);

/* Queues a message; first drains the switch's queue if that is full. Result: as
   circuit_send() or circuit_drain(). */
NODISCARD int scatter_send(struct scatter *scatter, unsigned ports,
                           const struct circuit_message *message);

/* Reads the job stored at `in`, where `bytes` bytes may be read. Result: 0;
   ERR_LENGTH if the bytes are too few; ERR_FIELD if a field is invalid, or if
   halo or output are not what the kernel's terms say (with a longer halo a
   range could begin outside of memory). */
NODISCARD int scatter_read_job(struct scatter *scatter, const uint8_t *in,
                               uint32_t bytes);

/* Sets this node's range to scatter->units units, whose bytes, with halo, lie
   from `begin` to `end`; moves free_from behind `end`. Precondition: `units`
   and `first_unit` are set. Result: 0; ERR_LENGTH if the bytes are too few. */
NODISCARD int scatter_set_range(struct scatter *scatter, const uint8_t *begin,
                                const uint8_t *end);

/* Moves the range's beginning on by `units` units; scatter->units stays. */
void scatter_skip(struct scatter *scatter, uint32_t units);

/* Returns the segment with `units` units of the range, from the unit of index
   `skipped` in the range on, and with their halo. The halo is as long as the
   job says; at the ends of the load it is shorter. */
struct circuit_segment scatter_cut(const struct scatter *scatter,
                                   uint32_t skipped, uint32_t units);

/* Calls the kernel's begin(), which sets `terms`. Result: 0; ERR_ARGUMENT if
   the kernel refuses the job's argument. */
NODISCARD int scatter_begin_kernel(struct scatter *scatter);

/* Adds an event with the present time to the node's log. */
void scatter_record(struct scatter *scatter, enum event_kind kind,
                    unsigned detail, uint32_t value);

#endif
