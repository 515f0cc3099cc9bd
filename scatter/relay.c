/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/relay.h"

/* Queues the child's piece of the tree, the job, and its range. */
static int pass_on(struct scatter *scatter, const uint8_t *child)
{
    uint32_t position = tree_first_unit(child) - scatter->first_unit;
    uint32_t at = position * scatter->job.unit_bytes;
    uint32_t bytes = tree_units(child) * scatter->job.unit_bytes +
                     scatter->job.overlap_bytes;
    uint32_t most = scatter->body_bytes - at;
    struct circuit_message *message = &scatter->message[0];
    struct torus_path path = tree_path(child);

    message->path = path;
    message->head =
        (struct circuit_segment){scatter->job_data, scatter->job_bytes};
    message->shared =
        (struct circuit_segment){child, TREE_BRANCH_BYTES * tree_nodes(child)};
    message->body[path.port] = (struct circuit_segment){
        scatter->body + at, bytes < most ? bytes : most};
    return circuit_send(scatter->circuit, 1u << path.port, message);
}

int relay_distribute(struct scatter *scatter)
{
    const uint8_t *branch = scatter->branch;
    const uint8_t *end = tree_next(branch);
    const uint8_t *child = branch + TREE_BRANCH_BYTES;
    int error = ERR_OK;

    scatter->split.own_units =
        child < end ? tree_first_unit(child) - scatter->first_unit
                    : scatter->units;
    for (; error == ERR_OK && child < end; child = tree_next(child)) {
        if (tree_units(child) > 0) {
            error = pass_on(scatter, child);
        }
    }
    scatter_record(scatter, EVENT_FORWARDED, scatter->layer, scatter->units);
    return error;
}

/* The latest phase among the children before `below`; 0 if there is none. */
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

/* Results come by falling phase: those that were sent to last are first. */
int relay_gather(struct scatter *scatter)
{
    const uint8_t *end = tree_next(scatter->branch);
    unsigned phase = TREE_PHASES_MAX + 1;
    int error = ERR_OK;

    scatter->window->status.state = WINDOW_STATE_GATHERING;
    while (error == ERR_OK && (phase = phase_below(scatter, phase)) > 0) {
        for (const uint8_t *child = scatter->branch + TREE_BRANCH_BYTES;
             error == ERR_OK && child < end; child = tree_next(child)) {
            if (tree_phase(child) == phase && tree_units(child) > 0) {
                error =
                    scatter_merge_child(scatter, phase, tree_path(child).port);
            }
        }
    }
    return error;
}

/* Reads the job, this node's piece of the tree, and where its range begins. */
static int take_branch(struct scatter *scatter,
                       const struct circuit_delivery *delivery)
{
    const uint8_t *at = delivery->payload;
    uint32_t bytes = delivery->bytes;
    uint32_t ahead;
    int error = wire_tree_job_load(&scatter->job, at, bytes);

    if (error != ERR_OK || scatter->job.kernel >= scatter->kernel_count) {
        return ERR_PROTOCOL;
    }
    scatter->circuit->job = delivery->job;
    scatter->job_data = at;
    scatter->job_bytes = wire_tree_job_bytes(scatter->job.arg_bytes);
    scatter->branch = at + scatter->job_bytes;
    ahead = scatter->job_bytes + TREE_BRANCH_BYTES;
    if (bytes < ahead || bytes - scatter->job_bytes <
                             TREE_BRANCH_BYTES * tree_nodes(scatter->branch)) {
        return ERR_PROTOCOL;
    }
    scatter->body = tree_next(scatter->branch);
    scatter->body_bytes = bytes - (uint32_t)(scatter->body - at);
    scatter->units = tree_units(scatter->branch);
    scatter->first_unit = tree_first_unit(scatter->branch);
    scatter->layer = (uint8_t)tree_phase(scatter->branch);
    scatter->down = tree_path(scatter->branch);
    scatter->kernel = scatter->kernels[scatter->job.kernel];
    return scatter->units <= scatter->body_bytes / scatter->job.unit_bytes
               ? ERR_OK
               : ERR_PROTOCOL;
}

static int receive_branch(struct scatter *scatter)
{
    struct circuit_delivery delivery;
    unsigned any_port = (1u << TORUS_PORTS) - 1u;
    int error;

    scatter->window->status.state = WINDOW_STATE_WAITING;
    error = circuit_receive(scatter->circuit, &delivery,
                            any_port | CIRCUIT_ONLY(WIRE_BRANCH),
                            scatter->receive, scatter->receive_bytes);
    if (error != ERR_OK) {
        return error;
    }
    scatter->window->status.state = WINDOW_STATE_SCATTERING;
    return take_branch(scatter, &delivery);
}

int relay_follow(struct scatter *scatter)
{
    int error = receive_branch(scatter);

    if (error == ERR_OK) {
        error = relay_distribute(scatter);
    }
    if (error == ERR_OK) {
        error = scatter_begin_kernel(scatter);
    }
    if (error == ERR_OK) {
        error = scatter_compute(scatter);
    }
    if (error == ERR_OK) {
        error = relay_gather(scatter);
    }
    return error == ERR_OK ? scatter_return_result(scatter) : error;
}
