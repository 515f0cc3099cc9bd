/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/plan/slots.h"

struct slots_of_phase slots_of_phase(const struct slots *slots, unsigned phase)
{
    uint32_t frame = slots->phases * slots->short_units;
    uint32_t frames = slots->frames * frame;
    uint32_t period = frames + slots->long_units;
    uint32_t first = (phase - 1) * slots->short_units;

    /* Slots that are so long that N of them wrap are none; a division by 0 ends
       a native node's process. */
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
        .turn = slots->phases * period,
        .late = slots->late_units,
        .shift = slots->shift,
        .only_short = slots->long_units == 0};
}

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

static uint32_t next_long(const struct slots_of_phase *slots, uint32_t ready)
{
    uint32_t at = slots->first_long;

    if (ready > at + slots->late) {
        at += slots->turn;
    }
    return ready > at ? ready : at;
}

/* Before the end there are short slots alone. `ahead_ps`: how long before the
   first one after it. */
static uint64_t next_early_ps(const struct slots_of_phase *slots,
                              uint64_t first_ps, uint64_t ahead_ps)
{
    uint64_t ahead = ahead_ps >> slots->shift;
    uint32_t most = slots->early + slots->first_short;
    uint32_t units = ahead < most ? (uint32_t)ahead : most;

    units -= units % slots->frame;
    return first_ps - ((uint64_t)units << slots->shift);
}

uint64_t slots_next_ps(const struct slots_of_phase *slots, uint64_t ready_ps,
                       bool fits)
{
    bool is_short = slots->frame > 0 && (fits || slots->only_short);
    uint64_t begin_ps = slots->end_ps;
    uint64_t first_ps =
        begin_ps + ((uint64_t)slots->first_short << slots->shift);
    uint64_t ready = 0;
    uint32_t at;

    if (slots->period == 0) {
        return ready_ps;
    }
    if (is_short && ready_ps <= first_ps) {
        return next_early_ps(slots, first_ps, first_ps - ready_ps);
    }
    if (ready_ps > begin_ps) {
        ready =
            (ready_ps - begin_ps + (1u << slots->shift) - 1) >> slots->shift;
    }
    if (ready >= slots->turn) {
        uint64_t turns = ready / slots->turn;

        begin_ps += turns * slots->turn << slots->shift;
        ready -= turns * slots->turn;
    }
    at = is_short ? next_short(slots, (uint32_t)ready)
                  : next_long(slots, (uint32_t)ready);
    return begin_ps + ((uint64_t)at << slots->shift);
}
