/* SPDX-License-Identifier: Apache-2.0 */
/* Lets a second thread look at a running mesh. The thread that runs the mesh
   holds the watch's lock while it changes the mesh, and releases it while it
   waits for nodes. A reader holds the lock for the microseconds in which it
   copies the state. */
#ifndef QEMU_FABRIC_WATCH_H
#define QEMU_FABRIC_WATCH_H

#include "qemu/fabric/circuit_record.h"

#include <stdint.h>

#define WATCH_CIRCUITS 4000u /* most circuits in a view, the newest ones */

enum watch_stage {
    WATCH_STARTING,
    WATCH_BOOTING, /* nodes start, or the host looks for boards */
    WATCH_RUNNING,
    WATCH_COLLECTING, /* the host reads logs and counters from the nodes */
    WATCH_DONE
};

enum watch_state {
    WATCH_DOWN,
    WATCH_WAITS, /* the node waits for a message, or for its sends to end */
    WATCH_AT_WORK,
    WATCH_FINISHED,
};

struct watch_view {
    enum watch_stage stage;
    uint32_t batch; /* number of the batch that runs, from 0 */
    uint32_t batches;
    /* number of nodes; 0: no mesh yet, or the host does not emulate its
       switches */
    uint32_t nodes;
    uint32_t up;
    uint32_t ended;
    uint8_t *state;   /* enum watch_state of each node */
    uint64_t time_ps; /* mesh time since the order */
    uint64_t order_ps;
    struct circuit_record *circuit; /* circuits since the order, in mesh time */
    uint32_t circuits;
    uint32_t dropped; /* number of older circuits that the view leaves out */
};

struct watch;
struct mesh;

/* Returns a watch that has no mesh yet. The caller frees it after the mesh. */
struct watch *watch_new(void);
void watch_free(struct watch *watch);

/* ---- for the thread that runs the mesh; a NULL watch is allowed ---- */

void watch_stage(struct watch *watch, enum watch_stage stage);
void watch_batch(struct watch *watch, uint32_t batch, uint32_t batches);

/* Sets the mesh to watch. Its thread must change the mesh only between
   watch_enter() and watch_leave(). NULL: the mesh is about to be freed. */
void watch_mesh(struct watch *watch, const struct mesh *mesh);

void watch_enter(struct watch *watch);
void watch_leave(struct watch *watch);

/* Notes at which mesh time an order reaches the originators. Must be called
   between watch_enter() and watch_leave(). */
void watch_order(struct watch *watch, uint64_t order_ps);

/* ---- for the reading thread ---- */

/* Copies the mesh's state to a view, which must be zeroed before the first
   call. If the mesh is gone, the view keeps the last nodes and circuits. */
void watch_read(struct watch_view *view, struct watch *watch);
void watch_view_free(struct watch_view *view);

#endif
