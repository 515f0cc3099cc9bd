/* SPDX-License-Identifier: Apache-2.0 */
#include "test/world/whole.h"

#include "qemu/schedule/registry.h"

#include <stdlib.h>
#include <string.h>

static const struct torus_coord originator = {0, 0};

struct wire_order whole_order(enum wire_policy policy, struct torus_size size,
                              uint32_t units, uint8_t *arg)
{
    bool farm = policy == WIRE_FARM;
    struct wire_order order = {.kernel = "judge",
                               .startup_ps = 10000,
                               .transfer_ps = 1000,
                               .compute_ps = farm ? 100000000 : 160000,
                               .load_units = units,
                               .whole_units = UINT32_MAX,
                               .phases = WIRE_BEST,
                               .rounds = farm ? WIRE_BEST : 1,
                               .ports = TORUS_PORTS,
                               .policy = policy & 0xfu,
                               .unit_bytes = 1,
                               .arg_bytes = JUDGE_LONG_ARG_BYTES,
                               .arg = arg};

    memset(arg, 0, JUDGE_LONG_ARG_BYTES);
    if (policy != WIRE_PATTERN) {
        order.tree = schedule_tree(
            farm ? SCHEDULE_FARM : SCHEDULE_BINOMIAL,
            &(struct schedule_nodes){.size = size, .originator = originator});
        order.tree_nodes = (uint16_t)torus_nodes(size);
    }
    return order;
}

int whole_run(struct judge *judge, struct world *world,
              const struct wire_order *order, uint16_t job)
{
    struct letter *letter = judge_order(order, job);

    judge_ordered(judge, letter, order);
    world_put(world_node(originator), letter);
    world_run();
    return judge->returned ? judge->error : world->node[0]->error;
}

/* ---- what a node gets ---- */

struct record {
    struct judge judge; /* first: the world's context */
    struct torus_coord at;
    struct letter *letters;
    struct letter **end;
};

static struct letter *keep(void *context, const struct world_node *from,
                           struct letter *letter)
{
    struct record *record = context;

    (void)from;
    if (letter->to.x == record->at.x && letter->to.y == record->at.y &&
        WIRE_KIND(letter->kind) != WIRE_RESULT) {
        *record->end = letter_copy(letter, 0);
        record->end = &(*record->end)->next;
    }
    return letter;
}

struct letter *whole_record(const struct wire_order *order,
                            struct torus_size size, struct torus_coord at,
                            unsigned jobs)
{
    struct wire_order one = *order;
    struct record *record = calloc(1, sizeof *record);
    struct letter *letters;
    struct world world = {.size = size,
                          .policy = order->policy,
                          .kernel = &judge_kernel,
                          .context = record,
                          .sent = keep};

    world_check(record != NULL, "no memory");
    record->judge.whole = true;
    record->judge.forged = true; /* jobs are not judged here */
    record->at = at;
    record->end = &record->letters;
    world_begin(&world);
    for (uint16_t job = 1; job <= jobs; ++job) {
        one.flags = (order->flags | (job < jobs ? WIRE_MORE : 0u)) & 0xfu;
        world_put(world_node(originator), judge_order(&one, job));
    }
    world_run();
    world_free(&world);
    letters = record->letters;
    free(record);
    return letters;
}
