/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the conformance program and its runner agree on. The program runs on
 * every node of a 5 x 5 mesh, on either board, and says what it did not expect
 * of the HAL; and times, which the runner compares with the mesh's records. A
 * node's place is its role:
 *
 *   0,0  leads: one stage after the other, so that no two circuits meet
 *   1,2  knight's end: a damaged message, then some of several sizes
 *   0,1  a buffer of a known size        0,4  jobs
 *   1,0  a full queue, times, a dead link
 *
 * An observation is 12 bytes: u16 node index, u16 what, i64 value.
 */
#ifndef TEST_HAL_CONFORMANCE_PROGRAM_H
#define TEST_HAL_CONFORMANCE_PROGRAM_H

#include "hal/window/window.h"

#define PROGRAM_SIDE 5u
#define PROGRAM_OBSERVATION_BYTES 12u
#define PROGRAM_ORDER_BYTES 777u
#define PROGRAM_SIZES 6u
#define PROGRAM_CAPACITY_BYTES 256u
#define PROGRAM_LATER_PS 1000000000u
#define PROGRAM_GAP_PS 12345678u
#define PROGRAM_SOON_PS 1000000u    /* after the send's time, before its end */
#define PROGRAM_WORK_PS 1900000000u /* of program's work(), at least */

/* Sizes that a circuit's word or buffer might get wrong. */
static const uint32_t program_sizes[PROGRAM_SIZES] = {0, 1, 3, 4, 1000, 300000};

/* Payload byte i of a message that is `seed` bytes long or named so. */
static inline uint8_t program_byte(uint32_t seed, uint32_t i)
{
    return (uint8_t)(seed * 31u + i * 7u + (i >> 8) + 1u);
}

enum program_kind { /* none that the wire format of jobs uses */
    KIND_ORDER = 1, /* all below what a result's kind begins with */
    KIND_DAMAGED,
    KIND_SIZES,
    KIND_FIT,
    KIND_RING,
    KIND_QUEUE,
    KIND_TIMED,
    KIND_JOB,
    KIND_DEAD,
    KIND_BEHIND,
    KIND_UNTIL,
    KIND_LOG
};

enum program_what {
    WHAT_EXPECTED, /* how many times something was expected */
    WHAT_OTHERWISE /* the line of program.c, and << 32 what came instead */,
    /* Times of the mesh. */
    WHAT_RING_DRAINED_PS,
    WHAT_RING_BEFORE_PS, /* a receive, long after the arrival */
    WHAT_RING_AFTER_PS,
    WHAT_QUEUE_DRAINED_PS,
    WHAT_TIMED_READY_PS,
    WHAT_UNTIL_NOTHING_PS,     /* the deadline, .. */
    WHAT_UNTIL_NOTHING_END_PS, /* .. and when the receive ended */
    WHAT_UNTIL_EARLY_PS,
    WHAT_UNTIL_EARLY_END_PS,
    WHAT_UNTIL_COMES_END_PS,
    WHAT_UNTIL_PASSED_PS,    /* before .. */
    WHAT_UNTIL_PASSED_END_PS /* .. and after the receive */
};

#endif
