/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One load with every schedule, one after the other, on meshes that are alike:
 * this project's scatter with several rounds and with one, and those of
 * qemu/schedule/registry.h. All must have the same result.
 */
#ifndef QEMU_COMMAND_COMPARISON_H
#define QEMU_COMMAND_COMPARISON_H

#include "hal/nodiscard.h"
#include "qemu/job/job.h"
#include "qemu/theory/bound.h"
#include "qemu/job/timeline.h"

#include <jansson.h>

#include <stdio.h>

#define COMPARE_MAX (SCHEDULES + 2u)

struct compare_entry {
    enum schedule schedule;
    unsigned rounds;
    bool chosen; /* the originator chose that number */
    unsigned phases;
    uint32_t nodes;     /* that were given work */
    uint64_t answer_ps; /* from the order on, preparing included */
    double answer_speedup;
    uint64_t makespan_ps;
    uint64_t with_results_ps;
    uint64_t planned_ps; /* the plan's makespan */
    uint64_t conflicts;
    char timeline[TIMELINE_HEX_BYTES];
};

struct compare {
    struct compare_entry entry[COMPARE_MAX];
    unsigned count;
    unsigned best;         /* entry with the earliest answer */
    uint64_t one_board_ps; /* answer of one board, the same for all entries */
    /* What one round measured: compute time of a node that is not slow. */
    struct bound_input terms;
    double largest_units; /* of the loads of several originators, or the load */
    struct bound bound;
    uint8_t *result;              /* own, as the next: compare_free() */
    uint64_t result_bytes;        /* with its output */
    json_t *report;               /* of the first entry */
    struct injections injections; /* the request's */
};

/*
 * Runs all. The first entry has the request's phases and rounds, as have hybrid
 * and a second star; one round follows if the first had more. What the request
 * says of the schedule does not count; several originators have but those with
 * groups. Progress on stderr if the request says so. Result: 0; an exit status
 * with the reason on stderr, and nothing to be freed: a run that failed, or
 * results that differ.
 */
NODISCARD int compare_run(struct compare *compare,
                          const struct request *request);

/* A table, the lower bound, and why schedules that are equally fast are. */
void compare_print(FILE *out, const struct compare *compare);

/* The same as JSON, to be released. */
json_t *compare_json(const struct compare *compare);

/* The first entry's report, with `compare`: schedules, best and lower_bound as
   above; to be released. */
json_t *compare_report(const struct compare *compare);

void compare_free(struct compare *compare);

#endif
