/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One job on one node. The originator takes the order from the host, measures
 * the kernel on a piece of the load, plans, and leads; every other node
 * follows: it receives its volume, queues what its descendants get, computes
 * its own share while the switch sends, merges its children's results and
 * returns them over the reversed circuits, phases in reverse.
 *
 * Results travel in slots. Circuits of one phase never meet, those of two
 * phases might if both ran at once; so time after the planned makespan is cut
 * into frames of N slots, phase N first, and a node sends its result in a slot
 * of its own phase. However late a node is, results never conflict.
 */
#ifndef SCATTER_ENGINE_CORE_H
#define SCATTER_ENGINE_CORE_H

#include "hal/circuit.h"
#include "hal/events.h"
#include "hal/nodiscard.h"
#include "kernels/kernel.h"
#include "scatter/plan/split.h"
#include "scatter/wire/wire.h"
#include "torus/pattern.h"

/* Room for any kernel's result and scratch memory, in bytes. A board with
   little memory takes shorter results; its build says how long. */
#ifndef SCATTER_RESULT_MAX
#define SCATTER_RESULT_MAX 16384u
#endif
#define SCATTER_WORK_MAX 4096u

#define SCATTER_HEAD_BYTES (CIRCUIT_HEADER_BYTES + WIRE_PART_BYTES)

/*
 * What a node keeps in the memory aside of its circuit's, or, if there is not
 * enough, at the top of that; 4-byte aligned. Two heaps in the circuit's memory
 * grow towards each other: what is received, from `low` up, and the node's own
 * output, from `high` down, which is `top` as long as there is none.
 */
struct scatter_memory {
    uint8_t result_bytes[4]; /* length of what follows, if there is an output */
    uint8_t result[SCATTER_RESULT_MAX];
    uint8_t incoming[CIRCUIT_HEADER_BYTES + SCATTER_RESULT_MAX];
    uint8_t report[WIRE_REPORT_BYTES_MAX + 4 + KERNEL_RESULT_BESIDE_OUTPUT_MAX];
    uint8_t head[ROUNDS_MAX][TORUS_PHASES_MAX][TORUS_PORTS][WIRE_PART_BYTES];
    uint32_t work[SCATTER_WORK_MAX / 4];
};

/* Bytes of a circuit's memory that a job's data and the originator's tables
   share. */
#define SCATTER_ROOM(memory_bytes, aside_bytes)                                \
    ((memory_bytes) - ((aside_bytes) < sizeof(struct scatter_memory)           \
                           ? (uint32_t)sizeof(struct scatter_memory)           \
                           : 0u))

/* A node with less memory would hardly hold a load. */
#define SCATTER_MEMORY_MIN (sizeof(struct scatter_memory) + 16384u)

/*
 * What the software of a node costs on this board, in ps, counted on the
 * target; the planner counts it as part of the startups. On the pattern, from
 * one round's message to the next:
 *
 *   message                                                       waits for
 *   complete                                                      next round
 *      | split | phase queue | .. | phase queue | kernel | kernel | round |
 *                phase i + 1        phase N       start     run()    end
 *
 * and of a node in a tree:
 *
 *      | branch | branch queue | .. | branch queue | kernel | kernel |
 *        split    first child         last child     start    run()
 *
 * The originator begins with first_send_ps in place of split_ps and the first
 * phase's queue; each further round costs it round_overhead_ps besides.
 */
struct scatter_costs {
    uint32_t first_send_ps;   /* time zero to the first phase queued */
    uint32_t split_ps;        /* message complete to the volume being split */
    uint32_t phase_queue_ps;  /* the four sends of a phase */
    uint32_t kernel_start_ps; /* last send queued to the kernel's run() */
    uint32_t round_end_ps;    /* end of run() to the wait for the next round */
    uint32_t round_overhead_ps; /* of the originator, beside its phases */
    uint32_t branch_split_ps;   /* message complete to the first child's send */
    uint32_t branch_queue_ps;   /* the send to one child */
    uint32_t result_merge_ps;   /* one child's result received and merged */
};

struct policy; /* scatter/engine/policy.h */

struct scatter {
    struct circuit *circuit;
    const struct policy *policy; /* of all jobs on this mesh */
    struct scatter_memory *memory;
    const struct kernel *const *kernels;
    const struct scatter_costs *costs;
    struct torus_size size;
    uint8_t *low;  /* memory in use below this .. */
    uint8_t *high; /* .. and from here up to `top`: own output */
    uint8_t *top;
    uint8_t kernel_count;
    uint8_t layer;
    uint8_t port; /* out of which the parent sends; see struct torus_role */
    struct torus_path down; /* from the parent */
    /* What is the same whenever a phase is sent; index: phase. Entry 0 is for
       branches of a tree. */
    struct circuit_message message[TORUS_PHASES_MAX + 1];

    /* The job, once it is known. */
    struct wire_job job;
    unsigned round;          /* at hand, from 0 */
    const uint8_t *job_data; /* as it is passed on */
    const uint8_t *branch;   /* this node's piece of the tree, if it has one */
    uint32_t job_bytes;
    const struct kernel *kernel;
    struct kernel_terms terms;
    struct kernel_result result;
    const uint8_t *body;  /* this node's range of the round at hand */
    uint32_t body_before; /* bytes of the load that lie before it .. */
    uint32_t body_bytes;  /* .. and from it on, with what comes after */
    uint32_t units;
    uint32_t first_unit;
    struct split split;
    uint8_t *children; /* their outputs */
    uint32_t children_bytes;
};

/* Whether this job has an output besides its result. */
static inline bool scatter_has_output(const struct scatter *scatter)
{
    return (scatter->job.flags & WIRE_OUTPUT) != 0;
}

/* Whether a kernel of these terms has one. */
static inline bool scatter_makes_output(const struct kernel_terms *terms)
{
    return terms->output_denominator != 0;
}

/* What goes before the chunks of output: the length of the result, and it,
   padded to the longest there can be. */
static inline uint32_t scatter_result_head(const struct kernel_terms *terms)
{
    return 4 + WIRE_PAD4(terms->result_bytes_max);
}

/* The steps that all policies share. Result, where there is one: 0 or the
   error. */
NODISCARD int scatter_take_message(struct scatter *scatter,
                                   struct circuit_delivery *delivery,
                                   unsigned ports);
NODISCARD int scatter_take_job(struct scatter *scatter, const uint8_t *in,
                               uint32_t bytes);
NODISCARD int scatter_take_body(struct scatter *scatter, const uint8_t *at,
                                const uint8_t *end);
/* Cuts off what lies outside of the load: ranges at its ends have less around
   them than they ask for. */
void scatter_clip(const struct scatter *scatter, struct circuit_segment *body);
NODISCARD int scatter_begin_kernel(struct scatter *scatter);

void scatter_record(struct scatter *scatter, enum event_kind kind,
                    unsigned detail, uint32_t value);

#endif
