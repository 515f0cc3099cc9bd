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

/* Errors on the line since console_open(). */
struct console_counters {
    uint32_t requests; /* lines written, but for repeated ones .. */
    uint32_t retries;  /* .. and these; a window's counts once */
    uint32_t damaged;  /* lines that came with a wrong CRC or without one */
    uint32_t refused;  /* lines that the board found damaged */
    uint32_t late;     /* waits that ended without a line */
    uint32_t stale;    /* lines that belong to nothing that is asked now */
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

/* The same for the port of that path, at so many bits a second. NULL after a
   message on stderr. */
struct console *console_connect(const char *path, uint32_t rate);

/* NULL is fine. */
void console_close(struct console *console);

/*
 * wait_ms: for a reply; rows_ms: for the next row of one (circuits take time);
 * tries: for one request, 1 or more. As opened: 1000, 35000, 5.
 */
void console_patience(struct console *console, uint32_t wait_ms,
                      uint32_t rows_ms, uint32_t tries);

/* From now on nothing is waited for longer than so long in all; 0: as long as
   console_patience() says. */
void console_limit(struct console *console, uint32_t limit_ms);

/* The clock of the console's port. Whoever asks boards through this console
   waits for them by it, so that a modelled mesh has one time. */
const struct host_clock *console_clock(const struct console *console);

/* Why the last call failed: a sentence with port and place. */
const char *console_why(const struct console *console);
const struct console_counters *console_counters(const struct console *console);

/* Sets the sentence of console_why(), for a caller who finds that a reply is of
   no use. */
void console_fail(struct console *console, const char *what);

/*
 * One command with its words, and the reply to it. Result: 0: there is a
 * reply, good or not; -1: none, see console_why(). Takes at most tries times
 * the patience between two lines.
 */
NODISCARD int console_request(struct console *console,
                              struct console_reply *reply, const char *command);
void console_reply_free(struct console_reply *reply);

/* The VALUE of the first KEY=VALUE word of any line; NULL: there is none. It is
   cut off at CONSOLE_WORD_BYTES - 1. */
const char *console_value(const struct console_reply *reply,
                          char value[CONSOLE_WORD_BYTES], const char *key);

/* The same as a decimal number; false: there is none. */
bool console_number(const struct console_reply *reply, uint64_t *number,
                    const char *key);

/*
 * A message to the node's host port: announces it, then writes it, several
 * lines ahead of their replies: 7 KB/s at 115200 bits a second. Of damaged
 * lines a CRC-16 lets one in 65536 pass: a message has a check of its own.
 * Result: 0: the node has all of it; 1: it does not wait for one now (busy);
 * -1: failed.
 */
NODISCARD int console_send(struct console *console, const uint8_t *data,
                           uint32_t bytes, uint8_t kind, uint16_t job);

/*
 * The node's message: 0: `data` is malloc'd with `bytes` bytes, and the node
 * knows that it has been read; 1: there is none yet; -1: failed.
 */
NODISCARD int console_receive(struct console *console, uint8_t **data,
                              uint32_t *bytes, uint8_t *kind, uint16_t *job);

#endif
