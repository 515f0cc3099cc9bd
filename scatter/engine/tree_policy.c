/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/tree_policy.h"

#include "scatter/engine/farm.h"
#include "scatter/engine/originator_farm.h"
#include "scatter/engine/originator_tree.h"
#include "scatter/engine/tree.h"

const struct policy tree_policy = {.prepare = branch_prepare,
                                   .order = originator_read_tree,
                                   .announce = branch_announce,
                                   .place = branch_place,
                                   .receive = branch_receive,
                                   .gather = branch_gather,
                                   .farm = &farm_policy,
                                   .plan = originator_plan_tree,
                                   .plan_ps = originator_plan_tree_ps,
                                   .send = originator_send_tree};

/* A tree, along which jobs are announced, tells nodes their place. */
const struct policy farm_policy = {.prepare = branch_prepare,
                                   .order = originator_read_tree,
                                   .announce = branch_announce,
                                   .place = branch_place,
                                   .receive = farm_receive,
                                   .gather = farm_gather,
                                   .learns = true,
                                   .alone = &tree_policy,
                                   .plan = originator_plan_farm,
                                   .send = originator_send_farm,
                                   .lead = originator_lead_farm};
