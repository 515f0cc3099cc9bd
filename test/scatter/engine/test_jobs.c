/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole jobs in the made-up world, of every shape: bytes around ranges, units
 * of no bytes, outputs, arguments of any length, wherever in a load the order
 * begins; and those that the originator refuses. The judge (test/world/judge.h)
 * says whether each unit is computed once, with its bytes.
 */
#include "qemu/schedule/registry.h"
#include "test/scatter/engine/suite.h"
#include "test/world/whole.h"

#include <stdlib.h>
#include <string.h>

#define ARG_BYTES_MAX 4096u
#define JOB 1u

/* A mesh; then the load and what the kernel asks for. */
struct job {
    enum wire_policy policy;
    struct torus_size size;
    enum schedule schedule; /* of a tree */
    uint8_t rounds;
    uint8_t ports;
    uint8_t flags;
    uint8_t reserve;
    uint8_t failed; /* orders before this one, modulo 4, which were announced
                       and then refused */

    uint32_t units;
    uint32_t unit_bytes;
    uint32_t first_unit;
    uint32_t later_units; /* of the load, behind the order's */
    uint32_t before_bytes;
    uint32_t after_bytes;
    uint16_t numerator;
    uint16_t denominator;
    uint32_t arg_bytes; /* 0: the least */
    /* What is wrong: bytes more around the order's units than there should be,
       or in each output; and costs of circuits. */
    int32_t before_wrong;
    int32_t after_wrong;
    int8_t lies;
    uint64_t startup_ps;
    uint64_t transfer_ps;
};

static uint32_t least(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

static void write_arg(uint8_t arg[ARG_BYTES_MAX], const struct job *job)
{
    bytes_store_u32(arg, job->before_bytes);
    bytes_store_u32(arg + 4, job->after_bytes);
    bytes_store_u16(arg + 8, job->numerator);
    bytes_store_u16(arg + 10, job->denominator);
    arg[13] = (uint8_t)job->lies;
    for (uint32_t i = JUDGE_LONG_ARG_BYTES; i < job->arg_bytes; ++i) {
        arg[i] = judge_output(i);
    }
}

static struct wire_order make_order(const struct job *job, uint8_t *arg)
{
    uint64_t unit_bytes = job->unit_bytes;
    struct wire_order order =
        whole_order(job->policy, job->size, job->units, arg);

    write_arg(arg, job);
    order.arg_bytes = job->arg_bytes > 0 ? job->arg_bytes : order.arg_bytes;
    order.rounds = job->rounds > 0 ? job->rounds : order.rounds;
    order.ports = job->ports > 0 ? job->ports : order.ports;
    order.flags = job->flags & 0xfu;
    order.reserve = job->reserve;
    order.unit_bytes = job->unit_bytes;
    order.first_unit = job->first_unit;
    order.before_bytes =
        least(job->first_unit * unit_bytes, job->before_bytes) +
        (uint32_t)job->before_wrong;
    order.after_bytes = least(job->later_units * unit_bytes, job->after_bytes) +
                        (uint32_t)job->after_wrong;
    order.startup_ps = job->startup_ps > 0 ? job->startup_ps : order.startup_ps;
    order.transfer_ps =
        job->transfer_ps > 0 ? job->transfer_ps : order.transfer_ps;
    if (job->schedule != SCHEDULE_PETERS_SYSKA) {
        free((void *)(uintptr_t)order.tree);
        order.tree = schedule_tree(job->schedule,
                                   &(struct schedule_nodes){.size = job->size});
    }
    return order;
}

static struct letter *sent(void *context, const struct world_node *from,
                           struct letter *letter)
{
    (void)from;
    if (letter->kind != WIRE_REPORT) {
        return letter;
    }
    if (letter->job == JOB) {
        judge_reported(context, letter);
    }
    free(letter);
    return NULL;
}

/* Result: its error; `nodes`, or NULL: that computed. */
static int run(const struct job *job, uint32_t *nodes)
{
    static struct judge judge;
    static uint8_t arg[ARG_BYTES_MAX];
    struct wire_order order = make_order(job, arg);
    struct world world = {.size = job->size,
                          .policy = job->policy,
                          .kernel = &judge_kernel,
                          .context = &judge,
                          .sent = sent,
                          .goes_on = job->failed > 0,
                          .seed = job->units + job->first_unit + job->failed};
    int error;

    memset(&judge, 0, sizeof judge);
    judge.policy = job->policy;
    order.before_bytes += 1;
    world_begin(&world);
    for (uint16_t i = 0; i < job->failed % 4; ++i) {
        world_put(world_node((struct torus_coord){0, 0}),
                  judge_order(&order, (uint16_t)(JOB + 1 + i)));
    }
    order.before_bytes -= 1;
    error = whole_run(&judge, &world, &order, JOB);
    for (uint32_t i = 0; nodes != NULL && i < world.count; ++i) {
        *nodes += world.node[i]->runs > 0;
    }
    judge_free(&judge);
    world_free(&world);
    free((void *)(uintptr_t)order.tree);
    return error;
}

/* ---- what is done ---- */

/* The pattern, one round, several, the best, with a rest for who asks; trees as
   planned and in equal shares, on one port, stored and forwarded; a farm. */
static const struct job meshes[] = {
    {.policy = WIRE_PATTERN, .size = {1, 1}},
    {.policy = WIRE_PATTERN, .size = {5, 5}},
    {.policy = WIRE_PATTERN, .size = {5, 5}, .rounds = 3},
    {.policy = WIRE_PATTERN, .size = {5, 5}, .rounds = WIRE_BEST},
    {.policy = WIRE_PATTERN, .size = {5, 5}, .reserve = 30},
    {.policy = WIRE_TREE, .size = {5, 4}, .rounds = 2},
    {.policy = WIRE_TREE,
     .size = {3, 5},
     .schedule = SCHEDULE_STAR,
     .ports = 2,
     .flags = WIRE_STORE_AND_FORWARD},
    {.policy = WIRE_TREE,
     .size = {5, 3},
     .schedule = SCHEDULE_NEAREST,
     .ports = 1,
     .flags = WIRE_EQUAL_SHARES},
    {.policy = WIRE_FARM, .size = {3, 3}, .schedule = SCHEDULE_FARM}};

/* No halo, one side, both, longer than ranges and than the load; units of any
   size, at the load's ends and between; outputs of any ratio, some of none. */
static const struct job loads[] = {
    {.units = 700, .unit_bytes = 1},
    {.units = 700, .unit_bytes = 3, .before_bytes = 3, .after_bytes = 5},
    {.units = 260, .unit_bytes = 7, .later_units = 9, .after_bytes = 40},
    {.units = 500,
     .unit_bytes = 2,
     .first_unit = 1000,
     .later_units = 1,
     .before_bytes = 64,
     .after_bytes = 9},
    {.units = 900,
     .unit_bytes = 1,
     .first_unit = 5,
     .later_units = 1000,
     .before_bytes = 9,
     .after_bytes = 64},
    {.units = 700, .unit_bytes = 2, .numerator = 1, .denominator = 1},
    {.units = 901,
     .unit_bytes = 1,
     .first_unit = 123456,
     .before_bytes = 2,
     .numerator = 3,
     .denominator = 7},
    {.units = 300, .unit_bytes = 5, .numerator = 5, .denominator = 2},
    {.units = 700, .unit_bytes = 4, .numerator = 1, .denominator = 65535},
    {.units = 700, .unit_bytes = 4, .numerator = 0, .denominator = 1},
    {.units = 4000, .numerator = 0, .denominator = 1},
    {.units = 10000, .unit_bytes = 4, .numerator = 1, .denominator = 65535},
    {.units = 700, .unit_bytes = 1, .arg_bytes = 29},
    {.units = 2000, .unit_bytes = 1, .arg_bytes = 1001},
    {.units = 1, .unit_bytes = 9, .before_bytes = 3, .after_bytes = 4},
    {.units = 7,
     .unit_bytes = 2,
     .before_bytes = 8,
     .numerator = 5,
     .denominator = 3},
    {.units = 29, .unit_bytes = 1, .numerator = 1, .denominator = 2},
    {.units = 4000, .first_unit = UINT32_MAX - 4000},
    {.units = 4000, .numerator = 3, .denominator = 7},
    {.units = 4000, .before_bytes = 5, .after_bytes = 5}, /* there are none */
    {.units = UINT32_MAX}};

static struct job job_of(const struct job *mesh, const struct job *load)
{
    struct job job = *load;

    memcpy(&job, mesh, offsetof(struct job, units));
    return job;
}

/* Several rounds, or a rest, need a load that outweighs the argument, and bytes
   to send. */
static bool is_feasible(const struct job *job)
{
    bool rounds = job->rounds > 1 && job->rounds < WIRE_BEST;
    bool long_load =
        job->units * job->unit_bytes >= 500 && job->arg_bytes < 1000;

    return (!rounds && job->reserve == 0) || long_load;
}

static void every_load_on_every_mesh(struct unit *unit)
{
    for (unsigned n = 0; n < COUNT(meshes) * COUNT(loads); ++n) {
        struct job job =
            job_of(&meshes[n / COUNT(loads)], &loads[n % COUNT(loads)]);
        bool few = job.units < 30 || job.policy == WIRE_FARM;
        uint32_t nodes = 0;
        int error;

        if (!is_feasible(&job)) {
            continue;
        }
        error = run(&job, &nodes);
        if (error != ERR_OK || (!few && nodes != torus_nodes(job.size))) {
            CHECK_EQUAL(unit, error, ERR_OK);
            CHECK_EQUAL(unit, nodes, torus_nodes(job.size));
            CHECK_EQUAL(unit, n, -1); /* the case */
        }
    }
}

/* Loads that fill a node's memory all but for their outputs, or with them: each
   job is done, or refused for want of memory. */
static void memory_that_hardly_suffices(struct unit *unit)
{
    for (unsigned i = 0; i < COUNT(meshes); ++i) {
        unsigned step = meshes[i].reserve > 0 ? 16 : 43;

        /* Bytes that the order's head and all else may have, from the head of
           an order without a tree on. */
        for (uint32_t spare = 110; spare < 2000;
             spare += spare < 134 ? 1 : step) {
            struct job load = {.units = WORLD_MEMORY_BYTES - spare,
                               .unit_bytes = 1,
                               .numerator = 1,
                               .denominator = 60};
            struct job job = job_of(&meshes[i], &load);
            int error = run(&job, NULL);

            CHECK(unit, error == ERR_OK || error == ERR_MEMORY ||
                            error == ERR_BUFFER);
        }
    }
}

/* Chunks take another way than announcements: so they may come ahead of that of
   their own job, behind those of others. */
static void orders_that_failed_leave_nothing(struct unit *unit)
{
    static const struct job load = {.units = 3000, .unit_bytes = 1};

    for (unsigned i = 0; i < COUNT(meshes); ++i) {
        struct job job = job_of(&meshes[i], &load);

        for (job.failed = 1; job.failed < 64; ++job.failed) {
            int error = run(&job, NULL);

            if (error != ERR_OK) {
                CHECK_EQUAL(unit, error, ERR_OK);
                CHECK_EQUAL(unit, i * 64 + job.failed, -1); /* the case */
            }
        }
    }
}

/* ---- jobs after each other ---- */

struct reports {
    struct judge judge; /* first: the world's context */
    uint32_t measured_units[4];
    unsigned count;
};

static struct letter *note(void *context, const struct world_node *from,
                           struct letter *letter)
{
    struct reports *reports = context;
    struct wire_report report = {.measured_units = 0};
    struct rounds_plan plan;

    (void)from;
    if (letter->kind == WIRE_REPORT) {
        world_check(wire_report_load(&report, &plan, letter->data,
                                     letter->bytes) == ERR_OK,
                    "a report");
        reports->measured_units[reports->count++ % 4] = report.measured_units;
    }
    free(letter);
    return NULL;
}

/* What a job tells of the kernel is the next one's rate; the third has too few
   units to tell any. */
static void rates_are_the_last_jobs(struct unit *unit)
{
    static const uint32_t units[] = {4000, 4000, 10, 4000};
    static struct reports reports;
    uint8_t arg[JUDGE_LONG_ARG_BYTES];
    struct world world = {.size = {1, 1},
                          .policy = WIRE_PATTERN,
                          .kernel = &judge_kernel,
                          .context = &reports,
                          .sent = note};

    reports.judge.whole = true;
    reports.judge.forged = true; /* jobs are not judged here */
    world_begin(&world);
    for (unsigned i = 0; i < COUNT(units); ++i) {
        struct wire_order order =
            whole_order(WIRE_PATTERN, world.size, units[i], arg);

        order.compute_ps = 0;
        order.flags = i + 1 < COUNT(units) ? WIRE_MORE : 0;
        bytes_store_u32(arg + 16, 1000000); /* 1000 instructions a unit */
        world_put(world_node((struct torus_coord){0, 0}),
                  judge_order(&order, (uint16_t)(i + 1)));
    }
    world_run();
    world_free(&world);
    CHECK_EQUAL(unit, reports.count, 4);
    CHECK(unit, reports.measured_units[0] > 0);
    CHECK_EQUAL(unit, reports.measured_units[1], 0);
    CHECK_EQUAL(unit, reports.measured_units[2], 0);
    CHECK(unit, reports.measured_units[3] > 0);
}

/* ---- what is refused ---- */

#define MOST_PS PLANNER_TIME_MAX_PS

/* Everyone would count wrongly what there is before its range; halos are the
   kernel's mistake if no memory holds them; what an output has beyond its terms
   is. More outputs than fit, some more than 32 bits count. Costs that a farm
   does not take. */
static const struct {
    struct job load;
    int error;
    bool of_farms; /* and of no others */
} refused[] = {
    {{.before_bytes = 6, .before_wrong = 1}, ERR_TERMS, false},
    {{.before_bytes = 6, .before_wrong = 6}, ERR_TERMS, false},
    {{.first_unit = 9, .before_bytes = 6, .before_wrong = -1},
     ERR_TERMS,
     false},
    {{.after_bytes = 8, .after_wrong = 9}, ERR_TERMS, false},
    {{.later_units = 9, .after_bytes = 8, .after_wrong = 1}, ERR_TERMS, false},
    {{.before_bytes = 0x01000001}, ERR_KERNEL, false},
    {{.before_bytes = UINT32_MAX, .after_bytes = 1}, ERR_KERNEL, false},
    {{.before_bytes = 1, .after_bytes = UINT32_MAX}, ERR_KERNEL, false},
    {{.numerator = 1, .denominator = 1, .lies = 1}, ERR_OUTPUT, false},
    {{.numerator = 1, .denominator = 1, .lies = -1}, ERR_OUTPUT, false},
    {{.numerator = 65535, .denominator = 1}, ERR_MEMORY, false},
    {{.numerator = 65535, .denominator = 2}, ERR_MEMORY, false},
    {{.startup_ps = MOST_PS, .transfer_ps = MOST_PS}, ERR_OK, true},
    {{.startup_ps = MOST_PS + 1}, ERR_RANGE, true},
    {{.startup_ps = UINT64_MAX}, ERR_RANGE, true},
    {{.transfer_ps = MOST_PS + 1}, ERR_RANGE, true},
    {{.transfer_ps = UINT64_MAX}, ERR_RANGE, true},
    {{.ports = 3}, ERR_RANGE, true},
    {{.ports = UINT8_MAX}, ERR_RANGE, true}};

static void what_is_refused(struct unit *unit)
{
    static const unsigned on[] = {8, 1, 5}; /* a farm, the pattern, a tree */

    for (unsigned row = 0; row < COUNT(refused); ++row) {
        for (unsigned i = 0; i < (refused[row].of_farms ? 1 : 3); ++i) {
            struct job job = job_of(&meshes[on[i]], &refused[row].load);
            int error;

            job.units = 700;
            job.unit_bytes = 1;
            job.ports = refused[row].load.ports;
            error = run(&job, NULL);
            if (error != refused[row].error) {
                CHECK_EQUAL(unit, error, refused[row].error);
                CHECK_EQUAL(unit, 10 * row + i, -1); /* the case */
            }
        }
    }
}

void test_jobs(struct unit *unit)
{
    UNIT_RUN(unit, every_load_on_every_mesh);
    UNIT_RUN(unit, memory_that_hardly_suffices);
    UNIT_RUN(unit, orders_that_failed_leave_nothing);
    UNIT_RUN(unit, rates_are_the_last_jobs);
    UNIT_RUN(unit, what_is_refused);
}
