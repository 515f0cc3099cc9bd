/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/remarks.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/format/format.h"
#include "qemu/base/amount.h"
#include "qemu/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ratios above which a figure gets a remark. */
#define OFF_THE_PLAN 0.05
#define SLOWER 1.5
#define DIFFER 1.25
#define DEAR 0.75
#define APART 0.05
#define IDLE 0.10
#define WAITED 0.02
#define STACK_USED 0.90
#define PREPARING 0.30

/* Most notes on how files were read that are printed one by one. */
#define NOTES_TOLD 8u

#define WHY_BYTES 160u

/* Most nodes that a remark names. */
#define NAMED 3u

__attribute__((format(printf, 2, 3))) static void add(json_t *remarks,
                                                      const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    json_array_append_new(remarks, json_vsprintf(format, arguments));
    va_end(arguments);
}

/* ---- the files ---- */

static void tell_notes(json_t *remarks, const struct outcome *outcome)
{
    const struct format_notes *notes =
        outcome->request->originator[0].load.notes;
    uint32_t count = notes != NULL ? notes->count : 0;

    for (uint32_t i = 0; i < count && i < NOTES_TOLD; ++i) {
        add(remarks, "%s", notes->text[i]);
    }
    if (count > NOTES_TOLD) {
        add(remarks, "There are %" PRIu32 " more remarks on files.",
            count - NOTES_TOLD);
    }
}

/* ---- use of the mesh ---- */

/* An order whose originator stopped counts as preparing, but is none. */
static bool prepares_long(const struct outcome *outcome)
{
    return outcome->node_count > 1 && outcome->heirs == 0 &&
           outcome_ratio(outcome_preparing(outcome).all_ps,
                         outcome_answer_ps(outcome)) > PREPARING;
}

static void judge_gain(json_t *remarks, const struct outcome *outcome)
{
    double as_fast = outcome_active_nodes(outcome) == 1 ? 0.995 : 1.005;

    if (outcome->node_count == 1 ||
        outcome_answer_speedup(outcome) >= as_fast) {
        return;
    }
    add(remarks,
        "One board alone has the answer after %s: what %s is more than this "
        "load saves. A longer load%s make it pay.",
        amount_time(outcome_one_board_ps(outcome)).text,
        prepares_long(outcome) ? "preparing costs" : "circuits cost",
        prepares_long(outcome) ? " or fewer nodes"
                               : ", fewer nodes or a faster --profile");
}

static void tell_preparing(char why[WHY_BYTES], const struct outcome *outcome)
{
    struct outcome_preparing all = outcome_preparing(outcome);
    uint64_t half_ps = all.all_ps / 2;
    struct amount plan = amount_time(all.plan_ps);

    if (all.plan_ps > half_ps && outcome->plan.layers) {
        snprintf(why, WHY_BYTES, "%s of it is planning", plan.text);
    } else if (all.plan_ps > half_ps) {
        snprintf(why, WHY_BYTES,
                 "in %s of it the originator plans %s, the longer the more "
                 "boards there are",
                 plan.text,
                 outcome->schedule.kind == SCHEDULE_FARM ? "a farm" : "a tree");
    } else {
        snprintf(why, WHY_BYTES, "%s",
                 all.measure_ps > half_ps
                     ? "most of it measures the kernel, which --rates saves in "
                       "later runs"
                 : all.begin_ps > half_ps
                     ? "most of it is the kernel's begin, which reads the "
                       "argument"
                     : "the originator reads the order, tells all boards of "
                       "it, measures the kernel and plans");
    }
}

static void judge_preparing(json_t *remarks, const struct outcome *outcome)
{
    struct outcome_preparing all = outcome_preparing(outcome);
    bool tree = !outcome->plan.layers && all.plan_ps > all.all_ps / 2;
    char why[WHY_BYTES];

    if (!prepares_long(outcome)) {
        return;
    }
    tell_preparing(why, outcome);
    add(remarks,
        "Preparing took %s, %.0f %% of the answer's time: %s. A longer load "
        "makes it matter less%s.",
        amount_time(all.all_ps).text,
        100 * outcome_ratio(all.all_ps, outcome_answer_ps(outcome)), why,
        tree && outcome->few_ps == 0
            ? "; 5 x 5 and 25 x 25 boards have a pattern, which takes no such "
              "plan"
            : "");
}

static void judge_few(json_t *remarks, const struct outcome *outcome)
{
    if (outcome->few_ps > 0) {
        add(remarks, "25 boards, 5 x 5, have the answer after %s%s.",
            amount_time(outcome->few_ps).text,
            outcome->plan.layers ? ""
                                 : ": their pattern takes no plan of a tree");
    }
}

/* Tells of nodes without a part. If nodes or links died in the job, these are
   the reason, and the summary names them. */
static void judge_parts(json_t *remarks, const struct outcome *outcome)
{
    uint32_t without = 0;
    unsigned phases = outcome->schedule.phases;
    char why[WHY_BYTES] = "with them, the answer would come later";

    if (phases > 0 && phases != WIRE_BEST) {
        snprintf(why, sizeof why, "--phases %u reaches no more", phases);
    }
    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        without += !outcome->node[i].active && !outcome->node[i].missing;
    }
    if (without > 0 && faults_met(&outcome->faults) == 0) {
        add(remarks, "%" PRIu32 " of %" PRIu32 " nodes got no part: %s.",
            without, outcome->node_count, why);
    }
}

/* ---- unit times ---- */

static double unit_ps_of(const struct outcome_node *node)
{
    return node->active && node->units > 0
               ? (double)(outcome_compute_ps(node) - node->ports_ps) /
                     (double)node->units
               : 0;
}

/* Returns when a node finished, plus 1 ps, because extreme() ignores 0 and a
   node may finish at time 0. */
static double finished_ps_of(const struct outcome_node *node)
{
    return node->active ? (double)node->finished_ps + 1 : 0;
}

static double idle_ps_of(const struct outcome_node *node)
{
    return node->active ? (double)outcome_idle_ps(node) : 0;
}

static double stack_part_of(const struct outcome_node *node)
{
    return outcome_ratio(node->stack_used_bytes, node->stack_bytes);
}

/* Returns the node with the largest value; or, if `sign` is -1, with the least
   value above 0. Of equal nodes the first is taken. Returns NULL if all values
   are 0. */
static const struct outcome_node *
extreme(const struct outcome *outcome,
        double (*value)(const struct outcome_node *), double sign)
{
    const struct outcome_node *found = NULL;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        if (value(node) > 0 &&
            (found == NULL || sign * value(node) > sign * value(found))) {
            found = node;
        }
    }
    return found;
}

static bool gives_units(const struct outcome *outcome)
{
    return outcome->schedule.kind == SCHEDULE_FARM ||
           outcome->schedule.kind == SCHEDULE_HYBRID || outcome->became_farm;
}

static void judge_data(json_t *remarks, const struct outcome *outcome)
{
    const struct outcome_node *cheap = extreme(outcome, unit_ps_of, -1);
    const struct outcome_node *dear = extreme(outcome, unit_ps_of, 1);

    add(remarks,
        "Units of %u,%u took %.1f times those of %u,%u: the load is dear in "
        "places.%s",
        dear->at.x, dear->at.y, unit_ps_of(dear) / unit_ps_of(cheap),
        cheap->at.x, cheap->at.y,
        gives_units(outcome)
            ? ""
            : " --schedule farm gives units to who asks; so does auto for a "
              "kernel that sets cost_varies in its terms.");
}

/* ---- plan and run ---- */

static void judge_rest(json_t *remarks, const struct outcome *outcome)
{
    const struct outcome_node *cheap = extreme(outcome, unit_ps_of, -1);
    const struct outcome_node *dear = extreme(outcome, unit_ps_of, 1);

    if (dear != NULL && unit_ps_of(dear) > DIFFER * unit_ps_of(cheap)) {
        judge_data(remarks, outcome);
    } else {
        add(remarks, "Why it is not as planned is not known.");
    }
}

/* Adds a remark if the run took longer or shorter than planned. Returns whether
   its cause is still unknown. */
static bool judge_plan(json_t *remarks, const struct outcome *outcome)
{
    double off = outcome_overhead_vs_plan(outcome);
    /* relative excess of the measured mean unit time over the planned one */
    double more = 1 / (1 + outcome_calibration_error(outcome)) - 1;
    bool units_tell = off * more > 0 && fabs(more) >= fabs(off) / 2;
    bool serial = outcome->counts_nodes && !outcome->host_times;
    const char *than = off > 0 ? "longer" : "shorter";
    bool alone = outcome->node_count > 1 && outcome_active_nodes(outcome) == 1;

    if (outcome_planned_ps(outcome) == 0 || fabs(off) <= OFF_THE_PLAN ||
        alone) {
        return false;
    }
    if (outcome->batch_count > 1 || outcome->originators > 1 || !units_tell) {
        add(remarks, "The makespan is %.1f %% %s than planned.%s",
            100 * fabs(off), than,
            serial ? " The plan took circuits to cost what the profile says; "
                     "`quincunx calibrate` measures them."
                   : "");
        return !serial;
    }
    add(remarks,
        "The makespan is %.1f %% %s than planned: the mean unit took %.1f %% "
        "%s than the %s that the plan counts on%s.%s",
        100 * fabs(off), than, 100 * fabs(more), more > 0 ? "more" : "less",
        amount_time(outcome->plan.compute_ps).text,
        outcome_is_estimated(outcome)
            ? ", the kernel's estimate: units are too few to be measured"
            : "",
        fmax(more, 1 / (1 + more) - 1) > DEAR
            ? " The load is dear in places, or the kernel's estimate is far "
              "off: a kernel that sets cost_varies in its terms needs none."
            : "");
    return false;
}

/* ---- slow, late, idle ---- */

static int by_value(const void *a, const void *b)
{
    double first = *(const double *)a;
    double second = *(const double *)b;

    return (first > second) - (first < second);
}

static void quarters_of(double quarter_ps[3], const struct outcome *outcome)
{
    double *unit_ps =
        memory_or_exit(calloc(outcome->node_count, sizeof *unit_ps));
    uint32_t count = 0;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        unit_ps[count] = unit_ps_of(&outcome->node[i]);
        count += unit_ps[count] > 0;
    }
    qsort(unit_ps, count, sizeof *unit_ps, by_value);
    for (uint32_t i = 0; i < 3; ++i) {
        quarter_ps[i] = unit_ps[(i + 1) * count / 4];
    }
    free(unit_ps);
}

static void judge_speeds(json_t *remarks, const struct outcome *outcome)
{
    double quarter_ps[3];
    double middle_ps;
    uint64_t makespan_ps = outcome_makespan_ps(outcome);
    double slowest = 0;
    uint32_t count = 0;
    const char *hint =
        gives_units(outcome) ? "" : " --schedule farm gives slow nodes less.";
    char names[NAMED * 16] = "";
    FILE *list = memory_or_exit(fmemopen(names, sizeof names, "w"));

    quarters_of(quarter_ps, outcome);
    middle_ps = quarter_ps[1];
    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        /* A node that computes for less than a tenth of the makespan does not
           matter. */
        if (middle_ps > 0 && unit_ps_of(node) > SLOWER * middle_ps &&
            outcome_compute_ps(node) > makespan_ps / 10) {
            slowest = fmax(slowest, unit_ps_of(node) / middle_ps);
            if (count < NAMED) {
                fprintf(list, "%s%u,%u", count == 0 ? "" : " ", node->at.x,
                        node->at.y);
            }
            count += 1;
        }
    }
    fclose(list);
    /* If many nodes are slow, or unit times in the middle half of all nodes
       differ much, the units differ and not the nodes. */
    if (count > 0 && (count > outcome->node_count / 4 ||
                      quarter_ps[2] > DIFFER * quarter_ps[0])) {
        judge_data(remarks, outcome);
    } else if (count == 1) {
        add(remarks,
            "Node %s took %.1f times as long for a unit as the middle node.%s",
            names, slowest, hint);
    } else if (count > 1 && count <= outcome->node_count / 4) {
        add(remarks,
            "%" PRIu32 " nodes took up to %.1f times as long for a unit as "
            "the middle node: %s%s.%s",
            count, slowest, names, count > NAMED ? " and others" : "", hint);
    }
}

static void judge_ends(json_t *remarks, const struct outcome *outcome)
{
    const struct outcome_node *first = extreme(outcome, finished_ps_of, -1);
    const struct outcome_node *last = extreme(outcome, finished_ps_of, 1);
    uint64_t spread_ps = outcome_spread_ps(outcome);
    double part = outcome_ratio(spread_ps, outcome_makespan_ps(outcome));

    if (last != NULL && outcome->batch_count <= 1 &&
        outcome->originators == 1 && part > APART) {
        add(remarks,
            "Nodes did not finish together: %u,%u did so %s before %u,%u, "
            "%.0f %% of the makespan.",
            first->at.x, first->at.y, amount_time(spread_ps).text, last->at.x,
            last->at.y, 100 * part);
    }
}

static void judge_idle(json_t *remarks, const struct outcome *outcome)
{
    const struct outcome_node *most = extreme(outcome, idle_ps_of, 1);
    double part = outcome_ratio(outcome_idle_max_ps(outcome),
                                outcome_makespan_ps(outcome));

    if (most != NULL && outcome->batch_count <= 1 && part > IDLE) {
        add(remarks,
            "Node %u,%u waited %s in all for its next parts, %.0f %% of the "
            "makespan.",
            most->at.x, most->at.y, amount_time(outcome_idle_ps(most)).text,
            100 * part);
    }
}

/* ---- the network ---- */

/* Adds a remark on circuits that waited long for links. Counts only circuits
   that carry load: in a farm, demands and results always wait at the
   originator. */
static void judge_waits(json_t *remarks, const struct outcome *outcome)
{
    const struct circuit_record *longest = NULL;
    uint64_t longest_ps = 0;
    uint32_t parts = 0;
    uint32_t waited = 0;
    struct torus_coord from;
    struct torus_coord to;

    for (uint32_t i = 0; i < outcome->circuit_count; ++i) {
        const struct circuit_record *circuit = &outcome->circuit[i];
        uint64_t wait_ps = circuit->grant_ps - circuit->request_ps;

        if (circuit->kind == WIRE_PART) {
            longest = wait_ps > longest_ps ? circuit : longest;
            longest_ps = wait_ps > longest_ps ? wait_ps : longest_ps;
            waited += wait_ps > 0;
            parts += 1;
        }
    }
    if (longest == NULL ||
        outcome_ratio(longest_ps, outcome_answer_ps(outcome)) <= WAITED) {
        return;
    }
    from = torus_coord_of(outcome->request->size, longest->source);
    to = torus_coord_of(outcome->request->size, longest->destination);
    add(remarks,
        "%" PRIu32 " of %" PRIu32 " parts of the load waited for a link that "
        "another circuit held, the one from %u,%u to %u,%u for %s.",
        waited, parts, from.x, from.y, to.x, to.y,
        amount_time(longest_ps).text);
}

/* Returns why frames were sent again, as text. Emulated links lose bytes only
   if an option says so; with which options boards behind a serial port run is
   unknown. */
static const char *why_again(const struct outcome *outcome)
{
    if (!outcome->host_times || noise_any(&outcome->request->noise)) {
        return "bytes were damaged or lost; `quincunx links` tells where";
    }
    return strcmp(outcome->request->mesh->on, "boards") == 0
               ? "this host was late with the boards that it emulates, or "
                 "`quincunx boards` has --damage or --lose"
               : "this host was late with the boards that it emulates";
}

static void judge_repeats(json_t *remarks, const struct outcome *outcome)
{
    bool late = outcome->host_times && !noise_any(&outcome->request->noise);

    if (outcome->retries > 0) {
        add(remarks,
            "Circuits were tried again %" PRIu64 " time%s, of %" PRIu64
            " in all: a link was held, or %s.",
            outcome->retries, outcome->retries == 1 ? "" : "s",
            outcome->messages,
            late ? "this host was late" : "a byte of the set-up was damaged");
    }
    if (outcome->retransmissions > 0) {
        add(remarks, "Frames were sent again %" PRIu64 " time%s, since %s.",
            outcome->retransmissions, outcome->retransmissions == 1 ? "" : "s",
            why_again(outcome));
    }
}

static void judge_stacks(json_t *remarks, const struct outcome *outcome)
{
    const struct outcome_node *most = extreme(outcome, stack_part_of, 1);

    if (most != NULL && stack_part_of(most) > STACK_USED) {
        add(remarks,
            "Node %u,%u used %" PRIu64 " of the %" PRIu64 " bytes of its "
            "stack.",
            most->at.x, most->at.y, most->stack_used_bytes, most->stack_bytes);
    }
}

/* Adds a remark if samples of the load differed, so that the originator ran a
   farm and did not send the load along a tree. */
static void judge_samples(json_t *remarks, const struct outcome *outcome)
{
    if (outcome->became_farm) {
        add(remarks,
            "Samples of the load differ, or are far from what the kernel "
            "estimates: units went to who asked, as on a farm. A kernel that "
            "sets cost_varies in its terms needs no samples.");
    }
}

static void judge_causes(json_t *remarks, const struct outcome *outcome)
{
    bool open = judge_plan(remarks, outcome);
    size_t told = json_array_size(remarks);

    judge_samples(remarks, outcome);
    judge_speeds(remarks, outcome);
    judge_waits(remarks, outcome);
    if (open && json_array_size(remarks) == told) {
        judge_rest(remarks, outcome);
    }
}

json_t *remarks_json(const struct outcome *outcome)
{
    json_t *remarks = json_array();

    tell_notes(remarks, outcome);
    if (outcome->load_units == 0) {
        return remarks;
    }
    judge_parts(remarks, outcome);
    if (!outcome->host_times) {
        judge_gain(remarks, outcome);
        judge_preparing(remarks, outcome);
        judge_few(remarks, outcome);
        judge_causes(remarks, outcome);
        judge_ends(remarks, outcome);
        judge_idle(remarks, outcome);
    }
    judge_repeats(remarks, outcome);
    judge_stacks(remarks, outcome);
    return remarks;
}
