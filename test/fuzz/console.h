/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What arrives at a node's console: the first byte says how many bytes come at
 * a time; 1 stands for the right CRC of the line so far, 2 for a pause.
 */
#ifndef TEST_FUZZ_CONSOLE_H
#define TEST_FUZZ_CONSOLE_H

#include "test/fuzz/fuzz.h"

void console_try_line(const struct fuzz_target *target, const uint8_t *in,
                      uint32_t bytes);
void console_try_shell(const struct fuzz_target *target, const uint8_t *in,
                       uint32_t bytes);
void console_seed(const struct fuzz_target *target);

#endif
