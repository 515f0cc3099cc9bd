/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/tree_policy.h"

#include "scatter/engine/originator_tree.h"
#include "scatter/engine/tree.h"

/* A node learns its place in the tree with its branch. */
static int prepare(struct scatter *scatter)
{
    const struct node_identity *identity = &scatter->circuit->node->identity;

    scatter->layer = identity->x != identity->originator_x ||
                     identity->y != identity->originator_y;
    scatter->message[0] = (struct circuit_message){.kind = WIRE_BRANCH};
    return ERR_OK;
}

/* A child's head is its piece of the tree. */
static int announce(struct scatter *scatter, struct circuit_segment shared,
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

static int place(struct scatter *scatter, const uint8_t *announcement,
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

const struct policy tree_policy = {.prepare = prepare,
                                   .order = originator_read_tree,
                                   .announce = announce,
                                   .place = place,
                                   .receive = branch_receive,
                                   .gather = branch_gather,
                                   .plan = originator_plan_tree,
                                   .send = originator_send_tree};
