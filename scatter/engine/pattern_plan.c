/* SPDX-License-Identifier: Apache-2.0 */
/* The originator's plan for the pattern: how many phases and rounds, and how
   many units each layer gets in each. */
#include "scatter/engine/pattern_plan.h"

#include "scatter/engine/advance.h"
#include "scatter/engine/measure.h"
#include "scatter/engine/pattern.h"
#include "scatter/engine/slots.h"
#include "scatter/engine/tail.h"
#include "scatter/plan/fixed.h"
#include "scatter/plan/meanwhile.h"

/* Whether the plan counts the way back of outputs. */
static bool counts_returns(const struct originator *originator)
{
    return originator->input.results_denominator != 0;
}

/*
 * Makes the startups those of a plan of one round, where they lie: copying the
 * input takes as long as a third of the plan. Startup i is the time from when
 * layer i - 1 begins to compute until layer i does, but for the transfer of
 * units. The software of a hop is what is left of it when the part is whole, as
 * the switch hands its head over first; layer i is taken to have a little less
 * than a 5^i-th of the load. That the ports may still be busy with the
 * announcement is part of phase 1's, the return of outputs of every phase's.
 * The kernel's begin() is none: nodes call it when the job is announced.
 */
static void set_one_round(const struct scatter *scatter,
                          struct originator *originator)
{
    const struct scatter_costs *costs = scatter->costs;
    struct plan_job *input = &originator->input;
    uint32_t units = input->load_units;
    uint64_t sends_ps = costs->first_send_ps + originator->input.wait_ps;
    uint64_t starts_ps =
        fixed_difference((uint64_t)costs->first_send_ps + costs->own_start_ps,
                         costs->kernel_start_ps);

    for (unsigned i = 0; i < input->phases; ++i) {
        uint64_t software_ps = startups_hop_ps(scatter, i + 1, input->phases);
        uint64_t hop_ps = input->startup_ps[i] - software_ps + sends_ps;
        uint64_t before_ps = starts_ps;
        uint64_t arrives_ps;

        units /= 5;
        arrives_ps = input->transfer_ps * (units - units / 16);
        sends_ps = software_ps;
        starts_ps =
            fixed_difference(software_ps + costs->first_start_ps, arrives_ps);
        originator->hop_ps[i + 1] = hop_ps;
        input->startup_ps[i] = fixed_difference(hop_ps + starts_ps, before_ps);
        if (counts_returns(originator)) {
            input->startup_ps[i] +=
                slots_return_ps(scatter, originator, i + 1, 0);
        }
    }
}

/* Sets when each layer is planned to have received its first volume. */
static void plan_receipts(const struct scatter *scatter,
                          struct originator *originator)
{
    uint64_t *received_ps = originator->report.received_ps;

    received_ps[0] = 0;
    for (unsigned phase = 1; phase <= originator->plan.phases; ++phase) {
        received_ps[phase] =
            received_ps[phase - 1] +
            (originator->plan.rounds == 1
                 ? originator->hop_ps[phase]
                 : startups_step_ps(scatter, originator, phase)) +
            originator->input.transfer_ps *
                originator->plan.volume_units[0][phase];
    }
}

/*
 * When the last node ends in one round if every share is rounded up to whole
 * units: with many units the makespan and one unit's time; with few it shows
 * that a circuit for one unit does not pay.
 */
static uint64_t whole_units_ps(const struct originator *originator,
                               const struct planner_plan *one)
{
    uint64_t compute_ps = originator->input.compute_ps;
    uint64_t received_ps = 0;
    uint64_t last_ps = one->makespan_ps;

    for (unsigned i = 0; one->phases > 0 && i <= one->phases; ++i) {
        uint64_t end_ps;

        if (i > 0) {
            received_ps +=
                originator->hop_ps[i] +
                originator->input.transfer_ps * (one->volume_units[i] + 1ull);
        }
        end_ps = received_ps + compute_ps * (one->share_units[i] + 1ull);
        last_ps = end_ps > last_ps ? end_ps : last_ps;
    }
    return last_ps;
}

/* Numbers of phases and rounds, and the makespan that they give. */
struct choice {
    uint64_t makespan_ps; /* with the originator's own queueing */
    uint8_t phases;
    uint8_t rounds;
    bool meanwhile; /* outputs of several rounds return meanwhile */
    bool is_input; /* of one round: the startups are set_one_round()'s for it */
};

/*
 * Time that the return of all outputs takes after the makespan with more rounds
 * than one (with one the startups count it). Layer i is taken to have a 5^i-th
 * of the load: it has no more, as a volume is at least four times the next.
 */
static uint64_t returns_ps(const struct scatter *scatter,
                           const struct originator *originator, unsigned phases)
{
    uint32_t units = originator->input.load_units;
    uint64_t total_ps = 0;

    for (unsigned phase = 1; counts_returns(originator) && phase <= phases;
         ++phase) {
        units /= 5;
        total_ps += slots_return_ps(scatter, originator, phase, units);
    }
    return total_ps;
}

/* Time that a round costs the originator. */
static uint64_t round_ps(const struct scatter *scatter, unsigned phases)
{
    return scatter->costs->round_overhead_ps +
           (phases > 0 ? (uint64_t)scatter->costs->queue_ps : 0);
}

/* A makespan that one phase less than in this plan of one round can't better:
   its children's volumes are then the originator's and their parents'. */
static uint64_t shallower_ps(const struct scatter *scatter,
                             const struct originator *originator,
                             const struct planner_plan *one)
{
    const struct plan_job *input = &originator->input;
    uint64_t headers_ps =
        one->phases * originator->order.transfer_ps * (2 * sizeof(uint32_t));
    uint64_t gain_ps = 4 * input->compute_ps * one->volume_units[one->phases];
    uint64_t least_ps =
        one->makespan_ps + gain_ps + round_ps(scatter, one->phases - 1u);

    return fixed_difference(least_ps, headers_ps);
}

/* Makes the plan of one round the best choice if it is. */
static bool keep_one(const struct scatter *scatter,
                     struct originator *originator, struct choice *best,
                     const struct planner_plan *one)
{
    uint64_t makespan_ps =
        whole_units_ps(originator, one) + round_ps(scatter, one->phases);

    /* Behind an advance every node needs a part: it brings the job. */
    best->is_input =
        makespan_ps < best->makespan_ps &&
        (!originator->report.advance || one->volume_units[one->phases] > 0);
    if (!best->is_input) {
        return false;
    }
    best->phases = one->phases;
    best->rounds = 1;
    best->makespan_ps = makespan_ps;
    rounds_of_one(&originator->plan, one, originator->input.load_units);
    return true;
}

/*
 * The best number of phases for one round, up to `phases` or exactly that, and
 * its plan. Fewer phases than the planner calls feasible are better where units
 * are few: each is planned until one more would be no better.
 */
static int choose_one(const struct scatter *scatter,
                      struct originator *originator, struct choice *best,
                      unsigned phases, bool fixed)
{
    struct planner_plan one;
    bool more = true;

    while (more) {
        int error;

        startups_set(scatter, originator, phases);
        set_one_round(scatter, originator);
        best->is_input = false;
        error = planner_plan(&one, &originator->input);
        if (error != ERR_OK) {
            return error;
        }
        if (best->makespan_ps == UINT64_MAX) {
            originator->report.phases_feasible = one.phases;
        }
        if (one.phases < phases && fixed) {
            return ERR_PHASES;
        }
        if (one.phases < phases) {
            /* With shorter headers one phase more may be feasible. */
            phases = one.phases + 1u < phases ? one.phases + 1u : one.phases;
            continue;
        }
        more = keep_one(scatter, originator, best, &one) && phases > 0 &&
               !fixed &&
               best->makespan_ps > shallower_ps(scatter, originator, &one);
        phases -= more;
    }
    return ERR_OK;
}

/* Sets what rounds cost nodes and the originator. */
static void set_rounds(const struct scatter *scatter,
                       struct originator *originator)
{
    const struct scatter_costs *costs = scatter->costs;
    struct plan_job *input = &originator->input;

    input->queue_ps = costs->queue_ps;
    input->round_ps = (uint64_t)costs->round_start_ps + costs->round_end_ps +
                      originator->report.call_ps;
    /* A number that was asked for may have later rounds wait for merges; else
       many would be infeasible. */
    input->merge_ps =
        originator->order.rounds == WIRE_BEST ? scatter_merge_ps(scatter) : 0;
    input->begin_ps =
        fixed_difference(costs->first_start_ps, costs->round_start_ps);
    input->overhead_ps = costs->round_overhead_ps;
    input->gain_ps = costs->try_rounds_ps;
}

/* Plans so many rounds, or the best number, if they take less than *time_ps,
   which it is then. */
static int plan_rounds(const struct scatter *scatter,
                       struct originator *originator, uint8_t rounds,
                       uint64_t *time_ps)
{
    uint8_t most = scatter->costs->rounds_most;

    if (rounds != WIRE_BEST) {
        return rounds_plan(&originator->plan, time_ps, &originator->input,
                           rounds, rounds);
    }
    if (originator->report.advance) {
        most = originator->advance.rounds;
    }
    return rounds_plan(&originator->plan, time_ps, &originator->input, 2,
                       most > 0 ? most : ROUNDS_MAX);
}

/* Plans the best number of rounds for so many phases, if that beats the best
   choice. */
static void try_phases(const struct scatter *scatter,
                       struct originator *originator, struct choice *best,
                       unsigned phases)
{
    uint64_t after_ps = returns_ps(scatter, originator, phases);
    uint64_t makespan_ps = fixed_difference(best->makespan_ps, after_ps);

    if (plan_rounds(scatter, originator, originator->order.rounds,
                    &makespan_ps) == ERR_OK) {
        *best = (struct choice){.makespan_ps = makespan_ps + after_ps,
                                .phases = (uint8_t)phases,
                                .rounds = originator->plan.rounds};
    }
}

/*
 * The best numbers of phases, up to `phases` or exactly that, and of rounds:
 * two or more, where they gain more than it takes to plan them. Fewer phases
 * are tried as long as their bound leaves something to gain; it rises as they
 * fall.
 */
static void choose_rounds(const struct scatter *scatter,
                          struct originator *originator, struct choice *best,
                          unsigned phases, bool fixed)
{
    /* Behind an advance the others compute meanwhile. */
    uint64_t planning_ps =
        originator->order.rounds == WIRE_BEST && !originator->report.advance
            ? scatter->costs->plan_rounds_ps
            : 0;

    for (unsigned n = phases; n > 0 && (n == phases || !fixed); --n) {
        uint64_t more_ps = 2 * round_ps(scatter, n) +
                           2 * originator->input.compute_ps + planning_ps;
        uint64_t bound_ps;

        if (more_ps >= best->makespan_ps) {
            return;
        }
        startups_set(scatter, originator, n);
        best->is_input = false;
        bound_ps = rounds_bound_ps(&originator->input);
        if (bound_ps == UINT64_MAX) {
            continue;
        }
        if (bound_ps + more_ps >= best->makespan_ps) {
            return;
        }
        try_phases(scatter, originator, best, n);
    }
}

/* Circuits of all phases with which outputs return in a round, but for the
   bytes of these: with the heads of a chunk of every node. */
static uint64_t turn_ps(const struct scatter *scatter,
                        const struct originator *originator, unsigned phases)
{
    const struct wire_order *order = &originator->order;
    uint64_t nodes = 1;
    uint64_t sum_ps = 0;

    for (unsigned phase = phases; phase > 0; --phase) {
        uint64_t bytes =
            WIRE_OUTPUTS_BYTES + (WIRE_OUTPUT_CHUNK_BYTES + 1u) * nodes;

        sum_ps += order_circuit_ps(order, order_message_ps(order, bytes),
                                   originator_phase_hops(scatter, phase));
        nodes *= 5;
    }
    return sum_ps;
}

/* Shares are whole units in each of three rounds or more: of fewer units a node
   too much of their time is lost to that. */
#define MEANWHILE_UNITS 48u

/*
 * Plans so many rounds, or the best number, whose outputs return meanwhile, if
 * that beats the best choice. It takes a switch that sends on by itself, and
 * keeps messages: then nobody has to wait for a parent that computes.
 */
static bool try_meanwhile(const struct scatter *scatter,
                          struct originator *originator, struct choice *best,
                          unsigned phases, uint8_t rounds)
{
    const struct scatter_costs *costs = scatter->costs;
    struct plan_job *input = &originator->input;
    bool any = rounds == WIRE_BEST;
    uint64_t time_ps = best->makespan_ps;
    uint64_t more_ps;

    if (any && input->load_units / originator->nodes < MEANWHILE_UNITS) {
        return false;
    }
    startups_set(scatter, originator, phases);
    best->is_input = false;
    input->output_ps = input->transfer_ps * input->results_numerator /
                       input->results_denominator;
    input->back_ps = turn_ps(scatter, originator, phases);
    input->child_ps = costs->result_merge_ps;
    input->return_ps = costs->result_queue_ps;
    input->first_ps = costs->first_send_ps;
    more_ps =
        any ? costs->plan_rounds_ps + 3 * (input->round_ps + input->return_ps)
            : 0;
    if (fixed_difference(time_ps, more_ps) <= rounds_bound_ps(input) ||
        costs->plan_meanwhile(&originator->plan, &time_ps, input,
                              any ? 3 : rounds,
                              any ? ROUNDS_MAX : rounds) != ERR_OK) {
        return false;
    }
    *best = (struct choice){.makespan_ps = time_ps,
                            .phases = (uint8_t)phases,
                            .rounds = originator->plan.rounds,
                            .meanwhile = true};
    return true;
}

/* Whether outputs can return meanwhile. */
static bool may_meanwhile(const struct scatter *scatter,
                          const struct originator *originator, unsigned phases)
{
    return counts_returns(originator) && originator->order.rounds != 1 &&
           scatter->costs->plan_meanwhile != NULL && phases > 0 &&
           !originator->has_tail;
}

/* Plans the best choice again, which another one has spoilt. */
static int plan_again(const struct scatter *scatter,
                      struct originator *originator, const struct choice *best)
{
    struct choice again = {.makespan_ps = UINT64_MAX};

    if (best->meanwhile) {
        return try_meanwhile(scatter, originator, &again, best->phases,
                             best->rounds)
                   ? ERR_OK
                   : ERR_PHASES;
    }
    startups_set(scatter, originator, best->phases);
    return best->rounds == 1
               ? choose_one(scatter, originator, &again, best->phases, true)
               : plan_rounds(scatter, originator, best->rounds,
                             &again.makespan_ps);
}

/* The same for all in one round: where a plan says that so many phases do not
   pay, but an advance went out over all of them; or where the originator does
   all. */
static void plan_equal(struct originator *originator, unsigned phases)
{
    struct rounds_plan *plan = &originator->plan;
    uint32_t units = originator->input.load_units;
    uint32_t volume = units / originator->nodes;
    uint32_t share = volume;

    plan->phases = (uint8_t)phases;
    plan->rounds = 1;
    plan->round_units[0] = units;
    plan->share_units[0][0] = units;
    plan->volume_units[0][0] = units;
    plan->makespan_ps = originator->input.wait_ps;
    for (unsigned layer = phases; layer > 0; --layer) {
        plan->share_units[0][layer] = share;
        plan->volume_units[0][layer] = volume;
        plan->share_units[0][0] -= TORUS_PORTS * volume;
        plan->makespan_ps += originator->input.startup_ps[layer - 1] +
                             originator->input.transfer_ps * volume;
        volume *= 5;
    }
    plan->makespan_ps +=
        originator->input.compute_ps * plan->share_units[0][phases];
}

/* Makes the startups those of the best choice, unless they are. */
static void set_startups(const struct scatter *scatter,
                         struct originator *originator,
                         const struct choice *best)
{
    bool one = best->rounds == 1 && !originator->report.advance;

    if (one && best->is_input) {
        return;
    }
    startups_set(scatter, originator, best->phases);
    if (one) {
        set_one_round(scatter, originator);
    }
}

/* Chooses phases and rounds, and makes the plan. */
static int choose(struct scatter *scatter, struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    unsigned phases = (unsigned)torus_phases(scatter->size);
    bool fixed = order->phases != WIRE_BEST && order->phases <= phases;
    struct choice best = {.makespan_ps = UINT64_MAX};
    int error = ERR_PHASES;

    if (fixed || originator->alone) {
        phases = originator->alone ? 0 : order->phases;
    }
    fixed |= originator->report.advance;
    if (order->rounds == 1 || order->rounds == WIRE_BEST) {
        error = originator->alone
                    ? ERR_OK
                    : choose_one(scatter, originator, &best, phases, fixed);
        if (error != ERR_OK && error != ERR_PHASES) {
            return error;
        }
    }
    if (order->phases != WIRE_BEST && !fixed) {
        return ERR_PHASES;
    }
    if (may_meanwhile(scatter, originator, phases) &&
        try_meanwhile(scatter, originator, &best, phases, order->rounds) &&
        order->rounds == WIRE_BEST) {
        fixed = true;
        phases = 0;
    }
    if (order->rounds != 1 &&
        (!originator->report.advance || originator->advance.rounds > 1)) {
        choose_rounds(scatter, originator, &best, phases, fixed);
    }
    if (best.makespan_ps == UINT64_MAX && error != ERR_OK &&
        !originator->report.advance) {
        return ERR_PHASES;
    }
    if (best.makespan_ps == UINT64_MAX) {
        plan_equal(originator, phases);
        return ERR_OK;
    }
    error = originator->plan.rounds == 0
                ? plan_again(scatter, originator, &best)
                : ERR_OK;
    set_startups(scatter, originator, &best);
    if (best.meanwhile) {
        scatter->job.flags |= WIRE_MEANWHILE;
        policy_become(scatter, POLICY_MEANWHILE);
    }
    return error;
}

/*
 * The output as a ratio of the input, for the planner: reduced, and rounded up
 * if its terms still are too large. None where it is not known beforehand, or
 * not in proportion to what is sent.
 */
static void set_results(const struct scatter *scatter,
                        struct originator *originator)
{
    const struct kernel_terms *terms = &scatter->terms;
    uint64_t p = terms->output_numerator;
    uint64_t q =
        (uint64_t)terms->output_denominator * originator->order.unit_bytes;
    uint64_t a = p;
    uint64_t b = q;

    if (terms->output_varies || q == 0 || p == 0) {
        return;
    }
    while (b != 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    for (p /= a, q /= a; p > PLANNER_RESULTS_MAX || q > PLANNER_RESULTS_MAX;) {
        p = (p + 1) / 2;
        q = (q + 1) / 2;
    }
    originator->input.results_numerator = (uint16_t)p;
    originator->input.results_denominator = (uint16_t)q;
}

/* Takes so many units off the originator's shares: of the first round, and of
   later ones what that has not. */
static void take_off(struct rounds_plan *plan, uint32_t units)
{
    for (unsigned round = 0; units > 0 && round < plan->rounds; ++round) {
        uint32_t share = plan->share_units[round][0];
        uint32_t off = units < share ? units : share;

        plan->share_units[round][0] -= off;
        plan->volume_units[round][0] -= off;
        plan->round_units[round] -= off;
        units -= off;
    }
}

static int plan(struct scatter *scatter, struct originator *originator)
{
    struct wire_report *report = &originator->report;
    uint32_t ports_units = originator_ports_units(scatter, originator);
    uint64_t start_ps;
    int error = startups_input(scatter, originator);

    if (error != ERR_OK) {
        return error;
    }
    set_results(scatter, originator);
    start_ps = originator_now_ps(scatter);
    if (report->advance) {
        advance_wait(scatter, originator);
    } else {
        startups_wait(scatter, originator, start_ps + scatter->costs->plan_ps);
    }
    originator->input.load_units += ports_units;
    set_rounds(scatter, originator);
    error = choose(scatter, originator);
    take_off(&originator->plan, ports_units);
    report->plan_ps = originator_now_ps(scatter) - start_ps;
    return error;
}

/* A call of less than 2^24 ps (17 us) does not count in the makespan: plans are
   off by more, and results would wait for their slots. */
#define SHORT_CALL_BITS 24u

/* Copies the plan to where the report wants it. */
static void fill_report(struct scatter *scatter, struct originator *originator)
{
    const struct scatter_costs *costs = scatter->costs;
    const struct rounds_plan *made = &originator->plan;
    struct wire_report *report = &originator->report;

    report->phases = made->phases;
    report->rounds = made->rounds;
    report->layers = true;
    for (unsigned layer = 0; layer <= made->phases; ++layer) {
        report->share_units[layer] = 0;
        report->volume_units[layer] = 0;
    }
    for (unsigned round = 0; round < made->rounds; ++round) {
        for (unsigned layer = 0; layer <= made->phases; ++layer) {
            report->share_units[layer] += made->share_units[round][layer];
            report->volume_units[layer] += made->volume_units[round][layer];
        }
    }
    if (report->advance) {
        report->rounds += 1;
        for (unsigned layer = 0; layer <= made->phases; ++layer) {
            report->share_units[layer] +=
                layer > 0 ? originator->advance.units : 0;
            report->volume_units[layer] += originator->advance_units[layer];
        }
    }
    for (unsigned phase = 1; phase <= made->phases; ++phase) {
        report->startup_ps[phase - 1] = originator->input.startup_ps[phase - 1];
    }
    report->overhead_ps = costs->own_start_ps;
    if (report->call_ps >> SHORT_CALL_BITS > 0) {
        report->overhead_ps += report->call_ps;
    }
    if (made->phases > 0) {
        report->overhead_ps +=
            costs->first_send_ps +
            (made->rounds - 1) * round_ps(scatter, made->phases);
    }
    report->makespan_ps = made->makespan_ps + report->overhead_ps;
    report->meanwhile = scatter_returns_meanwhile(scatter);
    if (report->meanwhile) {
        report->makespan_ps = made->makespan_ps; /* all is counted */
    }
}

/* Sets when each layer's outputs leave: 0, at once, if their length is not
   known beforehand, or most of them have left by then. */
static void plan_returns(const struct scatter *scatter,
                         const struct originator *originator,
                         uint64_t result_ps[])
{
    const uint32_t *volume_units = originator->report.volume_units;
    unsigned phases = originator->plan.phases;
    bool at_once =
        scatter->terms.output_varies || scatter_returns_meanwhile(scatter);

    for (unsigned phase = 0; phase <= phases; ++phase) {
        bool known = phase > 0 && !at_once;

        result_ps[phase] =
            known
                ? slots_return_ps(scatter, originator, phase,
                                  volume_units[phase] + originator->plan.rounds)
                : 0;
    }
    if (!at_once) {
        slots_time_returns(originator, result_ps, phases);
    }
}

/* How long before the end of the makespan no circuit of the scatter is on its
   way: a startup after the last receipt, or in several rounds while the last
   layer computes its last share. */
static uint64_t quiet_ps(const struct originator *originator)
{
    const struct rounds_plan *plan = &originator->plan;
    const struct wire_report *report = &originator->report;

    if (report->rounds > 1) {
        return plan->share_units[plan->rounds - 1][plan->phases] *
               report->compute_ps;
    }
    return fixed_difference(report->makespan_ps,
                            report->received_ps[plan->phases] +
                                originator->input.startup_ps[plan->phases - 1]);
}

/* Writes the tables of the first round into new memory, the job behind them,
   and then the tables of all later rounds. */
static int store_job(struct scatter *scatter, struct originator *originator)
{
    struct wire_job *job = &scatter->job;
    const struct rounds_plan *made = &originator->plan;
    uint64_t result_ps[TORUS_PHASES_MAX + 1];
    uint32_t tables_bytes = WIRE_TABLES_BYTES(made->phases);
    uint8_t *tables;
    int error = ERR_OK;

    job->phases = made->phases;
    job->rounds = originator->report.rounds;
    scatter->job_bytes = wire_job_bytes(job);
    tables = originator_allocate(scatter, scatter->job_bytes +
                                              made->rounds * tables_bytes);
    if (tables == NULL) {
        return ERR_MEMORY;
    }
    originator->job = tables + tables_bytes;
    if (job->phases > 0 &&
        !(originator->has_tail && scatter_has_output(scatter))) {
        error = slots_set_short(scatter, originator,
                                originator_phase_hops(scatter, 1),
                                quiet_ps(originator));
    }
    if (scatter_has_output(scatter)) {
        plan_returns(scatter, originator, result_ps);
    }
    wire_job_store(originator->job, job, result_ps);
    for (unsigned round = 0; round < made->rounds; ++round) {
        wire_tables_store(tables, job->phases, made->share_units[round],
                          made->volume_units[round]);
        tables += tables_bytes + (round == 0 ? scatter->job_bytes : 0);
    }
    return error;
}

/* Plans all but the units that are to be given to who asks; all, if not every
   node gets some. */
static int plan_most(struct scatter *scatter, struct originator *originator,
                     uint32_t *reserve)
{
    uint32_t units = scatter->units;
    int error;

    *reserve = tail_reserve(scatter, originator);
    originator->has_tail = *reserve > 0;
    scatter->units -= *reserve;
    error = plan(scatter, originator);
    scatter->units = units;
    if (error == ERR_OK && *reserve > 0 &&
        (originator->plan.phases < torus_phases(scatter->size) ||
         originator->plan.volume_units[0][originator->plan.phases] == 0)) {
        *reserve = 0;
        originator->has_tail = false;
        originator->plan.rounds = 0;
        error = plan(scatter, originator);
    }
    return error;
}

/* Chooses phases and rounds, plans every layer's units, and writes the job of
   each round. Result: 0 or the error. */
static int plan_job(struct scatter *scatter, struct originator *originator)
{
    uint32_t reserve;
    int error = plan_most(scatter, originator, &reserve);

    if (error == ERR_OK) {
        fill_report(scatter, originator);
        if (reserve > 0) {
            error = tail_plan(scatter, originator, reserve);
        }
    }
    if (error == ERR_OK) {
        if (!originator->report.advance) {
            plan_receipts(scatter, originator);
        }
        error = store_job(scatter, originator);
    }
    return error;
}

/* Gap before a round's first circuits. Circuits of the round before may last
   longer than planned by a unit in every phase, by which volumes are rounded
   up, and the software between two rounds by some of its instructions; cut at
   2^26 ps (67 us), which is enough. */
static uint32_t round_gap_ps(const struct scatter *scatter,
                             const struct originator *originator)
{
    uint64_t gap_ps = originator->plan.phases * originator->input.transfer_ps +
                      scatter->costs->round_end_ps / 10;

    return gap_ps < 1u << 26 ? (uint32_t)gap_ps : 1u << 26;
}

/* Sets the makespan, and with it when results travel, from time zero on, if
   that was the beginning of the advance. */
static void count_lead(const struct scatter *scatter,
                       struct originator *originator)
{
    struct wire_report *report = &originator->report;

    if (report->advance) {
        uint64_t lead_ps =
            originator_now_ps(scatter) - report->scatter_start_ps;

        report->makespan_ps += lead_ps;
    }
}

/* Queues the sends of all rounds; the originator's own share of all of them is
   computed at once, after this. Result: 0 or the error. */
static int send_rounds(struct scatter *scatter, struct originator *originator)
{
    uint32_t tables_bytes = WIRE_TABLES_BYTES(scatter->job.phases);
    struct circuit_segment passed_on = {originator->job - tables_bytes,
                                        tables_bytes + scatter->job_bytes};
    uint32_t first_gap_ps = scatter->pattern.cut.first_gap_ps;
    uint32_t share_units = 0;
    int error = ERR_OK;

    count_lead(scatter, originator);
    wire_job_store_gather(originator->job,
                          slots_gather_ps(scatter, originator,
                                          originator->report.scatter_start_ps));
    scatter->job_data = originator->job;
    scatter->round = originator->report.advance;
    pattern_expect(scatter);
    for (unsigned round = 0; error == ERR_OK && round < originator->plan.rounds;
         ++round) {
        if (round > 0) {
            scatter->round += 1;
            scatter_skip(scatter, scatter->units);
            /* Later tables lie behind what the parts before take with them. */
            passed_on.data += passed_on.bytes;
            passed_on.bytes = tables_bytes;
            first_gap_ps += round_gap_ps(scatter, originator);
        }
        scatter->pattern.cut.first_gap_ps = first_gap_ps;
        if (round == 0 && originator->report.advance) {
            scatter->pattern.cut.first_gap_ps +=
                advance_hold_ps(scatter, originator);
        }
        scatter->units = originator->plan.round_units[round];
        error = pattern_distribute(scatter, passed_on);
        share_units += scatter->split.share_units;
    }
    originator_set_range(scatter, &originator->order);
    scatter->round = originator->report.advance;
    scatter->split.share_units = share_units;
    if (originator->report.advance) {
        advance_report(originator);
    }
    return error;
}

int pattern_lead(struct scatter *scatter, struct originator *originator)
{
    int error = advance_try(scatter, originator);

    if (error == ERR_OK) {
        error = measure_kernel(scatter, originator);
    }
    if (error == ERR_OK) {
        error = plan_job(scatter, originator);
    }
    if (error == ERR_OK) {
        originator_begin(scatter, originator);
        error = send_rounds(scatter, originator);
    }
    if (error == ERR_OK && originator->has_tail) {
        return tail_lead(scatter, originator);
    }
    if (error == ERR_OK) {
        error = measure_share(scatter, originator);
    }
    return error == ERR_OK ? scatter->policy->gather(scatter) : error;
}
