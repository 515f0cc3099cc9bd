/* SPDX-License-Identifier: Apache-2.0 */
/* The host's side of a board's console (hal/line/line.h, boot/shell/shell.h):
   commands with replies, and messages in both directions. If a reply is
   damaged, lost, cut off or late, the request is sent again, a limited number
   of times. */
#ifndef QEMU_SERIAL_CLIENT_H
#define QEMU_SERIAL_CLIENT_H

#include "hal/nodiscard.h"
#include "qemu/serial/port.h"

#include <stdbool.h>
#include <stdint.h>

#define CONSOLE_WORD_BYTES 64u

struct console;

/* Counters since the console was opened. */
struct console_counters {
    uint32_t requests; /* lines sent, without repeated ones */
    uint32_t retries;  /* how often lines of a request were sent again */
    uint32_t damaged;  /* lines received with a wrong CRC */
    uint32_t refused;  /* lines that reached the board damaged */
    uint32_t late;     /* waits in which no line came */
    uint32_t stale;    /* lines received that answer no awaited request */
};

/* Lines of a reply, without CRC, tag and `until=end`. The first line begins
   with `ok` or `err`; further lines are the reply's rows. The caller frees it
   by console_reply_free(), also after a failure. */
struct console_reply {
    bool ok; /* true: the reply is complete and begins with `ok` */
    uint32_t lines;
    char **line;
    char code[CONSOLE_WORD_BYTES]; /* word after `err`: the error; "" if ok */
};

/* Opens a console on a port, which it then owns. */
struct console *console_open(struct console_port *port);

/* Opens the serial port at `path` with `rate` bit/s, and a console on it.
   Returns NULL after a message on stderr. */
struct console *console_connect(const char *path, uint32_t rate);

void console_close(struct console *console);

/* Sets how long to wait: wait_ms for a reply, rows_ms for the next row of a
   reply that other nodes send. A request is sent `tries` times at most, 1 or
   more. Before: 1000, 35000 and 5. */
void console_patience(struct console *console, uint32_t wait_ms,
                      uint32_t rows_ms, uint32_t tries);

/* Limits all waits for lines together to limit_ms from now; 0: no limit. */
void console_limit(struct console *console, uint32_t limit_ms);

/* Returns the clock of the console's port. Callers also wait for boards by this
   clock: a simulated mesh has its own. */
const struct host_clock *console_clock(const struct console *console);

/* Returns why the last call failed: a sentence that names the port and the
   board's position. */
const char *console_why(const struct console *console);
const struct console_counters *console_counters(const struct console *console);

/* Sets the text of console_why(), if a caller cannot use a reply. */
void console_fail(struct console *console, const char *what);

/* Sends a command and waits for the reply. Returns 0 if a reply has come, `ok`
   or `err`; else -1 (console_why()). Between two lines it takes at most `tries`
   times the limits of console_patience(). */
NODISCARD int console_request(struct console *console,
                              struct console_reply *reply, const char *command);
void console_reply_free(struct console_reply *reply);

/* Copies VALUE of the reply's first word KEY=VALUE, cut after
   CONSOLE_WORD_BYTES - 1 bytes. Returns `value`, or NULL if there is no such
   word. */
const char *console_value(const struct console_reply *reply,
                          char value[CONSOLE_WORD_BYTES], const char *key);

/* Reads VALUE of the reply's first word KEY=VALUE as a decimal number. Returns
   false if there is no such word or number. */
bool console_number(const struct console_reply *reply, uint64_t *number,
                    const char *key);

/* Sends a message to the node's host port, at up to 7 KB/s with 115200 bit/s.
   Several lines are sent before their replies come. A line's CRC-16 misses one
   of 65536 damaged lines, so the message needs a checksum of its own. Returns 0
   if the node has the message, 1 if the node is busy, or -1 on failure. */
NODISCARD int console_send(struct console *console, const uint8_t *data,
                           uint32_t bytes, uint8_t kind, uint16_t job);

/* Fetches the node's message to the host. Returns 0 and the message in *data,
   malloc'd, and tells the node that it was received; 1 if there is no message
   yet; -1 on failure. */
NODISCARD int console_receive(struct console *console, uint8_t **data,
                              uint32_t *bytes, uint8_t *kind, uint16_t *job);

#endif
