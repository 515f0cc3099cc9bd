/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of the engine with wrong messages (test/fuzz/node.c, mesh.c) on a
 * board: addresses have 32 bits there, and an assertion that fails is a fault,
 * which ends the program. What happens is the same each time.
 */
#include "hal/mps2/registers.h"
#include "qemu/base/memory.h"
#include "test/fuzz/targets.h"
#include "test/unit/unit.h"
#include "test/world/world.h"

#include <stdlib.h>
#include <string.h>

#define INPUTS_MAX 64u
#define RUNS 300u /* of each target, with mutations */
#define HEAP_BYTES (16u << 20)

_Noreturn void _exit(int status);
void *_sbrk(ptrdiff_t bytes);

static struct {
    unit_put *put;
    void *context;
    const struct fuzz_target *target;
    uint32_t inputs; /* first ones */
    uint32_t bytes[INPUTS_MAX];
    uint8_t *input[INPUTS_MAX];
    uint8_t mutated[FUZZ_BYTES_MAX];
} fuzz;

void *_sbrk(ptrdiff_t bytes)
{
    static uint8_t *end = (uint8_t *)PSRAM_BASE;

    end += bytes;
    return end <= (uint8_t *)PSRAM_BASE + HEAP_BYTES ? end - bytes : (void *)-1;
}

void fuzz_check(bool holds, const char *what)
{
    if (!holds) {
        fuzz.put(fuzz.context, "Bail out! ");
        fuzz.put(fuzz.context, what);
        _exit(1);
    }
}

void world_check(bool holds, const char *what)
{
    fuzz_check(holds, what);
}

void *memory_or_exit(void *memory)
{
    fuzz_check(memory != NULL, "no memory");
    return memory;
}

/* Nobody starts that timer. */
void clock_timer_interrupt(void)
{
}

void fuzz_once(const uint8_t *in, uint32_t bytes)
{
    fuzz.target->try(fuzz.target, in, bytes);
}

void fuzz_add(const uint8_t *in, uint32_t bytes)
{
    uint32_t i = fuzz.inputs++;

    fuzz_check(i < INPUTS_MAX, "too many first inputs");
    fuzz.bytes[i] = bytes;
    fuzz.input[i] = memory_or_exit(malloc(bytes));
    memcpy(fuzz.input[i], in, bytes);
    fuzz_once(in, bytes);
}

static void run(const struct fuzz_target *target)
{
    uint64_t chance = 1;

    fuzz.target = target;
    fuzz.inputs = 0;
    target->seed(target);
    for (unsigned n = 0; n < RUNS; ++n) {
        uint32_t one = fuzz_below(&chance, fuzz.inputs);
        uint32_t other = fuzz_below(&chance, fuzz.inputs);

        memcpy(fuzz.mutated, fuzz.input[one], fuzz.bytes[one]);
        fuzz_once(fuzz.mutated,
                  fuzz_mutate(fuzz.mutated, fuzz.bytes[one], fuzz.input[other],
                              fuzz.bytes[other], &chance));
    }
    fuzz.put(fuzz.context, target->name);
}

int unit_all(unit_put *put, void *context)
{
    fuzz.put = put;
    fuzz.context = context;
    for (unsigned policy = 0; policy < WIRE_POLICIES; ++policy) {
        run(&(struct fuzz_target){.name = "node ",
                                  .policy = policy,
                                  .try = node_try,
                                  .seed = node_seed});
    }
    run(&(struct fuzz_target){
        .name = "mesh\n", .try = mesh_try, .seed = mesh_seed});
    return 0;
}
