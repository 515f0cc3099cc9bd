/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a run as a trace in the Trace Event Format (JSON), for ui.perfetto.dev
 * and chrome://tracing. The process "mesh" has a track for each active node,
 * sorted by layer (receive, parse, queue, begin, compute, gather). The process
 * "circuits" has a track for each port that sent, with a slice for each
 * circuit, and a slice before it if it waited for a held link.
 *
 * Times are microseconds of mesh time since the order, with six decimals: exact
 * to the picosecond.
 */
#ifndef QEMU_REPORT_TRACE_H
#define QEMU_REPORT_TRACE_H

#include "hal/nodiscard.h"
#include "qemu/job/outcome.h"

/* Writes the whole file, or no file. Returns 0, or -1 after `quincunx: <path>:
   <reason>` on stderr. The memory used does not grow with the file. */
NODISCARD int trace_write(const struct outcome *outcome, const char *path);

#endif
