/* SPDX-License-Identifier: Apache-2.0 */
/* Compute slices in threads: handed back in order, each carried out once, and
   with the results that one thread has. */
#include "qemu/fabric/slices.h"
#include "test/qemu/fabric/suite.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define NODES 24u
#define STEPS 4000u

/* What the slices of a run leave. */
struct run {
    atomic_uint busy[NODES]; /* threads that carry out this node's slice */
    atomic_uint overlaps;    /* of one node's slices */
    uint32_t slices[NODES];
    uint64_t state[NODES];
    uint32_t order[STEPS];
};

/* Some take longer than others, so that they end in another order. */
static void work(void *context, uint32_t node)
{
    struct run *run = context;
    uint64_t state = run->state[node] + node + 1;
    uint32_t steps = 1 + (uint32_t)(state >> 3 & 1023u);

    if (atomic_fetch_add(&run->busy[node], 1) != 0) {
        atomic_fetch_add(&run->overlaps, 1);
    }
    for (uint32_t i = 0; i < steps; ++i) {
        state = state * 0xD1342543DE82EF95u + 1;
        state ^= state >> 29;
    }
    run->state[node] = state;
    run->slices[node] += 1;
    atomic_fetch_sub(&run->busy[node], 1);
}

/* All nodes begin; each that is handed back goes on at once, or waits for some
   others, as its state says. Result: the slices handed back. */
static uint32_t carry_out(struct run *run, unsigned threads)
{
    struct slices *slices = slices_new(NODES, threads, work, run);
    uint32_t resting[NODES];
    uint32_t rest = 0;
    uint32_t count = 0;

    for (uint32_t node = 0; node < NODES; ++node) {
        slices_add(slices, node);
    }
    while (count < STEPS && slices_next(slices, &run->order[count])) {
        uint32_t node = run->order[count++];

        resting[rest++] = node;
        if (run->state[node] % 4 != 0 || rest == NODES) {
            while (rest > 0) {
                slices_add(slices, resting[--rest]);
            }
        }
    }
    slices_free(slices);
    return count;
}

/* Those of one thread: no slice runs ahead of the order. Slices that were not
   handed back may have been carried out, or not. */
static void same_with_any_number(struct unit *unit)
{
    struct run *want = calloc(1, sizeof *want);
    struct run *got = calloc(1, sizeof *got);

    if (want == NULL || got == NULL) {
        abort();
    }
    CHECK(unit, slices_processors() >= 1);
    CHECK_EQUAL(unit, carry_out(want, 1), STEPS);
    for (unsigned threads = 2; threads <= 9; ++threads) {
        memset(got, 0, sizeof *got);
        CHECK_EQUAL(unit, carry_out(got, threads), STEPS);
        CHECK_EQUAL(unit, atomic_load(&got->overlaps), 0);
        CHECK_EQUAL(unit, memcmp(got->order, want->order, sizeof got->order),
                    0);
        for (uint32_t node = 0; node < NODES; ++node) {
            CHECK(unit, got->slices[node] - want->slices[node] + 1u <= 2);
        }
    }
    free(want);
    free(got);
}

void test_slices(struct unit *unit)
{
    UNIT_RUN(unit, same_with_any_number);
}
