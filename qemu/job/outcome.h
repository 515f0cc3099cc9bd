/* SPDX-License-Identifier: Apache-2.0 */
/* All results of one run. Summary, JSON report, Gantt chart and trace are
   written from this struct. All times are mesh times in ps. Members named `_ps`
   count from the start of the scatter, which is time 0. The user's waiting time
   begins earlier, with the order. The outcome owns its arrays. */
#ifndef QEMU_JOB_OUTCOME_H
#define QEMU_JOB_OUTCOME_H

#include "hal/window/window.h"
#include "kernels/kernel.h"
#include "qemu/fabric/circuit_record.h"
#include "qemu/fabric/faults.h"
#include "qemu/job/output_chunks.h"
#include "qemu/job/request.h"
#include "qemu/ranks/seen.h"
#include "scatter/wire/wire.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

#define OUTCOME_DIGEST_BYTES 65u

/* An interval of one node: its work in one round. The originator queues the
   sends of all rounds, then computes its share in one interval. */
struct outcome_compute_interval {
    uint16_t round; /* from 0 */
    uint32_t units;
    uint64_t received_ps;  /* the round's message had arrived; originator: 0 */
    uint64_t forwarded_ps; /* all sends of the round were queued */
    uint64_t compute_start_ps; /* the kernel was ready */
    uint64_t compute_end_ps;
};

struct outcome_node {
    struct torus_coord at;
    uint16_t group; /* number of the originator that the node serves, from 0 */
    bool active;    /* true: the node got at least one unit */
    /* true: the plan left it out; it is dead, or out of reach around holes */
    bool missing;
    bool slowed; /* true: the user made the node slower than others (--slow) */
    uint8_t layer;
    uint16_t intervals; /* length of interval[], at least 1 if active */
    uint32_t units;
    uint64_t received_ps; /* first interval: message had arrived */
    uint64_t hop_ps; /* first interval: sends of the next phase were queued */
    uint64_t forwarded_ps;     /* first interval: all sends were queued */
    uint64_t compute_start_ps; /* first interval: kernel was ready */
    uint64_t finished_ps;      /* time when the last interval ended */
    uint64_t done_ps;          /* result queued; originator: job done */
    uint64_t ports_ps;         /* compute time that interrupts of ports took */
    /* Intervals sorted by time. interval[0] always exists; zeroed if the node
       has no interval. */
    struct outcome_compute_interval *interval;
    uint64_t stack_used_bytes; /* serial boards: known of the originator only */
    uint64_t stack_bytes;
    uint32_t retries; /* only if the outcome's counts_nodes is true */
    uint32_t retransmissions;
    struct node_counters *port; /* NODE_PORTS entries */
    /* the node's event log; its times are by the node's own clock */
    const struct node_event *event;
    uint32_t event_count;
};

struct outcome_layer {
    uint32_t nodes;
    double share_units;
    double volume_units;
    uint64_t received_ps; /* end of the first receipt; 0 with a tree: unknown */
};

/* What the originator does between the order and the start of the scatter. */
struct outcome_preparing {
    uint64_t all_ps; /* whole time, with reading the order */
    uint64_t announce_ps;
    uint64_t begin_ps;
    uint64_t measure_ps;
    uint64_t plan_ps;
    /* Time after the start of the scatter, while other nodes computed. */
    uint64_t meanwhile_measure_ps;
    uint64_t meanwhile_plan_ps;
};

/* One batch. A load that does not fit the originator's memory runs in several
   batches, one after the other. struct outcome has nodes, circuits and plan of
   the first batch only; makespan and all sums cover all batches. */
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
    /* hexadecimal SHA-256 of the batch's timeline (timeline.h) */
    char timeline[OUTCOME_DIGEST_BYTES];
    uint32_t result_crc; /* CRC of the batch's result and output */
};

/* A wave: an order that computed a range which an order before it had lost. */
struct outcome_wave {
    struct wire_range range;
    uint32_t missing_units; /* number of units that it lost, too */
    uint64_t start_ps;      /* its order, from the first one on */
    uint64_t end_ps;        /* its result was merged, from the first order on */
};

#define OUTCOME_FEW_SIDE 5u

/* An originator, with its plan and measurements of the first batch. */
struct outcome_originator {
    struct torus_coord at;
    const char *input_name;
    uint64_t load_bytes;
    uint64_t load_units;
    uint32_t nodes; /* number of nodes in its group, including itself */
    struct wire_report plan;
    struct wire_range *missing; /* plan.ranges ranges that nobody computed */
    uint64_t missing_units;     /* all of the load's: there is no result */
    bool silent; /* true: it stopped before it reported; there is no plan */
    /* Result of this originator's load. Empty if there is one originator: then
       struct outcome has the result. */
    struct kernel_result result;
    struct output_places places; /* of its output, in a batch of this one */
};

/* A node that took an originator's place. */
struct outcome_heir {
    struct torus_coord at;
    uint32_t originator; /* index */
};

struct outcome {
    const struct request *request; /* must outlive the outcome */
    struct job_schedule schedule;  /* schedule that was carried out */
    /* Number of originators, 1 or more. Load, plan and result below are those
       of all of them: the plan begins with the first start and ends with the
       last end. */
    uint32_t originators;
    struct outcome_originator *originator;
    const char *board; /* name of the boards, as for --board; or "host" */
    /* What boards that had run before said of their image: "CAFE0001 is FILE,
       kernels search". NULL: unknown, or the boards were started for this
       job. */
    char *image;
    bool host_times; /* true: boards ran in real time */
    /* true: samples of the load differed, so units went to nodes on demand and
       not along the schedule's tree */
    bool became_farm;
    /* the load, for reports that show its text; or NULL */
    const struct format_load *load;
    const char *command; /* the command line; or NULL */
    /* What --schedule auto found (qemu/job/choose.h). NULL: the user named a
       schedule. */
    const struct choices *choices;
    /* path of the rates file that the plan used; or NULL */
    const char *rate_from;
    uint64_t load_bytes;
    uint64_t load_units;
    struct wire_report plan; /* the originators' plan and measurements */
    struct rounds_plan rounds;
    struct outcome_layer *layer; /* planned layers, 0 to plan.phases */
    uint32_t node_count;
    struct outcome_node *node;
    uint32_t circuit_count;
    struct circuit_record *circuit;
    uint64_t conflicts; /* number of circuits that waited for a held link */
    uint64_t retries;
    uint64_t retransmissions; /* serial lines: number of frames sent again */
    bool counts_nodes;        /* true: retries of each single node are known */
    uint64_t messages;        /* number of messages between nodes */
    uint64_t payload_bytes;
    uint32_t batch_count;
    struct outcome_batch *batch;
    /* Number of batches that earlier runs computed (qemu/job/checkpoint.h). If
       above 0, batch[1] has their sums. */
    uint32_t resumed;
    struct faults faults;
    uint32_t waves;
    struct outcome_wave *wave;
    uint64_t lost_units;  /* number of units that were computed again */
    uint64_t recovery_ps; /* by which waves made the makespan longer, ps */
    uint64_t waves_ps;    /* outcome_computing_ps() of waves */
    /* Originators that took the place of one that had stopped, in turn. */
    struct outcome_heir *heir;
    uint32_t heirs;
    /* Answer times of this job on one board and on OUTCOME_FEW_SIDE^2 boards
       (qemu/job/smaller.h). 0: not run. */
    uint64_t alone_ps;
    uint64_t few_ps;
    struct kernel_result result;
    double boot_wall_s;
    double run_wall_s;
    uint32_t ranks; /* number of MPI ranks; 0: the run had one process */
    struct rank_seen *rank;
};

/* Returns the number of batches of this run and of earlier ones. */
uint32_t outcome_batches(const struct outcome *outcome);

/* Returns the sums of all batches, without a rate and a timeline. */
struct outcome_batch outcome_sum(const struct outcome *outcome);

/* Returns the number of nodes that got units in the first batch. */
uint32_t outcome_active_nodes(const struct outcome *outcome);

/* Returns the measured makespan: the largest finished_ps of a batch, added up
   over all batches. */
uint64_t outcome_makespan_ps(const struct outcome *outcome);

/* Returns the plan of the originator whose group the node is in. */
const struct wire_report *outcome_plan_of(const struct outcome *outcome,
                                          const struct outcome_node *node);

struct outcome_group_times {
    /* start of this originator's scatter, after that of the first originator */
    uint64_t start_ps;
    uint64_t makespan_ps; /* from start_ps until the group's last node ends */
    uint64_t with_results_ps; /* from start_ps to the last merged result */
    uint64_t answer_ps; /* from the order until the last result is merged */
};

struct outcome_group_times outcome_group_times(const struct outcome *outcome,
                                               uint32_t index);

/* Returns the planned makespan, added up over all batches. */
uint64_t outcome_planned_ps(const struct outcome *outcome);

/* Returns the time from the first to the last finished_ps of the nodes. */
uint64_t outcome_spread_ps(const struct outcome *outcome);

/* Returns the time from the start of the scatter until the last result is
   merged. */
uint64_t outcome_with_results_ps(const struct outcome *outcome);

/* Returns the time from the order to the start of the scatter in the first
   batch. */
uint64_t outcome_scatter_start_ps(const struct outcome *outcome);

/* Returns what the originator did before the scatter, added up over all
   batches. */
struct outcome_preparing outcome_preparing(const struct outcome *outcome);

/* Returns the answer time: from the order, when the load is in memory, until
   the last result is merged. */
uint64_t outcome_answer_ps(const struct outcome *outcome);

/* Returns the rate measured in the first batch: that of the originator's share
   or, if the share is short, of the units that the originator measured. */
struct job_rate outcome_batch_rate(const struct outcome *outcome);

/* Returns the rate of the batch that measured the most units. */
struct job_rate outcome_rate(const struct outcome *outcome);

/* Returns the sum of all compute times, with those of units that originators
   measure. A unit of a slowed node counts as the mean unit of normal nodes. */
uint64_t outcome_computing_ps(const struct outcome *outcome);

/* Returns the time for which interrupts of ports kept nodes from computing.
   Intervals of nodes include this time; one board alone has none. */
uint64_t outcome_ports_ps(const struct outcome *outcome);

/* Returns how often nodes called the kernel's run() in the first batch. */
uint64_t outcome_calls(const struct outcome *outcome);

/* Returns the part of outcome_computing_ps() that calls of run() cost besides
   their units. One call is left out, since one board alone makes one, too. */
uint64_t outcome_calls_ps(const struct outcome *outcome);

/* Returns the answer time of one board of normal speed for the same load. With
   several originators, the times of their loads are added up. It is alone_ps if
   that is known, or the answer time itself if one node did all. Otherwise it is
   estimated: time of begin(), plus outcome_computing_ps(), less
   outcome_calls_ps(). */
uint64_t outcome_one_board_ps(const struct outcome *outcome);

/* Returns outcome_one_board_ps() / outcome_answer_ps(), or 1 on a mesh of
   1x1. */
double outcome_answer_speedup(const struct outcome *outcome);

/* Returns the time when the node has computed the interval before interval
   `index`. */
uint64_t outcome_free_ps(const struct outcome_node *node, unsigned index);

/* Returns the time when interval `index` can begin: the node has computed the
   interval before, and has received the round's message. */
uint64_t outcome_turn_ps(const struct outcome_node *node, unsigned index);

/* Returns how long the node idled between its first and its last receipt. */
uint64_t outcome_idle_ps(const struct outcome_node *node);

uint64_t outcome_idle_max_ps(const struct outcome *outcome);

uint64_t outcome_transfer_ps_per_unit(const struct outcome *outcome);

uint64_t outcome_compute_ps(const struct outcome_node *node);
uint64_t outcome_computed_units(const struct outcome_node *node);

/* Returns whether the plan uses the kernel's estimate of a unit's time: too few
   units to measure. */
bool outcome_is_estimated(const struct outcome *outcome);

uint32_t outcome_planned_nodes(const struct outcome *outcome);

/* Returns numerator / denominator, or 0 if the denominator is 0. */
double outcome_ratio(uint64_t numerator, uint64_t denominator);

/* Returns (measured makespan - planned makespan) / planned makespan. */
double outcome_overhead_vs_plan(const struct outcome *outcome);

/* Returns the relative error of the originator's measured unit time, compared
   with the mean of all units on all nodes. */
double outcome_calibration_error(const struct outcome *outcome);

/* Returns the sum of compute times after the start of the scatter / the
   makespan. */
double outcome_speedup(const struct outcome *outcome);

/* Returns the speedup that the plan's unit time and makespan give. */
double outcome_planned_speedup(const struct outcome *outcome);

/* Adds the figures of a further order, of the next batch or of a wave: what all
   orders of a run have in common. */
void outcome_add_order(struct outcome *outcome, const struct outcome *next);

void outcome_free(struct outcome *outcome);

#endif
