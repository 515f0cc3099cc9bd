/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/plan_solve.h"

#include "qemu/theory/meanwhile.h"
#include "qemu/theory/members.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct theory_torus plan_torus(const struct plan_options *options)
{
    uint16_t side = (uint16_t)options->side;

    return (struct theory_torus){
        .size = {side, side},
        .originator = {(uint16_t)options->x, (uint16_t)options->y}};
}

uint64_t plan_results_ps(const struct plan_solved *solved)
{
    return solved->plan.makespan_ps + solved->collect_ps;
}

/* ---- several rounds ---- */

/* Times of two solvers differ by less than this where they are the same. */
static uint64_t nearest_ps(uint64_t time_ps)
{
    return time_ps / 1000000000000 + 1;
}

/* The largest number of rounds below one for which nothing is feasible. */
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

/* Takes the similar rounds that were found, instead of the plan if there is
   one. */
static int take_similar(struct plan_solved *solved,
                        const struct theory_members *members, bool planned)
{
    struct theory_plan *plan = &solved->plan;
    uint8_t phases_feasible = plan->phases_feasible;
    int error;

    if (planned) {
        solved->equations_ps = plan->makespan_ps;
        solved->equations_phases = plan->phases;
        solved->equations_rounds = plan->rounds;
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

/*
 * Plans one round, or several: the best of the rounds in which no node is ever
 * idle. Of layers similar rounds are taken if they are earlier: where startups
 * are long against the load, the equations have a volume of less than nothing,
 * and with it no plan.
 */
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

/* Plans layers that compute a unit in compute_ps[], or all in the input's time
   if it is NULL; fewer ports only in one round. */
static int solve_layers(struct plan_solved *solved,
                        const struct theory_input *input,
                        const uint64_t compute_ps[], unsigned ports,
                        unsigned rounds)
{
    struct theory_members members;
    int error;

    theory_members_layers(&members, input, compute_ps, ports);
    error = solve_rounds(solved, &members, rounds);
    theory_members_free(&members);
    return error;
}

/* Plans where nodes of a layer differ: by --node-compute, or by several rounds
   with --ports. Result: the solver's error, or an exit status. */
static int solve_nodes(struct plan_solved *solved,
                       const struct theory_input *input,
                       const struct plan_options *options)
{
    bool alike = options->node_compute == NULL;
    struct theory_torus torus = plan_torus(options);
    struct theory_members members;
    uint64_t *compute_ps = NULL;
    int result = 0;

    if (!alike) {
        compute_ps = plan_options_nodes(&result, options);
        if (compute_ps == NULL) {
            return result;
        }
        torus.compute_ps = compute_ps;
    }
    theory_members_make(&members, input, alike ? NULL : &torus,
                        (unsigned)options->ports);
    result = solve_rounds(solved, &members, (unsigned)options->rounds);
    theory_members_free(&members);
    free(compute_ps);
    return result;
}

/* ---- results ---- */

/* Time in which results come back when all is computed, phase by phase, as long
   as those of all rounds take, to the nearest picosecond. */
static uint64_t collect_ps(const struct theory_plan *plan,
                           const struct theory_input *input)
{
    double sum_ps = 0;

    for (unsigned phase = 1; phase <= plan->phases; ++phase) {
        double stages =
            input->stages[phase - 1] > 0 ? input->stages[phase - 1] : 1;

        sum_ps += (double)input->startup_ps[phase - 1] * stages +
                  (double)input->transfer_ps * stages *
                      plan->volume_units[phase] * input->results_numerator /
                      input->results_denominator;
    }
    return (uint64_t)(sum_ps + 0.5);
}

/* Several rounds whose results return when all is computed. */
static int solve_collected(struct plan_solved *solved,
                           const struct theory_input *input, unsigned rounds)
{
    struct theory_input without = *input;
    int error;

    without.results_numerator = 0;
    without.results_denominator = 0;
    error = solve_layers(solved, &without, NULL, TORUS_PORTS, rounds);
    if (error == ERR_OK) {
        solved->collect_ps = collect_ps(&solved->plan, input);
    }
    if (!solved->is_similar) {
        solved->similar.rounds = 0;
    }
    return error;
}

/* Takes rounds whose results return meanwhile, if that is earlier than what was
   planned, if anything. */
static int solve_meanwhile(struct plan_solved *solved,
                           const struct theory_input *input, unsigned rounds,
                           int error)
{
    uint64_t time_ps =
        error == ERR_OK ? plan_results_ps(solved) : THEORY_TIME_MAX_PS;
    struct theory_detail detail;

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

/* A number of rounds with results, as boards carry them out; in one round
   layers that are done return theirs while others compute. */
static int solve_results(struct plan_solved *solved,
                         const struct theory_input *input, unsigned rounds)
{
    int error;

    *solved = (struct plan_solved){.meanwhile = rounds == 1};
    if (rounds == 1) {
        return solve_layers(solved, input, NULL, TORUS_PORTS, 1);
    }
    error = solve_collected(solved, input, rounds);
    return error == ERR_OK || error == ERR_PHASES
               ? solve_meanwhile(solved, input, rounds, error)
               : error;
}

/* The number of rounds whose results are back first; ties go to fewer. */
static int solve_best_results(struct plan_solved *solved,
                              const struct theory_input *input)
{
    int error = solve_results(solved, input, 1);

    for (unsigned rounds = 2; rounds <= THEORY_ROUNDS_AUTO_MAX; ++rounds) {
        struct plan_solved other;

        if (solve_results(&other, input, rounds) != ERR_OK) {
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
        theory_meanwhile_limit(input, THEORY_ROUNDS_AUTO_MAX);
    return error;
}

/* Plans by the model that the options ask for. Result: the solver's error, or
   an exit status after a message. */
static int solve(struct plan_solved *solved, const struct theory_input *input,
                 const struct plan_options *options)
{
    unsigned rounds = (unsigned)options->rounds;
    bool results = input->results_denominator > 0;

    if (options->node_compute != NULL ||
        (options->ports != TORUS_PORTS && rounds != 1)) {
        return solve_nodes(solved, input, options);
    }
    if (results && rounds != 1) {
        return rounds == 0 ? solve_best_results(solved, input)
                           : solve_results(solved, input, rounds);
    }
    solved->meanwhile = results;
    if (plan_given(options, PLAN_COMPUTE_POWER)) {
        return theory_plan_power(&solved->plan, &solved->detail, input,
                                 options->power_numerator,
                                 options->power_denominator);
    }
    return solve_layers(solved, input,
                        plan_given(options, PLAN_LAYER_COMPUTE)
                            ? options->layer_compute_ps
                            : NULL,
                        (unsigned)options->ports, rounds);
}

/* Prints which of --rounds and --phases is infeasible, and what is feasible. */
static void print_infeasible(const struct theory_plan *plan,
                             const struct theory_input *input,
                             const struct plan_options *options)
{
    if (options->rounds > 1 && plan->rounds_feasible > 0) {
        fprintf(stderr, "quincunx: --rounds '%" PRIu64 "': infeasible",
                options->rounds);
        if (input->phases_fixed) {
            fprintf(stderr, " with %" PRIu64 " phases", options->phases);
        }
        fprintf(stderr, ": the largest feasible R is %u\n",
                plan->rounds_feasible);
        return;
    }
    fprintf(stderr,
            "quincunx: --phases '%" PRIu64 "': infeasible: the largest "
            "feasible N is %u (this torus has %u phases)\n",
            options->phases, plan->phases_feasible, input->phases_max);
}

int plan_solve(struct plan_solved *solved, const struct plan_options *options)
{
    struct theory_input input;
    int status = plan_options_input(&input, options);

    *solved = (struct plan_solved){.meanwhile = false};
    if (status != 0) {
        return status;
    }
    status = solve(solved, &input, options);
    switch (status) {
    case ERR_OK:
    case EXIT_FAILED:
    case EXIT_USAGE:
        return status;
    case ERR_PHASES:
        print_infeasible(&solved->plan, &input, options);
        return EXIT_USAGE;
    default:
        return usage_error("the makespan must be below 2^63 ps (106 days): a "
                           "smaller --load or --compute is needed");
    }
}
