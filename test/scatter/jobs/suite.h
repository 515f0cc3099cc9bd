/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole jobs on native nodes whose only kernel is `echo`: it looks at every
 * byte that the engine gives it, those around its range too.
 */
#ifndef TEST_SCATTER_JOBS_SUITE_H
#define TEST_SCATTER_JOBS_SUITE_H

#include "kernels/kernel.h"
#include "qemu/outcome/timeline.h"
#include "qemu/schedule/registry.h"
#include "scatter/wire/wire.h"
#include "test/unit/unit.h"

#include <stdatomic.h>

/* Its argument: these, little-endian, then echo_filler() up to its end. */
#define ECHO_AT_BEFORE 0u
#define ECHO_AT_AFTER 4u
#define ECHO_AT_NUMERATOR 8u
#define ECHO_AT_DENOMINATOR 10u
#define ECHO_AT_VARIES 12u
#define ECHO_AT_LIES 13u         /* i8, bytes more than the output has */
#define ECHO_AT_UNITS 16u        /* u64, of the whole load */
#define ECHO_AT_INSTRUCTIONS 24u /* u32, for 1000 units */
#define ECHO_ARG_BYTES 28u

/* Result: u64 units. What was not as it must be is counted here. */
extern atomic_uint echo_wrong;

/* Byte i of the argument, byte `position` of the load and of the output. */
uint8_t echo_filler(uint32_t i);
uint8_t echo_load(uint64_t position);
uint8_t echo_output(uint64_t position);

/* Whether a unit has a byte of an output that varies; none does else. */
bool echo_varies(uint64_t unit);

/* An order and its mesh. */
struct job {
    struct torus_size size;
    struct torus_coord originator;
    enum schedule schedule;
    uint8_t ports;  /* 0: four */
    uint8_t rounds; /* 0: one; of a farm the installment, from 1 */
    bool tree;
    bool stored;
    bool varies;
    int8_t lies;     /* bytes that each run's output has more than it should */
    uint8_t threads; /* of the native nodes; 0: one */
    uint16_t numerator;
    uint16_t denominator;
    uint32_t before_bytes;
    uint32_t after_bytes;
    uint32_t unit_bytes;
    uint32_t first_unit;
    uint32_t units;
    uint32_t later_units; /* of the load, behind the order's */
    uint32_t arg_bytes;   /* 0: ECHO_ARG_BYTES */
    /* What the order has less than there is around its units, or more. */
    int32_t before_wrong;
    int32_t after_wrong;
};

/* What came of it: nothing but the error if there is one. */
struct job_outcome {
    struct wire_report report;
    struct kernel_result result;
    uint32_t nodes; /* that computed something */
    uint32_t ended; /* that noted the end of the job, once and as the last */
    char timeline[TIMELINE_HEX_BYTES];
};

/* Carries the job out; the outcome's to free with job_free(). */
void job_run(struct job_outcome *outcome, const struct job *job);
void job_free(struct job_outcome *outcome);

/* Runs it and checks all that must hold of a job that succeeds; the number of
   nodes that computed. */
uint32_t job_check(struct unit *unit, const struct job *job);

void test_chunks(struct unit *unit);
void test_halos(struct unit *unit);
void test_threads(struct unit *unit);
void test_timeline(struct unit *unit);
void test_units(struct unit *unit);

#endif
