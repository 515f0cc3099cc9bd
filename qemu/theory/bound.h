/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lower bound on the makespan of any scatter. Symbols of this header:
 *   V  load, units        c      compute time of a unit
 *   T  makespan           tau    transfer time of a unit
 *   P  originator's ports in use at once, alpha: startup of a circuit
 *
 * Each startup multiplies the number of working nodes by P + 1 at most. So T
 * satisfies two conditions, one of the originator's ports and one of the nodes:
 *
 *   V <= T / c + P (T - alpha) / tau
 *   V <= 1/c integral_0^T min(speed, (P+1)^floor(t/alpha)) dt
 *
 * where `speed` is what all nodes together compute, in units of 1/c. With
 * outputs, T ends when all outputs are back. They return over all four ports,
 * whatever P is, and a circuit holds its links in both directions. So the first
 * condition also holds for four ports with a tau that includes a unit's output.
 * The later T counts.
 */
#ifndef QEMU_THEORY_BOUND_H
#define QEMU_THEORY_BOUND_H

struct bound_input {
    double load_units;
    double compute_ps;  /* c, more than 0 */
    double transfer_ps; /* tau: transfer time of a unit's input, 0 or more */
    double output_ps;   /* transfer time of a unit's output, 0 or more */
    double startup_ps;  /* alpha: startup of a circuit, 0 or more */
    /* sum of all nodes' speeds, 1 or more; a node of compute_ps has speed 1 */
    double speed;
    unsigned ports; /* P: number of the originator's ports that send at once */
};

/* Smallest makespan by the condition of the ports and by that of the nodes. The
   larger one is the bound. */
struct bound {
    double by_ports_ps;
    double by_nodes_ps;
};

struct bound bound_of(const struct bound_input *input);

double bound_ps(const struct bound *bound);

#endif
