/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a run as an SVG chart with time to the right. Each phase has a row with
   its circuits. Below, up to GANTT_ROWS active nodes have a row each, sorted by
   layer. If there are more nodes, each layer has one band, which shows how many
   of its nodes are in which state. */
#ifndef QEMU_REPORT_GANTT_H
#define QEMU_REPORT_GANTT_H

#include "hal/nodiscard.h"
#include "qemu/job/outcome.h"

#define GANTT_ROWS 25u

/* Writes the whole file, or no file. Returns 0, or -1 after `quincunx: <path>:
   <reason>` on stderr. */
NODISCARD int gantt_write(const struct outcome *outcome, const char *path);

#endif
