/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one load with every schedule of qemu/schedule/registry.h, each on an
   equal mesh. All results must be equal. */
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
    bool chosen; /* true: the originator chose the number of rounds */
    unsigned phases;
    uint32_t nodes;     /* number of nodes that got units */
    uint64_t answer_ps; /* time from the order to the answer */
    double answer_speedup;
    uint64_t makespan_ps;
    uint64_t with_results_ps;
    uint64_t planned_ps; /* makespan of the plan */
    uint64_t conflicts;
    char timeline[TIMELINE_HEX_BYTES];
};

struct compare {
    struct compare_entry entry[COMPARE_MAX];
    unsigned count;
    unsigned best;         /* index of the entry with the earliest answer */
    uint64_t one_board_ps; /* answer time of one board */
    /* Input of bound_of(), from a run of one round. Nodes that --inject slows
       down count as fast ones. */
    struct bound_input terms;
    double largest_units; /* units of the largest load of an originator */
    struct bound bound;
    uint8_t *result;       /* result of all runs; compare_free() frees it */
    uint64_t result_bytes; /* length of `result`, with the kernel's output */
    json_t *report;
    struct injections injections;
};

/* Runs the load with every schedule; with several originators, with those that
   allow it. The request's own schedule does not matter. The first schedule, the
   star and hybrid run with the request's number of rounds, the others with one.
   If that is more than one, the first schedule and the star run again with one
   round. Returns 0, or an exit status after a message if a run failed or
   results differ; then there is nothing to free. */
NODISCARD int compare_run(struct compare *compare,
                          const struct request *request);

/* Prints the table of all runs, the lower bound, the best schedule, and those
   that are as fast. */
void compare_print(FILE *out, const struct compare *compare);

/* Returns the comparison as JSON. The caller releases it. */
json_t *compare_json(const struct compare *compare);

/* Returns the JSON report of the first run with the key `compare` added:
   schedules, best, lower_bound. The caller releases it. */
json_t *compare_report(const struct compare *compare);

void compare_free(struct compare *compare);

#endif
