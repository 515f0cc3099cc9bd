/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a node's interrupts say of it to whoever peeks (hal/switch.h): two
 * pages, little-endian, written by boot/serial_node.c. The page is a peek's
 * byte; every answer begins with PEEK_VERSION.
 *
 *   PEEK_STATE   1  u8  enum node_state         2  u8  enum peek_waypoint
 *                3  i8  enum err: of the last job that ended here
 *                4  u8  enum peek_flag          5  u8  x, u8 y
 *                7  u8  kernel, as the image counts them; 255: none
 *                8  u8  round of the job
 *                9  u8  ports: bit 0 to 3: a message is waited for there, 4 to
 *                       7: sends are under way out of it
 *               10  u8  kind of the message that is waited for; 0: any
 *               11  u8  the last circuit's port, bit 2: it went out; 255: none
 *               12  i8  its enum err           13  u8  the fault's exception
 *               14  u16 faults since power-up  16  u32 the circuit's bytes
 *               20  u32 ms since the start     24  u32 ms since anything
 *               28  u16 stack used, bytes          changed but the time
 *               30  u16 jobs done since the start
 *               32  u32 the fault's pc, u32 lr, u32 CFSR
 *   PEEK_COUNTS  1  u8  0, u16 0
 *                4  u32 PEEK_COUNTERS of them, each the sum of all ports
 */
#ifndef HAL_PEEK_H
#define HAL_PEEK_H

#define PEEK_VERSION 1u

enum peek_page {
    PEEK_STATE,
    PEEK_COUNTS,
    PEEK_PAGES
};

enum peek_at {
    PEEK_AT_STATE = 1,
    PEEK_AT_WAYPOINT = 2,
    PEEK_AT_ERROR = 3,
    PEEK_AT_FLAGS = 4,
    PEEK_AT_X = 5,
    PEEK_AT_Y = 6,
    PEEK_AT_KERNEL = 7,
    PEEK_AT_ROUND = 8,
    PEEK_AT_PORTS = 9,
    PEEK_AT_KIND = 10,
    PEEK_AT_LAST_PORT = 11,
    PEEK_AT_LAST_ERROR = 12,
    PEEK_AT_EXCEPTION = 13,
    PEEK_AT_FAULTS = 14,
    PEEK_AT_LAST_BYTES = 16,
    PEEK_AT_UPTIME = 20,
    PEEK_AT_STILL = 24,
    PEEK_AT_STACK = 28,
    PEEK_AT_JOBS = 30,
    PEEK_AT_PC = 32,
    PEEK_AT_LR = 36,
    PEEK_AT_CFSR = 40,
    PEEK_STATE_BYTES = 44,
    PEEK_AT_COUNTER = 4
};

#define PEEK_COUNTERS 10u
#define PEEK_COUNTS_BYTES (PEEK_AT_COUNTER + 4u * PEEK_COUNTERS)
#define PEEK_NONE 255u

enum peek_flag {
    PEEK_PLACED = 1, /* it knows where it is */
    PEEK_JOB = 2,    /* it is in a job */
    PEEK_FAULT = 4   /* there is a record of a fault */
};

/* Where a node is, or what it waits for. */
enum peek_waypoint {
    PEEK_IDLE,    /* no place in a mesh */
    PEEK_ORDER,   /* the host's order */
    PEEK_MESSAGE, /* a message */
    PEEK_SENDS,   /* the end of its sends */
    PEEK_HOST,    /* that the host fetches its report */
    PEEK_KERNEL,  /* it runs the kernel */
    PEEK_WORK,    /* something else */
    PEEK_WAYPOINTS
};

#endif
