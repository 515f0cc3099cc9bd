/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run as a trace in the Trace Event Format (JSON), for ui.perfetto.dev and
 * chrome://tracing: process "mesh" with one track per active node, by layer
 * (receive, parse, queue, begin, compute, gather), and process "circuits" with
 * one track per source port that was used (a slice per circuit, and one before
 * it where it waited for a held link).
 *
 * Times in microseconds of mesh time since the start of the scatter, with six
 * decimals: exact to the picosecond.
 */
#ifndef QEMU_REPORT_TRACE_H
#define QEMU_REPORT_TRACE_H

#include "hal/nodiscard.h"
#include "qemu/job/outcome.h"

/*
 * Writes the file, or nothing. Result: 0, or -1 with `quincunx: <path>:
 * <reason>` on stderr. Cost: linear, apart from the file's size in no memory.
 */
NODISCARD int trace_write(const struct outcome *outcome, const char *path);

#endif
