/* SPDX-License-Identifier: Apache-2.0 */
/* The originator: order, calibration, plan, and the report at the end. */
#include "scatter/lead.h"

#include <string.h>

/* Calibration runs the kernel on windows spread evenly over the load. */
#define SAMPLES 8u
#define SAMPLE_BYTES_MAX 4096u
#define SAMPLE_BYTES_MIN 16u
#define PROBE_BYTES 64u
#define SAMPLE_PS_MAX ((uint64_t)12 * 1000 * 1000 * 1000) /* 12 ms each */

/* The library's strcmp() is 400 bytes longer. */
static bool same_name(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a += 1;
        b += 1;
    }
    return *a == *b;
}

static int find_kernel(struct scatter *scatter, const char *name)
{
    for (uint8_t i = 0; i < scatter->kernel_count; ++i) {
        if (same_name(scatter->kernels[i]->name, name)) {
            scatter->kernel = scatter->kernels[i];
            scatter->job.kernel = i;
            return ERR_OK;
        }
    }
    return ERR_KERNEL;
}

/* Whether the node has room for what the kernel says that it makes. */
static int check_terms(const struct scatter *scatter, const struct lead *lead)
{
    const struct kernel_terms *terms = &scatter->terms;
    const uint8_t *room = scatter_result_room(scatter);
    const uint8_t *end = scatter->receive + scatter->receive_bytes;

    if (terms->result_bytes_max > SCATTER_RESULT_MAX ||
        terms->overlap_bytes > UINT16_MAX ||
        terms->output_numerator > KERNEL_OUTPUT_MAX ||
        terms->output_denominator > KERNEL_OUTPUT_MAX) {
        return ERR_KERNEL;
    }
    if (!lead->report.output) {
        return ERR_OK;
    }
    if (lead->order.tree_nodes > 0 ||
        (lead->order.rounds != 1 && lead->order.rounds != WIRE_BEST)) {
        return ERR_RANGE;
    }
    return room > end || kernel_output_at(terms, lead->order.load_bytes) >
                             (uint64_t)(end - room)
               ? ERR_MEMORY
               : ERR_OK;
}

static int begin_kernel(struct scatter *scatter, struct lead *lead)
{
    uint64_t start_ps = lead_now_ps(scatter);
    int error;

    if (scatter->kernel->work_bytes > SCATTER_WORK_MAX) {
        return ERR_KERNEL;
    }
    error = scatter->kernel->begin(scatter->memory->work, &scatter->terms,
                                   lead->order.arg, lead->order.arg_bytes);
    lead->report.begin_ps = lead_now_ps(scatter) - start_ps;
    if (error != KERNEL_OK) {
        return ERR_ARGUMENT;
    }
    lead->report.output = scatter->terms.output_denominator != 0;
    return check_terms(scatter, lead);
}

/* Time of the kernel on `units` from position `at` of the load. */
static uint64_t sample_ps(struct scatter *scatter, uint32_t at, uint32_t units)
{
    uint64_t start_ps = lead_now_ps(scatter);

    scatter_run_kernel(scatter, &scatter->result, at, units);
    return lead_now_ps(scatter) - start_ps;
}

/* Time per unit of samples that took `total_ps`, each with a fixed part. */
static uint64_t per_unit_ps(uint64_t total_ps, uint64_t fixed_ps,
                            uint32_t units)
{
    uint64_t compute_ps =
        total_ps > fixed_ps ? (total_ps - fixed_ps) / units : 0;

    return compute_ps > 0 ? compute_ps : 1;
}

/*
 * Compute time per unit, from samples that cover the load evenly. What a call
 * costs whatever the units is measured on a range of none, and left out.
 */
static uint64_t calibrate(struct scatter *scatter, struct lead *lead)
{
    uint32_t load = scatter->units;
    uint32_t probe = load < PROBE_BYTES ? load : PROBE_BYTES;
    uint32_t stride = load / SAMPLES;
    uint32_t units = stride < SAMPLE_BYTES_MAX ? stride : SAMPLE_BYTES_MAX;
    uint64_t fixed_ps;
    uint64_t probe_ps;
    uint64_t total_ps = 0;

    scatter->result.data = scatter_result_room(scatter);
    fixed_ps = sample_ps(scatter, 0, 0);
    lead->call_ps = fixed_ps;
    probe_ps = sample_ps(scatter, 0, probe);
    if (units < SAMPLE_BYTES_MIN) {
        return per_unit_ps(probe_ps, fixed_ps, probe);
    }
    while (units > SAMPLE_BYTES_MIN &&
           probe_ps * (units / SAMPLE_BYTES_MIN) > 4 * SAMPLE_PS_MAX) {
        units /= 2;
    }
    for (uint32_t i = 0; i < SAMPLES; ++i) {
        total_ps += sample_ps(scatter, i * stride, units);
    }
    return per_unit_ps(total_ps, SAMPLES * fixed_ps, SAMPLES * units);
}

/* How long phase i holds its circuits, besides the transfer of its units. */
static uint64_t circuit_ps(const struct scatter *scatter,
                           const struct lead *lead, unsigned phase)
{
    const struct wire_order *order = &lead->order;
    uint32_t hops =
        torus_path_hops(torus_phase_path(scatter->size, phase, TORUS_EAST));
    uint32_t head_bytes =
        SCATTER_HEAD_BYTES +
        wire_job_bytes(lead->input.phases_want, order->arg_bytes,
                       lead->report.output) +
        scatter->terms.overlap_bytes;

    return order->startup_ps + order->hop_delay_ps * hops +
           order->transfer_ps * head_bytes;
}

/* What a layer's outputs take on their way back, besides their transfer: the
   circuit, and the parent's taking four of them in. */
static uint64_t return_ps(const struct scatter *scatter,
                          const struct lead *lead, unsigned phase)
{
    const struct wire_order *order = &lead->order;
    uint32_t hops =
        torus_path_hops(torus_phase_path(scatter->size, phase, TORUS_EAST));

    return order->startup_ps + order->hop_delay_ps * hops +
           order->transfer_ps * CIRCUIT_HEADER_BYTES +
           TORUS_PORTS * (uint64_t)scatter->costs->merge_ps;
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
            circuit_ps(scatter, lead, phase) + scatter->costs->parse_ps +
            (lead->report.output ? return_ps(scatter, lead, phase) : 0);
    }
}

/* One round: begin() is one more thing that the originator does not do. */
static int plan_one(struct lead *lead, struct planner_plan *one)
{
    struct planner_input input = lead->input;

    input.startup_ps[0] += lead->report.begin_ps;
    return planner_plan(one, &input);
}

/* When a layer is planned to have received its first volume. */
static void plan_receipts(const struct scatter *scatter, struct lead *lead)
{
    const struct scatter_costs *costs = scatter->costs;
    uint64_t *received_ps = lead->report.received_ps;

    for (unsigned phase = 1; phase <= lead->plan.phases; ++phase) {
        received_ps[phase] =
            received_ps[phase - 1] + circuit_ps(scatter, lead, phase) +
            lead->input.transfer_ps * lead->plan.volume_units[0][phase] +
            (phase == 1 ? costs->lead_ps : costs->parse_ps + costs->phase_ps);
    }
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

/* The best number of rounds for so many phases; ERR_PHASES if infeasible. */
static int choose_rounds(const struct scatter *scatter, struct lead *lead,
                         unsigned phases, struct choice *best)
{
    struct choice choice = {.phases = phases, .rounds = 1};
    struct planner_plan one;
    int error = ERR_PHASES;

    set_startups(scatter, lead, phases);
    if (lead->order.rounds == 1 || lead->order.rounds == WIRE_BEST) {
        error = plan_one(lead, &one);
        if (error == ERR_OK) {
            choice.makespan_ps = one.makespan_ps + scatter->costs->again_ps +
                                 phases * (uint64_t)scatter->costs->phase_ps;
            prefer(best, &choice);
        }
    }
    if (lead->order.rounds != 1 && phases > 0 && !lead->report.output) {
        struct rounds_input input = rounds_input(scatter, lead);
        int found = rounds_best(&choice.rounds, &choice.makespan_ps, &input);

        if (found == ERR_OK) {
            prefer(best, &choice);
            error = ERR_OK;
        }
    }
    return error;
}

/* Every number of phases has its own header; one round is best with most. */
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
            if (lead->order.rounds == 1) {
                break;
            }
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
    if (choice->rounds > 1) {
        input = rounds_input(scatter, lead);
        error = rounds_plan(&lead->plan, &input, choice->rounds);
        if (error != ERR_PHASES || lead->order.rounds != WIRE_BEST) {
            return error;
        }
    }
    error = plan_one(lead, &one);
    if (error == ERR_OK) {
        rounds_of_one(&lead->plan, &one, lead->input.load_units);
    }
    return error;
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
    lead->input.results_numerator = scatter->terms.output_numerator;
    lead->input.results_denominator = scatter->terms.output_denominator;
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

    report->phases = made->phases;
    report->rounds = made->rounds;
    for (unsigned round = 0; round < made->rounds; ++round) {
        for (unsigned layer = 0; layer <= made->phases; ++layer) {
            report->share_units[layer] += made->share_units[round][layer];
            report->volume_units[layer] += made->volume_units[round][layer];
        }
    }
    for (unsigned phase = 1; phase <= made->phases; ++phase) {
        report->startup_ps[phase - 1] = lead->input.startup_ps[phase - 1];
    }
    report->startup_ps[0] += made->rounds == 1 ? report->begin_ps : 0;
    report->overhead_ps = costs->start_ps;
    if (made->phases > 0) {
        report->overhead_ps += costs->lead_ps +
                               (uint64_t)costs->phase_ps *
                                   (made->phases * (uint64_t)made->rounds - 1) +
                               costs->again_ps * (made->rounds - 1u);
    }
    report->makespan_ps = made->makespan_ps + report->overhead_ps;
}

/* When each layer's outputs leave, from the start of the scatter: as late as
   they can be for the last to be there at the end of the makespan. */
static void plan_returns(const struct scatter *scatter, const struct lead *lead,
                         uint64_t result_ps[])
{
    const struct kernel_terms *terms = &scatter->terms;

    result_ps[0] = lead->report.makespan_ps;
    for (unsigned phase = 1; phase <= lead->plan.phases; ++phase) {
        uint64_t bytes =
            kernel_output_at(terms, (lead->plan.volume_units[0][phase] + 1u) *
                                        (uint64_t)lead->order.unit_bytes);
        uint64_t takes_ps = return_ps(scatter, lead, phase) +
                            lead->order.transfer_ps * (bytes + 1);

        result_ps[phase] = result_ps[phase - 1] > takes_ps
                               ? result_ps[phase - 1] - takes_ps
                               : 0;
    }
}

/* Writes the jobs. */
static int make_jobs(struct scatter *scatter, struct lead *lead)
{
    struct wire_job *job = &scatter->job;
    uint64_t result_ps[TORUS_PHASES_MAX + 1];
    uint32_t hops =
        torus_path_hops(torus_phase_path(scatter->size, 1, TORUS_EAST));
    int error;

    job->phases = lead->plan.phases;
    job->rounds = lead->plan.rounds;
    error = lead_set_slots(scatter, lead, hops);
    if (lead->report.output) {
        job->slot_us = 0;
        plan_returns(scatter, lead, result_ps);
    }
    for (unsigned round = 0; error == ERR_OK && round < job->rounds; ++round) {
        wire_job_store(scatter->memory->job[round], job,
                       lead->plan.share_units[round],
                       lead->plan.volume_units[round], result_ps);
    }
    scatter->job_bytes =
        wire_job_bytes(job->phases, job->arg_bytes, lead->report.output);
    return error;
}

static int plan_pattern(struct scatter *scatter, struct lead *lead)
{
    int error = plan(scatter, lead);

    if (error == ERR_OK) {
        adopt(scatter, lead);
        plan_receipts(scatter, lead);
        error = make_jobs(scatter, lead);
    }
    return error;
}

/* The originator's range is the whole load. */
static void hold_load(struct scatter *scatter, const struct wire_order *order)
{
    scatter->body = order->load;
    scatter->body_bytes = order->load_bytes;
    scatter->units = order->load_bytes / order->unit_bytes;
    scatter->first_unit = 0;
    scatter->job.unit_bytes = order->unit_bytes;
}

static int prepare(struct scatter *scatter, struct lead *lead)
{
    const struct wire_order *order = &lead->order;
    int error = find_kernel(scatter, order->kernel);

    if (error == ERR_OK && order->load_bytes == 0) {
        error = ERR_EMPTY;
    }
    hold_load(scatter, order);
    if (error == ERR_OK) {
        error = begin_kernel(scatter, lead);
    }
    if (error == ERR_OK) {
        lead->report.compute_ps = calibrate(scatter, lead);
        error = order->tree_nodes > 0 ? lead_plan_tree(scatter, lead)
                                      : plan_pattern(scatter, lead);
    }
    return error;
}

/* Before a round: what rounding adds at most to the circuits elsewhere that
   must be gone by then, one unit in every phase. 2^26 ps suffice. */
static uint32_t round_gap_ps(const struct lead *lead)
{
    uint64_t gap_ps = lead->plan.phases * lead->input.transfer_ps;

    return gap_ps < 1u << 26 ? (uint32_t)gap_ps : 1u << 26;
}

/* Queues all rounds; the originator's own share is part of the first. */
static int send_rounds(struct scatter *scatter, const struct lead *lead,
                       uint64_t start_ps)
{
    const struct wire_order *order = &lead->order;
    uint64_t gather_ps = lead_gather_ps(scatter, lead, start_ps);
    uint32_t own_units = 0;
    int error = ERR_OK;

    for (unsigned round = 0; error == ERR_OK && round < lead->plan.rounds;
         ++round) {
        if (round > 0) {
            scatter->message[1].gap_ps += round_gap_ps(lead);
        }
        scatter->round = round;
        scatter->job_data = scatter->memory->job[round];
        wire_job_store_gather(scatter->memory->job[round], gather_ps);
        scatter->units = lead->plan.round_units[round];
        error = scatter_distribute(scatter);
        own_units += scatter->split.own_units;
        scatter->first_unit += scatter->units;
        scatter->body += scatter->units * order->unit_bytes;
        scatter->body_bytes -= scatter->units * order->unit_bytes;
    }
    hold_load(scatter, &lead->order);
    scatter->round = 0;
    scatter->split.own_units = own_units;
    return error;
}

/* The timed part: time zero is just before the first send is queued. */
static int carry_out(struct scatter *scatter, struct lead *lead)
{
    struct wire_report *report = &lead->report;
    uint64_t start_ps = lead_now_ps(scatter);
    bool tree = lead->order.tree_nodes > 0;
    int error;

    events_record(scatter->window, start_ps, EVENT_SCATTER_START, 0,
                  scatter->units);
    report->scatter_start_ps = start_ps;
    error = tree ? lead_send_tree(scatter, lead, start_ps)
                 : send_rounds(scatter, lead, start_ps);
    if (error == ERR_OK) {
        error = scatter_compute(scatter);
    }
    if (error == ERR_OK) {
        error = tree ? relay_gather(scatter) : scatter_gather(scatter);
    }
    report->gather_done_ps = lead_now_ps(scatter);
    return error;
}

static int send_report(struct scatter *scatter, struct lead *lead, int error)
{
    struct circuit_message message = {
        .kind = WIRE_REPORT,
        .shared = {scatter->memory->report, wire_report_bytes(&lead->report)}};

    lead->report.error = error;
    wire_report_store(scatter->memory->report, &lead->report, &lead->plan);
    if (error == ERR_OK) {
        message.body[0].data = scatter->result.data;
        message.body[0].bytes = scatter->result.bytes;
    }
    return circuit_send(scatter->circuit, 1u << CIRCUIT_HOST, &message);
}

int scatter_lead(struct scatter *scatter)
{
    struct circuit_delivery delivery;
    struct lead lead;
    int sent;
    int error;

    memset(&lead, 0, sizeof lead);
    scatter->window->status.state = WINDOW_STATE_WAITING;
    error = circuit_receive(scatter->circuit, &delivery, 1u << CIRCUIT_HOST,
                            scatter->receive, scatter->receive_bytes);
    if (error != ERR_OK) {
        return error;
    }
    scatter->window->status.state = WINDOW_STATE_PLANNING;
    scatter->circuit->job = delivery.job;
    error = delivery.kind == WIRE_ORDER
                ? wire_order_load(&lead.order, delivery.payload, delivery.bytes)
                : ERR_PROTOCOL;
    if (error == ERR_OK) {
        error = prepare(scatter, &lead);
    }
    if (error == ERR_OK) {
        scatter->window->status.state = WINDOW_STATE_SCATTERING;
        error = carry_out(scatter, &lead);
    }
    sent = send_report(scatter, &lead, error);
    return error == ERR_OK ? sent : error;
}
