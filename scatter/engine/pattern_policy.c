/* SPDX-License-Identifier: Apache-2.0 */
/* Built for size, while pattern.c is built for speed: nothing here runs on the
   hot path. */
#include "scatter/engine/pattern_policy.h"

#include "scatter/engine/gather.h"
#include "scatter/engine/originator_advance.h"
#include "scatter/engine/originator_pattern.h"
#include "scatter/engine/outputs.h"
#include "scatter/engine/pattern.h"
#include "scatter/engine/pattern_job.h"

/* Prepares the sends of a phase before there is a load. */
static int prepare_phase(struct scatter *scatter, unsigned phase)
{
    struct circuit_message *message = &scatter->message[phase];

    *message = (struct circuit_message){
        .path = torus_phase_path(scatter->size, phase, TORUS_EAST),
        .kind = WIRE_PART,
        .gap_ps = scatter->cut.gap_ps};
    return circuit_prepare(scatter->circuit, phase, message);
}

static int prepare(struct scatter *scatter)
{
    const struct node_identity *identity = &scatter->circuit->node->identity;
    struct torus_coord at = {identity->x, identity->y};
    struct torus_coord originator = {identity->originator_x,
                                     identity->originator_y};
    int phases = torus_phases(scatter->size);
    int error = ERR_OK;
    struct torus_role role;

    if (phases < 0) {
        return ERR_RANGE;
    }
    role = torus_role_of(scatter->size, originator, at);
    scatter->layer = role.layer;
    scatter->parent_port = role.port;
    scatter->path_from_parent =
        torus_phase_path(scatter->size, role.layer, (enum torus_port)role.port);
    /* So the switch of a node whose sends are queued already waits as long as a
       node needs that has just received, and all circuits of a phase are set up
       together. */
    scatter->cut.gap_ps = scatter->costs->split_ps + scatter->costs->queue_ps;
    scatter->cut.first_gap_ps = scatter->cut.gap_ps;
    scatter->cut.form = (uint8_t)(role.layer + 1u);
    scatter->wanted_later =
        1u << torus_path_arrival(scatter->path_from_parent) |
        CIRCUIT_HEAD(SCATTER_PART_HEAD_BYTES + WIRE_JOB_BYTES +
                     16u * ((unsigned)phases + 1u));
    /* On all ports if probes may come, else on the parent's: the emulated
       switch can serve a node earlier that waits on one port. */
    scatter->wanted = scatter->wanted_later |
                      (identity->probed != 0 ? (1u << TORUS_PORTS) - 1u : 0);
    scatter->place = wire_part_place(role.layer, role.port, 0);
    scatter->job.phases = (uint8_t)phases;
    for (unsigned phase = 1; error == ERR_OK && phase <= (unsigned)phases;
         ++phase) {
        error = prepare_phase(scatter, phase);
    }
    scatter_prepare_return(scatter);
    return error;
}

static int announce(struct scatter *scatter, struct circuit_segment shared,
                    struct circuit_segment arg)
{
    unsigned phases = (unsigned)torus_phases(scatter->size);
    struct circuit_message message = {.kind = WIRE_ANNOUNCE,
                                      .gap_ps = scatter->cut.gap_ps,
                                      .head.bytes = WIRE_ANNOUNCE_HEAD_BYTES,
                                      .shared = shared,
                                      .body = {arg, arg, arg, arg}};
    int error = ERR_OK;

    scatter->cut.job = scatter->circuit->job;
    scatter->cut.unit_bytes = scatter->announced.unit_bytes;
    for (unsigned phase = scatter->layer + 1u;
         error == ERR_OK && phase <= phases; ++phase) {
        message.path = scatter->message[phase].path;
        message.head.data = scatter->memory->announce_head[phase - 1];
        bytes_store_u32(scatter->memory->announce_head[phase - 1], phase);
        error = circuit_send(scatter->circuit, 0xfu, &message);
    }
    return error;
}

static int place(struct scatter *scatter, const uint8_t *announcement,
                 uint32_t bytes, uint32_t *head_bytes)
{
    *head_bytes = WIRE_ANNOUNCE_HEAD_BYTES;
    if (bytes < WIRE_ANNOUNCE_HEAD_BYTES) {
        return ERR_LENGTH;
    }
    return announcement[0] == scatter->layer ? ERR_OK : ERR_PLACE;
}

static uint64_t plan_ps(const struct scatter *scatter,
                        const struct originator *originator)
{
    (void)originator;
    return scatter->costs->plan_ps;
}

static int gather(struct scatter *scatter)
{
    int error = ERR_OK;

    scatter_begin_gather(scatter);
    for (unsigned phase = scatter->job.phases;
         error == ERR_OK && phase > scatter->layer; --phase) {
        unsigned ports =
            scatter->split.volume_units[phase] > 0
                ? 0xfu
                : (1u << torus_split_extra(&scatter->split, phase)) - 1u;

        if (ports != 0xfu && scatter->job.rounds > 1) {
            return ERR_PLAN; /* who got a part in each of several rounds? */
        }
        if (ports != 0) {
            error = scatter_gather_children(scatter, phase, ports);
        }
    }
    return error;
}

static const struct policy meanwhile_policy = {.prepare = prepare,
                                               .receive = outputs_receive,
                                               .gather = outputs_gather,
                                               .send = originator_send_rounds};

const struct policy pattern_policy = {.prepare = prepare,
                                      .announce = announce,
                                      .place = place,
                                      .expect = pattern_expect,
                                      .receive = pattern_receive,
                                      .gather = gather,
                                      .advance = originator_advance,
                                      .plan = originator_plan_pattern,
                                      .plan_ps = plan_ps,
                                      .meanwhile = &meanwhile_policy,
                                      .send = originator_send_rounds};
