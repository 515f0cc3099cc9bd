/* SPDX-License-Identifier: Apache-2.0 */
/* A node on serial lines: its configuration, state, and answers to peeks. */
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

/* The configuration of a node. The strings outlive the node. */
struct serial_node_config {
    const char *board;
    const char *version;
    const char *reset_cause;
    const char *clock; /* name of the clock's source */
    uint32_t clock_hz;
    uint32_t crystal_hz; /* 0: unknown */
    uint32_t unique_id[3];
    uint32_t image_crc; /* CRC-32 of the image's bytes behind boot_identity */
    bool strapped;      /* the node's coordinates are set in flash */
    struct torus_coord strap; /* coordinates in flash */
    uint32_t salt;            /* a number that differs after every reset */
    uint32_t byte_ns;         /* time of a byte on a port's line, ns */
    uint32_t slack_us;     /* most delay of an answer, us; 0: SWITCH_SLACK_US */
    uint32_t half_line_us; /* longest wait for a typed line's next byte, us */
    uint8_t *memory;       /* for messages; 8-byte aligned */
    uint32_t memory_bytes; /* a multiple of 8 */
    /* A second memory, 8-byte aligned, or NULL with aside_bytes 0. */
    uint8_t *aside;
    uint32_t aside_bytes;
    const struct scatter_costs *costs;
    uint8_t lost_max; /* most test frames that a good link may lose */
    /* Number and names (hal/names.h) of the counters of board_counters(). */
    unsigned line_counters;
    const char *line_names;
};

/* A peek that the console has sent out of a port. */
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
    uint32_t ping_retries; /* `retries` of the port before the ping */
    struct serial_node_peek peek[TORUS_PORTS]; /* last peek of each port */
    uint8_t peeked; /* index in `peek` of the console's last peek */
    uint16_t epoch; /* number of the discovery that set the identity */
    bool working;   /* the main loop is in the engine */
    uint16_t jobs;  /* jobs that ended without an error */
    volatile uint32_t idle_us; /* time at which the main loop last waited, us */
    volatile bool answering;   /* the shell makes a line of a reply */
    uint32_t due_us[TORUS_PORTS]; /* time of the next work at each port, us */
    uint8_t due;                  /* bit n: due_us[n] is valid */
    uint8_t speaking;             /* bit n: discovery has a frame for port n */
    uint32_t alarm_us;            /* time given to the last board_alarm(), us */
    bool armed;                   /* the alarm at alarm_us has not come yet */
    uint32_t ticked_us;           /* time of the last count of uptime_ms, us */
    uint32_t uptime_ms;
    uint32_t progress;    /* sum of counters; any progress changes it */
    uint32_t progress_ms; /* uptime at the last change of `progress`, ms */
    bool blinks;          /* the LED blinks */
    bool resets;          /* the node is to reset itself */
    uint32_t blinks_ms;   /* uptime at which the blinking ends, ms */
    uint32_t resets_ms;   /* uptime at which the node resets itself, ms */
};

bool serial_node_has_job(const struct serial_node *node);

/* Writes a page (enum peek_page) into `out`, which has SWITCH_STATUS_BYTES.
   Result: number of bytes written. May be called in any context. */
unsigned serial_node_status(const struct serial_node *node, uint8_t page,
                            uint8_t *out);

/* Answers a peek: carries out its command, if any, and writes a page into
   `out`. Result: number of bytes written. `context`: the node. */
unsigned serial_node_peeked(void *context, const uint8_t *question,
                            uint32_t bytes, uint8_t *out);

#endif
