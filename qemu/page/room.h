/* SPDX-License-Identifier: Apache-2.0 */
/* What of a report a page has room for: all of it, but for the largest meshes,
   whose pages no browser would be glad of. */
#ifndef QEMU_PAGE_ROOM_H
#define QEMU_PAGE_ROOM_H

#include <jansson.h>

#define ROOM_BYTES 19000000u /* of the report in a page, at most */

/*
 * Takes from a report whose lists are tables (qemu/page/pack.h), if it has no
 * room, the nodes' rounds (`rounds_left_out`, true), and if it has none then,
 * the last of its circuits (`circuits_left_out`, how many). Lengths are
 * estimates, by the mean of a hundred rows.
 */
void room_fit(json_t *report);

#endif
