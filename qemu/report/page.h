/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a page for browsers from a report. The page is one file without
   references to others. It shows the verdict, the mesh with its moving
   circuits, the chart, and all figures. It is made of page.html, in which
   comments are replaced by the style, the script and the report. The script is
   data.js, map.js, chart.js, tables.js and control.js; boards.js in pages of
   standing boards; and live.js in pages that follow a run or boards. */
#ifndef QEMU_REPORT_PAGE_H
#define QEMU_REPORT_PAGE_H

#include "hal/nodiscard.h"

#include <jansson.h>
#include <stddef.h>

/* Returns why no page can be made from a JSON value: it is no report, or a
   report of another format, or has nodes outside its mesh. The text suits
   file_error(), after the report's path. Returns NULL if a page can be made. */
const char *page_refusal(const json_t *report);

/* Returns the page of a report that page_refusal() accepts, or of one of two
   other objects. An object with the key `live` gives a page that follows events
   (live.js); it has `mesh`, and what is known so far. An object with the key
   `boards` gives a page of one reading of standing boards
   (qemu/bench/board_page.h). The text is malloc'd and the caller's; *bytes is
   its length. The program ends if there is no memory. */
char *page_text(const json_t *report, size_t *bytes);

/* Writes page_text() to a file. Returns 0, or -1 after `quincunx: <path>:
   <reason>` on stderr. */
NODISCARD int page_write(const json_t *report, const char *path);

#endif
