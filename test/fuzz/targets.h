/* SPDX-License-Identifier: Apache-2.0 */
/* What is tried; each file says what its inputs are. */
#ifndef TEST_FUZZ_TARGETS_H
#define TEST_FUZZ_TARGETS_H

#include "test/fuzz/fuzz.h"

#define FUZZ_TRY(name)                                                         \
    void name(const struct fuzz_target *target, const uint8_t *in,             \
              uint32_t bytes)
#define FUZZ_SEED(name) void name(const struct fuzz_target *target)

FUZZ_TRY(console_try);
FUZZ_SEED(console_seed);
FUZZ_TRY(kernels_try_read);
FUZZ_TRY(mesh_try);
FUZZ_SEED(mesh_seed);
FUZZ_TRY(node_try);
FUZZ_SEED(node_seed);
FUZZ_TRY(switch_fuzz_try);
FUZZ_SEED(switch_fuzz_seed);

#endif
