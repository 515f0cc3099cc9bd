/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/job/timeline.h"

#include "hal/bytes.h"
#include "qemu/base/memory.h"

#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdlib.h>

static void add_u32(struct sha256_ctx *hash, uint32_t value)
{
    uint8_t bytes[4];

    bytes_store_u32(bytes, value);
    sha256_update(hash, sizeof bytes, bytes);
}

static void add_u64(struct sha256_ctx *hash, uint64_t value)
{
    uint8_t bytes[8];

    bytes_store_u64(bytes, value);
    sha256_update(hash, sizeof bytes, bytes);
}

static void add_node(struct sha256_ctx *hash, const struct outcome_node *node)
{
    add_u32(hash, node->at.x);
    add_u32(hash, node->at.y);
    add_u32(hash, node->active);
    add_u32(hash, node->layer);
    add_u32(hash, node->units);
    add_u64(hash, node->received_ps);
    add_u64(hash, node->hop_ps);
    add_u64(hash, node->forwarded_ps);
    add_u64(hash, node->compute_start_ps);
    add_u64(hash, node->finished_ps);
    add_u64(hash, node->done_ps);
    for (uint32_t i = 0; i < node->event_count; ++i) {
        const struct node_event *event = &node->event[i];

        add_u64(hash, event->time_ps);
        add_u32(hash, event->kind);
        add_u32(hash, event->detail);
        add_u32(hash, event->value);
    }
}

static void add_circuit(struct sha256_ctx *hash,
                        const struct circuit_record *circuit)
{
    add_u32(hash, circuit->source);
    add_u32(hash, circuit->destination);
    add_u32(hash, circuit->port);
    add_u32(hash, circuit->arrival);
    add_u32(hash, circuit->kind);
    add_u32(hash, circuit->phase);
    add_u32(hash, circuit->hops);
    add_u32(hash, circuit->bytes);
    add_u64(hash, circuit->request_ps);
    add_u64(hash, circuit->grant_ps);
    add_u64(hash, circuit->end_ps);
}

/* Number of members by which circuits are sorted: all but the round, which
   follows from the circuits' order. So circuits with equal keys are equal. */
#define KEYS 11

static void keys_of(uint64_t key[KEYS], const struct circuit_record *circuit)
{
    key[0] = circuit->grant_ps;
    key[1] = circuit->source;
    key[2] = circuit->port;
    key[3] = circuit->destination;
    key[4] = circuit->request_ps;
    key[5] = circuit->end_ps;
    key[6] = circuit->kind;
    key[7] = circuit->phase;
    key[8] = circuit->arrival;
    key[9] = circuit->hops;
    key[10] = circuit->bytes;
}

static int compare(const void *left, const void *right)
{
    uint64_t a[KEYS];
    uint64_t b[KEYS];

    keys_of(a, *(const struct circuit_record *const *)left);
    keys_of(b, *(const struct circuit_record *const *)right);
    for (unsigned i = 0; i < KEYS; ++i) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static void add_head(struct sha256_ctx *hash, const struct outcome *outcome)
{
    add_u32(hash, outcome->request->size.width);
    add_u32(hash, outcome->request->size.height);
    add_u32(hash, outcome->originator[0].at.x);
    add_u32(hash, outcome->originator[0].at.y);
    add_u32(hash, outcome->node_count);
    add_u32(hash, outcome->circuit_count);
}

static void add_circuits(struct sha256_ctx *hash, const struct outcome *outcome)
{
    uint32_t count = outcome->circuit_count;
    const struct circuit_record **sorted =
        memory_or_exit(calloc((size_t)count + 1, sizeof *sorted));

    for (uint32_t i = 0; i < count; ++i) {
        sorted[i] = &outcome->circuit[i];
    }
    qsort(sorted, count, sizeof *sorted, compare);
    for (uint32_t i = 0; i < count; ++i) {
        add_circuit(hash, sorted[i]);
    }
    free(sorted);
}

void timeline_sha256(const struct outcome *outcome,
                     char hex[TIMELINE_HEX_BYTES])
{
    struct sha256_ctx hash;
    uint8_t digest[SHA256_DIGEST_SIZE];

    sha256_init(&hash);
    add_head(&hash, outcome);
    for (uint32_t i = 0; i < outcome->node_count; ++i) {
        add_node(&hash, &outcome->node[i]);
    }
    add_circuits(&hash, outcome);
    for (uint32_t i = 1; i < outcome->batch_count; ++i) {
        sha256_update(&hash, OUTCOME_DIGEST_BYTES - 1,
                      (const uint8_t *)outcome->batch[i].timeline);
    }
    sha256_digest(&hash, sizeof digest, digest);
    base16_encode_update(hex, sizeof digest, digest);
    hex[BASE16_ENCODE_LENGTH(sizeof digest)] = '\0';
}
