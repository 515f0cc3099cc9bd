/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/fabric/injection.h"

#include <string.h>

static const struct {
    const char *name;
    struct injection kind;
} kinds[] = {{"slow2", {.what = INJECTION_SLOW, .slow_shift = 1}},
             {"slow4", {.what = INJECTION_SLOW, .slow_shift = 2}},
             {"slow8", {.what = INJECTION_SLOW, .slow_shift = 3}},
             {"fault", {.what = INJECTION_FAULT, .fault = NODE_INJECT_FAULT}},
             {"hang", {.what = INJECTION_FAULT, .fault = NODE_INJECT_HANG}},
             {"assert", {.what = INJECTION_FAULT, .fault = NODE_INJECT_ASSERT}},
             {"die", {.what = INJECTION_DEATH, .fault = NODE_INJECT_DIE}},
             {"cut", {.what = INJECTION_CUT}},
             {"flip", {.what = INJECTION_FLIP}}};

#define KINDS (sizeof kinds / sizeof kinds[0])

const struct injection *injection_kind(const char *name)
{
    for (size_t i = 0; i < KINDS; ++i) {
        if (strcmp(kinds[i].name, name) == 0) {
            return &kinds[i].kind;
        }
    }
    return NULL;
}

const char *injection_name(const struct injection *injection)
{
    size_t i = 0;

    while (kinds[i].kind.what != injection->what ||
           kinds[i].kind.fault != injection->fault ||
           kinds[i].kind.slow_shift != injection->slow_shift) {
        i += 1;
    }
    return kinds[i].name;
}

const struct injection *injection_slow(const struct injections *injections,
                                       struct torus_coord at)
{
    for (uint32_t i = 0; i < injections->count; ++i) {
        const struct injection *injection = &injections->injection[i];

        if (injection->what == INJECTION_SLOW && injection->at.x == at.x &&
            injection->at.y == at.y) {
            return injection;
        }
    }
    return NULL;
}
