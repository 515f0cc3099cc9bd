/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several masters (DESIGN.md): nodes that hold x_i units each, equally fast
 * (gamma a unit), on a network on which any node may send to any other, alpha +
 * beta a unit, one transfer at a time for each node, and no computing
 * meanwhile.
 *
 * The basic round is the shortest plan without startups: T is the least with
 *
 *     gamma (x_i - s_i) + beta s_i <= T      masters, who send s_i <= x_i
 *     gamma (x_i + q_i) + beta q_i <= T      workers, who receive q_i
 *
 * and the sum of s that of q. Masters send no more than they must; workers are
 * filled one after the other, as they come, and the transfers one after the
 * other: laid on a line, and that wrapped round into the time L = beta max(s_i,
 * q_i), they never need a node twice at a time. The rest of T is computing.
 *
 * Rounds r_j of the sum 1, each r_j times the basic one, keep everybody busy if
 * every worker has what it computes meanwhile; zeta is a time that all wait at
 * first:
 *
 *     r_j = min_i (x'_i + zeta/gamma - R_j w_i) / w'_i   R_j = r_0 + .. r_{j-1}
 *
 * w_i: what a worker computes within L, less q_i; w'_i: the most that it has
 * computed more than received, at any time within L; x'_i: x_i and what it
 * could compute while it is idle in T. k rounds end at T + k A + zeta, A =
 * alpha times the most transfers of one node. Without rounds each node computes
 * what it holds, until gamma max x_i: with few units or a dear startup that may
 * be earlier.
 */
#ifndef QEMU_THEORY_MASTERS_H
#define QEMU_THEORY_MASTERS_H

#include "hal/nodiscard.h"
#include "qemu/theory/workers.h"

/* All of it more than 0. */
struct theory_network {
    quad startup;  /* alpha */
    quad transfer; /* beta, a unit */
    quad compute;  /* gamma, a unit */
    quad scale;    /* every x is this many times as many */
};

/* A transfer of the basic round, scaled. */
struct theory_transfer {
    size_t from, to;
    quad start; /* from the round's start */
    quad units;
};

#define THEORY_MASTERS_ROUNDS_MAX 32768

/* Numbers of the rounds (part, idle, over, excess) have some 15 digits. */
struct theory_masters {
    quad bound;     /* T, scaled: nothing of this kind ends earlier */
    quad length;    /* L, scaled */
    unsigned class; /* 1, 2, 3: makespan / bound - 1 falls with the scale C as
                       1/sqrt(C), log(C)/C, 1/C */
    size_t nodes;
    quad sent[THEORY_WORKERS_MAX];     /* s of each node, scaled */
    quad received[THEORY_WORKERS_MAX]; /* q of each node, scaled */
    size_t transfers;
    /* Each ends what a node sends or receives, or a turn of L. */
    struct theory_transfer transfer[2 * THEORY_WORKERS_MAX];
    size_t transfers_most; /* of one node */
    unsigned rounds;       /* k; 0: nothing is sent, as that ends no later */
    long double part[THEORY_MASTERS_ROUNDS_MAX]; /* of each round */
    long double idle;                            /* zeta */
    long double over;   /* rounds and idle time, or alone: T is not in it */
    long double excess; /* makespan / bound - 1 */
};

/*
 * Plans for one column x, of which one is more than 0. Result: the caller's to
 * free(); NULL if THEORY_MASTERS_ROUNDS_MAX rounds are not enough for the best
 * plan.
 */
NODISCARD struct theory_masters *
theory_masters(const struct theory_workers *workers,
               const struct theory_network *network);

#endif
