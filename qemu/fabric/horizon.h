/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The running nodes of a mesh, by the mesh time since which they run: a binary
 * heap that knows where each node lies in it. The earliest of these times is
 * the horizon: no running node can ask for anything before it.
 *
 * Adding and removing a node takes O(log running nodes), reading the horizon
 * O(1). It depends on the times alone, so ties need no order.
 */
#ifndef QEMU_FABRIC_HORIZON_H
#define QEMU_FABRIC_HORIZON_H

#include <stdint.h>

struct horizon;

/* Result: a horizon of `nodes` nodes, all of which run since time 0. */
struct horizon *horizon_new(uint32_t nodes);
void horizon_free(struct horizon *horizon);

/* A node that does not run runs since `time_ps`. */
void horizon_add(struct horizon *horizon, uint32_t node, uint64_t time_ps);

/* A node stops running; nothing happens if it does not run. */
void horizon_remove(struct horizon *horizon, uint32_t node);

/* The number of running nodes. */
uint32_t horizon_running(const struct horizon *horizon);

/* The earliest time of a running node, or UINT64_MAX if none runs. */
uint64_t horizon_ps(const struct horizon *horizon);

#endif
