/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a run as a trace in the Trace Event Format (JSON), for ui.perfetto.dev
 * and chrome://tracing. Process "mesh" has one track per active node, by layer
 * (receive, parse, queue, begin, compute, gather). Process "circuits" has one
 * track per used source port, with a slice per circuit and one before it where
 * it waited for a held link.
 *
 * Times are microseconds of mesh time since the order, with six decimals: exact
 * to the picosecond.
 */
#ifndef QEMU_REPORT_TRACE_H
#define QEMU_REPORT_TRACE_H

#include "hal/nodiscard.h"
#include "qemu/job/outcome.h"

/*
 * Writes the whole file, or no file. Returns 0, or -1 after `quincunx: <path>:
 * <reason>` on stderr. Memory does not grow with the file.
 */
NODISCARD int trace_write(const struct outcome *outcome, const char *path);

#endif
