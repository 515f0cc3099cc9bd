/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `quincunx plan`. */
#ifndef QEMU_COMMAND_PLAN_OPTIONS_H
#define QEMU_COMMAND_PLAN_OPTIONS_H

#include "hal/nodiscard.h"
#include "qemu/theory/model.h"
#include "qemu/base/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* Sides are powers of five, up to the largest model: 5^20 nodes. */
#define PLAN_SIDE_MAX 9765625u
/* With --node-compute, or several rounds and fewer ports: a node takes a
   kilobyte of memory. */
#define PLAN_SIDE_NODE_COMPUTE_MAX 625u

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
    uint8_t phases_max; /* of the torus */
    const char *load;   /* as given */
    uint64_t load_units;
    uint64_t startup_ps;
    uint64_t transfer_ps;
    uint64_t compute_ps; /* of layer 0 with layer_compute */
    uint64_t layer_compute_ps[THEORY_PHASES_MAX + 1];
    unsigned layer_computes; /* entries */
    uint32_t power_numerator;
    uint32_t power_denominator;
    uint64_t unit_bytes;
    uint64_t hop_delay_ps;
    struct profile profile;
    uint64_t phases;
    uint64_t rounds; /* 0: auto */
    uint64_t ports;
    uint32_t results_numerator;
    uint32_t results_denominator;
    bool store_and_forward;
    uint64_t x; /* of the originator */
    uint64_t y;
    const char *node_compute; /* a file; NULL: all nodes are equal */
    bool per_node;
    bool json;
    const char *text[PLAN_KEYS]; /* the values as given; NULL: not given */
};

/* Whether an option was given. */
bool plan_given(const struct plan_options *options, enum plan_key key);

/*
 * Parses the command line of plan_command(). Result: 0, or EXIT_USAGE after a
 * message on stderr; does not return from --help. argv outlives the options,
 * which point into it.
 */
NODISCARD int plan_options_parse(struct plan_options *options, int argc,
                                 char **argv);

/* Makes the model's input. Result: 0, or EXIT_USAGE after a message on stderr.
 */
NODISCARD int plan_options_input(struct theory_input *input,
                                 const struct plan_options *options);

/*
 * The compute time of each node, row by row: from the file of --node-compute,
 * or
 * --compute for nodes that it does not list. To be freed. NULL after a message;
 * *status is then the exit status.
 */
uint64_t *plan_options_nodes(int *status, const struct plan_options *options);

#endif
