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
#ifndef SCATTER_SCATTER_H
#define SCATTER_SCATTER_H

#include "hal/circuit.h"
#include "hal/events.h"
#include "kernels/kernel.h"
#include "scatter/split.h"
#include "scatter/wire.h"
#include "torus/pattern.h"

/* Room for any kernel's result and scratch memory, in bytes. */
#define SCATTER_RESULT_MAX 16384u
#define SCATTER_WORK_MAX 1024u
#define SCATTER_HEAD_BYTES (CIRCUIT_HEADER_BYTES + WIRE_PART_BYTES)

/* What a node keeps at the top of its DMA window; 4-byte aligned. */
struct scatter_memory {
    uint8_t result[SCATTER_RESULT_MAX];
    uint8_t incoming[CIRCUIT_HEADER_BYTES + SCATTER_RESULT_MAX];
    uint8_t report[WIRE_REPORT_BYTES_MAX];
    /* The originator's, one for each round. */
    _Alignas(4) uint8_t job[ROUNDS_MAX][WIRE_PAD4(WIRE_JOB_BYTES_MAX)];
    uint8_t head[ROUNDS_MAX][TORUS_PHASES_MAX][TORUS_PORTS][WIRE_PART_BYTES];
    uint32_t work[SCATTER_WORK_MAX / 4];
};

/* Largest load, in bytes, of a node whose window has `window_bytes`. */
#define SCATTER_LOAD_MAX(window_bytes)                                         \
    ((window_bytes)-WINDOW_DMA_OFFSET -                                        \
     (uint32_t)sizeof(struct scatter_memory) - CIRCUIT_HEADER_BYTES -          \
     WIRE_PART_BYTES - WIRE_ORDER_BYTES - WIRE_JOB_BYTES_MAX)

/*
 * What the software costs on this board, measured (test/bench); the planner
 * counts it as part of the startups.
 */
struct scatter_costs {
    uint32_t lead_ps;   /* originator: time zero to its first phase queued */
    uint32_t parse_ps;  /* message complete to the volume being split */
    uint32_t phase_ps;  /* the four sends of a phase queued */
    uint32_t start_ps;  /* last send queued to the kernel's run() */
    uint32_t merge_ps;  /* one child's result received and merged */
    uint32_t round_ps;  /* the kernel's end to the wait for the next round */
    uint32_t branch_ps; /* message complete to the first send of a branch */
    uint32_t send_ps;   /* each send of a branch queued */
    uint32_t again_ps; /* originator: what each round costs beside its phases */
};

struct scatter {
    struct circuit *circuit;
    struct window *window;
    struct scatter_memory *memory;
    const struct kernel *const *kernels;
    const struct scatter_costs *costs;
    struct torus_size size;
    uint8_t *receive; /* from the start of the DMA window to `memory` */
    uint32_t receive_bytes;
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
    const uint8_t *branch;   /* this node's piece of the tree, or NULL */
    uint32_t job_bytes;
    const struct kernel *kernel;
    struct kernel_terms terms;
    struct kernel_result result;
    const uint8_t *body; /* this node's range, then its overlap */
    uint32_t body_bytes;
    uint32_t units;
    uint32_t first_unit;
    struct split split;
};

/*
 * Prepares a node; `kernels[kernel_count]` and `costs` outlive it. The
 * circuit is open and its window's identity says who this node is.
 * Result: 0; ERR_RANGE if the identity is no node of a 5^k x 5^k torus;
 * ERR_MEMORY if the window is too small.
 */
int scatter_init(struct scatter *scatter, struct circuit *circuit,
                 const struct kernel *const kernels[], unsigned kernel_count,
                 const struct scatter_costs *costs);

/* Runs one job as this node's role demands. Result: 0 or the error. */
int scatter_run(struct scatter *scatter);

/* The originator's part of scatter_run(), and that of any other node on the
   pattern. Result: 0 or the error. */
int scatter_lead(struct scatter *scatter);
int scatter_follow(struct scatter *scatter);

/*
 * The steps that every node takes with what it holds of a round: split it and
 * queue the sends; compute its own share, into `result` or, after the first
 * round, merged into it; and after the last round merge the children's
 * results. Result: 0 or the error.
 */
int scatter_distribute(struct scatter *scatter);
int scatter_compute(struct scatter *scatter);
int scatter_gather(struct scatter *scatter);

/*
 * Where this node's result goes: in `memory`, or if it is an output, behind all
 * that the node received, after room for a header. An output takes
 * scatter_output_bytes() of the range that begins `position` units on.
 */
uint8_t *scatter_result_room(const struct scatter *scatter);
uint32_t scatter_output_bytes(const struct scatter *scatter, uint32_t position,
                              uint32_t units);

/* For a tree too. Result, where there is one: 0 or the error. */
int scatter_begin_kernel(struct scatter *scatter);
int scatter_merge_child(struct scatter *scatter, unsigned phase, unsigned port);
int scatter_return_result(struct scatter *scatter);
void scatter_record(struct scatter *scatter, enum event_kind kind,
                    unsigned detail, uint32_t value);

/* Runs the kernel on `units` from `position` of this node's range. */
void scatter_run_kernel(struct scatter *scatter, struct kernel_result *result,
                        uint32_t position, uint32_t units);

#endif
