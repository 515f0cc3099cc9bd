/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves the page of something that goes on. While a browser has it open, a
 * thread reads the state repeatedly and sends it as events.
 */
#ifndef QEMU_REPORT_PAGE_SERVER_H
#define QEMU_REPORT_PAGE_SERVER_H

#include "hal/nodiscard.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct page_source {
    const char *event; /* name of the events that carry the state */
    /* Reads the state. Returns JSON that the caller owns. */
    json_t *(*read)(void *context);
    void *context;
    /* The thread pauses between two readings for `ratio` times the last
       reading's time by `clock`, but for least_s to most_s seconds. */
    clockid_t clock;
    double ratio, least_s, most_s;
};

struct page_server;

/* Serves the page (qemu/report/page.h) of a report's begin on a port, 0: a free
   one. Prints the address on stderr. Returns NULL after a message. */
struct page_server *page_server_open(uint16_t port, const json_t *begin);

/* Starts the reading thread, which blocks all signals. Returns 0, or -1 after a
   message on stderr. */
NODISCARD int page_server_start(struct page_server *server,
                                const struct page_source *source);

/*
 * Ends the reading thread. Returns whether it ended within `seconds`. If not,
 * the thread stays until the process ends, so that the server and the source's
 * context must stay too. The server may have no reading thread.
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
