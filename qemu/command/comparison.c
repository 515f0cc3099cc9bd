/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/comparison.h"

#include "qemu/job/policy.h"
#include "qemu/job/smaller.h"
#include "qemu/job/trial.h"
#include "qemu/report/json.h"
#include "qemu/report/summary.h"
#include "qemu/base/amount.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/json.h"
#include "qemu/base/memory.h"
#include "qemu/base/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE 1.01 /* answer times within 1 % count as equal */

/* ---- running ---- */

static uint64_t output_bytes(const struct outcome *outcome)
{
    uint64_t bytes =
        outcome->originators > 1 ? 0 : outcome->result.output_bytes;

    for (uint32_t i = 0; i < outcome->originators; ++i) {
        bytes += outcome->originator[i].result.output_bytes;
    }
    return bytes;
}

/* Sets the input of bound_of() from a run of one round. Nodes that --inject
   slows down count as fast ones, so that the bound stays a lower bound. */
static void set_terms(struct bound_input *terms, const struct outcome *outcome,
                      const struct request *request)
{
    double compute_ps = 0;
    uint64_t units = outcome->load_units;

    terms->speed = 0;
    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];
        double slower = 1u << request_slow_shift(request, i);

        terms->speed += node->missing ? 0 : 1 / slower;
        if (injection_slow(&request->injections, node->at) != NULL) {
            units -= node->units;
        } else if (node->active) {
            compute_ps +=
                (double)(node->finished_ps - node->compute_start_ps) / slower;
        }
    }
    terms->load_units = (double)outcome->load_units;
    terms->compute_ps = units > 0 ? compute_ps / (double)units : 0;
    terms->transfer_ps = (double)request->profile.transfer_ps *
                         (double)outcome->load_bytes / terms->load_units;
    terms->output_ps = (double)request->profile.transfer_ps *
                       (double)output_bytes(outcome) / terms->load_units;
    /* The bound assumes that one node has load at first, which is wrong with
       several originators. With startup 0 all nodes may work from the start. */
    terms->startup_ps = request->originators > 1
                            ? 0
                            : (double)(request->profile.startup_ps +
                                       request->profile.hop_delay_ps);
    terms->ports = request->ports;
}

static double largest_units(const struct outcome *outcome)
{
    uint64_t largest = outcome->originators > 1 ? 0 : outcome->load_units;

    for (uint32_t i = 0; i < outcome->originators; ++i) {
        uint64_t units = outcome->originator[i].load_units;

        largest = units > largest ? units : largest;
    }
    return (double)largest;
}

static struct bound find_bound(const struct compare *compare)
{
    struct bound_input terms = compare->terms;
    struct bound bound = bound_of(&terms);

    terms.load_units = compare->largest_units;
    bound.by_ports_ps = bound_of(&terms).by_ports_ps;
    return bound;
}

/* Keeps the result and report of the first run. Refuses a later run whose
   result differs. */
static int keep_result(struct compare *compare, const struct outcome *outcome)
{
    const struct kernel_result *result = &outcome->result;
    size_t bytes = (size_t)result->bytes + result->output_bytes;
    uint8_t *all = memory_or_exit(malloc(bytes + 1));
    bool equal;

    memcpy(all, result->data, result->bytes);
    if (result->output_bytes > 0) {
        memcpy(all + result->bytes, result->output, result->output_bytes);
    }

    if (compare->result == NULL) {
        compare->report = report_json(outcome);
        compare->result = all;
        compare->result_bytes = bytes;
        return 0;
    }
    equal = compare->result_bytes == bytes &&
            memcmp(compare->result, all, bytes) == 0;
    free(all);
    if (!equal) {
        fprintf(stderr,
                "quincunx: compare: the result with %s differs from that "
                "with %s\n",
                schedule_name(compare->entry[compare->count].schedule),
                schedule_name(compare->entry[0].schedule));
        return EXIT_FAILED;
    }
    return 0;
}

static int add_entry(struct compare *compare, const struct outcome *outcome,
                     const struct request *request,
                     const struct job_schedule *schedule)
{
    struct compare_entry *entry = &compare->entry[compare->count];
    const struct wire_report *plan = &outcome->plan;

    entry->schedule = schedule->kind;
    entry->rounds = plan->rounds > 1 ? plan->rounds : 1;
    entry->chosen = schedule->rounds == WIRE_BEST;
    entry->phases = plan->phases;
    entry->nodes = outcome_active_nodes(outcome);
    entry->answer_ps = outcome_answer_ps(outcome);
    entry->answer_speedup = outcome_answer_speedup(outcome);
    entry->makespan_ps = outcome_makespan_ps(outcome);
    entry->with_results_ps = outcome_with_results_ps(outcome);
    entry->planned_ps = outcome_planned_ps(outcome);
    entry->conflicts = outcome->conflicts;
    timeline_sha256(outcome, entry->timeline);
    if (entry->answer_ps < compare->entry[compare->best].answer_ps) {
        compare->best = compare->count;
    }
    /* In a farm or hybrid run, waiting between chunks would count as
       computing. */
    if (entry->rounds == 1 && entry->schedule != SCHEDULE_FARM &&
        entry->schedule != SCHEDULE_HYBRID) {
        set_terms(&compare->terms, outcome, request);
        compare->largest_units = largest_units(outcome);
    }
    return keep_result(compare, outcome);
}

/* At the first call, measures the answer time of one board. */
static int tell_one_board(struct compare *compare, struct outcome *outcome,
                          const struct request *request)
{
    if (compare->one_board_ps == 0) {
        int status = smaller_one_board(outcome, request);

        compare->one_board_ps = outcome_one_board_ps(outcome);
        return status;
    }
    outcome->alone_ps = compare->one_board_ps;
    return 0;
}

static int run_one(struct compare *compare, const struct request *request,
                   const struct job_schedule *schedule)
{
    struct outcome outcome;
    int status;

    progress_within(0, "%s%s", schedule_name(schedule->kind),
                    schedule->rounds == 1 ? ", one round" : "");
    status = job_run(&outcome, request, schedule, NULL, trial_farm_ps, NULL);
    if (status == 0) {
        status = tell_one_board(compare, &outcome, request);
        status = status == 0 ? add_entry(compare, &outcome, request, schedule)
                             : status;
        outcome_free(&outcome);
        compare->count += 1;
    }
    return status;
}

static bool suits(const struct request *request, enum schedule schedule)
{
    return (request->originators == 1 || schedule_has_groups(schedule)) &&
           (request->holes == NULL || request->originators > 1 ||
            schedule_goes_around(schedule));
}

/* Returns whether a star to all nodes fits in the phases of a tree; prints a
   message if not. It does not for more than 961 nodes. */
static bool has_star(const struct request *request)
{
    struct job_task task = job_task_of(request);
    uint8_t *tree;

    task.schedule.kind = SCHEDULE_STAR;
    tree = job_policy_tree(&task);
    free(tree);
    if (tree == NULL) {
        fprintf(stderr,
                "quincunx: compare: star is left out: it has no tree of at "
                "most %u phases on a %ux%u torus\n",
                TREE_PHASES_MAX, request->size.width, request->size.height);
    }
    return tree != NULL;
}

/* Returns whether the schedule hybrid can run. It cannot with --phases, since
   it chooses its phases; a message says so. */
static bool has_hybrid(const struct request *request)
{
    struct job_task task = job_task_of(request);

    task.schedule.kind = SCHEDULE_HYBRID;
    if (!job_policy_has(&task) || request->schedule.phases == WIRE_BEST) {
        return job_policy_has(&task);
    }
    fprintf(stderr,
            "quincunx: compare: hybrid is left out: it chooses its phases, "
            "--phases %u is for peters-syska\n",
            request->schedule.phases);
    return false;
}

static int run_both(struct compare *compare, const struct request *request,
                    struct job_schedule schedule)
{
    int status = run_one(compare, request, &schedule);

    schedule.rounds = 1;
    return status == 0 && compare->entry[compare->count - 1].rounds > 1
               ? run_one(compare, request, &schedule)
               : status;
}

/* Runs all schedules (compare_run()). With several originators the star comes
   first. */
static int run_all(struct compare *compare, const struct request *request)
{
    struct job_schedule one = request->schedule;
    bool several = request->originators > 1;
    bool star = several || has_star(request);
    int status;

    one.kind = SCHEDULE_PETERS_SYSKA;
    while (!suits(request, one.kind)) {
        one.kind += 1;
    }
    status = run_both(compare, request, one);
    one.phases = WIRE_BEST;
    for (unsigned i = one.kind + 1; status == 0 && i < SCHEDULES; ++i) {
        one.kind = (enum schedule)i;
        one.rounds = i == SCHEDULE_HYBRID ? request->schedule.rounds : 1;
        if (!suits(request, one.kind) ||
            (i == SCHEDULE_HYBRID && !has_hybrid(request))) {
            continue;
        }
        if (i == SCHEDULE_STAR && !several) {
            one.rounds = request->schedule.rounds;
            status = star ? run_both(compare, request, one) : 0;
        } else {
            status = run_one(compare, request, &one);
        }
    }
    return status;
}

int compare_run(struct compare *compare, const struct request *request)
{
    int status;

    *compare = (struct compare){.injections = request->injections};
    status = run_all(compare, request);
    if (status != 0) {
        compare_free(compare);
        return status;
    }
    compare->bound = find_bound(compare);
    return 0;
}

void compare_free(struct compare *compare)
{
    free(compare->result);
    json_decref(compare->report);
}

/* ---- what it means ---- */

static uint64_t best_ps(const struct compare *compare)
{
    return compare->entry[compare->best].answer_ps;
}

static bool is_close(const struct compare *compare, unsigned i)
{
    return (double)compare->entry[i].answer_ps <=
           CLOSE * (double)best_ps(compare);
}

static unsigned count_close(const struct compare *compare)
{
    unsigned close = 0;

    for (unsigned i = 0; i < compare->count; ++i) {
        close += is_close(compare, i);
    }
    return close;
}

/* Returns how long all nodes together compute the load without a pause, as a
   fraction of the best answer time. */
static double computing_part(const struct compare *compare)
{
    const struct bound_input *terms = &compare->terms;

    return terms->load_units * terms->compute_ps / terms->speed /
           (double)best_ps(compare);
}

/* Returns how long the originator with the largest load sends the units that it
   cannot compute itself, as a fraction of the best answer time. */
static double sending_part(const struct compare *compare)
{
    const struct bound_input *terms = &compare->terms;
    double sent_units =
        compare->largest_units - (double)best_ps(compare) / terms->compute_ps;

    double unit_ps =
        fmax(terms->transfer_ps / terms->ports,
             (terms->transfer_ps + terms->output_ps) / TORUS_PORTS);

    return sent_units <= 0 ? 0
                           : sent_units * unit_ps / (double)best_ps(compare);
}

static bool ports_bound(const struct compare *compare)
{
    return compare->bound.by_ports_ps > compare->bound.by_nodes_ps;
}

static double bound_part(const struct compare *compare)
{
    return bound_ps(&compare->bound) / (double)best_ps(compare);
}

/* ---- printing ---- */

static void print_time(FILE *out, int width, uint64_t time_ps)
{
    fprintf(out, "%*s", width, amount_time(time_ps).text);
}

static void print_entry(FILE *out, const struct compare *compare, unsigned i)
{
    const struct compare_entry *entry = &compare->entry[i];

    fprintf(out, "%-12s %5u%c %6u %5" PRIu32, schedule_name(entry->schedule),
            entry->rounds, entry->chosen ? '*' : ' ', entry->phases,
            entry->nodes);
    print_time(out, 11, entry->answer_ps);
    fprintf(out, " %7.3f %8.4g",
            outcome_ratio(entry->answer_ps, best_ps(compare)),
            entry->answer_speedup);
    print_time(out, 11, entry->makespan_ps);
    print_time(out, 13, entry->with_results_ps);
    if (entry->planned_ps > 0) {
        print_time(out, 11, entry->planned_ps);
    } else {
        fprintf(out, "%11s", "-"); /* not known */
    }
    fprintf(out, " %9" PRIu64 "\n", entry->conflicts);
}

static void print_bound(FILE *out, const struct compare *compare)
{
    fprintf(out,
            "\nlower bound %s%s, set by %s: no schedule can save more than "
            "%.1f %% of the best\n",
            amount_time((uint64_t)bound_ps(&compare->bound)).text,
            compare->terms.output_ps > 0 ? " until all outputs are back" : "",
            ports_bound(compare) ? "the originator's ports"
                                 : "the nodes' computing",
            100 * fmax(0, 1 - bound_part(compare)));
}

/* Prints the schedules whose answer is within 1 % of the best, and what takes
   most of its time. */
static void print_reason(FILE *out, const struct compare *compare)
{
    const char *between = "";

    fputs("within 1 % of the best: ", out);
    for (unsigned i = 0; i < compare->count; ++i) {
        const struct compare_entry *entry = &compare->entry[i];

        if (is_close(compare, i)) {
            fprintf(out, "%s%s", between, schedule_name(entry->schedule));
            if (entry->rounds > 1) {
                fprintf(out, " in %u rounds", entry->rounds);
            }
            between = ", ";
        }
    }
    fprintf(out,
            "; computing on every node takes %.1f %% of it, sending over %u "
            "port%s %.1f %%\n",
            100 * computing_part(compare), compare->terms.ports,
            compare->terms.ports > 1 ? "s" : "", 100 * sending_part(compare));
}

static const struct compare_entry *next_of(const struct compare *compare)
{
    const struct compare_entry *best = &compare->entry[compare->best];
    const struct compare_entry *next = NULL;

    for (unsigned i = 0; i < compare->count; ++i) {
        const struct compare_entry *entry = &compare->entry[i];

        if (entry->schedule != best->schedule &&
            (next == NULL || entry->answer_ps < next->answer_ps)) {
            next = entry;
        }
    }
    return next;
}

/* Prints the best schedule, and in which step it gains most over the next best
   one: preparing, sending and computing, or returning results. */
static void print_winner(FILE *out, const struct compare *compare)
{
    const struct compare_entry *best = &compare->entry[compare->best];
    const struct compare_entry *next = next_of(compare);
    int64_t gains[3];
    static const char *const why[] = {"prepares", "sends and computes",
                                      "brings results back"};
    unsigned most = 0;

    if (next == NULL ||
        outcome_ratio(next->answer_ps, best->answer_ps) < 1.0005) {
        return; /* a tie */
    }
    gains[0] = (int64_t)(next->answer_ps - next->with_results_ps) -
               (int64_t)(best->answer_ps - best->with_results_ps);
    gains[1] = (int64_t)next->makespan_ps - (int64_t)best->makespan_ps;
    gains[2] = (int64_t)(next->with_results_ps - next->makespan_ps) -
               (int64_t)(best->with_results_ps - best->makespan_ps);
    for (unsigned i = 1; i < 3; ++i) {
        most = gains[i] > gains[most] ? i : most;
    }
    fprintf(out, "%s wins: %s, which comes next, takes %.1f %% longer; ",
            schedule_name(best->schedule), schedule_name(next->schedule),
            100 * (outcome_ratio(next->answer_ps, best->answer_ps) - 1));
    fprintf(out, "%s %s in %s less\n", schedule_name(best->schedule), why[most],
            amount_time((uint64_t)gains[most]).text);
}

void compare_print(FILE *out, const struct compare *compare)
{
    fprintf(out, "%-12s %6s %6s %5s%11s %7s %8s%11s%13s%11s %9s\n", "schedule",
            "rounds", "phases", "nodes", "answer", "ratio", "speedup",
            "makespan", "with results", "planned", "waits");
    for (unsigned i = 0; i < compare->count; ++i) {
        print_entry(out, compare, i);
    }
    fprintf(out,
            "* the best number of rounds, as the originator chose it\n"
            "ratio: of answers; speedup: one board's answer, %s, over this "
            "one;\nplanned: the makespan; with results: from the first send, "
            "too;\nwaits: circuits that waited for a link\n",
            amount_time(compare->one_board_ps).text);
    summary_injections(out, &compare->injections);
    print_bound(out, compare);
    print_winner(out, compare);
    if (count_close(compare) > 1) {
        print_reason(out, compare);
    }
}

/* ---- JSON ---- */

static json_t *entry_json(const struct compare *compare, unsigned i)
{
    const struct compare_entry *entry = &compare->entry[i];

    return json_pack(
        "{s:s, s:b, s:o, s:o, s:o, s:o, s:f, s:o, s:f, s:b, s:o, s:o, s:o, "
        "s:s}",
        "schedule", schedule_name(entry->schedule), "rounds_chosen",
        entry->chosen, "rounds", json_whole(entry->rounds), "phases",
        json_whole(entry->phases), "active_nodes", json_whole(entry->nodes),
        "answer_ps", json_whole(entry->answer_ps), "answer_speedup",
        entry->answer_speedup, "makespan_ps", json_whole(entry->makespan_ps),
        "ratio", outcome_ratio(entry->answer_ps, best_ps(compare)),
        "within_1_percent", is_close(compare, i), "planned_makespan_ps",
        json_whole(entry->planned_ps), "with_results_ps",
        json_whole(entry->with_results_ps), "circuit_conflicts",
        json_whole(entry->conflicts), "timeline_sha256", entry->timeline);
}

static json_t *entries_json(const struct compare *compare)
{
    json_t *entries = json_array();

    for (unsigned i = 0; i < compare->count; ++i) {
        json_array_append_new(entries, entry_json(compare, i));
    }
    return entries;
}

static json_t *bound_json(const struct compare *compare)
{
    return json_pack("{s:o, s:s, s:f, s:f, s:f, s:f}", "makespan_ps",
                     json_whole((uint64_t)bound_ps(&compare->bound)), "set_by",
                     ports_bound(compare) ? "ports" : "nodes",
                     "compute_ps_per_unit", compare->terms.compute_ps,
                     "part_of_best", bound_part(compare),
                     "computing_part_of_best", computing_part(compare),
                     "sending_part_of_best", sending_part(compare));
}

json_t *compare_json(const struct compare *compare)
{
    const json_t *report = compare->report;

    return json_pack("{s:O, s:O, s:O, s:O, s:o, s:o, s:s, s:o, s:O, s:O*}",
                     "mesh", json_object_get(report, "mesh"), "profile",
                     json_object_get(report, "profile"), "kernel",
                     json_object_get(report, "kernel"), "load",
                     json_object_get(report, "load"), "one_board_ps",
                     json_whole(compare->one_board_ps), "schedules",
                     entries_json(compare), "best",
                     schedule_name(compare->entry[compare->best].schedule),
                     "lower_bound", bound_json(compare), "result",
                     json_object_get(report, "result"), "injected",
                     json_object_get(report, "injected"));
}

json_t *compare_report(const struct compare *compare)
{
    json_t *report = json_copy(compare->report);

    json_object_set_new(
        report, "compare",
        json_pack("{s:o, s:s, s:o}", "schedules", entries_json(compare), "best",
                  schedule_name(compare->entry[compare->best].schedule),
                  "lower_bound", bound_json(compare)));
    return report;
}
