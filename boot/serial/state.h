/* SPDX-License-Identifier: Apache-2.0 */
/* A node on serial lines: what the board gives, and what the node holds. */
#ifndef BOOT_SERIAL_STATE_H
#define BOOT_SERIAL_STATE_H

#include "boot/shell/shell.h"
#include "hal/clock.h"
#include "hal/discover/discover.h"
#include "hal/line/line.h"
#include "hal/serial/state.h"
#include "hal/serial/mailbox.h"
#include "hal/switch/peek.h"
#include "scatter/engine/scatter.h"

/* What the board tells of itself. Strings stay. */
struct serial_node_config {
    const char *board;
    const char *version;
    const char *reset_cause;
    const char *clock; /* its source */
    uint32_t clock_hz;
    uint32_t crystal_hz; /* 0: unknown */
    uint32_t unique_id[3];
    uint32_t image_crc; /* boards with the same image have the same */
    bool strapped;      /* the coordinates are set in flash: */
    struct torus_coord strap;
    uint32_t salt;         /* another after every reset */
    uint32_t byte_ns;      /* time of a byte on a port's line */
    uint32_t slack_us;     /* by how much a node may be late; 0: a little */
    uint32_t half_line_us; /* a line of the console waits for its next byte */
    uint8_t *memory;       /* for messages; 8-byte aligned, as is its length */
    uint32_t memory_bytes;
    /* More memory, in which no message is sent or received but results; may be
       too small for anything, and NULL if it has no bytes. 8-byte aligned. */
    uint8_t *aside;
    uint32_t aside_bytes;
    const struct scatter_costs *costs;
    uint8_t lost_max; /* of a link's DISCOVER_TESTS test frames */
    /* board_counters(): how many, and their names, one behind the other
       (hal/names.h). */
    unsigned line_counters;
    const char *line_names;
};

/* A peek of the console's: one for each port, of which one is under way. */
struct serial_node_peek {
    struct switch_message message;
    uint8_t question[PEEK_QUESTION_BYTES];
    uint8_t answer[SWITCH_STATUS_BYTES];
};

struct serial_node {
    struct serial_node_config config;
    struct node node;
    struct node_log log;
    struct switch_core core;
    struct discover discover;
    struct line_reader reader;
    struct mailbox mailbox;
    struct shell shell;
    struct serial_circuit serial;
    struct clock clock;
    struct circuit circuit;
    struct scatter scatter;
    struct switch_message ping;
    uint32_t ping_retries; /* of the ping's port, before the ping began */
    struct serial_node_peek peek[TORUS_PORTS]; /* by the path's port */
    uint8_t peeked;            /* the path's port of the console's last peek */
    uint16_t epoch;            /* of the wave that made the identity */
    bool working;              /* the main loop is in the engine */
    uint16_t jobs;             /* that ended without an error */
    volatile uint32_t idle_us; /* when the main loop last waited */
    volatile bool answering;   /* the shell is being polled */
    uint32_t due_us[TORUS_PORTS]; /* when something is due at a port */
    uint8_t due;                  /* mask of ports at which something is due */
    uint8_t speaking;     /* mask of ports that may tell a frame of discovery */
    uint32_t alarm_us;    /* time of the last board_alarm() */
    bool armed;           /* that alarm has not come yet */
    uint32_t ticked_us;   /* board_now_us() up to which uptime_ms counts */
    uint32_t uptime_ms;   /* since the start */
    uint32_t progress;    /* a sum that every progress changes */
    uint32_t progress_ms; /* uptime when it changed last */
    bool blinks;          /* the LED does, until blinks_ms */
    bool resets;          /* the node is to reset itself at resets_ms */
    uint32_t blinks_ms;   /* uptime */
    uint32_t resets_ms;   /* uptime */
};

#endif
