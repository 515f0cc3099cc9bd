/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report as a page for a browser: one file with all that it needs, which
 * shows the verdict, the mesh and its circuits as they move, the chart, and all
 * figures. The page is page.html with its style, its script and the report in
 * place of the comments that name them; the script lies beside it, in parts:
 * data.js, map.js, chart.js, tables.js, control.js.
 */
#ifndef QEMU_PAGE_PAGE_H
#define QEMU_PAGE_PAGE_H

#include "hal/nodiscard.h"

#include <jansson.h>

/*
 * Why a page cannot be made of a JSON value, or NULL: it is no report, one of
 * another format, or its nodes lie outside its mesh. The text is what
 * file_error() prints behind the report's path.
 */
const char *page_refusal(const json_t *report);

/* Writes the page of a report that is not refused. Result: 0, or -1 with
   `quincunx: <path>: <reason>` on stderr. */
NODISCARD int page_write(const json_t *report, const char *path);

#endif
