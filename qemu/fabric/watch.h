/* SPDX-License-Identifier: Apache-2.0 */
/* Lets a second thread look at a mesh that runs. The thread that runs the mesh
   holds the watch's lock while it changes the mesh, and releases the lock while
   it waits for nodes. A reader holds the lock for microseconds, to copy the
   mesh's state. */
#ifndef QEMU_FABRIC_WATCH_H
#define QEMU_FABRIC_WATCH_H

#include "qemu/fabric/circuit_record.h"

#include <stdint.h>

#define WATCH_CIRCUITS 4000u /* a view has only this many, the newest */

enum watch_stage {
    WATCH_STARTING,
    WATCH_BOOTING, /* the nodes start, or the host looks for boards */
    WATCH_RUNNING,
    WATCH_COLLECTING, /* the host reads the report from the nodes */
    WATCH_DONE
};

enum watch_state {
    WATCH_DOWN,
    WATCH_WAITS, /* waits for a message or the end of its sends */
    WATCH_AT_WORK,
    WATCH_FINISHED,
};

struct watch_view {
    enum watch_stage stage;
    uint32_t batch; /* part of the load in progress, from 0 */
    uint32_t batches;
    /* Number of nodes; 0: no mesh yet, or its switches are not emulated
       here. */
    uint32_t nodes;
    uint32_t up;
    uint32_t ended;
    uint8_t *state;   /* enum watch_state of each node */
    uint64_t time_ps; /* mesh time since the order */
    uint64_t order_ps;
    struct circuit_record *circuit; /* circuits since the order, in mesh time */
    uint32_t circuits;
    uint32_t dropped; /* older circuits, which the view leaves out */
};

struct watch;
struct mesh;

/* Returns a watch without a mesh. The caller frees it, after the mesh. */
struct watch *watch_new(void);
void watch_free(struct watch *watch);

/* ---- for the thread that runs the mesh; a NULL watch is allowed ---- */

void watch_stage(struct watch *watch, enum watch_stage stage);
void watch_batch(struct watch *watch, uint32_t batch, uint32_t batches);

/* Sets the mesh to watch, which the caller changes only between watch_enter()
   and watch_leave(). NULL: the mesh is about to be freed. */
void watch_mesh(struct watch *watch, const struct mesh *mesh);

void watch_enter(struct watch *watch);
void watch_leave(struct watch *watch);

/* Notes when an order reaches the originators. Call it between watch_enter()
   and watch_leave(). */
void watch_order(struct watch *watch, uint64_t order_ps);

/* ---- for the reading thread ---- */

/* Updates a view, which starts as zeros and grows. If the mesh has gone, its
   last nodes and circuits stay. */
void watch_read(struct watch_view *view, struct watch *watch);
void watch_view_free(struct watch_view *view);

#endif
