/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two switches, joined by all four ports, as scripts drive them: an input is a
 * list of steps of a first byte, its low three bits what is done, and what
 * that takes. Beside bytes as they are there are frames with a right check, so
 * that what is in them is looked at, too.
 */
#ifndef TEST_FUZZ_SWITCH_H
#define TEST_FUZZ_SWITCH_H

#include "test/fuzz/fuzz.h"

void switch_fuzz_try(const struct fuzz_target *target, const uint8_t *in,
                     uint32_t bytes);
void switch_fuzz_seed(const struct fuzz_target *target);

#endif
