/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page for browsers on this machine, with events that keep it up to date, by
 * libmicrohttpd in a thread of its own. It knows nothing of what it shows.
 *
 *   GET /TOKEN/        the page, as serve_page() gave it last
 *   GET /TOKEN/events  server-sent events: the newest of serve_send(), then
 *                      each that follows
 *
 * HEAD works like GET, and no other method does anything (405). It listens on
 * 127.0.0.1 alone. A request without the token, which is random, or with a Host
 * that is another name than 127.0.0.1 or localhost (a page from elsewhere whose
 * name was made to lead here) gets 404 and no more.
 *
 * No caller ever waits for a client. A client that reads slowly misses events,
 * for it gets the newest one when it has read the one before; one that reads
 * nothing for SERVE_PATIENCE_S is cut off. So a client holds one event at most,
 * and there are at most SERVE_CLIENTS. Where all places are taken, one without
 * a whole request makes room.
 *
 * All functions may be called by any thread.
 */
#ifndef QEMU_REPORT_SERVE_H
#define QEMU_REPORT_SERVE_H

#include "hal/nodiscard.h"

#include <stddef.h>
#include <stdint.h>

#define SERVE_CLIENTS 16u
#define SERVE_PATIENCE_S 30u

struct serve;

/* Listens on a port; 0: one that is free. Result: NULL after a message on
   stderr. Until a page is given, there is none (404). */
struct serve *serve_start(uint16_t port);

/* The address to open in a browser, token included; valid until the stop. */
const char *serve_address(const struct serve *serve);

/* Gives the page from now on, a copy of `bytes` bytes of HTML; `policy` is the
   value of its Content-Security-Policy. */
void serve_page(struct serve *serve, const char *html, size_t bytes,
                const char *policy);

/* Gives all streams an event of that name, a copy. `data` is one line. */
void serve_send(struct serve *serve, const char *event, const char *data);

/* Gives all streams the last event: behind it each of them ends, and so does
   one that begins later. */
void serve_end(struct serve *serve, const char *event, const char *data);

/* How many streams are open. */
unsigned serve_streams(const struct serve *serve);

/* After serve_end(): waits until all streams have ended, so long at most. */
void serve_settle(struct serve *serve, unsigned wait_s);

/* Closes all connections and the port; NULL is fine. */
void serve_stop(struct serve *serve);

#endif
