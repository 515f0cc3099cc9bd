/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/verify.h"

#include "qemu/base/exit_status.h"
#include "qemu/base/memory.h"
#include "qemu/base/progress.h"
#include "qemu/job/job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the next node that lives, row by row; the originator itself if there
   is no other. */
static struct torus_coord other_node(const struct request *request)
{
    struct torus_size size = request->size;
    uint32_t nodes = torus_nodes(size);
    uint32_t first = torus_index(size, request->originator[0].at);
    uint32_t node = first;

    do {
        node = (node + 1) % nodes;
    } while (node != first && request->holes != NULL &&
             request->holes->node[node]);
    return torus_coord_of(size, node);
}

bool verify_can(const struct request *request)
{
    return request->originators == 1 &&
           torus_index(request->size, other_node(request)) !=
               torus_index(request->size, request->originator[0].at);
}

/* Copies the injections but bits that change to kept[], which has room for all:
   these bits changed in the first run, once. */
static struct injections lasting(struct injection kept[],
                                 const struct injections *all)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < all->count; ++i) {
        if (all->injection[i].what != INJECTION_FLIP) {
            kept[count++] = all->injection[i];
        }
    }
    return (struct injections){.injection = kept, .count = count};
}

int verify_job(const struct outcome *outcome, const struct request *request,
               const struct job_schedule *schedule, job_farm_end *farm_end)
{
    struct request second = *request;
    struct job_originator originator = request->originator[0];
    struct injection *kept =
        memory_or_exit(malloc((request->injections.count + 1u) * sizeof *kept));
    struct outcome again;
    int status;

    originator.at = other_node(request);
    second.originator = &originator;
    second.injections = lasting(kept, &request->injections);
    progress_within(0, "once more from %u,%u, to verify", originator.at.x,
                    originator.at.y);
    status = job_run(&again, &second, schedule, NULL, farm_end, NULL);
    free(kept);
    if (status != 0) {
        return status;
    }
    for (uint32_t i = 0; i < outcome->batch_count; ++i) {
        if (i >= again.batch_count ||
            outcome->batch[i].units != again.batch[i].units ||
            outcome->batch[i].result_crc != again.batch[i].result_crc) {
            fprintf(stderr,
                    "quincunx: --verify: batch %" PRIu32 " of %" PRIu32
                    " has another result or output when %u,%u gives it out\n",
                    i + 1, outcome->batch_count, originator.at.x,
                    originator.at.y);
            status = EXIT_FAILED;
        }
    }
    outcome_free(&again);
    return status;
}
