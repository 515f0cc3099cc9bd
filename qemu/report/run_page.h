/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of a run while it goes on: browsers get the state of the mesh ten
 * times a second at most (qemu/report/page/live.js), then the page of the
 * report, the same as a file has.
 */
#ifndef QEMU_REPORT_RUN_PAGE_H
#define QEMU_REPORT_RUN_PAGE_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

#include <jansson.h>

struct run_page;

/*
 * Serves the page of this job on a port, 0: one that is free, and prints its
 * address on stderr. The request outlives it. Result: NULL after a message.
 */
struct run_page *run_page_start(const struct request *request,
                                const char *command, uint16_t port);

/* Where the job tells how far it is; NULL if the page is NULL. */
struct watch *run_page_watch(const struct run_page *page);

/* The run is over: browsers get the page of this report; NULL: there is none,
   since the run failed. */
void run_page_finish(struct run_page *page, const json_t *report);

/* After run_page_finish(): serves until Ctrl-C, SIGTERM, SIGHUP, or the end of
   standard input if that is a terminal or a pipe that nothing is read from;
   says so on stderr. */
void run_page_stay(struct run_page *page, bool input_is_read);

/* Ends the server; NULL is fine. */
void run_page_stop(struct run_page *page);

#endif
