/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/node.h"

#include "scatter/engine/follow.h"
#include "scatter/engine/originator.h"
#include "scatter/engine/policy_table.h"

#include <stddef.h>

/* Forgets the last job. Result: 0 or the error. */
static int reset(struct scatter *scatter)
{
    /* Another one may have taken its place in the last job. */
    scatter->policy = policy_find(scatter->circuit->node->identity.policy);
    if (scatter->policy == NULL) {
        return ERR_POLICY;
    }
    scatter->free_from = scatter->circuit->memory;
    scatter->free_to = scatter->room_end;
    scatter->outputs_end = scatter->room_end;
    scatter->round = 0;
    scatter->circuit->job = CIRCUIT_ANY_JOB;
    scatter->job = (struct wire_job){.phases = 0};
    scatter->terms = (struct kernel_terms){.result_bytes_max = 0};
    scatter->kernel = NULL;
    scatter->ports_us = 0;
    scatter->has_result = false;
    scatter->has_slots = false;
    scatter->worker = (struct scatter_worker){.ended = false};
    scatter->result = (struct kernel_result){.data = scatter->memory->result};
    return scatter->policy->prepare(scatter);
}

int scatter_init(struct scatter *scatter, struct circuit *circuit,
                 const struct kernel *const kernels[], unsigned kernel_count,
                 const struct scatter_costs *costs)
{
    const struct node_identity *identity = &circuit->node->identity;

    scatter->circuit = circuit;
    scatter->kernels = kernels;
    scatter->kernel_count = (uint8_t)kernel_count;
    scatter->costs = costs;
    scatter->rate.compute_ps = 0;
    scatter->size = (struct torus_size){identity->width, identity->height};
    if (identity->x >= identity->width || identity->y >= identity->height ||
        identity->originator_x >= identity->width ||
        identity->originator_y >= identity->height) {
        return ERR_RANGE;
    }
    if (circuit->memory_bytes < SCATTER_MEMORY_MIN) {
        return ERR_MEMORY;
    }
    scatter->room_end = circuit->memory + SCATTER_ROOM(circuit->memory_bytes,
                                                       circuit->aside_bytes);
    scatter->memory =
        (struct scatter_memory *)(void *)(circuit->aside_bytes <
                                                  sizeof(struct scatter_memory)
                                              ? scatter->room_end
                                              : circuit->aside);
    return reset(scatter);
}

static int run_job(struct scatter *scatter)
{
    int error =
        scatter->layer == 0 ? originator_run(scatter) : scatter_follow(scatter);

    if (error == ERR_OK) {
        scatter_record(scatter, EVENT_DONE, 0, scatter->ports_us);
    }
    return error;
}

int scatter_run(struct scatter *scatter)
{
    int error = run_job(scatter);

    while (error == ERR_OK && (scatter->job.flags & WIRE_MORE) != 0) {
        /* Sends still in the switch's queue lie where the next job's order or
           part will be received. */
        error = circuit_drain(scatter->circuit);
        if (error == ERR_OK) {
            error = reset(scatter);
        }
        if (error == ERR_OK) {
            error = run_job(scatter);
        }
    }
    return error;
}
