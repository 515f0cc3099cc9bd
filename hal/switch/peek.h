/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peeks (hal/switch/switch.h) and their answers: pages of a node's state, which
 * boot/serial/pages.c writes. A peek's first byte is a page or a command; a
 * command is five bytes with its argument, a u32, and is answered by
 * PEEK_STATE. Numbers are little-endian. Every answer begins with PEEK_VERSION.
 *
 *   PEEK_STATE   1  u8  enum node_state         2  u8  enum peek_waypoint
 *                3  i8  enum err of the last job that ended here
 *                4  u8  enum peek_flag          5  u8  x, u8 y of the node
 *                7  u8  0                       8  u8  round of the job
 *                9  u8  bits 0 to 3: ports where a message is awaited,
 *                       bits 4 to 7: ports out of which sends are under way
 *               10  u8  kind of the awaited message; 0: any
 *               11  u8  port of the last message that ended, 4 more if the node
 *                       sent it; PEEK_NONE: no message has ended
 *               12  i8  enum err of that message
 *               13  u8  exception of the last fault
 *               14  u16 faults since power-up  16  u32 bytes of that message
 *               20  u32 ms since the start     24  u32 ms since last progress
 *               28  u16 stack used, bytes      30  u16 jobs done since start
 *               32  u32 pc, u32 lr, u32 CFSR of the last fault
 *               44  name of the job's kernel, at most 12 bytes; no job: zeros
 *               56  u16 assertion that was the last fault, see hal/check.h;
 *                       0: it was another fault; u16 0
 *   PEEK_COUNTS  1  u8  0, u16 0
 *                4  u32[PEEK_COUNTERS] counters, each the sum of all ports
 *   PEEK_IDENTITY
 *                1  u8  enum peek_flag          2  u8  x, u8 y of the node
 *                4  u32[3] unique id           16  u32 CRC of the image
 *               20  u32 clock, Hz              24  u32 crystal, Hz; 0: unknown
 *               28  u32 memory for jobs, bytes 32  u32 ms since the start
 *               36  u16 supply, mV; 0: unknown
 *               38  i16 degrees Celsius; PEEK_NO_CELSIUS: unknown
 *               40  u16 faults since power-up
 *               42  u16 number of this start: another after every reset
 *               44  source of the clock, cause of the reset: two texts, a NUL
 *                   behind each, 20 bytes at most
 *   PEEK_IMAGE   1  u8  0, u16 0
 *                4  the image's version, 60 bytes at most
 *   PEEK_EAST    1  u8  0, u16 0. PEEK_NORTH, _WEST and _SOUTH likewise.
 *                4  u32[PEEK_PORT_COUNTERS] counters of this port
 *
 * Commands, which may come twice:
 *   PEEK_IDENTIFY  the argument is the time for which the LED blinks from now
 *                  on, s, at most PEEK_IDENTIFY_S_MAX; 0: it stops
 *   PEEK_RESET     the argument is PEEK_RESET_MAGIC; the node resets itself
 *                  when the command has not come for 20 ms and twice slack_us
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
    PEEK_COMMANDS = 0x80, /* numbers from here on are commands */
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

/* Numbers of a port's counters: the switch's, the line driver's, both. */
#define PEEK_SWITCH_COUNTERS 10u
#define PEEK_LINE_COUNTERS 5u
#define PEEK_PORT_COUNTERS (PEEK_SWITCH_COUNTERS + PEEK_LINE_COUNTERS)
#define PEEK_PORT_BYTES (PEEK_AT_COUNTER + 4u * PEEK_PORT_COUNTERS)

/* Names of the counters in the order of the pages, each with its NUL. */
#define PEEK_COUNTER_NAMES                                                     \
    "sent_messages\0sent_bytes\0received_messages\0relayed_circuits\0"         \
    "refused\0retries\0retransmitted\0damaged\0lost\0dead"
#define PEEK_PORT_NAMES                                                        \
    "sent_messages\0received_messages\0relayed_frames\0refused\0retries\0"     \
    "retransmitted\0damaged\0lost\0broken\0mended\0"                           \
    "bytes_in\0bytes_out\0overruns\0framings\0noises"

enum peek_flag {
    PEEK_PLACED = 1,  /* the node knows its coordinates */
    PEEK_JOB = 2,     /* the node has a job */
    PEEK_FAULT = 4,   /* the node has a record of a fault */
    PEEK_BLINKS = 8,  /* the LED blinks, after PEEK_IDENTIFY */
    PEEK_RESETS = 16, /* the node will reset itself, after PEEK_RESET */
    PEEK_FLAGS = 31
};

/* What a node does, or waits for. */
enum peek_waypoint {
    PEEK_IDLE,    /* does nothing: it takes part in no mesh */
    PEEK_ORDER,   /* waits for the host's order */
    PEEK_MESSAGE, /* waits for a message */
    PEEK_SENDS,   /* waits for the end of its sends */
    PEEK_HOST,    /* waits until the host has fetched its report */
    PEEK_KERNEL,  /* runs the kernel */
    PEEK_WORK,    /* does something else */
    PEEK_WAYPOINTS
};

/* The names of waypoints and of enum node_state, in their order, each with its
   NUL. */
#define PEEK_WAYPOINT_NAMES "idle\0order\0message\0sends\0host\0kernel\0work"
#define PEEK_STATE_NAMES                                                       \
    "reset\0waiting\0planning\0scattering\0computing\0gathering\0done\0"       \
    "failed\0fault"

#endif
