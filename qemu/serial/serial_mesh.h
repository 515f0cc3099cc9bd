/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mesh of boards with serial ports, of which the originator's console leads
 * to this machine: real ones, or emulated ones that are started here. Orders
 * go in and reports come out as with the mesh of qemu/fabric/mesh.h: those of
 * further originators over the mesh (hal/serial/errand.h), or over consoles of
 * their own.
 */
#ifndef QEMU_SERIAL_SERIAL_MESH_H
#define QEMU_SERIAL_SERIAL_MESH_H

#include "hal/nodiscard.h"
#include "qemu/serial/client.h"
#include "qemu/fabric/mesh.h"
#include "qemu/serial/wired_boards.h"

struct serial_mesh_config {
    struct torus_size size;
    struct torus_coord originator; /* of several the first: its console is .. */
    const struct mesh_groups *groups; /* several originators, or NULL */
    uint8_t policy;                   /* of the nodes, enum wire_policy */
    const char *port;                 /* .. this port, for serial_mesh_port() */
    /* The same of the originators behind the first; NULL: all are reached over
       the mesh from the first one's console. */
    const char *const *other_consoles;
    struct wired_config wired; /* for serial_mesh_boards(): all but consoles
                                  and size */
    unsigned watchdog_s;       /* to take an order, and for its report */
    /* Whether a board has left the job at hand, which a message says; asked now
       and then while its report does not come. NULL: nobody looks. */
    bool (*has_left)(void *context);
    void *context;
};

struct serial_mesh {
    const struct serial_mesh_config *config;
    struct wired *wired;     /* NULL: real boards */
    struct console *console; /* of the first originator */
    struct console **more;   /* by originator; NULL, also the first: reached
                                over the mesh from the first one's console */
    uint64_t room_bytes;     /* for a job's data, in a node's memory */
    struct mesh_report report;
    struct mesh_report *reports; /* of several originators; or NULL */
    double up_wall_s;
};

/* How a mesh is reached. Result: 0; -1 after a message. */
typedef int serial_mesh_way(struct serial_mesh *mesh);
serial_mesh_way serial_mesh_boards; /* starts emulated ones */
serial_mesh_way serial_mesh_port;   /* opens the port of a real one */

/*
 * Reaches the boards, waits for the originator's console and lets the mesh find
 * itself. Result: 0; -1 after a message that names what is wrong, board and
 * port: then nothing is to be stopped. The configuration stays the caller's,
 * and must last as long as the mesh.
 */
NODISCARD int serial_mesh_start(struct serial_mesh *mesh,
                                const struct serial_mesh_config *config,
                                serial_mesh_way *way);

/* Gives the order to the originator and waits for its report, which is
   complete as with mesh_run(). */
enum mesh_end serial_mesh_run(struct serial_mesh *mesh,
                              const struct mesh_order *order);

/* The same of several originators: each gets its order, and all begin together;
   fills in `reports`. */
enum mesh_end serial_mesh_run_several(struct serial_mesh *mesh,
                                      const struct mesh_order order[]);

/* After a job without a report, on boards that stay: resets the originator, and
   tells who cannot be found any more. The others leave the job by themselves.
 */
void serial_mesh_give_up(struct serial_mesh *mesh);

/* The originator's own log: at most NODE_EVENTS. Result: 0; -1, said. */
NODISCARD int serial_mesh_trace(struct serial_mesh *mesh,
                                struct node_event events[NODE_EVENTS],
                                uint32_t *count);

void serial_mesh_stop(struct serial_mesh *mesh);

#endif
