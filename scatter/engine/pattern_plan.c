/* SPDX-License-Identifier: Apache-2.0 */
/* The originator on the pattern: chooses the numbers of phases and rounds,
   plans the units of each layer, and sends. */
#include "scatter/engine/pattern.h"

#include "hal/check.h"
#include "scatter/engine/advance.h"
#include "scatter/engine/measure.h"
#include "scatter/engine/slots.h"
#include "scatter/engine/tail.h"
#include "scatter/plan/fixed.h"
#include "scatter/plan/meanwhile.h"

#include <string.h>

#define CHECK_FILE CHECK_SCATTER_PATTERN_PLAN

static bool counts_returns(const struct originator *originator)
{
    return originator->input.results_denominator != 0;
}

static bool has_tail(const struct scatter *scatter)
{
    return (scatter->job.flags & WIRE_TAIL) != 0;
}

/*
 * Changes input.startup_ps[] from several rounds to one round. Times are in ps:
 *
 *   layer i - 1 | sends_ps | circuit | units of phase i |
 *               | before_ps | computes ..
 *   layer i                           | software | ..... | starts_ps | computes
 *
 *   hop_ps[i] = sends_ps + circuit
 *   startup_ps[i - 1] = hop_ps[i] + starts_ps - before_ps
 */
static void set_one_round(const struct scatter *scatter,
                          struct originator *originator, uint64_t hop_ps[])
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
        uint64_t before_ps = starts_ps;
        uint64_t arrives_ps;

        hop_ps[i + 1] = input->startup_ps[i] - software_ps + sends_ps;
        units /= 5;
        arrives_ps = input->transfer_ps * (units - units / 16);
        sends_ps = software_ps;
        starts_ps =
            fixed_difference(software_ps + costs->first_start_ps, arrives_ps);
        input->startup_ps[i] =
            fixed_difference(hop_ps[i + 1] + starts_ps, before_ps);
        if (counts_returns(originator)) {
            input->startup_ps[i] +=
                slots_return_ps(scatter, originator, i + 1, 1, 0);
        }
    }
}

/* Returns the end, ps, if rounding adds a unit to each share and volume. */
static uint64_t whole_units_ps(const struct originator *originator,
                               const struct planner_plan *one,
                               const uint64_t hop_ps[])
{
    uint64_t compute_ps = originator->input.compute_ps;
    uint64_t received_ps = 0;
    uint64_t last_ps = one->makespan_ps;

    for (unsigned i = 0; one->phases > 0 && i <= one->phases; ++i) {
        uint64_t end_ps;

        if (i > 0) {
            received_ps += hop_ps[i] + originator->input.transfer_ps *
                                           (one->volume_units[i] + 1ull);
        }
        end_ps = received_ps + compute_ps * (one->share_units[i] + 1ull);
        last_ps = end_ps > last_ps ? end_ps : last_ps;
    }
    return last_ps;
}

/* Returns the time, ps, in which all outputs return; 0 if not planned. */
static uint64_t returns_ps(const struct scatter *scatter,
                           const struct originator *originator, unsigned phases)
{
    uint32_t units = originator->input.load_units;
    uint64_t total_ps = 0;

    for (unsigned phase = 1; counts_returns(originator) && phase <= phases;
         ++phase) {
        units /= 5;
        total_ps += slots_return_ps(scatter, originator, phase, 1, units);
    }
    return total_ps;
}

/* Returns the time, ps, of the originator's software in one round. */
static uint64_t round_ps(const struct scatter *scatter, unsigned phases)
{
    return scatter->costs->round_overhead_ps +
           (phases > 0 ? (uint64_t)scatter->costs->queue_ps : 0);
}

/* Returns a lower bound, ps, of a makespan with one phase less than `one`. */
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

static void keep_startups(struct originator *originator)
{
    for (unsigned i = 0; i < originator->input.phases; ++i) {
        originator->report.startup_ps[i] = originator->input.startup_ps[i];
    }
}

/* Sets report.received_ps[]: times of receipt, ps from the scatter's start. */
static void set_receipts(struct originator *originator,
                         const struct planner_plan *one,
                         const uint64_t hop_ps[])
{
    uint64_t *received_ps = originator->report.received_ps;

    for (unsigned i = 1; i <= one->phases; ++i) {
        received_ps[i] = received_ps[i - 1] + hop_ps[i] +
                         originator->input.transfer_ps * one->volume_units[i];
    }
}

/* Makes `one` the best plan if it is faster. Returns true if it is. */
static bool keep_one(const struct scatter *scatter,
                     struct originator *originator,
                     const struct planner_plan *one, const uint64_t hop_ps[])
{
    bool advance = originator->report.advance;
    uint64_t time_ps = whole_units_ps(originator, one, hop_ps) +
                       round_ps(scatter, one->phases);

    /* After an advance each node must get a part: parts bring the job. */
    if (time_ps >= originator->best_ps ||
        (advance && one->volume_units[one->phases] == 0)) {
        return false;
    }
    originator->best_ps = time_ps;
    rounds_of_one(&originator->plan, one, originator->input.load_units);
    if (advance) {
        /* After an advance, startups are those of several rounds. */
        startups_set(scatter, originator, one->phases);
    } else {
        set_receipts(originator, one, hop_ps);
    }
    keep_startups(originator);
    return true;
}

/* Plans one round with at most `phases` phases, exactly so many if `fixed`.
   Result: 0; ERR_PHASES if infeasible; another error. */
static int choose_one(const struct scatter *scatter,
                      struct originator *originator, unsigned phases,
                      bool fixed)
{
    uint64_t hop_ps[TORUS_PHASES_MAX + 1];
    struct planner_plan one;
    bool more = true;

    while (more) {
        int error;

        startups_set(scatter, originator, phases);
        set_one_round(scatter, originator, hop_ps);
        error = planner_plan(&one, &originator->input);
        if (error != ERR_OK) {
            return error;
        }
        if (originator->best_ps == UINT64_MAX) {
            originator->report.phases_feasible = one.phases;
        }
        if (one.phases < phases && fixed) {
            return ERR_PHASES;
        }
        if (one.phases < phases) {
            /* With shorter messages, one phase more may be feasible. */
            phases = one.phases + 1u < phases ? one.phases + 1u : one.phases;
            continue;
        }
        more = keep_one(scatter, originator, &one, hop_ps) && phases > 0 &&
               !fixed &&
               originator->best_ps > shallower_ps(scatter, originator, &one);
        phases -= more;
    }
    return ERR_OK;
}

/* Returns memory for another plan; NULL if the free memory is too small. */
static struct rounds_plan *trial_slot(const struct scatter *scatter,
                                      struct originator *originator)
{
    uint32_t room = (uint32_t)(scatter->free_to - scatter->free_from);

    if (originator->best_ps == UINT64_MAX) {
        return &originator->plan;
    }
    return room >= sizeof(struct rounds_plan)
               ? (struct rounds_plan *)(void *)scatter->free_from
               : NULL;
}

static void keep_several(struct originator *originator,
                         const struct rounds_plan *trial, uint64_t time_ps,
                         bool meanwhile)
{
    originator->best_ps = time_ps;
    originator->report.meanwhile = meanwhile;
    rounds_copy(&originator->plan, trial);
    keep_startups(originator);
}

/* Sets the times that only plans of several rounds need. */
static void set_rounds(const struct scatter *scatter,
                       struct originator *originator)
{
    const struct scatter_costs *costs = scatter->costs;
    struct plan_job *input = &originator->input;

    input->queue_ps = costs->queue_ps;
    input->round_ps = (uint64_t)costs->round_start_ps + costs->round_end_ps +
                      originator->report.call_ps;
    /* With merges, many ordered numbers of rounds would be infeasible. */
    input->merge_ps =
        originator->order.rounds == WIRE_BEST ? scatter_merge_ps(scatter) : 0;
    input->begin_ps =
        fixed_difference(costs->first_start_ps, costs->round_start_ps);
    input->overhead_ps = costs->round_overhead_ps;
    input->gain_ps = costs->try_rounds_ps;
}

/* Plans the best number of rounds. Keeps the plan if it is the fastest. */
static void try_rounds(const struct scatter *scatter,
                       struct originator *originator, unsigned least,
                       unsigned most)
{
    const struct plan_job *input = &originator->input;
    struct rounds_plan *trial = trial_slot(scatter, originator);
    uint64_t after_ps = returns_ps(scatter, originator, input->phases);
    uint64_t time_ps = fixed_difference(originator->best_ps, after_ps);

    if (trial != NULL &&
        rounds_plan(trial, &time_ps, input, least, most) == ERR_OK) {
        keep_several(originator, trial, time_ps + after_ps, false);
    }
}

/* Plans two or more rounds. Keeps the plan if it saves more time than planning
   takes. */
static void choose_rounds(const struct scatter *scatter,
                          struct originator *originator, unsigned phases,
                          bool fixed)
{
    const struct plan_job *input = &originator->input;
    bool advance = originator->report.advance;
    bool any = originator->order.rounds == WIRE_BEST;
    uint8_t least = any ? 2 : originator->order.rounds;
    uint8_t most = !any      ? least
                   : advance ? originator->advance.rounds
                             : scatter->costs->rounds_most;
    /* After an advance planning takes no time: nodes compute meanwhile. */
    uint64_t planning_ps = any && !advance ? scatter->costs->plan_rounds_ps : 0;

    for (unsigned n = phases; n > 0 && (n == phases || !fixed); --n) {
        uint64_t more_ps =
            2 * round_ps(scatter, n) + 2 * input->compute_ps + planning_ps;
        uint64_t bound_ps;

        if (more_ps >= originator->best_ps) {
            return;
        }
        startups_set(scatter, originator, n);
        bound_ps = rounds_bound_ps(input);
        if (bound_ps == UINT64_MAX) {
            continue;
        }
        if (bound_ps + more_ps >= originator->best_ps) {
            return;
        }
        try_rounds(scatter, originator, least, most > 0 ? most : ROUNDS_MAX);
    }
}

/* Returns the time, ps, of a round's return circuits without output bytes. */
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

/* Least units per node for outputs that return during rounds. */
#define MEANWHILE_UNITS 48u

/* Plans outputs that return during rounds. Result: whether the plan is kept. */
static bool try_meanwhile(const struct scatter *scatter,
                          struct originator *originator, unsigned phases)
{
    const struct scatter_costs *costs = scatter->costs;
    struct plan_job *input = &originator->input;
    uint8_t rounds = originator->order.rounds;
    bool any = rounds == WIRE_BEST;
    uint64_t time_ps = originator->best_ps;
    struct rounds_plan *trial;
    uint64_t more_ps;

    if (!counts_returns(originator) || costs->plan_meanwhile == NULL ||
        phases == 0 || has_tail(scatter) ||
        (any && input->load_units / input->nodes < MEANWHILE_UNITS)) {
        return false;
    }
    trial = trial_slot(scatter, originator);
    startups_set(scatter, originator, phases);
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
        trial == NULL ||
        costs->plan_meanwhile(trial, &time_ps, input, any ? 3 : rounds,
                              any ? ROUNDS_MAX : rounds) != ERR_OK) {
        return false;
    }
    keep_several(originator, trial, time_ps, true);
    return true;
}

/* Plans one round of equal shares. 0 phases: the originator has all units. */
static void plan_equal(struct originator *originator, unsigned phases)
{
    struct rounds_plan *plan = &originator->plan;
    uint32_t units = originator->input.load_units;
    uint32_t volume = units / originator->input.nodes;
    uint32_t share = volume;

    originator->input.phases = (uint8_t)phases;
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
    keep_startups(originator);
}

/* Chooses phases and rounds. ERR_PHASES: the ordered numbers are infeasible. */
static int choose(struct scatter *scatter, struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    bool advance = originator->report.advance;
    bool ordered = order->phases <= scatter->job.phases; /* not WIRE_BEST */
    bool fixed = ordered || advance;
    unsigned phases = originator->alone ? 0
                      : ordered         ? order->phases
                                        : scatter->job.phases;
    bool any = order->rounds == WIRE_BEST;
    int error = ERR_PHASES;

    originator->best_ps = UINT64_MAX;
    if (order->rounds == 1 || any) {
        error = originator->alone
                    ? ERR_OK
                    : choose_one(scatter, originator, phases, fixed);
        if (error != ERR_OK && error != ERR_PHASES) {
            return error;
        }
    }
    if (order->phases != WIRE_BEST && !fixed) {
        return ERR_PHASES;
    }
    if (order->rounds != 1 &&
        !(try_meanwhile(scatter, originator, phases) && any) &&
        (!advance || originator->advance.rounds > 1)) {
        choose_rounds(scatter, originator, phases, fixed);
    }
    if (originator->best_ps == UINT64_MAX) {
        if (error != ERR_OK && !advance) {
            return ERR_PHASES;
        }
        plan_equal(originator, phases);
    }
    originator->input.phases = originator->plan.phases;
    if (originator->report.meanwhile) {
        scatter->job.flags |= WIRE_MEANWHILE;
        policy_become(scatter, POLICY_MEANWHILE);
    }
    return ERR_OK;
}

/* Sets the output bytes per byte of the load, as a fraction, if known. */
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

/* Takes `units` off the originator's shares, round by round from the first. */
static void take_off(struct rounds_plan *plan, uint32_t units)
{
    for (unsigned round = 0; units > 0 && round < plan->rounds; ++round) {
        uint32_t share = plan->share_units[round][0];
        uint32_t off = fixed_smaller(units, share);

        plan->share_units[round][0] -= off;
        plan->volume_units[round][0] -= off;
        plan->round_units[round] -= off;
        units -= off;
    }
    ASSERT(units == 0);
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
    if (error == ERR_OK) {
        take_off(&originator->plan, ports_units);
    }
    report->plan_ps = originator_now_ps(scatter) - start_ps;
    return error;
}

/* A kernel call's fixed time below 2^24 ps (17 us) does not count. */
#define SHORT_CALL_BITS 24u

static void fill_report(struct scatter *scatter, struct originator *originator)
{
    const struct scatter_costs *costs = scatter->costs;
    const struct rounds_plan *made = &originator->plan;
    struct wire_report *report = &originator->report;

    ASSERT(!report->advance || made->rounds < ROUNDS_MAX);
    report->phases = made->phases;
    report->rounds = made->rounds + report->advance;
    report->layers = true;
    for (unsigned layer = 0; layer <= made->phases; ++layer) {
        bool ahead = report->advance && layer > 0;

        report->share_units[layer] = ahead ? originator->advance.units : 0;
        report->volume_units[layer] =
            report->advance ? originator->advance_units[layer] : 0;
        for (unsigned round = 0; round < made->rounds; ++round) {
            report->share_units[layer] += made->share_units[round][layer];
            report->volume_units[layer] += made->volume_units[round][layer];
        }
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
    if (report->meanwhile) {
        report->makespan_ps = made->makespan_ps; /* includes the overhead */
    }
}

/* Sets result_ps[layer]: departure of outputs, ps from the scatter's start; 0
   if at once. */
static void plan_returns(const struct scatter *scatter,
                         const struct originator *originator,
                         uint64_t result_ps[])
{
    const uint32_t *volume_units = originator->report.volume_units;
    unsigned phases = originator->plan.phases;
    unsigned rounds = originator->plan.rounds;

    if (scatter->terms.output_varies || originator->report.meanwhile) {
        memset(result_ps, 0, (phases + 1) * sizeof *result_ps);
        return;
    }
    for (unsigned phase = 1; phase <= phases; ++phase) {
        result_ps[phase] = slots_return_ps(scatter, originator, phase, rounds,
                                           volume_units[phase] + rounds);
    }
    slots_time_returns(originator, result_ps, phases);
}

/* Returns the time, ps, from the last circuit's end to the makespan's end. */
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
                                report->startup_ps[plan->phases - 1]);
}

/* Stores the first tables, the job, then the tables of later rounds. */
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
        !(has_tail(scatter) && scatter_has_output(scatter))) {
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

/* Plans and stores the job. No reserve is kept if a node would get no units. */
static int plan_job(struct scatter *scatter, struct originator *originator)
{
    const struct rounds_plan *made = &originator->plan;
    uint32_t units = scatter->units;
    uint32_t reserve = tail_reserve(scatter, originator);
    int error;

    scatter->job.flags |= reserve > 0 ? WIRE_TAIL : 0;
    scatter->units -= reserve;
    error = plan(scatter, originator);
    scatter->units = units;
    if (error == ERR_OK && reserve > 0 &&
        (made->phases < scatter->job.phases ||
         made->volume_units[0][made->phases] == 0)) {
        reserve = 0;
        scatter->job.flags &= (uint8_t)~WIRE_TAIL;
        error = plan(scatter, originator);
    }
    if (error != ERR_OK) {
        return error;
    }
    fill_report(scatter, originator);
    if (reserve > 0) {
        error = tail_plan(scatter, originator, reserve);
    }
    if (error != ERR_OK) {
        return error;
    }
    if (!originator->report.advance && made->rounds > 1) {
        startups_receipts(scatter, originator, originator->report.startup_ps,
                          made->volume_units[0]);
    }
    return store_job(scatter, originator);
}

/* Software between rounds varies by up to 1 / ROUND_VARIES_PART of its time. */
#define ROUND_VARIES_PART 10u
#define ROUND_GAP_MAX_PS ((uint32_t)1 << 26) /* limit of round_gap_ps() */

/* Returns the extra gap, ps, before each later round: circuits may end late. */
static uint32_t round_gap_ps(const struct scatter *scatter,
                             const struct originator *originator)
{
    uint64_t gap_ps = originator->plan.phases * originator->input.transfer_ps +
                      scatter->costs->round_end_ps / ROUND_VARIES_PART;

    return fixed_smaller(gap_ps, ROUND_GAP_MAX_PS);
}

/* Sets split.share_units to the originator's units of all rounds. */
static int send_rounds(struct scatter *scatter, struct originator *originator)
{
    struct wire_report *report = &originator->report;
    uint32_t tables_bytes = WIRE_TABLES_BYTES(scatter->job.phases);
    struct circuit_segment passed_on = {originator->job - tables_bytes,
                                        tables_bytes + scatter->job_bytes};
    uint32_t first_gap_ps = scatter->pattern.cut.first_gap_ps;
    uint32_t share_units = 0;
    int error = ERR_OK;

    if (report->advance) { /* count from the advance's start */
        report->makespan_ps +=
            originator_now_ps(scatter) - report->scatter_start_ps;
    }
    wire_job_store_gather(
        originator->job,
        slots_gather_ps(scatter, originator, report->scatter_start_ps));
    scatter->job_data = originator->job;
    scatter->round = report->advance;
    pattern_expect(scatter);
    for (unsigned round = 0; error == ERR_OK && round < originator->plan.rounds;
         ++round) {
        if (round > 0) {
            scatter->round += 1;
            scatter_skip(scatter, scatter->units);
            /* The job lies between the tables of the first two rounds. */
            passed_on.data += passed_on.bytes;
            passed_on.bytes = tables_bytes;
            first_gap_ps += round_gap_ps(scatter, originator);
        }
        scatter->pattern.cut.first_gap_ps = first_gap_ps;
        if (round == 0 && report->advance) {
            scatter->pattern.cut.first_gap_ps +=
                advance_hold_ps(scatter, originator);
        }
        scatter->units = originator->plan.round_units[round];
        error = pattern_distribute(scatter, passed_on);
        share_units += scatter->split.share_units;
    }
    originator_set_range(scatter, &originator->order);
    scatter->round = report->advance;
    scatter->split.share_units = share_units;
    if (report->advance) {
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
    if (error == ERR_OK && has_tail(scatter)) {
        return tail_lead(scatter, originator);
    }
    if (error == ERR_OK) {
        error = measure_share(scatter, originator);
    }
    return error == ERR_OK ? scatter->policy->gather(scatter) : error;
}
