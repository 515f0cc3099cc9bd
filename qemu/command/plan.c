/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/command/command.h"

#include "qemu/command/plan_options.h"
#include "qemu/base/memory.h"
#include "qemu/base/parse.h"

#include <inttypes.h>
#include <stdlib.h>

static int compute_nodes(struct theory_node **nodes,
                         const struct plan_solved *solved,
                         const struct plan_options *options)
{
    if (options->ports != TORUS_PORTS && solved->detail.part == NULL) {
        return usage_error("--per-node and --ports '%" PRIu64
                           "': more than %u different shares with %u phases: "
                           "fewer --phases are needed",
                           options->ports, THEORY_GROUPS_MAX,
                           solved->plan.phases);
    }
    *nodes = memory_or_exit(
        malloc(torus_nodes(options->torus.size) * sizeof **nodes));
    theory_spread(*nodes, &solved->plan, &solved->detail,
                  options->input.load_units, options->torus.size,
                  options->torus.originator);
    return 0;
}

static int run(void *own)
{
    struct plan_options *options = own;
    struct plan_solved solved = {.meanwhile = false};
    struct theory_node *nodes = NULL;
    int status = plan_options_check(options);

    if (status == 0) {
        status = plan_solve(&solved, options);
    }
    if (status == 0 && options->per_node) {
        status = compute_nodes(&nodes, &solved, options);
    }
    if (status == 0 && options->json) {
        status = plan_print_json(&solved, nodes, options);
    } else if (status == 0) {
        plan_print_table(&solved, nodes, options);
    }
    free(nodes);
    theory_detail_free(&solved.detail);
    return status;
}

const struct option_command plan_command = {
    .name = "plan",
    .summary = "the share of every layer, and when all nodes finish",
    .heading = {[1] = "Required:", [2] = "Optional:"},
    .part = {{&plan_option_table, 0}},
    .text = "Plan how a divisible load is scattered over a torus of boards: "
            "the share of every layer, and the makespan, exactly.\vTimes take "
            "a suffix: s, ms, us, ns or ps. --transfer and --compute are times "
            "per unit."
            "\n\nExamples:\n"
            "  quincunx plan --torus 25 --load 1M --startup 4.85us \\\n"
            "      --transfer 3.3ns --compute 1us\n"
            "  quincunx plan --torus 25 --load 1M --profile t3d --compute 1us",
    .bytes = sizeof(struct plan_options),
    .usual = &(const struct plan_options){.rounds = 1, .ports = TORUS_PORTS},
    .run = run};
