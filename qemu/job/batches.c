/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/batches.h"

#include "hal/serial/errand.h"
#include "qemu/job/policy.h"
#include "qemu/base/crash.h"
#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/quote.h"
#include "scatter/engine/core.h"
#include "scatter/engine/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns the most rounds in which a batch may go out. A farm's chunks count as
   rounds; 64 chunks a node is a guess. */
static uint64_t rounds_max(const struct job_task *task)
{
    if (task->schedule.kind == SCHEDULE_FARM) {
        return 64;
    }
    if (task->schedule.kind == SCHEDULE_HYBRID) {
        return ROUNDS_MAX + 64;
    }
    return task->schedule.rounds == WIRE_BEST ? ROUNDS_MAX
                                              : task->schedule.rounds;
}

/* Returns the most memory, bytes, that a job takes on a node besides units and
   outputs. The originator holds message headers, errands (orders that it passes
   on) and jobs. Any other node holds headers, jobs and halos of all rounds. */
static uint64_t fixed_bytes(const struct job_task *task)
{
    const struct kernel_terms *terms = &task->originator->terms;
    const struct job_policy *policy = job_policy(task);
    uint32_t nodes = torus_nodes(task->request->size);
    uint64_t arg = WIRE_PAD4(task->originator->load.arg_bytes);
    uint64_t halo_bytes = (uint64_t)terms->before_bytes + terms->after_bytes;
    uint64_t bytes = 3 * CIRCUIT_HEADER_BYTES + WIRE_ORDER_BYTES +
                     WIRE_ANNOUNCE_BYTES + arg +
                     rounds_max(task) * (WIRE_JOB_BYTES_MAX + halo_bytes) + 64;

    if (task->group_of_node != NULL) {
        bytes += SERIAL_ERRAND_BYTES * task->request->originators;
    }
    if (policy->plan_bytes != NULL) {
        bytes += policy->plan_bytes(task);
    }
    if (terms->output_denominator != 0) {
        bytes += scatter_result_head_bytes(terms) +
                 (nodes * rounds_max(task) + MEASURE_PIECES_MAX) *
                     (WIRE_OUTPUT_CHUNK_BYTES + 3u);
    }
    return bytes;
}

/* Returns 8P if a unit of the load has P/Q bytes of output. Returns 9P if units
   go out on demand: an eighth of all outputs may have come back before the
   rest. */
static uint64_t output_eighths(const struct job_task *task)
{
    const struct kernel_terms *terms = &task->originator->terms;

    return terms->output_denominator == 0
               ? 0
               : (rounds_max(task) > ROUNDS_MAX ? 9u : 8u) *
                     terms->output_numerator;
}

uint64_t batches_memory_units(const struct job_task *task)
{
    const struct kernel_terms *terms = &task->originator->terms;
    uint64_t room = job_task_room_bytes(task);
    uint64_t fixed = fixed_bytes(task);
    /* A unit has P/Q bytes of output. Multiplied by 8Q, all numbers are
       integers. */
    uint64_t q =
        8u * (terms->output_denominator > 0 ? terms->output_denominator : 1u);
    uint64_t unit =
        task->originator->load.unit_bytes * q + output_eighths(task);

    if (fixed > room) {
        return 0;
    }
    return unit == 0 ? UINT32_MAX
                     : smaller((room - fixed) * q / unit, UINT32_MAX);
}

static uint64_t units_max(const struct job_task *task)
{
    uint64_t most = batches_memory_units(task);

    return task->request->batch_units != 0
               ? smaller(task->request->batch_units, most)
               : most;
}

bool batches_fit(const struct job_task *task)
{
    const struct format_load *load = &task->originator->load;
    const char *what = task->originator->input_name != NULL
                           ? file_name(task->originator->input_name)
                           : "this job";
    uint64_t most = batches_memory_units(task);

    if (task->group_of_node != NULL) {
        if (load->units <= most) {
            return true;
        }
        fprintf(stderr,
                "quincunx: --originator '%u,%u=%s': has %" PRIu64
                " units; must have 1 to %" PRIu64
                ", as these boards' memory takes\n",
                task->originator->at.x, task->originator->at.y,
                quote_shown(task->originator->input_name), load->units, most);
        return false;
    }
    if (most == 0) {
        fprintf(stderr,
                "quincunx: %s: a node's memory takes no unit of %u bytes with "
                "what is needed around it\n",
                what, load->unit_bytes);
        return false;
    }
    if (task->request->batch_units > most && load->units > most) {
        fprintf(stderr,
                "quincunx: --batch %" PRIu32 ": a node's memory takes %" PRIu64
                " units of %s at most\n",
                task->request->batch_units, most, what);
        return false;
    }
    return true;
}

uint32_t batches_count(const struct job_task *task)
{
    uint64_t most = units_max(task);

    return (uint32_t)((task->originator->load.units + most - 1) / most);
}

uint32_t batches_units(const struct job_task *task)
{
    uint32_t count = batches_count(task);

    return (uint32_t)((task->originator->load.units + count - 1) / count);
}

struct wire_range batches_range(const struct job_task *task, uint32_t index)
{
    uint32_t units = batches_units(task);
    uint64_t first = (uint64_t)index * units;

    return (struct wire_range){
        (uint32_t)first,
        (uint32_t)smaller(units, task->originator->load.units - first)};
}

int batches_merge(struct kernel_result *into, const struct kernel_result *next,
                  const struct job_task *task)
{
    const struct format_load *load = &task->originator->load;
    struct kernel_job job = {load->arg, load->arg_bytes, load->unit_bytes};
    struct kernel_terms terms = {.before_bytes = 0};
    uint32_t work[SCATTER_WORK_MAX / 4];
    bool merged;

    into->data = memory_or_exit(realloc(
        into->data, (size_t)task->originator->terms.result_bytes_max + 1));
    into->output = memory_or_exit(realloc(
        into->output, (size_t)into->output_bytes + next->output_bytes + 1));
    if (next->output_bytes > 0) {
        memcpy(into->output + into->output_bytes, next->output,
               next->output_bytes);
        into->output_bytes += next->output_bytes;
    }
    if (task->request->kernel->merge == NULL) {
        return 0;
    }
    crash_in("merge");
    merged = task->request->kernel->begin(work, &terms, &job) == KERNEL_OK &&
             task->request->kernel->merge(work, into, next) == KERNEL_OK;
    crash_out();
    return merged ? 0 : -1;
}

int batches_add(struct kernel_result *into, const struct kernel_result *next,
                const struct job_task *task)
{
    if (batches_merge(into, next, task) == 0) {
        return 0;
    }
    fprintf(stderr,
            "quincunx: kernel %s: results of batches cannot be merged\n",
            task->request->kernel->name);
    return EXIT_FAILED;
}
