/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves the page of a run while it goes on. Browsers get the mesh's state at
 * most ten times a second (qemu/report/page/live.js), and at the end the
 * report's page, as page_write() writes it.
 */
#ifndef QEMU_REPORT_RUN_PAGE_H
#define QEMU_REPORT_RUN_PAGE_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

#include <jansson.h>

struct run_page;

/*
 * Serves the job's page on a port; port 0 takes a free one. Prints the
 * address on stderr. The request must outlive the page. Returns NULL after a
 * message.
 */
struct run_page *run_page_start(const struct request *request,
                                const char *command, uint16_t port);

/* Returns the object in which the job notes its progress; NULL if `page` is
   NULL. */
struct watch *run_page_watch(const struct run_page *page);

/* Sends browsers the page of the finished run's report; `report` is NULL if the
   run failed. */
void run_page_finish(struct run_page *page, const json_t *report);

/* Serves the finished page until Ctrl-C, SIGTERM, SIGHUP, or the end of
   standard input if that is a terminal or a pipe that nothing else reads; says
   so on stderr. Call run_page_finish() before. */
void run_page_stay(struct run_page *page, bool input_is_read);

/* Ends the server; NULL is allowed. */
void run_page_stop(struct run_page *page);

#endif
