/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/report/summary.h"

#include "qemu/job/choose.h"
#include "qemu/job/layers.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/proofs.h"
#include "qemu/report/places.h"
#include "qemu/report/ranks.h"
#include "qemu/report/result.h"
#include "qemu/base/amount.h"
#include "qemu/base/file.h"
#include "qemu/base/quote.h"
#include "torus/pattern.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_profile(FILE *out, const char *what,
                          const struct profile *profile)
{
    fprintf(out, "%-9s %.31s: startup %s, %s a byte, %s a hop\n", what,
            quote_shown(profile->name), amount_time(profile->startup_ps).text,
            amount_time(profile->transfer_ps).text,
            amount_time(profile->hop_delay_ps).text);
}

static bool same_costs(const struct profile *a, const struct profile *b)
{
    return a->startup_ps == b->startup_ps && a->transfer_ps == b->transfer_ps &&
           a->hop_delay_ps == b->hop_delay_ps;
}

void summary_injections(FILE *out, const struct injections *injections)
{
    for (uint32_t i = 0; i < injections->count; ++i) {
        const struct injection *injection = &injections->injection[i];

        fprintf(out, "injected  %s@%u,%u", injection_name(injection),
                injection->at.x, injection->at.y);
        if (injection->what == INJECTION_CUT) {
            fprintf(out, ",%s", torus_port_names[injection->port]);
        }
        if (injection->from_ps > 0) {
            fprintf(out, injection_stops(injection) ? " at %s" : " from %s on",
                    amount_time(injection->from_ps).text);
        }
        fputs(injection_is_before(injection) ? " before the job\n"
                                             : ", not known to the plan\n",
              out);
    }
}

static void print_load(FILE *out, const struct outcome *outcome)
{
    fputs("load      ", out);
    if (outcome->originators > 1) {
        fprintf(out, "%" PRIu32 " files, ", outcome->originators);
    } else if (outcome->originator[0].input_name != NULL) {
        fprintf(out, "%s, ", file_name(outcome->originator[0].input_name));
    }
    if (outcome->load_bytes > 0) {
        amount_things(out, outcome->load_bytes, "byte");
        fputs(", ", out);
    }
    amount_things(out, outcome->load_units, "unit");
    fprintf(out, " of %s\n", outcome->request->kernel->name);
}

/* Prints the nodes that the plan left out: the dead ones, or the others. */
static void print_missing(FILE *out, const struct outcome *outcome, bool dead,
                          const char *why)
{
    bool any = false;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];

        if (node->missing && outcome->request->holes->node[i] == dead) {
            fprintf(out, "%s%u,%u", any ? " " : "missing   ", node->at.x,
                    node->at.y);
            any = true;
        }
    }
    if (any) {
        fprintf(out, ": %s\n", why);
    }
}

static void print_mesh(FILE *out, const struct outcome *outcome)
{
    fprintf(out, "mesh      %u x %u, ", outcome->request->size.width,
            outcome->request->size.height);
    if (outcome->originators > 1) {
        fprintf(out, "%" PRIu32 " originators", outcome->originators);
    } else {
        fprintf(out, "originator %u,%u", outcome->originator[0].at.x,
                outcome->originator[0].at.y);
    }
    fprintf(out, ", on %s (%s)\n", outcome->request->mesh->on, outcome->board);
    if (outcome->request->holes != NULL) {
        print_missing(out, outcome, true, "dead before the job");
        print_missing(out, outcome, false, "cannot be reached around these");
    }
    if (outcome->request->image_kernels != NULL) {
        fprintf(out, "image     %s, with kernels%s only\n",
                file_name(outcome->request->firmware),
                outcome->request->image_kernels);
    }
    if (outcome->image != NULL) {
        fprintf(out, "image     %s\n", outcome->image);
    }
}

static void print_head(FILE *out, const struct outcome *outcome)
{
    print_load(out, outcome);
    print_mesh(out, outcome);
    print_profile(out, "profile", &outcome->request->profile);
    if (!same_costs(&outcome->request->profile,
                    request_plan_profile(outcome->request))) {
        print_profile(out, "plan with", request_plan_profile(outcome->request));
    }
    summary_injections(out, &outcome->request->injections);
    if (outcome->host_times) {
        fputs("times     of this host, not of boards: emulated serial boards "
              "run as fast as it\n          lets them, and their links cost "
              "what it takes to emulate these, not what\n          the "
              "profile says; so planned and measured times cannot be "
              "compared\n",
              out);
    }
}

static double in_unit(uint64_t time_ps, struct amount_unit unit)
{
    return (double)time_ps / (double)unit.ps;
}

/* Prints when the first and the last node of a layer reached a time: the member
   of struct outcome_node at offset `field`. */
static void print_first_last(FILE *out, const struct outcome *outcome,
                             unsigned layer, size_t field,
                             struct amount_unit unit)
{
    uint64_t first_ps = UINT64_MAX;
    uint64_t last_ps = 0;

    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        const struct outcome_node *node = &outcome->node[i];
        uint64_t time_ps;

        memcpy(&time_ps, (const char *)node + field, sizeof time_ps);
        if (node->active && node->layer == layer) {
            first_ps = time_ps < first_ps ? time_ps : first_ps;
            last_ps = time_ps > last_ps ? time_ps : last_ps;
        }
    }
    if (first_ps <= last_ps) {
        fprintf(out, " %7.3f %7.3f", in_unit(first_ps, unit),
                in_unit(last_ps, unit));
    } else {
        fprintf(out, " %7s %7s", "-", "-");
    }
}

static void print_choices(FILE *out, const struct outcome *outcome)
{
    const struct choices *choices = outcome->choices;

    for (unsigned i = 0; choices != NULL && i < choices->count; ++i) {
        const struct choice *choice = &choices->choice[i];

        fprintf(out, i == 0 ? "schedule  %s, expected after %s" : "%s %s",
                choice_name(choice),
                amount_time((uint64_t)choice->answer_ps).text);
        fputs(i == 0 && choices->estimated ? " by the kernel's estimate" : "",
              out);
        fputs(i + 1 == choices->count ? "\n" : i == 0 ? "; " : ", ", out);
    }
}

/* Prints a mean number of units, with one decimal if it is below 10 and not
   whole. */
static void print_units(FILE *out, double units)
{
    bool whole = units >= 10 || units == (double)(uint64_t)units;

    fprintf(out, whole ? " %10.0f" : " %10.1f", whole ? floor(units) : units);
}

static void print_layer(FILE *out, const struct outcome *outcome,
                        unsigned layer, struct amount_unit unit)
{
    const struct outcome_layer *planned = &outcome->layer[layer];

    /* The originator's share includes units that it computed to measure the
       rate. The shares of a tree's plan include them already. */
    double measured_units =
        layer == 0 && outcome->plan.layers && outcome->originators == 1
            ? (double)outcome->plan.measured_units
            : 0;

    fprintf(out, "%5u %7" PRIu32, layer, planned->nodes);
    print_units(out, planned->share_units + measured_units);
    print_units(out, planned->volume_units + measured_units);
    if (outcome->plan.layers) {
        fprintf(out, "  %7.3f", in_unit(planned->received_ps, unit));
    } else {
        fprintf(out, "  %7s", "-");
    }
    print_first_last(out, outcome, layer,
                     offsetof(struct outcome_node, received_ps), unit);
    fputc(' ', out);
    print_first_last(out, outcome, layer,
                     offsetof(struct outcome_node, finished_ps), unit);
    fputc('\n', out);
}

static void print_layers(FILE *out, const struct outcome *outcome)
{
    uint64_t planned_ps = outcome->plan.makespan_ps;
    uint64_t measured_ps = outcome_makespan_ps(outcome);
    char received[16];
    char finished[16];
    struct amount_unit unit =
        amount_unit_of(planned_ps > measured_ps ? planned_ps : measured_ps);

    snprintf(received, sizeof received, "received, %s", unit.name);
    snprintf(finished, sizeof finished, "finished, %s", unit.name);
    fprintf(out, "\n%13s %21s  %23s  %15s\n", "", "units of each node",
            received, finished);
    fprintf(out, "%5s %7s %10s %10s  %7s %7s %7s  %7s %7s\n", "layer", "nodes",
            "share", "volume", "planned", "first", "last", "first", "last");
    for (unsigned layer = 0; layer <= outcome->plan.phases; ++layer) {
        print_layer(out, outcome, layer, unit);
    }
}

static void print_rounds(FILE *out, const struct outcome *outcome)
{
    const struct wire_report *plan = &outcome->plan;
    uint64_t one_ps = layers_one_round_ps(outcome);

    fprintf(out, "\nrounds    %u, each of %u phase%s", (unsigned)plan->rounds,
            (unsigned)plan->phases, plan->phases == 1 ? "" : "s");
    if (one_ps > 0) {
        fprintf(out, ", planned to take %.1f %% of one round's %s",
                100 * outcome_ratio(plan->makespan_ps, one_ps),
                amount_time(one_ps).text);
    }
    fputc('\n', out);
}

/* Prints which nodes took the place of an originator, if any did. */
static void print_heirs(FILE *out, const struct outcome *outcome,
                        uint32_t originator)
{
    const struct request *request = outcome->request;
    struct torus_coord before = request->originators == 1
                                    ? request->preferred[0]
                                    : request->originator[originator].at;
    bool any = false;

    for (uint32_t i = 0; i < outcome->heirs; ++i) {
        const struct outcome_heir *heir = &outcome->heir[i];

        if (heir->originator == originator) {
            fprintf(out, any ? ", then %u,%u" : "recovery  originator %u,%u",
                    heir->at.x, heir->at.y);
            any = true;
        }
    }
    if (any) {
        fprintf(out, ", in place of %u,%u\n", before.x, before.y);
    }
}

/* Prints a line for each node that stopped and each link that went down, and
   how the units were computed that they had lost. */
static void print_recovery(FILE *out, const struct outcome *outcome)
{
    for (uint32_t i = 0; i < outcome->faults.count; ++i) {
        const struct fault *fault = &outcome->faults.fault[i];

        fputs("lost      ", out);
        fault_print(out, fault);
        if (fault->units > 0) {
            fputs(": ", out);
            amount_things(out, fault->units, "unit");
        }
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < outcome->originators; ++i) {
        print_heirs(out, outcome, i);
    }
    if (outcome->waves > 0) {
        fputs("recovery  ", out);
        amount_things(out, outcome->lost_units, "unit");
        fprintf(out,
                ", computed again in %" PRIu32 " wave%s; makespan with "
                "these %s\n",
                outcome->waves, outcome->waves == 1 ? "" : "s",
                amount_time(outcome_makespan_ps(outcome) + outcome->recovery_ps)
                    .text);
    }
}

static void print_checks(FILE *out, const struct outcome *outcome)
{
    const struct job_task task = job_task_of(outcome->request);
    double own = (double)task.originator->terms.instructions_per_1000_units;

    if (!proofs_wanted(&task)) {
        return;
    }
    fprintf(out, "checked   load and results: %.3g instructions a unit",
            proofs_instructions(&task));
    if (own > 0) {
        fprintf(out, ", %.3g %% of the kernel's",
                proofs_instructions(&task) * 100000 / own);
    }
    fputc('\n', out);
}

static void print_batches(FILE *out, const struct outcome *outcome)
{
    print_checks(out, outcome);
    print_recovery(out, outcome);
    if (outcome->batch_count > 1) {
        fprintf(out,
                "batches   %" PRIu32 " of %" PRIu64
                " units, one after the other; above, the first one\n",
                outcome_batches(outcome), outcome->batch[0].units);
    }
    if (outcome->resumed > 0) {
        fprintf(out, "resumed   %" PRIu32 " of them, of ", outcome->resumed);
        amount_things(out, outcome->batch[1].units, "unit");
        fputs(", which earlier runs computed\n", out);
    }
}

/* Prints how long measuring and planning took. With a rate from a file, the
   first batch measures nothing, but later batches may. */
static void print_plan(FILE *out, const struct outcome *outcome,
                       uint64_t measure_ps, uint64_t plan_ps)
{
    if (outcome_is_estimated(outcome)) {
        fprintf(out, "rate as the kernel estimates, ");
    } else if (outcome->rate_from == NULL || measure_ps > 0) {
        fprintf(out, "measuring %s, ", amount_time(measure_ps).text);
    }
    fprintf(out, "planning %s", amount_time(plan_ps).text);
}

/* Prints the times of preparing. With an advance (units sent before there is a
   plan), other nodes compute while the originator measures and plans. */
static void print_preparing(FILE *out, const struct outcome *outcome)
{
    struct outcome_preparing preparing = outcome_preparing(outcome);
    bool meanwhile = preparing.meanwhile_plan_ps > 0;

    fprintf(out, "preparing %s before the scatter starts: begin %s",
            amount_time(preparing.all_ps).text,
            amount_time(preparing.begin_ps).text);
    if (outcome->rate_from != NULL) {
        fprintf(out, ", rate from %s", quote_shown(outcome->rate_from));
    }
    if (!meanwhile || preparing.plan_ps > 0) {
        fprintf(out, ", ");
        print_plan(out, outcome, preparing.measure_ps, preparing.plan_ps);
    }
    fputc('\n', out);
    if (meanwhile) {
        fprintf(out, "meanwhile ");
        print_plan(out, outcome, preparing.meanwhile_measure_ps,
                   preparing.meanwhile_plan_ps);
        fprintf(out, ": others compute the first round\n");
    }
}

static void print_row(FILE *out, const char *name, const char *planned,
                      const char *measured, const char *remark)
{
    fprintf(out, "%-9s %10s %11s%s%s\n", name, planned, measured,
            remark[0] == '\0' ? "" : "  ", remark);
}

static struct amount planned(uint64_t time_ps)
{
    return time_ps > 0 ? amount_time(time_ps) : (struct amount){"-"};
}

/* Prints the time from the user's order to the answer. Only --schedule auto
   expects a time, which is printed, too. */
static void print_answer(FILE *out, const struct outcome *outcome)
{
    bool chosen = outcome->choices != NULL && !outcome->host_times;
    char remark[80] = "";

    if (!outcome->host_times) {
        snprintf(remark, sizeof remark, "one board: %s, %.4g times as long",
                 amount_time(outcome_one_board_ps(outcome)).text,
                 outcome_answer_speedup(outcome));
    }
    print_row(
        out, "answer",
        planned(chosen ? (uint64_t)outcome->choices->choice[0].answer_ps : 0)
            .text,
        amount_time(outcome_answer_ps(outcome)).text, remark);
}

static void print_makespan(FILE *out, const struct outcome *outcome)
{
    uint64_t planned_ps = outcome_planned_ps(outcome);
    char remark[80] = "scatter and computing";

    if (planned_ps > 0) {
        snprintf(remark, sizeof remark, "%+.2f %%: scatter and computing",
                 100 * outcome_overhead_vs_plan(outcome));
    }
    print_row(out, "makespan", planned(planned_ps).text,
              amount_time(outcome_makespan_ps(outcome)).text,
              outcome->host_times && planned_ps > 0 ? "" : remark);
}

static void print_times(FILE *out, const struct outcome *outcome)
{
    fputc('\n', out);
    print_row(out, outcome->host_times ? "host time" : "mesh time", "planned",
              "measured", "");
    print_answer(out, outcome);
    print_makespan(out, outcome);
}

/* Prints times that say little if the run went as planned. */
static void print_more_times(FILE *out, const struct outcome *outcome)
{
    uint64_t spread_ps = outcome_spread_ps(outcome);

    print_preparing(out, outcome);
    if (!outcome->host_times) {
        fprintf(out,
                "speedup   %.4g, planned %.4g: all computing over the "
                "makespan\n",
                outcome_speedup(outcome), outcome_planned_speedup(outcome));
    }
    fprintf(out,
            "spread    %s between the first and the last to finish, %.2f %%\n",
            amount_time(spread_ps).text,
            100 * outcome_ratio(spread_ps, outcome_makespan_ps(outcome)));
    if (outcome->plan.rounds > 1) {
        fprintf(out, "idle      at most %s waiting for next rounds\n",
                amount_time(outcome_idle_max_ps(outcome)).text);
    }
    if (outcome_ports_ps(outcome) > 0) {
        fprintf(out,
                "ports     took %s of the processors while they computed, "
                "which one board would not\n",
                amount_time(outcome_ports_ps(outcome)).text);
    }
    fprintf(out, "results   complete %s after the scatter's start%s\n",
            amount_time(outcome_with_results_ps(outcome)).text,
            outcome->plan.meanwhile ? ", outputs returned meanwhile" : "");
}

static uint64_t passed_on_bytes(const struct outcome *outcome)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < outcome->circuit_count; ++i) {
        const struct circuit_record *circuit = &outcome->circuit[i];

        if (circuit->kind == WIRE_PART &&
            outcome->node[circuit->source].layer > 0) {
            bytes += circuit->bytes - CIRCUIT_HEADER_BYTES;
        }
    }
    return bytes;
}

static void print_network(FILE *out, const struct outcome *outcome, bool all)
{
    fputs("network   ", out);
    amount_things(out, outcome->messages, "circuit");
    fputs(" carried ", out);
    amount_things(out, outcome->payload_bytes, "byte");
    if (outcome->circuit_count > 0 && outcome->batch_count <= 1) {
        fprintf(out, ", of which nodes passed on %" PRIu64,
                passed_on_bytes(outcome));
    }
    fputc('\n', out);
    if (all) {
        fputs("waits     ", out);
        amount_things(out, outcome->conflicts, "circuit");
        fprintf(out, " waited for a link, %" PRIu64 " %s tried again; ",
                outcome->retries, outcome->retries == 1 ? "was" : "were");
        amount_things(out, outcome->retransmissions, "frame");
        fprintf(out, " %s sent again\n",
                outcome->retransmissions == 1 ? "was" : "were");
    }
    fprintf(out, "host      %.1f s to boot, %.1f s to run\n",
            outcome->boot_wall_s, outcome->run_wall_s);
}

static void print_groups(FILE *out, const struct outcome *outcome)
{
    for (uint32_t i = 0; i < outcome->originators; ++i) {
        const struct outcome_originator *one = &outcome->originator[i];
        const struct outcome_group_times times =
            outcome_group_times(outcome, i);
        char place[16];

        snprintf(place, sizeof place, "%u,%u", one->at.x, one->at.y);
        fprintf(out,
                "%s%-9s %" PRIu32 " node%s: planned %s, measured %s, answer "
                "after %s; %s\n",
                i == 0 ? "\n" : "", place, one->nodes,
                one->nodes == 1 ? "" : "s", planned(one->plan.makespan_ps).text,
                amount_time(times.makespan_ps).text,
                amount_time(times.answer_ps).text, file_name(one->input_name));
    }
}

/* Prints the whole job's result, and if there are several originators, each
   one's. With several INPUTs, places_print() prints the offsets. */
static void print_results(FILE *out, const struct outcome *outcome)
{
    bool several = outcome->originators > 1;
    json_t *result = result_json(outcome, outcome->originators);

    for (uint32_t i = 0; several && i < outcome->originators; ++i) {
        json_t *one = result_json(outcome, i);

        fprintf(out, "\nof %s\n", file_name(outcome->originator[i].input_name));
        result_print(out, one, true);
        json_decref(one);
    }
    fputs(several ? "\nof all files" : "", out);
    if (outcome->result.data != NULL) {
        fputc('\n', out);
        result_print(out, result,
                     outcome->request->originator[0].load.file_count == 0);
    }
    places_print(out, outcome, result);
    json_decref(result);
}

/* Prints what was planned and measured. */
static void print_run(FILE *out, const struct outcome *outcome, bool all)
{
    print_choices(out, outcome);
    print_times(out, outcome);
    print_layers(out, outcome);
    print_rounds(out, outcome);
    print_batches(out, outcome);
    if (all) {
        print_more_times(out, outcome);
    }
    print_network(out, outcome, all);
    if (outcome->ranks > 0) {
        ranks_print(out, outcome);
    }
    if (outcome->originators > 1) {
        print_groups(out, outcome);
    }
}

void summary_print(FILE *out, const struct outcome *outcome, bool all)
{
    print_head(out, outcome);
    if (outcome->load_units > 0) {
        print_run(out, outcome, all);
    }
    print_results(out, outcome);
}
