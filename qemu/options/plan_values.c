/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/options/plan_values.h"

#include "qemu/support/parse.h"

#include <stdlib.h>
#include <string.h>

const char *plan_text(const struct plan_options *options, enum plan_key key)
{
    return options->text[key - PLAN_TORUS];
}

bool plan_given(const struct plan_options *options, enum plan_key key)
{
    return plan_text(options, key) != NULL;
}

/* In units, or in bytes: with --unit, "B" makes the difference. */
const char *plan_value_load(struct plan_options *options)
{
    const char *text = plan_text(options, PLAN_LOAD);
    const char *allowed = parse_size(text, &options->load_units);

    if (allowed != NULL) {
        return allowed;
    }
    if (plan_given(options, PLAN_UNIT) && text[strlen(text) - 1] == 'B') {
        if (options->load_units % options->unit_bytes != 0) {
            return "must be a multiple of the unit's bytes, --unit";
        }
        options->load_units /= options->unit_bytes;
    }
    return options->load_units == 0 || options->load_units > INT64_MAX
               ? "must be 1 to 9223372036854775807 units"
               : NULL;
}

static const char *parse_compute(const char *text, uint64_t *compute_ps)
{
    const char *allowed = parse_time_ps(text, compute_ps);

    return allowed == NULL && *compute_ps == 0 ? "must be 1ps or more"
                                               : allowed;
}

static const char *parse_layers(struct plan_options *options, const char *text)
{
    const char *allowed = NULL;
    char *copy = strdup(text);
    char *rest = copy;
    const char *one;

    if (copy == NULL) {
        return "must fit the memory that there is";
    }
    options->layer_computes = 0;
    while (allowed == NULL && (one = strsep(&rest, ",")) != NULL) {
        if (options->layer_computes > MODEL_PHASES_MAX) {
            allowed = "must be at most 21 times";
        } else {
            allowed = parse_compute(
                one, &options->layer_compute_ps[options->layer_computes++]);
        }
    }
    free(copy);
    options->compute_ps = options->layer_compute_ps[0];
    return allowed;
}

/* P or P/Q, between 1 and 8: beyond, a load's time leaves every range. */
static const char *parse_power(struct plan_options *options, const char *text)
{
    uint64_t whole;

    options->power_denominator = 1;
    if (parse_count(text, &whole) == NULL) {
        options->power_numerator = whole > 8 ? 0 : (uint32_t)whole;
    } else if (parse_ratio(text, &options->power_numerator,
                           &options->power_denominator) != NULL) {
        options->power_numerator = 0;
    }
    return options->power_numerator < options->power_denominator ||
                   options->power_numerator >
                       8 * (uint64_t)options->power_denominator
               ? "must be 1 to 8, a whole number or a fraction such as 3/2"
               : NULL;
}

static const char *parse_unit(struct plan_options *options, const char *text)
{
    return parse_size(text, &options->unit_bytes) != NULL ||
                   options->unit_bytes == 0 || options->unit_bytes > INT64_MAX
               ? "must be 1 to 9223372036854775807 bytes"
               : NULL;
}

static const char *parse_rounds(struct plan_options *options, const char *text)
{
    uint64_t rounds = 0;

    if (strcmp(text, "auto") != 0 &&
        (parse_count(text, &rounds) != NULL || rounds == 0 ||
         rounds > MODEL_ROUNDS_MAX)) {
        return "must be 1 to 64, or auto";
    }
    options->rounds = rounds;
    return NULL;
}

static const char *parse_ports(struct plan_options *options, const char *text)
{
    bool number = parse_count(text, &options->ports) == NULL;

    return number && (options->ports == 1 || options->ports == 2 ||
                      options->ports == TORUS_PORTS)
               ? NULL
               : "must be 1, 2 or 4";
}

static const char *parse_switching(struct plan_options *options,
                                   const char *text)
{
    options->store_and_forward = strcmp(text, "store-and-forward") == 0;
    return options->store_and_forward || strcmp(text, "circuit") == 0
               ? NULL
               : "must be circuit or store-and-forward";
}

static const char *parse_torus(struct plan_options *options, const char *text)
{
    uint64_t side = 1;

    if (parse_count(text, &options->side) == NULL) {
        options->phases_max = 0;
        for (; side < options->side && side < PLAN_SIDE_MAX; side *= 5) {
            options->phases_max = (uint8_t)(options->phases_max + 2);
        }
        if (side == options->side) {
            return NULL;
        }
    }
    return "must be one side, a power of five, such as 5 for 5x5: 1, 5, 25 ... "
           "9765625";
}

const char *plan_value_parse(struct plan_options *options, enum plan_key key,
                             const char *text)
{
    switch (key) {
    case PLAN_TORUS:
        return parse_torus(options, text);
    case PLAN_STARTUP:
        return parse_time_ps(text, &options->startup_ps);
    case PLAN_TRANSFER:
        return parse_time_ps(text, &options->transfer_ps);
    case PLAN_COMPUTE:
        return parse_compute(text, &options->compute_ps);
    case PLAN_LAYER_COMPUTE:
        return parse_layers(options, text);
    case PLAN_COMPUTE_POWER:
        return parse_power(options, text);
    case PLAN_UNIT:
        return parse_unit(options, text);
    case PLAN_HOP_DELAY:
        return parse_time_ps(text, &options->hop_delay_ps);
    case PLAN_PHASES:
        return parse_count(text, &options->phases);
    case PLAN_ROUNDS:
        return parse_rounds(options, text);
    case PLAN_PORTS:
        return parse_ports(options, text);
    case PLAN_RESULTS:
        return parse_ratio(text, &options->results_numerator,
                           &options->results_denominator);
    case PLAN_SWITCHING:
        return parse_switching(options, text);
    case PLAN_ORIGINATOR:
        return parse_point(text, &options->x, &options->y);
    default:
        return NULL; /* a flag, a file, or what check_end() parses */
    }
}
