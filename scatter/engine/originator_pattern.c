/* SPDX-License-Identifier: Apache-2.0 */
/* The originator's plan for the pattern: how many phases and rounds, and who
   gets what. */
#include "scatter/engine/originator.h"

/* How long phase i holds its circuits, besides the transfer of its units. */
static uint64_t circuit_ps(const struct scatter *scatter,
                           const struct lead *lead, unsigned phase)
{
    const struct wire_order *order = &lead->order;
    struct wire_job job = scatter->job;
    uint32_t head_bytes;

    job.phases = lead->input.phases_want;
    job.rounds = 1;
    head_bytes = SCATTER_HEAD_BYTES + wire_job_bytes(&job) + job.before_bytes +
                 job.after_bytes;
    return order->startup_ps +
           order->hop_delay_ps * lead_phase_hops(scatter, phase) +
           order->transfer_ps * head_bytes;
}

/*
 * The startup of phase i as the plan must count it, with the software of a
 * hop: t_i = t_{i-1} + hop + circuit + transfer, where a node of layer i - 1
 * needs `hop` = parse + phase from its receipt until its sends are queued; and
 * it computes later than its child does by the queueing of one phase, less
 * what only the child does (parse).
 */
static void set_startups(const struct scatter *scatter, struct lead *lead,
                         unsigned phases)
{
    struct planner_input *input = &lead->input;

    input->phases_max = (uint8_t)phases;
    input->phases_want = (uint8_t)phases;
    input->phases_fixed = 1;
    for (unsigned phase = 1; phase <= phases; ++phase) {
        input->startup_ps[phase - 1] =
            circuit_ps(scatter, lead, phase) + scatter->costs->parse_ps;
    }
}

/* Whether the plan counts the way back of outputs. */
static bool counts_returns(const struct lead *lead)
{
    return SCATTER_OUTPUTS && lead->results_denominator != 0;
}

/* One round: begin() is one more thing that the originator does not do, and
   outputs return while it computes. */
static struct planner_input one_round(const struct scatter *scatter,
                                      const struct lead *lead)
{
    struct planner_input input = lead->input;

    input.startup_ps[0] += lead->report.begin_ps;
    input.results_numerator = lead->results_numerator;
    input.results_denominator = lead->results_denominator;
    for (unsigned i = 0; counts_returns(lead) && i < input.phases_max; ++i) {
        input.startup_ps[i] += lead_return_ps(scatter, lead, i + 1, 0);
    }
    return input;
}

static int plan_one(const struct scatter *scatter, const struct lead *lead,
                    struct planner_plan *one)
{
    struct planner_input input = one_round(scatter, lead);

    return planner_plan(one, &input);
}

/* From a layer's receipt, or the start, to the next one's. */
static uint64_t step_ps(const struct scatter *scatter, const struct lead *lead,
                        unsigned phase, uint32_t volume_units)
{
    const struct scatter_costs *costs = scatter->costs;

    return circuit_ps(scatter, lead, phase) +
           lead->input.transfer_ps * volume_units +
           (phase == 1 ? costs->lead_ps : costs->parse_ps + costs->phase_ps);
}

/* When a layer is planned to have received its first volume. */
static void plan_receipts(const struct scatter *scatter, struct lead *lead)
{
    uint64_t *received_ps = lead->report.received_ps;

    for (unsigned phase = 1; phase <= lead->plan.phases; ++phase) {
        received_ps[phase] =
            received_ps[phase - 1] +
            step_ps(scatter, lead, phase, lead->plan.volume_units[0][phase]);
    }
}

/*
 * When the last node may end in one round, whole units counted: a node gets
 * its share rounded up. This is what tells that one unit is not worth a
 * circuit; where units are many, it is the makespan and one unit.
 */
static uint64_t whole_units_ps(const struct scatter *scatter,
                               const struct lead *lead,
                               const struct planner_plan *one)
{
    uint64_t compute_ps = lead->input.compute_ps;
    uint64_t received_ps = 0;
    uint64_t last_ps = one->makespan_ps;

    for (unsigned i = 0; one->phases > 0 && i <= one->phases; ++i) {
        uint64_t end_ps;

        if (i > 0) {
            received_ps += step_ps(scatter, lead, i, one->volume_units[i] + 1);
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
                                        const struct lead *lead)
{
    uint8_t rounds = lead->order.rounds;
    bool best = rounds == WIRE_BEST;

    return (struct rounds_input){
        .base = &lead->input,
        .queue_ps = scatter->costs->phase_ps,
        .pause_ps = scatter->costs->parse_ps + scatter->costs->start_ps +
                    scatter->costs->round_ps + lead->call_ps,
        .begin_ps = lead->report.begin_ps,
        .lead_ps = scatter->costs->again_ps,
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
                           const struct lead *lead, unsigned phases)
{
    uint32_t units = lead->input.load_units;
    uint64_t total_ps = 0;

    for (unsigned phase = 1; counts_returns(lead) && phase <= phases; ++phase) {
        units /= 5;
        total_ps += lead_return_ps(scatter, lead, phase, units);
    }
    return total_ps;
}

/* The best number of rounds for so many phases; ERR_PHASES if infeasible. */
static int choose_rounds(const struct scatter *scatter, struct lead *lead,
                         unsigned phases, struct choice *best)
{
    struct choice choice = {.phases = phases, .rounds = 1};
    struct planner_plan one;
    int error = ERR_PHASES;

    set_startups(scatter, lead, phases);
    if (lead->order.rounds == 1 || lead->order.rounds == WIRE_BEST) {
        error = plan_one(scatter, lead, &one);
        if (error == ERR_OK) {
            choice.makespan_ps = whole_units_ps(scatter, lead, &one) +
                                 scatter->costs->again_ps +
                                 phases * (uint64_t)scatter->costs->phase_ps;
            prefer(best, &choice);
        }
    }
    if (ROUNDS_MAX > 1 && lead->order.rounds != 1 && phases > 0) {
        struct rounds_input input = rounds_input(scatter, lead);
        int found = rounds_best(&choice.rounds, &choice.makespan_ps, &input);

        if (found == ERR_OK) {
            choice.makespan_ps += returns_ps(scatter, lead, phases) +
                                  choice.rounds * lead->input.compute_ps;
            prefer(best, &choice);
            error = ERR_OK;
        }
    }
    return error;
}

/* Every number of phases has its own header and rounds units differently. */
static int choose(const struct scatter *scatter, struct lead *lead,
                  struct choice *best)
{
    unsigned phases = (unsigned)torus_phases(scatter->size);
    bool fixed = lead->order.phases != WIRE_BEST;
    int error = ERR_PHASES;

    for (unsigned n = phases + 1; n-- > 0;) {
        int found = choose_rounds(scatter, lead, n, best);

        if (found != ERR_OK && found != ERR_PHASES) {
            return found;
        }
        if (found == ERR_OK && error != ERR_OK) {
            lead->report.phases_feasible = (uint8_t)n;
            error = ERR_OK;
        }
    }
    if (error == ERR_OK && fixed) {
        best->rounds = 0;
        error = lead->order.phases <= phases
                    ? choose_rounds(scatter, lead, lead->order.phases, best)
                    : ERR_PHASES;
    }
    return error;
}

static int make_plan(const struct scatter *scatter, struct lead *lead,
                     const struct choice *choice)
{
    struct planner_plan one;
    struct rounds_input input;
    int error;

    set_startups(scatter, lead, choice->phases);
    if (ROUNDS_MAX > 1 && choice->rounds > 1) {
        input = rounds_input(scatter, lead);
        error = rounds_plan(&lead->plan, &input, choice->rounds);
        if (error != ERR_PHASES || lead->order.rounds != WIRE_BEST) {
            return error;
        }
    }
    error = plan_one(scatter, lead, &one);
    if (error == ERR_OK) {
        rounds_of_one(&lead->plan, &one, lead->input.load_units);
    }
    return error;
}

/*
 * The output as a ratio of the input, for the planner: reduced, and rounded up
 * if its terms still are too large. None where it is not known beforehand, or
 * not in proportion to what is sent.
 */
static void set_results(const struct scatter *scatter, struct lead *lead)
{
    const struct kernel_terms *terms = &scatter->terms;
    uint64_t p = terms->output_numerator;
    uint64_t q = (uint64_t)terms->output_denominator * lead->order.unit_bytes;
    uint64_t a = p;
    uint64_t b = q;

    if (!SCATTER_OUTPUTS || terms->output_varies || q == 0 || p == 0) {
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
    lead->results_numerator = (uint16_t)p;
    lead->results_denominator = (uint16_t)q;
}

static int plan(struct scatter *scatter, struct lead *lead)
{
    const struct wire_order *order = &lead->order;
    struct wire_report *report = &lead->report;
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
    lead->input.load_units = scatter->units;
    lead->input.compute_ps = report->compute_ps;
    lead->input.transfer_ps = order->transfer_ps * order->unit_bytes;
    set_results(scatter, lead);
    start_ps = lead_now_ps(scatter);
    error = choose(scatter, lead, &best);
    if (error == ERR_OK) {
        error = make_plan(scatter, lead, &best);
    }
    report->plan_ps = lead_now_ps(scatter) - start_ps;
    return error;
}

/* Copies the plan to where the report wants it. */
static void adopt(struct scatter *scatter, struct lead *lead)
{
    const struct scatter_costs *costs = scatter->costs;
    const struct rounds_plan *made = &lead->plan;
    struct wire_report *report = &lead->report;
    struct planner_input input;

    report->phases = made->phases;
    report->rounds = made->rounds;
    for (unsigned round = 0; round < made->rounds; ++round) {
        for (unsigned layer = 0; layer <= made->phases; ++layer) {
            report->share_units[layer] += made->share_units[round][layer];
            report->volume_units[layer] += made->volume_units[round][layer];
        }
    }
    input = made->rounds == 1 ? one_round(scatter, lead) : lead->input;
    for (unsigned phase = 1; phase <= made->phases; ++phase) {
        report->startup_ps[phase - 1] = input.startup_ps[phase - 1];
    }
    report->overhead_ps = costs->start_ps;
    if (made->phases > 0) {
        report->overhead_ps += costs->lead_ps +
                               (uint64_t)costs->phase_ps *
                                   (made->phases * (uint64_t)made->rounds - 1) +
                               costs->again_ps * (made->rounds - 1u);
    }
    report->makespan_ps = made->makespan_ps + report->overhead_ps;
}

/* When each layer's outputs leave; at once if nobody knows how long they are.
 */
static void plan_returns(const struct scatter *scatter, const struct lead *lead,
                         uint64_t result_ps[])
{
    const uint32_t *volume_units = lead->report.volume_units;
    unsigned phases = lead->plan.phases;

    for (unsigned phase = 0; phase <= phases; ++phase) {
        bool known = phase > 0 && !scatter->terms.output_varies;

        result_ps[phase] =
            known ? lead_return_ps(scatter, lead, phase,
                                   volume_units[phase] + lead->plan.rounds)
                  : 0;
    }
    if (!scatter->terms.output_varies) {
        lead_time_returns(lead, result_ps, phases);
    }
}

/* Writes the jobs, one after the other from `low` on. */
static int make_jobs(struct scatter *scatter, struct lead *lead)
{
    struct wire_job *job = &scatter->job;
    uint64_t result_ps[TORUS_PHASES_MAX + 1];
    uint32_t bytes;
    int error;

    job->phases = lead->plan.phases;
    job->rounds = lead->plan.rounds;
    bytes = wire_job_bytes(job);
    lead->job = lead_allocate(scatter, job->rounds * bytes);
    if (lead->job == NULL) {
        return ERR_MEMORY;
    }
    error = lead_set_slots(scatter, lead, lead_phase_hops(scatter, 1));
    if (scatter_has_output(scatter)) {
        plan_returns(scatter, lead, result_ps);
    }
    for (unsigned round = 0; error == ERR_OK && round < job->rounds; ++round) {
        wire_job_store(lead->job + round * bytes, job,
                       lead->plan.share_units[round],
                       lead->plan.volume_units[round], result_ps);
    }
    scatter->job_bytes = bytes;
    return error;
}

int lead_plan_pattern(struct scatter *scatter, struct lead *lead)
{
    int error = plan(scatter, lead);

    if (error == ERR_OK) {
        adopt(scatter, lead);
        plan_receipts(scatter, lead);
        error = make_jobs(scatter, lead);
    }
    return error;
}
