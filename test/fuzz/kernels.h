/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is tried of each kernel.
 *
 * read    parts with a line "%%" between: the text of --arg, INPUT, and one
 *         more file, which @ in the text stands for
 * begin   u32 unit bytes, u16 argument's bytes, argument, load
 * merge   u16 seed, of those that the corpus's files give; a result
 *
 * Each begins, runs, merges and reports with what the one before it gives; the
 * first also writes the output.
 */
#ifndef TEST_FUZZ_KERNELS_H
#define TEST_FUZZ_KERNELS_H

#include "test/fuzz/fuzz.h"

void kernels_try_read(const struct fuzz_target *target, const uint8_t *in,
                      uint32_t bytes);
void kernels_try_begin(const struct fuzz_target *target, const uint8_t *in,
                       uint32_t bytes);
void kernels_try_merge(const struct fuzz_target *target, const uint8_t *in,
                       uint32_t bytes);
void kernels_seed_begin(const struct fuzz_target *target);
void kernels_seed_merge(const struct fuzz_target *target);

#endif
