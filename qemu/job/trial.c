/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/trial.h"

#include "boot/costs.h"
#include "hal/board.h"
#include "hal/host/host.h"
#include "hal/window/window.h"
#include "qemu/job/batches.h"
#include "qemu/job/job.h"
#include "qemu/job/mesh_ops.h"
#include "qemu/job/policy.h"
#include "qemu/base/memory.h"
#include "scatter/engine/scatter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Instructions of an emulated board to receive and answer a message, and around
   a call of the kernel's run(). */
#define MESSAGE_INSTRUCTIONS 330u
#define RUN_INSTRUCTIONS 120u

/* BYTES_MAX: a trial with more bytes of load and output is scaled down.
   NODE_UNITS_LEAST: fewest units for each node after that. */
#define BYTES_MAX 2000000u
#define NODE_UNITS_LEAST 64u

/* Bytes of a result that found nothing, for kernels whose result grows with
   what is found. */
#define LEAST_BYTES 32u

/* ---- the model of a kernel ---- */

/* Takes the kernel's terms from the job's argument, which is their address. */
static int model_begin(void *work, struct kernel_terms *terms,
                       const struct kernel_job *job)
{
    const struct kernel_terms *given;

    memcpy(&given, job->arg, sizeof given);
    *terms = *given;
    memcpy(work, given, sizeof *given);
    return KERNEL_OK;
}

static uint32_t result_bytes(const struct kernel_terms *terms, uint64_t bytes)
{
    return terms->result_fixed || bytes > terms->result_bytes_max
               ? terms->result_bytes_max
               : (uint32_t)bytes;
}

static void model_run(const void *work, struct kernel_result *result,
                      const struct kernel_range *range)
{
    const struct kernel_terms *terms = work;
    uint64_t more =
        (uint64_t)range->units * terms->result_bytes_per_1000_units / 1000;

    result->bytes = result_bytes(terms, LEAST_BYTES + more);
    if (terms->output_denominator > 0) {
        result->output_bytes =
            kernel_output_room(terms, range->first_unit, range->units);
    }
}

static int model_merge(const void *work, struct kernel_result *into,
                       const struct kernel_result *next)
{
    uint32_t more = next->bytes > LEAST_BYTES ? next->bytes - LEAST_BYTES : 0;

    into->bytes = result_bytes(work, (uint64_t)into->bytes + more);
    return KERNEL_OK;
}

static const struct kernel model = {.name = "model",
                                    .work_bytes = sizeof(struct kernel_terms),
                                    .begin = model_begin,
                                    .run = model_run,
                                    .merge = model_merge};

/* ---- its nodes ---- */

#define TIME(instructions) ((instructions)*JOB_INSTRUCTION_PS)

/* Costs of the boards' software, as in boot/mps2_an385/costs.c. */
static const struct scatter_costs board_costs = BOOT_COSTS(
    TIME(1), .first_send_ps = TIME(240), .branch_split_ps = TIME(126),
    .branch_queue_ps = TIME(220), .result_merge_ps = TIME(250),
    .split_ps = WINDOW_ROW_PS, .round_overhead_ps = TIME(196),
    .round_start_ps = TIME(112), .tree_sends = 768, .tree_holds = true,
    .plan_meanwhile = meanwhile_plan);

static void run_node(struct window *window, const struct scatter_costs *costs,
                     uint64_t message_ps)
{
    static const struct kernel *const kernels[] = {&model};
    struct clock clock = {.started_ps = message_ps};
    struct circuit circuit;
    struct scatter scatter;
    int error = circuit_open(&circuit, window, &clock);

    if (error == ERR_OK) {
        error = scatter_init(&scatter, &circuit, kernels, 1, costs);
    }
    if (error == ERR_OK) {
        error = scatter_run(&scatter);
    }
    window->node.status.error = error;
    window->node.status.state =
        error == ERR_OK ? NODE_STATE_DONE : NODE_STATE_FAILED;
    circuit_close(&circuit);
    board_halt(window);
}

static void native_main(struct window *window)
{
    run_node(window, &boot_costs, 0);
}

static void board_main(struct window *window)
{
    run_node(window, &board_costs, TIME(MESSAGE_INSTRUCTIONS));
}

/* Returns the time of a call of run() besides its units, ps, including the
   merge of a result of fixed length. */
static uint64_t call_ps(const struct job_task *task, uint64_t known_ps)
{
    const struct kernel_terms *terms = &task->originator->terms;
    uint64_t words = terms->result_fixed ? terms->result_bytes_max / 4 : 0;

    return task->request->mesh->has_images
               ? known_ps + TIME(RUN_INSTRUCTIONS + SCATTER_MERGE_WORD * words)
               : known_ps;
}

/* ---- trials ---- */

static uint32_t units_of_one(const struct job_task *task, uint32_t units)
{
    const struct kernel_terms *terms = &task->originator->terms;
    uint32_t most =
        units / (NODE_UNITS_LEAST * torus_nodes(task->request->size));
    double bytes = task->originator->load.unit_bytes;
    double k;

    if (terms->output_denominator > 0) {
        bytes += (double)terms->output_numerator / terms->output_denominator;
    }
    k = 1 + floor(bytes * units / (BYTES_MAX + 1));
    return most <= 1 ? 1 : k < most ? (uint32_t)k : most;
}

static void shorten(struct job_originator *originator, uint32_t units,
                    uint32_t k, uint64_t compute_ps)
{
    struct kernel_terms *terms = &originator->terms;
    double instructions =
        (double)compute_ps * k * 1000 / JOB_INSTRUCTION_PS + 0.5;

    originator->load.units = (units + k - 1) / k;
    terms->before_bytes /= k;
    terms->after_bytes /= k;
    terms->result_bytes_max = (terms->result_bytes_max + k - 1) / k;
    terms->instructions_per_1000_units =
        instructions < 1 ? 1 : (uint64_t)instructions;
}

/* A trial runs a model in place of the kernel, which needs no argument but the
   kernel's terms. Stores their address as the job's argument, for
   model_begin(). The caller frees the new argument. */
static void set_argument(struct job_originator *originator)
{
    const struct kernel_terms *terms = &originator->terms;
    struct format_load *load = &originator->load;

    if (load->arg_bytes < sizeof terms) {
        load->arg_bytes = sizeof terms;
    }
    load->arg = memory_or_exit(calloc(1, load->arg_bytes));
    memcpy(load->arg, &terms, sizeof terms);
}

static struct request request_of(const struct request *request,
                                 struct job_originator *originator)
{
    struct request native = *request;

    native.mesh = &fabric_job_native;
    native.originators = 1;
    native.originator = originator;
    native.kernel = &model;
    native.batch_units = 0;
    native.board = NULL;
    native.rates = NULL;
    native.gdb = false;
    native.on_one_rank = true;
    native.injections = (struct injections){.count = 0};
    return native;
}

int trial_run(struct trial *trial, const struct job_task *task,
              struct job_rate rate, const struct injection *slow)
{
    uint32_t units = batches_units(task);
    uint32_t k = units_of_one(task, units);
    struct profile plan_profile = *request_plan_profile(task->request);
    struct host_program program = {
        .main = task->request->mesh->has_images ? board_main : native_main,
        .call_ps = call_ps(task, rate.call_ps)};
    struct job_originator originator = *task->originator;
    struct request native = request_of(task->request, &originator);
    struct job_schedule schedule = task->schedule;
    struct outcome outcome;
    int status;

    shorten(&originator, units, k, rate.compute_ps);
    set_argument(&originator);
    plan_profile.transfer_ps *= k;
    native.profile.transfer_ps *= k;
    native.plan_profile = &plan_profile;
    native.program = &program;
    if (slow != NULL) {
        native.injections = (struct injections){.injection = slow, .count = 1};
    }
    schedule.levels = (uint8_t)job_policy_levels(task);
    status = job_run(&outcome, &native, &schedule, NULL, NULL, NULL);
    free(originator.load.arg);
    if (status != 0) {
        return -1;
    }
    *trial = (struct trial){.answer_ps = (double)outcome_answer_ps(&outcome) *
                                         batches_count(task),
                            .makespan_ps = outcome_makespan_ps(&outcome),
                            .rounds = outcome.plan.rounds};
    outcome_free(&outcome);
    return 0;
}

uint64_t trial_farm_ps(const struct job_task *farm, struct job_rate rate)
{
    struct trial trial;

    return trial_run(&trial, farm, rate, NULL) == 0 ? trial.makespan_ps : 0;
}
