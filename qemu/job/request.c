/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/request.h"

struct job_task job_task_of(const struct request *request)
{
    return (struct job_task){.request = request,
                             .originator = &request->originator[0],
                             .schedule = request->schedule};
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
