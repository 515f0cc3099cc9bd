/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/policy.h"

#include "qemu/job/mesh_ops.h"
#include "qemu/support/memory.h"
#include "scatter/plan/tree_rounds.h"
#include "scatter/wire/wire.h"

#include <stdlib.h>

/* A farm of so many nodes has masters. */
#define MASTERS_NODES 100u

/* The pattern is for a torus of 5^k x 5^k, four ports, circuits, and nodes of
   one speed. */
static bool has_pattern(const struct job_config *config)
{
    return torus_phases(config->size) >= 0 && config->ports == TORUS_PORTS &&
           !config->store_and_forward && config->slow_shift == NULL;
}

static bool suits_pattern(const struct job_config *config)
{
    return config->schedule == SCHEDULE_PETERS_SYSKA && has_pattern(config);
}

static bool suits_hybrid(const struct job_config *config)
{
    return config->schedule == SCHEDULE_HYBRID && has_pattern(config);
}

static bool suits_farm(const struct job_config *config)
{
    return config->schedule == SCHEDULE_FARM;
}

static bool suits_all(const struct job_config *config)
{
    (void)config;
    return true;
}

bool job_policy_has_masters(const struct job_config *config)
{
    return config->mesh->has_fabric && config->groups == NULL &&
           config->originators == 0 && config->terms.output_denominator == 0;
}

unsigned job_policy_levels(const struct job_config *config)
{
    if (config->levels != 0) {
        return config->levels;
    }
    return torus_nodes(config->size) >= MASTERS_NODES &&
                   job_policy_has_masters(config)
               ? 2
               : 1;
}

/* The tree of the nodes that serve the config's originator. */
static uint8_t *group_tree(const struct job_config *config)
{
    uint32_t nodes = torus_nodes(config->size);
    bool *member = memory_or_exit(calloc(nodes, sizeof *member));
    uint8_t *tree;

    for (uint32_t i = 0; i < nodes; ++i) {
        member[i] = config->groups->of_node[i] == config->group;
    }
    tree = schedule_group_tree(config->schedule, config->size,
                               config->originator, member, config->slow_shift);
    free(member);
    return tree;
}

static uint8_t *tree_of(const struct job_config *config)
{
    if (config->groups != NULL) {
        return group_tree(config);
    }
    if (config->schedule == SCHEDULE_FARM && job_policy_levels(config) == 2) {
        return schedule_farm_tree(config->size, config->originator,
                                  config->slow_shift);
    }
    return schedule_tree(config->schedule, config->size, config->originator,
                         config->slow_shift);
}

static uint64_t tree_bytes(const struct job_config *config)
{
    uint32_t nodes = torus_nodes(config->size);
    /* Of all rounds but the first: on the originator, or with a header and up
       to 7 bytes behind them on a follower. */
    uint64_t tables = (uint64_t)ROUNDS_MAX * (4u * TREE_ROUND_WORDS(nodes) +
                                              CIRCUIT_HEADER_BYTES + 8u);

    return 2 * TREE_BRANCH_BYTES * nodes + tree_work_bytes(nodes) +
           16u * (TREE_PHASES_MAX + 1u) +
           (config->rounds == 1 ? 0 : tables + tree_rounds_bytes(nodes));
}

/* The tree, and what the originator knows of each worker: at most 40 bytes. */
static uint64_t farm_bytes(const struct job_config *config)
{
    return (2 * TREE_BRANCH_BYTES + 40u) * torus_nodes(config->size) + 1024u;
}

/* What the originator knows of each worker. */
static uint64_t hybrid_bytes(const struct job_config *config)
{
    return 40u * torus_nodes(config->size) + 1024u;
}

static const struct job_policy policies[] = {
    {.id = WIRE_PATTERN, .counts_phases = true, .suits = suits_pattern},
    {.id = WIRE_PATTERN,
     .counts_phases = true,
     .suits = suits_hybrid,
     .plan_bytes = hybrid_bytes},
    {.id = WIRE_FARM,
     .suits = suits_farm,
     .tree = tree_of,
     .plan_bytes = farm_bytes},
    {.id = WIRE_TREE,
     .suits = suits_all,
     .tree = tree_of,
     .plan_bytes = tree_bytes}};

bool job_policy_has(const struct job_config *config)
{
    return config->schedule != SCHEDULE_HYBRID || suits_hybrid(config);
}

const struct job_policy *job_policy(const struct job_config *config)
{
    const struct job_policy *row = policies;

    while (!row->suits(config)) {
        row += 1;
    }
    return row;
}
