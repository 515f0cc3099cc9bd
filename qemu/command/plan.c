/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/plan.h"

#include "qemu/command/plan_print.h"
#include "qemu/model/meanwhile.h"
#include "qemu/model/member_rounds.h"
#include "qemu/model/member_similar.h"
#include "qemu/options/plan.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct planned {
    struct model_plan plan;
    struct model_detail detail;
    struct model_similar similar; /* with --rounds; else of none */
    struct model_node *nodes;     /* NULL without --per-node */
    uint64_t collect_ps; /* of several rounds with --results, after the makespan
                          */
    bool meanwhile;      /* results return while later rounds are computed */
};

static struct model_torus torus_of(const struct plan_options *options)
{
    uint16_t side = (uint16_t)options->side;

    return (struct model_torus){
        .size = {side, side},
        .originator = {(uint16_t)options->x, (uint16_t)options->y}};
}

/* Plans several rounds where nodes differ, by --node-compute (then `torus`) or
   by --ports. */
static int solve_members(struct planned *planned,
                         const struct model_input *input,
                         const struct model_torus *torus,
                         const struct plan_options *options)
{
    struct model_members members;
    int error;

    model_members_make(&members, input, torus, (unsigned)options->ports);
    error = model_plan_member_rounds(&planned->plan, &planned->detail, &members,
                                     (unsigned)options->rounds);
    if (error == ERR_OK) {
        model_similar_members(&planned->similar, &members,
                              (unsigned)options->rounds);
    }
    model_members_free(&members);
    return error;
}

/* Plans with --node-compute. Result: the solver's error, or an exit status. */
static int solve_nodes(struct planned *planned, const struct model_input *input,
                       const struct plan_options *options)
{
    struct model_torus torus = torus_of(options);
    int result = 0;
    uint64_t *compute_ps = plan_options_nodes(&result, options);

    if (compute_ps != NULL) {
        torus.compute_ps = compute_ps;
        result = options->rounds == 1
                     ? model_plan_nodes(&planned->plan, &planned->detail, input,
                                        &torus)
                     : solve_members(planned, input, &torus, options);
        free(compute_ps);
    }
    return result;
}

/* Time in which results come back when all is computed, phase by phase, as long
   as those of all rounds take, to the nearest picosecond. */
static uint64_t collect_ps(const struct model_plan *plan,
                           const struct model_input *input)
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

/* Takes rounds whose results return meanwhile, if that is earlier than all that
   was planned, if anything. */
static int solve_meanwhile(struct planned *planned,
                           const struct model_input *input, unsigned rounds,
                           int error)
{
    uint64_t time_ps = MODEL_TIME_MAX_PS;
    struct model_detail detail;

    if (error == ERR_OK) {
        time_ps = planned->plan.makespan_ps + planned->collect_ps;
    }
    if (rounds == 1 || model_plan_meanwhile(&planned->plan, &detail, &time_ps,
                                            input, rounds) != ERR_OK) {
        return error;
    }
    model_detail_free(&planned->detail);
    planned->detail = detail;
    planned->collect_ps = 0;
    planned->meanwhile = true;
    return ERR_OK;
}

/*
 * Several rounds with results that return when all is computed. If the number
 * of rounds is free, one round, in which layers that are done return theirs
 * while others compute, is taken where it ends earlier.
 */
static int solve_collected(struct planned *planned,
                           const struct model_input *input, unsigned rounds)
{
    struct model_input without = *input;
    struct model_plan *plan = &planned->plan;
    struct model_plan one;
    int error;

    without.results_numerator = 0;
    without.results_denominator = 0;
    error = model_plan_rounds(plan, &planned->detail, &without, rounds);
    if (error == ERR_OK && plan->rounds > 1) {
        planned->collect_ps = collect_ps(plan, input);
    }
    if ((rounds == 0 || plan->rounds <= 1) &&
        model_plan(&one, input) == ERR_OK &&
        (error != ERR_OK || plan->rounds <= 1 ||
         one.makespan_ps <= plan->makespan_ps + planned->collect_ps)) {
        if (error == ERR_OK) {
            model_detail_free(&planned->detail);
        }
        planned->detail = (struct model_detail){.part = NULL};
        planned->collect_ps = 0;
        *plan = one;
        return ERR_OK;
    }
    return error;
}

/* Several rounds with results, as boards carry them out. */
static int solve_results(struct planned *planned,
                         const struct model_input *input, unsigned rounds)
{
    int error = solve_collected(planned, input, rounds);

    return error == ERR_OK || error == ERR_PHASES
               ? solve_meanwhile(planned, input, rounds, error)
               : error;
}

/* Plans by the model that the options ask for. Result: the solver's error, or
   an exit status after a message. */
static int solve(struct planned *planned, const struct model_input *input,
                 const struct plan_options *options)
{
    struct model_plan *plan = &planned->plan;

    if (plan_given(options, PLAN_NODE_COMPUTE)) {
        return solve_nodes(planned, input, options);
    }
    if (options->rounds != 1 && options->ports != TORUS_PORTS) {
        return solve_members(planned, input, NULL, options);
    }
    if (options->rounds != 1 && input->results_denominator > 0) {
        return solve_results(planned, input, (unsigned)options->rounds);
    }
    if (options->rounds != 1) {
        model_similar(&planned->similar, input, (unsigned)options->rounds);
        return model_plan_rounds(plan, &planned->detail, input,
                                 (unsigned)options->rounds);
    }
    if (options->ports != TORUS_PORTS) {
        return model_plan_ports(plan, &planned->detail, input,
                                (unsigned)options->ports);
    }
    if (plan_given(options, PLAN_LAYER_COMPUTE)) {
        return model_plan_layers(plan, input, options->layer_compute_ps);
    }
    if (plan_given(options, PLAN_COMPUTE_POWER)) {
        return model_plan_power(plan, input, options->power_numerator,
                                options->power_denominator);
    }
    return model_plan(plan, input);
}

/* Prints which of --rounds and --phases is infeasible, and what is feasible. */
static void print_infeasible(const struct model_plan *plan,
                             const struct model_input *input,
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

/* Result: the exit status. */
static int compute_plan(struct planned *planned,
                        const struct plan_options *options)
{
    struct model_input input;
    int status = plan_options_input(&input, options);

    if (status != 0) {
        return status;
    }
    status = solve(planned, &input, options);
    switch (status) {
    case ERR_OK:
    case EXIT_FAILED:
    case EXIT_USAGE:
        return status;
    case ERR_PHASES:
        print_infeasible(&planned->plan, &input, options);
        return EXIT_USAGE;
    default:
        fputs("quincunx: the makespan must be below 2^63 ps (106 days): a "
              "smaller --load or --compute is needed\n",
              stderr);
        return EXIT_USAGE;
    }
}

/* Computes all nodes' shares. Result: the exit status. */
static int compute_nodes(struct planned *planned,
                         const struct plan_options *options)
{
    struct model_torus torus = torus_of(options);

    if (options->ports != TORUS_PORTS && planned->detail.part == NULL) {
        fprintf(stderr,
                "quincunx: --per-node and --ports '%" PRIu64 "': more than %u "
                "different shares with %u phases: fewer --phases are needed\n",
                options->ports, MODEL_GROUPS_MAX, planned->plan.phases);
        return EXIT_USAGE;
    }
    planned->nodes = memory_or_exit(
        malloc(torus_nodes(torus.size) * sizeof *planned->nodes));
    model_spread(planned->nodes, &planned->plan, &planned->detail,
                 options->load_units, torus.size, torus.originator);
    return 0;
}

int plan_command(int argc, char **argv)
{
    struct plan_options options;
    struct planned planned = {
        .similar = {.rounds = 0}, .nodes = NULL, .collect_ps = 0};
    struct plan_returns returns;
    int status = plan_options_parse(&options, argc, argv);

    if (status == 0) {
        status = compute_plan(&planned, &options);
    }
    if (status == 0 && plan_given(&options, PLAN_PER_NODE)) {
        status = compute_nodes(&planned, &options);
    }
    returns = (struct plan_returns){.after_ps = planned.collect_ps,
                                    .meanwhile = planned.meanwhile};
    if (status == 0 && plan_given(&options, PLAN_JSON)) {
        status =
            plan_print_json(&planned.plan, &planned.detail, &planned.similar,
                            planned.nodes, &returns, &options);
    } else if (status == 0) {
        plan_print_table(&planned.plan, &planned.similar, planned.nodes,
                         &returns, &options);
    }
    free(planned.nodes);
    model_detail_free(&planned.detail);
    return status;
}
