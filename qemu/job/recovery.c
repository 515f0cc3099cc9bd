/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/recovery.h"

#include "qemu/job/batches.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* Most waves in a row that compute nothing: each may meet a new fault. */
#define VAIN_WAVES 64u

/* Ranges that are to be computed, the next one last. */
struct todo {
    struct wire_range *range;
    uint32_t count;
};

/* Returns whether lost ranges can be computed again; if not, after a message.
 */
static bool can_recover(const struct job *job, const struct outcome *outcome)
{
    bool lost = false;

    for (uint32_t i = 0; i < job->originators; ++i) {
        lost = lost || outcome->originator[i].plan.ranges > 0;
    }
    if (lost && (job->originators > 1 || job->mesh->ops->add_holes == NULL)) {
        fprintf(stderr,
                "quincunx: nodes were lost, and their ranges with them; only a "
                "job of one originator on an emulated mesh without serial "
                "ports computes these again\n");
        return false;
    }
    return true;
}

static int by_first_unit(const void *a, const void *b)
{
    const struct wire_range *one = a;
    const struct wire_range *other = b;

    return (one->first_unit < other->first_unit) -
           (one->first_unit > other->first_unit);
}

/* Adds the ranges that an order lacks, adjacent ones as one. */
static void add_missing(struct todo *todo, struct outcome *outcome)
{
    struct outcome_originator *originator = &outcome->originator[0];
    uint32_t count = originator->plan.ranges;
    struct wire_range *last = NULL;

    qsort(originator->missing, count, sizeof *last, by_first_unit);
    todo->range = memory_or_exit(
        realloc(todo->range, (todo->count + count + 1u) * sizeof *todo->range));
    for (uint32_t i = 0; i < count; ++i) {
        struct wire_range range = originator->missing[i];

        if (last != NULL &&
            range.first_unit + range.units == last->first_unit) {
            last->first_unit = range.first_unit;
            last->units += range.units;
        } else {
            last = &todo->range[todo->count++];
            *last = range;
        }
    }
}

/* Plans around all nodes and links that died so far, from the next order on. */
static int go_around(struct job *job)
{
    struct job_task *task = &job->task[0];
    const struct schedule_holes *before = task->request->holes;
    const struct torus_coord here = {0, 0};

    schedule_holes_free(job->holes);
    job->holes = before != NULL ? schedule_holes_from(before, here)
                                : schedule_holes_new(task->request->size);
    job->mesh->ops->add_holes(job->mesh, job->holes);
    task->holes = job->holes;
    task->calls = true;
    task->schedule = (struct job_schedule){.kind = SCHEDULE_PETERS_SYSKA,
                                           .phases = WIRE_BEST,
                                           .rounds = WIRE_BEST};
    job_order_close(&job->order[0]);
    job->order[0] = (struct job_order){.tree = NULL};
    return job_order_open(&job->order[0], task);
}

/* Adds a wave, an order for a range that was lost, to its batch. */
static int add_wave(struct outcome *batch, struct outcome *wave,
                    const struct job_task *task)
{
    struct outcome_originator *whole = &batch->originator[0];
    struct outcome_originator *part = &wave->originator[0];
    int status = 0;

    outcome_add_order(batch, wave);
    batch->waves += 1;
    batch->lost_units += part->load_units;
    batch->recovery_ps =
        part->plan.scatter_start_ps + outcome_makespan_ps(wave) -
        whole->plan.scatter_start_ps - outcome_makespan_ps(batch);
    if (part->missing_units < part->load_units &&
        whole->missing_units < whole->load_units) {
        output_chunks_insert(&batch->result, &whole->places, &wave->result,
                             &part->places);
        status = batches_add(&batch->result, &wave->result, task);
    } else if (part->missing_units < part->load_units) {
        struct kernel_result none = batch->result;

        batch->result = wave->result;
        wave->result = none;
        whole->places = part->places;
        part->places.place = NULL;
    }
    whole->missing_units -= part->load_units - part->missing_units;
    outcome_free(wave);
    return status;
}

int recovery_run(struct outcome *outcome, struct job *job,
                 struct wire_range range)
{
    struct todo todo = {.count = 0};
    unsigned vain = 0; /* number of waves without a result, one by one */
    int status = running_order(outcome, job, range);

    if (status == 0 && !can_recover(job, outcome)) {
        outcome_free(outcome);
        return EXIT_FAILED;
    }
    if (status == 0) {
        add_missing(&todo, outcome);
    }
    while (status == 0 && todo.count > 0) {
        struct outcome wave = {.batch_count = 0};

        status = go_around(job);
        if (status == 0) {
            status = running_order(&wave, job, todo.range[--todo.count]);
        }
        if (status == 0) {
            vain = wave.originator[0].missing_units ==
                           wave.originator[0].load_units
                       ? vain + 1
                       : 0;
            add_missing(&todo, &wave);
            status = add_wave(outcome, &wave, &job->task[0]);
        }
        if (status == 0 && vain > VAIN_WAVES) {
            fprintf(stderr,
                    "quincunx: %u units cannot be computed: %u orders for them "
                    "came back without a result\n",
                    todo.range[todo.count - 1].units, vain);
            status = EXIT_FAILED;
        }
        if (status != 0) {
            outcome_free(outcome);
        }
    }
    free(todo.range);
    return status;
}
