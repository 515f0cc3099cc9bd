/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lower bound on the makespan of any scatter. The originator sends through P
 * of its four ports at once. Each startup multiplies the number of working
 * nodes by P + 1 at most. With compute time c and transfer time tau per unit,
 * startup alpha, load V and nodes of one speed, the makespan T satisfies
 *
 *   V <= T / c + P (T - alpha) / tau                       (ports)
 *   V <= 1/c integral_0^T min(speed, (P+1)^floor(t/alpha)) dt  (nodes)
 *
 * `speed` is what all nodes together compute, in units of 1/c. With an output,
 * T ends when all outputs are back. The output returns over all four ports,
 * whatever P is, and a circuit holds its links in both directions. So the first
 * condition also holds for four ports with a tau that includes the output; the
 * later T of both counts.
 */
#ifndef QEMU_THEORY_BOUND_H
#define QEMU_THEORY_BOUND_H

struct bound_input {
    double load_units;
    double compute_ps;  /* c, more than 0 */
    double transfer_ps; /* tau: transfer of a unit's input, 0 or more */
    double output_ps;   /* transfer of a unit's output, 0 or more */
    double startup_ps;  /* alpha of a circuit, 0 or more */
    double speed;       /* 1 or more; the number of nodes if all are alike */
    unsigned ports;     /* P: originator's ports that send at once */
};

/* The smallest makespan by each condition; the larger one is the bound. */
struct bound {
    double by_ports_ps;
    double by_nodes_ps;
};

struct bound bound_of(const struct bound_input *input);

double bound_ps(const struct bound *bound);

#endif
