/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All results of one run, from which the summary, the JSON report, the Gantt
 * chart and the trace are written. All times are mesh times in picoseconds;
 * those named `_ps` here count from the start of the scatter, time zero of the
 * job; what a user waits for begins before it, with the order. Filled by
 * qemu/job/collect; the arrays are its own.
 */
#ifndef QEMU_JOB_OUTCOME_H
#define QEMU_JOB_OUTCOME_H

#include "hal/window/window.h"
#include "kernels/kernel.h"
#include "qemu/fabric/circuit_record.h"
#include "qemu/job/request.h"
#include "qemu/ranks/seen.h"
#include "scatter/wire/wire.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

#define OUTCOME_DIGEST_BYTES 65u

/* The work of one node on one round. The originator queues all rounds and then
   computes all that it keeps, in one interval. */
struct outcome_compute_interval {
    uint16_t round;            /* from 0 */
    uint32_t units;            /* its share */
    uint64_t received_ps;      /* message complete (originator: 0) */
    uint64_t forwarded_ps;     /* all sends queued */
    uint64_t compute_start_ps; /* the kernel ready */
    uint64_t compute_end_ps;
};

struct outcome_node {
    struct torus_coord at;
    uint16_t group; /* of several originators, the number of its own */
    bool active;    /* took part: was given at least one unit */
    bool slowed;    /* the caller made it slower than its kind is */
    uint8_t layer;
    uint16_t intervals;        /* 1 or more if active */
    uint32_t units;            /* its share, of all intervals */
    uint64_t received_ps;      /* of the first interval, as the next three */
    uint64_t hop_ps;           /* the next phase's sends queued, or as below */
    uint64_t forwarded_ps;     /* all sends queued */
    uint64_t compute_start_ps; /* the kernel ready */
    uint64_t finished_ps;      /* stopped computing, the last interval */
    uint64_t done_ps;          /* result queued (originator: job done) */
    uint64_t ports_ps; /* of its computing, what interrupts of ports took */
    /* Intervals in order of time. interval[0] exists, all 0, also without
       any. */
    struct outcome_compute_interval *interval;
    uint64_t stack_used_bytes; /* of serial ports: the originator's alone */
    uint64_t stack_bytes;
    uint32_t retries; /* as the outcome's own, if counts_nodes */
    uint32_t retransmissions;
    struct node_counters *port;     /* NODE_PORTS of them */
    const struct node_event *event; /* its log, in the node's mesh time */
    uint32_t event_count;
};

/* The plan for each node of a layer. */
struct outcome_layer {
    uint32_t nodes;
    double share_units;
    double volume_units;
    uint64_t received_ps; /* the first volume; 0 of a tree: not reported */
};

/* What the originator does from the order to the start of the scatter. */
struct outcome_preparing {
    uint64_t all_ps; /* these and the rest: reading the order, writing jobs */
    uint64_t announce_ps;
    uint64_t begin_ps;
    uint64_t measure_ps;
    uint64_t plan_ps;
    /* Done after the start instead, while others computed an advance. */
    uint64_t meanwhile_measure_ps;
    uint64_t meanwhile_plan_ps;
};

/*
 * A load that does not fit the originator's memory goes in batches, one after
 * the other. struct outcome has nodes, circuits and the plan of the first batch
 * only; the makespan and all other sums are of all batches.
 */
struct outcome_batch {
    uint64_t units;
    uint64_t planned_ps;
    uint64_t makespan_ps;
    uint64_t with_results_ps;
    uint64_t computing_ps;
    uint64_t ports_ps;
    uint64_t calls_ps;
    struct outcome_preparing preparing;
    struct job_rate rate;
    char timeline[OUTCOME_DIGEST_BYTES]; /* hexadecimal */
};

#define OUTCOME_FEW_SIDE 5u

/* An originator, with what it planned and found in the first batch. */
struct outcome_originator {
    struct torus_coord at;
    const char *input_name;
    uint64_t load_bytes;
    uint64_t load_units;
    uint32_t nodes;          /* of its group, itself included */
    struct wire_report plan; /* as it made it */
    /* The result of its load; empty of a single originator, whose result is
       that of the outcome. */
    struct kernel_result result;
};

struct outcome {
    const struct request *request; /* outlives the outcome */
    struct job_schedule schedule;  /* as carried out */
    /* 1 or more. Load, plan and result below are those of all: the plan begins
       with the first that starts and ends with the last. */
    uint32_t originators;
    struct outcome_originator *originator;
    const char *board; /* name after --board; "host" */
    char *image;       /* of boards that ran before: "CAFE0001 is FILE, kernels
                          search"; NULL: they do not say, or are started here */
    bool host_times;   /* boards run in the host's time, not in one of theirs */
    bool became_farm;  /* samples of the load differed: units went to who asked,
                          not along the schedule's tree */
    const struct format_load *load; /* to show parts of it; or NULL */
    const char *command;            /* line that started it; or NULL */
    /* All that --schedule auto weighed (qemu/job/choose.h); NULL: the schedule
       was named. */
    const struct choices *choices;
    const char *rate_from; /* a file's name, if the plan has its rate from it */
    uint64_t load_bytes;
    uint64_t load_units;
    struct wire_report plan;     /* what the originator planned and measured */
    struct rounds_plan rounds;   /* its tables */
    struct outcome_layer *layer; /* 0 to plan.phases */
    uint32_t node_count;
    struct outcome_node *node; /* row-major */
    uint32_t circuit_count;
    struct circuit_record *circuit;
    uint64_t conflicts; /* circuits that had to wait for a held link */
    uint64_t retries;
    uint64_t retransmissions; /* times that a source went back: serial lines */
    bool counts_nodes;        /* it is known of each node, too */
    uint64_t messages;        /* over circuits; host traffic not counted */
    uint64_t payload_bytes;
    uint32_t batch_count;
    struct outcome_batch *batch;
    /* Answers of smaller meshes that did the same (qemu/job/smaller.h), of one
       board and of OUTCOME_FEW_SIDE^2; 0: none did. */
    uint64_t alone_ps;
    uint64_t few_ps;
    struct kernel_result result;
    double boot_wall_s;
    double run_wall_s;
    uint32_t ranks; /* 0: there was one process */
    struct rank_seen *rank;
};

/* Nodes that got a part of the load, or of its first batch. */
uint32_t outcome_active_nodes(const struct outcome *outcome);

/* Largest finished_ps of all active nodes: the measured makespan. */
uint64_t outcome_makespan_ps(const struct outcome *outcome);

/* The plan that a node's work is part of. */
const struct wire_report *outcome_plan_of(const struct outcome *outcome,
                                          const struct outcome_node *node);

/* Times of one of several originators, ps. */
struct outcome_group_times {
    uint64_t start_ps;        /* it began to send, after the first that did */
    uint64_t makespan_ps;     /* from then until the last of its group ended */
    uint64_t with_results_ps; /* from then until it had merged all results */
    uint64_t answer_ps;       /* from its order until then */
};

struct outcome_group_times outcome_group_times(const struct outcome *outcome,
                                               uint32_t index);

/* The makespan that originators planned, of all batches. */
uint64_t outcome_planned_ps(const struct outcome *outcome);

/* Largest less smallest finished_ps of the active nodes. */
uint64_t outcome_spread_ps(const struct outcome *outcome);

/* Time from the start to the last result merged by the originator. */
uint64_t outcome_with_results_ps(const struct outcome *outcome);

/* Time from the order to the start of the scatter, in one batch. */
uint64_t outcome_scatter_start_ps(const struct outcome *outcome);

/* The originator's preparing, of all batches. */
struct outcome_preparing outcome_preparing(const struct outcome *outcome);

/* Time from the order, with its load in the originator's memory, to the last
   result merged there: preparing, scatter, computing and gathering. */
uint64_t outcome_answer_ps(const struct outcome *outcome);

/* The rate that computing showed in the batch at hand: of the originator's
   share, or if that is short, of the units that measuring computed. */
struct job_rate outcome_batch_rate(const struct outcome *outcome);

/* That of the batch which showed it on most units. */
struct job_rate outcome_rate(const struct outcome *outcome);

/* The sum of all compute times, those of the units included that the originator
   computes to measure them. Units of a node that was made slow count as the
   mean unit of the others. */
uint64_t outcome_computing_ps(const struct outcome *outcome);

/* Time in which interrupts of ports kept nodes from computing, where the switch
   is software: part of their intervals, and not of one board's time. */
uint64_t outcome_ports_ps(const struct outcome *outcome);

/* Calls of the kernel's run() in the first batch. */
uint64_t outcome_calls(const struct outcome *outcome);

/* What all calls but one took, besides units, of outcome_computing_ps(): one
   board calls it once. */
uint64_t outcome_calls_ps(const struct outcome *outcome);

/* The answer of one board that has the same load: outcome_answer_ps() of a mesh
   1x1, where nobody makes it slow; of several originators the sum of their
   loads' answers. It is alone_ps where that is known, the answer where one node
   did all; else an estimate, the kernel's begin() and outcome_computing_ps()
   less outcome_calls_ps(). */
uint64_t outcome_one_board_ps(const struct outcome *outcome);

/* outcome_one_board_ps() over outcome_answer_ps(): 1 on a mesh 1x1. */
double outcome_answer_speedup(const struct outcome *outcome);

/* When a node has time for interval `index`: the one before it is computed. */
uint64_t outcome_free_ps(const struct outcome_node *node, unsigned index);

/* When it turns to interval `index`: free, and the volume received. */
uint64_t outcome_turn_ps(const struct outcome_node *node, unsigned index);

/* The time in which a node had nothing to compute between its first receipt and
   its last one. */
uint64_t outcome_idle_ps(const struct outcome_node *node);

/* The longest of all active nodes. */
uint64_t outcome_idle_max_ps(const struct outcome *outcome);

/* The transfer time of one unit (of which the load may have few). */
uint64_t outcome_transfer_ps_per_unit(const struct outcome *outcome);

/* All computing of a node, and its units. */
uint64_t outcome_compute_ps(const struct outcome_node *node);
uint64_t outcome_computed_units(const struct outcome_node *node);

/* Whether the plan counts on the kernel's own estimate of a unit's time: nobody
   has measured one, as there are too few for that. */
bool outcome_is_estimated(const struct outcome *outcome);

/* Nodes that the plan gives work: the sum of its layers. */
uint32_t outcome_planned_nodes(const struct outcome *outcome);

/* numerator / denominator, or 0 if the denominator is 0. */
double outcome_ratio(uint64_t numerator, uint64_t denominator);

/* The measured makespan less the planned, divided by the planned. */
double outcome_overhead_vs_plan(const struct outcome *outcome);

/* The compute time that the originator measured on its sample, less that of the
   whole load on all nodes, divided by the latter. */
double outcome_calibration_error(const struct outcome *outcome);

/* The compute times of all that is computed from the start of the scatter on,
   over the makespan. */
double outcome_speedup(const struct outcome *outcome);

/* The speedup that the plan expects, by its unit time and makespan. */
double outcome_planned_speedup(const struct outcome *outcome);

/* Frees all that *outcome points to and is its own. */
void outcome_free(struct outcome *outcome);

#endif
