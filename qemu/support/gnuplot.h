/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures drawn by gnuplot, without its start-up files. */
#ifndef QEMU_SUPPORT_GNUPLOT_H
#define QEMU_SUPPORT_GNUPLOT_H

#include "hal/nodiscard.h"

#include <stdio.h>

/*
 * Runs a script, which must set an SVG terminal and no output, from its
 * beginning, and writes the picture to `path` if it is whole. The script is a
 * file with a descriptor (tmpfile()), flushed; it stays open. Result: 0, or -1
 * with `quincunx: <path>: <reason>` on stderr: no gnuplot, gnuplot failed or
 * took longer than a minute, file not writable.
 */
NODISCARD int gnuplot_write(FILE *script, const char *path);

#endif
