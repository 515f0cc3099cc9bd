/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peek (hal/switch/switch.h) is a message that asks a node for a page of its
 * state, or gives the node a command; boot/serial/pages.c writes the answer. A
 * peek's first byte is the number of a page or a command; the argument of a
 * command, a u32, follows. PEEK_STATE answers a command. The first byte of
 * every page is PEEK_VERSION. Numbers are little-endian; unnamed bytes are 0.
 */
#ifndef HAL_SWITCH_PEEK_H
#define HAL_SWITCH_PEEK_H

#define PEEK_VERSION 2u
#define PEEK_QUESTION_BYTES 5u /* command and argument */

enum peek_page {
    PEEK_STATE,    /* layout: enum peek_at */
    PEEK_COUNTS,   /* sums over all ports, in the order of PEEK_COUNTER_NAMES */
    PEEK_IDENTITY, /* layout: enum peek_identity_at */
    PEEK_IMAGE,    /* text at offset PEEK_AT_VERSION: version of the image */
    PEEK_EAST,     /* counters of one port, in the order of PEEK_PORT_NAMES */
    PEEK_NORTH,
    PEEK_WEST,
    PEEK_SOUTH,
    PEEK_COMMANDS = 0x80, /* numbers from here on are commands */
    PEEK_IDENTIFY = 0x80, /* argument: the LED blinks for this time, s, at most
                             PEEK_IDENTIFY_S_MAX; 0: the LED stops blinking */
    PEEK_RESET = 0x81     /* argument: PEEK_RESET_MAGIC; the node resets itself
                             20 ms + 2 slack_us after the last copy came in */
};

#define PEEK_RESET_MAGIC 0x21545352u /* "RST!" */
#define PEEK_IDENTIFY_S_MAX 3600u

/* Offsets in PEEK_STATE. "fault" is the last fault, "job" the current job. */
enum peek_at {
    PEEK_AT_STATE = 1,    /* u8: enum node_state */
    PEEK_AT_WAYPOINT = 2, /* u8: enum peek_waypoint */
    PEEK_AT_ERROR = 3,    /* i8: enum err of the last job that ended here */
    PEEK_AT_FLAGS = 4,    /* u8: mask of enum peek_flag */
    PEEK_AT_X = 5,        /* u8: x of the node in the mesh */
    PEEK_AT_Y = 6,        /* u8: y of the node in the mesh */
    PEEK_AT_ROUND = 8,    /* u8: number of the job's current round, from 0 */
    PEEK_AT_PORTS = 9,    /* u8: bit n: a message is awaited at port n; bit 4 +
                             n: sends out of port n are under way */
    PEEK_AT_KIND = 10,    /* u8: kind of the awaited message; 0: any, or none */
    PEEK_AT_LAST_PORT = 11,  /* u8: port of the last message, plus 4 if this
                                node sent it; PEEK_NONE: no message yet */
    PEEK_AT_LAST_ERROR = 12, /* i8: enum err of the last message */
    PEEK_AT_EXCEPTION = 13,  /* u8: exception number of the fault */
    PEEK_AT_FAULTS = 14,     /* u16: faults since power-up */
    PEEK_AT_LAST_BYTES = 16, /* u32: length of the last message, bytes */
    PEEK_AT_UPTIME = 20,     /* u32: time since the start, ms */
    PEEK_AT_STILL = 24,      /* u32: time since the node's last progress, ms */
    PEEK_AT_STACK = 28,      /* u16: most stack used so far, bytes */
    PEEK_AT_JOBS = 30,       /* u16: jobs that ended well since the start */
    /* If err_is_breach() of the error, the next three are .first_unit, .units
       and .bytes of struct node_breach, and PEEK_FAULT is not set. */
    PEEK_AT_PC = 32,     /* u32: program counter at the fault */
    PEEK_AT_LR = 36,     /* u32: link register at the fault */
    PEEK_AT_CFSR = 40,   /* u32: fault status register CFSR at the fault */
    PEEK_AT_KERNEL = 44, /* text: name of the kernel; no job: zeros */
    PEEK_AT_CHECK = 56,  /* u16: CHECK_PLACE() of a failed ASSERT; 0: none */
    PEEK_STATE_BYTES = 60,
    PEEK_AT_COUNTER = 4 /* offset of the first u32 counter in a page */
};

#define PEEK_KERNEL_BYTES 12u /* most bytes of the name at PEEK_AT_KERNEL */
#define PEEK_COUNTERS 10u
#define PEEK_COUNTS_BYTES (PEEK_AT_COUNTER + 4u * PEEK_COUNTERS)
#define PEEK_NONE 255u

/* Offsets in the page PEEK_IDENTITY. */
enum peek_identity_at {
    PEEK_AT_WHO_FLAGS = 1,   /* u8: mask of enum peek_flag */
    PEEK_AT_WHO_X = 2,       /* u8: x of the node in the mesh */
    PEEK_AT_WHO_Y = 3,       /* u8: y of the node in the mesh */
    PEEK_AT_UID = 4,         /* u32[3]: unique id of the chip */
    PEEK_AT_CRC = 16,        /* u32: CRC-32 of the program image */
    PEEK_AT_CLOCK_HZ = 20,   /* u32: clock of the core, Hz */
    PEEK_AT_CRYSTAL_HZ = 24, /* u32: frequency of the crystal, Hz; 0: unknown */
    PEEK_AT_ROOM = 28,       /* u32: size of the memory for jobs, bytes */
    PEEK_AT_WHO_UPTIME = 32, /* u32: time since the start, ms */
    PEEK_AT_SUPPLY = 36,     /* u16: supply voltage, mV; 0: unknown */
    PEEK_AT_CELSIUS = 38,    /* i16: temperature of the chip, degrees Celsius */
    PEEK_AT_WHO_FAULTS = 40, /* u16: faults since power-up */
    PEEK_AT_START = 42,      /* u16: counter, 1 more after each reset */
    PEEK_AT_NAMES = 44,      /* two texts, each ended by NUL: source of the
                                clock, cause of the reset */
    PEEK_IDENTITY_BYTES = 64
};

#define PEEK_NO_CELSIUS (-32768) /* at PEEK_AT_CELSIUS: unknown */
#define PEEK_NAMES_BYTES 20u     /* most bytes of the texts at PEEK_AT_NAMES */

#define PEEK_AT_VERSION 4u
#define PEEK_VERSION_BYTES 60u

/* Numbers of counters of a port: of the switch, of the line driver, of both. */
#define PEEK_SWITCH_COUNTERS 10u
#define PEEK_LINE_COUNTERS 5u
#define PEEK_PORT_COUNTERS (PEEK_SWITCH_COUNTERS + PEEK_LINE_COUNTERS)
#define PEEK_PORT_BYTES (PEEK_AT_COUNTER + 4u * PEEK_PORT_COUNTERS)

/* Names of the counters, in the order of their page; NUL ends each. */
#define PEEK_COUNTER_NAMES                                                     \
    "sent_messages\0sent_bytes\0received_messages\0relayed_circuits\0"         \
    "refused\0retries\0retransmitted\0damaged\0lost\0dead"
#define PEEK_PORT_NAMES                                                        \
    "sent_messages\0received_messages\0relayed_frames\0refused\0retries\0"     \
    "retransmitted\0damaged\0lost\0broken\0mended\0"                           \
    "bytes_in\0bytes_out\0overruns\0framings\0noises"

enum peek_flag {
    PEEK_PLACED = 1, /* the node knows its coordinates */
    PEEK_JOB = 2,
    PEEK_FAULT = 4,  /* the node has a record of a fault */
    PEEK_BLINKS = 8, /* the LED blinks, as PEEK_IDENTIFY asked */
    PEEK_RESETS = 16 /* the node will soon reset itself, as PEEK_RESET asked */
};

/* What a node does, or waits for. */
enum peek_waypoint {
    PEEK_IDLE,    /* does nothing: it takes part in no mesh */
    PEEK_ORDER,   /* waits for the host's order */
    PEEK_MESSAGE, /* waits for a message */
    PEEK_SENDS,   /* waits for the end of its sends */
    PEEK_HOST,    /* waits until the host has fetched the node's report */
    PEEK_KERNEL,  /* runs the kernel */
    PEEK_WORK,    /* does something else */
    PEEK_WAYPOINTS
};

/* Names of enum peek_waypoint and of enum node_state; NUL ends each. */
#define PEEK_WAYPOINT_NAMES "idle\0order\0message\0sends\0host\0kernel\0work"
#define PEEK_STATE_NAMES                                                       \
    "reset\0waiting\0planning\0scattering\0computing\0gathering\0done\0"       \
    "failed\0fault"

#endif
