/* SPDX-License-Identifier: Apache-2.0 */
/* Serves a page that follows a run or standing boards. While a browser has the
   page open, a thread calls page_source.read() again and again, and sends its
   JSON as events. */
#ifndef QEMU_REPORT_PAGE_SERVER_H
#define QEMU_REPORT_PAGE_SERVER_H

#include "hal/nodiscard.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct page_source {
    const char *event; /* name of the events that carry the JSON of read() */
    /* Returns the state of the run or of the boards. The caller releases it. */
    json_t *(*read)(void *context);
    void *context;
    /* Between two calls of read() the thread pauses, for `ratio` times as long
       as the last call took by `clock`, but for least_s to most_s seconds. */
    clockid_t clock;
    double ratio, least_s, most_s;
};

struct page_server;

/* Serves the page of `begin`, which is a report of what is known at first, or
   NULL. Port 0 stands for any free port. Prints the address on stderr. Returns
   NULL after a message. */
struct page_server *page_server_open(uint16_t port, const json_t *begin);

/* Starts the thread that calls source->read(). All signals are blocked in it.
   Returns 0, or -1 after a message on stderr. */
NODISCARD int page_server_start(struct page_server *server,
                                const struct page_source *source);

/* Ends the thread that calls source->read(), if it was started. Returns whether
   it has ended within `seconds`. If not, it lives until the process ends, and
   needs the server and the source's context. */
bool page_server_stop(struct page_server *server, double seconds);

/* Sends the last event. Browsers then load the page of `report`; NULL: there is
   none. */
void page_server_end(struct page_server *server, const json_t *report);

const char *page_server_address(const struct page_server *server);

/* Closes the port when browsers have read the last event, after a second at
   most. page_server_stop() and page_server_end() must be called before. */
void page_server_close(struct page_server *server);

#endif
