/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/tree.h"

#include "scatter/engine/await.h"
#include "scatter/engine/farm.h"
#include "scatter/engine/gather.h"
#include "scatter/engine/policy.h"

#include <stddef.h>

/* Whether the round at hand is not the first. */
static bool is_later(const struct scatter *scatter)
{
    return scatter->round > 0;
}

/* The entry of a branch of this node's piece in the table of a later round. */
static const uint8_t *entry_of(const struct scatter *scatter,
                               const uint8_t *branch)
{
    return scatter->tables +
           (branch - scatter->branch) / (ptrdiff_t)(TREE_BRANCH_BYTES / 4);
}

/* In the round at hand, the first unit of a child's range .. */
static uint32_t first_unit_of(const struct scatter *scatter,
                              const uint8_t *child)
{
    return is_later(scatter) ? bytes_load_u32(entry_of(scatter, child))
                             : tree_first_unit(child);
}

/* .. and the units of it. */
static uint32_t units_of(const struct scatter *scatter, const uint8_t *child)
{
    return is_later(scatter)
               ? bytes_load_u32(entry_of(scatter, tree_next(child))) -
                     bytes_load_u32(entry_of(scatter, child))
               : tree_units(child);
}

/* Sets what the messages to all children have in common: the job, or later the
   round. */
static void set_head(struct scatter *scatter)
{
    struct circuit_message *message = &scatter->message[0];

    message->head =
        (struct circuit_segment){scatter->job_data, scatter->job_bytes};
    if (is_later(scatter)) {
        message->kind = WIRE_BRANCH_ROUND;
        message->head = scatter->passed_on;
    }
}

/* Queues the message to a child: its piece of the tree, or later of the round's
   table, and its range, `units` from the load's unit number `first_unit` on. */
static int send_branch(struct scatter *scatter, const uint8_t *child,
                       uint32_t first_unit, uint32_t units)
{
    uint32_t position = first_unit - scatter->first_unit;
    uint32_t nodes = tree_nodes(child);
    const struct wire_job *job = &scatter->job;
    uint32_t unit_bytes = scatter->announced.unit_bytes;
    uint32_t halo_bytes = job->before_bytes + job->after_bytes;
    struct circuit_message *message = &scatter->message[0];
    struct torus_path path = tree_path(child);

    if (path.port >= TORUS_PORTS || path.turn > TORUS_RIGHT) {
        return ERR_NO_ROUTE;
    }
    message->path = path;
    message->shared =
        is_later(scatter)
            ? (struct circuit_segment){entry_of(scatter, child),
                                       4 * (nodes + 1)}
            : (struct circuit_segment){child, TREE_BRANCH_BYTES * nodes};
    message->body[path.port] = (struct circuit_segment){
        scatter->range_data + position * unit_bytes - job->before_bytes,
        units * unit_bytes + halo_bytes};
    scatter_clip_to_load(scatter, &message->body[path.port]);
    return circuit_send(scatter->circuit, 1u << path.port, message);
}

/* Whether a child's branch ends before `end` and is sent in `phase` or later.
   The child itself checks what lies inside. */
static bool child_fits(const uint8_t *child, const uint8_t *end, unsigned phase)
{
    return tree_nodes(child) > 0 && tree_next(child) <= end &&
           tree_phase(child) >= phase;
}

bool branch_is_whole(const struct scatter *scatter, const uint8_t *branch,
                     const uint8_t *end)
{
    return tree_nodes(branch) > 0 && tree_next(branch) <= end &&
           tree_phase(branch) > 0 &&
           torus_path_valid(scatter->size, tree_path(branch));
}

int branch_distribute(struct scatter *scatter)
{
    const uint8_t *branch = scatter->branch;
    const uint8_t *end = tree_next(branch);
    const uint8_t *child = branch + TREE_BRANCH_BYTES;
    uint32_t end_unit = scatter->first_unit + scatter->units;
    uint32_t at = child < end ? first_unit_of(scatter, child) : end_unit;
    unsigned phase = tree_phase(branch) + 1u;
    int error = end_unit - at <= scatter->units ? ERR_OK : ERR_PLAN;

    scatter->split.share_units = at - scatter->first_unit;
    set_head(scatter);
    /* Every child's range begins where the one's before ends. */
    for (; error == ERR_OK && child < end; child = tree_next(child)) {
        uint32_t units;

        if (!child_fits(child, end, phase) ||
            first_unit_of(scatter, child) != at) {
            return ERR_PLAN;
        }
        units = units_of(scatter, child);
        if (units > end_unit - at) {
            return ERR_PLAN;
        }
        phase = tree_phase(child);
        /* Who gets units in the first round gets a message in every round. */
        if (tree_units(child) > 0) {
            error = send_branch(scatter, child, at, units);
        } else if (units > 0) {
            return ERR_PLAN;
        }
        at += units;
    }
    if (!is_later(scatter)) {
        scatter_record(scatter, EVENT_FORWARDED, scatter->layer,
                       scatter->units);
    }
    return error == ERR_OK && at != end_unit ? ERR_PLAN : error;
}

int branch_prepare(struct scatter *scatter)
{
    const struct node_identity *identity = &scatter->circuit->node->identity;

    scatter->layer = identity->x != identity->originator_x ||
                     identity->y != identity->originator_y;
    scatter->message[0] = (struct circuit_message){.kind = WIRE_BRANCH};
    return ERR_OK;
}

int branch_announce(struct scatter *scatter, struct circuit_segment shared,
                    struct circuit_segment arg)
{
    const uint8_t *end = tree_next(scatter->branch);
    int error = ERR_OK;

    for (const uint8_t *child = scatter->branch + TREE_BRANCH_BYTES;
         error == ERR_OK && child < end; child = tree_next(child)) {
        struct torus_path path = tree_path(child);
        struct circuit_message message = {
            .path = path,
            .kind = WIRE_ANNOUNCE,
            .head = {child, TREE_BRANCH_BYTES * tree_nodes(child)},
            .shared = shared};

        if (!branch_is_whole(scatter, child, end)) {
            return ERR_PLAN;
        }
        message.body[path.port] = arg;
        error = circuit_send(scatter->circuit, 1u << path.port, &message);
    }
    return error;
}

int branch_place(struct scatter *scatter, const uint8_t *announcement,
                 uint32_t bytes, uint32_t *head_bytes)
{
    if (bytes < TREE_BRANCH_BYTES ||
        bytes / TREE_BRANCH_BYTES < tree_nodes(announcement)) {
        return ERR_LENGTH;
    }
    *head_bytes = TREE_BRANCH_BYTES * tree_nodes(announcement);
    scatter->branch = announcement;
    return branch_is_whole(scatter, announcement, tree_next(announcement))
               ? ERR_OK
               : ERR_PLAN;
}

/* The latest phase below `below` in which a child was sent to; 0: none. */
static unsigned phase_below(const struct scatter *scatter, unsigned below)
{
    const uint8_t *end = tree_next(scatter->branch);
    unsigned latest = 0;

    for (const uint8_t *child = scatter->branch + TREE_BRANCH_BYTES;
         child < end && tree_phase(child) < below; child = tree_next(child)) {
        latest = tree_phase(child);
    }
    return latest;
}

/* Results come back by falling phase, the last children's first. */
int branch_gather(struct scatter *scatter)
{
    const uint8_t *end = tree_next(scatter->branch);
    unsigned phase = UINT8_MAX + 1;
    int error = ERR_OK;

    scatter_begin_gather(scatter);
    while (error == ERR_OK && (phase = phase_below(scatter, phase)) > 0) {
        for (const uint8_t *child = scatter->branch + TREE_BRANCH_BYTES;
             error == ERR_OK && child < end; child = tree_next(child)) {
            if (tree_phase(child) == phase && tree_units(child) > 0) {
                /* A child of a phase that the job has not has refused it. */
                error = phase <= scatter->job.phases
                            ? scatter_gather_children(
                                  scatter, phase, 1u << tree_path(child).port)
                            : ERR_PLAN;
            }
        }
    }
    return error;
}

/* Reads the job, this node's piece of the tree, and where its range begins. */
static int read_branch(struct scatter *scatter,
                       const struct circuit_delivery *delivery)
{
    const uint8_t *end = delivery->payload + delivery->bytes;
    const uint8_t *branch;
    int error = scatter_read_job(scatter, delivery->payload, delivery->bytes);

    if (error != ERR_OK) {
        return error;
    }
    if (WIRE_POLICY(scatter->job.flags) != WIRE_TREE ||
        scatter_has_tail(scatter) || scatter->job.rounds == 0 ||
        delivery->job != scatter->announced_job || scatter->kernel == NULL) {
        return ERR_FIELD;
    }
    branch = delivery->payload + scatter->job_bytes;
    if (end - branch < (ptrdiff_t)TREE_BRANCH_BYTES) {
        return ERR_LENGTH;
    }
    scatter->circuit->job = delivery->job;
    scatter->branch = branch;
    scatter->units = tree_units(branch);
    scatter->first_unit = tree_first_unit(branch);
    scatter->layer = (uint8_t)tree_phase(branch);
    scatter->path_from_parent = tree_path(branch);
    if (tree_nodes(branch) == 0 || tree_next(branch) > end ||
        scatter->layer == 0 || scatter->layer > scatter->job.phases ||
        !torus_path_valid(scatter->size, scatter->path_from_parent)) {
        return tree_next(branch) > end ? ERR_LENGTH : ERR_PLAN;
    }
    scatter_prepare_return(scatter);
    return scatter_set_range(scatter, tree_next(branch), end);
}

/* Reads a later round's message: which one it is, where the ranges of this
   node's piece begin and the last one ends, and the range. */
static int read_round(struct scatter *scatter,
                      const struct circuit_delivery *delivery)
{
    const uint8_t *in = delivery->payload;
    const uint8_t *end = in + delivery->bytes;
    uint32_t entries_bytes = 4 * tree_nodes(scatter->branch);
    uint32_t end_unit;

    if (delivery->bytes < 8 + entries_bytes) {
        return ERR_LENGTH;
    }
    if (bytes_load_u32(in) != scatter->round) {
        return ERR_PLACE;
    }
    scatter->passed_on = (struct circuit_segment){in, 4};
    scatter->tables = in + 4;
    scatter->first_unit = bytes_load_u32(scatter->tables);
    end_unit = bytes_load_u32(scatter->tables + entries_bytes);
    scatter->units = end_unit - scatter->first_unit;
    return end_unit < scatter->first_unit
               ? ERR_PLAN
               : scatter_set_range(scatter, in + 8 + entries_bytes, end);
}

int branch_receive(struct scatter *scatter)
{
    bool later = is_later(scatter);
    struct circuit_delivery delivery;
    int error = await_message(scatter, later ? WIRE_BRANCH_ROUND : WIRE_BRANCH,
                              &delivery, (1u << TORUS_PORTS) - 1u);

    if (error == ERR_KIND && delivery.kind == WIRE_CHUNK && !later) {
        /* Samples of the load differ: the job is a farm's. */
        scatter->policy = scatter->policy->farm;
        return farm_begin(scatter, &delivery);
    }
    if (error == ERR_OK) {
        error = later ? read_round(scatter, &delivery)
                      : read_branch(scatter, &delivery);
    }
    return error == ERR_OK ? branch_distribute(scatter) : error;
}
