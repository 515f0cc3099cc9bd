/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/theory/meanwhile.h"

#include "qemu/theory/parts.h"
#include "scatter/plan/meanwhile.h"

#include <math.h>

/* most steps into which the planner divides a ps, if its range allows them */
#define FINER 1024u

struct phases {
    unsigned count;
    bool passed_on; /* true: nodes store and forward messages in some phase */
    uint64_t longest_ps;     /* longest startup of a phase */
    long double startups_ps; /* sum of all phases' startups */
};

static struct phases phases_of(const struct theory_input *input)
{
    struct phases phases = {.count = input->phases_fixed ? input->phases_want
                                                         : input->phases_max};

    for (unsigned i = 0; i < phases.count && i < input->phases_max; ++i) {
        uint64_t startup_ps = input->startup_ps[i];

        phases.passed_on |= input->stages[i] > 1;
        phases.startups_ps += (long double)startup_ps;
        if (startup_ps > phases.longest_ps) {
            phases.longest_ps = startup_ps;
        }
    }
    return phases;
}

/* Returns about the longest time, ps, that a node computes or a port sends. */
static uint64_t longest(const struct theory_input *input)
{
    struct phases phases = phases_of(input);
    long double load = (long double)input->load_units;
    long double work_ps =
        (long double)input->compute_ps * load / powl(5, phases.count);
    long double in_ps = (long double)input->transfer_ps * load / 4;
    long double out_ps =
        in_ps * input->results_numerator / input->results_denominator;
    long double most_ps =
        fmaxl(fmaxl(work_ps, in_ps), fmaxl(out_ps, phases.startups_ps));

    return most_ps < (long double)MEANWHILE_ALL_MAX_PS ? (uint64_t)most_ps + 1
                                                       : MEANWHILE_ALL_MAX_PS;
}

/* Returns the largest factor, up to `most`, by which all times may be
   multiplied within the ranges of the boards' planner
   (scatter/plan/meanwhile.h). */
static uint64_t room_of(const struct theory_input *input, uint64_t most)
{
    const struct {
        quad time_ps;
        uint64_t most_ps;
    } rows[] = {
        {input->compute_ps, PLANNER_TIME_MAX_PS},
        {input->transfer_ps, PLANNER_TIME_MAX_PS},
        {(quad)input->transfer_ps * input->results_numerator,
         PLANNER_TIME_MAX_PS},
        {phases_of(input).longest_ps, PLANNER_STARTUP_MAX_PS},
        {(quad)input->compute_ps * (quad)input->load_units,
         PLANNER_LOAD_MAX_PS},
        {longest(input), MEANWHILE_ALL_MAX_PS - 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        if (rows[i].time_ps * (quad)most > (quad)rows[i].most_ps) {
            most = quad_floor((quad)rows[i].most_ps / rows[i].time_ps, 0);
        }
    }
    return most;
}

const char *theory_meanwhile_limit(const struct theory_input *input,
                                   unsigned rounds)
{
    struct phases phases = phases_of(input);

    if (rounds > ROUNDS_MAX) {
        return "at most 16 rounds";
    }
    if (input->load_units > PLANNER_UNITS_MAX) {
        return "at most 4294967295 units";
    }
    if (phases.count > ROUNDS_PHASES_MAX) {
        return "at most 10 phases";
    }
    if (phases.passed_on) {
        return "circuits, not for store-and-forward";
    }
    return room_of(input, 1) > 0
               ? NULL
               : "times of at most 1.1 s a unit and of 5 hours of "
                 "each node and port in all";
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Returns the factor by which all times are multiplied for the boards' planner.
   It takes whole picoseconds, but a unit's output may take a fraction of one.
   The factor makes that fraction whole. It is FINER times that, as the planner
   also divides by units, but less where times would leave the planner's
   range. */
static uint64_t scale_of(const struct theory_input *input)
{
    uint64_t output = input->transfer_ps * input->results_numerator;
    uint64_t whole = input->results_denominator /
                     common_divisor(output, input->results_denominator);
    uint64_t room = room_of(input, FINER * whole);

    return room < whole ? room : room / whole * whole;
}

/* Returns the job for the boards' planner, with all times multiplied by
   `scale`. An output's transfer time is rounded up. */
static struct plan_job job_of(const struct theory_input *input, uint64_t scale)
{
    unsigned phases = phases_of(input).count;
    uint64_t output = input->transfer_ps * input->results_numerator * scale;
    struct plan_job job = {.load_units = (uint32_t)input->load_units,
                           .compute_ps = input->compute_ps * scale,
                           .transfer_ps = input->transfer_ps * scale,
                           .output_ps =
                               output / input->results_denominator +
                               (output % input->results_denominator != 0),
                           .phases = (uint8_t)phases};

    for (unsigned i = 0; i < phases; ++i) {
        job.startup_ps[i] = input->startup_ps[i] * scale;
        job.back_ps += job.startup_ps[i];
    }
    return job;
}

/* ---- receipts ---- */

/* A port of the originator and the nodes that it reaches, as
   scatter/plan/meanwhile.h models them. Times are in ps. */
struct port {
    const struct theory_input *input;
    const struct rounds_plan *made;
    long double startups_ps; /* sum of all phases' startups */
    /* time when the port has sent and received all so far */
    long double free_ps;
    long double computed_ps[ROUNDS_MAX]; /* time when each round is computed */
    unsigned sent; /* number of rounds that the port has sent */
    unsigned turn; /* number of results that the port has received */
};

static long double units_of(const struct port *port, unsigned round)
{
    long double units = 0;

    for (unsigned i = 1; i <= port->made->phases; ++i) {
        units += port->made->volume_units[round][i];
    }
    return units;
}

static long double nodes_behind(const struct port *port)
{
    return (powl(5, port->made->phases) - 1) / 4;
}

/* Receives the next results. In N phases the port sends to N nodes. 4^d C(N,
   d+1) nodes lie d steps behind these N; in turn t they return the results of
   round t - d. */
static void take_in(struct port *port)
{
    const struct theory_input *input = port->input;
    unsigned phases = port->made->phases;
    long double nodes = phases;
    long double units = 0;

    for (unsigned d = 0; d < phases && d <= port->turn; ++d) {
        units += nodes * units_of(port, port->turn - d);
        nodes *= 4.0L * (phases - d - 1) / (d + 2);
    }
    units *= (long double)input->results_numerator / input->results_denominator;
    port->free_ps += port->startups_ps + (long double)input->transfer_ps *
                                             units / nodes_behind(port);
    port->turn += 1;
}

static void send(struct port *port)
{
    const struct theory_input *input = port->input;
    unsigned round = port->sent;
    long double units = units_of(port, round);
    long double begin_ps;

    port->free_ps +=
        port->startups_ps + (long double)input->transfer_ps * units;
    begin_ps = port->free_ps;
    if (round > 0 && port->computed_ps[round - 1] > begin_ps) {
        begin_ps = port->computed_ps[round - 1];
    }
    port->computed_ps[round] =
        begin_ps + (long double)input->compute_ps * units / nodes_behind(port);
    port->sent += 1;
}

/* Receives all results that are computed by now, then sends the next round.
   Returns when this send begins, ps. */
static long double next_round(struct port *port)
{
    long double begin_ps;

    while (port->turn < port->sent &&
           port->computed_ps[port->turn] <= port->free_ps) {
        take_in(port);
    }
    begin_ps = port->free_ps;
    send(port);
    return begin_ps;
}

/* ---- the plan ---- */

/* Sets a round's parts, one a layer. end_ps is when the round's first phase
   begins. */
static void set_round(struct theory_part part[], long double end_ps,
                      const struct rounds_plan *made, unsigned round,
                      const struct theory_input *input)
{
    for (unsigned layer = 0; layer <= made->phases; ++layer) {
        uint32_t volume = made->volume_units[round][layer];
        uint32_t share = made->share_units[round][layer];

        if (layer > 0) {
            end_ps += (long double)input->startup_ps[layer - 1] +
                      (long double)input->transfer_ps * volume;
        }
        part[layer] = (struct theory_part){
            .nodes = theory_layer_nodes(layer),
            .volume_units = volume,
            .share_units = share,
            .volume_floor = volume,
            .share_floor = share,
            .end_ps = layer > 0 ? (uint64_t)(end_ps + 0.5L) : 0};
    }
}

static void set_rounds(struct theory_detail *detail,
                       const struct rounds_plan *made,
                       const struct theory_input *input)
{
    struct port port = {.input = input,
                        .made = made,
                        .startups_ps = phases_of(input).startups_ps};
    unsigned layers = made->phases + 1u;

    for (unsigned r = 0; r < made->rounds; ++r) {
        set_round(&detail->part[r * layers], next_round(&port), made, r, input);
    }
}

static void set_plan(struct theory_plan *plan, struct theory_detail *detail,
                     const struct rounds_plan *made,
                     const struct theory_input *input, uint64_t scale)
{
    *plan = (struct theory_plan){
        .phases = made->phases,
        .phases_feasible = made->phases,
        .rounds = made->rounds,
        .makespan_ps =
            made->makespan_ps / scale + (made->makespan_ps % scale != 0),
        .speedup = (double)input->compute_ps * (double)input->load_units *
                   (double)scale / (double)made->makespan_ps};
    theory_detail_make(detail, false, 1, plan);
    set_rounds(detail, made, input);
    theory_parts_add(plan, detail);
}

int theory_plan_meanwhile(struct theory_plan *plan,
                          struct theory_detail *detail, uint64_t *time_ps,
                          const struct theory_input *input, unsigned rounds)
{
    struct plan_job job;
    struct rounds_plan made;
    uint64_t scale;
    uint64_t before;

    if (phases_of(input).count > input->phases_max ||
        theory_meanwhile_limit(input, rounds) != NULL) {
        return ERR_PHASES;
    }
    scale = scale_of(input);
    before = *time_ps > UINT64_MAX / scale ? UINT64_MAX : *time_ps * scale;
    job = job_of(input, scale);
    if (meanwhile_plan(&made, &before, &job, rounds, rounds) != ERR_OK) {
        return ERR_PHASES;
    }
    set_plan(plan, detail, &made, input, scale);
    *time_ps = plan->makespan_ps;
    return ERR_OK;
}
