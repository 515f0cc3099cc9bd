/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/choose.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/job/policy.h"
#include "qemu/job/rates.h"
#include "qemu/job/trial.h"
#include "scatter/wire/wire.h"

/* The schedule peters-syska is preferred if hybrid's answer takes this many
   times longer. */
#define HYBRID_LATE 1.05

/* A task, and what earlier jobs have shown of it. */
struct known {
    struct job_task task;
    struct job_rate rate; /* rate of a normal node; units 0: an estimate */
    /* node that was slow in an earlier job; slow_shift 0: none was */
    struct injection slow;
};

/* ---- what is known ---- */

/* Returns the node that trials make slow if a node was slow in an earlier job:
   a neighbour of the originator. */
static struct injection slow_of(const struct job_task *task, const char *board)
{
    double times = rates_slowest_over_median(task, board);
    struct torus_size size = task->request->size;
    struct torus_coord at = task->originator->at;

    if (size.width > 1) {
        at.x = (uint16_t)((at.x + 1u) % size.width);
    } else {
        at.y = (uint16_t)((at.y + 1u) % size.height);
    }
    return (struct injection){
        .at = at,
        .slow_shift = (uint8_t)((times > 1.5) + (times > 3) + (times > 6))};
}

static struct known known_of(const struct request *request)
{
    const char *board =
        request->board == NULL ? "host" : request->board->place.board;
    struct known known = {.task = job_task_of(request)};
    unsigned shift = job_task_slow_shift(&known.task);

    known.rate = rates_find(&known.task, board);
    known.rate.compute_ps >>= shift;
    known.rate.call_ps >>= shift;
    if (known.rate.compute_ps == 0) {
        known.rate = (struct job_rate){
            .compute_ps = (uint64_t)job_task_unit_ps(&known.task)};
    }
    known.slow = slow_of(&known.task, board);
    return known;
}

/* ---- planning on boards ---- */

/* Instructions that the originator takes to plan: the table of choose.h. */
struct planning {
    double fixed;
    double node;
    double best; /* further instructions to search for several rounds */
    /* further instructions for each node if several rounds are found */
    double several_node;
};

static struct planning planning_of(const struct job_task *task)
{
    switch (job_policy(task)->id) {
    case WIRE_PATTERN:
        return (struct planning){.fixed = 5600};
    case WIRE_FARM:
        return (struct planning){.fixed = 10000, .node = 500};
    default:
        return schedule_is_equal(task->schedule.kind)
                   ? (struct planning){.fixed = 4000, .node = 150}
                   : (struct planning){.fixed = 8000,
                                       .node = 600,
                                       .best = 600,
                                       .several_node = 1500};
    }
}

static double planning_ps(const struct job_task *task, unsigned rounds)
{
    struct planning planning = planning_of(task);
    double nodes = torus_nodes(task->request->size);
    double instructions = planning.fixed + planning.node * nodes;

    if (task->schedule.rounds == WIRE_BEST) {
        instructions +=
            planning.best + (rounds > 1 ? planning.several_node * nodes : 0);
    }
    return task->request->mesh->has_images ? instructions * JOB_INSTRUCTION_PS
                                           : 0;
}

/* Returns whether shares take too little time for several rounds, or for a
   first round before planning. Returns false if the originator alone would
   answer first: it then measures the unit time itself. */
static bool is_short(const struct known *known)
{
    const struct request *request = known->task.request;
    const struct job_originator *originator = known->task.originator;
    double units = (double)originator->load.units;
    double alone_ps = units * (double)known->rate.compute_ps;
    double transfer_ps = units * originator->load.unit_bytes *
                         (double)request_plan_profile(request)->transfer_ps;
    double few = originator->terms.output_denominator > 0 ? 10000 : 1600;

    return alone_ps / torus_nodes(request->size) < few * JOB_INSTRUCTION_PS &&
           alone_ps > 6250.0 * JOB_INSTRUCTION_PS + transfer_ps / TORUS_PORTS;
}

/* ---- the choice ---- */

static void add(struct choices *choices, struct choice choice)
{
    unsigned at = choices->count++;

    while (at > 0 && choices->choice[at - 1].answer_ps > choice.answer_ps) {
        choices->choice[at] = choices->choice[at - 1];
        at -= 1;
    }
    choices->choice[at] = choice;
}

static struct job_schedule chosen_schedule(const struct choice *choice,
                                           const struct job_task *task)
{
    struct job_task chosen = *task;

    chosen.schedule.kind = choice->schedule;
    chosen.schedule.rounds = choice->rounds;
    chosen.schedule.phases = choice->phases;
    chosen.schedule.reserve =
        job_policy(&chosen)->id == WIRE_PATTERN ? 0 : WIRE_BEST;
    return chosen.schedule;
}

static struct choice try_rounds(const struct known *known,
                                enum schedule schedule, uint8_t rounds)
{
    struct choice choice = {
        .schedule = schedule, .rounds = rounds, .phases = WIRE_BEST};
    const struct injection *slow =
        known->slow.slow_shift > 0 ? &known->slow : NULL;
    struct job_task task = known->task;
    struct trial trial;

    task.schedule = chosen_schedule(&choice, &known->task);
    if (job_policy_has(&task) &&
        trial_run(&trial, &task, known->rate, slow) == 0) {
        choice.answer_ps = trial.answer_ps + planning_ps(&task, trial.rounds);
    }
    return choice;
}

static void add_schedule(struct choices *choices, const struct known *known,
                         enum schedule schedule)
{
    bool by_rule =
        schedule == SCHEDULE_HYBRID && known->task.request->mesh->has_images;
    struct choice best;

    if (known->task.holes != NULL && !schedule_goes_around(schedule)) {
        return;
    }
    best =
        try_rounds(known, schedule, by_rule && is_short(known) ? 1 : WIRE_BEST);
    if (best.answer_ps > 0 && !by_rule && schedule != SCHEDULE_FARM &&
        !schedule_is_equal(schedule)) {
        struct choice one = try_rounds(known, schedule, 1);

        best = one.answer_ps < best.answer_ps ? one : best;
    }
    if (best.answer_ps > 0) {
        add(choices, best);
    }
}

static void add_one_board(struct choices *choices, const struct known *known)
{
    const struct job_originator *originator = known->task.originator;
    uint32_t result_bytes =
        originator->terms.result_fixed ? originator->terms.result_bytes_max : 0;
    double code_ps = known->task.request->mesh->has_images
                         ? (4000 + 1.6 * result_bytes) * JOB_INSTRUCTION_PS
                         : 0;
    double run_ps =
        (double)originator->load.units * (double)known->rate.compute_ps +
        (double)known->rate.call_ps;

    add(choices,
        (struct choice){.schedule = SCHEDULE_FARM,
                        .rounds = WIRE_BEST,
                        .phases = 0,
                        .answer_ps =
                            run_ps * (1u << job_task_slow_shift(&known->task)) +
                            code_ps});
}

/* Adds the schedule hybrid to the choices; or, if the mesh does not support it,
   one board alone. Adds peters-syska if hybrid is missing or if its answer is
   later by more than HYBRID_LATE. */
static void add_pattern(struct choices *choices, const struct known *known)
{
    struct choices planned = {.count = 0};
    double late = HYBRID_LATE;

    add_schedule(choices, known, SCHEDULE_HYBRID);
    if (choices->count == 0) {
        add_one_board(choices, known);
        late = 0;
    }
    add_schedule(&planned, known, SCHEDULE_PETERS_SYSKA);
    if (planned.count > 0 &&
        planned.choice[0].answer_ps * late < choices->choice[0].answer_ps) {
        add(choices, planned.choice[0]);
    }
}

const char *choice_name(const struct choice *choice)
{
    return choice->phases == 0 ? "one board" : schedule_name(choice->schedule);
}

static void add_all(struct choices *choices, const struct known *known)
{
    if (!known->task.originator->terms.cost_varies) {
        add_pattern(choices, known);
        add_schedule(choices, known, SCHEDULE_NEAREST);
        add_schedule(choices, known, SCHEDULE_STAR);
        add_schedule(choices, known, SCHEDULE_EQUAL);
    } else if (known->rate.units > 0) {
        /* Units differ in time, and the rate of an earlier job is a mean. So
           one board's time is known only from a rate. */
        add_one_board(choices, known);
    }
    add_schedule(choices, known, SCHEDULE_FARM);
}

struct choices choose_schedule(const struct request *request)
{
    struct known known = known_of(request);
    struct choices choices = {.estimated = known.rate.units == 0};

    if (request->mesh->has_fabric) {
        add_all(&choices, &known);
    } else {
        enum schedule schedule = known.task.originator->terms.cost_varies
                                     ? SCHEDULE_FARM
                                     : SCHEDULE_PETERS_SYSKA;

        add(&choices, try_rounds(&known, schedule, WIRE_BEST));
    }
    if (choices.count == 0) {
        add(&choices, try_rounds(&known, SCHEDULE_FARM, WIRE_BEST));
    }
    choices.schedule = chosen_schedule(&choices.choice[0], &known.task);
    return choices;
}
