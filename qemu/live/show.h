/* SPDX-License-Identifier: Apache-2.0 */
/* What a server shows: pages of reports, whole or just begun. */
#ifndef QEMU_LIVE_SHOW_H
#define QEMU_LIVE_SHOW_H

#include "qemu/serve/serve.h"

#include <jansson.h>
#include <stdbool.h>

/* Serves the page (qemu/page/page.h) of a report, or of the begin of one, from
   now on. Ends the program without memory. */
void show_page(struct serve *serve, const json_t *report);

/* Prints a server's address on stderr, in a line for people and scripts. */
void show_address(const struct serve *serve);

/* The last event, for pages: whether there is a report at their address now. */
void show_end(struct serve *serve, bool report);

#endif
