/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the conformance program and its runner agree on. The program runs on
 * every node of a 5 x 5 mesh, on either board, and writes down what the HAL
 * did; the runner knows what it should have done. A node's place is its role:
 *
 *   0,0  leads: one stage after the other, so that no two circuits meet
 *   1,2  knight's end: a damaged message, then echoes of several sizes
 *   4,0  an echo over the wrap link         0,1  a buffer of a known size
 *   1,0  a full queue, times, a dead link   0,4  jobs
 *   1,2 3,1 4,3 2,4  four messages at once
 *
 * An observation is 12 bytes: u16 node index, u16 what, i64 value.
 */
#ifndef TEST_HAL_CONFORMANCE_PROGRAM_H
#define TEST_HAL_CONFORMANCE_PROGRAM_H

#include "hal/window/window.h"

#define PROGRAM_SIDE 5u
#define PROGRAM_OBSERVATION_BYTES 12u
#define PROGRAM_ORDER_BYTES 777u
#define PROGRAM_ECHOES 6u
#define PROGRAM_LARGE_BYTES 300000u
#define PROGRAM_CAPACITY_BYTES 256u
#define PROGRAM_JOB 9u
#define PROGRAM_OTHER_JOB 7u
#define PROGRAM_LATER_PS 1000000000u
#define PROGRAM_GAP_PS 12345678u
#define PROGRAM_SOON_PS 1000000u /* after the send's time, before its end */
#define PROGRAM_SHARED_BYTES 100u
#define PROGRAM_HEAD_BYTES 4u
#define PROGRAM_WORK_PS 1900000000u /* of program's work(), at least */

/* Bytes of the body for a port, all different. */
#define PROGRAM_BODY_BYTES(port) (10u * ((port) + 1u))

/* Sizes that a circuit's word or buffer might get wrong. */
static const uint32_t program_echo_bytes[PROGRAM_ECHOES] = {
    0, 1, 3, 4, 1000, PROGRAM_LARGE_BYTES};

/* Payload byte i of a message that is `seed` bytes long or named so. */
static inline uint8_t program_byte(uint32_t seed, uint32_t i)
{
    return (uint8_t)(seed * 31u + i * 7u + (i >> 8) + 1u);
}

enum program_kind { /* none that the wire format of jobs uses */
    KIND_ORDER = 1, /* all below what a result's kind begins with */
    KIND_DAMAGED,
    KIND_ECHO,
    KIND_BACK,
    KIND_WRAP,
    KIND_WRAP_BACK,
    KIND_FIT,
    KIND_RING,
    KIND_QUEUE,
    KIND_TIMED,
    KIND_JOB,
    KIND_DEAD,
    KIND_BEHIND,
    KIND_FOUR,
    KIND_UNTIL,
    KIND_LOG
};

/* Statuses are those of hal/err.h; INTACT is 1 or 0; times are mesh times. */
enum program_what {
    WHAT_ORDER_STATUS,
    WHAT_ORDER_BYTES,
    WHAT_ORDER_KIND,
    WHAT_ORDER_PORT,
    WHAT_ORDER_INTACT,
    WHAT_DAMAGED_STATUS,
    WHAT_DAMAGED_DELIVERED, /* 1 if the payload is in the buffer all the same */
    WHAT_WRAP_STATUS,
    WHAT_WRAP_BYTES,
    WHAT_WRAP_INTACT,
    WHAT_WRAP_PORT,
    WHAT_RING_STATUS,
    WHAT_RING_INTACT,
    WHAT_QUEUE_ACCEPTED,
    WHAT_QUEUE_FULL_STATUS,
    WHAT_QUEUE_DRAIN_STATUS,
    WHAT_QUEUE_AFTER_STATUS,
    WHAT_QUEUE_IN_ORDER, /* messages received as they were sent */
    WHAT_JOB_OTHER_STATUS,
    WHAT_JOB_SAME_STATUS,
    WHAT_JOB_ANY_STATUS,
    WHAT_JOB_ANY_JOB,
    WHAT_ROUTE_NO_HOPS, /* these, and buffers, in the program's order */
    WHAT_ROUTE_TOO_FAR,
    WHAT_ROUTE_NO_HOPS_AFTER,
    WHAT_ROUTE_TOO_FAR_AFTER,
    WHAT_BUFFER_BELOW,
    WHAT_BUFFER_ABOVE,
    WHAT_BUFFER_TOO_LONG,
    WHAT_DEAD_SEND_STATUS,
    WHAT_DEAD_DRAIN_STATUS,
    WHAT_DEAD_AGAIN_STATUS,
    WHAT_BEHIND_STATUS,
    WHAT_FOUR_SEND_STATUS,
    WHAT_FOUR_STATUS,
    WHAT_FOUR_BYTES,
    WHAT_FOUR_PORT,
    WHAT_FOUR_INTACT,
    WHAT_CLOCK_BACKWARD_STEPS,
    WHAT_LOG_STATUS,           /* the worst of all logs that came in */
    WHAT_UNTIL_NOTHING_STATUS, /* nothing comes by a deadline */
    WHAT_UNTIL_EARLY_STATUS,   /* the message is on its way */
    WHAT_UNTIL_COMES_STATUS,   /* by a late deadline */
    WHAT_UNTIL_COMES_INTACT,
    WHAT_UNTIL_OTHER_STATUS,  /* it is there, but of another kind */
    WHAT_UNTIL_PASSED_STATUS, /* it is there, and the deadline has passed */
    WHAT_UNTIL_PASSED_INTACT,
    WHAT_UNTIL_GONE_STATUS, /* the same, when it has been received */
    WHAT_FIT_STATUS,        /* + message */
    WHAT_FIT_BYTES = WHAT_FIT_STATUS + 3,
    WHAT_FIT_INTACT = WHAT_FIT_BYTES + 3,
    WHAT_ECHO_STATUS = WHAT_FIT_INTACT + 3, /* + echo; at both ends */
    WHAT_ECHO_BYTES = WHAT_ECHO_STATUS + PROGRAM_ECHOES,
    WHAT_ECHO_INTACT = WHAT_ECHO_BYTES + PROGRAM_ECHOES,
    WHAT_ECHO_PORT = WHAT_ECHO_INTACT + PROGRAM_ECHOES,
    WHAT_TIMES = WHAT_ECHO_PORT + PROGRAM_ECHOES, /* what is behind are times */
    WHAT_RING_DRAINED_PS,
    WHAT_RING_BEFORE_PS, /* a receive, long after the arrival */
    WHAT_RING_AFTER_PS,
    WHAT_QUEUE_DRAINED_PS,
    WHAT_TIMED_READY_PS,
    WHAT_FOUR_PS,
    WHAT_CLOCK_WORK_PS,
    WHAT_UNTIL_NOTHING_PS,     /* the deadline, .. */
    WHAT_UNTIL_NOTHING_END_PS, /* .. and when the receive ended */
    WHAT_UNTIL_EARLY_PS,
    WHAT_UNTIL_EARLY_END_PS,
    WHAT_UNTIL_COMES_END_PS,
    WHAT_UNTIL_PASSED_PS,     /* before .. */
    WHAT_UNTIL_PASSED_END_PS, /* .. and after the receive */
    WHAT_ECHO_PS              /* + echo */
};

#endif
