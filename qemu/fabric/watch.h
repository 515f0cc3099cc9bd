/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a thread looks at a mesh that another one runs. The thread that runs it
 * holds the watch's lock while it changes the mesh, and leaves it to others
 * while it waits for nodes. Reading copies what is there, so it takes the lock
 * for microseconds: a reader changes nothing, and delays nothing that counts.
 */
#ifndef QEMU_FABRIC_WATCH_H
#define QEMU_FABRIC_WATCH_H

#include "qemu/fabric/circuit_record.h"

#include <stdint.h>

#define WATCH_CIRCUITS 4000u /* that a view holds at most: the newest */

/* What is going on. */
enum watch_stage {
    WATCH_STARTING,   /* nothing yet */
    WATCH_BOOTING,    /* the nodes start, or are looked for */
    WATCH_RUNNING,    /* the job's */
    WATCH_COLLECTING, /* the report's parts are read from the nodes */
    WATCH_DONE        /* the nodes have gone */
};

/* Of a node, as the mesh sees it. */
enum watch_state {
    WATCH_DOWN,     /* not up yet */
    WATCH_WAITS,    /* for a message, or for its sends to end */
    WATCH_AT_WORK,  /* its program runs */
    WATCH_FINISHED, /* it has ended */
};

/* A copy of what there is to see. */
struct watch_view {
    enum watch_stage stage;
    uint32_t batch; /* from 0 */
    uint32_t batches;
    /* Of a mesh whose switches are emulated here; 0 nodes: there is none yet,
       or it has others. */
    uint32_t nodes;
    uint32_t up;
    uint32_t ended;
    uint8_t *state;   /* enum watch_state by node */
    uint64_t time_ps; /* of the mesh, since the order */
    uint64_t order_ps;
    struct circuit_record *circuit; /* since the order; times of the mesh */
    uint32_t circuits;
    uint32_t dropped; /* older ones that are not among them */
};

struct watch;
struct mesh;

/* Result: a watch of nothing yet; the caller frees it, after the mesh. */
struct watch *watch_new(void);
void watch_free(struct watch *watch);

/* ---- by the thread that runs the mesh; a NULL watch is fine ---- */

void watch_stage(struct watch *watch, enum watch_stage stage);
void watch_batch(struct watch *watch, uint32_t batch, uint32_t batches);

/* There is a mesh, which the caller does not change but between enter and
   leave; NULL: it is about to go. */
void watch_mesh(struct watch *watch, const struct mesh *mesh);

void watch_enter(struct watch *watch);
void watch_leave(struct watch *watch);

/* Inside: an order reaches the originators at this mesh time. */
void watch_order(struct watch *watch, uint64_t order_ps);

/* ---- by the other ---- */

/* Brings a view up to date, which begins as zeros; it grows as needed. Where
   the mesh has gone, its last nodes and circuits stay. */
void watch_read(struct watch_view *view, struct watch *watch);
void watch_view_free(struct watch_view *view);

#endif
