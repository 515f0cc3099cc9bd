/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that the fuzzer must find, one of each kind, behind a few bytes that
   only coverage leads to. */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>

/* The world's nodes are no part of this program. */
void world_check(bool holds, const char *what);

/* How far one came: a compiler makes one comparison of several otherwise. */
static volatile unsigned depth;

static bool is_open(const uint8_t *in, uint32_t bytes)
{
    static const char key[] = "FUZ";

    depth = 0;
    for (unsigned i = 0; key[i] != '\0'; ++i) {
        if (bytes < 8 || in[i] != (uint8_t)key[i]) {
            return false;
        }
        depth += 1;
    }
    return true;
}

/* Writes up to 255 bytes where 16 have room. */
static void overflow(const uint8_t *in, uint32_t bytes)
{
    volatile uint8_t *room = malloc(16);

    for (uint32_t i = 0; i < in[3] && i + 4 < bytes; ++i) {
        room[i] = in[4 + i];
    }
    free((void *)room);
}

static void leak(const uint8_t *in, uint32_t bytes)
{
    volatile uint8_t *room = malloc(16);

    room[0] = (uint8_t)bytes;
    if (in[3] < 200) {
        free((void *)room);
    }
}

static void overrun(const uint8_t *in, uint32_t bytes)
{
    volatile uint8_t sum = (uint8_t)bytes;

    for (uint32_t i = 0; i < in[3]; ++i) {
        sum = (uint8_t)(sum + in[4 + i]);
    }
}

static void wrong(const uint8_t *in, uint32_t bytes)
{
    (void)bytes;
    fuzz_check(in[3] != 77, "77 is wrong");
}

static void hang(const uint8_t *in, uint32_t bytes)
{
    while (is_open(in, bytes)) {
    }
}

static const struct {
    const char *name;
    void (*fault)(const uint8_t *in, uint32_t bytes);
} faults[] = {{"overflow", overflow},
              {"leak", leak},
              {"overrun", overrun},
              {"wrong", wrong},
              {"hang", hang}};

#define FAULTS (sizeof faults / sizeof *faults)

static void try_fault(const struct fuzz_target *target, const uint8_t *in,
                      uint32_t bytes)
{
    for (unsigned i = 0; i < FAULTS; ++i) {
        if (is_open(in, bytes) && faults[i].name == target->kernel) {
            faults[i].fault(in, bytes);
        }
    }
}

static void seed(const struct fuzz_target *target)
{
    (void)target;
    fuzz_add((const uint8_t *)"FU..................", 20);
}

const struct fuzz_target *fuzz_targets(void)
{
    static struct fuzz_target targets[FAULTS + 1];

    for (unsigned i = 0; i < FAULTS; ++i) {
        targets[i] = (struct fuzz_target){
            .kernel = faults[i].name, .try = try_fault, .seed = seed};
        for (unsigned k = 0; faults[i].name[k] != '\0'; ++k) {
            targets[i].name[k] = faults[i].name[k];
        }
    }
    return targets;
}
