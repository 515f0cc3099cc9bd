/* SPDX-License-Identifier: Apache-2.0 */
/* Options of `quincunx plan`, the plan that they ask for, and how it is
   printed. */
#ifndef QEMU_COMMAND_PLAN_OPTIONS_H
#define QEMU_COMMAND_PLAN_OPTIONS_H

#include "hal/nodiscard.h"
#include "qemu/theory/similar.h"
#include "qemu/base/option_row.h"
#include "qemu/base/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* Index of each option in its table. */
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
    const char *load; /* value of --load as given */
    struct theory_input input;
    uint64_t startup_ps; /* startup of a circuit, without its hops */
    uint64_t hop_delay_ps;
    struct profile profile;
    uint64_t layer_compute_ps[THEORY_PHASES_MAX + 1];
    unsigned layer_computes; /* number of entries in layer_compute_ps */
    uint32_t power_numerator;
    uint32_t power_denominator;
    uint64_t unit_bytes;
    uint64_t phases; /* value of --phases as given */
    uint64_t rounds; /* 0: the planner chooses */
    uint64_t ports;
    bool store_and_forward;
    uint64_t x; /* x coordinate of the originator; y follows */
    uint64_t y;
    /* size and originator, if the side is at most TORUS_SIDE_MAX */
    struct theory_torus torus;
    const char *node_compute; /* path of a file; NULL: all nodes are equal */
    bool per_node;
    bool json;
    /* each option's value as given; NULL: not given */
    const char *text[PLAN_KEYS];
};

extern const struct option_table plan_option_table;

/* Checks that the options can be used with each other, and completes them.
   Returns 0, or EXIT_USAGE after a message. */
NODISCARD int plan_options_check(struct plan_options *options);

bool plan_given(const struct plan_options *options, enum plan_key key);

/* Returns each node's compute time of a unit, row-major: that in the file of
   --node-compute, else --compute. The caller frees the array. Returns NULL
   after a message. */
uint64_t *plan_read_nodes(const struct plan_options *options);

struct plan_solved {
    struct theory_plan plan; /* .makespan_ps: until all units are computed */
    struct theory_detail detail;
    /* Plan of similar rounds (qemu/theory/similar.h), for comparison; 0 rounds:
       none. */
    struct theory_similar similar;
    /* True: `plan` has similar rounds, and `equations` is the best plan by
       qemu/theory/model.h; makespan 0: there is none. */
    bool is_similar;
    struct theory_plan equations;
    /* With --results: true if results return while nodes compute. False: they
       return after the makespan, in collect_ps. */
    bool meanwhile;
    uint64_t collect_ps;
    /* Limit that keeps results from returning while nodes compute: "at most 16
       rounds"; NULL: none. */
    const char *meanwhile_limit;
};

/* Solves the plan. Returns 0, or an exit status after a message on stderr.
   After success the caller frees .detail. */
NODISCARD int plan_solve(struct plan_solved *solved,
                         const struct plan_options *options);

/* Returns the time when all results are back, ps. */
uint64_t plan_results_ps(const struct plan_solved *solved);

/* Print the plan. `nodes` has each node's share, row-major; or is NULL. Time:
   O(nodes). JSON has every round, the table only sums. plan_print_json()
   returns 0, or EXIT_FAILED after a message if a number is infinite. */
NODISCARD int plan_print_json(const struct plan_solved *solved,
                              const struct theory_node *nodes,
                              const struct plan_options *options);
void plan_print_table(const struct plan_solved *solved,
                      const struct theory_node *nodes,
                      const struct plan_options *options);

#endif
