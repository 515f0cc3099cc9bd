/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of a run while it goes on: a server (qemu/serve/) that shows, ten
 * times a second at most, what there is to see of the mesh, to whoever looks;
 * then the report's own page (qemu/page/), the same as a file has.
 */
#ifndef QEMU_LIVE_LIVE_H
#define QEMU_LIVE_LIVE_H

#include "hal/nodiscard.h"
#include "qemu/job/config.h"

#include <jansson.h>

struct live;

/*
 * Serves the page of this job on a port, 0: one that is free, and prints its
 * address on stderr. Sets config->watch. The config outlives it. Result: NULL
 * after a message.
 */
struct live *live_start(struct job_config *config, const char *command,
                        uint16_t port);

/* The run is over: whoever looks gets the page of this report; NULL: there is
   none, since it failed. */
void live_finish(struct live *live, const json_t *report);

/* After live_finish(): serves until Ctrl-C, SIGTERM, SIGHUP, or the end of
   standard input if that is a terminal or a pipe that nothing is read from;
   says so on stderr. */
void live_stay(struct live *live, bool input_is_read);

/* Ends the server; NULL is fine. */
void live_stop(struct live *live);

#endif
