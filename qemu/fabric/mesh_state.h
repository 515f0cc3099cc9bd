/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a mesh. It is shared by the mesh driver (mesh.h), the reader of
   queued sends (sends.h), what ends a run (losses.h) and threads that watch
   (watch.h). */
#ifndef QEMU_FABRIC_MESH_STATE_H
#define QEMU_FABRIC_MESH_STATE_H

#include "qemu/fabric/backend.h"
#include "qemu/fabric/fabric.h"
#include "qemu/fabric/injection.h"
#include "qemu/fabric/postmortem.h"
#include "qemu/fabric/watchdog.h"

struct watch;

enum mesh_end {
    MESH_DONE,   /* every originator has ended, reported or stopped */
    MESH_FAILED, /* stderr says why */
    MESH_INTERRUPTED
};

/* A message that reached the host, header included. */
struct mesh_report {
    /* the caller frees it; NULL: there is no message, as the node stopped */
    uint8_t *data;
    uint32_t bytes;
    uint64_t ordered_ps; /* mesh time at which the order came */
};

struct mesh_config {
    struct torus_size size;
    /* Number of nodes that distribute a job. It and the next two fields may
       change between orders; there are never more originators than at first. */
    uint32_t originators;
    const struct torus_coord *originator;
    /* index of each node's originator; NULL: one originator serves all nodes */
    const uint16_t *group_of_node;
    struct fabric_config fabric;
    uint32_t identity;
    struct injections injections;
    /* An instruction of node i takes 32 ns << slow_shift[i], with shifts of at
       most BACKEND_SLOW_SHIFT_MAX. NULL: all shifts are 0. */
    const uint8_t *slow_shift;
    struct postmortem_program program;
    unsigned watchdog_s; /* seconds without progress that end a run; 0: none */
    uint8_t policy;      /* policy of the jobs: an enum wire_policy */
    bool probed; /* true: nodes may get probes (scatter/engine/probe.h) */
    /* Called whenever a node rings, with the number of nodes that are up and
       that have ended; or NULL. */
    void (*progress)(void *context, uint32_t up, uint32_t ended);
    void *progress_context;
    struct watch *watch; /* lets another thread watch the mesh; or NULL */
};

/* A node's messages that were not sent, in the order of their time. */
struct mesh_failures {
    struct circuit_failure *failure;
    uint32_t count;
    uint32_t room;
    uint32_t told; /* number of failures that the window shows */
};

struct mesh_node {
    struct mesh_failures failures;
    uint32_t sequence; /* number of the last request; 0: node is not up */
    uint64_t event_ps; /* mesh time of the last event in the node's log */
    uint32_t sends_read;
    uint32_t sends_reported; /* number of ended sends that the node knows of */
    uint32_t last_post;      /* last used rule for passing a message on */
    uint32_t sent;           /* number of messages sent since the order */
    bool lost;   /* true: its board has ended, or hangs, by itself */
    bool relays; /* true: it hangs, so its switch lives */
    struct fabric_found found; /* of a lost node */
    uint64_t next_flip_ps;     /* flips at earlier mesh times are done */
};

struct mesh {
    const struct mesh_config *config;
    struct backend *backend;
    struct fabric *fabric;
    struct mesh_node *node;
    uint64_t sent_all; /* messages that all nodes sent since the order */
    uint64_t waiting;
    uint32_t up;
    uint32_t ended;
    bool failed; /* true: a node gave up; nobody waits for it any longer */
    bool ordered;
    uint64_t order_ps; /* mesh time of the first order, once `ordered` */
    struct fabric_found *found; /* of each injection */
    bool unread; /* true: the order's file could not be read; stderr says so */
    struct mesh_report *report; /* one report for each originator */
    uint32_t reports; /* number of them; later orders may go to fewer */
    uint64_t report_ps;
    struct watchdog watchdog;
    uint32_t vain;    /* doorbell rings since the last progress */
    double up_wall_s; /* host_clock_s() when the last board came up */
};

static inline struct window *mesh_window(const struct mesh *mesh, uint32_t node)
{
    return mesh->backend->window(mesh->backend->context, node);
}

/* Notes progress: a node came up or ended, a message arrived, or a node logged
   an event. That mesh time advances is no progress, as a node that only waits
   for its own deadlines advances it forever. */
static inline void mesh_note_progress(struct mesh *mesh)
{
    watchdog_feed(&mesh->watchdog);
    mesh->vain = 0;
}

#endif
