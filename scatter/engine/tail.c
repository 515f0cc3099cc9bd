/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/tail.h"

#include "scatter/engine/farm.h"
#include "scatter/engine/pattern.h"
#include "scatter/plan/fixed.h"
#include "torus/torus.h"

#include <stddef.h>

/* ---- the originator ---- */

/* Shares differ less than samples, by varies_ps / VARIES_PART. */
#define VARIES_PART 32u
#define RESERVE_MOST 30u   /* largest reserve, percent of the load */
#define RESERVE_UNKNOWN 5u /* reserve, percent, if there are no samples */
#define UNLIKELY_UNITS 2u  /* units planned per node if `unlikely` is set */

/* Returns the best reserve, percent of the load; 0 if no reserve helps. */
static uint32_t best_reserve(const struct scatter *scatter,
                             const struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    uint64_t compute_ps = originator->report.compute_ps;
    uint32_t nodes = originator->input.nodes;
    uint64_t load_ps = fixed_product(compute_ps, scatter->units) / nodes;
    uint64_t demands_ps = 4u * nodes * (uint64_t)scatter->costs->demand_ps;
    uint32_t percent = originator->known
                           ? RESERVE_UNKNOWN
                           : fixed_smaller(100u * originator->varies_ps /
                                               (VARIES_PART * compute_ps),
                                           RESERVE_MOST);

    return order->transfer_ps * order->unit_bytes * nodes >
                       TORUS_PORTS * compute_ps ||
                   load_ps / 100 * percent < demands_ps
               ? 0
               : percent;
}

uint32_t tail_reserve(const struct scatter *scatter,
                      const struct originator *originator)
{
    uint32_t percent = originator->order.reserve;

    if (percent == 0 || originator->alone) {
        return 0;
    }
    if (percent == WIRE_BEST && originator->unlikely) {
        /* Little is known of units' times: nearly all units are the reserve. */
        uint32_t planned = UNLIKELY_UNITS * originator->input.nodes;

        return scatter->units > 2 * planned ? scatter->units - planned : 0;
    }
    if (percent == WIRE_BEST) {
        percent = best_reserve(scatter, originator);
    }
    return (uint32_t)((uint64_t)scatter->units * percent / 100);
}

static unsigned layer_of(const struct scatter *scatter, uint32_t worker)
{
    const struct torus_coord origin = {0, 0};
    struct torus_coord away = torus_coord_of(scatter->size, worker + 1);

    return torus_role_of(scatter->size, origin, away).layer;
}

/* Sends the end, a chunk of no units, to waiting workers of state->layer. */
static int end_waiting(struct scatter *scatter, struct farm_state *state)
{
    int error = ERR_OK;

    for (uint32_t i = 0; error == ERR_OK && i < state->workers; ++i) {
        if (state->worker[i].waits && layer_of(scatter, i) == state->layer) {
            state->worker[i].waits = false;
            state->layer_left -= 1;
            error = farm_send_chunk(scatter, state, i);
        }
    }
    return error;
}

/* Workers end layer by layer: a result's circuit could block a chunk. */
static int end_by_layers(struct scatter *scatter, struct farm_state *state,
                         uint32_t worker)
{
    int error = ERR_OK;

    if (layer_of(scatter, worker) == state->layer) {
        error = end_waiting(scatter, state);
    }
    while (error == ERR_OK && state->layer_left == 0 && state->at_work > 0) {
        error = scatter_drain(scatter);
        state->layer_left = TORUS_PORTS;
        for (unsigned i = 0; i < state->layer; ++i) {
            state->layer_left *= 5;
        }
        state->layer += 1;
        if (error == ERR_OK) {
            error = end_waiting(scatter, state);
        }
    }
    return error;
}

/* The load is the last `units` units. `early_units` are computed first. */
static int open_farm(struct scatter *scatter, struct originator *originator,
                     uint32_t units, uint32_t early_units)
{
    struct plan_job input;
    struct farm_state *state;
    int error = farm_input_of(&input, scatter, originator, units,
                              torus_nodes(scatter->size));

    input.installment = 0;
    if (error == ERR_OK) {
        error = farm_open(scatter, &originator->farm, &input);
    }
    if (error != ERR_OK) {
        return error;
    }
    state = originator->farm;
    for (uint32_t i = 0; i < state->workers; ++i) {
        state->worker[i].waits = false;
        state->worker[i].path =
            torus_direct(scatter->size, torus_coord_of(scatter->size, i + 1));
    }
    state->at_work = state->workers;
    state->first_units = early_units;
    state->end = scatter_has_output(scatter) ? NULL : end_by_layers;
    state->layer = 1;
    state->layer_left = TORUS_PORTS;
    state->farm.growth = 1; /* chunks need not begin small: speeds are known */
    state->farm.last_units = (uint32_t)(state->farm.least >> 16);
    return ERR_OK;
}

int tail_plan(struct scatter *scatter, struct originator *originator,
              uint32_t reserve)
{
    struct rounds_plan *plan = &originator->plan;
    struct wire_report *report = &originator->report;
    uint32_t own_units = plan->share_units[0][0];
    uint64_t late_units = 2u * originator->input.nodes *
                          (uint64_t)scatter->costs->demand_ps /
                          report->compute_ps;

    plan->share_units[0][0] = 0;
    plan->volume_units[0][0] -= own_units;
    plan->round_units[0] -= own_units;
    report->layers = false;
    report->makespan_ps +=
        fixed_product(report->compute_ps, reserve) / originator->input.nodes;
    return open_farm(scatter, originator, own_units + reserve,
                     own_units > late_units ? own_units - (uint32_t)late_units
                                            : 0);
}

int tail_lead(struct scatter *scatter, struct originator *originator)
{
    struct farm_state *state = originator->farm;
    int error;

    policy_become(scatter, POLICY_TAIL);
    scatter_skip(scatter, scatter->units - state->farm.left);
    scatter->units = state->farm.left;
    error = farm_lead_served(scatter, originator);
    if (error != ERR_OK) {
        return error;
    }
    /* A node that the originator cannot reach may wait for its end for ever,
       and its parent, which can reach it, for the result. */
    scatter->wait_most_ps = farm_wait_most_ps(scatter);
    return scatter_has_output(scatter)
               ? farm_gather_workers(scatter, originator)
               : pattern_gather(scatter);
}

/* Returns a worker's number on the pattern (lost.h). */
static uint32_t number_of(const struct scatter *scatter, uint32_t worker)
{
    const struct torus_coord origin = {0, 0};
    struct torus_coord at = torus_coord_of(scatter->size, worker + 1);
    uint32_t number = 0;

    while (torus_index(scatter->size, at) != 0) {
        struct torus_role role = torus_role_of(scatter->size, origin, at);

        number += (role.port + 1u) * pattern_children(scatter, role.layer).step;
        at = role.parent;
    }
    return number;
}

int tail_lost(struct scatter *scatter, struct originator *originator,
              uint32_t number)
{
    const struct farm_state *state = originator->farm;
    uint32_t weight = 1;
    int error;

    if (scatter_has_output(scatter)) {
        error =
            pattern_lost_share(scatter, originator, number_of(scatter, number));
        return error == ERR_OK ? farm_lost(scatter, originator, number) : error;
    }
    while (number / weight % (TORUS_PORTS + 1u) == 0) {
        weight *= TORUS_PORTS + 1u;
    }
    for (uint32_t i = 0; i < state->workers; ++i) {
        if (number_of(scatter, i) / weight == number / weight) {
            error = farm_lost(scatter, originator, i);
            if (error != ERR_OK) {
                return error;
            }
        }
    }
    return pattern_lost(scatter, originator, number);
}

/* ---- the other nodes ---- */

static int join(struct scatter *scatter)
{
    const struct node_identity *identity = &scatter->circuit->node->identity;
    struct torus_size size = scatter->size;
    struct torus_coord away = {
        (uint16_t)((identity->x + size.width - identity->originator_x) %
                   size.width),
        (uint16_t)((identity->y + size.height - identity->originator_y) %
                   size.height)};

    return farm_join(scatter, (uint16_t)(torus_index(size, away) - 1),
                     torus_direct(size, away));
}

/* Returns how many units this node computes after it has asked for a chunk. */
static uint32_t kept_units(const struct scatter *scatter)
{
    const struct scatter_worker *worker = &scatter->worker;
    uint64_t demands_ps =
        2u * torus_nodes(scatter->size) * (uint64_t)scatter->costs->demand_ps;
    uint32_t share = scatter->split.share_units;

    if (worker->computed_units == 0) {
        return share;
    }
    return fixed_smaller(
        demands_ps / (worker->computed_ps / worker->computed_units + 1), share);
}

static int finish_rounds(struct scatter *scatter)
{
    uint32_t kept = kept_units(scatter);
    uint32_t first = scatter->split.share_units - kept;
    int error = ERR_OK;

    if (first > 0) {
        scatter->split.share_units = first;
        error = farm_compute(scatter);
        scatter_skip(scatter, first);
        scatter->split.share_units = kept;
    }
    if (error == ERR_OK) {
        error = join(scatter);
    }
    return error == ERR_OK ? farm_compute(scatter) : error;
}

int tail_receive(struct scatter *scatter)
{
    return scatter->round < scatter->job.rounds ? pattern_receive(scatter)
                                                : farm_receive(scatter);
}

int tail_compute(struct scatter *scatter)
{
    return scatter->round + 1u == scatter->job.rounds ? finish_rounds(scatter)
                                                      : farm_compute(scatter);
}

int tail_gather(struct scatter *scatter)
{
    return scatter_has_output(scatter) ? farm_gather(scatter)
                                       : pattern_gather(scatter);
}
