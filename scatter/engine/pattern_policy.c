/* SPDX-License-Identifier: Apache-2.0 */
/* Built for size, while pattern.c is built for speed: nothing here runs on the
   hot path. */
#include "scatter/engine/pattern_policy.h"

#include "scatter/engine/gather.h"
#include "scatter/engine/originator_pattern.h"
#include "scatter/engine/pattern.h"

/*
 * Sets what is known of each phase's sends before there is a load. The gap
 * makes the switch of a node whose sends are queued already wait as long as a
 * node needs that has just received, so that all circuits of a phase are set up
 * together.
 */
static void prepare_messages(struct scatter *scatter, unsigned phases)
{
    for (unsigned phase = 1; phase <= phases; ++phase) {
        scatter->message[phase] = (struct circuit_message){
            .path = torus_phase_path(scatter->size, phase, TORUS_EAST),
            .kind = WIRE_PART,
            .gap_ps = scatter->costs->split_ps + scatter->costs->phase_queue_ps,
            .head.bytes = WIRE_PART_BYTES,
            .head_stride = WIRE_PART_BYTES};
    }
}

static int prepare(struct scatter *scatter)
{
    const struct node_identity *identity = &scatter->circuit->node->identity;
    struct torus_coord at = {identity->x, identity->y};
    struct torus_coord originator = {identity->originator_x,
                                     identity->originator_y};
    int phases = torus_phases(scatter->size);
    struct torus_role role;

    if (phases < 0) {
        return ERR_RANGE;
    }
    role = torus_role_of(scatter->size, originator, at);
    scatter->layer = role.layer;
    scatter->parent_port = role.port;
    scatter->path_from_parent =
        torus_phase_path(scatter->size, role.layer, (enum torus_port)role.port);
    prepare_messages(scatter, (unsigned)phases);
    return ERR_OK;
}

static int gather(struct scatter *scatter)
{
    int error = ERR_OK;

    scatter_begin_gather(scatter);
    for (unsigned phase = scatter->job.phases;
         error == ERR_OK && phase > scatter->layer; --phase) {
        for (unsigned port = 0; error == ERR_OK && port < TORUS_PORTS; ++port) {
            if (split_child_units(&scatter->split, phase, port) > 0) {
                error = scatter_gather_child(scatter, phase, port);
            }
        }
    }
    return error;
}

const struct policy pattern_policy = {.prepare = prepare,
                                      .receive = pattern_receive,
                                      .gather = gather,
                                      .plan = originator_plan_pattern,
                                      .send = originator_send_rounds};
