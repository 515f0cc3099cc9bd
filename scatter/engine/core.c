/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/core.h"

#include "hal/check.h"
#include "hal/hot.h"
#include "scatter/plan/fixed.h"

#define CHECK_FILE CHECK_SCATTER_CORE
HAL_FAST void scatter_record(struct scatter *scatter, enum event_kind kind,
                             unsigned detail, uint32_t value)
{
    events_record(scatter->circuit->log, clock_now_ps(scatter->circuit->clock),
                  kind, detail, value);
}

HAL_FAST struct circuit_segment scatter_cut(const struct scatter *scatter,
                                            uint32_t skipped, uint32_t units)
{
    const struct wire_job *job = &scatter->job;
    uint32_t unit_bytes = scatter->announced.unit_bytes;
    uint32_t ahead_bytes = skipped * unit_bytes;
    uint32_t before_bytes = fixed_smaller(
        job->before_bytes, scatter->range_before_bytes + ahead_bytes);
    uint32_t room_bytes =
        scatter->range_to_end_bytes - ahead_bytes + before_bytes;

    ASSERT(ahead_bytes <= scatter->range_to_end_bytes);
    return (struct circuit_segment){
        scatter->range_data + ahead_bytes - before_bytes,
        fixed_smaller(before_bytes + units * unit_bytes + job->after_bytes,
                      room_bytes)};
}

HAL_FAST void scatter_skip(struct scatter *scatter, uint32_t units)
{
    uint32_t bytes = units * scatter->announced.unit_bytes;

    scatter->range_data += bytes;
    scatter->range_before_bytes += bytes;
    scatter->range_to_end_bytes -= bytes;
    scatter->first_unit += units;
}

void scatter_check_heap(const struct scatter *scatter)
{
    ASSERT(scatter->free_from <= scatter->free_to &&
           scatter->free_to <= scatter->outputs_end &&
           scatter->outputs_end <= scatter->room_end);
}

int scatter_receive(struct scatter *scatter, struct circuit_delivery *delivery,
                    unsigned ports)
{
    uint32_t room = (uint32_t)(scatter->free_to - scatter->free_from);
    int error;

    scatter_check_heap(scatter);
    scatter->circuit->node->status.state = NODE_STATE_WAITING;
    do {
        /* A multiple of 8: the message's end is rounded up to 8. */
        error = circuit_receive(scatter->circuit, delivery, ports,
                                scatter->free_from, room & ~7u);
    } while (error == ERR_FOREIGN && scatter_drops(scatter));
    return error;
}

int scatter_drain(struct scatter *scatter)
{
    int error = circuit_drain(scatter->circuit);

    return error == ERR_DEAD_LINK ? ERR_OK : error;
}

HAL_FAST int scatter_send(struct scatter *scatter, unsigned ports,
                          const struct circuit_message *message)
{
    int error = circuit_send(scatter->circuit, ports, message);

    if (error == ERR_PORT_BUSY) {
        error = scatter_drain(scatter);
        if (error == ERR_OK) {
            error = circuit_send(scatter->circuit, ports, message);
        }
    }
    return error;
}

int scatter_read_job(struct scatter *scatter, const uint8_t *in, uint32_t bytes)
{
    struct wire_job *job = &scatter->job;
    int error = wire_job_load(job, in, bytes);

    if (error != ERR_OK) {
        return error;
    }
    scatter->job_data = in;
    scatter->job_bytes = wire_job_bytes(job);
    return job->before_bytes == scatter->terms.before_bytes &&
                   job->after_bytes == scatter->terms.after_bytes &&
                   scatter_has_output(scatter) ==
                       scatter_makes_output(&scatter->terms)
               ? ERR_OK
               : ERR_FIELD;
}

HAL_FAST int scatter_set_range(struct scatter *scatter, const uint8_t *begin,
                               const uint8_t *end)
{
    const struct wire_job *job = &scatter->job;
    uint32_t bytes = (uint32_t)(end - begin);
    uint64_t earlier =
        (uint64_t)scatter->first_unit * scatter->announced.unit_bytes;
    uint32_t units_bytes;

    scatter->range_before_bytes = fixed_smaller(earlier, job->before_bytes);
    scatter->range_data = begin + scatter->range_before_bytes;
    scatter->range_to_end_bytes = bytes - scatter->range_before_bytes;
    scatter->free_from = (uint8_t *)(((uintptr_t)end + 7u) & ~(uintptr_t)7u);
    return scatter->range_before_bytes > bytes ||
                   __builtin_mul_overflow(scatter->units,
                                          scatter->announced.unit_bytes,
                                          &units_bytes) ||
                   units_bytes > scatter->range_to_end_bytes
               ? ERR_LENGTH
               : ERR_OK;
}

int scatter_begin_kernel(struct scatter *scatter)
{
    const struct wire_announce *announced = &scatter->announced;
    struct kernel_job job = {.arg = announced->arg,
                             .arg_bytes = announced->arg_bytes,
                             .unit_bytes = announced->unit_bytes};

    scatter->range = (struct kernel_range){.unit_bytes = job.unit_bytes,
                                           .load_units = announced->load_units};
    return scatter->kernel->begin(scatter->memory->work, &scatter->terms,
                                  &job) == KERNEL_OK
               ? ERR_OK
               : ERR_ARGUMENT;
}
