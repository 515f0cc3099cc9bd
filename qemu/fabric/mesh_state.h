/* SPDX-License-Identifier: Apache-2.0 */
/* A mesh as its driver (mesh.h) has it, for those who read what nodes send
   (sends.h), or look on (watch.h). */
#ifndef QEMU_FABRIC_MESH_STATE_H
#define QEMU_FABRIC_MESH_STATE_H

#include "qemu/fabric/backend.h"
#include "qemu/fabric/fabric.h"
#include "qemu/fabric/injection.h"
#include "qemu/fabric/watchdog.h"

struct watch;

/* A message that reached the host, header included. */
struct mesh_report {
    uint8_t *data; /* the caller's to free, or NULL */
    uint32_t bytes;
};

/* Which originator every node serves, where there are several. */
struct mesh_groups {
    uint32_t count;                       /* of originators, and so of groups */
    const struct torus_coord *originator; /* of each group */
    const uint16_t *of_node;              /* its group's number, row by row */
};

struct mesh_config {
    struct torus_size size;
    struct torus_coord originator;    /* of all nodes; with groups, of none */
    const struct mesh_groups *groups; /* NULL: there is one originator */
    struct fabric_config fabric;
    uint32_t identity; /* of this mesh, in every message */
    struct injections injections;
    /* Boards of different speed: an instruction of node i, row by row, takes
       32 ns << slow_shift[i], 0 to BACKEND_SLOW_SHIFT_MAX. NULL: all 0. */
    const uint8_t *slow_shift;
    const char
        *firmware;       /* of boards, as ELF file, for post mortems; or NULL */
    unsigned watchdog_s; /* host time without progress; 0: no limit */
    uint8_t policy;      /* of the jobs: enum wire_policy */
    bool probed;         /* probes may come before it, scatter/engine/probe.h */
    /* Called whenever a node has spoken: how many boards are up, how many nodes
       have ended; NULL: nobody. */
    void (*progress)(void *context, uint32_t up, uint32_t ended);
    void *progress_context;
    struct watch *watch; /* of another thread that looks on; or NULL */
};

struct mesh_node {
    uint32_t sequence;       /* number of its last request; 0: it is not up */
    uint64_t event_ps;       /* mesh time of the last event in the log */
    uint32_t sends_read;     /* sends read from the window */
    uint32_t sends_reported; /* ended sends that the node was told */
    uint32_t last_post;      /* number of the last post carried out */
    uint32_t sent;           /* messages since the order */
};

struct mesh {
    const struct mesh_config *config;
    struct backend *backend;
    struct fabric *fabric;
    struct mesh_node *node; /* by number */
    uint64_t sent_all;      /* messages of all nodes since the order */
    uint64_t waiting;       /* messages that nobody has received yet */
    uint32_t up;
    uint32_t ended;
    bool ordered; /* the first order has reached the originator */
    bool unread;  /* an order's load could not be read: said on stderr */
    struct mesh_report *report; /* of the last order of each originator */
    uint64_t report_ps;         /* when the last of them reached the host */
    struct watchdog watchdog;
    uint32_t vain;    /* rings since there was progress */
    double up_wall_s; /* host_clock_s() when the last board came up */
};

static inline struct window *mesh_window(const struct mesh *mesh, uint32_t node)
{
    return mesh->backend->window(mesh->backend->context, node);
}

#endif
