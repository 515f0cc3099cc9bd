/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `quincunx plan`: what they may be, and may not be together. */
#ifndef QEMU_OPTIONS_PLAN_H
#define QEMU_OPTIONS_PLAN_H

#include "qemu/model/model.h"

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

/* Sides are powers of five, up to the largest model: 5^20 nodes. */
#define PLAN_SIDE_MAX 9765625u
/* Every node takes a kilobyte if each has its own speed. */
#define PLAN_SIDE_NODE_COMPUTE_MAX 625u

/* The first five are required, but that layer_compute stands for compute. */
enum plan_key {
    PLAN_TORUS = 256,
    PLAN_LOAD,
    PLAN_STARTUP,
    PLAN_TRANSFER,
    PLAN_COMPUTE,
    PLAN_LAYER_COMPUTE,
    PLAN_NODE_COMPUTE,
    PLAN_COMPUTE_POWER,
    PLAN_UNIT,
    PLAN_HOP_DELAY,
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
    const char *text[PLAN_KEYS - PLAN_TORUS]; /* as given; NULL: not given */
    uint64_t side;
    uint8_t phases_max; /* of the torus */
    uint64_t load_units;
    uint64_t startup_ps;
    uint64_t transfer_ps;
    uint64_t compute_ps; /* of layer 0 with layer_compute */
    uint64_t layer_compute_ps[MODEL_PHASES_MAX + 1];
    unsigned layer_computes; /* entries */
    uint32_t power_numerator;
    uint32_t power_denominator;
    uint64_t unit_bytes;
    uint64_t hop_delay_ps;
    uint64_t phases;
    uint64_t rounds; /* 0: auto */
    uint64_t ports;
    uint32_t results_numerator;
    uint32_t results_denominator;
    bool store_and_forward;
    uint64_t x; /* of the originator */
    uint64_t y;
};

/* Whether an option was given. */
bool plan_given(const struct plan_options *options, enum plan_key key);

/* A command that takes these options or some of them. */
struct plan_syntax {
    const char *command;
    const char *description;
    const struct argp_option *options; /* keys of enum plan_key, and {0} */
    /* As plan_value_parse(): qemu/options/plan_values.h. */
    const char *(*parse)(struct plan_options *options, enum plan_key key,
                         const char *text);
    /* All options together: 0, or EINVAL after a message. NULL: no check. */
    int (*check)(struct plan_options *options);
};

/*
 * Parses the command line of plan_command(). Result: 0, or 2 after a message on
 * stderr; does not return from --help and from options that getopt refuses. The
 * texts are those of argv.
 */
int plan_options_parse(struct plan_options *options, int argc, char **argv);

/* The same for another command. */
int plan_options_parse_as(struct plan_options *options,
                          const struct plan_syntax *syntax, int argc,
                          char **argv);

/* The model's input. Result: 0, or 2 after a message on stderr. */
int plan_options_input(struct model_input *input,
                       const struct plan_options *options);

/*
 * The compute time of each node by row: the file of --node-compute, and
 * --compute for whom it does not name. To be freed. NULL after a message;
 * *status is then the exit status.
 */
uint64_t *plan_options_nodes(int *status, const struct plan_options *options);

/* The option's text as given; NULL if it was not. */
const char *plan_text(const struct plan_options *options, enum plan_key key);

#endif
