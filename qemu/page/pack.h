/* SPDX-License-Identifier: Apache-2.0 */
/* The long lists of a report as tables, in a third of the room: a page of 625
   nodes and 16 rounds has 1.5 MB instead of 3.5. */
#ifndef QEMU_PAGE_PACK_H
#define QEMU_PAGE_PACK_H

#include <jansson.h>

/*
 * Result: a copy of a report, the caller's, in which `circuits` and
 * `measured.nodes`, and in these `rounds`, are tables: {"names": the keys,
 * "rows": for each entry its values, null where it has no such key}.
 *
 * It has room for all of them, but for the largest meshes, whose pages no
 * browser would be glad of: of these it has neither the nodes' rounds
 * (`rounds_left_out`, true) nor, if need be, the last of the circuits
 * (`circuits_left_out`, how many). Lengths are estimates, by the mean of a
 * hundred rows.
 */
json_t *pack_report(const json_t *report);

#endif
