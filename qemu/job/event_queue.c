/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/event_queue.h"

#include "qemu/support/memory.h"

#include <stdlib.h>

#define BLOCK_EVENTS 1024u
#define BUCKETS 65u

struct block {
    struct block *next;
    uint32_t count;
    uint32_t event[BLOCK_EVENTS];
    uint64_t time_ps[BLOCK_EVENTS];
};

/* A list of blocks, of which only the last is not full. */
struct bucket {
    struct block *first;
    struct block *last;
};

/*
 * Bucket b > 0 holds the times whose highest bit that differs from now_ps is
 * bit b - 1, bucket 0 those that are now_ps. When the lowest bucket in use is
 * dealt out again, now_ps changes below its bit only: the higher ones stay
 * right, and two events of one time are always in the same bucket, in order.
 */
struct event_queue {
    uint64_t now_ps;
    struct bucket bucket[BUCKETS];
    struct block *spare;
    uint32_t taken; /* events of the first block of bucket 0 */
};

struct event_queue *event_queue_new(void)
{
    return memory_or_exit(calloc(1, sizeof(struct event_queue)));
}

static void free_blocks(struct block *block)
{
    while (block != NULL) {
        struct block *next = block->next;

        free(block);
        block = next;
    }
}

void event_queue_free(struct event_queue *queue)
{
    for (unsigned i = 0; i < BUCKETS; ++i) {
        free_blocks(queue->bucket[i].first);
    }
    free_blocks(queue->spare);
    free(queue);
}

static struct bucket *bucket_of(struct event_queue *queue, uint64_t time_ps)
{
    uint64_t differ = time_ps ^ queue->now_ps;

    return &queue->bucket[differ == 0 ? 0 : 64 - __builtin_clzll(differ)];
}

/* An empty block at the end of the bucket. */
static struct block *append_block(struct event_queue *queue,
                                  struct bucket *bucket)
{
    struct block *block = queue->spare;

    if (block != NULL) {
        queue->spare = block->next;
    } else {
        block = memory_or_exit(malloc(sizeof *block));
    }
    block->next = NULL;
    block->count = 0;
    if (bucket->first == NULL) {
        bucket->first = block;
    } else {
        bucket->last->next = block;
    }
    bucket->last = block;
    return block;
}

/* Takes the first block out of the bucket, to be used again. */
static void retire_block(struct event_queue *queue, struct bucket *bucket)
{
    struct block *block = bucket->first;

    bucket->first = block->next;
    block->next = queue->spare;
    queue->spare = block;
}

void event_queue_add(struct event_queue *queue, uint64_t time_ps,
                     uint32_t event)
{
    struct bucket *bucket = bucket_of(queue, time_ps);
    struct block *block = bucket->last;

    if (bucket->first == NULL || block->count == BLOCK_EVENTS) {
        block = append_block(queue, bucket);
    }
    block->event[block->count] = event;
    block->time_ps[block->count] = time_ps;
    block->count += 1;
}

static uint64_t earliest(const struct bucket *bucket)
{
    uint64_t least_ps = UINT64_MAX;

    for (const struct block *at = bucket->first; at != NULL; at = at->next) {
        for (uint32_t i = 0; i < at->count; ++i) {
            if (at->time_ps[i] < least_ps) {
                least_ps = at->time_ps[i];
            }
        }
    }
    return least_ps;
}

/* Every event of the bucket goes into a lower one. */
static void deal_out(struct event_queue *queue, struct bucket *bucket)
{
    queue->now_ps = earliest(bucket);
    while (bucket->first != NULL) {
        const struct block *block = bucket->first;

        for (uint32_t i = 0; i < block->count; ++i) {
            event_queue_add(queue, block->time_ps[i], block->event[i]);
        }
        retire_block(queue, bucket);
    }
}

bool event_queue_next(struct event_queue *queue, uint64_t *time_ps)
{
    unsigned lowest = 0;

    while (lowest < BUCKETS && queue->bucket[lowest].first == NULL) {
        lowest += 1;
    }
    if (lowest > 0 && lowest < BUCKETS) {
        deal_out(queue, &queue->bucket[lowest]);
    }
    *time_ps = queue->now_ps;
    return lowest < BUCKETS;
}

bool event_queue_remove(struct event_queue *queue, uint32_t *event)
{
    struct bucket *bucket = &queue->bucket[0];

    if (bucket->first == NULL) {
        return false;
    }
    *event = bucket->first->event[queue->taken++];
    if (queue->taken == bucket->first->count) {
        retire_block(queue, bucket);
        queue->taken = 0;
    }
    return true;
}
