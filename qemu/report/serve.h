/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves a page, and events that update it, to browsers on this machine, by
 * libmicrohttpd in a thread of its own.
 *
 *   GET /TOKEN/        the page that serve_page() gave last
 *   GET /TOKEN/events  server-sent events: serve_send()'s newest, then the next
 *
 * HEAD is answered like GET; other methods get 405. The server listens on
 * 127.0.0.1 only. The token is random. A request without it gets 404. So does a
 * request whose Host is not 127.0.0.1 or localhost: a foreign page may have a
 * name that resolves to this machine (DNS rebinding).
 *
 * No caller waits for a client. A slow client misses events: after one event it
 * gets the newest. A client that reads nothing for SERVE_PATIENCE_S is cut off.
 * So a client holds one event at most, and there are at most SERVE_CLIENTS. If
 * all connections are in use, one without a complete request is closed.
 *
 * Any thread may call the functions.
 */
#ifndef QEMU_REPORT_SERVE_H
#define QEMU_REPORT_SERVE_H

#include "hal/nodiscard.h"

#include <stddef.h>
#include <stdint.h>

#define SERVE_CLIENTS 16u
#define SERVE_PATIENCE_S 30u

struct serve;

/* Listens on a port; 0 stands for any free one. Returns NULL after a message on
   stderr. Until serve_page() is called, requests get 404. */
struct serve *serve_start(uint16_t port);

/* Returns the address to open in a browser. It contains the token, and is valid
   until serve_stop(). */
const char *serve_address(const struct serve *serve);

/* Sets the page to a copy of `bytes` bytes of HTML. `policy` is the value of
   its header Content-Security-Policy. */
void serve_page(struct serve *serve, const char *html, size_t bytes,
                const char *policy);

/* Sends a copy of an event to all clients of events. `data` must be one
   line. */
void serve_send(struct serve *serve, const char *event, const char *data);

/* Sends the last event to all clients of events, and ends their streams.
   Clients that come later get this event, and an end, too. */
void serve_end(struct serve *serve, const char *event, const char *data);

unsigned serve_streams(const struct serve *serve);

/* Waits until all streams of events have ended, at most `wait_s` seconds.
   serve_end() must be called before. */
void serve_settle(struct serve *serve, unsigned wait_s);

/* Closes all connections and the port. Accepts NULL. */
void serve_stop(struct serve *serve);

#endif
