/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/smaller.h"

#include "qemu/job/job.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/trial.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/progress.h"
#include "scatter/wire/wire.h"
#include "torus/pattern.h"

#include <stdio.h>

/* Error of one board's estimated time: half of the calls' cost, plus
   CALL_UNSURE_PS for each call, plus BESIDE_UNSURE_PS for other work. */
#define CALL_UNSURE_PS UINT64_C(5000000)     /* 5 us */
#define BESIDE_UNSURE_PS UINT64_C(300000000) /* 0.3 ms */
/* The error is small if it is below the answer time / NEAR_PART. */
#define NEAR_PART 200u
/* The smaller mesh, which may answer faster. */
static const struct torus_size few = {OUTCOME_FEW_SIDE, OUTCOME_FEW_SIDE};
#define SOONER 0.95

static bool can_repeat(const struct request *request)
{
    return request->mesh->has_fabric && request->mesh->has_images &&
           !request->gdb;
}

static struct request request_of(struct job_originator *originator,
                                 struct torus_size size,
                                 const struct request *request)
{
    struct request smaller = *request;

    originator->at = (struct torus_coord){0, 0};
    smaller.size = size;
    smaller.originators = 1;
    smaller.originator = originator;
    smaller.schedule = (struct job_schedule){
        SCHEDULE_PETERS_SYSKA, .phases = WIRE_BEST, .rounds = WIRE_BEST};
    smaller.slow_shift = NULL;
    smaller.holes = NULL;
    smaller.injections = (struct injections){.count = 0};
    smaller.firmware_slow = NULL;
    smaller.on_one_rank = true;
    smaller.verbose = false;
    /* To prepare boards for forking takes longer than one board. */
    smaller.one_by_one = smaller.one_by_one || torus_nodes(size) == 1;
    return smaller;
}

static int add(uint64_t *sum_ps, const struct request *request)
{
    struct outcome outcome;
    int status = job_run(&outcome, request, &request->schedule, NULL,
                         trial_farm_ps, NULL);

    if (status == 0) {
        *sum_ps += outcome_answer_ps(&outcome);
        outcome_free(&outcome);
    }
    return status;
}

/* Runs the loads of all originators one after the other. Sets *sum_ps to the
   sum of their answer times, or to 0 if one failed, after a message. Returns 0,
   or EXIT_INTERRUPTED. */
static int repeat(uint64_t *sum_ps, struct torus_size size,
                  const struct request *request)
{
    int status = 0;

    *sum_ps = 0;
    progress_within(0, "on %u x %u, to compare", size.width, size.height);
    for (uint32_t i = 0; status == 0 && i < request->originators; ++i) {
        struct job_originator originator = request->originator[i];
        struct request smaller = request_of(&originator, size, request);

        status = add(sum_ps, &smaller);
    }
    progress_within(0, "%s", "");
    if (status == 0) {
        return 0;
    }
    *sum_ps = 0;
    if (status == EXIT_INTERRUPTED) {
        return status;
    }
    fprintf(stderr,
            "quincunx: the job is done, but not once more on %u x %u, to "
            "compare with\n",
            size.width, size.height);
    return 0;
}

/* ---- one board ---- */

static bool is_near(const struct outcome *outcome)
{
    uint64_t calls = outcome_calls(outcome) * outcome->batch_count;
    uint64_t unsure_ps = outcome_calls_ps(outcome) / 2 +
                         calls * CALL_UNSURE_PS + BESIDE_UNSURE_PS;

    return unsure_ps <= outcome_one_board_ps(outcome) / NEAR_PART;
}

int smaller_one_board(struct outcome *outcome, const struct request *request)
{
    if (!can_repeat(request) || outcome->node_count == 1 || is_near(outcome)) {
        return 0;
    }
    return repeat(&outcome->alone_ps, (struct torus_size){1, 1}, request);
}

/* ---- 25 boards ---- */

/* Returns whether preparing takes more than a third of the answer time, or
   boards compute for less than a third of it. */
static bool computes_little(const struct outcome *outcome)
{
    uint64_t answer_ps = outcome_answer_ps(outcome);

    return outcome_preparing(outcome).all_ps > answer_ps / 3 ||
           outcome_computing_ps(outcome) / outcome->node_count < answer_ps / 3;
}

int smaller_few_boards(struct outcome *outcome, const struct request *request)
{
    uint64_t sum_ps;
    int status;

    if (!can_repeat(request) || request->originators > 1 ||
        outcome->node_count <= torus_nodes(few) || outcome->batch_count > 1 ||
        !computes_little(outcome)) {
        return 0;
    }
    status = repeat(&sum_ps, few, request);
    if ((double)sum_ps < SOONER * (double)outcome_answer_ps(outcome)) {
        outcome->few_ps = sum_ps;
    }
    return status;
}
