/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/recovery.h"

#include "qemu/job/batches.h"
#include "qemu/job/originators.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* Most waves in a row that compute nothing: each may meet a new fault. */
#define VAIN_WAVES 64u

/* Ranges of a batch that are to be computed, the next one last: those that one
   originator's order lacks. */
struct todo {
    uint32_t index; /* of that originator in the batch's outcome */
    struct wire_range *range;
    uint32_t count;
    uint64_t start_ps;     /* mesh time when the batch began */
    struct wire_range now; /* range of the wave that runs */
    unsigned vain; /* number of waves without a result so far, one by one */
};

/* Returns whether lost ranges can be computed again; if not, after a message.
 */
static bool can_recover(const struct job *job, const struct outcome *outcome)
{
    bool lost = false;

    for (uint32_t i = 0; i < job->count; ++i) {
        lost = lost || outcome->originator[i].plan.ranges > 0;
    }
    if (lost && job->originators > 1 && job->mesh->ops->renew != NULL) {
        fprintf(stderr,
                "quincunx: nodes were lost, and their ranges with them; with "
                "serial ports only a job of one originator computes these "
                "again\n");
        return false;
    }
    return true;
}

/* Returns the task whose orders run, or whose ranges are computed again. */
static struct job_task *task_of(const struct job *job)
{
    return &job->task[job->first];
}

/* Returns where an originator's result is kept. */
static struct kernel_result *result_of(struct outcome *batch, uint32_t index)
{
    return batch->originators == 1 ? &batch->result
                                   : &batch->originator[index].result;
}

static int by_first_unit(const void *a, const void *b)
{
    const struct wire_range *one = a;
    const struct wire_range *other = b;

    return (one->first_unit < other->first_unit) -
           (one->first_unit > other->first_unit);
}

/* Adds the ranges that an order lacks, adjacent ones as one. */
static void add_missing(struct todo *todo,
                        const struct outcome_originator *originator)
{
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

/* ---- faults ---- */

/* Returns whether the units that an order lost count for a fault rather than
   for another one. First come those that this order met as the first one; then
   those where it lost a message, the last of them; then who was found last;
   then who stopped first. Times count from the first order. */
static bool is_likelier(const struct fault *fault, const struct fault *other,
                        uint64_t ordered_ps)
{
    bool is_new = fault->found_ps > ordered_ps;
    bool other_new = other->found_ps > ordered_ps;
    uint64_t lost_ps = fault->lost_ps > ordered_ps ? fault->lost_ps : 0;
    uint64_t other_ps = other->lost_ps > ordered_ps ? other->lost_ps : 0;

    if (is_new != other_new) {
        return is_new;
    }
    if (lost_ps != other_ps) {
        return lost_ps > other_ps;
    }
    if (fault->found_ps != other->found_ps) {
        return fault->found_ps > other->found_ps;
    }
    return fault->is.from_ps < other->is.from_ps;
}

/* Returns the fault for which the units count that an order lost. The order was
   given at ordered_ps, behind the first one. Returns NULL if none is known. */
static struct fault *culprit(const struct faults *faults, uint64_t ordered_ps)
{
    struct fault *last = NULL;

    for (uint32_t i = 0; i < faults->count; ++i) {
        struct fault *fault = &faults->fault[i];

        if (fault->how > FAULT_ORDERED &&
            (last == NULL || is_likelier(fault, last, ordered_ps))) {
            last = fault;
        }
    }
    return last;
}

/* Returns the fault of a node; NULL: it lives, as far as is known. */
static struct fault *fault_of(const struct faults *faults,
                              struct torus_coord at)
{
    for (uint32_t i = 0; i < faults->count; ++i) {
        struct fault *fault = &faults->fault[i];

        if (fault_port(fault) == NULL && fault->is.at.x == at.x &&
            fault->is.at.y == at.y) {
            return fault;
        }
    }
    return NULL;
}

/* Reads what died. `asks`: the host asks all switches. Returns 0; or an exit
   status after a message if that is more than the user allows. */
static int read_faults(struct job *job, bool asks)
{
    uint32_t most = task_of(job)->request->survive;
    uint32_t met;

    job->mesh->ops->read_faults(job->mesh, &job->faults, asks);
    met = faults_met(&job->faults);
    if (met > most) {
        faults_print(stderr, &job->faults);
        fprintf(stderr, "quincunx: --survive %u: the job has met %u fault%s\n",
                most, met, met == 1 ? "" : "s");
        return EXIT_FAILED;
    }
    return 0;
}

/* Reads what died until the end of an order, and counts for it what the order
   lost. On a mesh that must be renewed for that, go_around() does so. */
static int note_faults(struct job *job, const struct outcome *order)
{
    bool lost = false;
    int status;

    for (uint32_t i = 0; i < order->originators; ++i) {
        lost = lost || order->originator[i].plan.ranges > 0;
    }
    status = read_faults(job, lost);
    for (uint32_t i = 0; status == 0 && i < order->originators; ++i) {
        const struct outcome_originator *originator = &order->originator[i];
        struct fault *fault = NULL;

        if (originator->silent) {
            fault = fault_of(&job->faults, originator->at);
        } else if (job->mesh->ops->renew == NULL) {
            fault = culprit(&job->faults,
                            originator->plan.ordered_ps - job->first_ps);
        }

        if (fault != NULL) {
            fault->units += originator->missing_units;
        } else {
            job->lost_units += originator->missing_units;
        }
    }
    return status;
}

/* Lets boards find each other again, and counts for what they miss what the
   last order lost. */
static int renew(struct job *job)
{
    struct job_mesh *mesh = job->mesh;
    struct fault *fault;
    int status = mesh->ops->renew(mesh, job->holes);

    status = status == 0 ? read_faults(job, true) : status;
    fault = culprit(&job->faults, 0);
    if (fault != NULL) {
        fault->units += job->lost_units;
        job->lost_units = 0;
    }
    return status;
}

/* ---- the originator ---- */

static void add_heir(struct job *job, struct torus_coord at)
{
    job->heir = memory_or_exit(
        realloc(job->heir, (job->heirs + 1u) * sizeof *job->heir));
    job->heir[job->heirs++] = (struct outcome_heir){at, job->first};
}

void recovery_open(struct job *job)
{
    const struct request *request = job->task[0].request;
    struct torus_coord at = request->originator[0].at;

    job->acting = memory_or_exit(calloc(job->originators, sizeof *job->acting));
    if (job->originators == 1 &&
        (at.x != request->preferred[0].x || at.y != request->preferred[0].y)) {
        add_heir(job, at);
    }
}

/* Returns whether the originator has stopped. */
static bool has_stopped(const struct job *job)
{
    return fault_of(&job->faults, task_of(job)->originator->at) != NULL;
}

/* Makes a living node the originator. */
static int take_over(struct job *job)
{
    struct job_task *task = task_of(job);
    const struct request *request = task->request;
    struct job_originator *acting = &job->acting[job->first];
    const struct torus_coord at = task->originator->at;
    bool one = job->originators == 1;

    *acting = *task->originator;
    task->originator = acting;
    if (!schedule_holes_originator(job->holes, one ? request->preferred : &at,
                                   one ? request->preferences : 1,
                                   &acting->at)) {
        faults_print(stderr, &job->faults);
        fputs("quincunx: no node lives any more\n", stderr);
        return EXIT_FAILED;
    }
    add_heir(job, acting->at);
    return 0;
}

/* ---- waves ---- */

/* Plans around all nodes and links that died so far, from the next order on. */
static int go_around(struct job *job)
{
    struct job_task *task = task_of(job);
    struct job_order *order = &job->order[job->first];
    struct job_mesh *mesh = job->mesh;
    const struct schedule_holes *before = task->request->holes;
    const struct torus_coord here = {0, 0};

    schedule_holes_free(job->holes);
    job->holes = before != NULL ? schedule_holes_from(before, here)
                                : schedule_holes_new(task->request->size);
    for (uint32_t i = 0; mesh->ops->renew == NULL && i < job->faults.count;
         ++i) {
        request_add_hole(job->holes, &job->faults.fault[i].is);
    }
    task->holes = job->holes;
    if (has_stopped(job) && take_over(job) != 0) {
        return EXIT_FAILED;
    }
    task->calls = mesh->ops->renew == NULL;
    task->schedule = (struct job_schedule){.kind = SCHEDULE_PETERS_SYSKA,
                                           .phases = WIRE_BEST,
                                           .rounds = WIRE_BEST};
    if (mesh->ops->renew != NULL && renew(job) != 0) {
        return EXIT_FAILED;
    }
    job_order_close(order);
    *order = (struct job_order){.tree = NULL};
    return job_order_open(order, task);
}

/* Lets a wave take the place of a batch whose originator stopped before it
   reported. What is told of the batch is that of the wave, which is for the
   same range; the answer's time begins with the first order. */
static void exchange(struct outcome *batch, struct outcome *wave)
{
    struct outcome silent = *batch;
    struct outcome_wave *own = wave->wave;

    outcome_add_order(&silent, wave);
    for (uint32_t i = 0; i < wave->node_count; ++i) {
        wave->node[i].missing = silent.node[i].missing;
    }
    wave->plan.ordered_ps = silent.plan.ordered_ps;
    wave->messages = silent.messages;
    wave->payload_bytes = silent.payload_bytes;
    wave->run_wall_s = silent.run_wall_s;
    wave->waves = silent.waves;
    wave->wave = silent.wave;
    wave->lost_units = silent.lost_units;
    *batch = *wave;
    *wave = silent;
    wave->wave = own;
}

/* Adds the result and output of a wave to those of its originator. */
static int add_result(struct outcome *batch, struct outcome *wave,
                      const struct todo *todo, const struct job_task *task)
{
    struct outcome_originator *whole = &batch->originator[todo->index];
    struct outcome_originator *part = &wave->originator[0];
    struct kernel_result *result = result_of(batch, todo->index);
    int status = 0;

    if (part->missing_units < part->load_units &&
        whole->missing_units < whole->load_units) {
        output_chunks_insert(result, &whole->places, &wave->result,
                             &part->places);
        status = batches_add(result, &wave->result, task);
    } else if (part->missing_units < part->load_units) {
        struct kernel_result none = *result;

        *result = wave->result;
        wave->result = none;
        whole->places = part->places;
        part->places.place = NULL;
    }
    whole->missing_units -= part->load_units - part->missing_units;
    return status;
}

/* Adds a wave, an order for a range that was lost, to its batch. */
static int add_wave(struct outcome *batch, struct outcome *wave,
                    const struct todo *todo, const struct job *job)
{
    struct outcome_originator *whole = &batch->originator[todo->index];
    struct outcome_originator *part = &wave->originator[0];
    uint64_t end_ps = part->plan.scatter_start_ps + outcome_makespan_ps(wave);
    bool exchanges = whole->silent && batch->originators == 1;
    int status = 0;

    wave->waves = 1;
    wave->wave = memory_or_exit(malloc(sizeof *wave->wave));
    *wave->wave =
        (struct outcome_wave){.range = todo->now,
                              .missing_units = (uint32_t)part->missing_units,
                              .start_ps = part->plan.ordered_ps - job->first_ps,
                              .end_ps = part->plan.ordered_ps - job->first_ps +
                                        outcome_answer_ps(wave)};
    if (exchanges) {
        exchange(batch, wave);
    } else {
        outcome_add_order(batch, wave);
    }
    batch->lost_units += part->load_units;
    batch->recovery_ps = end_ps - todo->start_ps - outcome_makespan_ps(batch);
    if (!exchanges) {
        if (whole->silent) {
            whole->silent = part->silent;
            /* Waves are told of apart: nothing was planned for the order. */
            whole->plan = part->plan;
            whole->plan.ordered_ps = batch->plan.ordered_ps;
            whole->plan.scatter_start_ps = batch->plan.scatter_start_ps;
            whole->plan.makespan_ps = 0;
        }
        batch->waves_ps += outcome_computing_ps(wave);
        whole->plan.gather_done_ps = part->plan.gather_done_ps;
        batch->plan.gather_done_ps = part->plan.gather_done_ps;
        status = add_result(batch, wave, todo, task_of(job));
    }
    outcome_free(wave);
    return status;
}

/* Runs a wave for the next range to do. */
static int run_wave(struct outcome *batch, struct job *job, struct todo *todo)
{
    struct outcome wave = {.batch_count = 0};
    uint32_t heirs = job->heirs;
    int status = go_around(job);

    if (status != 0) {
        return status;
    }
    todo->now = todo->range[--todo->count];
    status = running_order(&wave, job, todo->now);
    if (status != 0) {
        return status;
    }
    todo->vain =
        wave.originator[0].missing_units == wave.originator[0].load_units &&
                heirs == job->heirs
            ? todo->vain + 1
            : 0;
    add_missing(todo, &wave.originator[0]);
    status = note_faults(job, &wave);
    if (status != 0) {
        outcome_free(&wave);
        return status;
    }
    status = add_wave(batch, &wave, todo, job);
    if (status == 0 && todo->vain > VAIN_WAVES) {
        fprintf(stderr,
                "quincunx: %u units cannot be computed: %u orders for them "
                "came back without a result\n",
                todo->range[todo->count - 1].units, todo->vain);
        return EXIT_FAILED;
    }
    return status;
}

/* Runs waves until nothing is missing of what an originator's order lacks. */
static int recover(struct outcome *batch, struct job *job, uint32_t index)
{
    struct todo todo = {.index = index,
                        .start_ps = batch->plan.scatter_start_ps};
    int status = 0;

    add_missing(&todo, &batch->originator[index]);
    if (todo.count > 0) {
        job->task[index].group_of_node = NULL; /* all nodes take part */
    }
    job->first = index;
    job->count = 1;
    while (status == 0 && todo.count > 0) {
        status = run_wave(batch, job, &todo);
    }
    job->first = 0;
    job->count = job->originators;
    free(todo.range);
    return status;
}

int recovery_run(struct outcome *outcome, struct job *job,
                 struct wire_range range)
{
    /* Who answers again takes part. */
    int status = has_stopped(job) || job->mesh->has_holes ? go_around(job) : 0;
    bool several = job->originators > 1;

    if (status == 0) {
        status = running_order(outcome, job, range);
    }
    if (status != 0) {
        return status;
    }
    status =
        can_recover(job, outcome) ? note_faults(job, outcome) : EXIT_FAILED;
    for (uint32_t i = 0; status == 0 && i < job->originators; ++i) {
        status = recover(outcome, job, i);
    }
    if (status == 0 && several && outcome->result.data == NULL) {
        status = originators_join(outcome, &job->task[0]);
    }
    if (status != 0) {
        outcome_free(outcome);
    }
    return status;
}
