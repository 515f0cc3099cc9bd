/* SPDX-License-Identifier: Apache-2.0 */
/* The host's side of a board's console (hal/line/line.h, boot/shell/shell.h):
   commands with replies, and messages in both directions. A request is repeated
   a limited number of times if its reply is damaged, lost, cut off or late. */
#ifndef QEMU_SERIAL_CLIENT_H
#define QEMU_SERIAL_CLIENT_H

#include "hal/nodiscard.h"
#include "qemu/serial/port.h"

#include <stdbool.h>
#include <stdint.h>

#define CONSOLE_WORD_BYTES 64u

struct console;

/* Counters since console_open(). */
struct console_counters {
    uint32_t requests; /* lines sent for the first time */
    uint32_t retries;  /* repeats of a line or of a window of lines */
    uint32_t damaged;  /* lines received without a correct CRC */
    uint32_t refused;  /* lines that the board received damaged */
    uint32_t late;     /* waits that ended without a line */
    uint32_t stale;    /* lines that answer no current request */
};

/* The lines of a reply without CRC, tag and `until=end`. The first line begins
   with `ok` or `err`; rows may follow. Free with console_reply_free(), also
   after a failure. */
struct console_reply {
    bool ok; /* the reply begins with `ok` and is complete */
    uint32_t lines;
    char **line;
    char code[CONSOLE_WORD_BYTES]; /* error code after `err`, else "" */
};

/* Opens a console on the port and takes over the port. */
struct console *console_open(struct console_port *port);

/* Opens the serial port at `path` with `rate` bit/s. Returns NULL after a
   message on stderr. */
struct console *console_connect(const char *path, uint32_t rate);

/* `console` may be NULL. */
void console_close(struct console *console);

/* Sets time limits: wait_ms for a reply, rows_ms for the next row of a reply
   that travels over circuits. `tries` is how often a request is sent, at least
   1. Defaults: 1000, 35000, 5. */
void console_patience(struct console *console, uint32_t wait_ms,
                      uint32_t rows_ms, uint32_t tries);

/* Limits all waits for lines to limit_ms from now. 0 removes this limit. */
void console_limit(struct console *console, uint32_t limit_ms);

/* Returns the clock of the console's port. Callers use it to wait for boards,
   too, so that a simulated mesh has a single time. */
const struct host_clock *console_clock(const struct console *console);

/* Returns why the last call failed: a sentence with port and position. */
const char *console_why(const struct console *console);
const struct console_counters *console_counters(const struct console *console);

/* Sets the text of console_why(), for a caller that finds a reply useless. */
void console_fail(struct console *console, const char *what);

/* Sends a command and waits for the reply. Returns 0 if a reply came, good or
   not; else -1, see console_why(). Takes at most `tries` times the limits of
   console_patience() between two lines. */
NODISCARD int console_request(struct console *console,
                              struct console_reply *reply, const char *command);
void console_reply_free(struct console_reply *reply);

/* Copies the VALUE of the reply's first KEY=VALUE word, cut off at
   CONSOLE_WORD_BYTES - 1. Returns `value`, or NULL if the key is missing. */
const char *console_value(const struct console_reply *reply,
                          char value[CONSOLE_WORD_BYTES], const char *key);

/* Reads the VALUE of KEY=VALUE as a decimal number. Returns false if there is
   none. */
bool console_number(const struct console_reply *reply, uint64_t *number,
                    const char *key);

/* Sends a message to the node's host port at up to 7 KB/s (115200 bit/s).
   Several lines are sent before their replies come. A CRC-16 misses one in
   65536 damaged lines, so a message needs its own checksum. Returns 0: the node
   has the message; 1: the node is busy; -1: failed. */
NODISCARD int console_send(struct console *console, const uint8_t *data,
                           uint32_t bytes, uint8_t kind, uint16_t job);

/* Fetches the node's message. Returns 0 with `data` malloc'd and confirmed to
   the node; 1: no message yet; -1: failed. */
NODISCARD int console_receive(struct console *console, uint8_t **data,
                              uint32_t *bytes, uint8_t *kind, uint16_t *job);

#endif
