/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/measure.h"

#include "scatter/engine/compute.h"
#include "scatter/plan/fixed.h"

#include <string.h>

/* What is computed takes, by the kernel's own estimate, so long, or is this
   part of what each node would get, if that is more. */
#define PIECE_PS 16000000u /* 16 us */
#define PIECE_PART 64u
/* Or, while the others compute an advance, this part of that. */
#define ADVANCED_PART 4u
/* Many kernels go by some units at once: so many, or a part of them. Samples
   are whole blocks, and pieces too if they have so many. */
#define BLOCK_UNITS 8u
#define BLOCKS_MIN 8u
/* Where units read what lies before them pieces have so many blocks at least,
   behind the units at the load's begin. */
#define EDGED_UNITS (2 * BLOCK_UNITS)
/* Each call computes at most this part of that, whatever the kernel takes. */
#define MOST_OF_A_SHARE 8u
/* In a load of few units it is one unit, if that takes no longer. */
#define ONE_UNIT_PS 20000000u /* 20 us */
/* A unit that takes so many times what the kernel estimates, or as much less,
   does not tell what others take. */
#define UNLIKELY_BITS 2u
/* The planners take a transfer time of less than 2^16 times the compute time.
 */
#define RATIO_BITS 15u
/* A part's head and a short result take so many bytes, roughly. */
#define HEAD_BYTES 100u
/* An announcement and a part along a tree have places of a quarter of it. */
#define PLACE_BYTES 3u
#define RESULT_BYTES 272u
/* A run() of few units may take so much longer than they are estimated to, by
   its fixed part. */
#define CALL_PS 20000000u /* 20 us */
/* An order's rate is at most 2^6 times the kernel's own estimate, or as much
   less, if it has one. */
#define LIKELY_BITS 6u
/* A share of fewer units does not tell the rate of the next job. */
#define KEPT_UNITS_MIN 16u

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Compute time of a unit by the kernel's own estimate; 1 ps if it has none. */
static uint64_t estimate_ps(const struct scatter *scatter)
{
    uint64_t unit_ps = scatter->terms.instructions_per_1000_units *
                       scatter->costs->instruction_ps / 1000;

    return unit_ps > 0 ? unit_ps : 1;
}

/* Units of each node if all got the same. */
static uint32_t mean_share(const struct scatter *scatter)
{
    return scatter->units / torus_nodes(scatter->size);
}

/* Units to compute: 0 if the estimate must do. */
static uint32_t piece_units(const struct scatter *scatter,
                            const struct originator *originator)
{
    uint64_t estimated_ps = originator->report.compute_ps;
    uint32_t share = mean_share(scatter);
    uint64_t part = originator->advance.units > 0
                        ? originator->advance.units / ADVANCED_PART
                    : scatter->policy->asks ? 0
                                            : share / PIECE_PART;
    uint64_t units = PIECE_PS / estimated_ps;
    uint32_t most;

    if (share < 4 * MOST_OF_A_SHARE) {
        return scatter->units > 1 && estimated_ps <= ONE_UNIT_PS;
    }
    units = units > part ? units : part;
    most = share / MOST_OF_A_SHARE - 1;
    if (most < part) {
        most = (uint32_t)part; /* of an advance */
    }
    if (units < EDGED_UNITS && most >= EDGED_UNITS &&
        scatter->terms.before_bytes > 0) {
        units = EDGED_UNITS;
    }
    return 1 + smaller((uint32_t)(units < share ? units : share), most);
}

/* Computes the first units of the range and takes them off; `*piece_ps` is the
   time of the kernel. */
static int compute_piece(struct scatter *scatter, struct originator *originator,
                         uint32_t units, uint64_t *piece_ps)
{
    struct kernel_result result;
    uint64_t start_ps = originator_now_ps(scatter);
    int error = compute_run(scatter, &result, units);

    *piece_ps = originator_now_ps(scatter) - start_ps;
    originator->report.measure_ps += *piece_ps;
    if (error == ERR_OK) {
        error = compute_keep(scatter, &result);
    }
    if (error == ERR_OK) {
        originator_take_off(scatter, originator, units);
        originator->report.measured_units += units;
    }
    return error;
}

/* What the planners take for a unit's compute time at least: one that takes so
   little beside its transfer is not sent away anyway. */
static uint64_t least_ps(const struct wire_order *order)
{
    uint64_t least = order->transfer_ps * order->unit_bytes >> RATIO_BITS;

    return least > 0 ? least : 1;
}

/*
 * Sets the rate from the times of a call of `few` units and of one of `more`
 * units than that. On boards with real time the first may be the longer one, by
 * an interrupt or because both are less than a tick of the clock; then all that
 * was computed, and all the time that it took, tell the rate.
 */
static void set_rate(struct originator *originator, uint32_t few,
                     uint64_t few_ps, uint32_t more, uint64_t piece_ps)
{
    struct wire_report *report = &originator->report;

    if (few_ps < piece_ps) {
        uint64_t units_ps;

        report->compute_ps = (piece_ps - few_ps) / more;
        units_ps = few * report->compute_ps;
        report->call_ps = few_ps > units_ps ? few_ps - units_ps : 0;
    } else {
        report->compute_ps = report->measure_ps / report->measured_units;
    }
}

/* The time of a call for no units, whose result is dropped. */
static int measure_call(struct scatter *scatter, uint64_t *call_ps)
{
    struct kernel_result none;
    uint64_t start_ps = originator_now_ps(scatter);
    int error = compute_run(scatter, &none, 0);

    *call_ps = originator_now_ps(scatter) - start_ps;
    return error;
}

/* One unit alone, and before it none. */
static int measure_one(struct scatter *scatter, struct originator *originator)
{
    uint64_t call_ps;
    uint64_t piece_ps = 0;
    int error = measure_call(scatter, &call_ps);

    if (error == ERR_OK) {
        error = compute_piece(scatter, originator, 1, &piece_ps);
    }
    if (error == ERR_OK) {
        set_rate(originator, 0, call_ps, 1, piece_ps);
    }
    return error;
}

/* Half of a long piece are samples from so many places of the load, each of
   which is estimated to take at least so long: what a unit takes may depend on
   where it lies. Their results are dropped. */
#define SAMPLES_MIN 3u
#define SAMPLES_MAX 7u
#define SAMPLE_PS 16000000u /* 16 us */
/* A call of each takes at most this part of a share. */
#define SAMPLED_CALLS 64u
/* Units that take so long are no part of such a block: the samples of many of
   them are one unit each, beside the piece. */
#define SINGLE_PS 2000000u /* 2 us */
#define SINGLE_SHARE_MIN 100u
#define SINGLE_PART 32u
/* What differs by less than this part is the clock's doing. */
#define SAME_PART 32u

/* A first call of so long is not measured again. */
#define LONG_CALL_BITS 27u

/* Whether samples can be taken of a piece of so many units. */
static bool is_long(const struct originator *originator, uint32_t units)
{
    return units >= 2 * SAMPLES_MIN * BLOCK_UNITS &&
           units * originator->report.compute_ps >=
               (uint64_t)2 * SAMPLES_MIN * SAMPLE_PS;
}

/* Samples beside a piece of so many units, and the units of each. */
static uint32_t samples_of(const struct scatter *scatter,
                           const struct originator *originator, uint32_t units,
                           uint32_t *sample_units)
{
    uint64_t unit_ps = originator->report.compute_ps;
    uint64_t samples = units * unit_ps / SAMPLE_PS;
    uint32_t most = smaller(SAMPLES_MAX, units / BLOCK_UNITS);

    if (mean_share(scatter) * unit_ps / SAMPLED_CALLS <
        originator->report.call_ps) {
        return 0;
    }
    if (most < SAMPLES_MIN && unit_ps >= SINGLE_PS &&
        originator->order.reserve == WIRE_BEST &&
        mean_share(scatter) >= SINGLE_SHARE_MIN) {
        *sample_units = 1;
        return smaller(SAMPLES_MAX, mean_share(scatter) / SINGLE_PART);
    }
    if (samples > most) {
        samples = most;
    }
    if (samples < SAMPLES_MIN || scatter->policy->asks || originator->alone) {
        return 0;
    }
    *sample_units = units / (uint32_t)samples / BLOCK_UNITS * BLOCK_UNITS;
    return (uint32_t)samples;
}

/* The time of a sample that begins `skip` units behind the range's begin. */
static int compute_sample(struct scatter *scatter,
                          const struct originator *originator, uint32_t skip,
                          uint32_t units, uint64_t *sample_ps)
{
    struct kernel_result none;
    uint64_t start_ps;
    int error;

    scatter_skip(scatter, skip);
    start_ps = originator_now_ps(scatter);
    error = compute_run(scatter, &none, units);
    *sample_ps = originator_now_ps(scatter) - start_ps;
    originator_set_range(scatter, &originator->order);
    return error;
}

/* Makes the rate the mean of the first piece's and the samples' rates, and
   notes by how much the highest exceeds the lowest. */
static int sample_load(struct scatter *scatter, struct originator *originator,
                       uint32_t samples, uint32_t units)
{
    struct wire_report *report = &originator->report;
    uint64_t sum_ps = report->compute_ps;
    uint64_t least_ps = sum_ps;
    uint64_t most_ps = sum_ps;

    for (uint32_t i = 1; i <= samples; ++i) {
        uint64_t sample_ps = 0;
        uint64_t unit_ps;
        int error = compute_sample(scatter, originator,
                                   scatter->units / (samples + 1) * i, units,
                                   &sample_ps);

        if (error != ERR_OK) {
            return error;
        }
        report->sampled_ps += sample_ps;
        unit_ps = sample_ps > report->call_ps
                      ? (sample_ps - report->call_ps) / units
                      : 0;
        sum_ps += unit_ps;
        least_ps = unit_ps < least_ps ? unit_ps : least_ps;
        most_ps = unit_ps > most_ps ? unit_ps : most_ps;
    }
    report->measure_ps += report->sampled_ps;
    if (most_ps - least_ps > report->compute_ps / SAME_PART) {
        report->compute_ps = sum_ps / (samples + 1);
        originator->varies_ps = most_ps - least_ps;
        originator->unlikely = originator->varies_ps > report->compute_ps;
    }
    return ERR_OK;
}

/* Units at the load's begin: they lack what the kernel reads before others, and
   may take another time. One if they are more than `units`. */
static uint32_t edge_units(const struct scatter *scatter,
                           const struct originator *originator, uint32_t units)
{
    uint32_t unit_bytes = originator->order.unit_bytes;
    uint32_t edge =
        unit_bytes > 0 ? scatter->terms.before_bytes / unit_bytes : 0;

    return edge > 0 && edge <= units ? edge : 1;
}

/*
 * Few units, then so many: what they differ by is free of a call's fixed part.
 * The few are a block, as a kernel that goes by blocks does a single unit in
 * another way; one unit where there are not enough for that. The very first
 * call is slower than all others (caches; on an emulator translation), so the
 * units at the load's begin go ahead of both, or are the few where that is lost
 * in what they take; and where so many units take less than the estimate says,
 * more follow.
 */
static int measure_piece(struct scatter *scatter, struct originator *originator,
                         uint32_t units)
{
    uint32_t most = mean_share(scatter) / MOST_OF_A_SHARE;
    unsigned pieces = 3;
    uint32_t few = 1;
    uint32_t first = edge_units(scatter, originator, units);
    uint32_t sample_units = 0;
    uint32_t samples = 0;
    bool half = is_long(originator, units);
    uint64_t few_ps = 0;
    uint64_t piece_ps = 0;
    int error;

    if (half) {
        units -= units / 2;
    }
    if (units >= (first > 1 ? EDGED_UNITS : BLOCKS_MIN * BLOCK_UNITS)) {
        few = BLOCK_UNITS;
        units -= units % BLOCK_UNITS;
    }
    error = compute_piece(scatter, originator, first, &few_ps);
    if (few_ps >> LONG_CALL_BITS > 0 && first < units) {
        few = first;
    } else if (error == ERR_OK) {
        error = compute_piece(scatter, originator, few, &few_ps);
    }
    if (error == ERR_OK) {
        error = compute_piece(scatter, originator, units, &piece_ps);
    }
    while (error == ERR_OK && piece_ps < few_ps + PIECE_PS / 4 &&
           units < most / 4 && pieces < MEASURE_PIECES_MAX - 2) {
        units *= 4;
        ++pieces;
        error = compute_piece(scatter, originator, units, &piece_ps);
    }
    if (error != ERR_OK) {
        return error;
    }
    set_rate(originator, few, few_ps, units - few, piece_ps);
    if (half || originator->order.reserve == WIRE_BEST) {
        /* Which depends on them. */
        samples = samples_of(scatter, originator, units, &sample_units);
    }
    return sample_load(scatter, originator, samples, sample_units);
}

/* ---- jobs that are too small for a mesh ---- */

/* Time of a circuit over two hops with so many bytes. */
static uint64_t circuit_ps(const struct wire_order *order, uint32_t bytes)
{
    return order->startup_ps + 2 * order->hop_delay_ps +
           bytes * order->transfer_ps;
}

/* Bytes of a unit's output, rounded down. */
static uint32_t output_bytes(const struct scatter *scatter)
{
    const struct kernel_terms *terms = &scatter->terms;

    return scatter_makes_output(terms)
               ? (uint32_t)terms->output_numerator / terms->output_denominator
               : 0;
}

/* Whether a unit that is sent away costs more than computing it here: at the
   ports, if outputs return when all is computed, and of the processor, if ports
   take of its time. */
static bool is_dear_to_send(const struct scatter *scatter,
                            const struct wire_order *order, uint64_t unit_ps)
{
    const struct scatter_costs *costs = scatter->costs;
    bool meanwhile = order->tree_nodes == 0 && costs->plan_meanwhile != NULL;
    uint32_t back_bytes = output_bytes(scatter);
    uint64_t back_ps = meanwhile ? 0 : order->transfer_ps * back_bytes;
    uint64_t own_ps =
        (uint64_t)costs->port_byte_ps * (order->unit_bytes + back_bytes);

    return back_ps > order->ports * unit_ps || own_ps > unit_ps;
}

/* Time in which results come back: two circuits where they are all long, else
   four; as long as may be if a child's is expected to grow beyond short ones,
   since its slot is. */
static uint64_t results_ps(const struct scatter *scatter,
                           const struct wire_order *order)
{
    const struct kernel_terms *terms = &scatter->terms;
    bool grow = (uint64_t)scatter->units * terms->result_bytes_per_1000_units >
                1000u * TORUS_PORTS * SCATTER_SHORT_BYTES;

    return (terms->result_fixed ? 2u : 4u) *
           circuit_ps(order, terms->result_fixed || grow
                                 ? terms->result_bytes_max
                                 : RESULT_BYTES);
}

/*
 * Whether the originator alone would have the answer before a plan is made, two
 * circuits have gone out, four have come back (two wait for their slot, which
 * those that are all long do not) and results are merged. Its P ports take at
 * least transfer / (transfer + P compute) of its time besides: units * compute
 * <= mesh (1 + transfer / P compute).
 */
static bool is_small(const struct scatter *scatter,
                     const struct originator *originator, uint64_t unit_ps)
{
    const struct wire_order *order = &originator->order;
    const struct scatter_costs *costs = scatter->costs;
    uint64_t transfer_ps =
        order->transfer_ps * (order->unit_bytes + output_bytes(scatter));
    uint32_t sixteenths; /* of transfer / P compute */
    uint64_t mesh_ps;

    if (order->phases == 0) {
        return true;
    }
    if (scatter->policy->asks || order->phases != WIRE_BEST ||
        order->rounds != WIRE_BEST || (order->flags & WIRE_EQUAL_SHARES) != 0 ||
        order->ports - 1u >= TORUS_PORTS || transfer_ps > UINT32_MAX ||
        unit_ps > UINT32_MAX) {
        return false;
    }
    mesh_ps =
        costs->plan_ps + (uint64_t)order->tree_nodes * costs->plan_tree_ps / 2 +
        TORUS_PORTS * costs->result_merge_ps + costs->result_queue_ps +
        2 * circuit_ps(order, HEAD_BYTES + PLACE_BYTES * order->tree_nodes) +
        results_ps(scatter, order);
    sixteenths =
        (uint32_t)transfer_ps / ((uint32_t)unit_ps / (16u / order->ports) + 1);
    return scatter->units * unit_ps <= mesh_ps + mesh_ps * sixteenths / 16 ||
           is_dear_to_send(scatter, order, unit_ps);
}

/*
 * Computes a 512th, a 64th and an eighth of the load. As long as they take what
 * they should, the originator is to do the rest alone, at the rate by which
 * they differ; if the guess was too small, little is lost, and a better one
 * known.
 */
static int try_alone(struct scatter *scatter, struct originator *originator,
                     uint64_t guess_ps)
{
    struct wire_report *report = &originator->report;
    uint32_t all = scatter->units;
    uint64_t before_ps = 0;
    uint32_t before = 0;
    int error = ERR_OK;

    originator->alone = true;
    report->compute_ps = guess_ps;
    for (uint32_t part = scatter->terms.result_fixed ? 64 : 512;
         part >= 8 && originator->alone; part /= 8) {
        uint32_t units = all / part + 1;
        uint64_t piece_ps;

        if (units >= scatter->units) {
            break;
        }
        error = compute_piece(scatter, originator, units, &piece_ps);
        originator->alone =
            error == ERR_OK && piece_ps <= 2 * units * guess_ps + CALL_PS;
        if (!originator->alone) {
            report->compute_ps = piece_ps / units;
        } else if (before > 0 && units > before && piece_ps > before_ps) {
            report->compute_ps = (piece_ps - before_ps) / (units - before);
        }
        before_ps = piece_ps;
        before = units;
    }
    if (report->compute_ps == 0) {
        report->compute_ps = 1;
    }
    return error;
}

/* ---- rates that were measured before ---- */

/* Whether a rate may be this kernel's: outputs would return at times that are
   planned with a wrong one. */
static bool is_likely(const struct scatter *scatter, uint64_t compute_ps)
{
    uint64_t given_ps = 1000 * compute_ps;
    uint64_t estimated_ps = scatter->terms.instructions_per_1000_units *
                            scatter->costs->instruction_ps;

    return estimated_ps == 0 || (given_ps >> LIKELY_BITS <= estimated_ps &&
                                 estimated_ps >> LIKELY_BITS <= given_ps);
}

/* Whether the order has a rate, with which the planners can count. */
static bool is_given(const struct scatter *scatter,
                     const struct wire_order *order)
{
    return order->compute_ps > 0 && is_likely(scatter, order->compute_ps) &&
           fixed_product(order->compute_ps, scatter->units) <=
               PLANNER_LOAD_MAX_PS;
}

/* Whether the rate that the last job kept is this job's. */
static bool is_kept(const struct scatter *scatter,
                    const struct wire_order *order)
{
    const struct scatter_rate *rate = &scatter->rate;

    return rate->compute_ps > 0 && rate->kernel == scatter->announced.kernel &&
           rate->unit_bytes == order->unit_bytes &&
           rate->arg_bytes == order->arg_bytes &&
           memcmp(rate->arg, order->arg, order->arg_bytes) == 0;
}

/* Measures pieces, or takes the guess for a load of too few units. */
static int measure_guessed(struct scatter *scatter,
                           struct originator *originator)
{
    uint32_t units = piece_units(scatter, originator);
    int error;

    if (units == 0) {
        return ERR_OK;
    }
    /* The announcement is on its way. */
    error = circuit_quiet(scatter->circuit);
    if (error != ERR_OK) {
        return error;
    }
    return units == 1 ? measure_one(scatter, originator)
                      : measure_piece(scatter, originator, units);
}

int measure_guess(struct scatter *scatter, struct originator *originator)
{
    const struct scatter_rate *rate = &scatter->rate;
    const struct wire_order *order = &originator->order;
    bool given = is_given(scatter, order);
    bool kept = !given && is_kept(scatter, order);
    uint64_t guess_ps = given  ? order->compute_ps
                        : kept ? rate->compute_ps
                               : estimate_ps(scatter);
    int error = ERR_OK;

    originator->known = given || kept;
    originator->report.compute_ps = guess_ps;
    originator->report.call_ps = given  ? order->call_ps
                                 : kept ? rate->call_ps
                                        : 0;
    if (torus_nodes(scatter->size) == 1) {
        originator->alone = true;
    } else if (is_small(scatter, originator, guess_ps)) {
        error = try_alone(scatter, originator, guess_ps);
        originator->known = originator->alone;
    }
    return error;
}

/* Whether units that were measured took so much more or less than the kernel
   estimates that they do not tell what others take. Many are sampled. */
static bool is_unlikely(const struct scatter *scatter, uint64_t compute_ps)
{
    uint64_t estimated_ps = estimate_ps(scatter);

    return mean_share(scatter) < SINGLE_SHARE_MIN &&
           (compute_ps >> UNLIKELY_BITS > estimated_ps ||
            estimated_ps >> UNLIKELY_BITS > compute_ps);
}

int measure_kernel(struct scatter *scatter, struct originator *originator)
{
    struct wire_report *report = &originator->report;
    int error = ERR_OK;

    if (!originator->known) {
        report->call_ps = 0;
        error = measure_guessed(scatter, originator);
        originator->unlikely |= is_unlikely(scatter, report->compute_ps);
    }
    if (!originator->alone &&
        report->compute_ps < least_ps(&originator->order)) {
        report->compute_ps = least_ps(&originator->order);
    }
    return error;
}

/* Keeps the rate for the next job, if so many units tell it. */
static void keep(struct scatter *scatter, const struct originator *originator,
                 uint32_t units, uint64_t compute_ps)
{
    const struct wire_order *order = &originator->order;
    struct scatter_rate *rate = &scatter->rate;
    uint64_t call_ps = originator->report.call_ps;

    rate->compute_ps = 0;
    if (units < KEPT_UNITS_MIN || order->arg_bytes > sizeof rate->arg ||
        originator->unlikely || compute_ps <= call_ps) {
        return;
    }
    rate->compute_ps = (compute_ps - call_ps) / units;
    rate->call_ps = call_ps;
    rate->kernel = scatter->announced.kernel;
    rate->unit_bytes = order->unit_bytes;
    rate->arg_bytes = order->arg_bytes;
    memcpy(rate->arg, order->arg, order->arg_bytes);
}

/* Whether the plan's rate is more than a 32nd off what a share took. */
static bool is_off(const struct wire_report *report, uint32_t units,
                   uint64_t compute_ps)
{
    uint64_t planned_ps =
        fixed_product(report->compute_ps, units) + report->call_ps;

    return planned_ps - compute_ps + compute_ps / 32 > compute_ps / 16;
}

int measure_keep(struct scatter *scatter, struct originator *originator,
                 uint32_t units, uint64_t compute_ps)
{
    struct wire_report *report = &originator->report;
    int error = ERR_OK;

    if (originator->order.compute_ps > 0 && is_off(report, units, compute_ps)) {
        error = measure_call(scatter, &report->call_ps);
    }
    keep(scatter, originator, units, compute_ps);
    return error;
}

int measure_share(struct scatter *scatter, struct originator *originator)
{
    uint64_t start_ps = originator_now_ps(scatter);
    int error = scatter_compute(scatter);

    return error == ERR_OK
               ? measure_keep(scatter, originator, scatter->split.share_units,
                              originator_now_ps(scatter) - start_ps)
               : error;
}
