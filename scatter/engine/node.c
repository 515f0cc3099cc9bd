/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/node.h"

#include "scatter/engine/originator.h"
#include "scatter/engine/pattern.h"
#include "scatter/engine/tree.h"

/*
 * All that is known of a phase's sends before there is a load. The gap makes
 * the switch wait as long as a node needs that has just received: so all
 * circuits of a phase are set up together, whoever sends.
 */
static void prepare_messages(struct scatter *scatter)
{
    unsigned phases = (unsigned)torus_phases(scatter->size);

    for (unsigned phase = 1; phase <= phases; ++phase) {
        scatter->message[phase] = (struct circuit_message){
            .path = torus_phase_path(scatter->size, phase, TORUS_EAST),
            .kind = WIRE_PART,
            .gap_ps = scatter->costs->split_ps + scatter->costs->phase_queue_ps,
            .head.bytes = WIRE_PART_BYTES,
            .head_stride = WIRE_PART_BYTES};
    }
}

/* The place in the pattern; in a tree a node learns it with its branch. */
static void take_role(struct scatter *scatter)
{
    const struct node_identity *who = &scatter->circuit->node->identity;
    struct torus_coord at = {who->x, who->y};
    struct torus_coord originator = {who->originator_x, who->originator_y};
    struct torus_role role;

    scatter->branch = NULL;
    scatter->message[0] = (struct circuit_message){.kind = WIRE_BRANCH};
    scatter->layer = at.x != originator.x || at.y != originator.y;
    if (!who->tree) {
        role = torus_role_of(scatter->size, originator, at);
        scatter->layer = role.layer;
        scatter->port = role.port;
        scatter->down = torus_phase_path(scatter->size, role.layer,
                                         (enum torus_port)role.port);
        prepare_messages(scatter);
    }
}

/* Forgets the last job. */
static void reset(struct scatter *scatter)
{
    scatter->low = scatter->circuit->memory;
    scatter->high = scatter->top;
    scatter->round = 0;
    scatter->circuit->job = CIRCUIT_ANY_JOB;
    scatter->job = (struct wire_job){.phases = 0};
    scatter->terms = (struct kernel_terms){.result_bytes_max = 0};
    scatter->result = (struct kernel_result){.data = scatter->memory->result};
    take_role(scatter);
}

int scatter_init(struct scatter *scatter, struct circuit *circuit,
                 const struct kernel *const kernels[], unsigned kernel_count,
                 const struct scatter_costs *costs)
{
    const struct node_identity *who = &circuit->node->identity;

    scatter->circuit = circuit;
    scatter->kernels = kernels;
    scatter->kernel_count = (uint8_t)kernel_count;
    scatter->costs = costs;
    scatter->size = (struct torus_size){who->width, who->height};
    if (who->x >= who->width || who->y >= who->height ||
        who->originator_x >= who->width || who->originator_y >= who->height ||
        (!who->tree && torus_phases(scatter->size) < 0)) {
        return ERR_RANGE;
    }
    if (circuit->memory_bytes < SCATTER_MEMORY_MIN) {
        return ERR_MEMORY;
    }
    scatter->top = circuit->memory +
                   SCATTER_ROOM(circuit->memory_bytes, circuit->aside_bytes);
    scatter->memory =
        (struct scatter_memory *)(void *)(circuit->aside_bytes <
                                                  sizeof(struct scatter_memory)
                                              ? scatter->top
                                              : circuit->aside);
    reset(scatter);
    return ERR_OK;
}

static int run_job(struct scatter *scatter)
{
    bool tree = scatter->circuit->node->identity.tree != 0;
    int error;

    if (scatter->layer == 0) {
        error = originator_run(scatter);
    } else {
        error = tree ? branch_follow(scatter) : pattern_follow(scatter);
    }
    if (error == ERR_OK) {
        scatter_record(scatter, EVENT_DONE, 0, 0);
    }
    return error;
}

int scatter_run(struct scatter *scatter)
{
    int error = run_job(scatter);

    while (error == ERR_OK && (scatter->job.flags & WIRE_MORE) != 0) {
        /* The switch still reads what the next job would overwrite. */
        error = circuit_drain(scatter->circuit);
        reset(scatter);
        if (error == ERR_OK) {
            error = run_job(scatter);
        }
    }
    return error;
}
