/* SPDX-License-Identifier: Apache-2.0 */
/* The shell's state, and the codes of its replies. */
#ifndef BOOT_SHELL_STATE_H
#define BOOT_SHELL_STATE_H

#include "boot/shell/node.h"
#include "hal/serial/mailbox.h"

#define SHELL_PING_BYTES_MAX 65535u
#define SHELL_WORDS 7u /* of a request that are looked at, tag and name too */

/* Longest time without a next row, but for "waiting=" of `peeks`. */
#define SHELL_WAIT_US 30000000u

/* Longest silence of `peeks`; and how many paths it takes. */
#define SHELL_ALIVE_US 25000u
#define SHELL_PEEKS_MAX 32u

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

struct shell_command;

/* The caller's; all fields are the shell's. */
struct shell {
    struct serial_node *node;
    struct line_reader *reader;
    struct mailbox *mailbox;
    const struct shell_command *command; /* the last one */
    const char *word[SHELL_WORDS];       /* of the request, its name first */
    uint8_t words;                       /* behind the name */
    uint32_t tag;                        /* of the last request with one */
    bool tagged;                         /* the request has a tag */
    bool again;                          /* one before it had a tag */
    bool repeated;                       /* both have the same */
    bool rows;                 /* of the command are still to be written */
    bool resetting;            /* the board is to reset once all is sent */
    bool pending;              /* a circuit of `ping` is on its way */
    uint8_t ending;            /* enum shell_code, told by `end` */
    int32_t detail;            /* number in the meaning of a code */
    uint32_t cursor;           /* of shell_node_row(), or the next of `help` */
    uint32_t written;          /* rows */
    uint32_t wanted;           /* circuits of `ping`; the page of `peeks` */
    uint32_t bytes;            /* of a circuit of `ping` */
    uint32_t left;             /* paths of `peeks` that are not begun: a mask */
    uint8_t slot[TORUS_PORTS]; /* 1 + the path that is under way out of a port;
                                  0: none */
    uint32_t now_us;           /* of this shell_poll() */
    uint32_t since_us;         /* when the last row or request was */
    uint32_t told_us;          /* when the last row but "waiting=" was */
    struct torus_path path;    /* of the request */
    struct line_writer out;    /* the line that is being written */
};

#endif
