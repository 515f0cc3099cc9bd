/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/tree.h"

#include "scatter/engine/await.h"
#include "scatter/engine/gather.h"

#include <stddef.h>

/* Queues the message to a child: the job, its piece of the tree, its range. */
static int send_branch(struct scatter *scatter, const uint8_t *child)
{
    uint32_t position = tree_first_unit(child) - scatter->first_unit;
    const struct wire_job *job = &scatter->job;
    uint32_t unit_bytes = scatter->announced.unit_bytes;
    uint32_t halo_bytes = job->before_bytes + job->after_bytes;
    struct circuit_message *message = &scatter->message[0];
    struct torus_path path = tree_path(child);

    if (path.port >= TORUS_PORTS || path.turn > TORUS_RIGHT) {
        return ERR_NO_ROUTE;
    }
    message->path = path;
    message->head =
        (struct circuit_segment){scatter->job_data, scatter->job_bytes};
    message->shared =
        (struct circuit_segment){child, TREE_BRANCH_BYTES * tree_nodes(child)};
    message->body[path.port] = (struct circuit_segment){
        scatter->range_data + position * unit_bytes - job->before_bytes,
        tree_units(child) * unit_bytes + halo_bytes};
    scatter_clip_to_load(scatter, &message->body[path.port]);
    return circuit_send(scatter->circuit, 1u << path.port, message);
}

/* Whether a child's branch ends before `end`, is sent in `phase` or later, and
   has a range that begins at `first_unit` and holds at most `units`. The child
   itself checks what lies inside. */
static bool child_fits(const uint8_t *child, const uint8_t *end, unsigned phase,
                       uint32_t first_unit, uint32_t units)
{
    return tree_nodes(child) > 0 && tree_next(child) <= end &&
           tree_phase(child) >= phase && tree_first_unit(child) == first_unit &&
           tree_units(child) <= units;
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
    uint32_t left = child < end ? end_unit - tree_first_unit(child) : 0;
    unsigned phase = tree_phase(branch) + 1u;
    int error = left <= scatter->units ? ERR_OK : ERR_PLAN;

    scatter->split.share_units = scatter->units - left;
    for (; error == ERR_OK && child < end; child = tree_next(child)) {
        if (!child_fits(child, end, phase, end_unit - left, left)) {
            return ERR_PLAN;
        }
        if (tree_units(child) > 0) {
            error = send_branch(scatter, child);
        }
        left -= tree_units(child);
        phase = tree_phase(child);
    }
    scatter_record(scatter, EVENT_FORWARDED, scatter->layer, scatter->units);
    return error == ERR_OK && left > 0 ? ERR_PLAN : error;
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
    unsigned phase = TREE_PHASES_MAX + 1;
    int error = ERR_OK;

    scatter_begin_gather(scatter);
    while (error == ERR_OK && (phase = phase_below(scatter, phase)) > 0) {
        for (const uint8_t *child = scatter->branch + TREE_BRANCH_BYTES;
             error == ERR_OK && child < end; child = tree_next(child)) {
            if (tree_phase(child) == phase && tree_units(child) > 0) {
                error =
                    scatter_gather_child(scatter, phase, tree_path(child).port);
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
        scatter->job.rounds != 1 || delivery->job != scatter->announced_job ||
        scatter->kernel == NULL) {
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

int branch_receive(struct scatter *scatter)
{
    unsigned any_port = (1u << TORUS_PORTS) - 1u;
    struct circuit_delivery delivery;
    int error = await_message(scatter, WIRE_BRANCH, &delivery, any_port);

    if (error == ERR_OK) {
        error = read_branch(scatter, &delivery);
    }
    return error == ERR_OK ? branch_distribute(scatter) : error;
}
