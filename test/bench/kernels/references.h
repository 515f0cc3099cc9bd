/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each kernel's job written plainly, to compare the kernels with: the loops of
 * a textbook, or the C library's own function. They are given what a kernel is
 * given, for a whole load at once, and write the same result and output; they
 * know only the form of the argument that the bench's jobs have. Compiled with
 * the kernels' flags.
 */
#ifndef TEST_BENCH_KERNELS_REFERENCES_H
#define TEST_BENCH_KERNELS_REFERENCES_H

#include "kernels/kernel.h"

typedef void reference_run(struct kernel_result *result,
                           const struct kernel_range *range,
                           const struct kernel_job *job);

/* One pattern: the C library's memmem, as it is installed: newlib's, since 2018
   by a hash of two bytes for patterns of up to 255. */
reference_run reference_memmem;

/* A number that is compared, and its sum: every byte goes through a machine of
   four states, and those of the column into a buffer that is then read. */
reference_run reference_records;

/* u8: a histogram; or one with extremes and sums of every sample besides: the
   output is u32 least, u32 greatest, u64 sum, u64 sum of squares. */
reference_run reference_histogram;
reference_run reference_stats;

/* One channel: y[n] is the sum over all taps, in 64 bits. */
reference_run reference_fir;

/* 3 x 3, linear: nine products for each sample, in 32 bits. */
reference_run reference_conv;

/* int32: the sum over all columns, in 64 bits. */
reference_run reference_matvec;

/* SHA-256 as FIPS 180-4 writes it down; digests are compared one by one. */
reference_run reference_dictionary;

#endif
