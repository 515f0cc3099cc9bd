/* SPDX-License-Identifier: Apache-2.0 */
/* What a live page is told of a run: once what it is, then again and again what
   there is to see (qemu/page/live.js reads both). */
#ifndef QEMU_LIVE_SNAPSHOT_H
#define QEMU_LIVE_SNAPSHOT_H

#include "qemu/fabric/watch.h"
#include "qemu/job/config.h"

#include <jansson.h>

/* The begin of a report: mesh, kernel, load, command. The caller owns the
   reference; ends the program without memory. */
json_t *snapshot_report(const struct job_config *config, const char *command);

/* What is to be seen, as JSON on one line; malloc'd, the caller's. Cost: a few
   milliseconds for WATCH_CIRCUITS circuits. */
char *snapshot_text(const struct watch_view *view);

#endif
