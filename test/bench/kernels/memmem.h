/* SPDX-License-Identifier: Apache-2.0 */
/* Searches to compare ours with, all with the arguments of memmem(3). */
#ifndef TEST_BENCH_KERNELS_MEMMEM_H
#define TEST_BENCH_KERNELS_MEMMEM_H

#include <stddef.h>

/* The C library's as it is installed: newlib's, since 2018 by a hash of two
   bytes for patterns of up to 255. */
void *memmem(const void *text, size_t text_bytes, const void *pattern,
             size_t pattern_bytes);

/* The same method written anew for 4 to 255 bytes, so that it is compiled with
   the kernel's flags. */
void *memmem_by_two(const void *text, size_t text_bytes, const void *pattern,
                    size_t pattern_bytes);

#endif
