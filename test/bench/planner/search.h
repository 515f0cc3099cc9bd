/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole search for the best numbers of phases and rounds, N = 0 to 10 and
 * R = 1 to 16, as the originator of a torus of side 3125 does it.
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
    uint64_t phase_queue_ps, between_rounds_ps, begin_ps, round_overhead_ps;
};

struct search_result {
    unsigned phases;
    unsigned rounds;
    uint64_t makespan_ps;
};

extern const struct search_set search_sets[];
extern const unsigned search_set_count;

/* The best of all; with phases_only > 0 that of so many phases and two rounds
   or more, rounds = 0 if there is none. */
struct search_result search(const struct search_set *set, unsigned phases_only);

#endif
