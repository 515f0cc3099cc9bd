/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/request.h"

#include "qemu/fabric/backend.h"
#include "scatter/engine/core.h"

struct job_task job_task_of(const struct request *request)
{
    return (struct job_task){.request = request,
                             .originator = &request->originator[0],
                             .holes = request->holes,
                             .schedule = request->schedule};
}

double job_task_unit_ps(const struct job_task *task)
{
    double estimate_ps =
        (double)task->originator->terms.instructions_per_1000_units *
        JOB_INSTRUCTION_PS / 1000;

    return estimate_ps > 1 ? estimate_ps : 1;
}

struct kernel_range job_task_range(const struct job_task *task,
                                   struct wire_range units)
{
    const struct format_load *load = &task->originator->load;
    const struct kernel_terms *terms = &task->originator->terms;
    uint64_t end = (uint64_t)units.first_unit + units.units;
    uint64_t before = (uint64_t)units.first_unit * load->unit_bytes;
    uint64_t after = (load->units - end) * load->unit_bytes;

    return (struct kernel_range){
        .units = units.units,
        .unit_bytes = load->unit_bytes,
        .first_unit = units.first_unit,
        .before_bytes = before < terms->before_bytes ? (uint32_t)before
                                                     : terms->before_bytes,
        .after_bytes =
            after < terms->after_bytes ? (uint32_t)after : terms->after_bytes};
}

uint64_t job_task_room_bytes(const struct job_task *task)
{
    return task->room_bytes != 0
               ? task->room_bytes
               : SCATTER_ROOM(BACKEND_WINDOW_BYTES - WINDOW_DMA_OFFSET, 0u);
}

unsigned job_task_slow_shift(const struct job_task *task)
{
    return request_slow_shift(
        task->request, torus_index(task->request->size, task->originator->at));
}

const struct profile *request_plan_profile(const struct request *request)
{
    return request->plan_profile != NULL ? request->plan_profile
                                         : &request->profile;
}

unsigned request_slow_shift(const struct request *request, uint32_t node)
{
    return request->slow_shift != NULL ? request->slow_shift[node] : 0;
}

void request_add_hole(struct schedule_holes *holes,
                      const struct injection *injection)
{
    if (injection->what == INJECTION_CUT) {
        holes->link[torus_link(holes->size, injection->at, injection->port)] =
            true;
    } else {
        schedule_holes_add(holes, injection->at,
                           injection->what == INJECTION_FAULT);
    }
}
