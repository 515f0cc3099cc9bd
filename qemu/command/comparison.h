/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one load with every schedule of qemu/schedule/registry.h, on equal
   meshes. All results must be equal. */
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
    bool chosen; /* the originator chose the number of rounds */
    unsigned phases;
    uint32_t nodes;     /* number of nodes that got work */
    uint64_t answer_ps; /* from request to answer, preparation included */
    double answer_speedup;
    uint64_t makespan_ps;
    uint64_t with_results_ps;
    uint64_t planned_ps; /* makespan that the plan expects */
    uint64_t conflicts;
    char timeline[TIMELINE_HEX_BYTES];
};

struct compare {
    struct compare_entry entry[COMPARE_MAX];
    unsigned count;
    unsigned best;         /* index of the entry with the earliest answer */
    uint64_t one_board_ps; /* answer time of a single board, for all entries */
    /* Input of bound_of(), from a run of one round. Nodes that --inject
       slows count as not slowed. */
    struct bound_input terms;
    double largest_units; /* largest load of an originator, units */
    struct bound bound;
    uint8_t *result;       /* owned; compare_free() frees it */
    uint64_t result_bytes; /* size of .result, which includes the output */
    json_t *report;
    struct injections injections;
};

/*
 * Runs the load with every schedule, or with those that allow several
 * originators if there are several. The request's own schedule is ignored. The
 * first schedule, the star and hybrid take the request's number of rounds, the
 * others one. If the first or the star had several rounds, it runs again with
 * one. Returns 0, or an exit status after a message if a run failed or results
 * differ; then nothing needs freeing.
 */
NODISCARD int compare_run(struct compare *compare,
                          const struct request *request);

/* Prints the table, the lower bound, the best schedule and its equals. */
void compare_print(FILE *out, const struct compare *compare);

/* Returns the comparison as JSON, which the caller releases. */
json_t *compare_json(const struct compare *compare);

/* Returns the first entry's report as JSON, with `compare` added: schedules,
   best, lower_bound. The caller releases it. */
json_t *compare_report(const struct compare *compare);

void compare_free(struct compare *compare);

#endif
