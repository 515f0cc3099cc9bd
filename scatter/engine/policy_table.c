/* SPDX-License-Identifier: Apache-2.0 */
#include "scatter/engine/policy_table.h"

#include "scatter/engine/advance.h"
#include "scatter/engine/farm.h"
#include "scatter/engine/farm_worker.h"
#include "scatter/engine/meanwhile.h"
#include "scatter/engine/pattern.h"
#include "scatter/engine/pattern_plan.h"
#include "scatter/engine/tree.h"

#include <stddef.h>

static const struct policy meanwhile_policy = {.prepare = pattern_prepare,
                                               .receive = outputs_receive,
                                               .gather = outputs_gather,
                                               .send = originator_send_rounds};

static const struct policy pattern_policy = {.prepare = pattern_prepare,
                                             .announce = pattern_announce,
                                             .place = pattern_place,
                                             .expect = pattern_expect,
                                             .receive = pattern_receive,
                                             .gather = pattern_gather,
                                             .advance = originator_advance,
                                             .plan = originator_plan_pattern,
                                             .plan_ps = pattern_plan_ps,
                                             .meanwhile = &meanwhile_policy,
                                             .send = originator_send_rounds};

static const struct policy farm_policy;
static const struct policy tree_policy = {.prepare = tree_prepare,
                                          .order = tree_order,
                                          .announce = tree_announce,
                                          .place = tree_place,
                                          .receive = tree_receive,
                                          .gather = tree_gather,
                                          .farm = &farm_policy,
                                          .plan = tree_plan_job,
                                          .plan_ps = tree_plan_ps,
                                          .send = tree_send};

/* A tree, along which jobs are announced, tells nodes their place. */
static const struct policy farm_policy = {.prepare = tree_prepare,
                                          .order = tree_order,
                                          .announce = tree_announce,
                                          .place = tree_place,
                                          .receive = farm_receive,
                                          .gather = farm_gather,
                                          .learns = true,
                                          .alone = &tree_policy,
                                          .plan = farm_plan_job,
                                          .send = farm_send,
                                          .lead = farm_lead};

static const struct policy *const policies[] = {
    [WIRE_PATTERN] = &pattern_policy,
    [WIRE_TREE] = &tree_policy,
    [WIRE_FARM] = &farm_policy,
};

const struct policy *policy_find(unsigned id)
{
    return id < sizeof policies / sizeof *policies ? policies[id] : NULL;
}

uint8_t policy_of_size(struct torus_size size)
{
    return torus_phases(size) >= 0 ? WIRE_PATTERN : WIRE_TREE;
}
