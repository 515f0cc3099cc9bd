/* SPDX-License-Identifier: Apache-2.0 */
/* The originator's plan for the pattern: how many phases and rounds, and who
   gets what. */
#include "scatter/engine/originator_pattern.h"

#include "scatter/engine/pattern.h"
#include "scatter/engine/result_slots.h"

/* How long phase i holds its circuits, besides the transfer of its units. */
static uint64_t circuit_ps(const struct scatter *scatter,
                           const struct originator *originator, unsigned phase)
{
    const struct wire_order *order = &originator->order;
    struct wire_job job = scatter->job;
    uint32_t head_bytes;

    job.phases = originator->input.phases_want;
    job.flags |= WIRE_TABLES;
    head_bytes = SCATTER_HEAD_BYTES + wire_job_bytes(&job) + job.before_bytes +
                 job.after_bytes;
    return order->startup_ps +
           order->hop_delay_ps * originator_phase_hops(scatter, phase) +
           order->transfer_ps * head_bytes;
}

/*
 * The startup of phase i as the plan must count it, with the software of a
 * hop: t_i = t_{i-1} + hop + circuit + transfer, where a node of layer i - 1
 * needs `hop` = parse + phase from its receipt until its sends are queued; and
 * it computes later than its child does by the queueing of one phase, less
 * what only the child does (parse).
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

/* One round: begin() is one more thing that the originator does not do, and
   outputs return while it computes. */
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

/* From a layer's receipt, or the start, to the next one's. */
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

/* When a layer is planned to have received its first volume. */
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
 * When the last node may end in one round, whole units counted: a node gets
 * its share rounded up. This is what tells that one unit is not worth a
 * circuit; where units are many, it is the makespan and one unit.
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

/* Numbers of phases and rounds, and when they end. */
struct choice {
    unsigned phases;
    unsigned rounds;
    uint64_t makespan_ps; /* and what the originator queues */
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

static void prefer(struct choice *best, const struct choice *other)
{
    if (best->rounds == 0 || other->makespan_ps < best->makespan_ps) {
        *best = *other;
    }
}

/*
 * What the return of all outputs takes after the makespan, if the plan does not
 * count it as with one round: a layer's volume is at least four times the
 * next, so that a fifth of the load and of its fifths is enough.
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
            prefer(best, &choice);
        }
    }
    if (originator->order.rounds != 1 && phases > 0) {
        struct rounds_input input = rounds_input(scatter, originator);
        int found = rounds_best(&choice.rounds, &choice.makespan_ps, &input);

        if (found == ERR_OK) {
            choice.makespan_ps += returns_ps(scatter, originator, phases) +
                                  choice.rounds * originator->input.compute_ps;
            prefer(best, &choice);
            error = ERR_OK;
        }
    }
    return error;
}

/* Every number of phases has its own header and rounds units differently. */
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

static int make_plan(const struct scatter *scatter,
                     struct originator *originator, const struct choice *choice)
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
        error = make_plan(scatter, originator, &best);
    }
    report->plan_ps = originator_now_ps(scatter) - start_ps;
    return error;
}

/* Copies the plan to where the report wants it. */
static void adopt(struct scatter *scatter, struct originator *originator)
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

/* When each layer's outputs leave; at once if nobody knows how long they are.
 */
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

/* Writes the jobs, one after the other from `low` on. */
static int make_jobs(struct scatter *scatter, struct originator *originator)
{
    struct wire_job *job = &scatter->job;
    uint64_t result_ps[TORUS_PHASES_MAX + 1];
    uint32_t bytes;
    int error;

    job->phases = originator->plan.phases;
    job->rounds = originator->plan.rounds;
    job->flags |= WIRE_TABLES;
    bytes = wire_job_bytes(job);
    originator->job = originator_allocate(scatter, job->rounds * bytes);
    if (originator->job == NULL) {
        return ERR_MEMORY;
    }
    error = slots_set(scatter, originator, originator_phase_hops(scatter, 1));
    if (scatter_has_output(scatter)) {
        plan_returns(scatter, originator, result_ps);
    }
    for (unsigned round = 0; error == ERR_OK && round < job->rounds; ++round) {
        wire_job_store(originator->job + round * bytes, job,
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
        adopt(scatter, originator);
        plan_receipts(scatter, originator);
        error = make_jobs(scatter, originator);
    }
    return error;
}

/* Before a round: what rounding adds at most to the circuits elsewhere that
   must be gone by then, one unit in every phase. 2^26 ps suffice. */
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
    uint32_t own_units = 0;
    int error = ERR_OK;

    for (unsigned round = 0; error == ERR_OK && round < originator->plan.rounds;
         ++round) {
        if (round > 0) {
            scatter->message[1].gap_ps += round_gap_ps(originator);
        }
        scatter->round = round;
        scatter->job_data = originator->job + round * scatter->job_bytes;
        wire_job_store_gather(originator->job + round * scatter->job_bytes,
                              gather_ps);
        scatter->units = originator->plan.round_units[round];
        error = pattern_distribute(scatter);
        own_units += scatter->split.own_units;
        scatter->first_unit += scatter->units;
        scatter->body += scatter->units * order->unit_bytes;
        scatter->body_before += scatter->units * order->unit_bytes;
        scatter->body_bytes -= scatter->units * order->unit_bytes;
    }
    originator_hold_load(scatter, &originator->order);
    scatter->round = 0;
    scatter->split.own_units = own_units;
    return error;
}
