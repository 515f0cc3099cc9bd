/* SPDX-License-Identifier: Apache-2.0 */
/* The shell's state, its table of commands, and the codes of its replies. */
#ifndef BOOT_SHELL_STATE_H
#define BOOT_SHELL_STATE_H

#include "boot/shell/node.h"
#include "hal/serial/mailbox.h"

#define SHELL_PING_BYTES_MAX 65535u
#define SHELL_WORDS 7u /* words kept of a request, its tag included */

/* Time without a row after which a command ends with SHELL_LATE, us. */
#define SHELL_WAIT_US 30000000u

/* `peeks`: time without a row, us, after which a row "waiting=" is written. */
#define SHELL_ALIVE_US 25000u
#define SHELL_PEEKS_MAX 32u /* most paths in a request `peeks` */

enum shell_code {
    SHELL_OK,
    /* errors of the line itself, in the order of enum line_status */
    SHELL_LONG,
    SHELL_CRC,
    SHELL_CONTROL,
    SHELL_DAMAGED,
    SHELL_HALF,
    /* errors of the command */
    SHELL_COMMAND,  /* the command is unknown */
    SHELL_ARGUMENT, /* a word is missing, malformed, or too many */
    SHELL_BUSY,     /* the node cannot do this now */
    SHELL_GAP,      /* a gap: bytes from offset next= on are missing */
    SHELL_SPACE,    /* a message, an offset or a reply is beyond its limit */
    SHELL_LATE,     /* the command did not end in time */
    SHELL_FAILED,   /* error=NUMBER in the reply is an enum err */
    SHELL_FAULTS,   /* discovery ended, and found faults */
    SHELL_CODES
};

/* The state of a shell. The caller owns it; only the shell uses the fields. */
struct shell {
    struct serial_node *node;
    struct line_reader *reader;
    struct mailbox *mailbox;
    const struct shell_command *command; /* command of the last request */
    const char *word[SHELL_WORDS];       /* the command's name and arguments */
    uint8_t words;    /* number of arguments after the command's name */
    uint32_t tag;     /* tag of the last request that had a tag */
    bool tagged;      /* the last request had a tag */
    bool again;       /* `tag` is valid: a request has had a tag */
    bool repeated;    /* the request's tag is the previous tag again */
    bool rows;        /* rows of the command are still to come */
    bool resetting;   /* the board is to reset once all is sent */
    bool pending;     /* a circuit of `ping` is on its way */
    uint8_t ending;   /* enum shell_code of the line `end` */
    int32_t detail;   /* number in a code's text, as in "error=%d" */
    uint32_t cursor;  /* place of the next row in the list that is printed */
    uint32_t written; /* number of rows written so far */
    uint32_t wanted;  /* `ping`: number of circuits; `peeks`: page asked for */
    uint32_t bytes;   /* `ping`: bytes sent over each circuit */
    uint32_t left;    /* `peeks`: mask of paths not begun yet */
    uint8_t slot[TORUS_PORTS]; /* 1 + index of the port's path; 0: none */
    uint32_t now_us;           /* time of this shell_poll() */
    uint32_t since_us;         /* time of the last row or request */
    uint32_t told_us;          /* `peeks`: time of the last row of a peek */
    struct torus_path path;
    struct line_writer out; /* the line that is being written */
};

/* A command. run() carries out a request: appends words to the reply `ok`, or
   returns an error. row() appends a row, as shell_node_row() does, unless run()
   has cleared shell->rows. Both may be NULL. */
struct shell_command {
    const char *help; /* the name, then the arguments, as `help` prints them */
    enum shell_code (*run)(struct shell *shell);
    int (*row)(struct shell *shell);
    uint8_t name_bytes;
    uint8_t words_min; /* least number of arguments */
    uint8_t words_max;
    uint8_t list; /* enum shell_list, if row() calls shell_node_row() */
};

extern const struct shell_command shell_commands[];
extern const unsigned shell_commands_count;

/* Stores `error`, an enum err, in shell->detail. Result: code for `error`. */
enum shell_code shell_code_of(struct shell *shell, int error);

/* Reads a decimal number. Result: false if it is none, or above `most`. */
bool shell_number(const char *text, uint32_t *number, uint32_t most);

#endif
