/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's side of a board's console (hal/line/line.h, boot/shell/shell.h):
 * commands with their replies, and messages in and out. A request whose reply
 * is damaged, lost, cut off or late is repeated, a bounded number of times.
 */
#ifndef QEMU_SERIAL_CLIENT_H
#define QEMU_SERIAL_CLIENT_H

#include "hal/nodiscard.h"
#include "qemu/serial/port.h"

#include <stdbool.h>
#include <stdint.h>

#define CONSOLE_WORD_BYTES 64u

struct console;

/* Lines and errors on the line since console_open(). */
struct console_counters {
    uint32_t requests; /* lines written for the first time */
    uint32_t retries;  /* repeats: of a line, or of the lines of a window */
    uint32_t damaged;  /* lines that came with a wrong CRC or without one */
    uint32_t refused;  /* lines that the board found damaged */
    uint32_t late;     /* waits that ended without a line */
    uint32_t stale;    /* lines that answer no current request */
};

/*
 * The lines of a reply, without CRC, tag and `until=end`: the first begins with
 * `ok` or `err`, then come the rows, if any. Free it with console_reply_free(),
 * also after a failure.
 */
struct console_reply {
    bool ok; /* the first word, and nothing went wrong before the end */
    uint32_t lines;
    char **line;
    char code[CONSOLE_WORD_BYTES]; /* behind `err`, else "" */
};

/* Takes the port over. */
struct console *console_open(struct console_port *port);

/* Opens the port of that path, `rate` bits a second. Result: NULL after a
   message on stderr. */
struct console *console_connect(const char *path, uint32_t rate);

/* NULL is fine. */
void console_close(struct console *console);

/*
 * Sets how long to wait: wait_ms for a reply, rows_ms for the next row of a
 * reply whose rows come over circuits; and how often to send a request, 1 or
 * more. After console_open(): 1000, 35000, 5.
 */
void console_patience(struct console *console, uint32_t wait_ms,
                      uint32_t rows_ms, uint32_t tries);

/* Ends every wait for a line limit_ms from now at the latest; 0: no limit but
   that of console_patience(). */
void console_limit(struct console *console, uint32_t limit_ms);

/* The clock of the console's port, by which callers wait for boards, too, so
   that a modelled mesh has one time. */
const struct host_clock *console_clock(const struct console *console);

/* Why the last call failed: a sentence with port and place. */
const char *console_why(const struct console *console);
const struct console_counters *console_counters(const struct console *console);

/* Sets the sentence of console_why(), for a caller who finds that a reply is of
   no use. */
void console_fail(struct console *console, const char *what);

/*
 * Sends one command with its words and waits for the reply. Result: 0: there is
 * a reply, good or not; -1: none, see console_why(). Takes at most tries times
 * the patience between two lines.
 */
NODISCARD int console_request(struct console *console,
                              struct console_reply *reply, const char *command);
void console_reply_free(struct console_reply *reply);

/* Copies the VALUE of the reply's first KEY=VALUE word, cut off at
   CONSOLE_WORD_BYTES - 1. Result: `value`; NULL: there is no such word. */
const char *console_value(const struct console_reply *reply,
                          char value[CONSOLE_WORD_BYTES], const char *key);

/* Reads that VALUE as a decimal number. False: there is none. */
bool console_number(const struct console_reply *reply, uint64_t *number,
                    const char *key);

/*
 * Sends a message to the node's host port: announces it, then writes it,
 * several lines ahead of their replies: 7 KB/s at 115200 bits a second. Of
 * damaged lines a CRC-16 lets one in 65536 pass: a message has a check of its
 * own. Result: 0: the node has all of it; 1: it does not wait for one now
 * (busy); -1: failed.
 */
NODISCARD int console_send(struct console *console, const uint8_t *data,
                           uint32_t bytes, uint8_t kind, uint16_t job);

/*
 * Fetches the node's message. Result: 0: `data` is malloc'd with `bytes` bytes,
 * and the node knows that it has been read; 1: there is none yet; -1: failed.
 */
NODISCARD int console_receive(struct console *console, uint8_t **data,
                              uint32_t *bytes, uint8_t *kind, uint16_t *job);

#endif
