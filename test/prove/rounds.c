/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For Frama-C's Eva: rounds_best() on every input there is, and rounds_plan()
 * for up to three rounds: the last one, one between and the first one. Every
 * round more is like the one between, from cells that have passed the same
 * affine_fits(), and its sums are in rounds_best()'s sweep over 16 rounds too.
 * The tables' last index: 16 rounds of one phase.
 *
 * All numbers are any of their type. Sums of 128 bits are those of
 * test/prove/wide_rounds.h.
 */
#include "scatter/plan/rounds.h"
#include "test/prove/any.h"

static struct planner_input any_base(void)
{
    struct planner_input base = {
        .load_units = any_u32(0, UINT32_MAX),
        .compute_ps = any_u64(0, UINT64_MAX),
        .transfer_ps = any_u64(0, UINT64_MAX),
    };

    for (unsigned i = 0; i < ROUNDS_PHASES_MAX; ++i) {
        base.startup_ps[i] = any_u64(0, UINT64_MAX);
    }
    return base;
}

static struct rounds_input any_input(const struct planner_input *base)
{
    return (struct rounds_input){
        .base = base,
        .phase_queue_ps = any_u64(0, UINT64_MAX),
        .between_rounds_ps = any_u64(0, UINT64_MAX),
        .begin_ps = any_u64(0, UINT64_MAX),
        .round_overhead_ps = any_u64(0, UINT64_MAX),
        .rounds_min = any_u8(0, UINT8_MAX),
        .rounds_max = any_u8(0, UINT8_MAX),
    };
}

static void best_of_any(const struct planner_input *base)
{
    struct rounds_input input = any_input(base);
    unsigned rounds;
    uint64_t makespan_ps;

    rounds_best(&rounds, &makespan_ps, &input);
}

static void plan_any(const struct planner_input *base, unsigned rounds)
{
    struct rounds_input input = any_input(base);
    struct rounds_plan plan;

    rounds_plan(&plan, &input, rounds);
}

static void one_round_of_any(uint8_t phases)
{
    struct planner_plan one = {
        .phases = phases,
        .makespan_ps = any_u64(0, UINT64_MAX),
    };
    struct rounds_plan plan;

    for (unsigned layer = 0; layer <= ROUNDS_PHASES_MAX; ++layer) {
        one.volume_units[layer] = any_u32(0, UINT32_MAX);
        one.share_units[layer] = any_u32(0, UINT32_MAX);
    }
    rounds_of_one(&plan, &one, any_u32(0, UINT32_MAX));
}

void prove_rounds(void)
{
    struct planner_input base = any_base();

    for (unsigned phases = 0; phases <= ROUNDS_PHASES_MAX; ++phases) {
        base.phases_want = (uint8_t)phases;
        best_of_any(&base);
        for (unsigned rounds = 0; rounds <= 3; ++rounds) {
            plan_any(&base, rounds);
        }
    }
    base.phases_want = 1;
    plan_any(&base, ROUNDS_MAX);
    plan_any(&base, any_u32(ROUNDS_MAX + 1, UINT32_MAX));
    one_round_of_any(any_u8(0, ROUNDS_PHASES_MAX));
    base.phases_want = any_u8(ROUNDS_PHASES_MAX + 1, UINT8_MAX);
    best_of_any(&base);
    plan_any(&base, 2);
}
