/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/measure.h"

#include "scatter/engine/compute.h"
#include "scatter/plan/fixed.h"

#include <string.h>

/* The units to measure take PIECE_PS by the estimate. If that is more, they are
   a PIECE_PART-th of a mean share or an ADVANCED_PART-th of an advance. */
#define PIECE_PS 16000000u /* 16 us */
#define PIECE_PART 64u
#define ADVANCED_PART 4u
/* One run has at most 1 / MOST_OF_A_SHARE of a mean share. */
#define MOST_OF_A_SHARE 8u
/* A single unit is measured only if its estimated time is at most this. */
#define ONE_UNIT_PS 20000000u /* 20 us */
/* Many kernels compute a block of 8 units at once. */
#define BLOCK_UNITS 8u
#define BLOCKS_MIN 8u
#define EDGED_UNITS (2 * BLOCK_UNITS)
/* A first run of 2^LONG_CALL_BITS ps (134 us) or more is the short run. */
#define LONG_CALL_BITS 27u
/* Samples: runs of units from all over the load, each of SAMPLE_PS or more. */
#define SAMPLES_MIN 3u
#define SAMPLES_MAX 7u
#define SAMPLE_PS 16000000u /* 16 us */
/* There are samples only if a call of run() takes at most 1 / SAMPLED_CALLS of
   the time of a mean share. */
#define SAMPLED_CALLS 64u
/* If units take SINGLE_PS or more, samples may be single units. */
#define SINGLE_PS 2000000u /* 2 us */
#define SINGLE_SHARE_MIN 100u
#define SINGLE_PART 32u
/* Times that differ by at most 1 / SAME_PART count as equal. */
#define SAME_PART 32u
/* Largest likely factor to the estimate: 2^UNLIKELY_BITS for measured times,
   2^LIKELY_BITS for times in the order. */
#define UNLIKELY_BITS 2u
#define LIKELY_BITS 6u
/* Least compute time of a unit: 2^-RATIO_BITS of its transfer time. */
#define RATIO_BITS 15u
/* Least units of a share whose rate is kept for the next job. */
#define KEPT_UNITS_MIN 16u
/* A share's time is off the plan if it differs by 1 / OFF_PART or more. */
#define OFF_PART 32u

/* Returns the kernel's own estimate of a unit's time, ps; 1 if it has none. */
static uint64_t estimate_ps(const struct scatter *scatter)
{
    return fixed_larger(scatter->terms.instructions_per_1000_units *
                            scatter->costs->instruction_ps / 1000,
                        1);
}

static bool differ(uint64_t a_ps, uint64_t b_ps, unsigned bits)
{
    return a_ps >> bits > b_ps || b_ps >> bits > a_ps;
}

static uint32_t mean_share(const struct scatter *scatter)
{
    return scatter->units / torus_nodes(scatter->size);
}

/* Returns the number of units to measure; 0: none, and the estimate is used. */
static uint32_t piece_units(const struct scatter *scatter,
                            const struct originator *originator)
{
    uint64_t estimated_ps = originator->report.compute_ps;
    uint32_t share = mean_share(scatter);
    uint32_t part = originator->advance.units > 0
                        ? originator->advance.units / ADVANCED_PART
                    : scatter->policy->unplanned ? 0
                                                 : share / PIECE_PART;
    uint64_t units = fixed_larger(PIECE_PS / estimated_ps, part);
    uint32_t most;

    if (share < 4 * MOST_OF_A_SHARE) {
        return scatter->units > 1 && estimated_ps <= ONE_UNIT_PS;
    }
    most = fixed_larger_u32(share / MOST_OF_A_SHARE - 1, part);
    if (units < EDGED_UNITS && most >= EDGED_UNITS &&
        scatter->terms.before_bytes > 0) {
        units = EDGED_UNITS;
    }
    return 1 + fixed_smaller(units, fixed_smaller(share, most));
}

static int time_run(struct scatter *scatter, struct kernel_result *result,
                    uint32_t units, uint64_t *run_ps)
{
    uint64_t start_ps = originator_now_ps(scatter);
    int error = compute_run(scatter, result, units);

    *run_ps = originator_now_ps(scatter) - start_ps;
    return error;
}

int measure_first(struct scatter *scatter, struct originator *originator,
                  uint32_t units, uint64_t *run_ps)
{
    struct kernel_result result;
    int error = time_run(scatter, &result, units, run_ps);

    if (error != ERR_OK || units == 0) {
        return error;
    }
    originator->report.measure_ps += *run_ps;
    error = compute_keep(scatter, &result);
    if (error == ERR_OK) {
        originator_take_off(scatter, originator, units);
        originator->report.measured_units += units;
    }
    return error;
}

/* Sets compute_ps and call_ps from two runs: `few` units in few_ps, and `few` +
   `more` units in piece_ps. */
static void set_rate(struct originator *originator, uint32_t few,
                     uint64_t few_ps, uint32_t more, uint64_t piece_ps)
{
    struct wire_report *report = &originator->report;

    if (few_ps < piece_ps) {
        report->compute_ps = (piece_ps - few_ps) / more;
        report->call_ps = fixed_difference(few_ps, few * report->compute_ps);
    } else {
        report->compute_ps = report->measure_ps / report->measured_units;
    }
}

/* Returns the number of samples. Sets *sample_units unless the result is 0. */
static uint32_t samples_of(const struct scatter *scatter,
                           const struct originator *originator, uint32_t units,
                           uint32_t *sample_units)
{
    uint64_t unit_ps = originator->report.compute_ps;
    uint32_t most = fixed_smaller(SAMPLES_MAX, units / BLOCK_UNITS);
    uint32_t samples = fixed_smaller(units * unit_ps / SAMPLE_PS, most);

    if (mean_share(scatter) * unit_ps / SAMPLED_CALLS <
        originator->report.call_ps) {
        return 0;
    }
    if (most < SAMPLES_MIN && unit_ps >= SINGLE_PS &&
        originator->order.reserve == WIRE_BEST &&
        mean_share(scatter) >= SINGLE_SHARE_MIN) {
        *sample_units = 1;
        return fixed_smaller(SAMPLES_MAX, mean_share(scatter) / SINGLE_PART);
    }
    if (samples < SAMPLES_MIN || scatter->policy->unplanned ||
        originator->alone) {
        return 0;
    }
    *sample_units = units / samples / BLOCK_UNITS * BLOCK_UNITS;
    return samples;
}

/* Measures `samples` samples of `units` units. Their results are dropped. */
static int sample_load(struct scatter *scatter, struct originator *originator,
                       uint32_t samples, uint32_t units)
{
    struct wire_report *report = &originator->report;
    uint64_t sum_ps = report->compute_ps;
    uint64_t least_ps = sum_ps;
    uint64_t most_ps = sum_ps;

    for (uint32_t i = 1; i <= samples; ++i) {
        struct kernel_result none;
        uint64_t sample_ps;
        uint64_t unit_ps;
        int error;

        scatter_skip(scatter, scatter->units / (samples + 1) * i);
        error = time_run(scatter, &none, units, &sample_ps);
        originator_set_range(scatter, &originator->order);
        if (error != ERR_OK) {
            return error;
        }
        report->sampled_ps += sample_ps;
        unit_ps = fixed_difference(sample_ps, report->call_ps) / units;
        sum_ps += unit_ps;
        least_ps = unit_ps < least_ps ? unit_ps : least_ps;
        most_ps = fixed_larger(unit_ps, most_ps);
    }
    report->measure_ps += report->sampled_ps;
    if (most_ps - least_ps > report->compute_ps / SAME_PART) {
        report->compute_ps = sum_ps / (samples + 1);
        originator->varies_ps = most_ps - least_ps;
        originator->unlikely = originator->varies_ps > report->compute_ps;
    }
    return ERR_OK;
}

/* Returns the number of units in the first run. These lack bytes that the
   kernel reads before a unit. 1 if there are no such units. */
static uint32_t edge_units(const struct scatter *scatter,
                           const struct originator *originator, uint32_t units)
{
    uint32_t unit_bytes = originator->order.unit_bytes;
    uint32_t edge =
        unit_bytes > 0 ? scatter->terms.before_bytes / unit_bytes : 0;

    return edge > 0 && edge <= units ? edge : 1;
}

/* The difference of a short run and a long run is free of a run's fixed time.
   The very first run is slower, and comes before both. */
static int measure_runs(struct scatter *scatter, struct originator *originator,
                        uint32_t units)
{
    bool one = units == 1;
    bool half = units >= 2 * SAMPLES_MIN * BLOCK_UNITS &&
                units * originator->report.compute_ps >=
                    (uint64_t)2 * SAMPLES_MIN * SAMPLE_PS;
    uint32_t most = one ? 0 : mean_share(scatter) / MOST_OF_A_SHARE / 4;
    uint32_t first = one ? 0 : edge_units(scatter, originator, units);
    uint32_t few = one ? 0 : 1;
    uint32_t sample_units = 0;
    uint32_t samples = 0;
    uint64_t few_ps = 0;
    uint64_t more_ps = 0;
    int error;

    units -= half ? units / 2 : 0;
    if (units >= (first > 1 ? EDGED_UNITS : BLOCKS_MIN * BLOCK_UNITS)) {
        few = BLOCK_UNITS;
        units -= units % BLOCK_UNITS;
    }
    error = measure_first(scatter, originator, first, &few_ps);
    if (few_ps >> LONG_CALL_BITS > 0 && first < units) {
        few = first;
    } else if (error == ERR_OK && few > 0) {
        error = measure_first(scatter, originator, few, &few_ps);
    }
    if (error == ERR_OK) {
        error = measure_first(scatter, originator, units, &more_ps);
    }
    for (unsigned runs = 3;
         error == ERR_OK && units < most && more_ps < few_ps + PIECE_PS / 4 &&
         runs < MEASURE_PIECES_MAX - 2;
         ++runs) {
        units *= 4;
        error = measure_first(scatter, originator, units, &more_ps);
    }
    if (error != ERR_OK) {
        return error;
    }
    set_rate(originator, few, few_ps, units - few, more_ps);
    if (half || (!one && originator->order.reserve == WIRE_BEST)) {
        samples = samples_of(scatter, originator, units, &sample_units);
    }
    return sample_load(scatter, originator, samples, sample_units);
}

/* Whether the order has a plausible time of a unit. */
static bool is_given(const struct scatter *scatter,
                     const struct wire_order *order)
{
    uint64_t estimated_ps = scatter->terms.instructions_per_1000_units *
                            scatter->costs->instruction_ps;

    return order->compute_ps > 0 &&
           (estimated_ps == 0 ||
            !differ(1000 * order->compute_ps, estimated_ps, LIKELY_BITS)) &&
           fixed_product(order->compute_ps, scatter->units) <=
               PLANNER_LOAD_MAX_PS;
}

static bool is_kept(const struct scatter *scatter,
                    const struct wire_order *order)
{
    const struct scatter_rate *rate = &scatter->rate;

    return rate->compute_ps > 0 && rate->kernel == scatter->announced.kernel &&
           rate->unit_bytes == order->unit_bytes &&
           rate->arg_bytes == order->arg_bytes &&
           memcmp(rate->arg, order->arg, order->arg_bytes) == 0;
}

void measure_guess(struct scatter *scatter, struct originator *originator)
{
    const struct scatter_rate *rate = &scatter->rate;
    const struct wire_order *order = &originator->order;
    struct wire_report *report = &originator->report;

    originator->known = true;
    if (is_given(scatter, order)) {
        report->compute_ps = order->compute_ps;
        report->call_ps = order->call_ps;
    } else if (is_kept(scatter, order)) {
        report->compute_ps = rate->compute_ps;
        report->call_ps = rate->call_ps;
    } else {
        originator->known = false;
        report->compute_ps = estimate_ps(scatter);
        report->call_ps = 0;
    }
}

int measure_kernel(struct scatter *scatter, struct originator *originator)
{
    const struct wire_order *order = &originator->order;
    struct wire_report *report = &originator->report;
    int error = ERR_OK;

    if (!originator->known) {
        uint32_t units = piece_units(scatter, originator);

        report->call_ps = 0;
        if (units > 0) {
            /* The announcement's sends would slow down the kernel. */
            error = circuit_quiet(scatter->circuit);
        }
        if (units > 0 && error == ERR_OK) {
            error = measure_runs(scatter, originator, units);
        }
        /* Few units do not tell the time of the others. */
        originator->unlikely |=
            mean_share(scatter) < SINGLE_SHARE_MIN &&
            differ(report->compute_ps, estimate_ps(scatter), UNLIKELY_BITS);
    }
    if (!originator->alone) {
        report->compute_ps = fixed_larger(
            report->compute_ps,
            fixed_larger(order->transfer_ps * order->unit_bytes >> RATIO_BITS,
                         1));
    }
    return error;
}

int measure_keep(struct scatter *scatter, struct originator *originator,
                 uint32_t units, uint64_t compute_ps)
{
    const struct wire_order *order = &originator->order;
    struct wire_report *report = &originator->report;
    struct scatter_rate *rate = &scatter->rate;
    uint64_t planned_ps =
        fixed_product(report->compute_ps, units) + report->call_ps;
    int error = ERR_OK;

    if (order->compute_ps > 0 &&
        planned_ps - compute_ps + compute_ps / OFF_PART >
            compute_ps / (OFF_PART / 2)) {
        struct kernel_result none;

        error = time_run(scatter, &none, 0, &report->call_ps);
    }
    rate->compute_ps = 0;
    if (units < KEPT_UNITS_MIN || order->arg_bytes > sizeof rate->arg ||
        originator->unlikely || compute_ps <= report->call_ps) {
        return error;
    }
    rate->compute_ps = (compute_ps - report->call_ps) / units;
    rate->call_ps = report->call_ps;
    rate->kernel = scatter->announced.kernel;
    rate->unit_bytes = order->unit_bytes;
    rate->arg_bytes = order->arg_bytes;
    memcpy(rate->arg, order->arg, order->arg_bytes);
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
