/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/simulate.h"

#include "qemu/command/simulate_print.h"
#include "qemu/options/simulate.h"
#include "qemu/support/exit_status.h"
#include "qemu/support/host_clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Plans by the firmware's planner and by the exact model, with exactly so many
   phases, or with as many as are feasible (`fixed` 0). */
static int plan_both(struct planner_plan *plan, struct model_plan *exact,
                     const struct planner_input *planner,
                     const struct model_input *model, unsigned phases,
                     uint8_t fixed)
{
    struct planner_input planner_fixed = *planner;
    struct model_input model_fixed = *model;
    int error;

    planner_fixed.phases_fixed = fixed;
    planner_fixed.phases_want = (uint8_t)phases;
    model_fixed.phases_fixed = fixed;
    model_fixed.phases_want = (uint8_t)phases;
    error = planner_plan(plan, &planner_fixed);
    return error != ERR_OK ? error : model_plan(exact, &model_fixed);
}

/*
 * Computes the tables of volumes and shares. Where the last phase's volume is 0
 * but for rounding, the planner and the exact model may differ by that phase;
 * the smaller number is taken. Result: the exit status.
 */
static int compute_tables(struct simulate_result *result,
                          const struct plan_options *options)
{
    struct planner_input planner;
    struct model_input model;
    struct planner_plan plan;
    unsigned feasible;
    uint64_t phases;
    int status = simulate_options_inputs(&planner, &model, options);

    if (status != 0) {
        return status;
    }
    if (plan_both(&plan, &result->model, &planner, &model, 0, 0) != ERR_OK) {
        fprintf(stderr,
                "quincunx: --load '%" PRIu64 "' and --compute '%" PRIu64
                "ps': their product must be below 2^63 ps (106 days)\n",
                options->load_units, options->compute_ps);
        return EXIT_USAGE;
    }
    feasible =
        plan.phases < result->model.phases ? plan.phases : result->model.phases;
    phases = plan_given(options, PLAN_PHASES) ? options->phases : feasible;
    if (phases > feasible) {
        fprintf(stderr,
                "quincunx: --phases '%" PRIu64 "': infeasible: the largest "
                "feasible N is %u (this torus has %u phases)\n",
                phases, feasible, planner.phases_max);
        return EXIT_USAGE;
    }
    (void)plan_both(&plan, &result->model, &planner, &model, (unsigned)phases,
                    1);
    result->input.phases = (uint8_t)phases;
    memcpy(result->input.tables.volume_units, plan.volume_units,
           sizeof plan.volume_units);
    memcpy(result->input.tables.share_units, plan.share_units,
           sizeof plan.share_units);
    return 0;
}

/* The largest memory that this process has had; 0 if /proc does not tell.
   getrusage() would count that of the parent before exec(), too. */
static uint64_t peak_rss_bytes(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[128];
    uint64_t peak_kib = 0;

    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "VmHWM: %" SCNu64, &peak_kib) == 1) {
            break;
        }
    }
    if (status != NULL) {
        fclose(status);
    }
    return peak_kib * 1024;
}

/* Result: the exit status. */
static int run(struct simulate_result *result)
{
    double start_s = host_clock_s(host_clock());
    int error = ERR_MEMORY;

    result->nodes =
        malloc(torus_nodes(result->input.size) * sizeof *result->nodes);
    if (result->nodes != NULL) {
        error = simulate_run(&result->outcome, result->nodes, &result->input);
    }
    if (error != ERR_OK) {
        fprintf(stderr,
                error == ERR_MEMORY
                    ? "quincunx: no memory for %u nodes\n"
                    : "quincunx: the scatter over %u nodes does not end "
                      "before 2^63 ps (106 days)\n",
                torus_nodes(result->input.size));
        return EXIT_FAILED;
    }
    simulate_check(result->passed, &result->outcome, &result->input,
                   &result->model);
    result->wall_s = host_clock_s(host_clock()) - start_s;
    result->peak_rss_bytes = peak_rss_bytes();
    return 0;
}

static bool all_passed(const struct simulate_result *result)
{
    bool all = true;

    for (unsigned i = 0; i < SIMULATE_CHECKS; ++i) {
        all &= result->passed[i];
    }
    return all;
}

static struct simulate_input input_of(const struct plan_options *options)
{
    uint16_t side = (uint16_t)options->side;

    return (struct simulate_input){
        .size = {side, side},
        .originator = {(uint16_t)options->x, (uint16_t)options->y},
        .load_units = (uint32_t)options->load_units,
        .startup_ps = options->startup_ps,
        .hop_delay_ps = options->hop_delay_ps,
        .transfer_ps = options->transfer_ps,
        .compute_ps = options->compute_ps,
    };
}

static void print(const struct simulate_result *result,
                  const struct plan_options *options)
{
    bool per_node = plan_given(options, PLAN_PER_NODE);

    if (plan_given(options, PLAN_JSON)) {
        simulate_print_json(result, per_node);
    } else {
        simulate_print_table(result, per_node);
    }
}

int simulate_command(int argc, char **argv)
{
    struct plan_options options;
    struct simulate_result result = {.nodes = NULL};
    int status = simulate_options_parse(&options, argc, argv);

    if (status != 0) {
        return status;
    }
    result.input = input_of(&options);
    simulate_set_paths(&result.input);
    status = compute_tables(&result, &options);
    if (status == 0) {
        status = run(&result);
    }
    if (status == 0) {
        print(&result, &options);
        status = all_passed(&result) ? 0 : EXIT_FAILED;
    }
    free(result.nodes);
    return status;
}
