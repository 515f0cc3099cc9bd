/* SPDX-License-Identifier: Apache-2.0 */
/* The shell's state, and the codes of its replies. */
#ifndef BOOT_SHELL_STATE_H
#define BOOT_SHELL_STATE_H

#include "boot/shell/node.h"
#include "hal/serial/mailbox.h"

#define SHELL_PING_BYTES_MAX 65535u
#define SHELL_WORDS 7u /* words kept of a request, its tag included */

/* Longest wait for the next row, not counting rows "waiting=" of `peeks`. */
#define SHELL_WAIT_US 30000000u

/* `peeks`: time after which a row "waiting=" is written; most paths. */
#define SHELL_ALIVE_US 25000u
#define SHELL_PEEKS_MAX 32u

/* The errors of a request. */
enum shell_code {
    SHELL_OK,
    SHELL_LONG, /* this and the next four: LINE_LONG to LINE_HALF */
    SHELL_CRC,
    SHELL_CONTROL,
    SHELL_DAMAGED,
    SHELL_HALF,
    SHELL_COMMAND,  /* the command is unknown */
    SHELL_ARGUMENT, /* a word is missing, malformed, or too many */
    SHELL_BUSY,     /* the node cannot do this now */
    SHELL_GAP,      /* bytes are missing; next=OFFSET of the first of them */
    SHELL_SPACE,    /* too many bytes, or an offset beyond the end */
    SHELL_LATE,     /* the command did not end in time */
    SHELL_FAILED,   /* error=NUMBER is an enum err */
    SHELL_FAULTS,   /* discovery ended, and found faults */
    SHELL_CODES
};

struct shell_command;

/* The state of a shell. The caller owns it; only the shell uses the fields. */
struct shell {
    struct serial_node *node;
    struct line_reader *reader;
    struct mailbox *mailbox;
    const struct shell_command *command; /* command of the last request */
    const char *word[SHELL_WORDS];       /* words of the request, name first */
    uint8_t words;                       /* number of words behind the name */
    uint32_t tag;                        /* tag of the last request with one */
    bool tagged;                         /* the request has a tag */
    bool again;                          /* an earlier request had a tag */
    bool repeated;             /* the request has the tag of the one before */
    bool rows;                 /* rows of the command are still to come */
    bool resetting;            /* the board is to reset once all is sent */
    bool pending;              /* a circuit of `ping` is on its way */
    uint8_t ending;            /* enum shell_code that the line `end` tells */
    int32_t detail;            /* number that the code's text contains */
    uint32_t cursor;           /* as in shell_node_row(); of `help`: next row */
    uint32_t written;          /* rows written */
    uint32_t wanted;           /* `ping`: circuits; `peeks`: the page */
    uint32_t bytes;            /* `ping`: bytes of each circuit */
    uint32_t left;             /* `peeks`: mask of paths not begun yet */
    uint8_t slot[TORUS_PORTS]; /* `peeks`, of each port: 1 + index of the path
                                  whose peek is under way; 0: none */
    uint32_t now_us;           /* time of this shell_poll() */
    uint32_t since_us;         /* time of the last row or request */
    uint32_t told_us;          /* `peeks`: time of the last answer */
    struct torus_path path;    /* path in the request */
    struct line_writer out;    /* the line that is being written */
};

#endif
