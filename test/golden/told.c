/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what no command prints cheaply:
 *
 *   told outcome EDIT... -- OPTION... INPUT   the summary of a job on native
 *       nodes as `quincunx run --verbose OPTION... INPUT` has it, edited so
 *       that it is one of boards with serial ports, of several ranks, ..
 *   told calibration EDIT...                  what `quincunx calibrate` makes
 *       of round trips that take a little longer or shorter, or of boards'
 *   told defaults                             what a job is without options
 *   told progress KIND                        when work that takes minutes says
 *       how far it is, and how
 */
#include "qemu/bench/calibrate_print.h"
#include "qemu/job/job.h"
#include "qemu/job/trial.h"
#include "qemu/command/job_options.h"
#include "qemu/report/summary.h"
#include "qemu/report/verdict.h"
#include "qemu/schedule/registry.h"
#include "qemu/base/memory.h"
#include "qemu/base/progress.h"
#include "test/lib/fake_clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- outcomes ---- */

static void as_serial(struct outcome *outcome)
{
    static struct request request;

    request = *outcome->request;
    request.mesh = &serial_job_port;
    outcome->request = &request;
    outcome->host_times = true;
    outcome->counts_nodes = true;
    outcome->board = "stm32f405";
}

/* As real boards, whose times can be compared with the plan. */
static void as_boards(struct outcome *outcome)
{
    as_serial(outcome);
    outcome->host_times = false;
}

static void with_repeats(struct outcome *outcome)
{
    outcome->retries = 7;
    outcome->retransmissions = 11;
}

static void with_stacks(struct outcome *outcome)
{
    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        outcome->node[i].stack_used_bytes = 1000 + i;
        outcome->node[i].stack_bytes = 1100;
    }
}

/* The last node waits for a third of the makespan. */
static void with_idle(struct outcome *outcome)
{
    struct outcome_node *node = &outcome->node[outcome->node_count - 1];

    node->interval[1].received_ps =
        node->interval[0].compute_end_ps + outcome_makespan_ps(outcome) / 3;
}

static void with_late_plan(struct outcome *outcome)
{
    outcome->plan.makespan_ps += outcome->plan.makespan_ps / 5;
}

/* The others computed while it was made. */
static void with_advance(struct outcome *outcome)
{
    outcome->plan.advance = 1;
    outcome->plan.plan_ps = 5000000;
}

static void with_ranks(struct outcome *outcome)
{
    static struct rank_seen rank[] = {
        {.host = "a", .doorbells = 100, .up_bytes = 10, .down_bytes = 1},
        {.host = "b", .doorbells = 20, .up_bytes = 400, .down_bytes = 3000},
        {.host = "b", .doorbells = 3, .between_bytes = 50000}};

    outcome->rank = memory_or_exit(malloc(sizeof rank));
    memcpy(outcome->rank, rank, sizeof rank);
    outcome->ranks = sizeof rank / sizeof *rank;
}

static const struct edit {
    const char *name;
    void (*make)(struct outcome *outcome);
} edits[] = {{"serial", as_serial},         {"boards", as_boards},
             {"repeats", with_repeats},     {"stacks", with_stacks},
             {"idle", with_idle},           {"ranks", with_ranks},
             {"late-plan", with_late_plan}, {"advance", with_advance}};

static void edit(struct outcome *outcome, const char *name)
{
    for (size_t i = 0; i < sizeof edits / sizeof *edits; ++i) {
        if (strcmp(edits[i].name, name) == 0) {
            edits[i].make(outcome);
        }
    }
}

static int tell_outcome(int words, char **word)
{
    static const struct option_command command = {
        .name = "told",
        .words = "INPUT",
        .part = {{&job_option_table, 0},
                 {&job_mesh_option_table, 0},
                 {&progress_option_table,
                  offsetof(struct job_options, progress)}},
        .word = &job_option_input};
    static char native[] = "--on=native";
    struct job_options options;
    struct outcome outcome;
    int first = 0;
    int status;

    while (first < words && strcmp(word[first], "--") != 0) {
        first += 1;
    }
    job_options_init(&options, "run");
    word[first] = native; /* in place of "--" */
    status =
        option_parse(&command, words - first + 1, word + first - 1, &options);
    status = status == 0 ? job_options_check(&options) : status;
    status = status == 0 ? job_options_open(&options) : status;
    status = status == 0
                 ? job_run(&outcome, &options.request,
                           &options.request.schedule, NULL, trial_farm_ps, NULL)
                 : status;
    if (status == 0) {
        for (int i = 0; i < first; ++i) {
            edit(&outcome, word[i]);
        }
        verdict_print(stdout, &outcome);
        summary_print(stdout, &outcome, true);
        outcome_free(&outcome);
    }
    option_free(&command, &options);
    job_options_free(&options);
    return status;
}

/* ---- calibrations ---- */

#define SIDE 3u
#define REPEATS 4u

/* Of a known startup, hop and byte, each way up to 1 us longer; the last node's
   clock goes 20 ppm fast and began 3 ms early. */
static void make_rows(struct calibration *calibration)
{
    static const uint32_t bytes[] = {64, 1024};
    uint64_t now_ps = 0;
    uint64_t chance = 1;

    for (uint32_t i = 0; i < SIDE * SIDE * 2 * REPEATS; ++i) {
        struct torus_coord at = {(uint16_t)(i / (2 * REPEATS) % SIDE),
                                 (uint16_t)(i / (2 * REPEATS) / SIDE)};
        uint32_t hops = (at.x != 0 ? 1u : 0u) + (at.y != 0 ? 1u : 0u);
        uint64_t way_ps = 20000000 + 2000000 * hops + 1900 * bytes[i % 2];
        struct probe_row *row = &calibration->row[calibration->row_count];
        bool off = i / (2 * REPEATS) == SIDE * SIDE - 1;

        chance = chance * 48271 % 2147483647;
        if (hops > 0) {
            *row = (struct probe_row){.at = at,
                                      .hops = hops,
                                      .bytes = bytes[i % 2],
                                      .answer_bytes = bytes[i % 2],
                                      .t1_ps = now_ps};
            row->t2_ps = now_ps + way_ps + chance % 1000000;
            row->t3_ps = row->t2_ps + 50000000;
            row->t4_ps = row->t3_ps + way_ps + chance / 7 % 1000000;
            now_ps = row->t4_ps + 1000000000;
            if (off) {
                row->t2_ps += 3000000000 + row->t2_ps / 50000;
                row->t3_ps += 3000000000 + row->t3_ps / 50000;
            }
            calibration->row_count += 1;
        }
    }
}

static int tell_calibration(int words, char **word)
{
    struct calibration calibration = {.on = "qemu", .board = "mps2-an385"};
    struct job_options options;

    job_options_init(&options, "calibrate");
    options.request.size = (struct torus_size){SIDE, SIDE};
    calibration.row = memory_or_exit(
        calloc(SIDE * SIDE * 2 * REPEATS, sizeof *calibration.row));
    make_rows(&calibration);
    for (int i = 0; i < words; ++i) {
        if (strcmp(word[i], "boards") == 0) {
            calibration.on = "boards";
            calibration.board = "stm32f405";
            options.request.mesh =
                job_options_mesh_of(board_default(BOARD_SERIAL));
            calibrate_set_aside(&calibration);
        }
    }
    if (!calibrate_fit(&calibration, options.request.size)) {
        return 1;
    }
    for (int i = 0; i < words; ++i) {
        if (strcmp(word[i], "doubt") == 0) {
            calibration.startup_ps.value *= -1;
        }
    }
    calibrate_print(stdout, &calibration, &options.request);
    words = calibrate_check(&calibration);
    calibrate_free(&calibration);
    return words;
}

/* ---- defaults ---- */

static int tell_defaults(void)
{
    struct job_options options;
    const struct request *request = &options.request;

    job_options_init(&options, "run");
    printf("board %s\nports %u\nprofile %s\nschedule %s\nseed %" PRIu64
           "\noriginator %u,%u\nwatchdog %u\n",
           request->board->place.board, request->ports, request->profile.name,
           schedule_name(request->schedule.kind), request->noise.seed,
           request->originator[0].at.x, request->originator[0].at.y,
           request->watchdog_s);
    return 0;
}

/* ---- progress ---- */

/* A step at a time, which is told before where something is shown. */
static void tell_step(double at_s, struct progress_step step)
{
    fake_clock_set((uint64_t)(at_s * 1e9), UINT64_MAX);
    if (progress_due()) {
        fprintf(stderr, "[%g s]\n", at_s);
    }
    progress_show(&step);
}

static int tell_progress(const char *name)
{
    int kind = progress_kind_of(name);
    const double every_s = 0.5;

    if (kind < 0) {
        return 1;
    }
    fake_clock_set(0, UINT64_MAX);
    progress_start((enum progress_kind)kind);
    progress_within(0, "farm, %u of %u", 3u, 9u);
    for (double at_s = 0; at_s < (kind == PROGRESS_LINE ? 1.6 : 100);
         at_s += every_s) {
        tell_step(at_s, (struct progress_step){.doing = "computing",
                                               .done = (uint64_t)(1e4 * at_s),
                                               .total = 8000000,
                                               .more = "3 of 25 nodes done"});
    }
    progress_within(0, "%s", "");
    for (unsigned i = 0; i < 3; ++i) {
        tell_step(200 * (i + 1),
                  (struct progress_step){.doing = "booting",
                                         .done = 10 * i,
                                         .total = i < 2 ? 500 : 0,
                                         .things = "boards"});
    }
    progress_end();
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (strcmp(what, "outcome") == 0) {
        return tell_outcome(argc - 2, argv + 2);
    }
    if (strcmp(what, "calibration") == 0) {
        return tell_calibration(argc - 2, argv + 2);
    }
    if (strcmp(what, "defaults") == 0) {
        return tell_defaults();
    }
    if (strcmp(what, "progress") == 0 && argc == 3) {
        return tell_progress(argv[2]);
    }
    return 2;
}
