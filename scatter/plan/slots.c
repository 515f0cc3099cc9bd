/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/slots.h"

struct slots_of_phase slots_of_phase(const struct slots *slots, unsigned phase)
{
    uint32_t frame = slots->phases * slots->short_units;
    uint32_t frames = slots->frames * frame;
    uint32_t period = frames + slots->long_units;
    uint32_t first = (phase - 1) * slots->short_units;

    /* No slots: a cycle of 0 units would be a divisor. */
    if (slots->phases * period == 0) {
        period = 0;
    }
    return (struct slots_of_phase){
        .end_ps = slots->end_ps,
        .early = slots->early_units,
        .frame = frame,
        .period = period,
        .first_short = first,
        .last_short = first + frames - frame,
        .first_long = (slots->phases - phase) * period + frames,
        .cycle = slots->phases * period,
        .late = slots->late_units,
        .shift = slots->shift,
        .only_short = slots->long_units == 0};
}

/* Returns the next start of a short slot, in units since a cycle's start. */
static uint32_t next_short(const struct slots_of_phase *slots, uint32_t ready)
{
    uint32_t begin = ready - ready % slots->period;
    uint32_t at = slots->first_short;

    ready -= begin;
    if (ready > slots->last_short) {
        return begin + slots->period + at;
    }
    if (ready > at) {
        at += (ready - at + slots->frame - 1) / slots->frame * slots->frame;
    }
    return begin + at;
}

/* Returns when a result that is ready at `ready` leaves in a long slot. */
static uint32_t next_long(const struct slots_of_phase *slots, uint32_t ready)
{
    uint32_t at = slots->first_long;

    if (ready > at + slots->late) {
        at += slots->cycle;
    }
    return ready > at ? ready : at;
}

/* Returns a unit of time, ps. Boards multiply by it faster than they shift. */
static uint32_t unit_ps(const struct slots_of_phase *slots)
{
    return 1u << slots->shift;
}

/* Returns the start, ps, of the first short slot that starts `ahead` units
   before end_ps or later. */
static uint64_t next_early_ps(const struct slots_of_phase *slots,
                              uint64_t ahead)
{
    uint32_t units = slots->first_short +
                     (ahead < slots->early ? (uint32_t)ahead : slots->early);

    /* Time from the slot's begin to end_ps; it may wrap below 0. */
    units -= units % slots->frame + slots->first_short;
    return slots->end_ps - (uint64_t)((int64_t)(int32_t)units * unit_ps(slots));
}

/* Returns units % cycle. Boards are slow at 64-bit divisions. */
static uint32_t rest_of(uint64_t units, uint32_t cycle)
{
    return units <= UINT32_MAX ? (uint32_t)units % cycle
                               : (uint32_t)(units % cycle);
}

uint64_t slots_next_ps(const struct slots_of_phase *slots, uint64_t ready_ps,
                       bool fits)
{
    bool is_short = slots->frame > 0 && (fits || slots->only_short);
    uint64_t ready = 0;
    uint32_t rest;
    uint32_t at;

    if (slots->period == 0) {
        return ready_ps;
    }
    if (ready_ps > slots->end_ps) {
        ready = (ready_ps - slots->end_ps + unit_ps(slots) - 1) >> slots->shift;
    } else if (is_short) {
        return next_early_ps(slots, (slots->end_ps - ready_ps) >> slots->shift);
    }
    rest = rest_of(ready, slots->cycle);
    at = is_short ? next_short(slots, rest) : next_long(slots, rest);
    return slots->end_ps + (ready - rest + at) * unit_ps(slots);
}
