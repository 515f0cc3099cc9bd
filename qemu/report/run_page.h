/* SPDX-License-Identifier: Apache-2.0 */
/* Serves the page of a run while it goes on. Browsers get the mesh's state at
   most ten times a second (qemu/report/page/live.js), and at the end the page
   that page_write() would write. */
#ifndef QEMU_REPORT_RUN_PAGE_H
#define QEMU_REPORT_RUN_PAGE_H

#include "hal/nodiscard.h"
#include "qemu/job/request.h"

#include <jansson.h>

struct run_page;

/* Serves the job's page on a port; 0 stands for any free one. Prints the
   address on stderr. The request must outlive the page. Returns NULL after a
   message. */
struct run_page *run_page_start(const struct request *request,
                                const char *command, uint16_t port);

/* Returns the watch (qemu/fabric/watch.h) that the job must fill in; NULL if
   `page` is NULL. */
struct watch *run_page_watch(const struct run_page *page);

/* Sends browsers the page of the finished run. `report` is NULL if the run has
   failed. */
void run_page_finish(struct run_page *page, const json_t *report);

/* Serves the page of the finished run until Ctrl-C, SIGTERM, SIGHUP, or the end
   of standard input; says so on stderr. Standard input counts if it is a
   terminal, or a pipe that nothing else reads (`input_is_read` is false).
   run_page_finish() must be called before. */
void run_page_stay(struct run_page *page, bool input_is_read);

/* Ends the server. Accepts NULL. */
void run_page_stop(struct run_page *page);

#endif
