/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the shell's files: the board's functions, and the shell's state. */
#ifndef BOOT_SHELL_STATE_H
#define BOOT_SHELL_STATE_H

#include "hal/line/line.h"
#include "hal/serial/mailbox.h"
#include "torus/torus.h"

#include <stdbool.h>
#include <stdint.h>

#define SHELL_PING_BYTES_MAX 65535u
#define SHELL_WORDS 7u /* that are looked at, with tag and name */

/* How long a reply may take to leave before a reset: 2 KiB take 178 ms. */
#define SHELL_SENT_US 300000u

/* Of `mesh`, where no policy is given. */
#define SHELL_POLICY_OF_SIZE 255u

/* How long `mesh` or `ping` may be without a next row. */
#define SHELL_WAIT_US 30000000u

/* How long `peeks` is silent at most; and how many paths it takes. */
#define SHELL_ALIVE_US 25000u
#define SHELL_PEEKS_MAX 32u

struct shell_ident {
    const char *board;
    const char *version;
    const char *reset_cause;
    uint32_t mesh;
    struct torus_size size; /* 0 x 0: not known yet, nor the coordinates */
    struct torus_coord at;
    struct torus_coord originator;
    uint32_t unique_id[3];
    uint32_t image_crc; /* the same of boards with the same image */
    const char *clock;  /* where it comes from */
    uint32_t clock_hz;
    uint32_t crystal_hz; /* 0: unknown */
    uint32_t room_bytes; /* for a job's data */
};

struct shell_status {
    const char *state;
    const char *waypoint; /* what it does, or did last */
    int32_t error;        /* enum err */
    uint32_t circuits;    /* that ever began here, and of the last one: */
    int32_t last_port;    /* enum torus_port, or -1 */
    int32_t last_error;   /* enum err */
    uint32_t last_bytes;
    uint32_t stack_bytes;
    uint32_t stack_used_bytes;
    uint64_t uptime_us;
};

struct shell_link {
    bool known; /* a neighbour told that it is at .. */
    struct torus_coord at;
    uint8_t port;       /* .. with this port at the other end */
    const char *result; /* of the link's test: good, noisy, silent */
};

/* Where discovery found something wrong. */
struct shell_mesh_fault {
    struct torus_coord at;
    uint8_t port; /* or more than any: it is the node */
    const char *what;
    bool leads; /* to what is found there instead: */
    struct torus_coord to;
    uint8_t to_port;
    uint8_t count; /* if it is one of something: hal/discover/discover.h */
};

/* One circuit, on this node's clock. */
struct shell_ping {
    int32_t error;     /* enum err */
    uint32_t setup_ns; /* first set-up sent, until it was accepted; 0: never */
    uint32_t total_ns; /* the same, until the last byte was acknowledged */
    uint32_t retries;  /* set-ups before the one that was accepted */
};

struct shell_event {
    uint64_t time_ps;
    uint32_t value;
    uint16_t kind;
    uint16_t detail;
};

/* Lists of named numbers. */
enum shell_list {
    SHELL_COUNTERS, /* of a port */
    SHELL_FAULT     /* the fault record's words; nothing: no fault */
};

/* The results of a function that is called until it has an answer. */
#define SHELL_LATER 1 /* nothing yet; any error is negative and ends it */

/*
 * The board's side. `context` is given to each function. Strings stay as they
 * are until the next call; blanks in what is a KEY's VALUE come out as they
 * are, so there should be none. No function may be NULL.
 */
struct shell_config {
    void *context;

    /* Bytes that write() would take now, LINE_BYTES_MAX if there is nothing on
       its way; and a whole line. */
    unsigned (*room)(void *context);
    void (*write)(void *context, const char *text, unsigned bytes);
    /* Whether the last byte of all that was written has left. */
    bool (*sent)(void *context);

    /* Whether a timed run is on: then nothing is begun that could disturb. */
    bool (*busy)(void *context);
    void (*ident)(void *context, struct shell_ident *ident);
    void (*status)(void *context, struct shell_status *status);
    void (*link)(void *context, struct shell_link *link, unsigned port);

    /* The name of the list's number `index` and the number; NULL behind the
       last. port < TORUS_PORTS, 0 with SHELL_FAULT. */
    const char *(*number)(void *context, uint64_t *number, enum shell_list list,
                          unsigned port, unsigned index);
    void (*clear)(void *context, enum shell_list list);

    /* Starts discovery from here; the nodes' policy, enum wire_policy, is that,
       or with SHELL_POLICY_OF_SIZE the one of such a torus. Result: 0 or enum
       err. Then until all is found: SHELL_LATER; 0: `fault` is one more;
       ERR_EMPTY: that was all. */
    int (*mesh)(void *context, struct torus_size size, struct torus_coord at,
                uint8_t policy);
    int (*mesh_fault)(void *context, struct shell_mesh_fault *fault);

    /* Starts one circuit. Result: 0 or enum err. Then until it has ended:
       SHELL_LATER; 0: `ping` tells of it; enum err. */
    int (*ping)(void *context, struct torus_path path, uint32_t bytes);
    int (*ping_result)(void *context, struct shell_ping *ping);

    /* Asks the node at the end of the path, this one if that has no hops, for a
       page of hal/switch/peek.h, or gives it a command with its argument. One
       at a time for each port. Result: 0; ERR_PORT_BUSY: the last one out of
       that port is still under way; another enum err. */
    int (*peek)(void *context, struct torus_path path, uint8_t page,
                uint32_t argument);

    /* Of the last peek out of a port, until all rows are there: SHELL_LATER; 0:
       row `row` is in `out`; ERR_EMPTY: there is none; enum err. */
    int (*peek_row)(void *context, struct line_writer *out, unsigned port,
                    uint32_t row);

    /* The same, as it came: SHELL_LATER; 0: `bytes` at `data`, which stay until
       the next peek; enum err. */
    int (*peeked)(void *context, const uint8_t **data, unsigned *bytes,
                  unsigned port);

    uint64_t (*clock_ps)(void *context);

    /* Sets the fault of the next job: enum node_injection. */
    void (*inject)(void *context, unsigned what);

    /* Event `index` of the log; false: there is none. */
    bool (*event)(void *context, struct shell_event *event, uint32_t index);

    /* After the reply was sent, or SHELL_SENT_US. */
    void (*reset)(void *context);
};

/* The errors of a request. */
enum shell_code {
    SHELL_OK,
    SHELL_LONG, /* of the line, as in hal/line/line.h */
    SHELL_CRC,
    SHELL_CONTROL,
    SHELL_DAMAGED,
    SHELL_HALF,
    SHELL_COMMAND,  /* there is no such one, or this board has it not */
    SHELL_ARGUMENT, /* a word is missing, malformed, or too many */
    SHELL_BUSY,     /* not now */
    SHELL_GAP,      /* next=OFFSET tells which one is waited for */
    SHELL_SPACE,    /* more bytes than there is room for, or beyond the end */
    SHELL_LATE,     /* what was begun did not end in time */
    SHELL_FAILED,   /* error=NUMBER of enum err */
    SHELL_FAULTS,   /* discovery ended, and found some */
    SHELL_CODES
};

/* The caller's; all fields are the shell's. */
struct shell_command;

struct shell {
    const struct shell_config *config;
    struct line_reader *reader;
    struct mailbox *mailbox;
    const struct shell_command *command; /* the last one */
    const char *word[SHELL_WORDS];       /* of the request, its name first */
    uint8_t words;                       /* behind the name */
    uint32_t tag;
    bool tagged;
    bool again;                /* there was a tag before: `tag` */
    bool repeated;             /* and it is the same once more */
    bool rows;                 /* of the command are still to be written */
    bool resetting;            /* the reply to `reset` is on its way */
    bool pending;              /* a circuit of `ping` is on its way */
    uint8_t ending;            /* enum shell_code, told by `end` */
    int32_t detail;            /* what a code tells besides */
    uint32_t row;              /* the next one, or its port: the command's */
    uint32_t index;            /* the next number of a list */
    uint32_t written;          /* rows */
    uint32_t wanted;           /* circuits of `ping` */
    uint32_t bytes;            /* of each */
    uint32_t left;             /* paths of `peeks` that are not begun: a mask */
    uint8_t slot[TORUS_PORTS]; /* the path under way out of each, and one more;
                                  0: none */
    uint32_t now_us;
    uint32_t told_us; /* the last row that is not "waiting=" */
    struct torus_path path;
    uint32_t since_us; /* the last row or request */
    struct line_writer out;
};

#endif
