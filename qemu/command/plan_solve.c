/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/plan_options.h"

#include "qemu/theory/meanwhile.h"
#include "qemu/theory/flow.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t plan_results_ps(const struct plan_solved *solved)
{
    return solved->plan.makespan_ps + solved->collect_ps;
}

/* ---- several rounds ---- */

/* Returns by how much the times of two equal plans may differ by rounding,
   ps. */
static uint64_t nearest_ps(uint64_t time_ps)
{
    return time_ps / 1000000000000 + 1;
}

/* Sets .rounds_feasible to the largest number of similar rounds below `rounds`
   for which there is a plan. */
static void find_feasible(struct plan_solved *solved,
                          const struct theory_members *members, unsigned rounds)
{
    struct theory_similar similar;

    for (unsigned r = rounds; --r > solved->plan.rounds_feasible;) {
        theory_similar(&similar, members, r);
        if (similar.rounds > 0) {
            solved->plan.rounds_feasible = (uint8_t)r;
        }
    }
}

/* Makes the plan of similar rounds the plan. If there was a plan (`planned`),
   it moves to .equations. */
static int take_similar(struct plan_solved *solved,
                        const struct theory_members *members, bool planned)
{
    struct theory_plan *plan = &solved->plan;
    uint8_t phases_feasible = plan->phases_feasible;
    int error;

    if (planned) {
        solved->equations = *plan;
        theory_detail_free(&solved->detail);
    }
    solved->is_similar = true;
    error =
        theory_plan_similar(plan, &solved->detail, members, &solved->similar);
    if (phases_feasible > plan->phases_feasible) {
        plan->phases_feasible = phases_feasible;
    }
    return error;
}

/* Plans one round, or several rounds in which no node idles. With long startups
   and small loads, several rounds may have no such plan. If so, or if similar
   rounds (qemu/theory/similar.h) end earlier, similar rounds are taken; but
   only if members are layers. */
static int solve_rounds(struct plan_solved *solved,
                        const struct theory_members *members, unsigned rounds)
{
    const struct theory_plan *plan = &solved->plan;
    const struct theory_similar *similar = &solved->similar;
    int error =
        theory_plan_members(&solved->plan, &solved->detail, members, rounds);
    bool take = error == ERR_PHASES && members->layers;

    if (rounds == 1 || (error != ERR_OK && !take)) {
        return error;
    }
    theory_similar(&solved->similar, members, rounds);
    if (take && similar->rounds == 0 && rounds > 1) {
        find_feasible(solved, members, rounds);
    }
    take = take || (members->layers &&
                    similar->makespan_ps + nearest_ps(plan->makespan_ps) <
                        plan->makespan_ps);
    return take && similar->rounds > 1
               ? take_similar(solved, members, error == ERR_OK)
               : error;
}

/* Plans `rounds` rounds layer by layer; or node by node if nodes of a layer
   differ, which they do with --node-compute, or with several rounds and
   --ports. Returns the solver's error, or an exit status. */
static int solve_members(struct plan_solved *solved,
                         const struct theory_input *input,
                         const struct plan_options *options, unsigned rounds)
{
    struct theory_torus torus = options->torus;
    unsigned ports = (unsigned)options->ports;
    bool alike = options->node_compute == NULL;
    uint64_t *compute_ps = alike ? NULL : plan_read_nodes(options);
    struct theory_members members;
    int error;

    if (!alike && compute_ps == NULL) {
        return EXIT_USAGE;
    }
    if (!alike || (ports != TORUS_PORTS && rounds != 1)) {
        torus.compute_ps = compute_ps;
        theory_members_make(&members, input, alike ? NULL : &torus, ports);
    } else {
        theory_members_layers(&members, input,
                              plan_given(options, PLAN_LAYER_COMPUTE)
                                  ? options->layer_compute_ps
                                  : NULL,
                              ports);
    }
    error = solve_rounds(solved, &members, rounds);
    theory_members_free(&members);
    free(compute_ps);
    return error;
}

/* ---- results ---- */

/* Returns how long the results of all rounds take to return, phase by phase,
   after all units are computed, ps. */
static uint64_t collect_ps(const struct theory_plan *plan,
                           const struct theory_input *input)
{
    double sum_ps = 0;

    for (unsigned phase = 1; phase <= plan->phases; ++phase) {
        double stages =
            input->stages[phase - 1] > 0 ? input->stages[phase - 1] : 1;

        sum_ps += (double)input->startup_ps[phase - 1] * stages +
                  (double)input->transfer_ps * stages *
                      plan->layer[phase].volume_units *
                      input->results_numerator / input->results_denominator;
    }
    return (uint64_t)(sum_ps + 0.5);
}

static int solve_collected(struct plan_solved *solved,
                           const struct plan_options *options, unsigned rounds)
{
    struct theory_input without = options->input;
    int error;

    without.results_numerator = 0;
    without.results_denominator = 0;
    error = solve_members(solved, &without, options, rounds);
    if (error == ERR_OK) {
        solved->collect_ps = collect_ps(&solved->plan, &options->input);
    }
    if (!solved->is_similar) {
        solved->similar.rounds = 0;
    }
    return error;
}

/* Plans `rounds` rounds with results. In a single round, layers that are done
   return results while others compute. With several rounds, results return
   during later rounds, if that ends earlier than returning all of them at the
   end. */
static int solve_results(struct plan_solved *solved,
                         const struct plan_options *options, unsigned rounds)
{
    const struct theory_input *input = &options->input;
    uint64_t time_ps = THEORY_TIME_MAX_PS;
    struct theory_detail detail;
    int error;

    *solved = (struct plan_solved){.meanwhile = rounds == 1};
    if (rounds == 1) {
        return solve_members(solved, input, options, 1);
    }
    error = solve_collected(solved, options, rounds);
    if (error == ERR_OK) {
        time_ps = plan_results_ps(solved);
    } else if (error != ERR_PHASES) {
        return error;
    }
    solved->meanwhile_limit = theory_meanwhile_limit(input, rounds);
    if (theory_plan_meanwhile(&solved->plan, &detail, &time_ps, input,
                              rounds) != ERR_OK) {
        return error;
    }
    theory_detail_free(&solved->detail);
    *solved = (struct plan_solved){
        .plan = solved->plan, .detail = detail, .meanwhile = true};
    return ERR_OK;
}

/* Plans with the number of rounds whose results are back first; of equal plans,
   with the fewest rounds. */
static int solve_best_results(struct plan_solved *solved,
                              const struct plan_options *options)
{
    int error = solve_results(solved, options, 1);

    for (unsigned rounds = 2; rounds <= THEORY_ROUNDS_AUTO_MAX; ++rounds) {
        struct plan_solved other;

        if (solve_results(&other, options, rounds) != ERR_OK) {
            continue;
        }
        if (error == ERR_OK &&
            plan_results_ps(&other) >= plan_results_ps(solved)) {
            theory_detail_free(&other.detail);
            continue;
        }
        theory_detail_free(&solved->detail);
        *solved = other;
        error = ERR_OK;
    }
    solved->meanwhile_limit =
        theory_meanwhile_limit(&options->input, THEORY_ROUNDS_AUTO_MAX);
    return error;
}

static int solve(struct plan_solved *solved, const struct plan_options *options)
{
    const struct theory_input *input = &options->input;
    unsigned rounds = (unsigned)options->rounds;

    if (input->results_denominator > 0 && rounds == 0) {
        return solve_best_results(solved, options);
    }
    if (plan_given(options, PLAN_COMPUTE_POWER)) {
        solved->meanwhile = input->results_denominator > 0;
        return theory_plan_power(&solved->plan, &solved->detail, input,
                                 options->power_numerator,
                                 options->power_denominator);
    }
    return input->results_denominator > 0
               ? solve_results(solved, options, rounds)
               : solve_members(solved, input, options, rounds);
}

static int print_infeasible(const struct theory_plan *plan,
                            const struct plan_options *options)
{
    const struct theory_input *input = &options->input;
    char with[40] = "";

    if (options->rounds > 1 && plan->rounds_feasible > 0) {
        if (input->phases_fixed) {
            snprintf(with, sizeof with, " with %" PRIu64 " phases",
                     options->phases);
        }
        return usage_error("--rounds '%" PRIu64 "': infeasible%s: the largest "
                           "feasible R is %u",
                           options->rounds, with, plan->rounds_feasible);
    }
    return usage_error("--phases '%" PRIu64 "': infeasible: the largest "
                       "feasible N is %u (this torus has %u phases)",
                       options->phases, plan->phases_feasible,
                       input->phases_max);
}

int plan_solve(struct plan_solved *solved, const struct plan_options *options)
{
    int status;

    *solved = (struct plan_solved){.meanwhile = false};
    status = solve(solved, options);
    switch (status) {
    case ERR_OK:
    case EXIT_USAGE:
        return status;
    case ERR_PHASES:
        return print_infeasible(&solved->plan, options);
    default:
        return usage_error("the makespan must be below 2^63 ps (106 days): a "
                           "smaller --load or --compute is needed");
    }
}
