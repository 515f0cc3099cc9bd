/* SPDX-License-Identifier: Apache-2.0 */
/* The table of policies: a new policy adds a row here. */
#include "scatter/engine/compute.h"
#include "scatter/engine/farm.h"
#include "scatter/engine/meanwhile.h"
#include "scatter/engine/pattern.h"
#include "scatter/engine/scatter.h"
#include "scatter/engine/tail.h"
#include "scatter/engine/tree.h"

#include <stddef.h>

static const struct policy policies[POLICY_ROWS] = {
    /* The Peters-Syska scatter on a 5^k x 5^k torus, in one round or more. */
    [WIRE_PATTERN] = {.prepare = pattern_prepare,
                      .place = pattern_place,
                      .announce = pattern_announce,
                      .expect = pattern_expect,
                      .receive = pattern_receive,
                      .compute = scatter_compute,
                      .gather = pattern_gather,
                      .lost = pattern_lost,
                      .lead = pattern_lead},
    /* A scatter along the tree in the order, on any torus. */
    [WIRE_TREE] = {.prepare = tree_prepare,
                   .place = tree_place,
                   .announce = tree_announce,
                   .receive = tree_receive,
                   .compute = scatter_compute,
                   .gather = tree_gather,
                   .lost = tree_lost,
                   .lead = tree_lead},
    /* Nodes ask for chunks; a tree in the announcement tells their places. */
    [WIRE_FARM] = {.prepare = tree_prepare,
                   .place = tree_place,
                   .announce = tree_announce,
                   .receive = farm_receive,
                   .compute = farm_compute,
                   .gather = farm_gather,
                   .lost = farm_lost,
                   .lead = farm_lead,
                   .asks = true,
                   .unplanned = true},
    /* The pattern, if outputs return during later rounds (meanwhile.h). */
    [POLICY_MEANWHILE] = {.receive = meanwhile_receive,
                          .compute = scatter_compute,
                          .gather = meanwhile_gather,
                          .lost = pattern_lost},
    /* The pattern, if nodes ask for the last units after rounds (tail.h). */
    [POLICY_TAIL] = {.receive = tail_receive,
                     .compute = tail_compute,
                     .gather = tail_gather,
                     .lost = tail_lost,
                     .asks = true}};

const struct policy *policy_find(unsigned id)
{
    return id < WIRE_POLICIES ? &policies[id] : NULL;
}

uint8_t policy_of_size(struct torus_size size)
{
    return torus_phases(size) >= 0 ? WIRE_PATTERN : WIRE_TREE;
}
