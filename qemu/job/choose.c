/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/choose.h"

#include "qemu/job/farm_time.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/policy.h"
#include "qemu/job/rates.h"
#include "qemu/job/tree_time.h"
#include "qemu/schedule/tree.h"
#include "scatter/engine/core.h"
#include "scatter/wire/wire.h"

/* What workers cost a farm's originator, in instructions; with masters. */
#define FARM_INSTRUCTIONS(nodes) (16200 + 1125 * (nodes))
#define MASTERS_INSTRUCTIONS(nodes) (97000 + 95 * (nodes))
/* Chunks of a node, roughly. */
#define FARM_CHUNKS 12
/* Farms end so much later than planned on boards with software. */
#define FARM_LATE 1.02
/* Heads of an announcement and a part. */
#define HEADS_BYTES 200
/* Circuits with a halo that a port of the pattern has in its rounds. */
#define HALO_CIRCUITS 8

/* What the formulas of choose.h are made of, for one job. */
struct terms {
    double instruction_ps;
    double units;        /* V */
    double compute_ps;   /* w */
    double call_ps;      /* a, known or 0 */
    double transfer_ps;  /* g */
    double output_ps;    /* o */
    double output_bytes; /* of all units */
    double halo_ps;      /* of what goes with every chunk beside its units */
    double nodes;        /* n */
    double speed;
    double slowest;     /* speed of the slowest node */
    double late;        /* times as long as planned that the slowest takes */
    double ports;       /* P */
    double circuits_ps; /* of the pattern: an announcement, a part without its
                           units and a result, in each phase */
};

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static const char *board_of(const struct job_task *task)
{
    const struct board_kind *board = task->request->board;

    return board == NULL ? "host" : board->place.board;
}

/* Times of a unit and of a call as an earlier job showed them; 0: none did. */
static struct job_rate known_rate(const struct job_task *task)
{
    return rates_find(task, board_of(task));
}

/* The same, or by the kernel's estimate. */
static double compute_ps(const struct job_task *task)
{
    uint64_t known_ps = known_rate(task).compute_ps;

    return known_ps > 0 ? (double)known_ps : tree_time_compute_ps(task);
}

static struct terms terms_of(const struct job_task *task)
{
    const struct kernel_terms *kernel = &task->originator->terms;
    const struct profile *profile = request_plan_profile(task->request);
    uint32_t nodes = torus_nodes(task->request->size);
    struct terms terms = {
        .instruction_ps =
            task->request->mesh->has_images ? TREE_TIME_INSTRUCTION_PS : 0,
        .units = (double)task->originator->load.units,
        .compute_ps = compute_ps(task),
        .call_ps = (double)known_rate(task).call_ps,
        .transfer_ps = (double)profile->transfer_ps *
                       (double)task->originator->load.unit_bytes,
        .halo_ps = (double)profile->transfer_ps *
                   ((double)kernel->before_bytes + kernel->after_bytes),
        .nodes = nodes,
        .slowest = 1,
        .late = rates_slowest_over_median(task, board_of(task)),
        .ports =
            smaller(task->request->ports, schedule_ports(task->request->size))};

    if (kernel->output_denominator > 0) {
        terms.output_bytes =
            terms.units * kernel->output_numerator / kernel->output_denominator;
        terms.output_ps =
            (double)profile->transfer_ps * terms.output_bytes / terms.units;
    }
    for (uint32_t i = 0; i < nodes; ++i) {
        double speed = 1.0 / (1u << request_slow_shift(task->request, i));

        terms.speed += speed;
        terms.slowest = smaller(terms.slowest, speed);
    }
    terms.ports = larger(terms.ports, 1);
    if (torus_phases(task->request->size) > 0) {
        double bytes = HEADS_BYTES +
                       smaller(kernel->result_bytes_max, SCATTER_SHORT_BYTES);

        terms.circuits_ps = torus_phases(task->request->size) *
                            (3 * (double)profile->startup_ps +
                             bytes * (double)profile->transfer_ps);
    }
    return terms;
}

/* ---- the formulas ---- */

static double code_ps(const struct terms *terms, double instructions)
{
    return instructions * terms->instruction_ps;
}

/* V g / P, for any g. */
static double ports_ps(const struct terms *terms, double transfer_ps)
{
    return terms->units * transfer_ps / terms->ports;
}

/* The originator measures the kernel on this part of a share, while the
   announcement goes out. */
static double measuring_ps(const struct terms *terms)
{
    return terms->units * terms->compute_ps / terms->nodes / 64;
}

static double bound_of_ps(const struct terms *terms, double speed,
                          double transfer_ps)
{
    double by_ports = 0;

    if (transfer_ps > 0) {
        by_ports =
            terms->units / (1 / terms->compute_ps + terms->ports / transfer_ps);
    }
    return larger(terms->units * terms->compute_ps / speed, by_ports);
}

/* Outputs that are collected when all is computed. */
static double collect_ps(const struct terms *terms)
{
    return ports_ps(terms, terms->output_ps) * (terms->nodes - 1) /
           terms->nodes;
}

/* Rounds of the pattern: before outputs, or with those that return meanwhile,
   whose transfer is part of `transfer_ps` then. */
static double rounds_ps(const struct terms *terms, double transfer_ps)
{
    double bound_ps = bound_of_ps(terms, terms->speed, transfer_ps);
    double sending_ps = ports_ps(terms, transfer_ps);

    return terms->late * bound_ps + code_ps(terms, 5600) +
           smaller(sending_ps / 10, bound_ps / 50);
}

static double pattern_ps(const struct terms *terms, bool keeps_messages)
{
    double both_ps = terms->transfer_ps + terms->output_ps;
    double collected_ps =
        rounds_ps(terms, terms->transfer_ps) + collect_ps(terms);

    if (terms->output_ps <= 0 || !keeps_messages) {
        return terms->circuits_ps + terms->call_ps + collected_ps;
    }
    return terms->circuits_ps + terms->call_ps +
           smaller(collected_ps, rounds_ps(terms, both_ps) +
                                     code_ps(terms, 16000) +
                                     ports_ps(terms, both_ps) / 50 +
                                     HALO_CIRCUITS * terms->halo_ps);
}

/* ---- along trees, and of farms ---- */

/* Instructions of the originator and its nodes: */
struct instructions {
    double one;     /* of any plan */
    double several; /* more, of several rounds */
};

static struct instructions instructions_of(enum schedule schedule, double nodes)
{
    switch (schedule) {
    case SCHEDULE_EQUAL:
        return (struct instructions){9500 + 485 * nodes, 0};
    case SCHEDULE_STAR:
        return (struct instructions){9700 + 1070 * nodes, 6000 * nodes};
    case SCHEDULE_NEAREST:
        return (struct instructions){13700 + 750 * nodes, 6000 * nodes};
    default:
        return (struct instructions){11200 + 750 * nodes, 6000 * nodes};
    }
}

/* Returns the choice of a tree: its answer in one round or in the best number
   of rounds, whichever is expected earlier. */
static struct choice tree_choice(const struct terms *terms,
                                 const struct tree_times *times,
                                 enum schedule schedule)
{
    struct instructions more = instructions_of(schedule, terms->nodes);
    double late = terms->late - 1;
    double before_ps = larger(times->announce_ps, measuring_ps(terms)) +
                       code_ps(terms, more.one);
    double one_ps = times->one.with_results_ps + late * times->one.makespan_ps;
    double several_ps = times->several.with_results_ps +
                        late * times->several.makespan_ps +
                        code_ps(terms, more.several);

    return (struct choice){
        .schedule = schedule,
        .rounds =
            schedule != SCHEDULE_EQUAL && one_ps <= several_ps ? 1 : WIRE_BEST,
        .phases = WIRE_BEST,
        .answer_ps = before_ps + terms->call_ps + smaller(one_ps, several_ps)};
}

/* Returns the choice that the originator computes all units. */
static struct choice one_board(const struct job_task *task,
                               const struct terms *terms)
{
    uint32_t at = torus_index(task->request->size, task->originator->at);
    unsigned shift = request_slow_shift(task->request, at);
    uint32_t result_bytes = task->originator->terms.result_fixed
                                ? task->originator->terms.result_bytes_max
                                : 0;

    return (struct choice){
        .schedule = SCHEDULE_FARM,
        .rounds = WIRE_BEST,
        .phases = 0,
        .answer_ps = terms->units * terms->compute_ps * (1u << shift) +
                     terms->call_ps +
                     code_ps(terms, 4000 + 1.6 * result_bytes)};
}

/* Returns the expected answer of a farm with masters, ps. */
static double masters_ps(const struct terms *terms)
{
    double both_ps = terms->transfer_ps + terms->output_ps;
    double least_ps = 0;

    for (double nodes = 1; nodes <= terms->nodes; ++nodes) {
        double speed = terms->speed * nodes / terms->nodes;
        double serving =
            smaller(FARM_INSTRUCTIONS(nodes), MASTERS_INSTRUCTIONS(nodes));
        /* The originator computes no more units than another node. */
        double takes_ps = larger(bound_of_ps(terms, speed, both_ps),
                                 0.85 * ports_ps(terms, both_ps)) +
                          code_ps(terms, serving);

        least_ps = nodes == 1 ? takes_ps : smaller(least_ps, takes_ps);
    }
    return least_ps + ports_ps(terms, both_ps) / 20 +
           FARM_CHUNKS *
               (terms->nodes * terms->halo_ps / terms->ports + terms->call_ps);
}

static double farm_ps(const struct job_task *task, const struct terms *terms)
{
    double units = smaller(terms->units, UINT32_MAX);
    struct job_task farm = *task;
    struct farm_run run;

    farm.schedule.kind = SCHEDULE_FARM;
    if (farm_time(&run, &farm, (uint64_t)units, (uint64_t)terms->compute_ps,
                  (uint64_t)terms->call_ps,
                  (uint64_t)terms->instruction_ps) != 0) {
        return masters_ps(terms);
    }
    return (double)run.with_results_ps * terms->units / units *
               (task->request->mesh->has_images ? FARM_LATE : 1) +
           code_ps(terms, 4700 + 535 * terms->nodes +
                              smaller(terms->output_bytes / 6, 16000));
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

/* Rounds of the pattern: one where nodes compute so shortly that several, or
   an advance, only cost; but not where the originator alone is the first. */
static uint8_t pattern_rounds(const struct terms *terms)
{
    double alone_ps = terms->units * terms->compute_ps;
    double share_ps = alone_ps / terms->nodes;
    double one_ps = code_ps(terms, 6250) + ports_ps(terms, terms->transfer_ps);
    double few_ps = code_ps(terms, terms->output_ps > 0 ? 10000 : 1600);

    return share_ps < few_ps && alone_ps > one_ps ? 1 : WIRE_BEST;
}

/* If there is such a tree. */
static void add_tree(struct choices *choices, const struct job_task *task,
                     const struct terms *terms, enum schedule schedule)
{
    struct job_task along = *task;
    struct tree_times times;

    along.schedule.kind = schedule;
    along.schedule.rounds = WIRE_BEST;
    if (tree_times(&times, &along, terms->compute_ps) == 0) {
        add(choices, tree_choice(terms, &times, schedule));
    }
}

const char *choice_name(const struct choice *choice)
{
    return choice->phases == 0 ? "one board" : schedule_name(choice->schedule);
}

/* All choices on nodes whose fabric is emulated. */
static void add_all(struct choices *choices, const struct job_task *task,
                    const struct terms *terms)
{
    struct job_task pattern = *task;

    pattern.schedule.kind = SCHEDULE_HYBRID;
    pattern.schedule.rounds = WIRE_BEST;
    if (task->originator->terms.cost_varies) {
        /* Where a rate is known, it is at least that of the mean unit. */
        if (known_rate(task).compute_ps > 0) {
            add(choices, one_board(task, terms));
        }
    } else if (job_policy_has(&pattern)) {
        /* Its originator knows by itself where others do not pay. */
        add(choices, (struct choice){SCHEDULE_HYBRID, pattern_rounds(terms),
                                     WIRE_BEST, pattern_ps(terms, true)});
    } else {
        add_tree(choices, task, terms, SCHEDULE_PETERS_SYSKA);
        add(choices, one_board(task, terms));
    }
    for (unsigned i = 0; !task->originator->terms.cost_varies && i < 3; ++i) {
        static const enum schedule others[] = {SCHEDULE_NEAREST, SCHEDULE_STAR,
                                               SCHEDULE_EQUAL};

        add_tree(choices, task, terms, others[i]);
    }
    add(choices, (struct choice){SCHEDULE_FARM, WIRE_BEST, WIRE_BEST,
                                 farm_ps(task, terms)});
}

struct choices choose_schedule(const struct request *request)
{
    struct job_task task = job_task_of(request);
    struct terms terms = terms_of(&task);
    struct choices choices = {.estimated = known_rate(&task).compute_ps == 0};

    if (request->mesh->has_fabric) {
        add_all(&choices, &task, &terms);
        task.schedule.rounds = choices.choice[0].rounds;
        task.schedule.phases = choices.choice[0].phases;
    } else if (task.originator->terms.cost_varies) {
        add(&choices, (struct choice){SCHEDULE_FARM, WIRE_BEST, WIRE_BEST,
                                      farm_ps(&task, &terms)});
    } else {
        add(&choices, (struct choice){SCHEDULE_PETERS_SYSKA, WIRE_BEST,
                                      WIRE_BEST, pattern_ps(&terms, false)});
    }
    task.schedule.kind = choices.choice[0].schedule;
    task.schedule.reserve =
        job_policy(&task)->id == WIRE_PATTERN ? 0 : WIRE_BEST;
    choices.schedule = task.schedule;
    return choices;
}
