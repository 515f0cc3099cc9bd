/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answers to peeks (hal/switch/switch.h), which a node's interrupts give:
 * pages of its state, written by boot/serial/pages.c. A peek's first byte is a
 * page or a command; a command's argument, a u32, follows it. Numbers are
 * little-endian. Every answer begins with PEEK_VERSION; that to a command is
 * the page PEEK_STATE.
 *
 *   PEEK_STATE   1  u8  enum node_state         2  u8  enum peek_waypoint
 *                3  i8  enum err: of the last job that ended here
 *                4  u8  enum peek_flag          5  u8  x, u8 y
 *                7  u8  0
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
 *               44  the job's kernel: its name, at most 12 bytes; else zeros
 *               56  u16 place of the assertion that failed, hal/check.h; 0: it
 *                       was another fault; u16 0
 *   PEEK_COUNTS  1  u8  0, u16 0
 *                4  u32 PEEK_COUNTERS of them, each the sum of all ports
 *   PEEK_IDENTITY
 *                1  u8  enum peek_flag          2  u8  x, u8 y
 *                4  u32[3] unique id           16  u32 CRC of the image
 *               20  u32 clock, Hz              24  u32 crystal, Hz; 0: unknown
 *               28  u32 memory for a batch     32  u32 ms since the start
 *               36  u16 supply, mV; 0: unknown
 *               38  i16 degrees Celsius; PEEK_NO_CELSIUS: unknown
 *               40  u16 faults since power-up
 *               42  u16 number of this start: another after every reset
 *               44  the clock's source and the reset's cause, a NUL behind
 *                   each, 20 bytes at most
 *   PEEK_IMAGE   1  u8  0, u16 0
 *                4  the image's version, 60 bytes at most
 *   PEEK_EAST    1  u8  0, u16 0. PEEK_NORTH, _WEST and _SOUTH likewise.
 *                4  u32 PEEK_PORT_COUNTERS of this port, as named below
 *
 * Commands, which may come twice:
 *   PEEK_IDENTIFY  the LED blinks for so many seconds from now on; 0: no more
 *   PEEK_RESET     with PEEK_RESET_MAGIC, and in a question of five bytes: the
 *                  node resets itself once nobody has asked that for 20 ms and
 *                  twice the time by which answers may be late
 */
#ifndef HAL_SWITCH_PEEK_H
#define HAL_SWITCH_PEEK_H

#define PEEK_VERSION 2u
#define PEEK_QUESTION_BYTES 5u

enum peek_page {
    PEEK_STATE,
    PEEK_COUNTS,
    PEEK_IDENTITY,
    PEEK_IMAGE,
    PEEK_EAST,
    PEEK_NORTH,
    PEEK_WEST,
    PEEK_SOUTH,
    PEEK_PAGES,
    PEEK_COMMANDS = 0x80, /* this and above */
    PEEK_IDENTIFY = 0x80,
    PEEK_RESET = 0x81
};

#define PEEK_RESET_MAGIC 0x21545352u /* "RST!" */
#define PEEK_IDENTIFY_S_MAX 3600u

enum peek_at {
    PEEK_AT_STATE = 1,
    PEEK_AT_WAYPOINT = 2,
    PEEK_AT_ERROR = 3,
    PEEK_AT_FLAGS = 4,
    PEEK_AT_X = 5,
    PEEK_AT_Y = 6,
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
    PEEK_AT_KERNEL = 44,
    PEEK_AT_CHECK = 56,
    PEEK_STATE_BYTES = 60,
    PEEK_AT_COUNTER = 4
};

#define PEEK_KERNEL_BYTES 12u
#define PEEK_COUNTERS 10u
#define PEEK_COUNTS_BYTES (PEEK_AT_COUNTER + 4u * PEEK_COUNTERS)
#define PEEK_NONE 255u

enum peek_identity_at {
    PEEK_AT_WHO_FLAGS = 1,
    PEEK_AT_WHO_X = 2,
    PEEK_AT_WHO_Y = 3,
    PEEK_AT_UID = 4,
    PEEK_AT_CRC = 16,
    PEEK_AT_CLOCK_HZ = 20,
    PEEK_AT_CRYSTAL_HZ = 24,
    PEEK_AT_ROOM = 28,
    PEEK_AT_WHO_UPTIME = 32,
    PEEK_AT_SUPPLY = 36,
    PEEK_AT_CELSIUS = 38,
    PEEK_AT_WHO_FAULTS = 40,
    PEEK_AT_START = 42,
    PEEK_AT_NAMES = 44,
    PEEK_IDENTITY_BYTES = 64
};

#define PEEK_NO_CELSIUS (-32768)
#define PEEK_NAMES_BYTES 20u

#define PEEK_AT_VERSION 4u
#define PEEK_VERSION_BYTES 60u

/* Counters of a port: 10 of the switch, then 5 of the line's driver. */
#define PEEK_SWITCH_COUNTERS 10u
#define PEEK_LINE_COUNTERS 5u
#define PEEK_PORT_COUNTERS (PEEK_SWITCH_COUNTERS + PEEK_LINE_COUNTERS)
#define PEEK_PORT_BYTES (PEEK_AT_COUNTER + 4u * PEEK_PORT_COUNTERS)

/* The names of the counters, in their order, each with its NUL. */
#define PEEK_COUNTER_NAMES                                                     \
    "sent_messages\0sent_bytes\0received_messages\0relayed_circuits\0"         \
    "refused\0retries\0retransmitted\0damaged\0lost\0dead"
#define PEEK_PORT_NAMES                                                        \
    "sent_messages\0received_messages\0relayed_frames\0refused\0retries\0"     \
    "retransmitted\0damaged\0lost\0broken\0mended\0"                           \
    "bytes_in\0bytes_out\0overruns\0framings\0noises"

enum peek_flag {
    PEEK_PLACED = 1,  /* it knows where it is */
    PEEK_JOB = 2,     /* it is in a job */
    PEEK_FAULT = 4,   /* it has a record of a fault */
    PEEK_BLINKS = 8,  /* its LED blinks, after PEEK_IDENTIFY */
    PEEK_RESETS = 16, /* it is about to reset itself */
    PEEK_FLAGS = 31
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

/* The names of waypoints and of enum node_state, in their order, each with its
   NUL. */
#define PEEK_WAYPOINT_NAMES "idle\0order\0message\0sends\0host\0kernel\0work"
#define PEEK_STATE_NAMES                                                       \
    "reset\0waiting\0planning\0scattering\0computing\0gathering\0done\0"       \
    "failed\0fault"

#endif
