/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/follow.h"

#include "scatter/engine/compute.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/policy.h"

/* Carries out one round: queues what descendants wait for, then computes. */
static int follow_round(struct scatter *scatter)
{
    int error = scatter->policy->receive(scatter);

    return error == ERR_OK && !scatter->worker.ended ? scatter_compute(scatter)
                                                     : error;
}

int scatter_follow(struct scatter *scatter)
{
    int error;

    /* The number of rounds is not known after an advance, nor on a farm. */
    while ((error = follow_round(scatter)) == ERR_OK &&
           !scatter->worker.ended &&
           (scatter->job.rounds == 0 ||
            scatter->round + 1u < scatter->job.rounds)) {
        scatter->round += 1;
    }
    if (error == ERR_OK) {
        error = scatter->policy->gather(scatter);
    }
    return error == ERR_OK ? scatter_return_result(scatter) : error;
}
