/* SPDX-License-Identifier: Apache-2.0 */
/* The originator's plan for the pattern: how many phases and rounds, and how
   many units each layer gets in each. */
#include "scatter/engine/originator_pattern.h"

#include "scatter/engine/pattern.h"
#include "scatter/engine/result_slots.h"

/* How long the circuits of a phase last, besides the transfer of their units.
 */
static uint64_t circuit_ps(const struct scatter *scatter,
                           const struct originator *originator, unsigned phase)
{
    const struct wire_order *order = &originator->order;
    struct wire_job job = scatter->job;
    uint32_t head_bytes;

    job.phases = originator->input.phases_want;
    job.flags |= WIRE_TABLES;
    head_bytes = SCATTER_PART_HEAD_BYTES + wire_job_bytes(&job) +
                 job.before_bytes + job.after_bytes;
    return order->startup_ps +
           order->hop_delay_ps * originator_phase_hops(scatter, phase) +
           order->transfer_ps * head_bytes;
}

/*
 * Sets the startup of each phase as the plan must count it, with the software
 * of a hop. Layer i has its volume at
 *
 *   t_i = t_{i-1} + (split + phase_queue) + circuit + transfer,
 *
 * as a node needs split_ps and phase_queue_ps from its receipt until its sends
 * are queued. It has one phase more to queue than its children, and so begins
 * to compute phase_queue_ps later after its receipt than they do: of the
 * software only split_ps counts as startup.
 */
static void set_startups(const struct scatter *scatter,
                         struct originator *originator, unsigned phases)
{
    struct planner_input *input = &originator->input;

    input->phases_max = (uint8_t)phases;
    input->phases_want = (uint8_t)phases;
    input->phases_fixed = 1;
    for (unsigned phase = 1; phase <= phases; ++phase) {
        input->startup_ps[phase - 1] =
            circuit_ps(scatter, originator, phase) + scatter->costs->split_ps;
    }
}

/* Whether the plan counts the way back of outputs. */
static bool counts_returns(const struct originator *originator)
{
    return originator->results_denominator != 0;
}

/* The input for a plan of one round: the kernel's begin(), which the originator
   has done before, is part of phase 1's startup, and the return of outputs part
   of every phase's. */
static struct planner_input one_round(const struct scatter *scatter,
                                      const struct originator *originator)
{
    struct planner_input input = originator->input;

    input.startup_ps[0] += originator->report.begin_ps;
    input.results_numerator = originator->results_numerator;
    input.results_denominator = originator->results_denominator;
    for (unsigned i = 0; counts_returns(originator) && i < input.phases_max;
         ++i) {
        input.startup_ps[i] += slots_return_ps(scatter, originator, i + 1, 0);
    }
    return input;
}

static int plan_one(const struct scatter *scatter,
                    const struct originator *originator,
                    struct planner_plan *one)
{
    struct planner_input input = one_round(scatter, originator);

    return planner_plan(one, &input);
}

/* Time from the receipt of layer `phase` - 1 (of layer 0: time zero) to that of
   layer `phase`. */
static uint64_t step_ps(const struct scatter *scatter,
                        const struct originator *originator, unsigned phase,
                        uint32_t volume_units)
{
    const struct scatter_costs *costs = scatter->costs;

    return circuit_ps(scatter, originator, phase) +
           originator->input.transfer_ps * volume_units +
           (phase == 1 ? costs->first_send_ps
                       : costs->split_ps + costs->phase_queue_ps);
}

/* Sets when each layer is planned to have received its first volume. */
static void plan_receipts(const struct scatter *scatter,
                          struct originator *originator)
{
    uint64_t *received_ps = originator->report.received_ps;

    for (unsigned phase = 1; phase <= originator->plan.phases; ++phase) {
        received_ps[phase] = received_ps[phase - 1] +
                             step_ps(scatter, originator, phase,
                                     originator->plan.volume_units[0][phase]);
    }
}

/*
 * When the last node ends in one round if every share is rounded up to whole
 * units: with many units the makespan and one unit's time; with few it shows
 * that a circuit for one unit does not pay.
 */
static uint64_t whole_units_ps(const struct scatter *scatter,
                               const struct originator *originator,
                               const struct planner_plan *one)
{
    uint64_t compute_ps = originator->input.compute_ps;
    uint64_t received_ps = 0;
    uint64_t last_ps = one->makespan_ps;

    for (unsigned i = 0; one->phases > 0 && i <= one->phases; ++i) {
        uint64_t end_ps;

        if (i > 0) {
            received_ps +=
                step_ps(scatter, originator, i, one->volume_units[i] + 1);
        }
        end_ps = received_ps + compute_ps * (one->share_units[i] + 1ull);
        last_ps = end_ps > last_ps ? end_ps : last_ps;
    }
    return last_ps;
}

/* Numbers of phases and rounds, and the makespan that they give. */
struct choice {
    unsigned phases;
    unsigned rounds;
    uint64_t makespan_ps; /* with the originator's own queueing */
};

static struct rounds_input rounds_input(const struct scatter *scatter,
                                        const struct originator *originator)
{
    uint8_t rounds = originator->order.rounds;
    bool best = rounds == WIRE_BEST;

    return (struct rounds_input){
        .base = &originator->input,
        .phase_queue_ps = scatter->costs->phase_queue_ps,
        .between_rounds_ps =
            scatter->costs->split_ps + scatter->costs->kernel_start_ps +
            scatter->costs->round_end_ps + originator->kernel_call_ps,
        .begin_ps = originator->report.begin_ps,
        .round_overhead_ps = scatter->costs->round_overhead_ps,
        .rounds_min = best ? 2 : rounds,
        .rounds_max = best ? ROUNDS_MAX : rounds};
}

static void keep_better(struct choice *best, const struct choice *other)
{
    if (best->rounds == 0 || other->makespan_ps < best->makespan_ps) {
        *best = *other;
    }
}

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

/* The best number of rounds for so many phases; ERR_PHASES if infeasible. */
static int choose_rounds(const struct scatter *scatter,
                         struct originator *originator, unsigned phases,
                         struct choice *best)
{
    struct choice choice = {.phases = phases, .rounds = 1};
    struct planner_plan one;
    int error = ERR_PHASES;

    set_startups(scatter, originator, phases);
    if (originator->order.rounds == 1 ||
        originator->order.rounds == WIRE_BEST) {
        error = plan_one(scatter, originator, &one);
        if (error == ERR_OK) {
            choice.makespan_ps =
                whole_units_ps(scatter, originator, &one) +
                scatter->costs->round_overhead_ps +
                phases * (uint64_t)scatter->costs->phase_queue_ps;
            keep_better(best, &choice);
        }
    }
    if (originator->order.rounds != 1 && phases > 0) {
        struct rounds_input input = rounds_input(scatter, originator);
        int found = rounds_best(&choice.rounds, &choice.makespan_ps, &input);

        if (found == ERR_OK) {
            choice.makespan_ps += returns_ps(scatter, originator, phases) +
                                  choice.rounds * originator->input.compute_ps;
            keep_better(best, &choice);
            error = ERR_OK;
        }
    }
    return error;
}

/* The best number of phases and rounds. Each number of phases is planned, as
   the length of the job and the rounding of units depend on it. */
static int choose(const struct scatter *scatter, struct originator *originator,
                  struct choice *best)
{
    unsigned phases = (unsigned)torus_phases(scatter->size);
    bool fixed = originator->order.phases != WIRE_BEST;
    int error = ERR_PHASES;

    for (unsigned n = phases + 1; n-- > 0;) {
        int found = choose_rounds(scatter, originator, n, best);

        if (found != ERR_OK && found != ERR_PHASES) {
            return found;
        }
        if (found == ERR_OK && error != ERR_OK) {
            originator->report.phases_feasible = (uint8_t)n;
            error = ERR_OK;
        }
    }
    if (error == ERR_OK && fixed) {
        best->rounds = 0;
        error = originator->order.phases <= phases
                    ? choose_rounds(scatter, originator,
                                    originator->order.phases, best)
                    : ERR_PHASES;
    }
    return error;
}

static int compute_plan(const struct scatter *scatter,
                        struct originator *originator,
                        const struct choice *choice)
{
    struct planner_plan one;
    struct rounds_input input;
    int error;

    set_startups(scatter, originator, choice->phases);
    if (choice->rounds > 1) {
        input = rounds_input(scatter, originator);
        error = rounds_plan(&originator->plan, &input, choice->rounds);
        if (error != ERR_PHASES || originator->order.rounds != WIRE_BEST) {
            return error;
        }
    }
    error = plan_one(scatter, originator, &one);
    if (error == ERR_OK) {
        rounds_of_one(&originator->plan, &one, originator->input.load_units);
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
    originator->results_numerator = (uint16_t)p;
    originator->results_denominator = (uint16_t)q;
}

static int plan(struct scatter *scatter, struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    struct wire_report *report = &originator->report;
    struct choice best = {.rounds = 0};
    uint64_t start_ps;
    int error;

    if (order->startup_ps > PLANNER_STARTUP_MAX_PS / 4 ||
        order->hop_delay_ps > PLANNER_STARTUP_MAX_PS / (16 * TORUS_SIDE_MAX) ||
        order->transfer_ps > PLANNER_STARTUP_MAX_PS / 4096 ||
        order->rounds == 0 ||
        (order->rounds > ROUNDS_MAX && order->rounds != WIRE_BEST)) {
        return ERR_RANGE;
    }
    originator->input.load_units = scatter->units;
    originator->input.compute_ps = report->compute_ps;
    originator->input.transfer_ps = order->transfer_ps * order->unit_bytes;
    set_results(scatter, originator);
    start_ps = originator_now_ps(scatter);
    error = choose(scatter, originator, &best);
    if (error == ERR_OK) {
        error = compute_plan(scatter, originator, &best);
    }
    report->plan_ps = originator_now_ps(scatter) - start_ps;
    return error;
}

/* Copies the plan to where the report wants it. */
static void fill_report(struct scatter *scatter, struct originator *originator)
{
    const struct scatter_costs *costs = scatter->costs;
    const struct rounds_plan *made = &originator->plan;
    struct wire_report *report = &originator->report;
    struct planner_input input;

    report->phases = made->phases;
    report->rounds = made->rounds;
    report->layers = true;
    for (unsigned round = 0; round < made->rounds; ++round) {
        for (unsigned layer = 0; layer <= made->phases; ++layer) {
            report->share_units[layer] += made->share_units[round][layer];
            report->volume_units[layer] += made->volume_units[round][layer];
        }
    }
    input =
        made->rounds == 1 ? one_round(scatter, originator) : originator->input;
    for (unsigned phase = 1; phase <= made->phases; ++phase) {
        report->startup_ps[phase - 1] = input.startup_ps[phase - 1];
    }
    report->overhead_ps = costs->kernel_start_ps;
    if (made->phases > 0) {
        report->overhead_ps += costs->first_send_ps +
                               (uint64_t)costs->phase_queue_ps *
                                   (made->phases * (uint64_t)made->rounds - 1) +
                               costs->round_overhead_ps * (made->rounds - 1u);
    }
    report->makespan_ps = made->makespan_ps + report->overhead_ps;
}

/* Sets when each layer's outputs leave: 0, at once, if their length is not
   known beforehand. */
static void plan_returns(const struct scatter *scatter,
                         const struct originator *originator,
                         uint64_t result_ps[])
{
    const uint32_t *volume_units = originator->report.volume_units;
    unsigned phases = originator->plan.phases;

    for (unsigned phase = 0; phase <= phases; ++phase) {
        bool known = phase > 0 && !scatter->terms.output_varies;

        result_ps[phase] =
            known
                ? slots_return_ps(scatter, originator, phase,
                                  volume_units[phase] + originator->plan.rounds)
                : 0;
    }
    if (!scatter->terms.output_varies) {
        slots_time_returns(originator, result_ps, phases);
    }
}

/* Writes the jobs of all rounds into new memory, one after the other. */
static int store_jobs(struct scatter *scatter, struct originator *originator)
{
    struct wire_job *job = &scatter->job;
    uint64_t result_ps[TORUS_PHASES_MAX + 1];
    uint32_t bytes;
    int error;

    job->phases = originator->plan.phases;
    job->rounds = originator->plan.rounds;
    job->flags |= WIRE_TABLES;
    bytes = wire_job_bytes(job);
    originator->jobs = originator_allocate(scatter, job->rounds * bytes);
    if (originator->jobs == NULL) {
        return ERR_MEMORY;
    }
    error = slots_set(scatter, originator, originator_phase_hops(scatter, 1));
    if (scatter_has_output(scatter)) {
        plan_returns(scatter, originator, result_ps);
    }
    for (unsigned round = 0; error == ERR_OK && round < job->rounds; ++round) {
        wire_job_store(originator->jobs + round * bytes, job,
                       originator->plan.share_units[round],
                       originator->plan.volume_units[round], result_ps);
    }
    scatter->job_bytes = bytes;
    return error;
}

int originator_plan_pattern(struct scatter *scatter,
                            struct originator *originator)
{
    int error = plan(scatter, originator);

    if (error == ERR_OK) {
        fill_report(scatter, originator);
        plan_receipts(scatter, originator);
        error = store_jobs(scatter, originator);
    }
    return error;
}

/* Gap before a round's first circuits. Circuits of the round before may last
   longer than planned by a unit in every phase, by which volumes are rounded
   up; cut at 2^26 ps (67 us), which is enough. */
static uint32_t round_gap_ps(const struct originator *originator)
{
    uint64_t gap_ps = originator->plan.phases * originator->input.transfer_ps;

    return gap_ps < 1u << 26 ? (uint32_t)gap_ps : 1u << 26;
}

int originator_send_rounds(struct scatter *scatter,
                           struct originator *originator, uint64_t start_ps)
{
    const struct wire_order *order = &originator->order;
    uint64_t gather_ps = slots_gather_ps(scatter, originator, start_ps);
    uint32_t share_units = 0;
    int error = ERR_OK;

    for (unsigned round = 0; error == ERR_OK && round < originator->plan.rounds;
         ++round) {
        if (round > 0) {
            scatter->message[1].gap_ps += round_gap_ps(originator);
        }
        scatter->round = round;
        scatter->job_data = originator->jobs + round * scatter->job_bytes;
        wire_job_store_gather(originator->jobs + round * scatter->job_bytes,
                              gather_ps);
        scatter->units = originator->plan.round_units[round];
        error = pattern_distribute(scatter);
        share_units += scatter->split.share_units;
        scatter->first_unit += scatter->units;
        scatter->range_data += scatter->units * order->unit_bytes;
        scatter->range_before_bytes += scatter->units * order->unit_bytes;
        scatter->range_to_end_bytes -= scatter->units * order->unit_bytes;
    }
    originator_set_range(scatter, &originator->order);
    scatter->round = 0;
    scatter->split.share_units = share_units;
    return error;
}
