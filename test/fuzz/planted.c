/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that the fuzzer must find, one of each kind, behind a few bytes that
   only coverage leads to; and functions with faults that the engine calls. */
#include "scatter/engine/gather.h"
#include "test/fuzz/targets.h"

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

/* ---- faults of the engine ---- */

static enum fault {
    FAULT_NONE,
    FAULT_UNIT,
    FAULT_RANGE,
    FAULT_RESULT
} fault;

int planted_split_volume(struct split *split, const uint32_t volume_units[],
                         const uint32_t share_units[], unsigned phases,
                         unsigned layer, uint32_t units);
int planted_scatter_set_range(struct scatter *scatter, const uint8_t *begin,
                              const uint8_t *end);
int planted_scatter_gather_children(struct scatter *scatter, unsigned phase,
                                    unsigned ports);

/* Loses one unit if two are left over. */
int planted_split_volume(struct split *split, const uint32_t volume_units[],
                         const uint32_t share_units[], unsigned phases,
                         unsigned layer, uint32_t units)
{
    int error =
        split_volume(split, volume_units, share_units, phases, layer, units);

    if (fault == FAULT_UNIT && error == ERR_OK && split->extra_units == 2 &&
        split->share_units > 0) {
        split->share_units -= 1;
    }
    return error;
}

/* Takes a range that is too short in the second round. */
int planted_scatter_set_range(struct scatter *scatter, const uint8_t *begin,
                              const uint8_t *end)
{
    int error = scatter_set_range(scatter, begin, end);

    return fault == FAULT_RANGE && scatter->round == 1 ? ERR_OK : error;
}

/* Leaves out a phase's results if the last round has 4, 15, 26, .. units. */
int planted_scatter_gather_children(struct scatter *scatter, unsigned phase,
                                    unsigned ports)
{
    if (fault == FAULT_RESULT && scatter->round > 0 &&
        scatter->units % 11 == 4) {
        return ERR_OK;
    }
    return scatter_gather_children(scatter, phase, ports);
}

static void lost_unit(const struct fuzz_target *target, const uint8_t *in,
                      uint32_t bytes)
{
    fault = FAULT_UNIT;
    node_try_pattern(target, in, bytes);
}

static void short_range(const struct fuzz_target *target, const uint8_t *in,
                        uint32_t bytes)
{
    fault = FAULT_RANGE;
    node_try_pattern(target, in, bytes);
}

static void lost_result(const struct fuzz_target *target, const uint8_t *in,
                        uint32_t bytes)
{
    fault = FAULT_RESULT;
    node_try_tree(target, in, bytes);
}

const struct fuzz_target *fuzz_targets(void)
{
    static const struct fuzz_target targets[] = {
        {.name = "overflow", .try = overflow, .seed = seed},
        {.name = "leak", .try = leak, .seed = seed},
        {.name = "overrun", .try = overrun, .seed = seed},
        {.name = "hang", .try = hang, .seed = seed},
        {.name = "wrong", .try = wrong, .seed = seed},
        {.name = "node-lost-unit", .try = lost_unit, .seed = node_seed_pattern},
        {.name = "node-short-range",
         .try = short_range,
         .seed = node_seed_pattern},
        {.name = "node-lost-result",
         .try = lost_result,
         .seed = node_seed_tree},
        {.name = ""}};

    return targets;
}
