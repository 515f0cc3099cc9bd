/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several nodes that hold loads already: masters send units, workers receive
 * them. The paper (papers.md, "Several masters") calls
 *   x_i    units that node i holds     alpha  startup of a transfer
 *   gamma  compute time of a unit      beta   transfer time of a unit
 *
 * A node has one transfer at a time and does not compute meanwhile.
 *
 * The basic round is the shortest plan without startups. Masters send s_i of
 * their units and workers receive q_i; T is the least time with
 *
 *     gamma (x_i - s_i) + beta s_i <= T      for masters, s_i <= x_i
 *     gamma (x_i + q_i) + beta q_i <= T      for workers
 *
 * and equal sums of s and q. Masters send no more than they must; workers are
 * filled one after the other in the file's order. Transfers are put on one time
 * line, which is cut into pieces of length L = beta max(s_i, q_i) that run at
 * once. So no node has two transfers at a time. The rest of T is computing.
 *
 * A plan repeats the basic round: round j carries the part r_j of the load, and
 * all parts add up to 1. All nodes stay busy if every worker has enough units
 * to compute while it waits for more. For that, all nodes may wait for a time
 * zeta before round 0:
 *
 *     r_j = min_i (x'_i + zeta/gamma - R_j w_i) / w'_i   R_j = r_0 + .. r_{j-1}
 *
 * w_i is what worker i computes within L, less q_i. w'_i is by how many units
 * at most it has computed more than received within L. x'_i is x_i and what the
 * worker could compute while it idles in T. k rounds end at T + k A + zeta,
 * where A is alpha times the most transfers of one node. Without rounds each
 * node computes its own units until gamma max x_i, which may be earlier if
 * units are few or alpha is long.
 */
#ifndef QEMU_THEORY_MASTERS_H
#define QEMU_THEORY_MASTERS_H

#include "hal/nodiscard.h"
#include "qemu/theory/workers.h"

/* Costs of a network. All of them are more than 0. */
struct theory_network {
    quad startup;  /* alpha */
    quad transfer; /* beta, for a unit */
    quad compute;  /* gamma, for a unit */
    quad scale;    /* factor of every x */
};

/* A transfer of the basic round, for all loads multiplied by
   theory_network.scale. */
struct theory_transfer {
    size_t from, to;
    quad start; /* time since the basic round's begin */
    quad units;
};

#define THEORY_MASTERS_ROUNDS_MAX 32768

/* A plan for all loads multiplied by theory_network.scale. part, idle, over and
   excess have some 15 correct digits. */
struct theory_masters {
    quad bound; /* time of the basic round, a lower bound of the makespan */
    /* longest time that one node sends or receives in the basic round */
    quad length;
    /* How fast makespan / bound - 1 falls if all loads are multiplied by C: 1
       as 1/sqrt(C), 2 as log(C)/C, 3 as 1/C. */
    unsigned class;
    size_t nodes;
    quad sent[THEORY_WORKERS_MAX];     /* units that each node sends */
    quad received[THEORY_WORKERS_MAX]; /* units that each node receives */
    size_t transfers;
    /* The array is long enough: each transfer is the last one of a sender or a
       receiver, or is cut at `length`. */
    struct theory_transfer transfer[2 * THEORY_WORKERS_MAX];
    size_t transfers_most; /* number of transfers of the node that has most */
    /* number of rounds; 0: nothing is sent, as no plan with rounds ends
       earlier */
    unsigned rounds;
    /* part of the load that each round carries */
    long double part[THEORY_MASTERS_ROUNDS_MAX];
    long double idle;   /* time that all nodes wait before the first round */
    long double over;   /* makespan - bound */
    long double excess; /* makespan / bound - 1 */
};

/* Plans for workers with one number each, the units that they hold. At least
   one number is more than 0. Returns a plan that the caller frees by free().
   Returns NULL if the best plan needs more than THEORY_MASTERS_ROUNDS_MAX
   rounds. */
NODISCARD struct theory_masters *
theory_masters(const struct theory_workers *workers,
               const struct theory_network *network);

#endif
