/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report as a page for a browser: one file with all that it needs, which
 * shows the verdict, the mesh and its circuits as they move, the chart, and all
 * figures. The page is page.html with its style, its script and the report in
 * place of the comments that name them; the script lies beside it, in parts:
 * data.js, map.js, chart.js, tables.js, control.js; boards.js in a page of
 * boards that stand; and live.js in a page that follows something that goes on.
 */
#ifndef QEMU_REPORT_PAGE_H
#define QEMU_REPORT_PAGE_H

#include "hal/nodiscard.h"

#include <jansson.h>
#include <stddef.h>

/*
 * Why a page cannot be made of a JSON value, or NULL: it is no report, one of
 * another format, or its nodes lie outside its mesh. The text is what
 * file_error() prints behind the report's path.
 */
const char *page_refusal(const json_t *report);

/*
 * The page of a report that is not refused; or, of an object with `live`, a
 * page that follows events (live.js), with what is known of the report yet:
 * `mesh`, and what else there is; or, of one with `boards`, a page of this
 * reading of a mesh that stands (qemu/bench/board_page.h). Result: malloc'd,
 * the caller's, with its length. Ends the program without memory.
 */
char *page_text(const json_t *report, size_t *bytes);

/* Writes such a page, to a file. Result: 0, or -1 with
   `quincunx: <path>: <reason>` on stderr. */
NODISCARD int page_write(const json_t *report, const char *path);

#endif
