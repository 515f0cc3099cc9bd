/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/horizon.h"

#include "qemu/support/memory.h"

#include <stdlib.h>

#define NOWHERE UINT32_MAX

struct entry {
    uint64_t time_ps;
    uint32_t node;
};

struct horizon {
    struct entry *heap; /* none is earlier than its parent, (i - 1) / 2 */
    uint32_t count;
    uint32_t *place; /* of each node in the heap, or NOWHERE */
};

struct horizon *horizon_new(uint32_t nodes)
{
    struct horizon *horizon = memory_or_exit(calloc(1, sizeof *horizon));

    horizon->heap = memory_or_exit(calloc(nodes, sizeof *horizon->heap));
    horizon->place = memory_or_exit(calloc(nodes, sizeof *horizon->place));
    horizon->count = nodes;
    for (uint32_t i = 0; i < nodes; ++i) {
        horizon->heap[i].node = i;
        horizon->place[i] = i;
    }
    return horizon;
}

void horizon_free(struct horizon *horizon)
{
    free(horizon->heap);
    free(horizon->place);
    free(horizon);
}

static void put(struct horizon *horizon, uint32_t at, struct entry entry)
{
    horizon->heap[at] = entry;
    horizon->place[entry.node] = at;
}

/* Puts an entry where `at` is free, or nearer to the root. */
static void rise(struct horizon *horizon, uint32_t at, struct entry entry)
{
    while (at > 0 && entry.time_ps < horizon->heap[(at - 1) / 2].time_ps) {
        put(horizon, at, horizon->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(horizon, at, entry);
}

/* Puts an entry where `at` is free, or farther from the root. */
static void sink(struct horizon *horizon, uint32_t at, struct entry entry)
{
    const struct entry *heap = horizon->heap;

    for (;;) {
        uint32_t child = 2 * at + 1;

        if (child + 1 < horizon->count &&
            heap[child + 1].time_ps < heap[child].time_ps) {
            child += 1;
        }
        if (child >= horizon->count || heap[child].time_ps >= entry.time_ps) {
            break;
        }
        put(horizon, at, heap[child]);
        at = child;
    }
    put(horizon, at, entry);
}

void horizon_add(struct horizon *horizon, uint32_t node, uint64_t time_ps)
{
    horizon->count += 1;
    rise(horizon, horizon->count - 1, (struct entry){time_ps, node});
}

void horizon_remove(struct horizon *horizon, uint32_t node)
{
    uint32_t at = horizon->place[node];
    struct entry last;

    if (at == NOWHERE) {
        return;
    }
    horizon->place[node] = NOWHERE;
    horizon->count -= 1;
    last = horizon->heap[horizon->count];
    if (last.node == node) {
        return;
    }
    if (at > 0 && last.time_ps < horizon->heap[(at - 1) / 2].time_ps) {
        rise(horizon, at, last);
    } else {
        sink(horizon, at, last);
    }
}

uint32_t horizon_running(const struct horizon *horizon)
{
    return horizon->count;
}

uint64_t horizon_ps(const struct horizon *horizon)
{
    return horizon->count > 0 ? horizon->heap[0].time_ps : UINT64_MAX;
}
