/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/model/tree.h"

#include "qemu/model/bound.h"
#include "qemu/support/memory.h"

#include <math.h>
#include <stdlib.h>

/* scale * s + offset, where s is the time left at some node. */
struct affine {
    double scale;
    double offset;
};

/* A node while the tree is solved. */
struct branch_model {
    struct affine load; /* W(s): what its subtree takes with s left */
    struct affine left; /* its own s, from its parent's */
};

static double at(struct affine function, double value)
{
    return function.scale * value + function.offset;
}

/* W of a node whose children's are known; those after `phases` get nothing. */
static void solve_node(struct branch_model models[],
                       const struct schedule_branch tree[], uint32_t node,
                       unsigned phases, const struct model_tree_costs *costs)
{
    struct affine ports[TORUS_PORTS] = {{1, 0}, {1, 0}, {1, 0}, {1, 0}};
    struct affine load = {1 / costs->compute_ps, 0};

    for (uint32_t child = node + 1; child < schedule_tree_next(tree, node);
         child = schedule_tree_next(tree, child)) {
        struct affine *port = &ports[tree[child].path.port];
        struct affine take = models[child].load;
        double slower = 1 + costs->transfer_ps * take.scale;

        if (tree[child].phase > phases) {
            continue;
        }
        port->scale /= slower;
        port->offset = (port->offset - costs->startup_ps -
                        costs->transfer_ps * take.offset) /
                       slower;
        models[child].left = *port;
        load.scale += take.scale * port->scale;
        load.offset += at(take, port->offset);
    }
    models[node].load = load;
}

/* The time left from the root down; false if somebody has none. */
static bool feasible(struct branch_model models[], double left[],
                     const struct schedule_branch tree[], unsigned phases,
                     double makespan_ps)
{
    left[0] = makespan_ps;
    for (uint32_t node = 0; node < tree[0].nodes; ++node) {
        if (tree[node].phase > phases) {
            node = schedule_tree_next(tree, node) - 1;
            continue;
        }
        if (left[node] < 0) {
            return false;
        }
        for (uint32_t child = node + 1; child < schedule_tree_next(tree, node);
             child = schedule_tree_next(tree, child)) {
            left[child] = at(models[child].left, left[node]);
        }
    }
    return true;
}

static bool solve(struct model_tree_plan *plan, struct branch_model models[],
                  double left[], const struct schedule_branch tree[],
                  const struct model_tree_costs *costs)
{
    for (uint32_t node = tree[0].nodes - 1u; node > 0; --node) {
        if (tree[node].phase <= plan->phases) {
            solve_node(models, tree, node, plan->phases, costs);
        }
    }
    solve_node(models, tree, 0, plan->phases, costs);
    plan->makespan_ps =
        (costs->load_units - models[0].load.offset) / models[0].load.scale;
    return feasible(models, left, tree, plan->phases, plan->makespan_ps);
}

static unsigned last_phase(const struct schedule_branch tree[])
{
    unsigned last = 0;

    for (uint32_t node = 0; node < tree[0].nodes; ++node) {
        last = tree[node].phase > last ? tree[node].phase : last;
    }
    return last;
}

/* A node in use works for as long as it has time left. */
static void share(struct model_tree_plan *plan, double share_units[],
                  const double left[], const struct schedule_branch tree[],
                  const struct model_tree_costs *costs)
{
    plan->nodes = 0;
    for (uint32_t node = 0; node < tree[0].nodes; ++node) {
        bool used = tree[node].phase <= plan->phases;

        plan->nodes += used;
        if (share_units != NULL) {
            share_units[node] = used ? left[node] / costs->compute_ps : 0;
        }
    }
}

void model_tree_plan(struct model_tree_plan *plan, double share_units[],
                     const struct schedule_branch tree[],
                     const struct model_tree_costs *costs)
{
    struct branch_model *models =
        memory_or_exit(malloc(tree[0].nodes * sizeof *models));
    double *left = memory_or_exit(malloc(tree[0].nodes * sizeof *left));

    plan->phases = last_phase(tree);
    while (!solve(plan, models, left, tree, costs)) {
        plan->phases -= 1;
    }
    share(plan, share_units, left, tree, costs);
    free(models);
    free(left);
}

/*
 * The makespan of `phases` phases that multiply the active nodes by `growth`,
 * the last one by `last`; negative if they are not feasible. W is the load of
 * a node and all that it activates from some phase on.
 */
static double even_makespan(unsigned phases, double growth, double last,
                            const struct model_tree_costs *costs)
{
    struct affine load = {1 / costs->compute_ps, 0};
    struct affine left = {1, 0}; /* behind the last phase, from before */
    double makespan_ps;

    for (unsigned phase = phases; phase > 0; --phase) {
        double times = phase == phases ? last : growth;
        double slower = 1 + costs->transfer_ps * load.scale;
        double offset =
            -(costs->startup_ps + costs->transfer_ps * load.offset) / slower;

        /* It computes during the phase; then all have the same time left. */
        load.offset = times * (load.offset + load.scale * offset) -
                      offset / costs->compute_ps;
        load.scale =
            times * load.scale / slower + (1 - 1 / slower) / costs->compute_ps;
        left.offset += left.scale * offset;
        left.scale /= slower;
    }
    makespan_ps = (costs->load_units - load.offset) / load.scale;
    return at(left, makespan_ps) < 0 ? -1 : makespan_ps;
}

double model_tree_even(struct torus_size size,
                       const struct model_tree_costs *costs)
{
    double growth = 1 + schedule_ports(size);
    double nodes = torus_nodes(size);
    double active = 1;
    double best = costs->load_units * costs->compute_ps;

    for (unsigned phases = 1; active < nodes; ++phases) {
        double makespan_ps =
            even_makespan(phases, growth, fmin(growth, nodes / active), costs);

        if (makespan_ps < 0) {
            break;
        }
        best = makespan_ps;
        active *= growth;
    }
    return best;
}

double model_tree_bound(struct torus_size size,
                        const struct model_tree_costs *costs)
{
    struct bound_input input = {.load_units = costs->load_units,
                                .compute_ps = costs->compute_ps,
                                .transfer_ps = costs->transfer_ps,
                                .startup_ps = costs->startup_ps,
                                .speed = torus_nodes(size),
                                .ports = schedule_ports(size)};
    struct bound bound = bound_of(&input);

    return fmin(bound_ps(&bound), costs->load_units * costs->compute_ps);
}
