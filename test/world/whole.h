/* SPDX-License-Identifier: Apache-2.0 */
/* Whole jobs in the made-up world, whose originator is at 0, 0. */
#ifndef TEST_WORLD_WHOLE_H
#define TEST_WORLD_WHOLE_H

#include "test/world/judge.h"

/* An order with the judge's kernel, on a network so quick that every node is
   worth its sends: one round, of a farm the best; `units` of a byte, no halo,
   no output. `arg` has JUDGE_LONG_ARG_BYTES; the tree is to be freed. */
struct wire_order whole_order(enum wire_policy policy, struct torus_size size,
                              uint32_t units, uint8_t *arg);

/* Runs the job of this order, and judges it. Result: the report's error, or
   the originator's if it makes no report. world_begin() and world_free() are
   the caller's, and world->sent, which calls judge_reported(). */
int whole_run(struct judge *judge, struct world *world,
              const struct wire_order *order, uint16_t job);

/* Runs jobs 1, 2, .. `jobs` of this order. Result: a list of copies of all
   messages for the node at `at`, but of results: its children's run, too. */
struct letter *whole_record(const struct wire_order *order,
                            struct torus_size size, struct torus_coord at,
                            unsigned jobs);

#endif
