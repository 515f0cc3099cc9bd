/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the outcome of `quincunx simulate` on stdout. */
#ifndef QEMU_COMMAND_SIMULATE_PRINT_H
#define QEMU_COMMAND_SIMULATE_PRINT_H

#include "qemu/model/simulate.h"

#include <stdbool.h>
#include <stdint.h>

/* A simulation: its input, its outcome, and the checks. */
struct simulate_result {
    struct simulate_input input;
    struct model_plan model;
    struct simulate_node *nodes; /* by row */
    struct simulate_outcome outcome;
    bool passed[SIMULATE_CHECKS];
    double wall_s;
    uint64_t peak_rss_bytes; /* 0: the system does not tell */
};

/* One JSON object; with `per_node` also what each active node did. */
void simulate_print_json(const struct simulate_result *result, bool per_node);

/* The same for people. */
void simulate_print_table(const struct simulate_result *result, bool per_node);

#endif
