/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a mesh, for the driver (mesh.h), the reader of sends (sends.h)
   and onlookers (watch.h). */
#ifndef QEMU_FABRIC_MESH_STATE_H
#define QEMU_FABRIC_MESH_STATE_H

#include "qemu/fabric/backend.h"
#include "qemu/fabric/fabric.h"
#include "qemu/fabric/injection.h"
#include "qemu/fabric/watchdog.h"

struct watch;

/* A message that reached the host, header included. */
struct mesh_report {
    uint8_t *data; /* freed by the caller; NULL: no message */
    uint32_t bytes;
};

/* Assigns every node to an originator if a mesh has several. */
struct mesh_groups {
    uint32_t count;
    const struct torus_coord *originator;
    const uint16_t *of_node; /* index of each node's originator */
};

struct mesh_config {
    struct torus_size size;
    struct torus_coord originator;    /* unused if `groups` is set */
    const struct mesh_groups *groups; /* NULL: the mesh has one originator */
    struct fabric_config fabric;
    uint32_t identity;
    struct injections injections;
    /* Speeds of boards: an instruction of node i takes 32 ns << slow_shift[i],
       with shifts of 0 to BACKEND_SLOW_SHIFT_MAX. NULL: all 0. */
    const uint8_t *slow_shift;
    const char *firmware; /* firmware as ELF file, for fault reports; or NULL */
    unsigned watchdog_s;  /* host seconds without progress; 0: no limit */
    uint8_t policy;       /* enum wire_policy of the jobs */
    bool probed;          /* jobs may send probes: scatter/engine/probe.h */
    /* Called at each ring with the numbers of boards that are up and of nodes
       that have ended; or NULL. */
    void (*progress)(void *context, uint32_t up, uint32_t ended);
    void *progress_context;
    struct watch *watch; /* lets another thread watch the mesh; or NULL */
};

struct mesh_node {
    uint32_t sequence; /* number of the last request; 0: node is not up */
    uint64_t event_ps; /* mesh time of the last event in the node's log */
    uint32_t sends_read;
    uint32_t sends_reported; /* ended sends that the node knows of */
    uint32_t last_post;      /* number of the last forwarding rule used */
    uint32_t sent;           /* messages that the node sent since the order */
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
    bool ordered;
    bool unread; /* an order's file is unreadable; stderr says so */
    struct mesh_report *report; /* by originator */
    uint64_t report_ps;
    struct watchdog watchdog;
    uint32_t vain;    /* rings since the last progress */
    double up_wall_s; /* host_clock_s() when the last board came up */
};

static inline struct window *mesh_window(const struct mesh *mesh, uint32_t node)
{
    return mesh->backend->window(mesh->backend->context, node);
}

#endif
