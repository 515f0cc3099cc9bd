/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/empty.h"

#include "qemu/base/crash.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "scatter/engine/core.h"

#include <stdio.h>
#include <stdlib.h>

bool job_is_empty(const struct request *request)
{
    return request->originators == 1 && request->originator[0].load.units == 0;
}

/* Makes the one node's and the one layer's figures, all 0. */
static void set_figures(struct outcome *outcome, const struct request *request)
{
    outcome->originators = 1;
    outcome->originator =
        memory_or_exit(calloc(1, sizeof *outcome->originator));
    outcome->originator[0].at = request->originator[0].at;
    outcome->originator[0].input_name = request->originator[0].input_name;
    outcome->originator[0].nodes = 1;
    outcome->node_count = 1;
    outcome->node = memory_or_exit(calloc(1, sizeof *outcome->node));
    outcome->node[0].at = request->originator[0].at;
    outcome->node[0].interval =
        memory_or_exit(calloc(1, sizeof *outcome->node[0].interval));
    outcome->node[0].port =
        memory_or_exit(calloc(NODE_PORTS, sizeof *outcome->node[0].port));
    outcome->layer = memory_or_exit(calloc(1, sizeof *outcome->layer));
    outcome->batch_count = 1;
    outcome->batch = memory_or_exit(calloc(1, sizeof *outcome->batch));
}

int job_empty_result(struct kernel_result *result, const struct kernel *kernel,
                     const struct job_originator *originator)
{
    const struct format_load *load = &originator->load;
    struct kernel_job job = {load->arg, load->arg_bytes, load->unit_bytes};
    struct kernel_terms terms = {.before_bytes = 0};
    static const uint8_t nothing[4];
    struct kernel_range range = {.data = nothing,
                                 .unit_bytes = load->unit_bytes};
    uint32_t work[SCATTER_WORK_MAX / 4];
    int error;

    *result = (struct kernel_result){
        .data = memory_or_exit(
            calloc(1, originator->terms.result_bytes_max + (size_t)8)),
        .output = memory_or_exit(calloc(1, 8))};
    crash_in("run");
    error = kernel->begin(work, &terms, &job);
    if (error == KERNEL_OK) {
        kernel->run(work, result, &range);
    }
    crash_out();
    return error == KERNEL_OK ? 0 : -1;
}

int job_empty(struct outcome *outcome, const struct request *request,
              const struct job_schedule *schedule)
{
    const struct kernel *kernel = request->kernel;

    *outcome = (struct outcome){
        .request = request, .schedule = *schedule, .board = "host"};
    set_figures(outcome, request);
    if (job_empty_result(&outcome->result, kernel, &request->originator[0]) !=
        0) {
        fprintf(stderr, "quincunx: kernel %s refuses an empty load\n",
                kernel->name);
        outcome_free(outcome);
        return EXIT_FAILED;
    }
    return 0;
}
