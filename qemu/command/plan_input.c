/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/plan_options.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/parse.h"
#include "qemu/base/quote.h"
#include "qemu/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 256
#define TIME_BYTES 24u

/* Sets stages and startup of a phase; false if the startup exceeds 64 bits. */
static bool set_phase(struct theory_input *input,
                      const struct plan_options *options, unsigned phase)
{
    uint64_t hops = options->side;
    uint64_t stages;
    uint64_t delay_ps;

    for (unsigned step = 0; step < (phase + 1) / 2; ++step) {
        hops /= 5;
    }
    hops *= phase % 2 == 1 ? 3 : 1;
    /* A stage is a circuit of one hop, or the whole path. */
    stages = options->store_and_forward ? hops : 1;
    input->stages[phase - 1] = (uint32_t)stages;
    return !__builtin_mul_overflow(options->hop_delay_ps, hops / stages,
                                   &delay_ps) &&
           !__builtin_add_overflow(options->startup_ps, delay_ps,
                                   &input->startup_ps[phase - 1]);
}

/* An option's text; what counts in its place if it is not given. */
static const char *time_text(char text[TIME_BYTES],
                             const struct plan_options *options,
                             enum plan_key key)
{
    uint64_t time_ps =
        key == PLAN_STARTUP ? options->startup_ps : options->hop_delay_ps;

    snprintf(text, TIME_BYTES, "%" PRIu64 "ps", time_ps);
    return plan_given(options, key) ? options->text[key] : text;
}

int plan_options_input(struct theory_input *input,
                       const struct plan_options *options)
{
    char startup[TIME_BYTES];
    char hop_delay[TIME_BYTES];

    *input = (struct theory_input){
        .load_units = options->load_units,
        .compute_ps = options->compute_ps,
        .transfer_ps = options->transfer_ps,
        .results_numerator = options->results_numerator,
        .results_denominator = options->results_denominator,
        .phases_max = options->phases_max,
        .phases_fixed = plan_given(options, PLAN_PHASES),
        .phases_want = options->phases > THEORY_PHASES_MAX
                           ? THEORY_PHASES_MAX + 1
                           : (uint8_t)options->phases,
    };
    for (unsigned phase = 1; phase <= input->phases_max; ++phase) {
        if (!set_phase(input, options, phase)) {
            return usage_error(
                "--startup '%s' and --hop-delay '%s': the startup of phase %u "
                "must be below 2^64 ps (213 days)",
                time_text(startup, options, PLAN_STARTUP),
                time_text(hop_delay, options, PLAN_HOP_DELAY), phase);
        }
    }
    return 0;
}

struct reader {
    const struct plan_options *options;
    const char *path;
    unsigned line;
    uint64_t *compute_ps; /* 0: not named yet */
};

static bool complain(const struct reader *reader, const char *text,
                     const char *allowed)
{
    fprintf(stderr, "quincunx: %s:%u: '%s': %s\n", quote_shown(reader->path),
            reader->line, quote_shown(text), allowed);
    return false;
}

/* One line without its end: X Y T, or nothing; `#` begins a comment. */
static bool read_line(struct reader *reader, char *text)
{
    char *rest = text;
    const char *word[4] = {NULL};
    const char *allowed;
    unsigned words = 0;
    uint64_t at[2];
    uint64_t *time_ps;

    text[strcspn(text, "#")] = '\0';
    for (char *one; words < 4 && (one = strsep(&rest, " \t\r\n")) != NULL;) {
        word[words] = one;
        words += *one != '\0';
    }
    if (words == 0) {
        return true;
    }
    if (words != 3) {
        return complain(reader, word[0], "must be a line X Y TIME");
    }
    for (unsigned i = 0; i < 2; ++i) {
        if (parse_count(word[i], &at[i]) != NULL ||
            at[i] >= reader->options->side) {
            return complain(reader, word[i], "must be a place on the torus");
        }
    }
    time_ps = &reader->compute_ps[at[1] * reader->options->side + at[0]];
    if (*time_ps != 0) {
        return complain(reader, word[0], "must name a node only once");
    }
    allowed = parse_time_ps(word[2], time_ps);
    if (allowed == NULL && *time_ps == 0) {
        allowed = "must be 1ps or more";
    }
    return allowed == NULL || complain(reader, word[2], allowed);
}

static bool read_lines(struct reader *reader, FILE *file)
{
    char text[LINE_BYTES];

    while (fgets(text, sizeof text, file) != NULL) {
        reader->line += 1;
        if (strchr(text, '\n') == NULL && !feof(file)) {
            return complain(reader, text, "must be shorter");
        }
        if (!read_line(reader, text)) {
            return false;
        }
    }
    return true;
}

static bool read_file(struct reader *reader)
{
    FILE *file = text_open(reader->path);
    bool read;

    if (file == NULL) {
        return false;
    }
    read = read_lines(reader, file);
    fclose(file);
    return read;
}

uint64_t *plan_options_nodes(int *status, const struct plan_options *options)
{
    size_t count = (size_t)(options->side * options->side);
    struct reader reader = {
        .options = options,
        .path = options->node_compute,
        .compute_ps = (uint64_t *)calloc(count, sizeof(uint64_t)),
    };

    if (reader.compute_ps == NULL) {
        fprintf(stderr, "quincunx: no memory for %zu nodes\n", count);
        *status = EXIT_FAILED;
        return NULL;
    }
    if (!read_file(&reader)) {
        free(reader.compute_ps);
        *status = EXIT_USAGE;
        return NULL;
    }
    for (size_t i = 0; i < count; ++i) {
        if (reader.compute_ps[i] == 0) {
            reader.compute_ps[i] = options->compute_ps;
        }
    }
    return reader.compute_ps;
}
