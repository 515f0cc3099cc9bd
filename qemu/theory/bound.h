/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lower bound on the makespan of any scatter: the originator sends through P
 * ports at once, of the four that it has, and the number of working nodes grows
 * by a factor of at most P
 * + 1 with each startup. With compute time c, transfer time tau (both per
 * unit), startup alpha, load V and P ports, the makespan T of nodes of one
 * speed satisfies
 *
 *   V <= T / c + P (T - alpha) / tau                       (ports)
 *   V <= 1/c integral_0^T min(speed, (P+1)^floor(t/alpha)) dt  (nodes)
 *
 * With an output, T is the time until all is back. It returns over all four
 * ports, whatever P is, and a circuit holds its links both ways: the first
 * condition holds for four ports with a tau that counts the output, too, and
 * the later one of both is meant. `speed` is what all nodes together compute,
 * in units of 1/c.
 */
#ifndef QEMU_THEORY_BOUND_H
#define QEMU_THEORY_BOUND_H

struct bound_input {
    double load_units;
    double compute_ps;  /* c, more than 0 */
    double transfer_ps; /* tau without the output, 0 or more */
    double output_ps;   /* to transfer a unit's output, 0 or more */
    double startup_ps;  /* alpha, 0 or more */
    double speed;       /* 1 or more: the number of nodes, if all are alike */
    unsigned ports;     /* P */
};

/* The smallest T that satisfies each condition; the bound is the larger. */
struct bound {
    double by_ports_ps;
    double by_nodes_ps;
};

struct bound bound_of(const struct bound_input *input);

/* The larger of both, in ps. */
double bound_ps(const struct bound *bound);

#endif
