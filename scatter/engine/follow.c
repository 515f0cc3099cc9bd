/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/follow.h"

#include "scatter/engine/compute.h"
#include "scatter/engine/farm_worker.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/policy.h"

/* Whether the round at hand is the last planned one. Their number is not known
   after an advance, nor on a farm. */
static bool is_last(const struct scatter *scatter)
{
    return scatter->job.rounds != 0 &&
           scatter->round + 1u >= scatter->job.rounds;
}

/* Carries out one round: queues what descendants wait for, then computes. */
static int follow_round(struct scatter *scatter)
{
    int error = scatter->policy->receive(scatter);

    if (error != ERR_OK || scatter->worker.ended) {
        return error;
    }
    if (!scatter_has_tail(scatter) && !scatter->policy->learns) {
        return scatter_compute(scatter);
    }
    return scatter_has_tail(scatter) && is_last(scatter)
               ? farm_finish_rounds(scatter)
               : farm_compute(scatter);
}

/* Carries out what this node asks for behind the planned rounds, and gathers.
 */
static int follow_tail(struct scatter *scatter)
{
    int error;

    do {
        scatter->round += 1;
        error = farm_receive(scatter);
        if (error == ERR_OK && !scatter->worker.ended) {
            error = farm_compute(scatter);
        }
    } while (error == ERR_OK && !scatter->worker.ended);
    if (error != ERR_OK) {
        return error;
    }
    return scatter_has_output(scatter) ? farm_gather(scatter)
                                       : scatter->policy->gather(scatter);
}

int scatter_follow(struct scatter *scatter)
{
    int error;

    while ((error = follow_round(scatter)) == ERR_OK &&
           !scatter->worker.ended && !is_last(scatter)) {
        scatter->round += 1;
    }
    if (error == ERR_OK) {
        error = scatter_has_tail(scatter) ? follow_tail(scatter)
                                          : scatter->policy->gather(scatter);
    }
    return error == ERR_OK ? scatter_return_result(scatter) : error;
}
