/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small fuzzer: inputs are mutated, those that reach new edges are kept in
 * memory, and what aborts is a finding. All that happens follows from the seed
 * and the inputs, but for how far the time goes.
 */
#ifndef TEST_FUZZ_FUZZ_H
#define TEST_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>

#define FUZZ_BYTES_MAX 8192u

/* What is tried. try() must free all that it allocates. */
struct fuzz_target {
    char name[24];
    const char *kernel; /* for try(): its name, .. */
    unsigned policy;    /* .. or enum wire_policy */
    void (*try)(const struct fuzz_target *target, const uint8_t *in,
                uint32_t bytes);
    /* Adds first inputs besides the corpus's files of its name; or NULL. */
    void (*seed)(const struct fuzz_target *target);
};

/* Ends with one that has no name. */
const struct fuzz_target *fuzz_targets(void);

/* Takes an input into the pool; it is cut off at FUZZ_BYTES_MAX. */
void fuzz_add(const uint8_t *in, uint32_t bytes);

/* Tries an input once, before all others; nothing comes of it. */
void fuzz_once(const uint8_t *in, uint32_t bytes);

/* Ends with a finding unless it holds. */
void fuzz_check(bool holds, const char *what);

/* ---- random numbers (splitmix64) ---- */

uint64_t fuzz_random(uint64_t *state);

/* 0 .. below - 1, or 0. */
uint32_t fuzz_below(uint64_t *state, uint32_t below);

/* A number that the bytes determine, for what is to vary with the input. */
uint64_t fuzz_hash(const uint8_t *in, uint32_t bytes);

/* ---- mutations ---- */

/* Changes `data`, which has room for FUZZ_BYTES_MAX; `other` is any further
   input. Result: its new length. */
uint32_t fuzz_mutate(uint8_t *data, uint32_t bytes, const uint8_t *other,
                     uint32_t other_bytes, uint64_t *state);

/* ---- coverage ---- */

#define FUZZ_MAP_BYTES (1u << 15)

/* How often every edge was passed since the last fuzz_map_clear(). */
extern uint8_t fuzz_map[FUZZ_MAP_BYTES];
void fuzz_map_clear(void);

/* Adds the map to `seen`; whether there was anything new. */
bool fuzz_map_merge(uint8_t seen[FUZZ_MAP_BYTES]);
uint32_t fuzz_map_edges(const uint8_t seen[FUZZ_MAP_BYTES]);

/* ---- memory ---- */

/* Blocks that are allocated, since fuzz_heap_watch(). */
void fuzz_heap_watch(void);
int64_t fuzz_heap_blocks(void);

#endif
