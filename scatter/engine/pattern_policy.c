/* SPDX-License-Identifier: Apache-2.0 */
/* Built for size, unlike pattern.c: the makespan does not wait for it. */
#include "scatter/engine/pattern_policy.h"

#include "scatter/engine/gather.h"
#include "scatter/engine/originator_pattern.h"
#include "scatter/engine/pattern.h"

/*
 * All that is known of a phase's sends before there is a load. The gap makes
 * the switch wait as long as a node needs that has just received: so all
 * circuits of a phase are set up together, whoever sends.
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
    const struct node_identity *who = &scatter->circuit->node->identity;
    struct torus_coord at = {who->x, who->y};
    struct torus_coord originator = {who->originator_x, who->originator_y};
    int phases = torus_phases(scatter->size);
    struct torus_role role;

    if (phases < 0) {
        return ERR_RANGE;
    }
    role = torus_role_of(scatter->size, originator, at);
    scatter->layer = role.layer;
    scatter->port = role.port;
    scatter->down =
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
