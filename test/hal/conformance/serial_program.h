/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receives with an end on boards with serial ports, whose time is real: what
 * the program of 2x1 nodes does, in place of the engine, is written down and
 * judged by test/hal/test_serial_conformance.py. Node 0,0 leads: it asks 1,0,
 * to its east, for messages that leave later, and receives them with deadlines.
 *
 * An observation, in the leader's report to the host, is 16 bytes: u16 stage,
 * i16 enum err, u32 0, i64 ps from the deadline to the end of the receive; or
 * where a payload came, in place of the 0 whether it is intact.
 */
#ifndef TEST_HAL_CONFORMANCE_SERIAL_PROGRAM_H
#define TEST_HAL_CONFORMANCE_SERIAL_PROGRAM_H

#define SERIAL_PROGRAM_OBSERVATION_BYTES 16u
#define SERIAL_PROGRAM_JOB 5u
#define SERIAL_PROGRAM_REPORT 9u

/* Kinds, none that hal/serial/errand.h has. */
enum serial_program_kind {
    SERIAL_PROGRAM_ASK = 1, /* u32 bytes, u32 us until it leaves, u8 kind */
    SERIAL_PROGRAM_ONE,
    SERIAL_PROGRAM_OTHER,
    SERIAL_PROGRAM_NONE
};

enum serial_program_stage {
    STAGE_NOTHING,     /* nothing comes by a deadline */
    STAGE_NOTHING_NOW, /* nor is there anything now */
    STAGE_EARLY,       /* the message leaves behind the deadline */
    STAGE_COMES,       /* it comes by a later one */
    STAGE_ONCE,        /* and not a second time */
    STAGE_OTHER_KIND,  /* one of another kind is on its way, .. */
    STAGE_KIND,        /* .. and stays for a receive that takes it */
    STAGE_PASSED,      /* nobody receives, so it does not come .. */
    STAGE_LATER,       /* .. but later it does */
    STAGE_AHEAD,       /* one received ahead is there, the deadline passed */
    STAGE_AHEAD_GONE,  /* it was the only one */
    STAGES
};

#endif
