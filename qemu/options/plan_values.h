/* SPDX-License-Identifier: Apache-2.0 */
/* The value of each option of `quincunx plan`, and how it is parsed. */
#ifndef QEMU_OPTIONS_PLAN_VALUES_H
#define QEMU_OPTIONS_PLAN_VALUES_H

#include "qemu/model/model.h"
#include "qemu/support/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* Sides are powers of five, up to the largest model: 5^20 nodes. */
#define PLAN_SIDE_MAX 9765625u
/* With --node-compute, or several rounds and fewer ports: a node takes a
   kilobyte of memory. */
#define PLAN_SIDE_NODE_COMPUTE_MAX 625u

/* The first five are required; PLAN_LAYER_COMPUTE may replace PLAN_COMPUTE, and
   PLAN_PROFILE has a startup and a transfer time. */
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
    struct profile profile;
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

/* The option's text as given; NULL if it was not. */
const char *plan_text(const struct plan_options *options, enum plan_key key);

/* Parses an option's text. Result: as of qemu/support/parse.h, NULL or what is
   allowed; NULL for options without a value to parse, and for --load, which
   plan_value_load() parses. */
const char *plan_value_parse(struct plan_options *options, enum plan_key key,
                             const char *text);

/* Parses the text of --load, once --unit is known. */
const char *plan_value_load(struct plan_options *options);

#endif
