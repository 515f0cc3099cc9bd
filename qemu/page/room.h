/* SPDX-License-Identifier: Apache-2.0 */
/* What of a report a page has room for: all of it, but for the largest meshes,
   whose pages no browser would be glad of. */
#ifndef QEMU_PAGE_ROOM_H
#define QEMU_PAGE_ROOM_H

#include <jansson.h>

#define ROOM_BYTES 19000000u /* of the report in a page, at most */

/*
 * Result: a report that has room, the caller's: the same one, or a copy without
 * the nodes' rounds (`rounds_left_out`, true) and the last of its circuits
 * (`circuits_left_out`, how many), as far as they have none. NULL without
 * memory. The numbers are estimates, by the mean of a hundred entries.
 */
json_t *room_fit(json_t *report);

#endif
