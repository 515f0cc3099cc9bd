/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/slots.h"

#include "hal/check.h"

#define CHECK_FILE CHECK_SCATTER_SLOTS

/* Limits of the frames in a period (scatter/plan/slots.h). */
#define FRAMES_MIN 2u
#define FRAMES_MAX 64u
/* Frames between the planned end and the first period, for short results. */
#define FRAMES_FIRST 8u
/* Least measured units that predict the length of results. */
#define TELLING_UNITS 16u
/* Slots are rounded up to a multiple of 2^UNIT_SHIFT_MIN ps or more. */
#define UNIT_SHIFT_MIN 8u
#define SLOT_SPARE_PS 1000u
#define SLOT_MAX_PS ((uint64_t)1 << 52) /* 75 minutes */

static_assert(SCATTER_RESULT_MAX <= UINT16_MAX, "short_bytes on the wire");

uint64_t slots_output_ps(const struct scatter *scatter,
                         const struct wire_order *order, unsigned rounds,
                         uint32_t units, uint32_t nodes, uint32_t hops)
{
    const struct kernel_terms *terms = &scatter->terms;
    uint64_t bytes = scatter_result_head_bytes(terms) +
                     (WIRE_OUTPUT_CHUNK_BYTES + 3u) * (uint64_t)rounds * nodes +
                     kernel_output_at(terms, units) + 1;

    return order_circuit_ps(order, order_message_ps(order, bytes), hops) +
           TORUS_PORTS * (uint64_t)scatter->costs->result_merge_ps;
}

uint64_t slots_return_ps(const struct scatter *scatter,
                         const struct originator *originator, unsigned phase,
                         unsigned rounds, uint32_t units)
{
    uint32_t nodes = 1;

    for (unsigned i = phase; i < originator->input.phases; ++i) {
        nodes *= 5;
    }
    return slots_output_ps(scatter, &originator->order, rounds, units, nodes,
                           originator_phase_hops(scatter, phase));
}

void slots_time_returns(const struct originator *originator,
                        uint64_t takes_ps[], unsigned phases)
{
    const struct wire_report *report = &originator->report;
    bool counted =
        report->rounds == 1 && originator->input.results_denominator != 0;
    uint64_t at_ps =
        report->makespan_ps + report->makespan_ps / SCATTER_GATHER_GUARD;
    uint64_t all_ps = 0;

    ASSERT(phases <= TREE_PHASES_MAX);
    for (unsigned phase = 1; phase <= phases; ++phase) {
        all_ps += takes_ps[phase];
    }
    if (counted) {
        /* Shares are whole units: a node may get one more than planned. */
        at_ps =
            fixed_difference(report->makespan_ps, all_ps) + report->compute_ps;
    }
    for (unsigned phase = phases; phase > 0; --phase) {
        uint64_t next_ps = at_ps + takes_ps[phase];

        takes_ps[phase] = at_ps;
        at_ps = next_ps;
    }
    takes_ps[0] = at_ps;
}

static uint64_t slot_ps(const struct wire_order *order, uint32_t bytes,
                        uint32_t hops)
{
    return order_circuit_ps(
               order, order_message_ps(order, WIRE_RESULT_BYTES + bytes),
               hops) +
           SLOT_SPARE_PS;
}

/* Returns the length, bytes, of the longest result that fits a short slot. */
static uint32_t short_bytes(const struct scatter *scatter,
                            const struct wire_order *order)
{
    uint64_t transfer_ps = 16 * order->transfer_ps;
    uint32_t most = scatter->terms.result_bytes_max;
    uint64_t bytes = most;

    if (most <= SCATTER_SHORT_BYTES) {
        return most;
    }
    if (transfer_ps > 0) {
        bytes = scatter->job.phases * order->startup_ps / transfer_ps;
    }
    return fixed_smaller(fixed_larger(bytes, SCATTER_SHORT_BYTES), most);
}

/* Returns a period's number of frames: they last as long as a long slot. */
static uint8_t frames_of(uint64_t frame_ps, uint64_t long_ps)
{
    ASSERT(frame_ps > 0);
    return (uint8_t)fixed_smaller(
        fixed_larger(long_ps / frame_ps + 1, FRAMES_MIN), FRAMES_MAX);
}

/* Returns the least shift such that `ps` is below 2^30 units of 2^shift ps. */
static uint8_t shift_of(uint64_t ps)
{
    uint8_t shift = UNIT_SHIFT_MIN;

    while (ps >> shift >= UINT32_MAX / 4) {
        shift += 1;
    }
    return shift;
}

static uint32_t slot_units(uint64_t ps, uint8_t shift)
{
    return (uint32_t)(ps >> shift) + 1;
}

/* Whether the measured units predict a result longer than `bytes`. */
static bool expects_long(const struct scatter *scatter,
                         const struct originator *originator, uint32_t bytes)
{
    uint64_t measured = originator->report.measured_units;
    uint64_t share = scatter->units / torus_nodes(scatter->size);

    return measured >= TELLING_UNITS &&
           scatter->result.bytes * share > bytes * measured;
}

int slots_set_long(struct scatter *scatter, const struct originator *originator,
                   uint32_t hops)
{
    const struct kernel_terms *terms = &scatter->terms;
    uint32_t bytes = short_bytes(scatter, &originator->order);
    uint64_t long_ps;
    uint8_t shift;

    if (terms->result_fixed || expects_long(scatter, originator, bytes)) {
        bytes = terms->result_bytes_max;
    }
    long_ps =
        slot_ps(&originator->order, bytes, hops) + scatter_merges_ps(scatter);
    if (long_ps >= SLOT_MAX_PS) {
        return ERR_RANGE;
    }
    shift = shift_of(scatter->job.phases * long_ps);
    scatter->job.slots = (struct wire_slots){
        .long_units = slot_units(long_ps, shift), .shift = shift};
    return ERR_OK;
}

int slots_set_short(struct scatter *scatter,
                    const struct originator *originator, uint32_t hops,
                    uint64_t quiet_ps)
{
    const struct wire_order *order = &originator->order;
    uint32_t phases = scatter->job.phases;
    uint32_t most = scatter->terms.result_bytes_max;
    uint32_t bytes = short_bytes(scatter, order);
    uint64_t short_ps = slot_ps(order, bytes, hops);
    uint64_t long_ps = bytes < most ? slot_ps(order, most, hops) : 0;
    uint64_t after_ps = scatter->result.bytes - 1u < bytes
                            ? FRAMES_FIRST * phases * short_ps
                            : 0;
    uint8_t frames;
    uint64_t cycle_ps;
    uint8_t shift;

    if (long_ps > 0 && scatter->terms.result_fixed) {
        return slots_set_long(scatter, originator, hops);
    }
    if (short_ps >= SLOT_MAX_PS || long_ps >= SLOT_MAX_PS) {
        return ERR_RANGE;
    }
    frames = long_ps > 0 ? frames_of(phases * short_ps, long_ps) : FRAMES_MIN;
    cycle_ps = phases * (frames * phases * short_ps + long_ps);
    if (long_ps > 0 && expects_long(scatter, originator, bytes)) {
        /* Long results are likely: periods begin quiet_ps before the end. */
        after_ps = 0 - quiet_ps;
        quiet_ps = 0;
    } else {
        quiet_ps += after_ps;
    }
    shift = shift_of(quiet_ps > cycle_ps ? quiet_ps : cycle_ps);
    scatter->job.slots = (struct wire_slots){
        .short_units = slot_units(short_ps, shift),
        .long_units = long_ps > 0 ? slot_units(long_ps, shift) : 0,
        .early_units = (uint32_t)(quiet_ps >> shift),
        .short_bytes = (uint16_t)bytes,
        .gather_ps = after_ps, /* ps after the planned end, modulo 2^64 */
        .frames = frames,
        .shift = shift};
    return ERR_OK;
}

/* Not inlined, to save 56 bytes of code. */
__attribute__((noinline)) uint64_t
slots_gather_ps(const struct scatter *scatter,
                const struct originator *originator, uint64_t start_ps)
{
    const struct wire_report *report = &originator->report;

    if (scatter_has_output(scatter) || originator->unlikely) {
        return start_ps; /* result_ps[] counts from here */
    }
    if (scatter->job.slots.short_units > 0) {
        return start_ps + report->makespan_ps + scatter->job.slots.gather_ps;
    }
    /* Shares are whole units: a node may get one more than planned. */
    return start_ps + report->makespan_ps +
           report->makespan_ps / SCATTER_GATHER_GUARD + report->compute_ps +
           TORUS_PORTS * (uint64_t)scatter->costs->result_merge_ps;
}
