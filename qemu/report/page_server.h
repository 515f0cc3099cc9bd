/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of something that goes on: a server (qemu/report/) shows it to
 * browsers, and a thread reads its state again and again while one is open.
 */
#ifndef QEMU_REPORT_PAGE_SERVER_H
#define QEMU_REPORT_PAGE_SERVER_H

#include "hal/nodiscard.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The state that a page shows. */
struct page_source {
    const char *event; /* name of the events that carry it */
    /* Reads the state. Result: JSON, the caller's. */
    json_t *(*read)(void *context);
    void *context;
    /* Between two readings: `ratio` times the time that one takes by `clock`,
       but within these bounds. */
    clockid_t clock;
    double ratio, least_s, most_s;
};

struct page_server;

/* Serves the page (qemu/report/page.h) of the begin of a report on a port, 0:
   one that is free, and prints its address on stderr, in a line for people and
   scripts. Result: NULL after a message on stderr. */
struct page_server *page_server_open(uint16_t port, const json_t *begin);

/* Starts to read, in a thread that gets no signal. Result: 0, or -1 after a
   message on stderr. */
NODISCARD int page_server_start(struct page_server *server,
                                const struct page_source *source);

/*
 * Ends the reading, within `seconds`. Result: whether it has ended; else the
 * thread stays as long as the process, and the server and the source's context
 * must too. A server that does not read is fine.
 */
bool page_server_stop(struct page_server *server, double seconds);

/* Sends the last event: browsers get the page of `report` then; NULL: there is
   none. */
void page_server_end(struct page_server *server, const json_t *report);

const char *page_server_address(const struct page_server *server);

/* After page_server_stop() and page_server_end(): closes the port once browsers
   have read the last event, after a second at most. */
void page_server_close(struct page_server *server);

#endif
