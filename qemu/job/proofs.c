/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/proofs.h"

#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "scatter/wire/proof.h"

#include <stdlib.h>

#define PIECE_BYTES (1u << 20) /* of the load, summed up at a time */
/* Where the default is to check, a node computes at least so long, ps. Checks
   of results take some 0.1 ms. */
#define LONG_PS UINT64_C(10000000000)
#define CHEAP_PART 100u /* and checks of the load take this part of it */

double proofs_instructions(const struct job_task *task)
{
    const struct kernel_terms *terms = &task->originator->terms;
    double bytes = task->originator->load.unit_bytes;

    if (terms->output_denominator > 0) {
        bytes += (double)terms->output_numerator / terms->output_denominator;
    }
    return bytes * PROOF_INSTRUCTIONS_16 / 16;
}

bool proofs_wanted(const struct job_task *task)
{
    const struct job_originator *originator = task->originator;
    double node_ps = job_task_unit_ps(task) * (double)originator->load.units /
                     torus_nodes(task->request->size);

    switch (task->request->check_load) {
    case CHECK_YES:
        return true;
    case CHECK_NO:
        return false;
    default:
        return node_ps >= (double)LONG_PS &&
               proofs_instructions(task) * 1000 * CHEAP_PART <=
                   (double)originator->terms.instructions_per_1000_units;
    }
}

/* Adds the sum of a range of the load, read at once, to *sum. */
static int add_piece(uint64_t *sum, struct wire_range units,
                     const struct job_task *task)
{
    const struct format_load *load = &task->originator->load;
    struct kernel_range range = job_task_range(task, units);
    uint64_t bytes = range.before_bytes +
                     (uint64_t)range.units * range.unit_bytes +
                     range.after_bytes;
    uint8_t *copy = memory_or_exit(malloc(bytes + 1));
    struct file_piece piece =
        format_piece(load, (uint64_t)units.first_unit * load->unit_bytes -
                               range.before_bytes);
    int status = file_piece_copy(copy, &piece, bytes) == 0 ? 0 : EXIT_FAILED;

    if (status == 0) {
        range.data = copy + range.before_bytes;
        *sum += proof_range(&range, &task->originator->terms);
    }
    free(copy);
    return status;
}

/* Sets *sum to that of a range of the load. */
static int sum_range(uint64_t *sum, struct wire_range units,
                     const struct job_task *task)
{
    uint32_t unit_bytes = task->originator->load.unit_bytes;
    uint32_t most = unit_bytes == 0 ? UINT32_MAX : 1 + PIECE_BYTES / unit_bytes;
    int status = 0;

    *sum = 0;
    while (status == 0 && units.units > 0) {
        struct wire_range piece = {units.first_unit,
                                   units.units < most ? units.units : most};

        status = add_piece(sum, piece, task);
        units.first_unit += piece.units;
        units.units -= piece.units;
    }
    return status;
}

/* Returns the sum of the outputs. */
static uint64_t sum_outputs(const struct outcome_originator *originator)
{
    const uint8_t *at = originator->result.output;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < originator->places.count; ++i) {
        const struct output_place *place = &originator->places.place[i];

        sum += proof_output(place->first_unit, at, place->bytes);
        at += place->bytes;
    }
    return sum;
}

int proofs_check(bool *right, const struct outcome_originator *originator,
                 const uint8_t *proof, const struct job_task *task,
                 const struct wire_order *order)
{
    const struct format_load *load = &task->originator->load;
    const struct kernel_result *result = &originator->result;
    const struct wire_report *report = &originator->plan;
    uint64_t sum = 0;
    uint64_t part;
    int status;

    *right = true;
    if (order->check_load == 0) {
        return 0;
    }
    status = sum_range(
        &sum, (struct wire_range){order->first_unit, order->load_units}, task);
    for (uint32_t i = 0; status == 0 && i < report->ranges; ++i) {
        status = sum_range(&part, originator->missing[i], task);
        sum -= status == 0 ? part : 0;
    }
    *right = report->proved &&
             bytes_load_u64(proof) == sum + sum_outputs(originator) &&
             bytes_load_u64(proof + 8) ==
                 (proof_bytes(0, result->data, result->bytes) ^
                  proof_bytes(0, load->arg, load->arg_bytes));
    return status;
}
