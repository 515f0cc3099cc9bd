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

const struct policy tree_policy = {.prepare = prepare,
                                   .receive = branch_receive,
                                   .gather = branch_gather,
                                   .plan = originator_plan_tree,
                                   .send = originator_send_tree};
