/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A star to some nodes of a torus: those that serve one of several originators.
 * The nodes lie anywhere, so the port with the shorter queue at the moment is
 * not good enough: the queues of the ports become as equal as shortest paths
 * with one turn allow.
 */
#ifndef QEMU_SCHEDULE_GROUP_STAR_H
#define QEMU_SCHEDULE_GROUP_STAR_H

#include "qemu/schedule/tree.h"

#include <stdbool.h>

/*
 * The star of the nodes with member[i], row-major, which is not read for the
 * originator. The torus has 1 to SCHEDULE_NODES_MAX nodes. Result: the last
 * phase; the first tree[0].nodes branches are filled in.
 * O(nodes * (width + height)), and as much as nodes * members for nodes that
 * change their port.
 */
int schedule_group_star(struct schedule_branch tree[], struct torus_size size,
                        struct torus_coord originator, const bool member[]);

#endif
