/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of a run while it goes on: browsers get the state of the mesh ten
 * times a second at most (qemu/page/live.js), then the page of the report, the
 * same as a file has.
 */
#ifndef QEMU_LIVE_RUN_PAGE_H
#define QEMU_LIVE_RUN_PAGE_H

#include "hal/nodiscard.h"
#include "qemu/job/config.h"

#include <jansson.h>

struct run_page;

/*
 * Serves the page of this job on a port, 0: one that is free, and prints its
 * address on stderr. Sets config->watch. The config outlives it. Result: NULL
 * after a message.
 */
struct run_page *run_page_start(struct job_config *config, const char *command,
                                uint16_t port);

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
