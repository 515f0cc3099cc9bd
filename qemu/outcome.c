/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/outcome.h"

uint64_t outcome_makespan_ps(const struct outcome *outcome)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        if (node->active && node->finished_ps > last) {
            last = node->finished_ps;
        }
    }
    return last;
}

uint64_t outcome_spread_ps(const struct outcome *outcome)
{
    uint64_t last = outcome_makespan_ps(outcome);
    uint64_t first = last;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        if (node->active && node->finished_ps < first) {
            first = node->finished_ps;
        }
    }
    return last - first;
}

uint64_t outcome_with_results_ps(const struct outcome *outcome)
{
    const struct wire_report *plan = &outcome->plan;

    /* An originator that is alone merges nothing: it is done when it ends. */
    if (plan->gather_done_ps <= plan->scatter_start_ps) {
        return outcome_makespan_ps(outcome);
    }
    return plan->gather_done_ps - plan->scatter_start_ps;
}

uint64_t outcome_one_board_ps(const struct outcome *outcome)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        if (node->active) {
            sum += node->finished_ps - node->compute_start_ps;
        }
    }
    return sum;
}
