/* SPDX-License-Identifier: Apache-2.0 */
/* `quincunx plan`: its options, the plan that they ask for, and its printing.
 */
#ifndef QEMU_COMMAND_PLAN_OPTIONS_H
#define QEMU_COMMAND_PLAN_OPTIONS_H

#include "hal/nodiscard.h"
#include "qemu/theory/similar.h"
#include "qemu/base/option_row.h"
#include "qemu/base/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* The options, by the number of their row. */
enum plan_key {
    PLAN_TORUS,
    PLAN_LOAD,
    PLAN_STARTUP,
    PLAN_TRANSFER,
    PLAN_COMPUTE,
    PLAN_LAYER_COMPUTE,
    PLAN_NODE_COMPUTE,
    PLAN_COMPUTE_POWER,
    PLAN_UNIT,
    PLAN_HOP_DELAY,
    PLAN_PROFILE,
    PLAN_PHASES,
    PLAN_ROUNDS,
    PLAN_PORTS,
    PLAN_RESULTS,
    PLAN_SWITCHING,
    PLAN_ORIGINATOR,
    PLAN_PER_NODE,
    PLAN_JSON,
    PLAN_KEYS
};

struct plan_options {
    uint64_t side;
    const char *load; /* as given */
    struct theory_input input;
    uint64_t startup_ps; /* of a circuit without its hops */
    uint64_t hop_delay_ps;
    struct profile profile;
    uint64_t layer_compute_ps[THEORY_PHASES_MAX + 1];
    unsigned layer_computes; /* entries */
    uint32_t power_numerator;
    uint32_t power_denominator;
    uint64_t unit_bytes;
    uint64_t phases; /* as given */
    uint64_t rounds; /* 0: auto */
    uint64_t ports;
    bool store_and_forward;
    uint64_t x; /* of the originator */
    uint64_t y;
    struct theory_torus torus; /* without compute times of nodes; only of sides
                                  that are planned node by node */
    const char *node_compute;  /* a file; NULL: all nodes are equal */
    bool per_node;
    bool json;
    const char *text[PLAN_KEYS]; /* the values as given; NULL: not given */
};

extern const struct option_table plan_option_table;

/* Completes the options parsed, and checks that they suit each other. Result:
   0, or EXIT_USAGE after a message. */
NODISCARD int plan_options_check(struct plan_options *options);

/* Whether an option was given. */
bool plan_given(const struct plan_options *options, enum plan_key key);

/*
 * The compute time of each node, row by row: from the file of --node-compute,
 * or --compute for nodes that it does not list. To be freed. NULL after a
 * message.
 */
uint64_t *plan_read_nodes(const struct plan_options *options);

struct plan_solved {
    struct theory_plan plan; /* its makespan: when all is computed */
    struct theory_detail detail;
    /* Similar rounds, beside the plan with --rounds; 0 rounds: none. */
    struct theory_similar similar;
    /* The plan is the similar rounds; then this is the best by the equations of
       qemu/theory/model.h, with a makespan of 0 if those have none. */
    bool is_similar;
    struct theory_plan equations;
    /* With --results: they return while others or later rounds are computed,
       or so long after the makespan. */
    bool meanwhile;
    uint64_t collect_ps;
    /* Why no rounds with results that return meanwhile were planned: what they
       are planned for; NULL if they were. */
    const char *meanwhile_limit;
};

/* Plans. Result: 0, or an exit status after a message on stderr; after success
   the caller frees the detail. */
NODISCARD int plan_solve(struct plan_solved *solved,
                         const struct plan_options *options);

/* When all results are back. */
uint64_t plan_results_ps(const struct plan_solved *solved);

/* `nodes`: NULL, or the share of every node, row by row. Cost: O(nodes). The
   JSON has every round, the table their sums. Result of the JSON: 0, or
   EXIT_FAILED after a message if a number is infinite. */
NODISCARD int plan_print_json(const struct plan_solved *solved,
                              const struct theory_node *nodes,
                              const struct plan_options *options);
void plan_print_table(const struct plan_solved *solved,
                      const struct theory_node *nodes,
                      const struct plan_options *options);

#endif
