/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/bound.h"

#include "torus/torus.h"

#include <math.h>

/* Returns the least makespan, ps, with which `ports` ports can distribute the
   load. Until the first circuit is set up, only the originator computes. */
static double through(const struct bound_input *input, unsigned ports,
                      double transfer_ps)
{
    double alone_ps = input->load_units * input->compute_ps;
    double both_ps =
        (input->load_units * transfer_ps + ports * input->startup_ps) *
        input->compute_ps / (transfer_ps + ports * input->compute_ps);

    return both_ps < input->startup_ps ? alone_ps : both_ps;
}

static double by_ports(const struct bound_input *input)
{
    return fmax(
        through(input, input->ports, input->transfer_ps),
        through(input, TORUS_PORTS, input->transfer_ps + input->output_ps));
}

static double by_nodes(const struct bound_input *input)
{
    double left_units = input->load_units;
    double begun_ps = 0;
    double nodes = 1;

    while (nodes < input->speed &&
           left_units * input->compute_ps > nodes * input->startup_ps) {
        left_units -= nodes * input->startup_ps / input->compute_ps;
        begun_ps += input->startup_ps;
        nodes *= input->ports + 1;
    }
    nodes = nodes < input->speed ? nodes : input->speed;
    return begun_ps + left_units * input->compute_ps / nodes;
}

struct bound bound_of(const struct bound_input *input)
{
    return (struct bound){by_ports(input), by_nodes(input)};
}

double bound_ps(const struct bound *bound)
{
    return bound->by_ports_ps > bound->by_nodes_ps ? bound->by_ports_ps
                                                   : bound->by_nodes_ps;
}
