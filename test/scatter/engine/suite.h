/* SPDX-License-Identifier: Apache-2.0 */
/* One node of the engine in a made-up world (test/world/), told messages by
   hand: what it must refuse, with the error that its header file names. */
#ifndef TEST_SCATTER_ENGINE_SUITE_H
#define TEST_SCATTER_ENGINE_SUITE_H

#include "test/unit/unit.h"
#include "test/world/judge.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct told {
    struct judge judge; /* first: the world's context */
    struct world world;
    struct world_node *node;
    struct letter *sent; /* all that it sent, but its results */
    bool with_children;  /* they run, too */
};

/* Sets the node up. Its jobs are judged unless the judge's `whole` is set. */
void told_begin(struct told *told, enum wire_policy policy,
                struct torus_size size, struct torus_coord at);

/* Tells it a message, and lets it run until it waits. */
void tell(struct told *told, unsigned kind, uint16_t job, const uint8_t *data,
          uint32_t bytes);

/* Its error; 0 while it waits. Then it is no more. */
int told_end(struct told *told);

void test_messages(struct unit *unit);
void test_jobs(struct unit *unit);
void test_farm(struct unit *unit);

#endif
