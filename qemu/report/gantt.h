/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run as a chart (SVG): time to the right; a row for each phase, with its
 * circuits; below, up to GANTT_ROWS active nodes have a row each, sorted by
 * layer. More nodes share one band per layer, which shows how many of them are
 * in which state.
 */
#ifndef QEMU_REPORT_GANTT_H
#define QEMU_REPORT_GANTT_H

#include "hal/nodiscard.h"
#include "qemu/job/outcome.h"

#define GANTT_ROWS 25u

/*
 * Writes the file, or nothing. Result: 0, or -1 with `quincunx: <path>:
 * <reason>` on stderr: no memory, file not writable.
 */
NODISCARD int gantt_write(const struct outcome *outcome, const char *path);

#endif
