/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best numbers of phases and rounds and their plan, up to N phases and 16
 * rounds, as the originator finds them. Its search and its costs:
 * scatter/engine/originator_pattern.c.
 */
#ifndef TEST_BENCH_PLANNER_SEARCH_H
#define TEST_BENCH_PLANNER_SEARCH_H

#include <stdint.h>

struct search_set {
    const char *name;
    uint32_t load_units;
    uint64_t compute_ps, transfer_ps, startup_ps;
    uint32_t startup_step_ps; /* each phase's less than the one before */
    uint32_t header_ps;       /* a startup's part for each phase that follows */
    uint64_t queue_ps, between_rounds_ps, begin_ps, round_overhead_ps, gain_ps;
};

struct search_result {
    unsigned phases;
    unsigned rounds;
    uint64_t makespan_ps;
};

extern const struct search_set search_sets[];
extern const unsigned search_set_count;

struct search_result search(const struct search_set *set, unsigned phases_max);

#endif
