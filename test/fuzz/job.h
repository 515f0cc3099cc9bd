/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel with its argument, as one node has it; all memory that it gets is
   exactly as long as promised, so that the sanitizer sees every step beyond. */
#ifndef TEST_FUZZ_JOB_H
#define TEST_FUZZ_JOB_H

#include "kernels/kernel.h"

struct job {
    const struct kernel *kernel;
    uint8_t *arg;
    uint32_t arg_bytes;
    uint32_t unit_bytes;
    uint32_t *work;
    struct kernel_terms terms;
};

/* A load; `data` is NULL if there is none. */
struct job_load {
    const uint8_t *data;
    uint32_t units;
};

const struct kernel *job_kernel(const char *name);

/* Whether begin() takes the argument, which is copied. job_end() frees all in
   either case. */
bool job_begin(struct job *job, const struct kernel *kernel, const uint8_t *arg,
               uint32_t arg_bytes, uint32_t unit_bytes);
void job_end(struct job *job);

/* As many of the units as make a load for this argument and do not take too
   long; 0: none. */
uint32_t job_units(const struct job *job, uint64_t units);

/* Runs a range; the caller frees both parts of the result. `offset`: of the
   data from an aligned address. */
void job_run(struct job *job, struct kernel_result *result,
             const struct job_load *load, uint32_t first, uint32_t units,
             unsigned offset);
void job_forget(struct kernel_result *result);

/* Merges a copy of `next`; whether merge() takes it. */
bool job_merge(struct job *job, struct kernel_result *into, const uint8_t *next,
               uint32_t bytes);

/* Shows a result to nobody. */
void job_report(struct job *job, const struct kernel_result *result);

/* Runs the load, whole and in pieces that are merged in any order: the same
   must come out. `random` says which pieces. */
void job_scatter(struct job *job, const struct job_load *load, uint64_t random);

#endif
