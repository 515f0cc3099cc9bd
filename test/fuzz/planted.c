/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that the fuzzer must find, one of each kind, behind a few bytes that
   only coverage leads to. */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

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
static void overflow(const struct fuzz_target *target, const uint8_t *in,
                     uint32_t bytes)
{
    uint8_t *room = malloc(16);
    uint32_t length = is_open(in, bytes) ? in[3] : 0;

    (void)target;
    for (uint32_t i = 0; i < length && i + 4 < bytes; ++i) {
        ((volatile uint8_t *)room)[i] = in[4 + i];
    }
    free(room);
}

static void leak(const struct fuzz_target *target, const uint8_t *in,
                 uint32_t bytes)
{
    volatile uint8_t *room = malloc(16);

    (void)target;
    room[0] = 1;
    if (!is_open(in, bytes) || in[3] < 200) {
        free((void *)room);
    }
}

static void overrun(const struct fuzz_target *target, const uint8_t *in,
                    uint32_t bytes)
{
    volatile uint8_t sum = 0;

    (void)target;
    for (uint32_t i = 0; is_open(in, bytes) && i < in[3]; ++i) {
        sum = (uint8_t)(sum + in[4 + i]);
    }
}

static void wrong(const struct fuzz_target *target, const uint8_t *in,
                  uint32_t bytes)
{
    (void)target;
    fuzz_check(!is_open(in, bytes) || in[3] != 77, "77 is wrong");
}

static void hang(const struct fuzz_target *target, const uint8_t *in,
                 uint32_t bytes)
{
    (void)target;
    while (is_open(in, bytes)) {
    }
}

static void seed(const struct fuzz_target *target)
{
    (void)target;
    fuzz_add((const uint8_t *)"F...................", 20);
}

const struct fuzz_target *fuzz_targets(void)
{
    static const struct fuzz_target targets[] = {
        {.name = "overflow", .try = overflow, .seed = seed},
        {.name = "leak", .try = leak, .seed = seed},
        {.name = "overrun", .try = overrun, .seed = seed},
        {.name = "hang", .try = hang, .seed = seed},
        {.name = "wrong", .try = wrong, .seed = seed},
        {.name = ""}};

    return targets;
}
