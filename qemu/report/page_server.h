/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves a page that follows a run or standing boards. While a browser has the
 * page open, a thread calls page_source.read() repeatedly and sends its JSON as
 * events.
 */
#ifndef QEMU_REPORT_PAGE_SERVER_H
#define QEMU_REPORT_PAGE_SERVER_H

#include "hal/nodiscard.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct page_source {
    const char *event; /* name of the events that carry read()'s JSON */
    /* Returns the state of the run or the boards; the caller owns it. */
    json_t *(*read)(void *context);
    void *context;
    /* Between two read() the thread pauses for `ratio` times the time that the
       last one took by `clock`, but for least_s to most_s seconds. */
    clockid_t clock;
    double ratio, least_s, most_s;
};

struct page_server;

/* Serves page_text() of `begin`, a report of what is known at first. Port 0: a
   free one. Prints the address on stderr. Returns NULL after a message. */
struct page_server *page_server_open(uint16_t port, const json_t *begin);

/* Starts the thread that calls source->read(), with all signals blocked.
   Returns 0, or -1 after a message on stderr. */
NODISCARD int page_server_start(struct page_server *server,
                                const struct page_source *source);

/*
 * Ends the thread that calls source->read(), if there is one. Returns whether
 * it ended within `seconds`. If not, it stays until the process ends, so that
 * the server and the source's context must stay too.
 */
bool page_server_stop(struct page_server *server, double seconds);

/* Sends the last event, after which browsers load the page of `report`. With
   NULL there is no such page. */
void page_server_end(struct page_server *server, const json_t *report);

const char *page_server_address(const struct page_server *server);

/* Closes the port once browsers have read the last event, after a second at
   most. Call page_server_stop() and page_server_end() before. */
void page_server_close(struct page_server *server);

#endif
