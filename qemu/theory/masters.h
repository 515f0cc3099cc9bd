/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several masters (papers.md). Each node holds x_i units and computes one in
 * gamma. Any node may send u units to any other in alpha + beta u. A node has
 * one transfer at a time and does not compute meanwhile.
 *
 * The basic round is the shortest plan without startups: T is the least with
 *
 *     gamma (x_i - s_i) + beta s_i <= T      masters, which send s_i <= x_i
 *     gamma (x_i + q_i) + beta q_i <= T      workers, which receive q_i
 *
 * and equal sums of s and q. Masters send no more than they must; workers are
 * filled one after the other in the file's order. The transfers are put on one
 * line, which is cut into pieces of length L = beta max(s_i, q_i) that run at
 * once. No node then has two transfers at a time. The rest of T is computing.
 *
 * Rounds r_j of the sum 1, each r_j times the basic round, keep all nodes busy
 * if every worker has enough units to compute meanwhile. With a time zeta that
 * all nodes wait at first:
 *
 *     r_j = min_i (x'_i + zeta/gamma - R_j w_i) / w'_i   R_j = r_0 + .. r_{j-1}
 *
 * w_i is what a worker computes within L, less q_i; w'_i is the largest excess
 * of computed over received units within L; x'_i is x_i and what the worker
 * could compute while it idles in T. k rounds end at T + k A + zeta, A being
 * alpha times the most transfers of one node. Without rounds each node computes
 * its own units until gamma max x_i, which may be earlier if units are few or
 * alpha is long.
 */
#ifndef QEMU_THEORY_MASTERS_H
#define QEMU_THEORY_MASTERS_H

#include "hal/nodiscard.h"
#include "qemu/theory/workers.h"

/* The costs of a network; all fields are more than 0. */
struct theory_network {
    quad startup;  /* alpha */
    quad transfer; /* beta, for a unit */
    quad compute;  /* gamma, for a unit */
    quad scale;    /* factor of every x */
};

/* A transfer of the basic round, with all loads times theory_network.scale. */
struct theory_transfer {
    size_t from, to;
    quad start; /* time from the round's start */
    quad units;
};

#define THEORY_MASTERS_ROUNDS_MAX 32768

/* A plan for all loads times theory_network.scale. part, idle, over and excess
   have some 15 digits. */
struct theory_masters {
    quad bound;     /* time of the basic round: no plan ends earlier */
    quad length;    /* longest time that a node sends or receives */
    unsigned class; /* 1, 2, 3: makespan / bound - 1 falls with the scale C as
                       1/sqrt(C), log(C)/C, 1/C */
    size_t nodes;
    quad sent[THEORY_WORKERS_MAX];     /* units that each node sends */
    quad received[THEORY_WORKERS_MAX]; /* units that each node receives */
    size_t transfers;
    /* Array bound: each transfer ends the sending or receiving of a node, or a
       piece of `length`. */
    struct theory_transfer transfer[2 * THEORY_WORKERS_MAX];
    size_t transfers_most; /* most transfers of one node */
    unsigned rounds;       /* 0: nothing is sent, as that ends no later */
    long double part[THEORY_MASTERS_ROUNDS_MAX]; /* r_j of each round */
    long double idle;   /* time zeta that all nodes wait at first */
    long double over;   /* makespan - bound */
    long double excess; /* makespan / bound - 1 */
};

/*
 * Plans for one column x, of which one value is more than 0. Returns a plan
 * that the caller frees by free(); NULL if the best plan needs more than
 * THEORY_MASTERS_ROUNDS_MAX rounds.
 */
NODISCARD struct theory_masters *
theory_masters(const struct theory_workers *workers,
               const struct theory_network *network);

#endif
